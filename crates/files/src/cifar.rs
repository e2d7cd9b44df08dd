//! CIFAR-10 and CIFAR-100 in their binary form, plain or gzip.
//!
//! A file is a row of records: a label (of CIFAR-100 a coarse and a fine one), then 3 × 32 × 32 bytes, red before green
//! before blue. No header says how many; invariant: the file is a whole number of records, and a label is one of the
//! classes. What gzip unpacks to counts against a [`Limit`].
//!
//! ```
//! use glowgrad_files::cifar::{self, Classes};
//!
//! # fn main() -> glowgrad_files::Result<()> {
//! let mut record = vec![7; 3073];
//! record[1] = 255;
//! let data = cifar::read(&record, Classes::Ten)?;
//! assert_eq!(data.images.shape(), [1, 3, 32, 32]);
//! assert_eq!(data.labels.bytes(), [7, 0, 0, 0, 0, 0, 0, 0]);
//! # Ok(())
//! # }
//! ```

use glowgrad_tensor::DType;

use crate::limit::{Budget, Limit};
use crate::{Array, Error, Result, packed};

/// Bytes of an image.
const IMAGE: usize = 3 * 32 * 32;

/// Which of the two data sets a file belongs to; nothing in it tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Classes {
    /// CIFAR-10
    Ten,
    /// CIFAR-100
    Hundred,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cifar {
    /// uint8 of shape [N, 3, 32, 32].
    pub images: Array<'static>,
    /// int64 of shape [N]; of CIFAR-100 the fine labels.
    pub labels: Array<'static>,
    /// int64 of shape [N], the twenty superclasses; CIFAR-10 has none.
    pub coarse_labels: Option<Array<'static>>,
}

/// The images and labels in the bytes of a file, plain or gzip.
///
/// # Errors
/// When the file is no whole number of records, has a label beyond the classes, or takes more than [`Limit::of`] the
/// file.
pub fn read(bytes: &[u8], classes: Classes) -> Result<Cifar> {
    read_within(bytes, classes, Limit::of(bytes))
}

/// The same within another limit.
///
/// # Errors
/// As [`read`].
pub fn read_within(bytes: &[u8], classes: Classes, limit: Limit) -> Result<Cifar> {
    let file = packed::plain(bytes, &mut Budget::new("cifar", limit))?;
    // Coarse labels come first.
    let bounds: &[u8] = match classes {
        Classes::Ten => &[10],
        Classes::Hundred => &[20, 100],
    };
    let record = bounds.len() + IMAGE;
    if file.is_empty() {
        return Err(refuse(format!(
            "the file is empty; expected records of {record} bytes"
        )));
    }
    if !file.len().is_multiple_of(record) {
        return Err(refuse(format!(
            "the file has {} bytes, and records of {record} follow one another in it: {} are left over; it is cut short or of the other data set",
            file.len(),
            file.len() % record
        )));
    }
    let n = file.len() / record;
    let mut images = Vec::with_capacity(n * IMAGE);
    let mut labels: Vec<Vec<u8>> = bounds.iter().map(|_| Vec::with_capacity(n * 8)).collect();
    for (index, record) in file.chunks_exact(record).enumerate() {
        let (own, image) = record.split_at(bounds.len());
        for ((&label, &bound), labels) in own.iter().zip(bounds).zip(&mut labels) {
            if label >= bound {
                return Err(refuse(format!(
                    "record {index} has the label {label}, and labels are below {bound}; the file is damaged or of the other data set"
                )));
            }
            labels.extend_from_slice(&i64::from(label).to_le_bytes());
        }
        images.extend_from_slice(image);
    }
    let mut labels = (labels.into_iter().rev()).map(|bytes| Array::new(DType::I64, vec![n], bytes));
    let (fine, coarse) = (labels.next(), labels.next());
    Ok(Cifar {
        images: Array::new(DType::U8, vec![n, 3, 32, 32], images)?,
        labels: fine.unwrap_or_else(|| Array::new(DType::I64, vec![0], Vec::new()))?,
        coarse_labels: coarse.transpose()?,
    })
}

fn refuse(what: String) -> Error {
    Error::new(format!("cifar: {what}"))
}
