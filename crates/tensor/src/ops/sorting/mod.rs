//! Elements in order, and what an order tells of them.

pub mod median;
pub mod searchsorted;
pub mod sort;
pub mod unique;
