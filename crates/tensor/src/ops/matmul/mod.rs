//! Products of vectors, matrices and tensors.

pub mod einsum;
pub mod linear;
pub mod product;
pub mod product_add;
pub mod tensor_product;
