//! Repeated and rotated: results with a storage of their own, made of movements of their operand.

use smallvec::{SmallVec, smallvec};

use crate::graph::GraphValue;
use crate::graph::Operand;
use crate::op::ParamKind::{Int, Ints, Tensor};
use crate::op::{Attr, Attrs, Kind, Meta, Op, Out, Vjp, example, optional, param, samples};
use crate::op::{PythonFace, face};
use crate::ops::formula::dims_attr;
use crate::ops::index::select_rows;
use crate::ops::movement::FLIP;
use crate::ops::{BASE, dim_of, grad1};
use crate::shape::{self, Shape};
use crate::{DType, Error, Result, Scalar, View};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &REPEAT,
    &TILE,
    &REPEAT_INTERLEAVE,
    &ROLL,
    &ROT90,
    &FLIPLR,
    &FLIPUD,
];

/// Sizes and repeats of each dimension, new ones in front.
fn repeats(op: &Op, from: &[usize], list: &[i64]) -> Result<(Shape, Shape)> {
    let pad = |n: usize| std::iter::repeat_n(1usize, n);
    let fills = op.name == "tile";
    if list.len() < from.len() && !fills {
        return Err(Error::runtime(format!(
            "repeat: got repeats {list:?} for shape {}: Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor; tile fills in ones",
            shape::show(from)
        )));
    }
    let n_dims = list.len().max(from.len());
    let sizes: Shape = pad(n_dims - from.len())
        .chain(from.iter().copied())
        .collect();
    let mut times: Shape = pad(n_dims - list.len()).collect();
    for &n in list {
        if n < 0 {
            return Err(Error::runtime(format!(
                "{}: got repeats {list:?}: Trying to create tensor with negative dimension; repeats may not be negative",
                op.name
            )));
        }
        times.push(shape::size(op.name, n)?);
    }
    Ok((sizes, times))
}

/// `[times, size, times, size, …]`.
fn interleaved(sizes: &[usize], times: &[usize]) -> Shape {
    times
        .iter()
        .zip(sizes)
        .flat_map(|(&t, &n)| [t, n])
        .collect()
}

/// The tensor side by side with itself.
pub static REPEAT: Op = Op {
    name: "repeat",
    python: face(&PythonFace {
        method_alone: true,
        ..PythonFace::PLAIN
    }),
    grad_fn: "RepeatBackward0",
    symbol: "repeat",
    formula: "y = a a a …",
    rules: &["{gy}, summed over the repeats"],
    doc: "The tensor repeated along each dimension, new ones in front.",
    params: &[param("input", Tensor), param("repeats", Ints)],
    infer: |op, src, attrs| {
        let (sizes, times) = repeats(op, &src[0].shape, attrs[0].as_ints())?;
        let shape: Shape = (sizes.iter().zip(&times))
            .map(|(&n, &t)| n.saturating_mul(t))
            .collect();
        // On the way there all sizes stand side by side, also where a 0 among them leaves nothing.
        shape::check_size(op.name, &interleaved(&sizes, &times))?;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let (sizes, times) = repeats(c.node.op, c.src[0].shape(), c.attr(0).as_ints())?;
        let ones = Shape::from_elem(1, times.len());
        let apart = c.src[0].reshape(&interleaved(&sizes, &ones));
        Ok(apart
            .expand(&interleaved(&sizes, &times))
            .reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let from = b.src[0].shape();
        let (sizes, times) = repeats(b.node.op, from, b.attr(0).as_ints())?;
        let dims: SmallVec<[usize; 6]> = (0..times.len()).map(|d| 2 * d).collect();
        let apart = b.gy.reshape(&interleaved(&sizes, &times));
        grad1(apart.sum(&dims, false).reshape(from))
    }),
    exact: true,
    samples: samples(&["[2,3] (2,1)", "[3] (2,2)", "[2,2]T (1,3)"]),
    example: example("torch.tensor([1.0, 2.0]).repeat(2, 2)"),
    out: Out::None,
    ..BASE
};

/// `repeat`, which fills in ones for dimensions that are not named.
pub static TILE: Op = Op {
    name: "tile",
    params: &[param("input", Tensor), param("dims", Ints)],
    doc: "The tensor repeated along its last dimensions, or more: NumPy's form of repeat.",
    samples: samples(&["[2,3] (2)", "[3] (2,2)"]),
    example: example("torch.tile(torch.tensor([1.0, 2.0]), (2, 2))"),
    ..REPEAT
};

