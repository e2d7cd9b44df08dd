//! Dimensions in another order: `permute`, `transpose`, `t`, `swapaxes`, `movedim`.

use smallvec::{SmallVec, smallvec};

use crate::op::ParamKind::{Int, Ints, Tensor};
use crate::op::{Attrs, Kind, Meta, Op, Out, Vjp, example, param, samples};
use crate::ops::movement::MOVE;
use crate::ops::{BASE, dim_of, grad1};
use crate::{Error, Result, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&PERMUTE, &TRANSPOSE, &T, &SWAPAXES, &MOVEDIM];

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
