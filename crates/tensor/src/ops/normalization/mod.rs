//! Softmax, and norms over batches, layers and groups.

pub mod nn;
pub mod norm;
