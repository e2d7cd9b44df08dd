//! Whether elements hold, and how many: `any`, `all`, `count_nonzero`.

use smallvec::smallvec;

use crate::Result;
use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::node::NodeRef;
use crate::op::ParamKind::{Ints, Tensor};
use crate::op::{
    Attr, Attrs, Call, Infinities, Kind, Meta, Op, Out, Vjp, example, optional, param, samples,
};
use crate::ops::reduce::{REDUCE_PROD, REDUCE_SUM, REDUCTION, dims, infer_reduction};

/// The ops of this family.
pub static OPS: &[&Op] = &[&ANY, &ALL, &COUNT_NONZERO];

/// Of uint8 the answer is uint8, as in PyTorch.
fn infer_bool(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let dtype = match src[0].dtype {
        DType::U8 => DType::U8,
        _ => DType::Bool,
    };
    Ok(Meta {
        dtype,
        ..infer_reduction(op, src, attrs)?
    })
}

/// Zeros and ones that are added or multiplied, as true or false.
fn truth(c: &Call, reduction: &'static Op) -> Result<GraphValue> {
    let ones = c.src[0].to(DType::Bool).to(DType::I64);
    let total = ones.reduce(reduction, &dims(c.node, &c.src[0])?);
    Ok(total
        .to(DType::Bool)
        .to(c.node.dtype)
        .reshape(&c.node.shape))
}

/// Whether one is true.
pub static ANY: Op = Op {
    name: "any",
    symbol: "any",
    formula: "y = any a",
    doc: "Whether at least one element is true (not zero).",
    infer: infer_bool,
    kind: Kind::Composite(|c| truth(c, &REDUCE_SUM)),
    vjp: Vjp::None("its result is true or false"),
    out: Out::Same,
    ..REDUCTION
};

/// Whether all are true.
pub static ALL: Op = Op {
    name: "all",
    symbol: "all",
    formula: "y = all a",
    doc: "Whether every element is true (not zero).",
    infer: infer_bool,
    kind: Kind::Composite(|c| truth(c, &REDUCE_PROD)),
    vjp: Vjp::None("its result is true or false"),
    out: Out::Same,
    ..REDUCTION
};

/// How many are not zero.
pub static COUNT_NONZERO: Op = Op {
    name: "count_nonzero",
    symbol: "#",
    formula: "y = how many a ≠ 0",
    doc: "The number of elements that are not zero, of all or along dimensions.",
    params: &[param("input", Tensor), optional("dim", Ints, Attr::None)],
    infer: |op, src, attrs| {
        let meta = infer_reduction(op, src, &smallvec![attrs[0].clone(), Attr::Bool(false)])?;
        Ok(Meta {
            dtype: DType::I64,
            ..meta
        })
    },
    kind: Kind::Composite(|c| {
        let truth = c.src[0].to(DType::Bool).to(DType::I64);
        let total = truth.reduce(&REDUCE_SUM, &dims(c.node, &c.src[0])?);
        Ok(total.reshape(&c.node.shape))
    }),
    vjp: Vjp::None("its result is a count"),
    samples: samples(&["[2,3]", "[2,3] dim=1", "[2,3,2] dim=(0,2)", "[]"]),
    example: example("torch.count_nonzero(torch.tensor([0.0, 3.0, 0.0, 4.0]))"),
    out: Out::None,
    infinities: Infinities::Asks,
    ..REDUCTION
};
