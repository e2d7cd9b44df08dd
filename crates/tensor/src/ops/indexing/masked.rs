//! Elements chosen by a mask: `where`, `masked_fill`, `masked_select`, `masked_scatter`.
//!
//! How many elements a mask chooses decides the shape of `masked_select`: such a call reads its mask, and the
//! positions become an operand of the op.

use smallvec::smallvec;

use crate::dtype::{self, DType};
use crate::graph::{GraphValue, Operand};
use crate::node::NodeRef;
use crate::op::ParamKind::Tensor;
use crate::op::{
    Infinities, Kind, Meta, Op, Out, Promote, PythonFace, SAVE_A, SAVE_B, Vjp, example, face,
    param, samples,
};
use crate::ops::BASE;
use crate::ops::nonzero::{places, push_places};
use crate::ops::shared::check_value;
use crate::shape::{self, Shape};
use crate::{Error, Result, body};

/// The ops of this family.
pub static OPS: &[&Op] = &[&WHERE, &MASKED_FILL, &MASKED_SELECT, &MASKED_SCATTER];

/// Those that PyTorch also has in place, beside what `scatter` lists: `x.masked_fill_(…)`.
pub static IN_PLACE: &[&Op] = &[&MASKED_FILL];

/// condition ? a : b
pub static WHERE: Op = Op {
    name: "where",
    python: face(&PythonFace {
        has_method: true,
        ..PythonFace::PLAIN
    }),
    grad_fn: "WhereBackward0",
    symbol: "where",
    formula: "y = b where a, else c",
    rules: &["", "{gy} where {a}, else 0", "0 where {a}, else {gy}"],
    doc: "The second tensor where the condition holds, the third elsewhere.",
    params: &[
        param("condition", Tensor),
        param("input", Tensor),
        param("other", Tensor),
    ],
    promote: Promote::Rest,
    infer: |op, src, attrs| {
        if src[0].dtype != DType::Bool {
            return Err(Error::runtime(format!(
                "where: expected condition to be a boolean tensor, but got a tensor with dtype {}; compare it with something, such as x != 0",
                src[0].dtype.scalar_name()
            )));
        }
        crate::ops::broadcast_all(op, src, attrs)
    },
    prepare: Some(|op, src, _| {
        let sides = src[1..].iter().map(|s| (s.dtype(), s.node().rank()));
        // Sides that do not meet are refused when they are asked to.
        let Ok(dtype) = dtype::promote(sides) else {
            return Ok(());
        };
        let numbers = src[1..].iter().filter_map(|s| {
            let node = s.node();
            node.number.filter(|_| node.is_python_number)
        });
        numbers
            .into_iter()
            .try_for_each(|number| number.check_fits_or_half(op.name, dtype))
    }),
    kind: Kind::Elementwise(body!(|c, a, b| c.select(a, b))),
    vjp: Vjp::Rule(|b| {
        let zero = b.gy.number(0.0);
        let condition = &b.src[0];
        Ok(smallvec![
            None,
            b.needs(1).then(|| condition.select(&b.gy, &zero)),
            b.needs(2).then(|| condition.select(&zero, &b.gy)),
        ])
    }),
    saves: [SAVE_A; 3],
    samples: samples(&["[2,1]? [2,3] [3]"]),
    method: false,
    infinities: Infinities::Chooses,
    ..BASE
};

