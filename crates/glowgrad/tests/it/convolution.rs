//! A convolution as one kernel: its loops, which a device is held to, give what its formula gives.
#![cfg(not(target_arch = "wasm32"))]

use glowgrad::codegen;
use glowgrad::kernel::{Routine, Work};
use glowgrad::{DType, Engine, Result, Tensor};
use proptest::prelude::*;
use serde_json::json;

use crate::suite::call::call;
use crate::suite::layered::{formulas, layered};
use crate::suite::samples::Numbers;

/// A call with the shapes of its input and its weight.
#[derive(Debug)]
struct Case {
    op: &'static str,
    x: Vec<usize>,
    w: Vec<usize>,
    attrs: serde_json::Value,
}

/// One to three dimensions of small sizes, such that the kernel fits.
fn cases() -> impl Strategy<Value = Case> {
    let space = (1..7_usize, 1..4_usize, 1..4_usize, 0..3_usize, 1..3_usize);
    let spaces = proptest::collection::vec(space, 1..4);
    let channels = (1..3_usize, 1..4_usize, 1..4_usize, 1..4_usize);
    (spaces, channels, any::<bool>()).prop_map(|(spaces, (groups, c, o, n), transposed)| {
        let transposed = transposed && spaces.len() < 3;
        let (mut x, mut w) = match transposed {
            true => (vec![n, groups * o], vec![groups * o, c]),
            false => (vec![n, groups * c], vec![groups * o, c]),
        };
        let [mut stride, mut padding, mut dilation] = [const { Vec::new() }; 3];
        for (size, kernel, step, zeros, apart) in spaces {
            let reach = apart * (kernel - 1) + 1;
            // A transposed result has at least an element.
            let least = match transposed {
                true => (2 * zeros).div_ceil(step) + 1,
                false => reach.saturating_sub(2 * zeros).max(1),
            };
            x.push(size.max(least));
            w.push(kernel);
            stride.push(step);
            padding.push(zeros);
            dilation.push(apart);
        }
        let op = match (transposed, stride.len()) {
            (false, 1) => "conv1d",
            (false, 2) => "conv2d",
            (false, _) => "conv3d",
            (true, 1) => "conv_transpose1d",
            (true, _) => "conv_transpose2d",
        };
        let attrs = json!({
            "stride": stride, "padding": padding, "dilation": dilation, "groups": groups
        });
        Case { op, x, w, attrs }
    })
}

/// Result and both gradients, computed in one step.
fn values(engine: &Engine, case: &Case) -> Result<Vec<f64>> {
    engine.begin_step();
    let mut numbers = Numbers::new(7);
    let mut random = |shape: &[usize]| numbers.tensor(engine, shape, (-1.0, 1.0), DType::F32);
    let operands: Vec<Tensor> = vec![random(&case.x)?, random(&case.w)?];
    for operand in &operands {
        operand.set_requires_grad(true)?;
    }
    let y = call(engine, case.op, &operands, &case.attrs)?.remove(0);
    let weights = random(&y.shape())?;
    y.mul(&weights)?.sum()?.backward(None, Default::default())?;
    let mut all = y.to_f64()?;
    for operand in &operands {
        all.extend(operand.grad().expect("of a leaf").to_f64()?);
    }
    Ok(all)
}

/// Compares both ways; gives the kernels in words.
fn agree(case: &Case) -> Result<String> {
    let (loops, n) = layered();
    let (expected, got) = (values(&formulas(), case)?, values(&loops, case)?);
    assert_eq!(n.get(), 3, "a kernel for the result and for each gradient");
    assert_eq!(got.len(), expected.len());
    for (at, (got, expected)) in got.iter().zip(&expected).enumerate() {
        let differs = (got - expected).abs() > 1e-5 * (1.0 + expected.abs());
        assert!(!differs, "{case:?}: element {at}: {got}, not {expected}");
    }
    let mut text = String::new();
    for item in loops.scheduled() {
        if matches!(&item.work, Work::Routine(routine) if matches!(routine, Routine::FusedOp(_))) {
            for line in codegen::pseudo_code(&item, &()) {
                text = text + &line.text + "\n";
            }
        }
    }
    Ok(text)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn loops_give_what_windows_and_products_give(case in cases()) {
        agree(&case).expect("sizes that fit");
    }
}

#[test]
fn long_sums_are_taken_in_parts() -> Result<()> {
    let text = agree(&Case {
        op: "conv2d",
        x: vec![3, 2, 30, 21],
        w: vec![4, 1, 3, 3],
        attrs: json!({ "padding": 1, "groups": 2 }),
    })?;
    assert_snapshot!("long_sums_are_taken_in_parts", text);
    Ok(())
}
