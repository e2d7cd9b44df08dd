//! The scheduler's ops, in which composites are written: products, reductions, rows by index, order, running values.

use glowgrad::kernel::{ReduceOp, Routine, ScanOp, Special};
use glowgrad::op::{Kind, RoutineKind};
use glowgrad::{DType, Scalar, View, shape};

use super::movement::MOST_PLACES;
use super::{Row, row};
use crate::export::call::{Call, Outcome, Result1, sizes};
use crate::export::writer::{Id, Writer};

pub(super) static ROWS: &[Row] = &[
    row("reduce", reduce),
    row("product", product),
    row("gather_rows", gather_rows),
    row("scatter_rows", scatter_rows),
    row("scatter_add_rows", scatter_add_rows),
    row("copy_into", copy_into),
    row("order", order),
    row("search", search),
    row("scan", scan),
    row("recurrence", |_| refused("a recurrence over a dimension")),
    row("special", special),
    row("factor", |_| {
        refused("the factoring of matrices (inverses, solutions, singular values)")
    }),
    row("bits", |_| {
        refused("the bytes of one type taken as another")
    }),
];

fn refused(what: &str) -> Result1 {
    Ok(Outcome::Refused(format!(
        "ONNX has no operator for {what}; leave it out of the exported part"
    )))
}

/// Along the axes of attribute 0, which stay with size 1.
fn reduce(c: &mut Call) -> Result1 {
    let Kind::Reduce(op) = c.node.op.kind else {
        return Ok(Outcome::Lower);
    };
    let x = c.x(0)?;
    let axes = match c.shape(0).is_empty() {
        true => Vec::new(),
        false => c.dims(0)?,
    };
    let name = match op {
        ReduceOp::Sum => "ReduceSum",
        ReduceOp::Prod => "ReduceProd",
        ReduceOp::Max => "ReduceMax",
        ReduceOp::Min => "ReduceMin",
        ReduceOp::ArgMax | ReduceOp::ArgMin => {
            let name = if op == ReduceOp::ArgMax {
                "ArgMax"
            } else {
                "ArgMin"
            };
            return Ok(match axes[..] {
                [axis] => (c.make(name).on(&[x]).int("axis", axis).one(DType::I64)).into(),
                _ => Outcome::Refused(format!("{name} goes along one axis; name one dimension")),
            });
        }
    };
    Ok(c.reduce(name, x, &axes, true).into())
}

fn product(c: &mut Call) -> Result1 {
    let (a, b) = (c.x(0)?, c.x(1)?);
    Ok(c.pair("MatMul", a, b).into())
}

/// Rows of source 0 at the indices in source 1.
fn gather_rows(c: &mut Call) -> Result1 {
    let (x, index) = (c.x(0)?, c.x(1)?);
    Ok(c.gather(x, index, 0).into())
}

/// Rows put, or combined, at their indices.
fn scatter(c: &mut Call, base: Id, index: Id, values: Id, how: &str) -> Id {
    let dtype = c.node.dtype;
    let index = c.unsqueeze(index, &[1]);
    let scatter = c.make("ScatterND").on(&[base, index, values]);
    match how {
        "none" => scatter.one(dtype),
        how => scatter.text("reduction", how).one(dtype),
    }
}

fn scatter_rows(c: &mut Call) -> Result1 {
    let how = match c.attr(0).as_str() {
        "set" => "none",
        "prod" => "mul",
        "amax" => "max",
        "amin" => "min",
        _ => return Ok(Outcome::Lower),
    };
    let (base, index, values) = (c.x(0)?, c.x(1)?, c.x(2)?);
    Ok(scatter(c, base, index, values, how).into())
}

fn scatter_add_rows(c: &mut Call) -> Result1 {
    let (index, values) = (c.x(0)?, c.x(1)?);
    let shape = c.node.shape.clone();
    let dtype = c.node.dtype;
    let zero = c.number(Scalar::Int(0), dtype);
    let zeros = c.expand(zero, &shape);
    Ok(scatter(c, zeros, index, values, "add").into())
}

