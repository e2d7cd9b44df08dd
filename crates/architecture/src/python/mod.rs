//! A network as a class of PyTorch, and back.
//!
//! A value has the name `x`, or `y`, `z` and so on, as long as the value that had the name before is not needed any more; a node whose name is its own keeps it as the variable. So the names of nodes come back from the
//! code: of layers from their attributes, of functions from their variables or from their order.

mod names;
#[cfg(feature = "read")]
mod read;
mod write;

#[cfg(feature = "read")]
pub use read::{Reading, read};
pub use write::{Written, write};
