//! Tests of networks as data.

mod python;
