//! Variance and standard deviation: `var`, `std`, `var_mean`, `std_mean`.

use smallvec::smallvec;

use crate::dtype::DType;
use crate::graph::{GraphValue, Operand};
use crate::node::NodeRef;
use crate::op::ParamKind::{Bool, Float, Ints, Tensor};
use crate::op::{
    Attr, Attrs, Backprop, Call, Kind, Meta, MultiOutputOp, Op, Param, SAVE_A, SAVE_Y, Vjp,
    example, optional, param, samples,
};
use crate::ops::formula::count;
use crate::ops::reduce::{REDUCE_SUM, REDUCTION, dims, infer_reduction, unreduced};
use crate::ops::{grad1, sum};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&VAR, &STD];

/// The calls of this family that give several tensors.
pub static CALLS: &[&MultiOutputOp] = &[&VAR_MEAN, &STD_MEAN];

static SPREAD_PARAMS: &[Param] = &[
    param("input", Tensor),
    optional("dim", Ints, Attr::None),
    optional("keepdim", Bool, Attr::Bool(false)),
    optional("correction", Float, Attr::Int(1)),
    optional("unbiased", Bool, Attr::None),
];

/// What is taken from the number of elements: `unbiased` is the older word for 1 or 0.
fn correction(attrs: &Attrs) -> f64 {
    match attrs.get(3) {
        Some(Attr::Bool(unbiased)) => f64::from(u8::from(*unbiased)),
        _ => attrs[2].as_float(),
    }
}

fn infer_spread(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    if !src[0].dtype.is_float() {
        return Err(Error::not_implemented(format!(
            "{}: std and var only support floating point and complex dtypes, got {}; convert the tensor with .float()",
            op.name, src[0].dtype
        )));
    }
    let both = matches!(attrs.get(3), Some(Attr::Bool(_))) && attrs[2] != Attr::Int(1);
    if both {
        return Err(Error::type_(format!(
            "{}() takes correction or unbiased, not both; leave unbiased out",
            op.name
        )));
    }
    infer_reduction(op, src, attrs)
}

/// Mean squared distance from the mean, over n − correction. On the processor float32 is summed in
/// float64, as in PyTorch, so that distances beyond 1.8e19 have squares; PyTorch's GPUs do not either.
fn variance(c: &Call) -> Result<GraphValue> {
    let on_cpu = c.src[0]
        .engine()
        .device_kind(c.node.device)
        .starts_with("cpu");
    let wide = match c.node.dtype {
        DType::F32 if on_cpu => DType::F64,
        dtype => dtype.compute(),
    };
    let dims = dims(c.node, &c.src[0])?;
    let n = count(c.src[0].shape(), &dims);
    // Widened twice, so that either reduction widens as it reads and no copy is stored.
    let mean = c.src[0].to(wide).reduce(&REDUCE_SUM, &dims) / n;
    let off = c.src[0].to(wide) - mean;
    let freedom = (n - correction(&c.node.attrs)).max(0.0);
    Ok(((&off * &off).reduce(&REDUCE_SUM, &dims) / freedom).reshape(&c.node.shape))
}

fn variance_grad(b: &Backprop, gy: &GraphValue) -> Result<GraphValue> {
    let x = &b.src[0];
    let dims = dims(b.node, x)?;
    let n = count(x.shape(), &dims);
    let over = smallvec![crate::ops::formula::dims_attr(&dims), Attr::Bool(true)];
    let off = x - x.call(&sum::MEAN, &[], over);
    // Unlike in the value, a negative number stays one, as in PyTorch. The number itself has all its
    // digits whatever the dtype.
    let freedom = n - correction(&b.node.attrs);
    let gy = unreduced(b, gy)?;
    let scaled = gy.to(gy.dtype().compute()) * (2.0 / freedom);
    Ok(scaled.to(gy.dtype()) * off)
}