/// The views of the parts that a `write` puts, from its attributes.
fn parts(c: &Call) -> Vec<View> {
    let list = c.node.attrs.get(2..).unwrap_or(&[]);
    let view = |part: &[glowgrad::op::Attr; 3]| View {
        shape: part[0].as_ints().iter().map(|&n| n as usize).collect(),
        strides: part[1].as_ints().iter().map(|&s| s as isize).collect(),
        offset: part[2].as_int() as isize,
    };
    list.as_chunks::<3>().0.iter().map(view).collect()
}

/// Parts written into a base or into zeros. A part that is a box in zeros is padded; otherwise each element of the result
/// is taken from where it comes from, among the elements of base and parts in a row.
fn copy_into(c: &mut Call) -> Result1 {
    let has_base = c.attr(0).as_bool();
    let (shape, dtype) = (c.node.shape.clone(), c.node.dtype);
    let views = parts(c);
    let n = shape::numel(&shape);
    if !has_base
        && let [view] = &views[..]
        && let Some((before, after)) = boxed(view, &shape)
    {
        let x = c.x(0)?;
        if before.iter().chain(&after).all(|&n| n == 0) {
            return Ok(x.into());
        }
        return Ok(c.zeros_around(x, shape.len(), &before, &after).into());
    }
    if n > MOST_PLACES {
        return Ok(Outcome::Refused(format!(
            "elements written into {n} others would need as many indices; join tensors with torch.cat instead of writing into one"
        )));
    }
    let first = usize::from(has_base);
    let mut rows = Vec::new();
    let mut start = match has_base {
        true => n,
        // One zero in front.
        false => 1,
    };
    match has_base {
        true => {
            let base = c.x(0)?;
            rows.push(c.flat(base));
        }
        false => rows.push(c.filled(Scalar::Int(0), dtype, &[1])),
    }
    let mut from: Vec<i64> = match has_base {
        true => (0..n as i64).collect(),
        false => vec![0; n],
    };
    for (i, view) in views.iter().enumerate() {
        let x = c.x(first + i)?;
        rows.push(c.flat(x));
        for (k, at) in view.positions().enumerate() {
            if let Some(place) = from.get_mut(at) {
                *place = (start + k) as i64;
            }
        }
        start += view.numel();
    }
    let all = c.concat(&rows, 0);
    let index = c.indices(&from, &shape);
    Ok(c.gather(all, index, 0).into())
}

/// What lies around a view of a row-major shape that is a box in it.
fn boxed(view: &View, shape: &[usize]) -> Option<(Vec<i64>, Vec<i64>)> {
    let whole = View::contiguous(shape);
    if view.shape.len() != shape.len() || view.numel() == 0 {
        return None;
    }
    let mut left = view.offset;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (d, &n) in shape.iter().enumerate() {
        let (size, stride) = (view.shape[d], whole.strides[d]);
        if size > 1 && view.strides[d] != stride {
            return None;
        }
        let start = match stride {
            0 => 0,
            stride => left / stride,
        };
        left -= start * stride;
        let start = usize::try_from(start).ok()?;
        before.push(start as i64);
        after.push(n.checked_sub(start + size)? as i64);
    }
    (left == 0).then_some((before, after))
}

/// The indices that sort; of equal elements ONNX has the lower index first, as the engine.
fn order(c: &mut Call) -> Result1 {
    let dim = c.attr(0).as_int();
    let largest = i64::from(c.attr(1).as_bool());
    let x = c.x(0)?;
    let dtype = c.dtype(x);
    let n = sizes(c.shape(0))[dim as usize];
    let n = c.ints(&[n]);
    let topk = c.make("TopK").on(&[x, n]);
    let topk = topk.int("axis", dim).int("largest", largest);
    Ok(topk.many(&[dtype, DType::I64])[1].into())
}

/// How many elements of each sorted row are before each value: those that are not after it, so that NaN goes where the
/// engine has it.
fn search(c: &mut Call) -> Result1 {
    let right = c.attr(0).as_bool();
    let (sorted, values) = (c.x(0)?, c.x(1)?);
    let sorted = c.unsqueeze(sorted, &[1]);
    let values = c.unsqueeze(values, &[2]);
    let op = if right { "Greater" } else { "GreaterOrEqual" };
    let after = c.compare(op, sorted, values);
    let before = c.unary("Not", after);
    let before = c.cast(before, DType::I64);
    Ok(c.reduce("ReduceSum", before, &[2], false).into())
}