/// How often each element is repeated, as the index of each element of the result. Reads the tensor:
/// it decides the shape.
fn interleave_index(src: &mut Vec<Operand>, attrs: &mut Attrs) -> Result<()> {
    let shape = src[0].shape();
    let n = match attrs[0] {
        Attr::None => src[0].numel(),
        _ if shape.is_empty() => {
            return Err(Error::index(
                "repeat_interleave: Dimension specified but tensor has no dimensions; leave dim out",
            ));
        }
        _ => {
            let dim = shape::dim("repeat_interleave", attrs[0].as_int(), shape.len())?;
            shape.get(dim).copied().unwrap_or(1)
        }
    };
    let repeats = &src[1];
    let dtype = repeats.dtype();
    if !matches!(dtype, DType::I64 | DType::I32) {
        return Err(Error::not_implemented(format!(
            "repeat_interleave: got repeats of dtype {dtype}, expected int64 or int32; convert them with .long()"
        )));
    }
    let list: Vec<i64> = repeats
        .to_scalars()?
        .into_iter()
        .map(Scalar::as_i64)
        .collect();
    let one = match (repeats.shape().len(), list.len()) {
        (0, _) | (1, 1) => true,
        (1, len) if len == n => false,
        (1, len) => {
            return Err(Error::runtime(format!(
                "repeat_interleave: repeats must have the same size as input along dim, but got repeats.size(0) = {len} and input.size = {n}"
            )));
        }
        _ => {
            return Err(Error::runtime(
                "repeat_interleave: repeats must be 0-dim or 1-dim tensor",
            ));
        }
    };
    if let Some(bad) = list.iter().find(|&&r| r < 0) {
        return Err(Error::runtime(format!(
            "repeat_interleave: Repeats must be non-negative, got {bad}"
        )));
    }
    let times = |i: usize| if one { list[0] } else { list[i] };
    let total = (0..n).fold(0i64, |sum, i| sum.saturating_add(times(i)));
    if attrs[1] != Attr::None && attrs[1].as_int() != total {
        return Err(Error::runtime(format!(
            "repeat_interleave: allocated size does not match required size: output_size is {}, the repeats add up to {total}",
            attrs[1].as_int()
        )));
    }
    let mut result = match attrs[0] {
        Attr::None => smallvec![0],
        _ => shape.clone(),
    };
    let dim = shape::dim("repeat_interleave", attrs[0].as_int(), result.len())?;
    if let Some(size) = result.get_mut(dim) {
        *size = shape::size("repeat_interleave", total)?;
    }
    shape::check_size("repeat_interleave", &result)?;
    shape::check_size("repeat_interleave", &[total as usize])?;
    if src[1].node().is_python_number {
        // The same for all: stretched, without an index.
        attrs[1] = Attr::Int(total);
        return Ok(());
    }
    let mut index = shape::reserve("repeat_interleave", total as usize)?;
    index.extend((0..n).flat_map(|i| std::iter::repeat_n(i as i64, times(i) as usize)));
    let engine = src[0].engine().clone();
    let index = engine.leaf_i64(&index, &[index.len()])?;
    src.push(Operand::from_node(&engine, index));
    Ok(())
}

/// Each element several times.
pub static REPEAT_INTERLEAVE: Op = Op {
    name: "repeat_interleave",
    grad_fn: "IndexSelectBackward0",
    grad_fn_for: |node| (node.src.borrow().len() == 2).then_some("ViewBackward0"),
    symbol: "repeat",
    formula: "y = a₀ a₀ … a₁ a₁ …",
    rules: &["{gy}, added up over the repeats"],
    doc: "Each element, or each slice of a dimension, repeated: a number of times, or its own number of times.",
    params: &[
        param("input", Tensor),
        param("repeats", Tensor),
        optional("dim", Int, Attr::None),
        optional("output_size", Int, Attr::None),
    ],
    prepare: Some(|_, src, attrs| interleave_index(src, attrs)),
    infer: |op, src, attrs| {
        let n = match src.get(2) {
            Some(index) => index.numel(),
            None => shape::size(op.name, attrs[1].as_int())?,
        };
        let mut shape = src[0].shape.clone();
        if attrs[0] == Attr::None || shape.is_empty() {
            shape = smallvec![n];
        } else {
            let dim = dim_of(op, &shape, &attrs[0])?;
            shape[dim] = n;
        }
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let mut x = c.src[0].clone();
        if *c.attr(0) == Attr::None || x.shape().is_empty() {
            x = x.reshape(&[x.node().numel()]);
        }
        let dim = shape::dim("repeat_interleave", c.attr(0).as_int(), x.shape().len())?;
        if let Some(index) = c.src.get(2) {
            return Ok(select_rows(&x, dim, index));
        }
        let n = x.shape()[dim];
        let mut stretched = x.shape().clone();
        stretched.insert(dim + 1, c.node.shape[dim].checked_div(n).unwrap_or(1));
        Ok(x.unsqueeze(dim + 1)
            .expand(&stretched)
            .reshape(&c.node.shape))
    }),
    vjp: Vjp::Lowered,
    exact: true,
    numbers: 0b10,
    samples: samples(&["[2,3] 2", "[2,3] [3]<3 dim=1", "[3] [1]<4"]),
    example: example("torch.repeat_interleave(torch.tensor([1.0, 2.0]), 2)"),
    out: Out::None,
    ..BASE
};

