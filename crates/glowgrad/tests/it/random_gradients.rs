//! Random programs of smooth ops: the gradient of what they compute is what nudging their leaves
//! does, fused and unfused.
#![cfg(not(target_arch = "wasm32"))]

use glowgrad::op::Attr;
use glowgrad::{Engine, Result, Tensor};
use proptest::prelude::*;

use crate::suite::places::{Choices, apply};
use crate::suite::samples::Numbers;

/// The leaves' shapes: some broadcast with each other, some multiply.
const SHAPES: [&[usize]; 4] = [&[2, 3], &[3, 2], &[3], &[1, 2]];

/// Half the distance between the two points of a difference.
const STEP: f64 = 1e-5;

/// Ops of one tensor whose values stay small for small operands.
const UNARY: [&str; 12] = [
    "tanh", "sigmoid", "sin", "cos", "erf", "silu", "softsign", "atan", "asinh", "neg", "mish",
    "gelu",
];

/// One more value, made of those in the pool.
fn grown(choices: &mut Choices, pool: &[Tensor]) -> Result<Tensor> {
    let a = pool[choices.below(pool.len())].clone();
    let b = pool[choices.below(pool.len())].clone();
    let n_dims = a.shape().len();
    let dim = |choices: &mut Choices| choices.below(n_dims) as i64;
    let meets = glowgrad::shape::broadcast("test", &a.shape(), &b.shape())
        .is_ok_and(|shape| shape.iter().product::<usize>() <= 48);
    // Products and sums are squeezed again, so that chains of any length stay smooth.
    let squeezed = |x: Tensor| apply("tanh", &[x], &[]);
    match choices.below(12) {
        0 if meets => squeezed(a.add(&b)?),
        1 if meets => a.mul(&b),
        2 if meets => squeezed(a.sub(&b)?),
        3 if meets => apply("atan2", &[a, apply("cosh", &[b], &[])?], &[]),
        4 if n_dims == 2 && b.shape().len() == 2 && a.shape()[1] == b.shape()[0] => {
            squeezed(a.matmul(&b)?)
        }
        5 if n_dims > 0 => a.softmax(dim(choices)),
        6 if n_dims > 0 => {
            let dim = dim(choices);
            apply(
                "mean",
                &[a],
                &[Attr::ints(&[dim]), Attr::Bool(choices.below(2) == 0)],
            )
        }
        7 if n_dims > 0 => squeezed(apply(
            "cumsum",
            std::slice::from_ref(&a),
            &[Attr::Int(dim(choices))],
        )?),
        8 if n_dims > 0 => apply(
            "logsumexp",
            std::slice::from_ref(&a),
            &[Attr::ints(&[dim(choices)]), Attr::Bool(true)],
        ),
        9 if n_dims > 1 => a.transpose(0, -1),
        10 if n_dims > 0 && a.shape()[0] > 1 => {
            apply("narrow", &[a], &[Attr::Int(0), Attr::Int(1), Attr::Int(1)])
        }
        choice => {
            let name = UNARY[choice % UNARY.len()];
            let attrs: &[Attr] = if name == "gelu" {
                &[Attr::Str("none")]
            } else {
                &[]
            };
            apply(name, &[a], attrs)
        }
    }
}

/// What the program of these choices makes of its leaves, as one number.
fn total(engine: &Engine, list: &[u16], leaves: &[Tensor]) -> Result<Tensor> {
    let mut choices = Choices(list.to_vec().into());
    let mut pool = leaves.to_vec();
    while !choices.0.is_empty() && pool.len() < 40 {
        let next = grown(&mut choices, &pool)?;
        pool.push(next);
    }
    let mut sum = Tensor::from_f64(engine, &[0.0], &[])?;
    for (i, value) in pool.iter().rev().take(5).enumerate() {
        let weights = Numbers::new(i as u64).tensor(
            engine,
            &value.shape(),
            (0.5, 1.5),
            glowgrad::DType::F64,
        )?;
        sum = sum.add(&value.mul(&weights)?.sum()?)?;
    }
    Ok(sum)
}

fn gradients(list: Vec<u16>) -> Result<(), TestCaseError> {
    let fail = |error: glowgrad::Error| TestCaseError::fail(error.to_string());
    for fused in [true, false] {
        let engine = glowgrad::cpu();
        engine.set_fusion(fused);
        let mut numbers = Numbers::new(11);
        let mut values: Vec<Vec<f64>> = Vec::new();
        for shape in SHAPES {
            let n = shape.iter().product();
            values.push((0..n).map(|_| numbers.unit() * 1.6 - 0.8).collect());
        }
        let leaves = |values: &[Vec<f64>]| -> Result<Vec<Tensor>> {
            let pairs = values.iter().zip(SHAPES);
            pairs
                .map(|(v, shape)| Tensor::from_f64(&engine, v, shape))
                .collect()
        };
        let wanted = leaves(&values).map_err(fail)?;
        for leaf in &wanted {
            leaf.set_requires_grad(true).map_err(fail)?;
        }
        let loss = total(&engine, &list, &wanted).map_err(fail)?;
        if !loss.requires_grad() {
            continue;
        }
        loss.backward(None, Default::default()).map_err(fail)?;
        for (l, leaf) in wanted.iter().enumerate() {
            let n = values[l].len();
            let grad = match leaf.grad() {
                Some(grad) => grad.to_f64().map_err(fail)?,
                None => vec![0.0; n],
            };
            for at in 0..n {
                let near = |by: f64| -> Result<f64> {
                    let mut moved = values.clone();
                    moved[l][at] += by;
                    Ok(total(&engine, &list, &leaves(&moved)?)?.item()?.as_f64())
                };
                let difference =
                    (near(STEP).map_err(fail)? - near(-STEP).map_err(fail)?) / (2.0 * STEP);
                prop_assert!(
                    (grad[at] - difference).abs() <= 2e-6 * (1.0 + difference.abs()),
                    "leaf {l}, element {at}, fused {fused}: gradient {}, difference {difference}",
                    grad[at]
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_programs_have_the_gradient_that_nudging_shows(
        list in proptest::collection::vec(any::<u16>(), 4..90)
    ) {
        gradients(list)?;
    }
}
