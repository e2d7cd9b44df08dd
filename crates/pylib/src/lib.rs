//! The part of Python's standard library that the lab has.
//!
//! The sources come from the crate `rustpython-pylib` when this crate is built, so that the repository holds none of
//! them; `modules.in` names the modules. Natively the text is part of the program; the page loads it as a file when a
//! program imports a module that the wasm module does not hold. `glowgrad_python::Library` reads it.

/// An index, a line `NAME module|package LENGTH` for each module, then an empty line, then all sources one behind the
/// other. Lengths are in bytes.
///
/// ```
/// let (index, sources) = glowgrad_pylib::TEXT.split_once("\n\n").unwrap_or_default();
/// assert!(index.lines().any(|line| line.starts_with("textwrap module ")));
/// assert!(sources.contains("def dedent("));
/// ```
pub const TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/library.txt"));
