//! Calls that give several tensors. Each result is an op of its own, so that the graph shows what it
//! is and a gradient flows through each; this file only puts them together.

use crate::graph::Operand;
use crate::op::ParamKind::{Bool, Int, Tensor};
use crate::op::{Attr, MultiOutputOp, example, optional, param, samples};
use crate::op::{PythonFace, face};
use crate::ops::reduce;

/// The calls of this family.
pub static CALLS: &[&MultiOutputOp] = &[&MAX_DIM, &MIN_DIM];

/// What the definitions start from.
pub(crate) const BASE: MultiOutputOp = MultiOutputOp {
    name: "",
    doc: "",
    params: &[],
    fields: &[],
    call: |_, _, _| Ok(Vec::new()),
    samples: &[],
    domain: (-2.0, 2.0),
    example: "",
    method: true,
    python: &PythonFace::PLAIN,
};

/// `max` along a dimension: the Python module chooses it where a dimension is given.
pub static MAX_DIM: MultiOutputOp = MultiOutputOp {
    name: "max_dim",
    python: face(&PythonFace {
        part_of: "max",
        is_form: true,
        ..PythonFace::PLAIN
    }),
    doc: "The largest elements along a dimension, and where they are.",
    params: &[
        param("input", Tensor),
        param("dim", Int),
        optional("keepdim", Bool, Attr::Bool(false)),
    ],
    fields: &["values", "indices"],
    call: |engine, src, attrs| {
        Ok(vec![
            Operand::apply(engine, &reduce::MAX_DIM, src, attrs.clone())?,
            Operand::apply(engine, &reduce::ARGMAX, src, attrs.clone())?,
        ])
    },
    samples: samples(&["[2,5] 1", "[3,2,4] dim=0 keepdim=true"]),
    example: example("torch.max(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), dim=1)"),
    method: false,
    ..BASE
};

/// `min` along a dimension.
pub static MIN_DIM: MultiOutputOp = MultiOutputOp {
    name: "min_dim",
    python: face(&PythonFace {
        part_of: "min",
        is_form: true,
        ..PythonFace::PLAIN
    }),
    doc: "The smallest elements along a dimension, and where they are.",
    call: |engine, src, attrs| {
        Ok(vec![
            Operand::apply(engine, &reduce::MIN_DIM, src, attrs.clone())?,
            Operand::apply(engine, &reduce::ARGMIN, src, attrs.clone())?,
        ])
    },
    example: example("torch.min(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), dim=1)"),
    ..MAX_DIM
};
