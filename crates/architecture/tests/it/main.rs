//! Tests of networks as data.

mod describe;
mod nested;
mod python;
mod rust;
mod training;
