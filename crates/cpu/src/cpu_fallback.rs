//! What another device leaves to this processor: one policy, which every device goes by.
//!
//! A device says why it does not run a task ([`Refusal`]), and [`CpuFallback::admit`] decides: the task is counted
//! in silence, or counted and told once, or refused because the user wants none of it. The words of the reasons
//! stand in [`reason`]; those that depend on the routine alone stand with the routine (`Facts`).

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use glowgrad_tensor::kernel::{Kernel, Work};
use glowgrad_tensor::routine::NO_KERNEL;
use glowgrad_tensor::shape::numel;
use glowgrad_tensor::{DType, Error, Result, interrupt};

use crate::host::Host;
use crate::{Level, Pool, run_kernel, run_routine};

/// Why a task does not run on its device.
#[derive(Debug)]
pub enum Refusal {
    /// The task belongs to the CPU. It is counted, and not reported.
    Silent(&'static str),
    /// The device cannot run it. The first task of a reason is told; a strict user gets an error.
    Lacks(Cow<'static, str>),
    /// The device tried and failed.
    Failed(Error),
}

impl Refusal {
    /// That a device has no kernel of a routine, for the reason that the routine gives.
    pub fn no_kernel(why: Option<&'static str>) -> Refusal {
        why.unwrap_or(NO_KERNEL).into()
    }
}

impl From<&'static str> for Refusal {
    fn from(why: &'static str) -> Refusal {
        Refusal::Lacks(Cow::Borrowed(why))
    }
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::Lacks(Cow::Owned(why))
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal::Failed(error)
    }
}

/// The words of reasons that do not depend on the routine.
pub mod reason {
    /// A task without elements has nothing for a device to do.
    pub const NO_ELEMENTS: &str = "no elements";
    /// A word of the device has 32 bits.
    pub const WIDE_INTEGER: &str = "an int64 beyond 32 bits";
    /// So does a position in a buffer.
    pub const MANY_ELEMENTS: &str = "more elements than 32 bits can count";
    /// A sort, say, compares each pair of elements.
    pub const MANY_READS: &str = "a routine that reads very many elements";
    /// Each part is a dispatch.
    pub const MANY_PARTS: &str = "a write of very many parts";
    /// The kernel that copies has places for eight.
    pub const MANY_DIMENSIONS: &str = "a write of more than eight dimensions";
    /// wgpu's limit of workgroups.
    pub const MANY_TILES_TO_DISPATCH: &str = "a product of more tiles than a dispatch can have";
    /// CUDA's limit of blocks.
    pub const MANY_TILES_TO_LAUNCH: &str = "a product of more tiles than a launch can have";
    /// CUDA's limit of blocks in one dimension.
    pub const MANY_GROUPS: &str = "more groups of threads than a launch can have";
    /// A row is kept in registers.
    pub const LONG_ATTENTION_ROWS: &str = "attention over rows of more than 128 elements";

    /// A buffer beyond the device's limit.
    pub fn large_buffer(most_bytes: u64) -> String {
        format!("a buffer of more than {} MiB", most_bytes >> 20)
    }
}

/// What the policy of one device differs in from that of another.
pub struct Policy {
    /// What messages call the device.
    pub device: &'static str,
    /// In which words integers that follow from what the host knows are counted. They are computed there, so that
    /// indices stay exact and can be looked at without waiting for the device.
    pub integers: &'static str,
    /// Most elements that are computed there for that.
    pub most_integers: usize,
}

/// This processor, beside a device.
pub struct CpuFallback {
    policy: Policy,
    level: Level,
    pool: Pool,
    is_strict: Cell<bool>,
    counts: RefCell<BTreeMap<String, usize>>,
    news: RefCell<Vec<String>>,
}

