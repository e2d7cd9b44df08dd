//! NumPy's `.npz`: arrays by name, each an `.npy` file in a zip archive.
//!
//! Stored and deflated entries are read. Stored arrays in C order are parts of the file's own bytes; what is deflated
//! counts against a [`Limit`].
//!
//! ```
//! use glowgrad_files::{Array, npz};
//! use glowgrad_tensor::DType;
//!
//! # fn main() -> glowgrad_files::Result<()> {
//! let zeros = Array::new(DType::F32, vec![100, 10], vec![0; 4000])?;
//! let file = npz::write([("x", &zeros)], npz::Compression::Deflate)?;
//! assert!(file.len() < 300);
//! assert_eq!(npz::read(&file)?, [("x".to_owned(), zeros)]);
//! # Ok(())
//! # }
//! ```

use std::borrow::Cow;
use std::collections::BTreeSet;

pub use crate::archive::Compression;
use crate::error::quoted;
use crate::limit::{Budget, Limit};
use crate::{Array, Error, Result, archive, npy};

/// The arrays in the bytes of a file, by name, in the order of the archive.
///
/// # Errors
/// When the archive is damaged, an entry is no `.npy` file, or the arrays take more than [`Limit::of`] the file.
pub fn read(bytes: &[u8]) -> Result<Vec<(String, Array<'_>)>> {
    read_within(bytes, Limit::of(bytes))
}

/// The same within another limit.
///
/// # Errors
/// As [`read`].
pub fn read_within(bytes: &[u8], limit: Limit) -> Result<Vec<(String, Array<'_>)>> {
    let mut budget = Budget::new("npz", limit);
    let mut arrays = Vec::new();
    let mut names = BTreeSet::new();
    for entry in archive::entries("npz", bytes)? {
        let Some(name) = entry.name.strip_suffix(".npy") else {
            return Err(refuse(format!(
                "entry {} of the archive is not an .npy file; numpy.savez writes only such",
                quoted(&entry.name)
            )));
        };
        if !names.insert(name.to_owned()) {
            return Err(refuse(format!(
                "the archive has two arrays of the name {}; give each a name of its own",
                quoted(name)
            )));
        }
        let array = match entry.bytes(&mut budget)? {
            Cow::Borrowed(bytes) => npy::read(bytes),
            Cow::Owned(bytes) => npy::read_owned(bytes),
        };
        let array = array.map_err(|error| refuse(format!("array {}: {error}", quoted(name))))?;
        arrays.push((name.to_owned(), array));
    }
    Ok(arrays)
}

/// The bytes of a file with these arrays.
///
/// # Errors
/// When a name comes twice, and for bfloat16, which NumPy lacks.
pub fn write<'a, Name: AsRef<str>>(
    arrays: impl IntoIterator<Item = (Name, &'a Array<'a>)>,
    compression: Compression,
) -> Result<Vec<u8>> {
    let mut names = BTreeSet::new();
    let mut files = Vec::new();
    for (name, array) in arrays {
        let name = name.as_ref();
        if !names.insert(name.to_owned()) {
            return Err(refuse(format!(
                "the name {} is taken already; give each array a name of its own",
                quoted(name)
            )));
        }
        files.push((format!("{name}.npy"), Cow::Owned(npy::write(array)?)));
    }
    archive::write("npz", &files, compression, 1)
}

fn refuse(what: String) -> Error {
    Error::new(format!("npz: {what}"))
}
