//! Many elements to one, or to a few.

pub mod any_all;
pub mod histogram;
pub mod min_max;
pub mod reduce;
pub mod scan;
pub mod sum;
pub mod variance;
pub mod vector_norm;