/// Which dimension moves by how much; none for the flattened tensor.
type Shifts = SmallVec<[(Option<usize>, i64); 3]>;

fn shifts(op: &Op, from: &[usize], attrs: &Attrs) -> Result<Shifts> {
    let (shifts, dims) = (attrs[0].as_ints(), attrs[1].as_ints());
    if shifts.is_empty() {
        return Err(Error::runtime("roll: `shifts` required"));
    }
    if dims.is_empty() && shifts.len() == 1 {
        return Ok(smallvec![(None, shifts[0])]);
    }
    if dims.len() != shifts.len() {
        return Err(Error::runtime(format!(
            "roll: shifts and dimensions must align. shifts: {}, dims:{}",
            shifts.len(),
            dims.len()
        )));
    }
    if from.is_empty() {
        return Err(Error::index(
            "roll: Dimension specified but tensor has no dimensions; leave dims out",
        ));
    }
    dims.iter()
        .zip(shifts)
        .map(|(&d, &by)| Ok((Some(shape::dim(op.name, d, from.len())?), by)))
        .collect()
}

/// One dimension shifted round.
fn rolled(x: &GraphValue, dim: usize, by: i64) -> GraphValue {
    let n = x.shape().get(dim).copied().unwrap_or(0);
    let by = if n == 0 {
        0
    } else {
        by.rem_euclid(n as i64) as usize
    };
    if by == 0 {
        return x.clone();
    }
    let whole = View::contiguous(x.shape());
    let parts = [x.slice(dim, n - by, by, 1), x.slice(dim, 0, n - by, 1)];
    let at = [whole.slice(dim, 0, by, 1), whole.slice(dim, by, n - by, 1)];
    GraphValue::write_parts(&parts, &at, x.shape())
}

/// Shifted round.
pub static ROLL: Op = Op {
    name: "roll",
    grad_fn: "RollBackward0",
    symbol: "roll",
    formula: "y[i + shift] = a[i], around the end",
    rules: &["{gy}, rolled back"],
    doc: "Elements shifted along dimensions, those that leave at the end coming in at the front; without dims, the flattened tensor.",
    params: &[
        param("input", Tensor),
        param("shifts", Ints),
        optional("dims", Ints, Attr::None),
    ],
    infer: |op, src, attrs| {
        shifts(op, &src[0].shape, attrs)?;
        crate::ops::same_as_first(op, src, attrs)
    },
    kind: Kind::Composite(|c| {
        let mut x = c.src[0].clone();
        for (dim, by) in shifts(c.node.op, &c.node.shape, &c.node.attrs)? {
            x = match dim {
                Some(dim) => rolled(&x, dim, by),
                None => rolled(&x.reshape(&[x.node().numel()]), 0, by).reshape(&c.node.shape),
            };
        }
        Ok(x)
    }),
    vjp: Vjp::Rule(|b| {
        // A shift of i64::MIN cannot be negated; it is refused by no one, so it wraps.
        let back: SmallVec<[i64; 6]> = (b.attr(0).as_ints().iter())
            .map(|by| by.wrapping_neg())
            .collect();
        let attrs = smallvec![Attr::Ints(back), b.attr(1).clone()];
        grad1(b.gy.call(&ROLL, &[], attrs))
    }),
    exact: true,
    samples: samples(&["[2,3] 1", "[3,2] -1 0", "[2,3]T (1,2) (0,1)"]),
    example: example("torch.roll(torch.arange(5.0), 2)"),
    out: Out::None,
    ..BASE
};

