//! Movement: the same elements through another view. Nothing is copied; each gradient is the
//! inverse movement.

pub mod diagonals;
pub mod join;
pub mod pad;
pub mod pieces;
pub mod repeats;
pub mod resize;
pub mod views;

pub(crate) use views::{view_attrs, view_of};

use smallvec::{SmallVec, smallvec};

use crate::op::ParamKind::{Int, Ints, Tensor};
use crate::op::{Attr, Kind, Meta, Op, Out, Vjp, example, optional, param, samples};
use crate::op::{PythonFace, face};
use crate::ops::{BASE, dim_of, grad1, sizes};
use crate::shape::{self, Shape};
use crate::{Error, View};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &RESHAPE, &PERMUTE, &TRANSPOSE, &T, &EXPAND, &SQUEEZE, &UNSQUEEZE, &FLATTEN, &NARROW, &SELECT,
    &FLIP,
];

/// A movement of one tensor.
const MOVE: Op = Op {
    params: &[param("input", Tensor)],
    out: Out::None,
    ..BASE
};

/// Back to the shape of the operand.
const RESHAPED: Op = Op {
    rules: &["{gy}, in the shape of {a}"],
    kind: Kind::Movement(|view, node| view.reshape(&node.shape)),
    vjp: Vjp::Rule(|b| grad1(b.gy.reshape(b.src[0].shape()))),
    grad_fn_for: copied,
    ..MOVE
};

/// PyTorch's name where strides did not allow a view.
fn copied(node: &crate::node::Node) -> Option<&'static str> {
    let src = node.src.borrow();
    let copy = src.first()?;
    std::ptr::eq(copy.op, &crate::ops::convert::CONTIGUOUS).then_some("UnsafeViewBackward0")
}

