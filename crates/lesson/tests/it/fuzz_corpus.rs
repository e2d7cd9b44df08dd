//! The inputs that the fuzz target `lesson` has kept (see fuzz/README.md).
#![allow(unreachable_pub)] // The fuzz crate, a library, includes the same modules.

#[path = "../../../../fuzz/src/corpus.rs"]
mod corpus;
#[path = "../../../../fuzz/src/lesson.rs"]
mod lesson;

#[test]
fn what_fuzzing_found_still_holds() {
    corpus::replay("lesson", lesson::hold);
}
