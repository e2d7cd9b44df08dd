//! Memory of the host for backends of other devices, and the check of indices that a device will read by.

use bytemuck::{cast_slice, cast_slice_mut};
use glowgrad_tensor::{Error, Result};

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
