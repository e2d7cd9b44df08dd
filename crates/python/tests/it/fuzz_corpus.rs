//! The inputs that the fuzz targets `source` and `npy` have kept (see fuzz/README.md).
#![allow(unreachable_pub)] // The fuzz crate, a library, includes the same modules.

#[path = "../../../../fuzz/src/corpus.rs"]
mod corpus;
#[path = "../../../../fuzz/src/interpreter.rs"]
mod interpreter;
#[path = "../../../../fuzz/src/npy.rs"]
mod npy;
#[path = "../../../../fuzz/src/source.rs"]
mod source;
#[path = "../../../../fuzz/src/thread.rs"]
mod thread;

#[test]
fn source_that_fuzzing_found_still_compiles_or_is_refused() {
    corpus::replay("source", |data| drop(source::hold(data)));
}

#[test]
fn npy_files_that_fuzzing_found_are_still_read_or_refused() {
    corpus::replay("npy", |data| drop(npy::hold(data)));
}
