//! Elements repeated in a storage of their own: `repeat`, `tile`, `repeat_interleave`.

use smallvec::{SmallVec, smallvec};

use crate::dtype::{DType, Scalar};
use crate::graph::Operand;
use crate::op::ParamKind::{Int, Ints, Tensor};
use crate::op::{
    Attr, Attrs, Infinities, Kind, Meta, Op, Out, PythonFace, Vjp, example, face, optional, param,
    samples,
};
use crate::ops::index_select::select_rows;
use crate::ops::{BASE, dim_of, grad1};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&REPEAT, &TILE, &REPEAT_INTERLEAVE];

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
    infinities: Infinities::Chooses,
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
    infinities: Infinities::Chooses,
    ..BASE
};
