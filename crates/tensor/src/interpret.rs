//! The slow scalar interpreter: what a node's value is, by definition.
//!
//! It evaluates the graph one node at a time with [`Value`], one element at a time, without fusion,
//! kernels or a backend. Only leaves are read from the device. Backends and the scheduler are held
//! to it; it is never on a learner's path. Sums are taken in order, so that floats agree with a
//! backend within the rounding of a reordered sum.

mod factor;
mod ordered;
mod routines;

use std::collections::HashMap;
use std::rc::Rc;

use smallvec::SmallVec;

use crate::alu::{Alu, AluOp, Value};
use crate::dtype::Scalar;
use crate::engine::Engine;
use crate::kernel::ReduceOp;
use crate::node::NodeRef;
use crate::op::{Kind, attr_scalar};
use crate::shape;
use crate::trace::NodeId;
use crate::view::View;
use crate::{Error, Result};

type Values = Rc<Vec<Value>>;

/// The elements of a node, row-major. What was computed already is computed again wherever the
/// sources are still there ([`Engine::set_retain_sources`]).
///
/// # Errors
/// When sources were let go, or an index is out of range.
pub fn interpret(engine: &Engine, node: &NodeRef) -> Result<Vec<Value>> {
    let mut known: HashMap<NodeId, Values> = HashMap::new();
    let mut stack = vec![(node.clone(), None)];
    while let Some((node, found)) = stack.pop() {
        if known.contains_key(&node.id) {
            continue;
        }
        // Looked for once: reading a leaf may run pending writes and let lowerings go.
        let Some(sources) = found else {
            let sources = sources(engine, &node)?;
            let first = sources
                .iter()
                .map(|s| (s.clone(), None))
                .collect::<Vec<_>>();
            stack.push((node, Some(sources)));
            stack.extend(first);
            continue;
        };
        let operands: SmallVec<[Values; 3]> =
            sources.iter().map(|s| known[&s.id].clone()).collect();
        let values = evaluate(engine, &node, &sources, &operands)?;
        known.insert(node.id, values);
    }
    Ok(known[&node.id].to_vec())
}

/// What a node's value is computed from: a composite's is what it is written in.
fn sources(engine: &Engine, node: &NodeRef) -> Result<SmallVec<[NodeRef; 3]>> {
    let src = node.src();
    let mut sources = SmallVec::new();
    match node.op.kind {
        _ if src.is_empty() => {}
        Kind::Composite(_) => sources.push(engine.lower(node)?),
        Kind::Leaf => sources.extend(src.last().cloned()),
        _ => sources.extend(src),
    }
    Ok(sources)
}

fn evaluate(
    engine: &Engine,
    node: &NodeRef,
    src: &[NodeRef],
    operands: &[Values],
) -> Result<Values> {
    if let Some(number) = node.number {
        return Ok(Rc::new(vec![Value::from_scalar(number, node.dtype)]));
    }
    if src.is_empty() {
        let bytes = engine.read(node)?;
        let scalars = crate::Scalar::of_bytes(&bytes, node.dtype);
        return Ok(Rc::new(
            scalars
                .into_iter()
                .map(|s| Value::from_scalar(s, node.dtype))
                .collect(),
        ));
    }
    let values = match node.op.kind {
        Kind::Leaf | Kind::Composite(_) => return Ok(operands[0].clone()),
        Kind::Movement(movement) => {
            let view =
                movement(&View::contiguous(&src[0].shape), node).ok_or_else(|| broken(node))?;
            view.positions().map(|at| operands[0][at]).collect()
        }
        Kind::Elementwise(body) => {
            let attrs: SmallVec<[Scalar; 3]> = node.attrs.iter().filter_map(attr_scalar).collect();
            let operands: SmallVec<[Values; 3]> = src
                .iter()
                .zip(operands)
                .map(|(s, values)| match s.number {
                    Some(number) if node.op.wide_numbers && s.dtype.is_float() => {
                        Rc::new(vec![Value::from_scalar(number, s.dtype.compute())])
                    }
                    _ => values.clone(),
                })
                .collect();
            let views: SmallVec<[View; 3]> = src
                .iter()
                .map(|s| View::contiguous(&s.shape).expand(&node.shape))
                .collect();
            let mut at: SmallVec<[_; 3]> = views.iter().map(View::positions).collect();
            let mut element = || -> Option<Value> {
                let mut lane: SmallVec<[Value; 5]> = SmallVec::new();
                for (positions, values) in at.iter_mut().zip(&operands) {
                    lane.push(values[positions.next()?]);
                }
                let dtype = lane[0].dtype();
                lane.extend(attrs.iter().map(|a| Value::from_scalar(*a, dtype)));
                Some((body.scalar)(&lane).cast(node.dtype))
            };
            let mut values = Vec::with_capacity(node.numel());
            while let Some(value) = element() {
                values.push(value);
            }
            values
        }
        Kind::Reduce(op) => reduce(op, node, &src[0], &operands[0])?,
        Kind::Routine(kind) => routines::evaluate(kind, node, src, operands)?,
    };
    if values.len() != node.numel() {
        return Err(broken(node));
    }
    Ok(Rc::new(values))
}

