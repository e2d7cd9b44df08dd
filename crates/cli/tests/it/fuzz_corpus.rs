//! The inputs that the fuzz target `pipe` has kept (see fuzz/README.md).
#![allow(unreachable_pub)] // The fuzz crate, a library, includes the same modules.

#[path = "../../../../fuzz/src/corpus.rs"]
mod corpus;
#[path = "../../../../fuzz/src/pipe.rs"]
mod pipe;

#[test]
fn frames_that_fuzzing_found_are_still_read_or_refused() {
    corpus::replay("pipe", |data| drop(pipe::hold(data)));
}
