//! A device without memory: tensors there have a shape and a dtype, and no numbers.
//!
//! Invariant: a read is an error, so no number of such a tensor is ever seen.

use std::any::Any;

use glowgrad_tensor::backend::{Backend, Buffer, PendingRead, Task};
use glowgrad_tensor::{DType, Error, Result};

/// What the device is called.
pub const META: &str = "meta";

/// PyTorch's `device="meta"`: ops infer shapes and dtypes, nothing is computed, and a read is an error.
///
/// ```
/// use glowgrad::meta::MetaBackend;
/// use glowgrad::Tensor;
///
/// # fn main() -> glowgrad::Result<()> {
/// let engine = glowgrad::cpu();
/// let meta = engine.add_device(Box::new(MetaBackend))?;
/// engine.set_device(meta);
/// let x = Tensor::from_f32(&engine, &[1.0, 2.0], &[2, 1])?;
/// let product = x.matmul(&Tensor::from_f32(&engine, &[3.0, 4.0, 5.0], &[1, 3])?)?;
/// assert_eq!(product.shape().as_slice(), [2, 3]);
/// assert!(product.to_f64().is_err());
/// # Ok(())
/// # }
/// ```
pub struct MetaBackend;

impl Backend for MetaBackend {
    fn name(&self) -> String {
        META.to_owned()
    }

    fn allocate(&self, _bytes: usize, _dtype: DType) -> Result<Box<dyn Any>> {
        Ok(Box::new(()))
    }

    fn upload(&self, _buffer: &Buffer, _bytes: &[u8]) -> Result<()> {
        Ok(())
    }

    fn submit(&self, _tasks: &[Task]) -> Result<(), (usize, Error)> {
        Ok(())
    }

    fn begin_read(&self, _buffer: &Buffer) -> Result<Box<dyn PendingRead>> {
        Err(Error::not_implemented(
            "Cannot copy out of meta tensor; no data!",
        ))
    }
}