/// The tensor, with a number where the mask holds.
pub static MASKED_FILL: Op = Op {
    name: "masked_fill",
    element_by_element: true,
    grad_fn: "MaskedFillBackward0",
    symbol: "fill",
    formula: "y = value where b, else a",
    rules: &["0 where {b}, else {gy}"],
    doc: "A tensor with a value put in where a mask is true.",
    params: &[
        param("input", Tensor),
        param("mask", Tensor),
        param("value", Tensor),
    ],
    infer: |op, src, _| {
        if src[1].dtype != DType::Bool {
            return Err(Error::runtime(format!(
                "masked_fill: expected a boolean mask, got {}; compare something to get one",
                src[1].dtype
            )));
        }
        if !src[2].shape.is_empty() {
            return Err(Error::runtime(format!(
                "masked_fill: value must be a number or a 0-dimensional tensor, got shape {}",
                shape::show(&src[2].shape)
            )));
        }
        let shape = shape::broadcast(op.name, &src[0].shape, &src[1].shape)?;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    prepare: Some(|op, src, _| check_value(op, &src[0], &src[2])),
    kind: Kind::Composite(|c| {
        let value = c.src[2].to(c.node.dtype);
        Ok(c.src[1].select(&value, &c.src[0]))
    }),
    vjp: Vjp::Rule(|b| {
        let zero = b.gy.number(0.0);
        let mask = &b.src[1];
        Ok(smallvec![
            b.needs(0).then(|| mask.select(&zero, &b.gy)),
            None,
            b.needs(2).then(|| mask.select(&b.gy, &zero)),
        ])
    }),
    saves: [SAVE_B; 3],
    numbers: 0b100,
    samples: samples(&["[2,3] [3]? []"]),
    out: Out::None,
    infinities: Infinities::Chooses,
    ..BASE
};

fn expect_mask(op: &Op, mask: &NodeRef) -> Result<()> {
    if mask.dtype == DType::Bool {
        return Ok(());
    }
    Err(Error::runtime(format!(
        "{}: expected BoolTensor for mask, got {}: only boolean masks are supported; compare something to get one, or use .bool()",
        op.name, mask.dtype
    )))
}

fn met(op: &Op, src: &[Operand]) -> Result<Shape> {
    expect_mask(op, &src[1].node())?;
    shape::broadcast(op.name, &src[0].shape(), &src[1].shape())
}

/// An operand stretched to where it meets the mask, as rows of one.
fn rows(x: &GraphValue, mask: &GraphValue) -> Result<GraphValue> {
    let shape = shape::broadcast("mask", x.shape(), mask.shape())?;
    Ok(x.expand(&shape).reshape(&[shape::numel(&shape), 1]))
}

/// Elements where a mask holds.
pub static MASKED_SELECT: Op = Op {
    name: "masked_select",
    grad_fn: "MaskedSelectBackward0",
    symbol: "[mask]",
    formula: "y = a where b",
    rules: &["{gy} where it was chosen, 0 elsewhere"],
    doc: "The elements where a mask is true, as a vector.",
    params: &[param("input", Tensor), param("mask", Tensor)],
    prepare: Some(|op, src, _| {
        let shape = met(op, src)?;
        let found = places(&src[1], &shape)?;
        push_places(src, &found)
    }),
    infer: |op, src, _| {
        expect_mask(op, &src[1])?;
        Ok(Meta {
            shape: smallvec![src.get(2).map_or(0, |places| places.numel())],
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let taken = rows(&c.src[0], &c.src[1])?.gather_rows(&c.src[2]);
        Ok(taken.reshape(&c.node.shape))
    }),
    vjp: Vjp::Lowered,
    saves: [SAVE_A | SAVE_B; 3],
    exact: true,
    samples: samples(&["[2,3] [2,3]?", "[3] [2,3]?", "[3,2]T [2]?"]),
    example: example(
        "torch.masked_select(torch.tensor([1.0, -2.0, 3.0]), torch.tensor([True, False, True]))",
    ),
    infinities: Infinities::Chooses,
    ..BASE
};

/// Values put where a mask holds, one after the other.
pub static MASKED_SCATTER: Op = Op {
    name: "masked_scatter",
    grad_fn: "MaskedScatterBackward0",
    symbol: "[mask]=",
    formula: "y = a; y[b] = c, one after the other",
    rules: &[
        "0 where {b}, {gy} elsewhere",
        "",
        "{gy} where {b}, one after the other",
    ],
    doc: "The elements of another tensor, one after the other, where a mask is true.",
    params: &[
        param("input", Tensor),
        param("mask", Tensor),
        param("source", Tensor),
    ],
    prepare: Some(|op, src, _| {
        let shape = met(op, src)?;
        let found = places(&src[1], &shape)?;
        if found.len() > src[2].numel() {
            return Err(Error::runtime(format!(
                "masked_scatter: Number of elements of source < number of ones in mask: got {} for {}",
                src[2].numel(),
                found.len()
            )));
        }
        push_places(src, &found)
    }),
    infer: |op, src, _| {
        expect_mask(op, &src[1])?;
        if src[0].dtype != src[2].dtype {
            return Err(Error::runtime(format!(
                "masked_scatter: expected self and source to have same dtypes but got {} and {}; convert source with .to({})",
                src[0].dtype.scalar_name(),
                src[2].dtype.scalar_name(),
                src[0].dtype
            )));
        }
        Ok(Meta {
            shape: shape::broadcast(op.name, &src[0].shape, &src[1].shape)?,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let (source, places) = (&c.src[2], &c.src[3]);
        let n = places.node().numel();
        let values = source
            .reshape(&[source.node().numel(), 1])
            .slice(0, 0, n, 1);
        let put = rows(&c.src[0], &c.src[1])?.scatter_rows(places, &values, "set");
        Ok(put.reshape(&c.node.shape))
    }),
    vjp: Vjp::Lowered,
    saves: [SAVE_B; 3],
    exact: true,
    samples: samples(&["[2,3] [2,3]? [6]", "[2,3]T [3]? [3,2]"]),
    example: example(
        "torch.zeros(3).masked_scatter(torch.tensor([True, False, True]), torch.tensor([5.0, 7.0]))",
    ),
    out: Out::None,
    infinities: Infinities::Chooses,
    ..BASE
};
