//! Calls that give a tensor in pieces: `split`, `tensor_split`, `chunk`, `unbind`. Each result is a view with an op of its
//! own, named in the graph as PyTorch names it.

use smallvec::smallvec;

use crate::graph::{Engine, Operand, Unwritable};
use crate::op::ParamKind::{Int, Ints, Tensor};
use crate::op::{Attr, Attrs, MultiOutputOp, Op, example, optional, param, samples};
use crate::ops::multi_output::MULTI_OUTPUT;
use crate::ops::slice::{NARROW, SELECT};
use crate::{Error, Result, shape};

/// The calls of this family that give several tensors.
pub static CALLS: &[&MultiOutputOp] = &[&SPLIT, &TENSOR_SPLIT, &CHUNK, &UNBIND];

/// A piece of `split` and `chunk`.
static PIECE: Op = Op {
    grad_fn: "SplitBackward0",
    ..NARROW
};

/// A piece of `split` by sizes.
static SIZED_PIECE: Op = Op {
    grad_fn: "SplitWithSizesBackward0",
    ..NARROW
};

/// A slice of `unbind`.
static UNBOUND: Op = Op {
    grad_fn: "UnbindBackward0",
    ..SELECT
};

/// The dimension that is cut and its size.
fn cut(name: &str, shape: &[usize], dim: &Attr) -> Result<(usize, usize)> {
    if shape.is_empty() {
        return Err(Error::runtime(format!(
            "{name} expects at least a 1-dimensional tensor, got a 0-dim tensor"
        )));
    }
    let dim = shape::dim(name, dim.as_int(), shape.len())?;
    Ok((dim, shape[dim]))
}

/// Pieces from each start to the next, as one op each.
fn pieces(
    engine: &Engine,
    x: &Operand,
    op: &'static Op,
    dim: usize,
    bounds: impl IntoIterator<Item = (usize, usize)>,
) -> Result<Vec<Operand>> {
    (bounds.into_iter().enumerate())
        .map(|(i, (start, len))| {
            let attrs: Attrs = [dim, start, len]
                .iter()
                .map(|&i| Attr::Int(i as i64))
                .collect();
            let piece = Operand::apply(engine, op, std::slice::from_ref(x), attrs)?;
            piece.forbid_writes(Unwritable::Piece(op.grad_fn, i));
            Ok(piece)
        })
        .collect()
}

/// More pieces than elements of memory for their handles would never end.
fn check_count(name: &str, n: usize) -> Result<()> {
    const MOST: usize = 1 << 20;
    if n > MOST {
        return Err(Error::runtime(format!(
            "{name}: {n} pieces are more than the {MOST} this device allows; take larger pieces"
        )));
    }
    Ok(())
}

fn by_size(
    engine: &Engine,
    name: &str,
    x: &Operand,
    dim: usize,
    size: usize,
) -> Result<Vec<Operand>> {
    let n = x.shape()[dim];
    let count = if size == 0 {
        1
    } else {
        n.div_ceil(size).max(1)
    };
    check_count(name, count)?;
    let bounds = (0..count).map(|i| (i * size, size.min(n - i * size)));
    pieces(engine, x, &PIECE, dim, bounds)
}

/// Parts of a size, or of sizes.
pub static SPLIT: MultiOutputOp = MultiOutputOp {
    name: "split",
    doc: "Views of neighbouring parts of a dimension: of one size, the last one smaller, or of the sizes of a list.",
    params: &[
        param("tensor", Tensor),
        param("split_size_or_sections", Ints),
        optional("dim", Int, Attr::Int(0)),
    ],
    parts: &[&PIECE, &SIZED_PIECE],
    call: |engine, src, attrs| {
        let shape = src[0].shape();
        let (dim, n) = cut("split", &shape, &attrs[1])?;
        if let Attr::Int(size) = attrs[0] {
            if size < 0 || size == 0 && n > 0 {
                return Err(Error::runtime(format!(
                    "split expects split_size be non-negative, and 0 only if dimension size is 0, but got split_size={size} for dimension {dim} with size {n}"
                )));
            }
            let size = usize::try_from(size).map_or(n, |size| size.min(n.max(1)));
            return by_size(engine, "split", &src[0], dim, size);
        }
        let sizes = attrs[0].as_ints();
        if sizes.iter().any(|&s| s < 0) {
            return Err(Error::runtime(format!(
                "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={sizes:?}"
            )));
        }
        let total = sizes.iter().fold(0i64, |sum, &s| sum.saturating_add(s));
        if total as u128 != n as u128 {
            return Err(Error::runtime(format!(
                "split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension {dim}), but got split_sizes={sizes:?}"
            )));
        }
        let mut start = 0;
        let bounds = sizes.iter().map(|&s| {
            start += s as usize;
            (start - s as usize, s as usize)
        });
        pieces(engine, &src[0], &SIZED_PIECE, dim, bounds)
    },
    samples: samples(&["[5,2] 2", "[2,6] (1,3,2) dim=1"]),
    example: example("torch.split(torch.arange(5.0), 2)"),
    ..MULTI_OUTPUT
};

