//! The same elements once more: in another dtype, in another buffer, off the tape.

use crate::body;
use crate::op::ParamKind::{self, Tensor};
use crate::op::{Attr, Kind, Meta, Op, Out, Vjp, param, samples};
use crate::ops::{BASE, grad1};

/// The ops of this family.
pub static OPS: &[&Op] = &[&TO, &CLONE, &CONTIGUOUS, &DETACH];

/// In another dtype. Floats become integers by dropping the fraction; out of range they saturate,
/// NaN becomes 0.
pub static TO: Op = Op {
    name: "to",
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
    // The walk back brings each gradient to where its tensor is.
    vjp: Vjp::Rule(|b| grad1(b.gy.clone())),
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
    out: Out::None,
    ..BASE
};

/// Row-major; copied only where it is not. The scheduler treats it as an alias where it can.
pub static CONTIGUOUS: Op = Op {
    name: "contiguous",
    grad_fn: "CloneBackward0",
    symbol: "contiguous",
    formula: "y = a, row by row",
    rules: &["{gy}"],
    doc: "The tensor with its elements in row-major order; a copy only if they are not.",
    params: &[param("input", Tensor)],
    kind: Kind::Elementwise(body!(|x| x.clone())),
    vjp: Vjp::Rule(|b| grad1(b.gy.clone())),
    method: false,
    out: Out::None,
    ..BASE
};

/// The same storage, off the tape.
pub static DETACH: Op = Op {
    name: "detach",
    symbol: "detach",
    formula: "y = a",
    doc: "The same storage, cut from the graph: no gradient flows back.",
    params: &[param("input", Tensor)],
    kind: Kind::Movement(|view, _| Some(view.clone())),
    vjp: Vjp::None("detach cuts the graph"),
    method: false,
    ..BASE
};
