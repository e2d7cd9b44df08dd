//! Calls of every op of the registry, as `glowgrad::samples` reads them: a text that cannot be read
//! ends the test.

use glowgrad::bind::Callee;
use glowgrad::op::{MultiOutputOp, Op};
use glowgrad::samples::{sample, texts};
use glowgrad::{DType, Engine};

pub use glowgrad::samples::{Numbers, Sample};

/// Calls of an op that a test may make: several shapes and options.
pub fn samples(engine: &Engine, op: &'static Op, dtype: DType) -> Vec<Sample> {
    let texts = texts(op).expect("samples");
    read_all(engine, op.into(), op.domain, dtype, texts)
}

/// As [`samples`], of a call that gives several tensors.
pub fn samples_of_multi_output(
    engine: &Engine,
    several: &'static MultiOutputOp,
    dtype: DType,
) -> Vec<Sample> {
    assert!(
        !several.samples.is_empty(),
        "{} gives several tensors: give it samples in its definition",
        several.name
    );
    read_all(
        engine,
        several.into(),
        several.domain,
        dtype,
        several.samples,
    )
}

/// The same numbers for a name in every run.
fn read_all(
    engine: &Engine,
    callee: Callee,
    domain: (f64, f64),
    dtype: DType,
    texts: &[&str],
) -> Vec<Sample> {
    let name = callee.name.bytes();
    let mut numbers = Numbers::new(name.fold(7, |h, b| h * 31 + u64::from(b)));
    let read = |text: &&str| {
        sample(engine, callee, domain, dtype, &mut numbers, text)
            .expect("a sample that can be read")
    };
    texts.iter().map(read).collect()
}
