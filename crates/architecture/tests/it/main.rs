//! Tests of networks as data.

mod describe;
mod python;
mod rust;
mod training;
