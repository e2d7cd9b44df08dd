//! What calls with several tensors as results start from. Each result is an op of its own, so that the graph shows what
//! it is and a gradient flows through each; a call only puts them together.

use crate::op::{MultiOutputOp, PythonFace};

/// What the definitions start from.
pub(crate) const MULTI_OUTPUT: MultiOutputOp = MultiOutputOp {
    name: "",
    doc: "",
    params: &[],
    fields: &[],
    parts: &[],
    call: |_, _, _| Ok(Vec::new()),
    samples: &[],
    domain: (-2.0, 2.0),
    example: "",
    method: true,
    is_differentiable: true,
    python: &PythonFace::PLAIN,
};
