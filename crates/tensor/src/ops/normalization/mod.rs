//! Norms over batches, layers and groups.

pub mod layer_norm;
pub mod norm;
