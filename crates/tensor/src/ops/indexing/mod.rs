//! Elements chosen by indices and masks.

pub(crate) mod check;
pub mod embedding;
pub mod gather;
pub mod index;
pub mod index_add;
pub mod index_select;
pub mod masked;
pub mod nonzero;
pub mod primitives;
pub mod scatter;