/// Another shape with as many elements.
pub static RESHAPE: Op = Op {
    name: "reshape",
    grad_fn: "ViewBackward0",
    symbol: "reshape",
    formula: "y = a, in another shape",
    doc: "The same elements in another shape; one size may be −1. A copy only if strides do not allow a view.",
    params: &[param("input", Tensor), param("shape", Ints)],
    infer: |op, src, attrs| {
        let shape = shape::infer_size(op.name, attrs[0].as_ints(), src[0].numel())?;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    samples: samples(&["[2,6] (3,-1)", "[4] (2,1,2)"]),
    ..RESHAPED
};

/// Dimensions in another order.
pub static PERMUTE: Op = Op {
    name: "permute",
    grad_fn: "PermuteBackward0",
    symbol: "permute",
    formula: "y = a, dimensions reordered",
    rules: &["{gy}, dimensions put back"],
    doc: "The dimensions in another order.",
    params: &[param("input", Tensor), param("dims", Ints)],
    infer: |op, src, attrs| {
        let list = attrs[0].as_ints();
        let n = src[0].shape.len();
        if list.len() != n || shape::dims(op.name, list, n)?.len() != n {
            return Err(Error::runtime(format!(
                "permute: got {} dims for a tensor with {n} dimensions of shape {}; name each dimension once",
                list.len(),
                shape::show(&src[0].shape)
            )));
        }
        let shape = order_of(list).iter().map(|&d| src[0].shape[d]).collect();
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| Some(view.permute(&order_of(node.attrs[0].as_ints())))),
    vjp: Vjp::Rule(|b| {
        let order = order_of(b.attr(0).as_ints());
        let mut inverse: SmallVec<[usize; 6]> = smallvec![0; order.len()];
        for (i, &d) in order.iter().enumerate() {
            inverse[d] = i;
        }
        grad1(b.gy.permute(&inverse))
    }),
    samples: samples(&["[2,3,4] (2,0,1)"]),
    ..MOVE
};

fn order_of(list: &[i64]) -> SmallVec<[usize; 6]> {
    let n = list.len() as i64;
    list.iter()
        .map(|&d| if d < 0 { d + n } else { d } as usize)
        .collect()
}

/// Two dimensions of a shape, swapped.
fn swapped(node_shape: &[usize], a: usize, b: usize) -> SmallVec<[usize; 6]> {
    let mut order: SmallVec<[usize; 6]> = (0..node_shape.len()).collect();
    if !order.is_empty() {
        order.swap(a, b);
    }
    order
}

/// Two dimensions swapped.
pub static TRANSPOSE: Op = Op {
    name: "transpose",
    grad_fn: "TransposeBackward0",
    symbol: "T",
    formula: "y = aᵀ",
    rules: &["{gy}ᵀ"],
    doc: "Two dimensions swapped.",
    params: &[
        param("input", Tensor),
        param("dim0", Int),
        param("dim1", Int),
    ],
    infer: |op, src, attrs| {
        let a = dim_of(op, &src[0].shape, &attrs[0])?;
        let b = dim_of(op, &src[0].shape, &attrs[1])?;
        let shape = swapped(&src[0].shape, a, b)
            .iter()
            .map(|&d| src[0].shape[d])
            .collect();
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| {
        let a = dim_of(node.op, &node.shape, &node.attrs[0]).ok()?;
        let b = dim_of(node.op, &node.shape, &node.attrs[1]).ok()?;
        Some(view.permute(&swapped(&node.shape, a, b)))
    }),
    vjp: Vjp::Rule(|b| grad1(b.gy.call(&TRANSPOSE, &[], b.node.attrs.clone()))),
    samples: samples(&["[2,3,4] 0 -1"]),
    ..MOVE
};

/// A matrix transposed; vectors stay as they are.
pub static T: Op = Op {
    name: "t",
    grad_fn: "TBackward0",
    symbol: "T",
    formula: "y = aᵀ",
    rules: &["{gy}ᵀ"],
    doc: "The transpose of a matrix; a vector stays as it is.",
    infer: |_, src, _| {
        let mut shape = src[0].shape.clone();
        if shape.len() > 2 {
            return Err(Error::runtime(format!(
                "t() expects a tensor with <= 2 dimensions, but self is {}D; use transpose(-1, -2)",
                shape.len()
            )));
        }
        shape.reverse();
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, _| {
        Some(
            view.permute(
                &(0..view.shape.len())
                    .rev()
                    .collect::<SmallVec<[usize; 6]>>(),
            ),
        )
    }),
    vjp: Vjp::Rule(|b| grad1(b.gy.call(&T, &[], smallvec![]))),
    ..MOVE
};

/// Size-1 dimensions stretched.
pub static EXPAND: Op = Op {
    name: "expand",
    python: face(&PythonFace {
        method_alone: true,
        ..PythonFace::PLAIN
    }),
    grad_fn: "ExpandBackward0",
    symbol: "expand",
    formula: "y = a, stretched",
    rules: &["{gy}, summed over what was stretched"],
    doc: "Dimensions of size 1 stretched to a size, new ones added in front; −1 keeps a size.",
    params: &[param("input", Tensor), param("size", Ints)],
    infer: |op, src, attrs| {
        let list = attrs[0].as_ints();
        let from = &src[0].shape;
        let wrong = |why: &str| {
            Error::runtime(format!(
                "expand: cannot expand shape {} to {list:?}: {why}",
                shape::show(from)
            ))
        };
        if list.len() < from.len() {
            return Err(wrong(
                "the number of sizes must be at least the number of dimensions",
            ));
        }
        let added = list.len() - from.len();
        let mut shape = Shape::new();
        for (i, &size) in list.iter().enumerate() {
            let old = i.checked_sub(added).map(|d| from[d]);
            shape.push(match (old, size) {
                (Some(old), -1) => old,
                (None, -1) => return Err(wrong("-1 is not allowed for a new dimension")),
                (_, size) if size < 0 => return Err(wrong("sizes may not be negative")),
                (Some(old), size) if old as i64 == size || old == 1 => shape::size(op.name, size)?,
                (None, size) => shape::size(op.name, size)?,
                (Some(old), size) => {
                    return Err(wrong(&format!("size {size} at dimension {i} does not match {old}, and only size 1 stretches")));
                }
            });
        }
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| Some(view.expand(&node.shape))),
    vjp: Vjp::Rule(|b| grad1(b.gy.sum_to(b.src[0].shape()))),
    samples: samples(&["[3,1] (2,-1,4)"]),
    ..MOVE
};

/// Without dimensions of size 1.
pub static SQUEEZE: Op = Op {
    name: "squeeze",
    grad_fn: "SqueezeBackward0",
    grad_fn_for: |node| (node.attrs[0] != Attr::None).then_some("SqueezeBackward1"),
    symbol: "squeeze",
    formula: "y = a, without dimensions of size 1",
    doc: "Without its dimensions of size 1, all of them or those named.",
    params: &[param("input", Tensor), optional("dim", Ints, Attr::None)],
    infer: |op, src, attrs| {
        // Where dimensions are named, an empty list names none.
        let dims = match &attrs[0] {
            Attr::Ints(list) if list.is_empty() => SmallVec::new(),
            dims => shape::dims(op.name, dims.as_ints(), src[0].shape.len())?,
        };
        let shape = (0..src[0].shape.len())
            .filter(|d| !(dims.contains(d) && src[0].shape[*d] == 1))
            .map(|d| src[0].shape[d])
            .collect();
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    samples: samples(&["[1,3,1]", "[1,3,1] (0)"]),
    ..RESHAPED
};

/// With a dimension of size 1.
pub static UNSQUEEZE: Op = Op {
    name: "unsqueeze",
    grad_fn: "UnsqueezeBackward0",
    symbol: "unsqueeze",
    formula: "y = a, with a dimension of size 1",
    doc: "With a dimension of size 1 put in.",
    params: &[param("input", Tensor), param("dim", Int)],
    infer: |op, src, attrs| {
        let mut shape = src[0].shape.clone();
        let dim = shape::dim(op.name, attrs[0].as_int(), shape.len() + 1)?;
        shape.insert(dim, 1);
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    samples: samples(&["[2,3] 1"]),
    ..RESHAPED
};

/// Several dimensions as one.
pub static FLATTEN: Op = Op {
    name: "flatten",
    grad_fn: "ViewBackward0",
    symbol: "flatten",
    formula: "y = a, dimensions merged",
    doc: "Several neighbouring dimensions as one.",
    params: &[
        param("input", Tensor),
        optional("start_dim", Int, Attr::Int(0)),
        optional("end_dim", Int, Attr::Int(-1)),
    ],
    infer: |op, src, attrs| {
        let from = &src[0].shape;
        let start = dim_of(op, from, &attrs[0])?;
        let end = dim_of(op, from, &attrs[1])?;
        if from.is_empty() {
            return Ok(Meta {
                shape: smallvec![1],
                dtype: src[0].dtype,
            });
        }
        if start > end {
            return Err(Error::runtime(format!(
                "flatten: start_dim {start} must not come after end_dim {end}"
            )));
        }
        let mut shape = Shape::from_slice(&from[..start]);
        shape.push(shape::numel(&from[start..=end]));
        shape.extend_from_slice(&from[end + 1..]);
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    samples: samples(&["[2,3,2] 1"]),
    ..RESHAPED
};

/// Elements `start, start + step, …`: attribute 0 holds dim, start, length and step.
pub static SLICE: Op = Op {
    name: "slice",
    grad_fn: "SliceBackward0",
    symbol: "[:]",
    formula: "y = part of a",
    rules: &["{gy} in its place, 0 elsewhere"],
    doc: "Part of one dimension.",
    infer: |op, src, attrs| {
        let &[dim, start, len, step] = attrs[0].as_ints() else {
            return Err(Error::type_("slice: expected dim, start, length and step"));
        };
        let mut shape = src[0].shape.clone();
        let dim = shape::dim(op.name, dim, shape.len())?;
        let n = shape.get(dim).copied().unwrap_or(0) as i64;
        let last = (start as i128) + (len as i128 - 1) * (step as i128);
        let inside = |i: i128| (0..i128::from(n)).contains(&i);
        if len < 0 || len > 0 && !(inside(i128::from(start)) && inside(last)) {
            return Err(Error::index(format!(
                "slice: {len} elements from {start} by {step} do not lie in dimension {dim} with size {n}"
            )));
        }
        shape[dim] = len as usize;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| {
        let &[dim, start, len, step] = node.attrs[0].as_ints() else {
            return None;
        };
        Some(view.slice(dim as usize, start as usize, len as usize, step as isize))
    }),
    vjp: Vjp::Rule(|b| {
        let &[dim, start, len, step] = b.attr(0).as_ints() else {
            return Err(Error::type_("slice: expected dim, start, length and step"));
        };
        let shape = b.src[0].shape();
        let at = View::contiguous(shape).slice(
            dim as usize,
            start as usize,
            len as usize,
            step as isize,
        );
        grad1(b.gy.zeros_like_shape(shape).write_at(&at, &b.gy))
    }),
    method: false,
    ..MOVE
};

/// `length` elements of a dimension.
pub static NARROW: Op = Op {
    name: "narrow",
    grad_fn: "SliceBackward0",
    symbol: "[:]",
    formula: "y = part of a",
    rules: &["{gy} in its place, 0 elsewhere"],
    doc: "Some neighbouring elements of one dimension.",
    params: &[
        param("input", Tensor),
        param("dim", Int),
        param("start", Int),
        param("length", Int),
    ],
    infer: |op, src, attrs| {
        if src[0].shape.is_empty() {
            return Err(Error::runtime(
                "narrow() cannot be applied to a 0-dim tensor.",
            ));
        }
        let dim = dim_of(op, &src[0].shape, &attrs[0])?;
        let n = src[0].shape[dim] as i64;
        let (start, len) = (attrs[1].as_int(), attrs[2].as_int());
        if len < 0 {
            return Err(Error::runtime(format!(
                "narrow(): length must be non-negative, got {len}"
            )));
        }
        if start < -n || start > n {
            return Err(Error::index(format!(
                "narrow: start out of range (expected to be in range of [{}, {n}], but got {start})",
                -n
            )));
        }
        let start = if start < 0 { start + n } else { start };
        if start.saturating_add(len) > n {
            return Err(Error::runtime(format!(
                "narrow: start ({start}) + length ({len}) exceeds dimension size ({n})"
            )));
        }
        let mut shape = src[0].shape.clone();
        shape[dim] = len as usize;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| {
        let (dim, start) = narrow_start(node, &view.shape)?;
        Some(view.slice(dim, start, node.shape[dim], 1))
    }),
    vjp: Vjp::Rule(|b| {
        let shape = b.src[0].shape();
        let Some((dim, start)) = narrow_start(b.node, shape) else {
            return Err(Error::index("narrow: dimension out of range"));
        };
        let at = View::contiguous(shape).slice(dim, start, b.node.shape[dim], 1);
        grad1(b.gy.zeros_like_shape(shape).write_at(&at, &b.gy))
    }),
    samples: samples(&["[2,5] 1 1 3"]),
    ..MOVE
};

fn narrow_start(node: &crate::node::Node, from: &[usize]) -> Option<(usize, usize)> {
    let dim = dim_of(node.op, from, &node.attrs[0]).ok()?;
    let start = node.attrs[1].as_int();
    let start = if start < 0 {
        start + from[dim] as i64
    } else {
        start
    };
    Some((dim, start as usize))
}

/// One element of a dimension, which goes.
pub static SELECT: Op = Op {
    name: "select",
    grad_fn: "SelectBackward0",
    symbol: "[i]",
    formula: "y = a[i]",
    rules: &["{gy} in its place, 0 elsewhere"],
    doc: "One index of a dimension; the dimension goes.",
    params: &[
        param("input", Tensor),
        param("dim", Int),
        param("index", Int),
    ],
    infer: |op, src, attrs| {
        if src[0].shape.is_empty() {
            return Err(Error::index(
                "select() cannot be applied to a 0-dim tensor.",
            ));
        }
        let dim = dim_of(op, &src[0].shape, &attrs[0])?;
        let (n, index) = (src[0].shape[dim] as i64, attrs[1].as_int());
        if index < -n || index >= n {
            return Err(Error::index(format!(
                "index {index} is out of bounds for dimension {dim} with size {n}"
            )));
        }
        let mut shape = src[0].shape.clone();
        shape.remove(dim);
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| {
        let (dim, index) = select_index(node, &view.shape)?;
        let mut view = view.slice(dim, index, 1, 1);
        view.shape.remove(dim);
        view.strides.remove(dim);
        Some(view)
    }),
    vjp: Vjp::Rule(|b| {
        let shape = b.src[0].shape();
        let Some((dim, index)) = select_index(b.node, shape) else {
            return Err(Error::index("select: dimension out of range"));
        };
        let at = View::contiguous(shape).slice(dim, index, 1, 1);
        grad1(
            b.gy.zeros_like_shape(shape)
                .write_at(&at, &b.gy.unsqueeze(dim)),
        )
    }),
    samples: samples(&["[2,5] 1 -2"]),
    ..MOVE
};

fn select_index(node: &crate::node::Node, from: &[usize]) -> Option<(usize, usize)> {
    let dim = dim_of(node.op, from, &node.attrs[0]).ok()?;
    let index = node.attrs[1].as_int();
    let index = if index < 0 {
        index + from[dim] as i64
    } else {
        index
    };
    Some((dim, index as usize))
}

/// Dimensions read backwards.
pub static FLIP: Op = Op {
    name: "flip",
    grad_fn: "FlipBackward0",
    symbol: "flip",
    formula: "y = a, backwards",
    rules: &["{gy}, backwards"],
    doc: "Dimensions read backwards.",
    params: &[param("input", Tensor), param("dims", Ints)],
    infer: |op, src, attrs| {
        shape::dims(op.name, attrs[0].as_ints(), src[0].shape.len())?;
        Ok(Meta {
            shape: src[0].shape.clone(),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| {
        let list = node.attrs[0].as_ints();
        if list.is_empty() {
            return Some(view.clone());
        }
        Some(view.flip(&shape::dims("flip", list, view.shape.len()).ok()?))
    }),
    vjp: Vjp::Rule(|b| grad1(b.gy.call(&FLIP, &[], b.node.attrs.clone()))),
    samples: samples(&["[2,3] (0,1)"]),
    ..MOVE
};

/// The elements named by a view of the operand's row-major storage: attributes are shape, strides
/// and offset. What a view becomes after a write to its base.
pub static AS_STRIDED: Op = Op {
    name: "as_strided",
    grad_fn: "AsStridedBackward0",
    symbol: "view",
    formula: "y = a through a view",
    rules: &["{gy} in its place, 0 elsewhere"],
    doc: "The storage of a tensor through other sizes and strides: a view.",
    params: &[
        param("input", Tensor),
        param("size", Ints),
        param("stride", Ints),
        optional("storage_offset", Int, Attr::None),
    ],
    prepare: Some(|_, src, attrs| crate::ops::views::prepare_strided(src, attrs)),
    infer: |_, src, attrs| {
        Ok(Meta {
            shape: sizes(&attrs[0]),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| {
        // The operand is row-major, so positions of the view are positions of its buffer.
        view.is_contiguous().then(|| {
            let mut seen = view_of(node);
            seen.offset += view.offset;
            seen
        })
    }),
    vjp: Vjp::Rule(crate::ops::views::placed),
    exact: true,
    samples: samples(&["[6] (2,2) (2,1) 1", "[5] (3,3) (1,1)", "[2,3] (4) (0)"]),
    example: example("torch.as_strided(torch.arange(5.0), (3, 3), (1, 1))"),
    out: Out::None,
    ..BASE
};
