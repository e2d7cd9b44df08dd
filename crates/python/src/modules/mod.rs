//! Native modules of ours that lessons import by their usual names, and the lab's own.

pub(crate) mod characters;
pub(crate) mod clock;
pub(crate) mod files;
pub(crate) mod lab;
pub(crate) mod math;
pub(crate) mod packing;
pub(crate) mod random;
