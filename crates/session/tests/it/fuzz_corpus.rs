//! The inputs that the fuzz targets `commands` and `session` have kept (see fuzz/README.md).
#![allow(unreachable_pub)] // The fuzz crate, a library, includes the same modules.

#[path = "../../../../fuzz/src/commands.rs"]
mod commands;
#[path = "../../../../fuzz/src/corpus.rs"]
mod corpus;
#[cfg(feature = "python")]
#[path = "../../../../fuzz/src/session.rs"]
mod session;
#[cfg(feature = "python")]
#[path = "../../../../fuzz/src/thread.rs"]
mod thread;

#[test]
fn commands_that_fuzzing_found_are_still_read_or_refused() {
    corpus::replay("commands", |data| drop(commands::hold(data)));
}

#[cfg(feature = "python")]
#[test]
fn commands_that_fuzzing_found_are_still_answered() {
    corpus::replay("session", |data| drop(session::hold(data)));
}
