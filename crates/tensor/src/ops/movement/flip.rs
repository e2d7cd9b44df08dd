//! Dimensions turned round: `flip`, `fliplr`, `flipud`, `roll`, `rot90`.

use smallvec::{SmallVec, smallvec};

use crate::graph::GraphValue;
use crate::op::ParamKind::{Int, Ints, Tensor};
use crate::op::{
    Attr, Attrs, Infinities, Kind, Meta, Op, Out, Vjp, example, optional, param, samples,
};
use crate::ops::formula::dims_attr;
use crate::ops::movement::MOVE;
use crate::ops::{BASE, grad1};
use crate::view::View;
use crate::{Error, Result, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&FLIP, &FLIPLR, &FLIPUD, &ROLL, &ROT90];

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
    infinities: Infinities::Chooses,
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
    infinities: Infinities::Chooses,
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
    infinities: Infinities::Chooses,
    ..BASE
};
