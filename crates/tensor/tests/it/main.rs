//! The crate's integration tests. They are modules of one program, so that they are linked once.

mod random_draws;
mod random_golden;
mod random_refused;
mod replay;
