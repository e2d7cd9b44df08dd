//! What another device leaves to this processor: run here, counted by reason, told once or refused.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use bytemuck::{cast_slice, cast_slice_mut};
use glowgrad_tensor::kernel::Work;
use glowgrad_tensor::{Error, Result};

use crate::{Level, Pool, run_kernel, run_routine};

/// Bytes of the host, aligned for every dtype.
pub struct Host {
    words: Vec<u64>,
    len: usize,
}

impl Host {
    /// Zeros.
    ///
    /// # Errors
    /// When memory is short.
    pub fn new(len: usize) -> Result<Host> {
        let n = len.div_ceil(8);
        let mut words = Vec::new();
        words.try_reserve_exact(n).map_err(|_| {
            Error::runtime(format!(
                "out of memory: could not get {len} bytes on the host; use a smaller shape"
            ))
        })?;
        words.resize(n, 0);
        Ok(Host { words, len })
    }

    /// A copy.
    ///
    /// # Errors
    /// As [`Host::new`].
    pub fn of(bytes: &[u8]) -> Result<Host> {
        let mut host = Host::new(bytes.len())?;
        host.bytes_mut().copy_from_slice(bytes);
        Ok(host)
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &cast_slice(&self.words)[..self.len]
    }

    /// The bytes, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut cast_slice_mut(&mut self.words)[..self.len]
    }
}

/// Whether all int64 indices name rows; otherwise the error PyTorch gives.
///
/// # Errors
/// For the first that names none.
pub fn check_rows(index: &Host, rows: usize) -> Result<()> {
    let index: &[i64] = cast_slice(index.bytes());
    let is_row = |&i: &i64| usize::try_from(i).is_ok_and(|i| i < rows);
    match index.iter().find(|i| !is_row(i)) {
        Some(i) => Err(Error::index(format!(
            "index {i} is out of bounds for dimension with size {rows}"
        ))),
        None => Ok(()),
    }
}

/// This processor, beside a device.
pub struct CpuFallback {
    device: &'static str,
    level: Level,
    pool: Pool,
    is_strict: Cell<bool>,
    counts: RefCell<BTreeMap<String, usize>>,
    news: RefCell<Vec<String>>,
}

impl CpuFallback {
    /// For the device of this name.
    pub fn new(device: &'static str) -> CpuFallback {
        CpuFallback {
            device,
            level: Level::detect(),
            pool: Pool::default(),
            is_strict: Cell::default(),
            counts: RefCell::default(),
            news: RefCell::default(),
        }
    }

    /// Whether what the device cannot is an error from now on.
    pub fn set_strict(&self, on: bool) {
        self.is_strict.set(on);
    }

    /// Why work came here so far, and how often.
    pub fn counts(&self) -> BTreeMap<String, usize> {
        self.counts.borrow().clone()
    }

    /// A sentence for the user.
    pub fn say(&self, text: String) {
        self.news.borrow_mut().push(text);
    }

    /// The sentences since the last call.
    pub fn news(&self) -> Vec<String> {
        self.news.take()
    }

    /// Counts work that comes here because it belongs here, and is not reported.
    pub fn count(&self, why: &str) {
        *self.counts.borrow_mut().entry(why.to_owned()).or_default() += 1;
    }

    /// Counts work that comes here because the device cannot do it; the first of a reason is told.
    ///
    /// # Errors
    /// When the user wants none of it.
    pub fn admit(&self, why: &str) -> Result<()> {
        let device = self.device;
        if self.is_strict.get() {
            return Err(Error::not_implemented(format!(
                "{device}: {why}; use device=\"cpu\", or let the CPU step in with lab.fallback(True)"
            )));
        }
        if !self.counts.borrow().contains_key(why) {
            self.say(format!("{device}: {why}: the CPU computes it instead"));
        }
        self.count(why);
        Ok(())
    }

    /// Runs work on the host's bytes; the result has `bytes`.
    ///
    /// # Errors
    /// What the work says.
    pub fn run(&self, work: &Work, inputs: &[Rc<Host>], bytes: usize) -> Result<Host> {
        let inputs: Vec<&[u8]> = inputs.iter().map(|input| input.bytes()).collect();
        let mut result = Host::new(bytes)?;
        let (level, pool, out) = (self.level, &self.pool, result.bytes_mut());
        match work {
            Work::Kernel(kernel) => run_kernel(level, pool, kernel, &inputs, &mut [out])?,
            Work::Routine(routine) => run_routine(level, pool, routine, &inputs, out)?,
        }
        Ok(result)
    }
}
