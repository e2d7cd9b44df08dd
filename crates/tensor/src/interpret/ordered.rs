//! The interpreter's scans, sort and search: elements that are met in an order.

use std::cmp::Ordering;

use super::Values;
use crate::alu::{Alu, AluOp, Value};
use crate::dtype::DType;
use crate::kernel::ScanOp;
use crate::node::NodeRef;
use crate::shape;

fn is_nan(x: Value) -> bool {
    !Value::apply(AluOp::Eq, &[&x, &x]).truth()
}

fn holds(op: AluOp, a: Value, b: Value) -> bool {
    Value::apply(op, &[&a, &b]).truth()
}

/// Sums, products and the like of float32 are carried in float64.
fn carried(x: Value) -> Value {
    match x {
        Value::F32(x) => Value::F64(f64::from(x)),
        other => other,
    }
}

/// ln(eˣ + eʸ)
fn log_add_exp(x: Value, y: Value) -> Value {
    let (Value::F64(x), Value::F64(y)) = (x, y) else {
        return y;
    };
    if x == y && x.is_infinite() {
        return Value::F64(x);
    }
    let (low, high) = if x > y { (y, x) } else { (x, y) };
    Value::F64((low - high).exp().ln_1p() + high)
}

/// The positions of each line along the dimension in attribute 0.
fn lines(node: &NodeRef) -> Vec<Vec<usize>> {
    let dim = node.attrs[0].as_int() as usize;
    let (n, inner) = (node.shape[dim], shape::numel(&node.shape[dim + 1..]));
    let outer = shape::numel(&node.shape[..dim]);
    let line = |first: usize| (0..n).map(|i| first + i * inner).collect();
    (0..outer * inner)
        .map(|at| line(at / inner * n * inner + at % inner))
        .collect()
}

pub(super) fn scan(op: ScanOp, node: &NodeRef, operands: &[Values], out: &mut [Value]) {
    let apply = |op, a: Value, b: Value| Value::apply(op, &[&a, &b]);
    for line in lines(node) {
        let mut last: Option<Value> = None;
        let mut best = 0;
        for (i, &at) in line.iter().enumerate() {
            let x = operands[0][at];
            if matches!(op, ScanOp::ArgMax | ScanOp::ArgMin) {
                let seen = operands[0][line[best]];
                let (low, high) = if op == ScanOp::ArgMax {
                    (seen, x)
                } else {
                    (x, seen)
                };
                if is_nan(x) || holds(AluOp::Le, low, high) {
                    best = i;
                }
                out[at] = Value::I64(best as i64);
                continue;
            }
            let x = carried(x);
            let next = match (op, last) {
                (ScanOp::Recurrence, None) => carried(operands[1][at]),
                (ScanOp::Recurrence, Some(h)) => apply(
                    AluOp::Add,
                    apply(AluOp::Mul, x, h),
                    carried(operands[1][at]),
                ),
                // A sum begins at 0, which a first -0 does not outlive.
                (ScanOp::Sum, last) => {
                    let sum = last.unwrap_or(Value::zero(Alu::dtype(&x)));
                    apply(AluOp::Add, sum, x)
                }
                (_, None) => x,
                (ScanOp::Prod, Some(product)) => apply(AluOp::Mul, product, x),
                (_, Some(sum)) => log_add_exp(sum, x),
            };
            last = Some(next);
            out[at] = next.cast(node.dtype);
        }
    }
}

pub(super) fn argsort(node: &NodeRef, operands: &[Values], out: &mut [Value]) {
    let descending = node.attrs[1].as_bool();
    let x = &operands[0];
    let ascending = |a: Value, b: Value| match (is_nan(a), is_nan(b)) {
        (false, false) if holds(AluOp::Lt, a, b) => Ordering::Less,
        (false, false) if holds(AluOp::Lt, b, a) => Ordering::Greater,
        (a, b) => a.cmp(&b),
    };
    for line in lines(node) {
        let mut order: Vec<usize> = (0..line.len()).collect();
        order.sort_by(|&a, &b| {
            let order = ascending(x[line[a]], x[line[b]]);
            if descending { order.reverse() } else { order }
        });
        for (&at, i) in line.iter().zip(order) {
            out[at] = Value::I64(i as i64);
        }
    }
}

pub(super) fn search(node: &NodeRef, src: &[NodeRef], operands: &[Values], out: &mut [Value]) {
    let right = node.attrs[0].as_bool();
    let (n, m) = (src[0].shape[1], node.shape[1]);
    debug_assert_eq!(node.dtype, DType::I64);
    for (i, out) in out.iter_mut().enumerate() {
        let sequence = &operands[0][i / m * n..(i / m + 1) * n];
        let value = operands[1][i];
        let (mut start, mut end) = (0, n);
        while start < end {
            let middle = start + (end - start) / 2;
            let seen = sequence[middle];
            let stays = if right {
                holds(AluOp::Lt, value, seen)
            } else {
                holds(AluOp::Le, value, seen)
            };
            if stays {
                end = middle;
            } else {
                start = middle + 1;
            }
        }
        *out = Value::I64(start as i64);
    }
}