/// The variance.
pub static VAR: Op = Op {
    name: "var",
    grad_fn: "VarBackward0",
    symbol: "var",
    formula: "y = Σ (a − mean)² / (n − correction)",
    rules: &["{gy} · 2 · ({a} − mean) / (n − correction)"],
    doc: "The variance of the elements, by default with Bessel's correction.",
    params: SPREAD_PARAMS,
    infer: infer_spread,
    kind: Kind::Composite(|c| Ok(variance(c)?.to(c.node.dtype))),
    vjp: Vjp::Rule(|b| grad1(variance_grad(b, &b.gy)?)),
    saves: [SAVE_A; 3],
    samples: samples(&["[2,3]", "[2,3,4] dim=(1) correction=0 keepdim=true"]),
    ..REDUCTION
};

/// The standard deviation.
pub static STD: Op = Op {
    name: "std",
    grad_fn: "StdBackward0",
    symbol: "std",
    formula: "y = √var(a)",
    rules: &["{gy} · ({a} − mean) / ((n − correction) · {y})"],
    doc: "The standard deviation of the elements, by default with Bessel's correction.",
    params: SPREAD_PARAMS,
    infer: infer_spread,
    kind: Kind::Composite(|c| Ok(variance(c)?.sqrt().to(c.node.dtype))),
    vjp: Vjp::Rule(|b| {
        let zero = b.gy.number(0.0);
        let flat = b.y.eq(&zero);
        let gy = flat.select(&zero, &(&b.gy / (&b.y * 2.0)));
        grad1(variance_grad(b, &gy)?)
    }),
    saves: [SAVE_A | SAVE_Y; 3],
    samples: samples(&["[2,3]", "[2,3,4] dim=(1) correction=0 keepdim=true"]),
    ..REDUCTION
};

static VAR_WITH_MEAN: Op = Op {
    name: "var_mean",
    grad_fn: "VarMeanBackward0",
    ..VAR
};

static STD_WITH_MEAN: Op = Op {
    name: "std_mean",
    grad_fn: "StdMeanBackward0",
    ..STD
};

static MEAN_WITH_VAR: Op = Op {
    grad_fn: "VarMeanBackward0",
    grad_fn_for: |_| None,
    ..sum::MEAN
};

static MEAN_WITH_STD: Op = Op {
    grad_fn: "StdMeanBackward0",
    ..MEAN_WITH_VAR
};

/// A spread and the mean, which has its dimensions only.
fn with_mean(
    engine: &crate::graph::Engine,
    src: &[Operand],
    attrs: &Attrs,
    (spread, mean): (&'static Op, &'static Op),
) -> Result<Vec<Operand>> {
    let dims: Attrs = attrs[..2].iter().cloned().collect();
    Ok(vec![
        Operand::apply(engine, spread, src, attrs.clone())?,
        Operand::apply(engine, mean, src, dims)?,
    ])
}

/// Variance and mean.
pub static VAR_MEAN: MultiOutputOp = MultiOutputOp {
    name: "var_mean",
    doc: "The variance and the mean of the elements.",
    params: SPREAD_PARAMS,
    parts: &[&VAR_WITH_MEAN, &MEAN_WITH_VAR],
    call: |engine, src, attrs| with_mean(engine, src, attrs, (&VAR_WITH_MEAN, &MEAN_WITH_VAR)),
    samples: samples(&["[2,3]", "[2,3,4] dim=1 keepdim=true correction=0"]),
    example: example("torch.var_mean(torch.tensor([1.0, 2.0, 4.0]))"),
    method: false,
    ..crate::ops::multi_output::MULTI_OUTPUT
};

/// Standard deviation and mean.
pub static STD_MEAN: MultiOutputOp = MultiOutputOp {
    name: "std_mean",
    doc: "The standard deviation and the mean of the elements.",
    parts: &[&STD_WITH_MEAN, &MEAN_WITH_STD],
    call: |engine, src, attrs| with_mean(engine, src, attrs, (&STD_WITH_MEAN, &MEAN_WITH_STD)),
    example: example("torch.std_mean(torch.tensor([1.0, 2.0, 4.0]))"),
    ..VAR_MEAN
};
