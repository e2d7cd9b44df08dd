//! The crate's integration tests. They are modules of one program, so that they are linked once.

mod failed;
mod follow;
mod fuzz_corpus;
mod kernels;
mod landing;
mod layout;
mod memory;
mod nonfinite;
mod own_graph;
mod record;
mod steps;
mod topology;
mod twin;
