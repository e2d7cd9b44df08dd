//! Elements chosen by indices, masks.

pub mod by_index;
pub(crate) mod check;
pub mod index;
pub mod index_put;
pub mod masked;
pub mod nonzero;
pub mod one_hot;
pub mod place;
pub mod scatter;
