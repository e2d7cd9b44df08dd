//! The crate's integration tests. They are modules of one program, so that they are linked once.

mod bounded;
mod codec;
mod data_sets;
mod fixtures;
mod memory;
mod never_panics;
mod real_tools;
mod refusals;
mod refusals_of_archives;
mod round_trips;
mod written;
