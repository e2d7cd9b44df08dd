//! More views: shapes split and dimensions moved, diagonals, windows, strides. Nothing is copied.
//!
//! The gradient of a view that picks elements is the incoming one put in their places; where a view
//! names an element twice (`unfold`, `as_strided`), its gradients are added up.

use smallvec::{SmallVec, smallvec};

use crate::graph::Operand;
use crate::op::ParamKind::{Int, Ints, Tensor};
use crate::op::{
    Attr, Attrs, Backprop, Grads, Kind, Meta, Op, Out, Vjp, example, optional, param, samples,
};
use crate::op::{PythonFace, face};
use crate::ops::formula::shape_attr;
use crate::ops::movement::{AS_STRIDED, EXPAND, RESHAPE, TRANSPOSE};
use crate::ops::{BASE, dim_of, grad1, sizes};
use crate::shape::{self, Shape};
use crate::view::View;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &VIEW,
    &UNFLATTEN,
    &SWAPAXES,
    &MOVEDIM,
    &BROADCAST_TO,
    &DIAGONAL,
    &TENSOR_UNFOLD,
    &AS_STRIDED,
];

/// The gradient of elements that a movement picked: in their places, zero elsewhere.
pub(crate) fn placed(b: &Backprop) -> Result<Grads> {
    let from = b.src[0].shape();
    let Kind::Movement(movement) = b.node.op.kind else {
        return Err(Error::runtime(format!("{}: not a view", b.node.op.name)));
    };
    let at = movement(&View::contiguous(from), b.node)
        .ok_or_else(|| Error::runtime(format!("{}: not a view of {from:?}", b.node.op.name)))?;
    grad1(b.gy.zeros_like_shape(from).add_at(&at, &b.gy))
}

/// A movement that picks elements.
const PICK: Op = Op {
    rules: &["{gy} in its place, 0 elsewhere"],
    vjp: Vjp::Rule(placed),
    exact: true,
    out: Out::None,
    ..BASE
};

/// The same elements as a view of their own: `x[:]`.
pub static ALIAS: Op = Op {
    name: "alias",
    grad_fn: "AliasBackward0",
    symbol: "[:]",
    formula: "y = a",
    rules: &["{gy}"],
    doc: "A view of all of its elements.",
    params: &[param("input", Tensor)],
    kind: Kind::Movement(|view, _| Some(view.clone())),
    vjp: Vjp::Rule(|b| grad1(b.gy.clone())),
    out: Out::None,
    ..BASE
};

/// Another shape, never by a copy.
pub static VIEW: Op = Op {
    name: "view",
    python: face(&PythonFace {
        method_alone: true,
        ..PythonFace::PLAIN
    }),
    symbol: "view",
    doc: "The same elements in another shape, never a copy; one size may be −1.",
    prepare: Some(|_, src, attrs| {
        let sizes = shape::infer_size("view", attrs[0].as_ints(), src[0].numel())?;
        if src[0].view().reshape(&sizes).is_none() {
            return Err(Error::runtime(
                "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.",
            ));
        }
        Ok(())
    }),
    exact: true,
    samples: samples(&["[2,6] (3,-1)", "[4] (2,1,2)"]),
    ..RESHAPE
};

/// One dimension as several.
pub static UNFLATTEN: Op = Op {
    name: "unflatten",
    grad_fn: "ViewBackward0",
    symbol: "unflatten",
    formula: "y = a, one dimension split",
    rules: &["{gy}, in the shape of {a}"],
    doc: "One dimension split into several; one size may be −1.",
    params: &[
        param("input", Tensor),
        param("dim", Int),
        param("sizes", Ints),
    ],
    infer: |op, src, attrs| {
        let from = &src[0].shape;
        let dim = dim_of(op, from, &attrs[0])?;
        let sizes = attrs[1].as_ints();
        if sizes.is_empty() {
            return Err(Error::runtime("unflatten: sizes must be non-empty"));
        }
        let n = from.get(dim).copied().ok_or_else(|| {
            Error::runtime("unflatten: a 0-dim tensor has no dimension to split; use reshape")
        })?;
        let parts = shape::infer_size(op.name, sizes, n).map_err(|_| {
            Error::runtime(format!(
                "unflatten: Provided sizes {sizes:?} don't multiply up to the size of dim {dim} ({n}) in the input tensor"
            ))
        })?;
        let mut shape = Shape::from_slice(&from[..dim]);
        shape.extend_from_slice(&parts);
        shape.extend_from_slice(&from[dim + 1..]);
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| view.reshape(&node.shape)),
    vjp: Vjp::Rule(|b| grad1(b.gy.reshape(b.src[0].shape()))),
    exact: true,
    samples: samples(&["[6,2] 0 (2,3)", "[4,3]T -2 (-1,2)"]),
    example: example("torch.unflatten(torch.arange(6.0), 0, (2, 3))"),
    out: Out::None,
    ..BASE
};

