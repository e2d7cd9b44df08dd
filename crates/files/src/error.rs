//! Why a file cannot be read or written.

/// A sentence that names the fault and, where there is one, the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);

impl Error {
    /// An error with this sentence.
    pub fn new(sentence: impl Into<String>) -> Error {
        Error(sentence.into())
    }
}

/// What reading and writing come to.
pub type Result<T> = std::result::Result<T, Error>;
