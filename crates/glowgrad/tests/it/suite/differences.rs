//! Every differentiable op, and every call of several results, against central differences in
//! float64, and its gradient's gradient the same way where the op is smooth.

use glowgrad::autograd::BackwardOptions;
use glowgrad::op::{Attrs, MultiOutputOp, Op};
use glowgrad::{DType, Engine, Result, Tensor, ops};

use super::samples::{Numbers, Sample, samples, samples_of_multi_output};

/// Half the distance between the two points of a difference: about the cube root of the rounding
/// error, where truncation and rounding balance.
const STEP: f64 = 1e-5;
/// What a difference of that step is good to on our domains.
const TOLERANCE: f64 = 1e-6;
/// A second difference divides the rounding of a first gradient by the step again.
const SECOND_TOLERANCE: f64 = 2e-6;

/// What makes the results of a call.
type Run<'a> = dyn Fn(&[Tensor], &Attrs) -> Result<Vec<Tensor>> + 'a;

/// What is called: its name, and what makes its results.
struct Callee<'a> {
    name: &'a str,
    run: &'a Run<'a>,
    /// As [`Op::constants`].
    constants: u8,
    /// Whether a result without a gradient is held to a gradient of zero. Of several results, some
    /// (indices, counts) have none.
    all_results: bool,
}

/// Checks every op and every call of several results; what differs, in words, and how many operands
/// were checked.
pub fn failures(engine: &Engine) -> (usize, Vec<String>) {
    let mut checked = 0;
    let mut failures = Vec::new();
    let ops = ops::all().filter(|op| op.is_differentiable());
    let several = ops::multi_output().filter(|several| several.is_differentiable);
    let several = several.map(|several| failures_of_multi_output(engine, several));
    for (n, differing) in ops.map(|op| failures_of(engine, op)).chain(several) {
        checked += n;
        failures.extend(differing);
    }
    (checked, failures)
}

/// Checks one op.
pub fn failures_of(engine: &Engine, op: &'static Op) -> (usize, Vec<String>) {
    let callee = Callee {
        name: op.name,
        run: &|operands, attrs| Ok(vec![Tensor::apply(engine, op, operands, attrs.clone())?]),
        constants: op.constants,
        all_results: true,
    };
    check_all(&callee, samples(engine, op, DType::F64))
}

/// Checks one call that gives several tensors.
pub fn failures_of_multi_output(
    engine: &Engine,
    several: &'static MultiOutputOp,
) -> (usize, Vec<String>) {
    let callee = Callee {
        name: several.name,
        run: &|operands, attrs| Tensor::apply_multi(engine, several, operands, attrs),
        constants: 0,
        all_results: false,
    };
    check_all(
        &callee,
        samples_of_multi_output(engine, several, DType::F64),
    )
}

fn check_all(callee: &Callee, samples: Vec<Sample>) -> (usize, Vec<String>) {
    let mut checked = 0;
    let mut failures = Vec::new();
    for (i, sample) in samples.into_iter().enumerate() {
        match check(callee, &sample) {
            Ok(n) => checked += n,
            Err(why) => failures.push(format!("{}, sample {i}: {why}", callee.name)),
        }
    }
    (checked, failures)
}

fn check(callee: &Callee, sample: &Sample) -> Result<usize, String> {
    let words = |error: glowgrad::Error| format!("raised: {error}");
    let fixed = |i: usize| i < 8 && callee.constants & (1 << i) != 0;
    let inputs: Vec<usize> = (0..sample.operands.len())
        .filter(|&i| sample.operands[i].dtype().is_float() && !fixed(i))
        .filter(|&i| !sample.operands[i].node().is_python_number)
        .collect();
    let Some(engine) = sample.operands.first().map(Tensor::engine) else {
        return Ok(0);
    };
    let run = |operands: &[Tensor]| (callee.run)(operands, &sample.attrs);
    let results = leaves(&sample.operands, &inputs)
        .and_then(|leaves| run(&leaves))
        .map_err(words)?;
    let chosen: Vec<usize> = (0..results.len())
        .filter(|&i| results[i].dtype() == DType::F64)
        .filter(|&i| callee.all_results || results[i].requires_grad())
        .collect();
    if chosen.is_empty() {
        return Ok(0);
    }
    // The results as one number, with weights that tell their elements apart.
    let total = |operands: &[Tensor]| -> Result<Tensor> {
        let results = run(operands)?;
        let mut numbers = Numbers::new(3);
        let mut sum: Option<Tensor> = None;
        for y in chosen.iter().filter_map(|&i| results.get(i)) {
            let weights = numbers.tensor(engine, &y.shape(), (0.5, 1.5), y.dtype())?;
            let part = y.mul(&weights)?.sum()?;
            sum = Some(match sum {
                Some(sum) => sum.add(&part)?,
                None => part,
            });
        }
        Ok(sum.expect("a result"))
    };
    compare(sample, &inputs, &total, TOLERANCE).map_err(|why| format!("first order: {why}"))?;
    // The gradients as one number: its gradient is the second derivative.
    let slope = |operands: &[Tensor]| -> Result<Tensor> {
        let leaves = leaves(operands, &inputs)?;
        let chosen: Vec<Tensor> = inputs.iter().map(|&i| leaves[i].clone()).collect();
        let options = BackwardOptions {
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
