//! IDX, in which MNIST comes: one array, big-endian, of one to four dimensions, plain or gzip.
//!
//! Four bytes name the dtype and the number of dimensions; each size follows in four bytes, then the elements.
//! Invariant: the elements are as many as the sizes say. What gzip unpacks to counts against a [`Limit`]; a plain file
//! of bytes is read without a copy.
//!
//! ```
//! use glowgrad_files::idx;
//!
//! # fn main() -> glowgrad_files::Result<()> {
//! let labels = idx::read(&[0, 0, 8, 1, 0, 0, 0, 3, 5, 0, 4])?;
//! assert_eq!(labels.shape(), [3]);
//! assert_eq!(labels.bytes(), [5, 0, 4]);
//! # Ok(())
//! # }
//! ```

use std::borrow::Cow;

use glowgrad_tensor::DType;

use crate::limit::{Budget, Limit};
use crate::{Array, Error, Result, packed, strided};

const DTYPES: [(u8, DType); 6] = [
    (0x08, DType::U8),
    (0x09, DType::I8),
    (0x0b, DType::I16),
    (0x0c, DType::I32),
    (0x0d, DType::F32),
    (0x0e, DType::F64),
];

/// Whether a file begins as this format does.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    matches!(bytes, [0, 0, code, 1..=4, ..] if DTYPES.iter().any(|&(known, _)| known == *code))
}

/// The array in the bytes of a file, plain or gzip.
///
/// # Errors
/// When the file is damaged, claims other bytes than there are, or takes more than [`Limit::of`] the file.
pub fn read(bytes: &[u8]) -> Result<Array<'_>> {
    read_within(bytes, Limit::of(bytes))
}

/// The same within another limit.
///
/// # Errors
/// As [`read`].
pub fn read_within(bytes: &[u8], limit: Limit) -> Result<Array<'_>> {
    let file = packed::plain(bytes, &mut Budget::new("idx", limit))?;
    let (dtype, shape) = header(&file)?;
    let start = 4 + 4 * shape.len();
    let wanted = strided::size_of(dtype.size(), &shape);
    if wanted != Some(file.len() - start) {
        return Err(refuse(format!(
            "sizes {shape:?} of {} take {}, and {} follow the header; the file is cut short or damaged, so fetch it again",
            dtype.name(),
            strided::told(wanted),
            file.len() - start
        )));
    }
    let mut elements = match file {
        Cow::Borrowed(file) => Cow::Borrowed(&file[start..]),
        Cow::Owned(mut file) => {
            file.drain(..start);
            Cow::Owned(file)
        }
    };
    if dtype.size() > 1 {
        strided::swap_bytes(elements.to_mut(), dtype.size());
    }
    Array::new(dtype, shape, elements)
}

/// The bytes of a plain file with this array.
///
/// # Errors
/// For other dtypes than uint8, int8, int16, int32, float32 and float64, other than one to four dimensions, and a size
/// of 2³² or more.
pub fn write(array: &Array<'_>) -> Result<Vec<u8>> {
    let dtype = array.dtype();
    let Some((code, _)) = DTYPES.iter().find(|&&(_, known)| known == dtype) else {
        return Err(refuse(format!(
            "the format has no {}; convert it to one of uint8, int8, int16, int32, float32 and float64",
            dtype.name()
        )));
    };
    let shape = array.shape();
    if !(1..=4).contains(&shape.len()) {
        return Err(refuse(format!(
            "the shape {shape:?} has {} dimensions, and 1 to 4 are written; reshape it",
            shape.len()
        )));
    }
    let mut file = vec![0, 0, *code, shape.len() as u8];
    for &n in shape {
        let size = u32::try_from(n).map_err(|_| {
            refuse(format!(
                "the shape {shape:?} has a size of 2**32 or more; write it in parts"
            ))
        })?;
        file.extend_from_slice(&size.to_be_bytes());
    }
    let start = file.len();
    file.extend_from_slice(array.bytes());
    strided::swap_bytes(&mut file[start..], dtype.size());
    Ok(file)
}

fn header(file: &[u8]) -> Result<(DType, Vec<usize>)> {
    let Some((head, rest)) = file.split_first_chunk::<4>() else {
        return Err(refuse(format!(
            "the file has {} bytes, and its header at least 8; it is cut short or of another format",
            file.len()
        )));
    };
    let [0, 0, code, n_dims] = *head else {
        return Err(refuse(format!(
            "the file begins with {:02x} {:02x}, and an IDX file with two zeros; expected a file such as MNIST's train-images-idx3-ubyte",
            head[0], head[1]
        )));
    };
    let Some(&(_, dtype)) = DTYPES.iter().find(|&&(known, _)| known == code) else {
        return Err(refuse(format!(
            "the file has elements of type {code:#04x}, which is none of 08 uint8, 09 int8, 0b int16, 0c int32, 0d float32 and 0e float64; it is damaged or of another format"
        )));
    };
    if !(1..=4).contains(&n_dims) {
        return Err(refuse(format!(
            "the file has {n_dims} dimensions, and 1 to 4 are read; it is damaged or of another format"
        )));
    }
    let (sizes, _) = rest.as_chunks::<4>();
    let Some(sizes) = sizes.get(..n_dims.into()) else {
        return Err(refuse(format!(
            "the file ends after {} bytes, within the sizes of its {n_dims} dimensions; fetch it again",
            file.len()
        )));
    };
    let shape = sizes.iter().map(|&size| u32::from_be_bytes(size) as usize);
    Ok((dtype, shape.collect()))
}

fn refuse(what: String) -> Error {
    Error::new(format!("idx: {what}"))
}
