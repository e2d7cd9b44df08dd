//! The crate's integration tests. They are modules of one program, so that they are linked once.

mod cells;
mod common;
mod doors;
mod figures;
mod first_lines;
mod fuzz_corpus;
mod hostile_calls;
mod made_sets;
mod missing_names;
mod modules;
mod networks;
mod npy;
mod onnx;
mod profiles;
mod programs;
mod rows;
mod rust_layers;
mod session;
mod stopping;
mod torch;
mod tracebacks;
mod training;
mod wrong_calls;
