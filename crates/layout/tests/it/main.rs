//! The crate's integration tests. They are modules of one program, so that they are linked once.

mod readable;
mod topology;
