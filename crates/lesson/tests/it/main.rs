//! The crate's integration tests. They are modules of one program, so that they are linked once.

mod course;
mod fuzz_corpus;
mod opening;
mod parser;
mod predictions;
mod translations;
