//! What is wrong with a description, a code or a request, in words.

/// A sentence that says what came, what was expected and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The sentence.
    pub message: String,
    /// The line of the code that it is about, from 1.
    pub line: Option<usize>,
}

impl Error {
    /// One about no line.
    pub fn new(message: impl Into<String>) -> Error {
        Error {
            message: message.into(),
            line: None,
        }
    }

    /// One about a line, from 1.
    pub fn at(line: usize, message: impl Into<String>) -> Error {
        Error {
            message: format!("line {line}: {}", message.into()),
            line: Some(line),
        }
    }
}

/// A result or a sentence.
pub type Result<T> = std::result::Result<T, Error>;
