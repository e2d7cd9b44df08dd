//! The ops that the graph itself needs: leaves and numbers, and the same elements once more (in another dtype,
//! row-major, on another device, off the tape).

use super::{GraphValue, NodeRef};
use crate::Result;
use crate::body;
use crate::op::ParamKind::{self, Tensor};
use crate::op::{Attr, Attrs, Grads, Kind, Meta, Op, Out, Promote, Vjp, param, samples};
use crate::op::{Counts, Infinities, Poles};
use crate::op::{PythonFace, face};

/// A leaf: data, or a parameter (then an alias of its value).
pub static LEAF: Op = Op {
    name: "leaf",
    symbol: "",
    ..BASE
};

/// A number.
pub static NUMBER: Op = Op {
    name: "number",
    symbol: "",
    ..BASE
};

/// What a user's own `autograd.Function` made: sources, then the value it is an alias of.
pub static CUSTOM: Op = Op {
    name: "custom",
    symbol: "f",
    ..BASE
};

/// What the definitions below start from.
pub(crate) const BASE: Op = Op {
    name: "",
    grad_fn: "",
    grad_fn_for: |_| None,
    symbol: "",
    formula: "",
    rules: &[],
    doc: "",
    params: &[],
    promote: Promote::Keep,
    variant: |op, attrs| (op, attrs),
    check: |_, _| Ok(()),
    infer: same_as_first,
    prepare: None,
    kind: Kind::Leaf,
    vjp: Vjp::None("it is made, not computed"),
    saves: [0; 3],
    reads: 0,
    domain: (-2.0, 2.0),
    exact: false,
    wide_numbers: false,
    constants: 0,
    same_elements: false,
    with_number: None,
    indexes: false,
    numbers: 0,
    samples: &[],
    example: "",
    method: true,
    functional: false,
    out: Out::Same,
    python: &PythonFace::PLAIN,
    spatial: 0,
    counts: Counts::Nothing,
    element_by_element: false,
    infinities: Infinities::Carries,
    poles: Poles::None,
};

/// The result looks like the first operand.
pub(crate) fn same_as_first(_: &Op, src: &[NodeRef], _: &Attrs) -> Result<Meta> {
    Ok(Meta {
        shape: src[0].shape.clone(),
        dtype: src[0].dtype,
    })
}

/// One gradient.
pub(crate) fn grad1(a: GraphValue) -> Result<Grads> {
    Ok(smallvec::smallvec![Some(a)])
}

/// In another dtype. Floats become integers by dropping the fraction; out of range they saturate,
/// NaN becomes 0.
pub static TO: Op = Op {
    name: "to",
    python: face(&PythonFace {
        has_method: true,
        method_alone: true,
        ..PythonFace::PLAIN
    }),
    grad_fn: "ToCopyBackward0",
    symbol: "to",
    formula: "y = a, as another dtype",
    rules: &["{gy}"],
    doc: "The tensor in another dtype.",
    params: &[param("input", Tensor), param("dtype", ParamKind::DType)],
    infer: |_, src, attrs| {
        let Attr::DType(dtype) = attrs[0] else {
            return Err(crate::Error::type_(
                "to: expected a dtype such as torch.float32",
            ));
        };
        Ok(Meta {
            shape: src[0].shape.clone(),
            dtype,
        })
    },
    // The scheduler casts to the node's dtype.
    kind: Kind::Elementwise(body!(|x| x.clone())),
    vjp: Vjp::Rule(|b| grad1(b.gy.to(b.src[0].dtype()))),
    samples: samples(&[
        "[2,3] bool",
        "[2,3] uint8",
        "[2,3] int8",
        "[2,3] int16",
        "[2,3] int32",
        "[2,3] int64",
        "[2,3] uint16",
        "[2,3] uint32",
        "[2,3] uint64",
        "[2,3] float16",
        "[2,3] bfloat16",
        "[2,3] float32",
        "[2,3] float64",
    ]),
    same_elements: true,
    method: false,
    out: Out::None,
    ..BASE
};

/// On another device. No op of the registry: `.to(device)` makes it.
pub(crate) static TO_DEVICE: Op = Op {
    name: "to",
    grad_fn: "ToCopyBackward0",
    symbol: "to",
    formula: "y = a, on another device",
    rules: &["{gy}"],
    doc: "The tensor on another device.",
    params: &[param("input", Tensor)],
    kind: Kind::Elementwise(body!(|x| x.clone())),
    // The backward pass brings each gradient to where its tensor is.
    vjp: Vjp::Rule(|b| grad1(b.gy.clone())),
    same_elements: true,
    method: false,
    ..BASE
};

/// A copy.
pub static CLONE: Op = Op {
    name: "clone",
    grad_fn: "CloneBackward0",
    symbol: "clone",
    formula: "y = a",
    rules: &["{gy}"],
    doc: "A copy with a storage of its own.",
    params: &[param("input", Tensor)],
    kind: Kind::Elementwise(body!(|x| x.clone())),
    vjp: Vjp::Rule(|b| grad1(b.gy.clone())),
    same_elements: true,
    out: Out::None,
    ..BASE
};

/// Row-major; copied only where it is not. The scheduler treats it as an alias where it can.
pub static CONTIGUOUS: Op = Op {
    name: "contiguous",
    python: face(&PythonFace {
        has_method: true,
        method_alone: true,
        ..PythonFace::PLAIN
    }),
    grad_fn: "CloneBackward0",
    symbol: "contiguous",
    formula: "y = a, row by row",
    rules: &["{gy}"],
    doc: "The tensor with its elements in row-major order; a copy only if they are not.",
    params: &[param("input", Tensor)],
    kind: Kind::Elementwise(body!(|x| x.clone())),
    vjp: Vjp::Rule(|b| grad1(b.gy.clone())),
    same_elements: true,
    method: false,
    out: Out::None,
    ..BASE
};

/// The same storage, off the tape.
pub static DETACH: Op = Op {
    name: "detach",
    python: face(&PythonFace {
        has_method: true,
        ..PythonFace::PLAIN
    }),
    symbol: "detach",
    formula: "y = a",
    doc: "The same storage, cut from the graph: no gradient flows back.",
    params: &[param("input", Tensor)],
    kind: Kind::Movement(|view, _| Some(view.clone())),
    vjp: Vjp::None("detach cuts the graph"),
    same_elements: true,
    method: false,
    ..BASE
};
