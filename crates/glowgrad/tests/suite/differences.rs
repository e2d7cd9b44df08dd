//! Every differentiable op against central differences in float64, and its gradient's gradient the
//! same way where the op is smooth.

use glowgrad::autograd::WalkOptions;
use glowgrad::op::Op;
use glowgrad::{DType, Engine, Result, Tensor, ops};

use super::samples::{Numbers, Sample, samples};

/// Half the distance between the two points of a difference: about the cube root of the rounding
/// error, where truncation and rounding balance.
const STEP: f64 = 1e-5;
/// What a difference of that step is good to on our domains.
const TOLERANCE: f64 = 1e-6;
/// A second difference divides the rounding of a first gradient by the step again.
const SECOND_TOLERANCE: f64 = 2e-6;

/// Checks every op; what differs, in words, and how many operands were checked.
pub fn failures(engine: &Engine) -> (usize, Vec<String>) {
    let mut checked = 0;
    let mut failures = Vec::new();
    for op in ops::all().filter(|op| op.is_differentiable()) {
        let (n, differing) = failures_of(engine, op);
        checked += n;
        failures.extend(differing);
    }
    (checked, failures)
}

/// Checks one op.
pub fn failures_of(engine: &Engine, op: &'static Op) -> (usize, Vec<String>) {
    let mut checked = 0;
    let mut failures = Vec::new();
    for (i, sample) in samples(engine, op, DType::F64).into_iter().enumerate() {
        match check(op, &sample) {
            Ok(n) => checked += n,
            Err(why) => failures.push(format!("{}, sample {i}: {why}", op.name)),
        }
    }
    (checked, failures)
}

fn check(op: &'static Op, sample: &Sample) -> Result<usize, String> {
    let words = |error: glowgrad::Error| format!("raised: {error}");
    let fixed = |i: usize| i < 8 && op.constants & (1 << i) != 0;
    let inputs: Vec<usize> = (0..sample.operands.len())
        .filter(|&i| sample.operands[i].dtype().is_float() && !fixed(i))
        .filter(|&i| !sample.operands[i].node().is_python_number)
        .collect();
    let engine = sample.operands[0].engine();
    // The result as one number, with weights that tell its elements apart.
    let total = |operands: &[Tensor]| -> Result<Tensor> {
        let y = Tensor::apply(engine, op, operands, sample.attrs.clone())?;
        let weights = Numbers::new(3).tensor(engine, &y.shape(), (0.5, 1.5), y.dtype())?;
        y.mul(&weights)?.sum()
    };
    if Tensor::apply(engine, op, &sample.operands, sample.attrs.clone())
        .map_err(words)?
        .dtype()
        != DType::F64
    {
        return Ok(0);
    }
    compare(sample, &inputs, &total, TOLERANCE).map_err(|why| format!("first order: {why}"))?;
    // The gradients as one number: its gradient is the second derivative.
    let slope = |operands: &[Tensor]| -> Result<Tensor> {
        let leaves = leaves(operands, &inputs)?;
        let chosen: Vec<Tensor> = inputs.iter().map(|&i| leaves[i].clone()).collect();
        let options = WalkOptions {
            retain_graph: true,
            create_graph: true,
        };
        let grads = Tensor::grad_of(&[total(&leaves)?], &chosen, &[], options)?;
        let mut sum = Tensor::from_f64(engine, &[0.0], &[])?;
        for (k, grad) in grads.into_iter().flatten().enumerate() {
            let weights =
                Numbers::new(5 + k as u64).tensor(engine, &grad.shape(), (0.5, 1.5), DType::F64)?;
            sum = sum.add(&grad.mul(&weights)?.sum()?)?;
        }
        Ok(sum)
    };
    compare(sample, &inputs, &slope, SECOND_TOLERANCE)
        .map_err(|why| format!("second order: {why}"))?;
    Ok(inputs.len())
}

/// The operands, those of the list as leaves that want a gradient (or as they are, if they do).
fn leaves(operands: &[Tensor], inputs: &[usize]) -> Result<Vec<Tensor>> {
    operands
        .iter()
        .enumerate()
        .map(|(i, operand)| {
            if !inputs.contains(&i) || operand.requires_grad() {
                return Ok(operand.clone());
            }
            let leaf = operand.detach();
            leaf.set_requires_grad(true)?;
            Ok(leaf)
        })
        .collect()
}

fn compare(
    sample: &Sample,
    inputs: &[usize],
    f: &dyn Fn(&[Tensor]) -> Result<Tensor>,
    tolerance: f64,
) -> Result<(), String> {
    let words = |error: glowgrad::Error| format!("raised: {error}");
    let engine = sample.operands[0].engine();
    let leaves = leaves(&sample.operands, inputs).map_err(words)?;
    let y = f(&leaves).map_err(words)?;
    if y.requires_grad() {
        y.backward(None, Default::default()).map_err(words)?;
    }
    for &i in inputs {
        let x = &sample.operands[i];
        let values = x.to_f64().map_err(words)?;
        let grad = match leaves[i].grad() {
            Some(grad) => grad.to_f64().map_err(words)?,
            None => vec![0.0; values.len()],
        };
        for at in 0..values.len() {
            let near = |by: f64| -> Result<f64> {
                let mut moved = values.clone();
                moved[at] += by;
                let mut operands = sample.operands.clone();
                operands[i] = Tensor::from_f64(engine, &moved, &x.shape())?;
                Ok(f(&operands)?.item()?.as_f64())
            };
            let difference =
                (near(STEP).map_err(words)? - near(-STEP).map_err(words)?) / (2.0 * STEP);
            // NaN is not close to anything.
            let close = (grad[at] - difference).abs() <= tolerance * (1.0 + difference.abs());
            if !close {
                return Err(format!(
                    "operand {i}, element {at}: gradient {}, difference {difference}",
                    grad[at]
                ));
            }
        }
    }
    Ok(())
}
