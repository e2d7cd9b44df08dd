//! Layers, optimizers, batches and training runs, with PyTorch's names and PyTorch's numbers.
//!
//! Modules import one way: [`nn`] has layers, [`network`] makes a model of a description, [`optim`] changes parameters,
//! [`data`] makes batches, and [`training`] runs steps over them. Each layer's arguments, defaults, parameters and shapes are those of its row in
//! `lessons/reference/layers.json`, which the Python modules are made by: a test holds one to the other, and both to
//! the same bits. They stand here once more because a Rust type has its fields when it is compiled, where its
//! documentation and its callers' mistakes are found.

pub mod data;
pub mod network;
pub mod nn;
pub mod optim;
pub mod training;
