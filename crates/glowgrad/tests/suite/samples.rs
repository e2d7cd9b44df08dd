//! Calls of every op of the registry: those its definition writes, or, for an op of one or two
//! tensors without options, a few shapes that broadcast.

use glowgrad::op::{Attrs, Op, ParamKind, Several};
use glowgrad::{DType, Engine, Scalar, Tensor};

use super::written::sample;

/// A call of an op: operands (those with a flag are differentiated) and attributes.
pub struct Sample {
    pub operands: Vec<Tensor>,
    pub attrs: Attrs,
}

/// Numbers in an interval, well mixed and never twice the same, without a generator to seed.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Numbers {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn unit(&mut self) -> f64 {
        // SplitMix64 (Steele, Lea & Flood 2014).
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    pub fn tensor(
        &mut self,
        engine: &Engine,
        shape: &[usize],
        domain: (f64, f64),
        dtype: DType,
    ) -> Tensor {
        let n = shape.iter().product();
        let values: Vec<Scalar> = (0..n)
            .map(|_| Scalar::Float(domain.0 + self.unit() * (domain.1 - domain.0)))
            .collect();
        Tensor::from_scalars(engine, &values, shape, dtype).expect("a small shape")
    }

    pub fn indices(&mut self, engine: &Engine, shape: &[usize], n: usize) -> Tensor {
        let values: Vec<i64> = (0..shape.iter().product())
            .map(|_| self.below(n) as i64)
            .collect();
        Tensor::from_i64(engine, &values, shape).expect("a small shape")
    }

    pub fn mask(&mut self, engine: &Engine, shape: &[usize]) -> Tensor {
        let values: Vec<Scalar> = (0..shape.iter().product())
            .map(|_| Scalar::Bool(self.unit() < 0.5))
            .collect();
        Tensor::from_scalars(engine, &values, shape, DType::Bool).expect("a small shape")
    }
}

/// Calls of an op that a test may make: several shapes and options.
pub fn samples(engine: &Engine, op: &'static Op, dtype: DType) -> Vec<Sample> {
    let written = if op.samples.is_empty() {
        generic(op)
    } else {
        op.samples
    };
    let callee = (op.name, op.params);
    let mut numbers = numbers_for(op.name);
    let read = |text| sample(engine, callee, op.domain, dtype, &mut numbers, text);
    written.iter().copied().map(read).collect()
}

/// As [`samples`], of a call that gives several tensors.
pub fn samples_of_several(engine: &Engine, several: &Several, dtype: DType) -> Vec<Sample> {
    assert!(
        !several.samples.is_empty(),
        "{} gives several tensors: give it samples in its definition",
        several.name
    );
    let callee = (several.name, several.params);
    let mut numbers = numbers_for(several.name);
    let read = |text| sample(engine, callee, several.domain, dtype, &mut numbers, text);
    several.samples.iter().copied().map(read).collect()
}

/// The same numbers for a name in every run.
fn numbers_for(name: &str) -> Numbers {
    Numbers::new(name.bytes().fold(7, |h, b| h * 31 + u64::from(b)))
}

/// Ops of tensors that broadcast, without attributes.
fn generic(op: &'static Op) -> &'static [&'static str] {
    assert!(
        op.params.len() <= 2 && op.params.iter().all(|p| p.kind == ParamKind::Tensor),
        "{} has options or more than two operands: give it samples in its definition",
        op.name
    );
    match op.params.len() {
        1 => &["[3,4]", "[]", "[19]"],
        _ => &["[2,3] [2,3]", "[3,1] [2,1,4]", "[] [2]"],
    }
}