/// Longest dimension of a running value that is written as a table of all pairs.
const LONGEST: usize = 1024;

/// Running sums are ONNX's. Of the others each value is made of all elements, those after it left out.
fn scan(c: &mut Call) -> Result1 {
    let Kind::Routine(RoutineKind::Of(of)) = c.node.op.kind else {
        return Ok(Outcome::Lower);
    };
    let Some(Routine::Scan { op, .. }) = of(c.node, c.src) else {
        return Ok(Outcome::Lower);
    };
    let dim = c.attr(0).as_int();
    let x = c.x(0)?;
    let dtype = c.dtype(x);
    if op == ScanOp::Sum {
        let axis = c.number(Scalar::Int(dim), DType::I64);
        return Ok(c.make("CumSum").on(&[x, axis]).one(dtype).into());
    }
    let n_dims = c.shape(0).len();
    let n = c.shape(0)[dim as usize];
    if n > LONGEST {
        return Ok(Outcome::Refused(format!(
            "ONNX has no operator for it, and what stands in its place compares all pairs of {n} elements; it is written up to {LONGEST}"
        )));
    }
    // Row i sees the elements up to i.
    let mut along = vec![1; n_dims + 1];
    (along[dim as usize], along[dim as usize + 1]) = (n, n);
    let seen: Vec<u8> = (0..n * n).map(|at| u8::from(at % n <= at / n)).collect();
    let seen = c.bytes(DType::Bool, &along, seen);
    let each = c.unsqueeze(x, &[dim]);
    let low = match dtype.is_float() {
        true => Scalar::Float(f64::NEG_INFINITY),
        false => Scalar::Int(dtype.int_range().0.max(i128::from(i64::MIN)) as i64),
    };
    let high = match dtype.is_float() {
        true => Scalar::Float(f64::INFINITY),
        false => Scalar::Int(dtype.int_range().1.min(i128::from(i64::MAX)) as i64),
    };
    let (name, rest) = match op {
        ScanOp::Prod => ("ReduceProd", Scalar::Int(1)),
        ScanOp::LogAddExp => ("ReduceLogSumExp", low),
        ScanOp::ArgMax => ("ReduceMax", low),
        ScanOp::ArgMin => ("ReduceMin", high),
        ScanOp::Sum | ScanOp::Recurrence => return Ok(Outcome::Lower),
    };
    let rest = c.number(rest, dtype);
    let shown = c.choose(seen, each, rest);
    let is_place = matches!(op, ScanOp::ArgMax | ScanOp::ArgMin);
    // NaN wins: it is looked for beside the numbers.
    let nan = (is_place && dtype.is_float()).then(|| c.is_nan(each));
    let shown = match nan {
        Some(nan) => c.choose(nan, rest, shown),
        None => shown,
    };
    let best = c.reduce(name, shown, &[dim + 1], is_place);
    if !is_place {
        return Ok(best.into());
    }
    // The last of the elements that reach it.
    let mut reached = c.compare("Equal", each, best);
    if let Some(nan) = nan {
        let here = c.compare("And", nan, seen);
        let here = c.cast(here, DType::I64);
        let any = c.reduce("ReduceMax", here, &[dim + 1], true);
        let any = c.cast(any, DType::Bool);
        reached = c.choose(any, nan, reached);
    }
    let reached = c.compare("And", reached, seen);
    let mut along = vec![1; n_dims + 1];
    along[dim as usize + 1] = n;
    let places: Vec<i64> = (0..n as i64).collect();
    let places = c.indices(&places, &along);
    let nowhere = c.number(Scalar::Int(-1), DType::I64);
    let found = c.choose(reached, places, nowhere);
    Ok(c.reduce("ReduceMax", found, &[dim + 1], false).into())
}

impl Writer {
    fn is_nan(&mut self, x: Id) -> Id {
        self.make("IsNaN").on(&[x]).one(DType::Bool)
    }
}

fn special(c: &mut Call) -> Result1 {
    let at = usize::try_from(c.attr(0).as_int()).unwrap_or(usize::MAX);
    let name = Special::ALL.get(at).map_or("this function", |f| f.name());
    refused(&format!("the function {name}"))
}