/// Into as many parts as can be, of nearly one size.
pub static TENSOR_SPLIT: MultiOutputOp = MultiOutputOp {
    name: "tensor_split",
    doc: "Views of a number of parts whose sizes differ by at most one, or of the parts between indices.",
    params: &[
        param("input", Tensor),
        param("indices_or_sections", Ints),
        optional("dim", Int, Attr::Int(0)),
    ],
    call: |engine, src, attrs| {
        let shape = src[0].shape();
        let (dim, n) = cut("tensor_split", &shape, &attrs[1])?;
        if let Attr::Int(sections) = attrs[0] {
            if sections <= 0 {
                return Err(Error::runtime(format!(
                    "tensor_split: number of sections must be larger than 0, got {sections}"
                )));
            }
            let sections = shape::size("tensor_split", sections)?;
            check_count("tensor_split", sections)?;
            let (size, larger) = (n / sections, n % sections);
            let bounds =
                (0..sections).map(|i| (i * size + i.min(larger), size + usize::from(i < larger)));
            return slices(engine, &src[0], dim, bounds);
        }
        // Between one index and the next, as x[start:end] reads them.
        let clip = |i: i64| match i {
            i if i < 0 => (i + n as i64).max(0) as usize,
            i => usize::try_from(i).map_or(n, |i| i.min(n)),
        };
        let ends: Vec<usize> = attrs[0]
            .as_ints()
            .iter()
            .map(|&i| clip(i))
            .chain([n])
            .collect();
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let bounds: Vec<(usize, usize)> = (starts.zip(&ends))
            .map(|(start, &end)| (start, end.saturating_sub(start)))
            .collect();
        slices(engine, &src[0], dim, bounds)
    },
    samples: samples(&["[5,2] 2", "[2,6] (1,4) dim=1"]),
    example: example("torch.tensor_split(torch.arange(5.0), 2)"),
    ..MULTI_OUTPUT
};

fn slices(
    engine: &Engine,
    x: &Operand,
    dim: usize,
    bounds: impl IntoIterator<Item = (usize, usize)>,
) -> Result<Vec<Operand>> {
    pieces(engine, x, &NARROW, dim, bounds)
}

/// Into parts of one size, at most as many as asked for.
pub static CHUNK: MultiOutputOp = MultiOutputOp {
    name: "chunk",
    doc: "Views of at most so many parts of one size, the last one smaller.",
    params: &[
        param("input", Tensor),
        param("chunks", Int),
        optional("dim", Int, Attr::Int(0)),
    ],
    call: |engine, src, attrs| {
        let shape = src[0].shape();
        let chunks = attrs[0].as_int();
        if chunks <= 0 && !shape.is_empty() {
            return Err(Error::runtime(format!(
                "chunk expects `chunks` to be greater than 0, got: {chunks}"
            )));
        }
        let (dim, n) = cut("chunk", &shape, &attrs[1])?;
        if n == 0 {
            // Nothing in as many parts as asked for.
            let chunks = shape::size("chunk", chunks)?;
            check_count("chunk", chunks)?;
            return pieces(
                engine,
                &src[0],
                &SIZED_PIECE,
                dim,
                (0..chunks).map(|_| (0, 0)),
            );
        }
        let chunks = usize::try_from(chunks).unwrap_or(usize::MAX).min(n);
        by_size(engine, "chunk", &src[0], dim, n.div_ceil(chunks))
    },
    samples: samples(&["[5] 3", "[2,5] 2 dim=1"]),
    example: example("torch.chunk(torch.arange(5.0), 2)"),
    ..MULTI_OUTPUT
};

/// Slices of a dimension.
pub static UNBIND: MultiOutputOp = MultiOutputOp {
    name: "unbind",
    doc: "The slices of a dimension, one tensor each; the dimension goes.",
    params: &[param("input", Tensor), optional("dim", Int, Attr::Int(0))],
    parts: &[&UNBOUND],
    call: |engine, src, attrs| {
        let shape = src[0].shape();
        if shape.is_empty() {
            return Err(Error::index(format!(
                "unbind: Dimension specified as {} but tensor has no dimensions",
                attrs[0].as_int()
            )));
        }
        let (dim, n) = cut("unbind", &shape, &attrs[0])?;
        check_count("unbind", n)?;
        (0..n)
            .map(|i| {
                let attrs = smallvec![Attr::Int(dim as i64), Attr::Int(i as i64)];
                let piece = Operand::apply(engine, &UNBOUND, &src[..1], attrs)?;
                piece.forbid_writes(Unwritable::Piece(UNBOUND.grad_fn, i));
                Ok(piece)
            })
            .collect()
    },
    samples: samples(&["[3,2]", "[2,3] dim=1"]),
    example: example("torch.unbind(torch.ones(2, 3))"),
    ..MULTI_OUTPUT
};
