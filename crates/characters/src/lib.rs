//! What Python's texts need to know of characters: their kinds, their cases, their names.
//!
//! Stands in for the crate `rustpython-unicode`, whose tables of all of Unicode weigh several hundred kilobytes
//! in a page. Here Rust's own tables, which a page holds anyway, answer most questions; `tables.rs` has what
//! they leave open. Invariant: every answer is CPython's, for the characters that both know; all of Unicode 15.1
//! was compared once. There are the functions that RustPython's interpreter calls, and no others: no
//! module `unicodedata`, no older versions of Unicode.

pub mod case;
pub mod classify;
pub mod data;
pub mod identifier;
mod tables;

pub use data::{Ucd, character_name, lookup_character};