fn reduce(op: ReduceOp, node: &NodeRef, src: &NodeRef, x: &[Value]) -> Result<Vec<Value>> {
    let axes = shape::dims("reduce", node.attrs[0].as_ints(), src.shape.len())?;
    let inside: SmallVec<[usize; 6]> = axes.iter().map(|&d| src.shape[d]).collect();
    let view = View::contiguous(&src.shape);
    // Reduced axes last: each result is made of neighbouring positions.
    let order: SmallVec<[usize; 6]> = (0..src.shape.len())
        .filter(|d| !axes.contains(d))
        .chain(axes.iter().copied())
        .collect();
    let positions: Vec<usize> = view.permute(&order).positions().collect();
    let n = shape::numel(&inside);
    let one = |i: usize| {
        let mut elements = positions[i * n..(i + 1) * n].iter().map(|&at| x[at]);
        let better = |op: AluOp, a: &Value, b: &Value| Value::apply(op, &[b, a]).truth();
        match op {
            ReduceOp::Sum => elements.fold(Value::zero(src.dtype), |sum, v| {
                Value::apply(AluOp::Add, &[&sum, &v])
            }),
            ReduceOp::Prod => elements
                .fold(Value::from_scalar(Scalar::Int(1), src.dtype), |p, v| {
                    Value::apply(AluOp::Mul, &[&p, &v])
                }),
            ReduceOp::Max | ReduceOp::Min => {
                let op = if op == ReduceOp::Max {
                    AluOp::Max
                } else {
                    AluOp::Min
                };
                let first = elements.next().unwrap_or(Value::zero(src.dtype));
                elements.fold(first, |m, v| Value::apply(op, &[&m, &v]))
            }
            ReduceOp::ArgMax | ReduceOp::ArgMin => {
                let mut best: Option<(usize, Value)> = None;
                for (at, v) in elements.enumerate() {
                    let is_nan = |v: &Value| !Value::apply(AluOp::Eq, &[v, v]).truth();
                    let wins = best.as_ref().is_none_or(|(_, b)| match op {
                        _ if is_nan(b) => false,
                        _ if is_nan(&v) => true,
                        ReduceOp::ArgMax => better(AluOp::Lt, &v, b),
                        _ => better(AluOp::Lt, b, &v),
                    });
                    if wins {
                        best = Some((at, v));
                    }
                }
                Value::I64(best.map_or(0, |(at, _)| at as i64))
            }
        }
    };
    Ok((0..node.numel()).map(one).collect())
}

fn broken(node: &NodeRef) -> Error {
    Error::runtime(format!(
        "{}: internal error: the interpreter cannot evaluate {node:?}; please report this",
        node.op.name
    ))
}