/// NumPy's name of `transpose`.
pub static SWAPAXES: Op = Op {
    name: "swapaxes",
    params: &[
        param("input", Tensor),
        param("axis0", Int),
        param("axis1", Int),
    ],
    doc: "Two dimensions swapped: NumPy's name of transpose.",
    exact: true,
    samples: samples(&["[2,3,4] 0 -1"]),
    example: example("torch.swapaxes(torch.ones(2, 3), 0, 1)"),
    ..TRANSPOSE
};

/// Where each dimension of the result comes from.
fn moved(n: usize, attrs: &Attrs) -> Result<SmallVec<[usize; 6]>> {
    let (source, destination) = (attrs[0].as_ints(), attrs[1].as_ints());
    if source.len() != destination.len() {
        return Err(Error::runtime(format!(
            "movedim: Invalid source or destination dims: source ({source:?} dims) should contain the same number of dims as destination ({destination:?} dims)"
        )));
    }
    let named = |list: &[i64], what: &str| -> Result<SmallVec<[usize; 6]>> {
        let mut dims: SmallVec<[usize; 6]> = smallvec![];
        for &d in list {
            let d = shape::dim("movedim", d, n)?;
            if dims.contains(&d) {
                return Err(Error::runtime(format!(
                    "movedim: repeated dim in `{what}` ({list:?})"
                )));
            }
            dims.push(d);
        }
        Ok(dims)
    };
    let (from, to) = (named(source, "source")?, named(destination, "destination")?);
    let mut others = (0..n).filter(|d| !from.contains(d));
    Ok((0..n)
        .filter_map(|d| match to.iter().position(|&t| t == d) {
            Some(i) => Some(from[i]),
            None => others.next(),
        })
        .collect())
}

