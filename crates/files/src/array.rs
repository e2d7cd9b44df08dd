//! An array as a file holds it.

use std::borrow::Cow;

use glowgrad_tensor::DType;

use crate::{Error, Result};

/// Numbers in row-major order, little-endian, as bytes.
///
/// ```
/// use glowgrad_files::Array;
/// use glowgrad_tensor::DType;
///
/// # fn main() -> glowgrad_files::Result<()> {
/// let array = Array::new(DType::Uint8, vec![2, 2], vec![1, 2, 3, 4])?;
/// assert_eq!(array.shape(), [2, 2]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array<'a> {
    dtype: DType,
    shape: Vec<usize>,
    bytes: Cow<'a, [u8]>,
}

impl<'a> Array<'a> {
    /// An array with these sizes.
    ///
    /// # Errors
    /// When the sizes and the bytes do not belong together.
    pub fn new(
        dtype: DType,
        shape: Vec<usize>,
        bytes: impl Into<Cow<'a, [u8]>>,
    ) -> Result<Array<'a>> {
        let bytes = bytes.into();
        let wanted = (shape.iter()).try_fold(dtype.size(), |size, &n| size.checked_mul(n));
        if wanted != Some(bytes.len()) {
            return Err(Error::new(format!(
                "an array of shape {shape:?} and type {} does not take {} bytes",
                dtype.name(),
                bytes.len()
            )));
        }
        Ok(Array {
            dtype,
            shape,
            bytes,
        })
    }

    /// The type of its elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Its sizes.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Its elements in row-major order, little-endian.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
