//! Distinct elements: `unique`.
//!
//! How many there are depends on the data: the call computes its operand first and sorts it here, so
//! that the values are the operand's rows at places that are known.

use smallvec::smallvec;

use crate::alu::{AluOps, Value};
use crate::graph::{Engine, Operand};
use crate::op::ParamKind::{Bool, Int, Tensor};
use crate::op::{Attr, Attrs, MultiOutputOp, Op, Vjp, example, optional, param, samples};
use crate::ops::convert::DETACH;
use crate::ops::reshape::RESHAPE;
use crate::ops::sort::sortable;
use crate::{Error, Result, shape};

/// The calls of this family that give several tensors.
pub static CALLS: &[&MultiOutputOp] = &[&UNIQUE];

/// Rows of a source in the order of their first occurrence in the sorted rows.
static UNIQUE_VALUES: Op = Op {
    name: "unique",
    symbol: "unique",
    formula: "y = every a once, in order",
    rules: &[],
    grad_fn: "Unique2Backward0",
    vjp: Vjp::Rule(|_| {
        Err(Error::not_implemented(
            "the derivative for 'unique' is not implemented: how many results it has depends on the data; call it on x.detach()",
        ))
    }),
    saves: [0; 3],
    ..crate::ops::index_select::INDEX_SELECT
};

/// Every element, or every slice along a dimension, once.
pub static UNIQUE: MultiOutputOp = MultiOutputOp {
    name: "unique",
    doc: "The distinct elements in ascending order; on request where each element went and how often each occurs.",
    params: &[
        param("input", Tensor),
        optional("sorted", Bool, Attr::Bool(true)),
        optional("return_inverse", Bool, Attr::Bool(false)),
        optional("return_counts", Bool, Attr::Bool(false)),
        optional("dim", Int, Attr::None),
    ],
    parts: &[&UNIQUE_VALUES],
    call: |engine, src, attrs| unique(engine, &src[0], attrs),
    samples: samples(&[
        "[5]<3",
        "[2,4]<3 return_inverse=true return_counts=true",
        "[4,2]<2 dim=0",
    ]),
    example: example("torch.unique(torch.tensor([3, 1, 3, 2]), return_counts=True)"),
    ..crate::ops::multi_output::MULTI_OUTPUT
};

fn unique(engine: &Engine, x: &Operand, attrs: &Attrs) -> Result<Vec<Operand>> {
    let shape = x.shape();
    let flat = attrs[3] == Attr::None;
    let reshaped = |n: usize| {
        let shape = smallvec![Attr::ints(&[n as i64])];
        Operand::apply(engine, &RESHAPE, std::slice::from_ref(x), shape)
    };
    let (source, dim) = if flat {
        (reshaped(x.numel())?, 0)
    } else {
        let dim = shape::dim("unique", attrs[3].as_int(), shape.len())?;
        let source = if shape.is_empty() {
            reshaped(1)?
        } else {
            x.clone()
        };
        (source, dim)
    };
    let n = source.shape()[dim];
    if !flat && n > 0 && source.numel() == 0 {
        return Err(Error::runtime(format!(
            "unique: there are 0 sized dimensions in shape {}, and they aren't selected, so unique cannot be applied",
            shape::show(&shape)
        )));
    }
    // Slices as rows of comparable values.
    let front: Vec<usize> = std::iter::once(dim)
        .chain((0..source.shape().len()).filter(|&d| d != dim))
        .collect();
    let rows = engine.internal_scope(|| {
        source
            .var()
            .call(&DETACH, &[], Attrs::new())
            .permute(&front)
            .into_node()
    });
    let rows = Operand::from_node(engine, rows).to_scalars()?;
    let dtype = sortable(x.dtype());
    let rows: Vec<Value> = rows
        .into_iter()
        .map(|v| Value::from_scalar(v, dtype))
        .collect();
    let width = rows.len().checked_div(n).unwrap_or(0);
    let row = |i: usize| &rows[i * width..(i + 1) * width];
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| compare(row(a), row(b)));
    let (mut first, mut inverse, mut counts) = (Vec::new(), vec![0; n], Vec::<i64>::new());
    for (k, &i) in order.iter().enumerate() {
        // NaN differs from itself: each is an element of its own.
        let same =
            |a: &[Value], b: &[Value]| a.iter().zip(b).all(|(a, b)| AluOps::eq(a, b).truth());
        match counts.last_mut() {
            Some(count) if same(row(order[k - 1]), row(i)) => *count += 1,
            _ => {
                first.push(i as i64);
                counts.push(1);
            }
        }
        inverse[i] = counts.len() as i64 - 1;
    }
    let list = |values: &[i64], shape: &[usize]| {
        let leaf = engine.leaf_i64(values, shape)?;
        Ok::<_, Error>(Operand::from_node(engine, leaf))
    };
    let at = list(&first, &[first.len()])?;
    let along = smallvec![Attr::Int(dim as i64)];
    let values = Operand::apply(engine, &UNIQUE_VALUES, &[source, at], along)?;
    let mut results = vec![values];
    if attrs[1].as_bool() {
        results.push(match flat {
            true => list(&inverse, &shape)?,
            false => list(&inverse, &[n])?,
        });
    }
    if attrs[2].as_bool() {
        results.push(list(&counts, &[counts.len()])?);
    }
    Ok(results)
}

/// Element by element, NaN last.
fn compare(a: &[Value], b: &[Value]) -> std::cmp::Ordering {
    let nan = |v: &Value| !AluOps::eq(v, v).truth();
    let one = |(a, b): (&Value, &Value)| match (nan(a), nan(b)) {
        (false, false) if a.lt(b).truth() => std::cmp::Ordering::Less,
        (false, false) if b.lt(a).truth() => std::cmp::Ordering::Greater,
        (a, b) => a.cmp(&b),
    };
    let mut orders = a.iter().zip(b).map(one);
    orders
        .find(|o| o.is_ne())
        .unwrap_or(std::cmp::Ordering::Equal)
}
