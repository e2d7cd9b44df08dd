//! How many bytes a reader may make out of a file.
//!
//! A length that a file claims is compared with the bytes that are there. Where a file may rightly say more than its
//! bytes hold (deflate, pixels of an image, a tensor that repeats one number, an object that a pickle names many times),
//! a [`Limit`] stands instead: the reader counts what it makes, and stops before it passes the limit.

use crate::{Error, Result};

/// The most bytes that a reader may make out of one file where the file is compressed or says a thing once and means it
/// many times.
///
/// A reader's peak of memory stays below four times this, and eight times for JPEG, whose decoder keeps the
/// coefficients beside the pixels.
///
/// ```
/// use glowgrad_files::Limit;
///
/// assert_eq!(Limit::of(&[0; 10]).bytes(), (64 << 20) + 640);
/// assert_eq!(Limit::new(1 << 20).bytes(), 1_048_576);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(usize);

impl Limit {
    /// What any file may take, however short.
    pub const FLOOR: usize = 64 << 20;

    /// What each byte of a file may become beside that.
    pub const FACTOR: usize = 64;

    /// This many bytes.
    pub const fn new(bytes: usize) -> Limit {
        Limit(bytes)
    }

    /// What readers use when nothing else is said: [`Limit::FLOOR`] and [`Limit::FACTOR`] times the file's length.
    pub const fn of(file: &[u8]) -> Limit {
        Limit((file.len().saturating_mul(Limit::FACTOR)).saturating_add(Limit::FLOOR))
    }

    /// The limit in bytes.
    pub const fn bytes(self) -> usize {
        self.0
    }
}

/// What is left of a limit while one file is read.
pub(crate) struct Budget {
    format: &'static str,
    most: usize,
    left: usize,
}

impl Budget {
    pub(crate) fn new(format: &'static str, limit: Limit) -> Budget {
        Budget {
            format,
            most: limit.bytes(),
            left: limit.bytes(),
        }
    }

    /// The name of the format, with which each refusal begins.
    pub(crate) fn format(&self) -> &'static str {
        self.format
    }

    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// Counts bytes before they are made.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<()> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.exceeded()),
        }
    }

    /// The refusal when a file would take more.
    pub(crate) fn exceeded(&self) -> Error {
        Error::new(format!(
            "{}: what the file unpacks to takes more than the {} bytes that the limit allows; if you trust the file, read it with read_within and a larger Limit",
            self.format, self.most
        ))
    }
}
