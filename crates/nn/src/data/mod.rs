//! Batches of tensors: shuffled as PyTorch's `DataLoader` shuffles them.
//!
//! ```
//! use glowgrad_nn::data::{Batches, DataLoader};
//! # use glowgrad_tensor::{Engine, Tensor};
//! # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
//! let x = Tensor::from_f32(&engine, &[0.0, 1.0, 2.0, 3.0, 4.0], &[5])?;
//! let loader = DataLoader::new(vec![x], 2)?;
//! let sizes: Vec<usize> = loader.epoch()?.map(|batch| batch.unwrap()[0].numel()).collect();
//! assert_eq!(sizes, [2, 2, 1]);
//! # Ok::<(), glowgrad_tensor::Error>(())
//! ```

mod files;
mod text;

pub use files::{cifar10, mnist, read_safetensors, write_safetensors};
pub use text::Characters;

use glowgrad_tensor::bind::call;
use glowgrad_tensor::random::Generator;
use glowgrad_tensor::{Engine, Error, Result, Tensor, args};

/// The tensors of a batch, the target last.
pub type Batch = Vec<Tensor>;

/// What gives batches, epoch after epoch.
pub trait Batches {
    /// The batches of the next epoch.
    ///
    /// # Errors
    /// What making them meets.
    fn epoch(&self) -> Result<Box<dyn Iterator<Item = Result<Batch>> + '_>>;

    /// How many batches an epoch has.
    fn n_batches(&self) -> usize;
}

/// Rows of tensors of the same length in batches.
pub struct DataLoader {
    tensors: Vec<Tensor>,
    n: usize,
    batch_size: usize,
    is_shuffled: bool,
    drops_last: bool,
}

impl DataLoader {
    /// Batches in order.
    ///
    /// # Errors
    /// Without a tensor, when their first dimensions differ, or for batches of 0.
    pub fn new(tensors: Vec<Tensor>, batch_size: usize) -> Result<DataLoader> {
        let lengths: Vec<Option<usize>> =
            tensors.iter().map(|t| t.shape().first().copied()).collect();
        let n = match lengths.first() {
            Some(Some(n)) if lengths.iter().all(|other| *other == Some(*n)) => *n,
            _ => {
                return Err(Error::value(format!(
                    "DataLoader: Size mismatch between tensors: their first dimensions are {lengths:?}, expected equal ones"
                )));
            }
        };
        if batch_size == 0 {
            return Err(Error::value(
                "batch_size should be a positive integer value, but got batch_size=0",
            ));
        }
        Ok(DataLoader {
            tensors,
            n,
            batch_size,
            is_shuffled: false,
            drops_last: false,
        })
    }

    /// Draws another order for each epoch.
    #[must_use]
    pub fn shuffle(mut self, is_shuffled: bool) -> DataLoader {
        self.is_shuffled = is_shuffled;
        self
    }

    /// Leaves out a last batch that is smaller than the others.
    #[must_use]
    pub fn drop_last(mut self, drops_last: bool) -> DataLoader {
        self.drops_last = drops_last;
        self
    }

    fn engine(&self) -> Option<&Engine> {
        self.tensors.first().map(Tensor::engine)
    }

    fn rows(&self, rows: &[i64]) -> Result<Batch> {
        let each = |tensor: &Tensor| {
            let index = Tensor::from_i64(tensor.engine(), rows, &[rows.len()])?;
            call(
                tensor.engine(),
                "index_select",
                args![tensor, 0usize, index],
                vec![],
            )
        };
        self.tensors.iter().map(each).collect()
    }
}

impl Batches for DataLoader {
    fn epoch(&self) -> Result<Box<dyn Iterator<Item = Result<Batch>> + '_>> {
        let mut order: Vec<i64> = (0..self.n as i64).collect();
        if let Some(engine) = self.engine() {
            // PyTorch draws a seed for workers each time, and another one for the order.
            draw_seed(engine);
            if self.is_shuffled {
                Generator::new(draw_seed(engine)).randperm(&mut order);
            }
        }
        let mut start = 0;
        Ok(Box::new(std::iter::from_fn(move || {
            let end = (start + self.batch_size).min(self.n);
            let is_short = end - start < self.batch_size;
            if start == end || is_short && self.drops_last {
                return None;
            }
            let batch = self.rows(order.get(start..end)?);
            start = end;
            Some(batch)
        })))
    }

    fn n_batches(&self) -> usize {
        match self.drops_last {
            true => self.n / self.batch_size,
            false => self.n.div_ceil(self.batch_size),
        }
    }
}

fn draw_seed(engine: &Engine) -> u64 {
    engine.generator().next_u64() & (u64::MAX >> 1)
}

/// Batches that a function makes, so many an epoch: random parts of a text.
///
/// ```
/// use glowgrad_nn::data::{Batches, Drawn};
/// # use glowgrad_tensor::{Engine, Tensor};
/// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
/// let batches = Drawn::new(3, || Ok(vec![Tensor::from_f32(&engine, &[1.0], &[1])?]));
/// assert_eq!(batches.epoch()?.count(), 3);
/// # Ok::<(), glowgrad_tensor::Error>(())
/// ```
pub struct Drawn<F> {
    n_batches: usize,
    draw: F,
}

impl<F: Fn() -> Result<Batch>> Drawn<F> {
    /// So many batches an epoch.
    pub fn new(n_batches: usize, draw: F) -> Drawn<F> {
        Drawn { n_batches, draw }
    }
}

impl<F: Fn() -> Result<Batch>> Batches for Drawn<F> {
    fn epoch(&self) -> Result<Box<dyn Iterator<Item = Result<Batch>> + '_>> {
        Ok(Box::new((0..self.n_batches).map(|_| (self.draw)())))
    }

    fn n_batches(&self) -> usize {
        self.n_batches
    }
}

/// A training and a validation part of some tensors: the first `n` rows, and the rest.
///
/// # Errors
/// When there are fewer rows.
pub fn split(tensors: &[Tensor], n: usize) -> Result<(Vec<Tensor>, Vec<Tensor>)> {
    let mut parts = (Vec::new(), Vec::new());
    for tensor in tensors {
        let all = tensor.shape().first().copied().unwrap_or(0);
        let rest = all.checked_sub(n).ok_or_else(|| {
            Error::value(format!(
                "split: {n} rows of a tensor that has {all}; pass fewer"
            ))
        })?;
        let mut split = tensor.split(&[n, rest], 0)?.into_iter();
        parts.0.extend(split.next());
        parts.1.extend(split.next());
    }
    Ok(parts)
}
