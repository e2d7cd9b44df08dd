//! Tests of networks as data.

mod describe;
mod mending;
mod nested;
mod python;
mod rust;
mod training;
