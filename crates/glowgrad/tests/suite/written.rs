//! Samples as an op's definition writes them, for tests: `glowgrad::samples`, where a text that
//! cannot be read ends the test.

use glowgrad::bind::Callee;
use glowgrad::op::Op;
use glowgrad::{DType, Engine};

use super::samples::{Numbers, Sample};

/// The call of an op that a text stands for, with tensors of a dtype.
pub fn sample(
    engine: &Engine,
    op: &'static Op,
    dtype: DType,
    numbers: &mut Numbers,
    text: &str,
) -> Sample {
    glowgrad::samples::sample(engine, op, dtype, numbers, text).expect("a sample")
}

/// As [`sample`], for anything with a name and parameters.
pub fn sample_of(
    engine: &Engine,
    callee: Callee,
    domain: (f64, f64),
    dtype: DType,
    numbers: &mut Numbers,
    text: &str,
) -> Sample {
    glowgrad::samples::sample_of(engine, callee, domain, dtype, numbers, text).expect("a sample")
}
