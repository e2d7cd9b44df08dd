//! The routines by definition: loops over elements, in order.

use super::{Values, broken, factor, ordered};
use crate::alu::{Alu, AluOp, Value};
use crate::kernel::{Routine, ScatterReduce};
use crate::node::NodeRef;
use crate::op::RoutineKind;
use crate::ops;
use crate::{Error, Result};

fn index(value: Value) -> i64 {
    value.scalar().as_i64()
}

fn add(a: &Value, b: &Value) -> Value {
    Value::apply(AluOp::Add, &[a, b])
}

fn row(value: Value, rows: usize) -> Result<usize> {
    let i = index(value);
    usize::try_from(i)
        .ok()
        .filter(|&i| i < rows)
        .ok_or_else(|| Error::index(format!("index {i} is out of range for {rows} rows")))
}

/// The elements of a routine node.
pub(super) fn evaluate(
    kind: RoutineKind,
    node: &NodeRef,
    src: &[NodeRef],
    operands: &[Values],
) -> Result<Vec<Value>> {
    let mut out = vec![Value::zero(node.dtype); node.numel()];
    match kind {
        RoutineKind::MatMul => {
            let (a, b) = (&operands[0], &operands[1]);
            let (batch, m, k) = match src[0].shape[..] {
                [m, k] => (1, m, k),
                [batch, m, k] => (batch, m, k),
                _ => return Err(broken(node)),
            };
            let n = *src[1].shape.last().ok_or_else(|| broken(node))?;
            debug_assert_eq!(out.len(), batch * m * n);
            for (i, out) in out.iter_mut().enumerate() {
                let (g, r, c) = (i / (m * n), i / n % m, i % n);
                for p in 0..k {
                    let term = Value::apply(
                        AluOp::Mul,
                        &[&a[(g * m + r) * k + p], &b[(g * k + p) * n + c]],
                    );
                    *out = add(out, &term);
                }
            }
        }
        RoutineKind::CopyInto => {
            let mut values = operands.iter();
            if node.attrs[0].as_bool() {
                out = values.next().ok_or_else(|| broken(node))?.to_vec();
            }
            for (view, part) in ops::primitives::write_views(&node.attrs).iter().zip(values) {
                for (at, value) in view.positions().zip(part.iter()) {
                    out[at] = *value;
                }
            }
        }
        RoutineKind::FusedOp(of) => {
            let float = |value: &Value| match *value {
                Value::F32(x) => x,
                _ => f32::NAN,
            };
            let floats = |values: &Values| values.iter().map(float).collect();
            let inputs: Vec<Vec<f32>> = operands.iter().map(floats).collect();
            let inputs: Vec<&[f32]> = inputs.iter().map(Vec::as_slice).collect();
            let mut result = vec![0.0; out.len()];
            of(node).compute(&inputs, &mut result);
            out = result.into_iter().map(Value::F32).collect();
        }
        RoutineKind::Of(of) => {
            let routine = of(node, src).ok_or_else(|| broken(node))?;
            return row_major(&routine, node, src, operands);
        }
    }
    Ok(out)
}

/// The elements of a routine whose operands are row-major.
fn row_major(
    routine: &Routine,
    node: &NodeRef,
    src: &[NodeRef],
    operands: &[Values],
) -> Result<Vec<Value>> {
    let mut out = vec![Value::zero(node.dtype); node.numel()];
    match routine {
        Routine::Gather { .. } => {
            let inner = src[0].shape[1];
            for (i, at) in operands[1].iter().enumerate() {
                let from = row(*at, src[0].shape[0])? * inner;
                out[i * inner..(i + 1) * inner].copy_from_slice(&operands[0][from..from + inner]);
            }
        }
        Routine::ScatterAdd { .. } => {
            let inner = src[1].shape[1];
            for (i, at) in operands[0].iter().enumerate() {
                let to = row(*at, node.shape[0])? * inner;
                for j in 0..inner {
                    out[to + j] = add(&out[to + j], &operands[1][i * inner + j]);
                }
            }
        }
        Routine::Scatter { how, .. } => {
            let inner = node.shape[1];
            out = operands[0].to_vec();
            for (i, at) in operands[1].iter().enumerate() {
                let to = row(*at, node.shape[0])? * inner;
                for j in 0..inner {
                    let (old, new) = (out[to + j], operands[2][i * inner + j]);
                    out[to + j] = match how {
                        ScatterReduce::Set => new,
                        ScatterReduce::Prod => Value::apply(AluOp::Mul, &[&old, &new]),
                        ScatterReduce::Max => Value::apply(AluOp::Max, &[&old, &new]),
                        ScatterReduce::Min => Value::apply(AluOp::Min, &[&old, &new]),
                    };
                }
            }
        }
        Routine::Scan { op, .. } => ordered::scan(*op, node, operands, &mut out),
        Routine::ArgSort { .. } => ordered::argsort(node, operands, &mut out),
        Routine::SearchSorted { .. } => ordered::search(node, src, operands, &mut out),
        Routine::Bits { .. } => {
            let mut bytes = Vec::new();
            for value in operands[0].iter() {
                value.write(src[0].dtype, &mut bytes);
            }
            bytes.truncate(node.numel() * node.dtype.size());
            let scalars = crate::Scalar::of_bytes(&bytes, node.dtype);
            out = scalars
                .into_iter()
                .map(|s| Value::from_scalar(s, node.dtype))
                .collect();
        }
        Routine::Special { function, .. } => {
            let of = |x: &Value| x.scalar().as_f64();
            for (at, out) in out.iter_mut().enumerate() {
                let second = operands.get(1).map_or(0.0, |second| of(&second[at]));
                let y = function.of(of(&operands[0][at]), second);
                *out = Value::from_scalar(crate::Scalar::Float(y), node.dtype);
            }
        }
        Routine::Factor { kind, .. } => return factor::evaluate(*kind, node, src, operands),
        Routine::MatMul { .. }
        | Routine::CopyInto { .. }
        | Routine::FusedOp(_)
        | Routine::WithEpilogue { .. } => return Err(broken(node)),
    }
    Ok(out)
}
