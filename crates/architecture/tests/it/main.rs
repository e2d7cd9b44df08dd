//! Tests of networks as data.

mod python;
mod rust;
mod training;
