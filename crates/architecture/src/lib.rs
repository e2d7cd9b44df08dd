//! A network as data: its graph of layers, the shapes in it, and its code.
//!
//! The feature `read` has a parser of Python, and with it [`python::read`] and [`asked`].

mod analysis;
pub mod arguments;
#[cfg(feature = "read")]
pub mod asked;
pub mod catalog;
mod check;
pub mod describe;
pub mod edit;
mod error;
pub mod expression;
pub mod families;
pub mod functions;
pub mod mending;
pub mod model;
pub mod objective;
pub mod presets;
pub mod project;
pub mod python;
pub mod rust;
pub mod shapes;
pub mod training;

pub use analysis::{Analysis, Dim, Fact, Facts, analyse};
pub use check::is_name;
pub use error::{Error, Result};
pub use model::{Architecture, Args};
