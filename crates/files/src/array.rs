//! An array as a file holds it.

use std::borrow::Cow;

use glowgrad_tensor::DType;

use crate::{Error, Result, strided};

/// Numbers in row-major order, little-endian, as bytes; a bool is one byte, 0 or 1.
///
/// ```
/// use glowgrad_files::Array;
/// use glowgrad_tensor::DType;
///
/// # fn main() -> glowgrad_files::Result<()> {
/// let array = Array::new(DType::U8, vec![2, 2], vec![1, 2, 3, 4])?;
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
    /// An array with these sizes. A byte of a bool that is neither 0 nor 1 becomes 1, as NumPy reads it.
    ///
    /// # Errors
    /// When the sizes and the bytes do not belong together.
    pub fn new(
        dtype: DType,
        shape: Vec<usize>,
        bytes: impl Into<Cow<'a, [u8]>>,
    ) -> Result<Array<'a>> {
        let mut bytes = bytes.into();
        let wanted = strided::size_of(dtype.size(), &shape);
        if wanted != Some(bytes.len()) {
            return Err(Error::new(format!(
                "an array of shape {shape:?} and type {} takes {}, and {} came; pass as many",
                dtype.name(),
                strided::told(wanted),
                bytes.len()
            )));
        }
        if dtype == DType::Bool && bytes.iter().any(|&byte| byte > 1) {
            for byte in bytes.to_mut() {
                *byte = u8::from(*byte != 0);
            }
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

    /// Its elements in row-major order, little-endian, without a copy.
    pub fn into_bytes(self) -> Cow<'a, [u8]> {
        self.bytes
    }

    /// The same array with bytes of its own.
    pub fn into_owned(self) -> Array<'static> {
        Array {
            dtype: self.dtype,
            shape: self.shape,
            bytes: Cow::Owned(self.bytes.into_owned()),
        }
    }
}
