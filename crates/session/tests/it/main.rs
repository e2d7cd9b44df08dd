//! The crate's integration tests. They are modules of one program, so that they are linked once.

mod evaluate;
mod failed;
mod fuzz_corpus;
mod kernels;
mod landing;
mod layout;
mod memory;
mod mine;
mod nonfinite;
mod probe;
mod record;
mod steps;
mod twin;
mod user_graph;
