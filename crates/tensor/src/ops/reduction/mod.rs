//! Many elements to one, or to a few.

pub mod counting;
pub mod reduce;
pub mod scan;
pub mod statistics;
pub mod unique;
