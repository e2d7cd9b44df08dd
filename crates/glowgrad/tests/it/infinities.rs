//! What ops say of infinities is what they compute: [`Op::infinities`] and [`Op::poles`], over the whole registry.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::HashSet;

use glowgrad::op::{Infinities, Kind, Op, Poles};
use glowgrad::{DType, Engine, Scalar, Tensor, ops};

use crate::suite::samples::{Sample, samples};

/// A call of which one operand begins with a chosen number.
struct Made {
    /// The op of the result, which may be a variant of the one that was called.
    op: &'static Op,
    operand: usize,
    dtype: DType,
    shape: Vec<usize>,
    values: Vec<f64>,
}

/// The sample calls of every op, each float operand in turn with `number` as its first element, and the others with
/// `rest` as theirs where there is one; without those that are refused.
fn calls_with(engine: &Engine, number: f64, rest: Option<f64>) -> Vec<Made> {
    let mut made = Vec::new();
    for op in ops::all() {
        for sample in samples(engine, op, DType::F32) {
            for (operand, x) in sample.operands.iter().enumerate() {
                if x.dtype().is_float() && x.numel() > 0 {
                    let first = |at| if at == operand { Some(number) } else { rest };
                    made.extend(call_with(engine, op, &sample, operand, first));
                }
            }
        }
    }
    made
}

fn call_with(
    engine: &Engine,
    op: &'static Op,
    sample: &Sample,
    operand: usize,
    first: impl Fn(usize) -> Option<f64>,
) -> Option<Made> {
    let mut operands = sample.operands.clone();
    for (at, x) in operands.iter_mut().enumerate() {
        let Some(first) = first(at).filter(|_| x.dtype().is_float() && x.numel() > 0) else {
            continue;
        };
        let mut values: Vec<Scalar> = x.to_f64().ok()?.into_iter().map(Scalar::Float).collect();
        values[0] = Scalar::Float(first);
        *x = Tensor::from_scalars(engine, &values, &x.shape(), x.dtype()).ok()?;
    }
    let result = Tensor::apply(engine, op, &operands, sample.attrs.clone()).ok()?;
    Some(Made {
        op: result.node().op,
        operand,
        dtype: result.dtype(),
        shape: result.shape().to_vec(),
        values: result.to_f64().ok()?,
    })
}

fn none(mut failures: Vec<String>) {
    failures.sort();
    failures.dedup();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn is_elementwise(op: &Op) -> bool {
    matches!(op.kind, Kind::Elementwise(_)) || op.element_by_element
}

/// Only of these a finding says that the result is beyond its dtype.
fn is_told(op: &Op) -> bool {
    is_elementwise(op) || op.attr_place("keepdim").is_some()
}

#[test]
fn finite_numbers_give_an_infinity_at_a_pole_alone() {
    let engine = glowgrad::cpu();
    let mut failures = Vec::new();
    let (mut tried, mut reached) = (HashSet::new(), HashSet::new());
    for (number, rest) in [(0.0, None), (0.0, Some(-1.0)), (1.0, None), (-1.0, None)] {
        for made in calls_with(&engine, number, rest) {
            tried.insert(made.op.name);
            if !is_told(made.op) || !made.values.iter().any(|x| x.is_infinite()) {
                continue;
            }
            reached.insert(made.op.name);
            let is_pole = match made.op.poles {
                Poles::None => false,
                Poles::Zero(operand) => number == 0.0 && usize::from(operand) == made.operand,
                Poles::Elsewhere => true,
            };
            if !is_pole {
                failures.push(format!(
                    "{} is infinite where operand {} is {number}: say so in its field `poles`",
                    made.op.name, made.operand
                ));
            }
        }
    }
    let named = ops::all().filter(|op| op.poles != Poles::None);
    let unreached = named.filter(|op| tried.contains(op.name) && !reached.contains(op.name));
    failures.extend(unreached.map(|op| format!("{} has no pole where it names one", op.name)));
    none(failures);
}

#[test]
fn an_infinity_becomes_what_the_op_says() {
    let engine = glowgrad::cpu();
    let mut failures = Vec::new();
    for infinity in [f64::NEG_INFINITY, f64::INFINITY] {
        for made in calls_with(&engine, infinity, None) {
            let is_along = made.op.attr_place("dim").is_some() && made.values.len() > 1;
            let all_finite = made.values.iter().all(|x| x.is_finite());
            let some_nan = made.values.iter().any(|x| x.is_nan());
            let infinities = made.op.infinities_of(made.dtype);
            let holds = match infinities {
                Infinities::Carries => true,
                Infinities::Chooses => !some_nan,
                Infinities::Asks => all_finite,
                Infinities::MasksMinus if infinity > 0.0 => true,
                Infinities::MasksPlus if infinity < 0.0 => true,
                Infinities::MasksMinus | Infinities::MasksPlus if is_elementwise(made.op) => {
                    all_finite
                }
                // In a row of several elements the others keep their shares.
                Infinities::MasksMinus | Infinities::MasksPlus => !is_along || !some_nan,
            };
            if !holds {
                failures.push(format!(
                    "{} of {infinity} in operand {} is no {infinities:?}: {:?} of shape {:?}",
                    made.op.name, made.operand, made.values, made.shape
                ));
            }
        }
    }
    none(failures);
}