/// The plane that turns.
fn turned(op: &Op, from: &[usize], attrs: &Attrs) -> Result<(i64, usize, usize)> {
    let &[first, second] = attrs[1].as_ints() else {
        return Err(Error::runtime(format!(
            "rot90: expected total rotation dims == 2, but got dims = {:?}",
            attrs[1].as_ints()
        )));
    };
    if from.len() < 2 {
        return Err(Error::runtime(format!(
            "rot90: expected total dims >= 2, but got shape {}",
            shape::show(from)
        )));
    }
    let (a, b) = (
        shape::dim(op.name, first, from.len())?,
        shape::dim(op.name, second, from.len())?,
    );
    if a == b {
        return Err(Error::runtime(format!(
            "rot90: expected rotation dims to be different, but got dim0 = {first} and dim1 = {second}"
        )));
    }
    Ok((attrs[0].as_int().rem_euclid(4), a, b))
}

fn flipped(x: &GraphValue, dims: &[usize]) -> GraphValue {
    x.call(&FLIP, &[], smallvec![dims_attr(dims)])
}

/// Turned by right angles.
pub static ROT90: Op = Op {
    name: "rot90",
    grad_fn: "Rot90Backward0",
    symbol: "rot90",
    formula: "y = a, turned by k · 90°",
    rules: &["{gy}, turned back"],
    doc: "A plane of the tensor turned k times by 90 degrees, from the first of dims towards the second.",
    params: &[
        param("input", Tensor),
        optional("k", Int, Attr::Int(1)),
        // Where none is given, the first two.
        optional("dims", Ints, Attr::None),
    ],
    prepare: Some(|_, _, attrs| {
        if attrs[1] == Attr::None {
            attrs[1] = Attr::ints(&[0, 1]);
        }
        Ok(())
    }),
    infer: |op, src, attrs| {
        let (k, a, b) = turned(op, &src[0].shape, attrs)?;
        let mut shape = src[0].shape.clone();
        if k % 2 == 1 {
            shape.swap(a, b);
        }
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let x = &c.src[0];
        let (k, a, b) = turned(c.node.op, x.shape(), &c.node.attrs)?;
        let mut order: SmallVec<[usize; 6]> = (0..x.shape().len()).collect();
        order.swap(a, b);
        Ok(match k {
            1 => flipped(x, &[b]).permute(&order),
            2 => flipped(x, &[a, b]),
            3 => flipped(x, &[a]).permute(&order),
            _ => x.clone(),
        })
    }),
    vjp: Vjp::Rule(|b| {
        let back = -b.attr(0).as_int().rem_euclid(4);
        grad1(b.gy.call(&ROT90, &[], smallvec![Attr::Int(back), b.attr(1).clone()]))
    }),
    exact: true,
    samples: samples(&[
        "[2,3] 1 (0,1)",
        "[2,3] 2 (0,1)",
        "[2,2,3] -1 (2,0)",
        "[2,2] 0 (0,1)",
    ]),
    example: example("torch.rot90(torch.arange(6.0).reshape(2, 3), 1, [0, 1])"),
    out: Out::None,
    ..BASE
};

/// Read backwards along one dimension, by name.
const MIRROR: Op = Op {
    grad_fn: "FlipBackward0",
    symbol: "flip",
    formula: "y = a, backwards",
    rules: &["{gy}, backwards"],
    params: &[param("input", Tensor)],
    exact: true,
    samples: samples(&["[2,3]", "[3,2]T"]),
    out: Out::None,
    ..BASE
};

/// Columns backwards.
pub static FLIPLR: Op = Op {
    name: "fliplr",
    doc: "The columns in reverse order.",
    infer: |op, src, attrs| {
        if src[0].shape.len() < 2 {
            return Err(Error::runtime(format!(
                "fliplr: Input must be >= 2-d, got shape {}; use flip",
                shape::show(&src[0].shape)
            )));
        }
        crate::ops::same_as_first(op, src, attrs)
    },
    kind: Kind::Composite(|c| Ok(flipped(&c.src[0], &[1]))),
    vjp: Vjp::Rule(|b| grad1(flipped(&b.gy, &[1]))),
    ..MIRROR
};

/// Rows backwards.
pub static FLIPUD: Op = Op {
    name: "flipud",
    doc: "The rows in reverse order.",
    infer: |op, src, attrs| {
        if src[0].shape.is_empty() {
            return Err(Error::runtime(
                "flipud: Input must be >= 1-d, got a 0-dim tensor",
            ));
        }
        crate::ops::same_as_first(op, src, attrs)
    },
    kind: Kind::Composite(|c| Ok(flipped(&c.src[0], &[0]))),
    vjp: Vjp::Rule(|b| grad1(flipped(&b.gy, &[0]))),
    ..MIRROR
};
