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

/// A text of a file in quotes, for a message: control characters escaped, no longer than a line.
pub(crate) fn quoted(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