impl CpuFallback {
    /// With this policy.
    pub fn new(policy: Policy) -> CpuFallback {
        CpuFallback {
            policy,
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

    /// Whether a kernel computes integers from what the host knows; `is_known` tells of an input by its number.
    pub fn is_index_arithmetic(&self, kernel: &Kernel, is_known: impl Fn(usize) -> bool) -> bool {
        let whole = |dtype: DType| !dtype.is_float();
        whole(kernel.output_dtype(0))
            && kernel.inputs.iter().all(|input| whole(input.dtype))
            && numel(&kernel.shape) <= self.policy.most_integers
            && (0..kernel.inputs.len()).all(is_known)
    }

    /// That a task is index arithmetic.
    pub fn index_arithmetic(&self) -> Refusal {
        Refusal::Silent(self.policy.integers)
    }

    /// Decides about a task that does not run on its device: it is counted, and the first that the device lacks
    /// something for is told.
    ///
    /// # Errors
    /// What failed on the device; what the device lacks, when the user wants nothing from the CPU.
    pub fn admit(&self, refusal: Refusal) -> Result<()> {
        let device = self.policy.device;
        let why = match refusal {
            Refusal::Failed(error) => return Err(error),
            Refusal::Silent(why) => Cow::Borrowed(why),
            Refusal::Lacks(why) if self.is_strict.get() => {
                return Err(Error::not_implemented(format!(
                    "{device}: {why}; use device=\"cpu\", or let the CPU step in with lab.fallback(True)"
                )));
            }
            Refusal::Lacks(why) => {
                if !self.counts.borrow().contains_key(&*why) {
                    self.say(format!("{device}: {why}: the CPU computes it instead"));
                }
                why
            }
        };
        *self
            .counts
            .borrow_mut()
            .entry(why.into_owned())
            .or_default() += 1;
        Ok(())
    }

    /// Runs work on the host's bytes; a result has each of these `sizes`, in bytes.
    ///
    /// # Errors
    /// What the work says; that it was stopped ([`glowgrad_tensor::interrupt`]).
    pub fn run(
        &self,
        work: &Work,
        inputs: &[Rc<Host>],
        sizes: impl Iterator<Item = usize>,
    ) -> Result<Vec<Host>> {
        let inputs: Vec<&[u8]> = inputs.iter().map(|input| input.bytes()).collect();
        let mut results = sizes.map(Host::new).collect::<Result<Vec<Host>>>()?;
        let (level, pool) = (self.level, &self.pool);
        let mut outs: Vec<&mut [u8]> = results.iter_mut().map(Host::bytes_mut).collect();
        let ran = match work {
            Work::Kernel(kernel) => run_kernel(level, pool, kernel, &inputs, &mut outs),
            Work::Routine(routine) => run_routine(level, pool, routine, &inputs, outs[0]),
        };
        // What broke off is no value, and gives no other error that means anything.
        interrupt::check().and(ran)?;
        Ok(results)
    }
}

#[cfg(test)]
mod tests {
    use glowgrad_tensor::ErrorKind;
    use glowgrad_tensor::kernel::Routine;

    use super::*;

    #[test]
    fn one_policy_counts_tells_and_refuses() {
        let fallback = CpuFallback::new(Policy {
            device: "device",
            integers: "a few integers",
            most_integers: 8,
        });
        fallback.set_strict(true);
        let refused = fallback.admit(reason::MANY_READS.into());
        let text = "device: a routine that reads very many elements; use device=\"cpu\", or let the CPU step in with lab.fallback(True)";
        assert_eq!(refused.expect_err("strict").to_string(), text);
        // What belongs to the CPU is not a fallback.
        assert_eq!(fallback.admit(fallback.index_arithmetic()), Ok(()));
        assert!(fallback.news().is_empty());
        fallback.set_strict(false);
        for _ in 0..2 {
            assert_eq!(fallback.admit(reason::MANY_READS.into()), Ok(()));
        }
        let told = ["device: a routine that reads very many elements: the CPU computes it instead"];
        assert_eq!(fallback.news(), told);
        let counts = [("a few integers", 1), (reason::MANY_READS, 2)];
        let counts = counts.map(|(why, n)| (why.to_owned(), n));
        assert_eq!(fallback.counts(), BTreeMap::from(counts));
        let failed = fallback.admit(Error::runtime("lost").into());
        assert_eq!(failed, Err(Error::runtime("lost")));
    }

    #[test]
    fn a_task_that_was_stopped_has_no_result() {
        let fallback = CpuFallback::new(Policy {
            device: "device",
            integers: "a few integers",
            most_integers: 8,
        });
        let order = Work::Routine(Routine::ArgSort {
            dtype: DType::F32,
            descending: false,
            outer: 1,
            n: 1_000,
            inner: 1,
        });
        let values: Vec<f32> = (0..1_000).map(|i| (i * 7 % 1_000) as f32).collect();
        let values = [Rc::new(
            Host::of(bytemuck::cast_slice(&values)).expect("memory"),
        )];
        interrupt::set(Some(Rc::new(|| true)));
        while !interrupt::is_asked() {}
        let stopped = fallback.run(&order, &values, [8 * 1_000].into_iter());
        interrupt::set(None);
        let stopped = stopped.map(drop).map_err(|error| error.kind);
        assert_eq!(stopped, Err(ErrorKind::Interrupted));
        assert!(
            fallback
                .run(&order, &values, [8 * 1_000].into_iter())
                .is_ok()
        );
    }
}
