//! The crate's integration tests. They are modules of one program, so that they are linked once.

mod capstone;
mod checkpoints;
mod command_line;
mod fuzz_corpus;
mod lab_server;
mod lab_sessions;
mod model_server;
mod onnx_exports;
mod onnx_models;
mod programs_on_gpu;
mod server;
mod soak;
mod terminal;
