//! The one error type of the engine.
//!
//! Every fallible call returns it, and every message says the op, what came, what was expected and
//! what to do. The kind is the Python exception that PyTorch raises in the same place, so that the
//! Python module translates without reading messages.

/// Which Python exception an [`Error`] becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Shapes, dtypes or graph state that do not fit: `RuntimeError`.
    Runtime,
    /// A matrix that cannot be factored: `torch.linalg.LinAlgError`, a `RuntimeError`.
    LinAlg,
    /// An index or a dimension out of range: `IndexError`.
    Index,
    /// An argument of the wrong kind: `TypeError`.
    Type,
    /// An argument with a value that is not allowed: `ValueError`.
    Value,
    /// What this build or device cannot do: `NotImplementedError`.
    NotImplemented,
    /// Work that was stopped: `KeyboardInterrupt`.
    Interrupted,
}

/// What went wrong, in words for the learner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The Python exception it becomes.
    pub kind: ErrorKind,
    /// Op, what came, what was expected, what to do.
    pub message: String,
    /// The number of the op's call that was refused, where it is noted (`Engine::failure`).
    pub failure: Option<u32>,
}

/// The engine's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A `RuntimeError`.
    pub fn runtime(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Runtime, message)
    }

    /// An `IndexError`.
    pub fn index(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Index, message)
    }

    /// A `TypeError`.
    pub fn type_(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Type, message)
    }

    /// A `ValueError`.
    pub fn value(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Value, message)
    }

    /// A `KeyboardInterrupt`.
    pub fn interrupted() -> Error {
        Error::new(ErrorKind::Interrupted, "stopped; variables are kept")
    }

    /// A `NotImplementedError`.
    pub fn not_implemented(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::NotImplemented, message)
    }

    /// The same error; says in which op, unless it does already. Of a matrix, PyTorch's words say it.
    pub fn of_op(mut self, name: &str) -> Error {
        let plain = name.trim_end_matches("_dim");
        if self.kind != ErrorKind::LinAlg && !self.message.contains(plain) {
            self.message.push_str(&format!(" ({plain})"));
        }
        self
    }

    /// An error of the given kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error {
            kind,
            message: message.into(),
            failure: None,
        }
    }
}