/// Dimensions put elsewhere.
pub static MOVEDIM: Op = Op {
    name: "movedim",
    grad_fn: "PermuteBackward0",
    symbol: "movedim",
    formula: "y = a, dimensions moved",
    rules: &["{gy}, dimensions put back"],
    doc: "Dimensions moved to other places; the others keep their order.",
    params: &[
        param("input", Tensor),
        param("source", Ints),
        param("destination", Ints),
    ],
    infer: |_, src, attrs| {
        let order = moved(src[0].shape.len(), attrs)?;
        Ok(Meta {
            shape: order.iter().map(|&d| src[0].shape[d]).collect(),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| {
        Some(view.permute(&moved(view.shape.len(), &node.attrs).ok()?))
    }),
    vjp: Vjp::Rule(|b| {
        let back: Attrs = smallvec![b.attr(1).clone(), b.attr(0).clone()];
        grad1(b.gy.call(&MOVEDIM, &[], back))
    }),
    exact: true,
    samples: samples(&["[2,3,4] 0 2", "[2,3,4] (0,-1) (1,0)"]),
    example: example("torch.movedim(torch.ones(2, 3, 4), 0, -1)"),
    out: Out::None,
    ..BASE
};

/// `expand` under NumPy's name.
pub static BROADCAST_TO: Op = Op {
    name: "broadcast_to",
    doc: "Dimensions of size 1 stretched to a size, as broadcasting does it; NumPy's name of expand.",
    exact: true,
    samples: samples(&["[3,1] (2,-1,4)"]),
    example: example("torch.broadcast_to(torch.arange(3.0), (2, 3))"),
    ..EXPAND
};

/// The two dimensions that a diagonal runs along.
pub(crate) fn plane(op: &Op, n_dims: usize, dim1: i64, dim2: i64) -> Result<(usize, usize)> {
    if n_dims == 0 {
        return Err(Error::runtime(format!(
            "{}: a 0-dim tensor has no diagonal",
            op.name
        )));
    }
    let (a, b) = (
        shape::dim(op.name, dim1, n_dims)?,
        shape::dim(op.name, dim2, n_dims)?,
    );
    if a == b {
        return Err(Error::runtime(format!(
            "{}: diagonal dimensions cannot be identical {dim1}, {dim2}",
            op.name
        )));
    }
    Ok((a, b))
}

/// A diagonal of a plane of each matrix, as the last dimension.
pub(crate) fn diagonal_view(view: &View, offset: i64, dim1: usize, dim2: usize) -> View {
    let (rows, columns) = (view.shape[dim1] as i64, view.shape[dim2] as i64);
    let (row, column) = (offset.min(0).saturating_neg(), offset.max(0));
    let n = rows
        .saturating_sub(row)
        .min(columns.saturating_sub(column))
        .max(0);
    let step = view.strides[dim1] + view.strides[dim2];
    let mut out = view.clone();
    if n > 0 {
        out.offset += row as isize * view.strides[dim1] + column as isize * view.strides[dim2];
    }
    for d in [dim1.max(dim2), dim1.min(dim2)] {
        out.shape.remove(d);
        out.strides.remove(d);
    }
    out.shape.push(n as usize);
    out.strides.push(step);
    out
}

/// Elements on a diagonal.
pub static DIAGONAL: Op = Op {
    name: "diagonal",
    grad_fn: "DiagonalBackward0",
    symbol: "diag",
    formula: "y[…, i] = a[…, i, i + offset]",
    doc: "The elements on a diagonal of two dimensions, as the last dimension: a view.",
    params: &[
        param("input", Tensor),
        optional("offset", Int, Attr::Int(0)),
        optional("dim1", Int, Attr::Int(0)),
        optional("dim2", Int, Attr::Int(1)),
    ],
    infer: |op, src, attrs| {
        let (a, b) = plane(op, src[0].shape.len(), attrs[1].as_int(), attrs[2].as_int())?;
        let view = diagonal_view(&View::contiguous(&src[0].shape), attrs[0].as_int(), a, b);
        Ok(Meta {
            shape: view.shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| {
        let (dim1, dim2) = (node.attrs[1].as_int(), node.attrs[2].as_int());
        let (a, b) = plane(node.op, view.shape.len(), dim1, dim2).ok()?;
        Some(diagonal_view(view, node.attrs[0].as_int(), a, b))
    }),
    samples: samples(&[
        "[3,4]",
        "[3,4]T offset=1",
        "[2,3,2] offset=-1 dim1=-1 dim2=1",
    ]),
    example: example("torch.diagonal(torch.arange(9.0).reshape(3, 3))"),
    ..PICK
};

/// Dimension, size and step of the windows in a shape.
fn windows(op: &Op, from: &[usize], attrs: &Attrs) -> Result<(usize, usize, usize, usize)> {
    let dim = dim_of(op, from, &attrs[0])?;
    let (n, size, step) = (
        from.get(dim).copied().unwrap_or(1),
        attrs[1].as_int(),
        attrs[2].as_int(),
    );
    if size < 0 {
        return Err(Error::runtime(format!(
            "unfold: size is {size} but must be >= 0"
        )));
    }
    if size as u64 > n as u64 {
        return Err(Error::runtime(format!(
            "unfold: maximum size for tensor at dimension {dim} is {n} but size is {size}"
        )));
    }
    if step <= 0 {
        return Err(Error::runtime(format!(
            "unfold: step is {step} but must be > 0"
        )));
    }
    let step = step.min(n as i64 + 1) as usize;
    Ok((dim, size as usize, step, (n - size as usize) / step + 1))
}

/// Windows over a dimension.
pub static TENSOR_UNFOLD: Op = Op {
    name: "tensor_unfold",
    python: face(&PythonFace {
        name: "Tensor.unfold",
        has_method: true,
        method_alone: true,
        ..PythonFace::PLAIN
    }),
    grad_fn: "UnfoldBackward0",
    symbol: "unfold",
    formula: "y[…, i, …, j] = a[…, i · step + j, …]",
    rules: &["{gy} added up where windows overlap"],
    doc: "Windows of a size along a dimension, step by step, as the last dimension: a view, Tensor.unfold.",
    params: &[
        param("input", Tensor),
        param("dimension", Int),
        param("size", Int),
        param("step", Int),
    ],
    infer: |op, src, attrs| {
        let (dim, size, _, n) = windows(op, &src[0].shape, attrs)?;
        let mut shape = src[0].shape.clone();
        if shape.is_empty() {
            // One number is a row of one: its windows hold it or nothing.
            return Ok(Meta {
                shape: smallvec![size],
                dtype: src[0].dtype,
            });
        }
        shape[dim] = n;
        shape.push(size);
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| {
        let (dim, size, step, n) = windows(node.op, &view.shape, &node.attrs).ok()?;
        let mut out = view.clone();
        let stride = view.strides.get(dim).copied().unwrap_or(1);
        if let Some(size) = out.shape.get_mut(dim) {
            *size = n;
            out.strides[dim] = stride * step as isize;
        }
        out.shape.push(size);
        out.strides.push(stride);
        Some(out)
    }),
    samples: samples(&["[6] 0 3 1", "[2,7] -1 2 3", "[4,3]T 0 2 1"]),
    method: false,
    example: example("torch.arange(5.0).unfold(0, 2, 1)"),
    ..PICK
};

/// Puts a call of `as_strided` in terms of its operand's row-major elements; where it is not
/// row-major, or the call reaches beyond it, the operand is the storage itself.
pub(crate) fn prepare_strided(src: &mut [Operand], attrs: &mut Attrs) -> Result<()> {
    let x = src[0].clone();
    let (sizes, strides) = (attrs[0].as_ints(), attrs[1].as_ints());
    if sizes.len() != strides.len() {
        return Err(Error::runtime(format!(
            "as_strided: mismatch in length of strides and shape: got size {sizes:?} and stride {strides:?}"
        )));
    }
    if let Some(size) = sizes.iter().find(|&&n| n < 0) {
        return Err(Error::runtime(format!(
            "as_strided: got size {size} in {sizes:?}; sizes may not be negative"
        )));
    }
    if strides.iter().any(|&s| s < 0) {
        return Err(Error::runtime(format!(
            "as_strided: Negative strides are not supported at the moment, got strides: {strides:?}"
        )));
    }
    let view = x.view();
    let offset = match attrs[2] {
        Attr::None => view.offset as i64,
        _ => attrs[2].as_int(),
    };
    if offset < 0 {
        return Err(Error::runtime(format!(
            "as_strided: Tensor: invalid storage offset {offset}"
        )));
    }
    let shape: Shape = sizes
        .iter()
        .map(|&n| shape::size("as_strided", n))
        .collect::<Result<_>>()?;
    shape::check_size("as_strided", &shape)?;
    let stored = x.storage_len() as i128;
    let last = sizes
        .iter()
        .zip(strides)
        .map(|(&n, &s)| (i128::from(n) - 1).saturating_mul(i128::from(s)))
        .fold(i128::from(offset), i128::saturating_add);
    let is_empty = shape::numel(&shape) == 0;
    if !is_empty && last >= stored {
        return Err(Error::runtime(format!(
            "as_strided: sizes {sizes:?}, strides {strides:?}, storage offset {offset} reach element {last}, out of bounds for storage of {stored} elements"
        )));
    }
    let start = view.offset as i64;
    let inside =
        view.is_contiguous() && offset >= start && last < start as i128 + view.numel() as i128;
    attrs[2] = match inside || is_empty {
        true if is_empty => Attr::Int(0),
        true => Attr::Int(offset - start),
        #[cfg(feature = "full")]
        false => {
            src[0] = x.whole_storage()?;
            Attr::Int(offset)
        }
        #[cfg(not(feature = "full"))]
        false => {
            return Err(Error::not_implemented(
                "as_strided: this build reaches no elements beyond the tensor's own",
            ));
        }
    };
    Ok(())
}

/// The view that `AS_STRIDED` and `WRITE` hold in their attributes.
pub(crate) fn view_of(node: &crate::node::Node) -> View {
    View {
        shape: sizes(&node.attrs[0]),
        strides: node.attrs[1]
            .as_ints()
            .iter()
            .map(|&s| s as isize)
            .collect(),
        offset: node.attrs[2].as_int() as isize,
    }
}

/// A view as attributes.
pub(crate) fn view_attrs(view: &View) -> crate::op::Attrs {
    smallvec![
        shape_attr(&view.shape),
        Attr::Ints(view.strides.iter().map(|&s| s as i64).collect()),
        Attr::Int(view.offset as i64),
    ]
}
