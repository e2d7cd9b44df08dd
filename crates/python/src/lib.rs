//! The `glowgrad` Python module, on RustPython: what a lesson's cells run on.
//!
//! [`Python`] runs cells and keeps their variables. Everything it can do to the world goes through
//! a [`Host`]. It knows nothing of lessons, sessions or transports.

mod checks;
mod compile;
mod depth;
mod doors;
mod figure;
mod files;
mod frozen;
mod host;
mod insert_ticks;
mod jupyter;
mod library;
mod limits;
mod memory;
mod modules;
mod print;
mod profile;
mod runtime;
mod span;
mod tensor;
mod tick;
mod traceback;
mod vm;

pub use checks::{CheckOutcome, EXERCISE_CELL};
pub use figure::{Chart, Figure, FigureKind, Look};
pub use files::{File, FileChange, FileError, FileInfo, Files, MemoryFiles, OpenMode};
pub use host::{
    DEFAULT_RECURSION_LIMIT, Flow, Host, MOST_USER_NODES, OnnxFile, OnnxJob, OnnxRun, UserEvent,
    UserGraph, UserValue,
};
pub use traceback::PythonError;
pub use vm::Python;
