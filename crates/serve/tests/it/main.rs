//! The crate's integration tests: a server in this process, and clients that talk to it over sockets. They are modules of
//! one program, so that they are linked once.

mod batching;
mod bodies;
mod broken;
mod described;
mod observed;
mod refusals;
mod slow;
mod stopping;
mod support;
