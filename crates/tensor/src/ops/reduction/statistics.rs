//! Statistics along dimensions: variance, norms, counts, the most frequent element.

use smallvec::smallvec;

use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::graph::Operand;
use crate::node::NodeRef;
use crate::op::ParamKind::{self, Bool, Float, Int, Ints, Tensor};
use crate::op::{
    Attr, Attrs, Backprop, Call, Kind, Meta, MultiOutputOp, Op, Out, Param, Promote, SAVE_A,
    SAVE_Y, Vjp, example, optional, param, samples,
};
use crate::ops::formula::count;
use crate::ops::grad1;
use crate::ops::reduce::{
    self, REDUCE_MAX, REDUCE_MIN, REDUCE_SUM, REDUCTION, asked, dims, infer_reduction, unreduced,
};
use crate::ops::sort::{CHOSEN, at_least_1d, chosen, infer_one, order};
use crate::shape;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&VAR, &STD, &LOGSUMEXP, &NORM, &VECTOR_NORM, &COUNT_NONZERO];

/// The calls of this family that give several tensors.
pub static CALLS: &[&MultiOutputOp] = &[&VAR_MEAN, &STD_MEAN, &AMINMAX, &MODE];

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
    let off = x - x.call(&reduce::MEAN, &[], over);
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

/// ln Σ eˣ
pub static LOGSUMEXP: Op = Op {
    name: "logsumexp",
    grad_fn: "LogsumexpBackward0",
    symbol: "lse",
    formula: "y = ln Σ e^a",
    rules: &["{gy} · e^({a} − {y})"],
    doc: "The logarithm of the summed exponentials, safe from overflow.",
    params: &[
        param("input", Tensor),
        param("dim", Ints),
        optional("keepdim", Bool, Attr::Bool(false)),
    ],
    promote: Promote::Float,
    infer: infer_reduction,
    kind: Kind::Composite(|c| {
        let x = &c.src[0];
        let dims = dims(c.node, x)?;
        let largest = x.reduce(&REDUCE_MAX, &dims);
        // An infinite maximum would give ∞ − ∞.
        let infinite = largest.abs().eq(&largest.number(f64::INFINITY));
        let shift = infinite.select(&largest.number(0.0), &largest);
        let sum = (x - &shift).exp().reduce(&REDUCE_SUM, &dims);
        Ok((sum.log() + shift).reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| grad1(unreduced(b, &b.gy)? * (&b.src[0] - unreduced(b, &b.y)?).exp())),
    saves: [SAVE_A | SAVE_Y; 3],
    samples: samples(&["[2,3] (1)", "[2,3] (0,1) keepdim=true"]),
    ..REDUCTION
};

static NORM_PARAMS: &[Param] = &[
    param("input", Tensor),
    optional("p", Float, Attr::Float(2.0)),
    optional("dim", Ints, Attr::None),
    optional("keepdim", Bool, Attr::Bool(false)),
    optional("dtype", ParamKind::DType, Attr::None),
];

/// The attributes of a reduction: those of a norm after its order.
fn without_order(attrs: &Attrs) -> Attrs {
    attrs[1..].iter().cloned().collect()
}

fn infer_norm(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let (from, to) = (src[0].dtype, asked(attrs, 3));
    if !from.is_float() {
        return Err(Error::not_implemented(format!(
            "{}: Expected a floating point or complex tensor as input. Got {}; convert it with .float()",
            op.name,
            from.scalar_name()
        )));
    }
    if let Some(to) = to.filter(|to| !to.is_float()) {
        return Err(Error::runtime(format!(
            "{}: dtype should be floating point or complex, but got {}",
            op.name,
            to.scalar_name()
        )));
    }
    if let Some(to) = to.filter(|to| to.size() < from.size()) {
        return Err(Error::runtime(format!(
            "{}: the dtype of the input ({}) should be convertible without narrowing to the specified dtype ({})",
            op.name,
            from.scalar_name(),
            to.scalar_name()
        )));
    }
    let meta = infer_reduction(op, src, &without_order(attrs))?;
    let p = attrs[0].as_float();
    let dims = crate::ops::dims_of(op, &src[0].shape, &attrs[1])?;
    if (p < 0.0 || p.is_infinite()) && dims.iter().any(|&d| src[0].shape[d] == 0) {
        return Err(Error::runtime(format!(
            "{} cannot compute the {p} norm of an empty dimension of shape {} because the operation does not have an identity",
            op.name,
            shape::show(&src[0].shape)
        )));
    }
    Ok(Meta {
        dtype: to.unwrap_or(meta.dtype),
        ..meta
    })
}

fn power(x: &GraphValue, exponent: f64) -> GraphValue {
    let attrs = smallvec![Attr::Float(exponent)];
    x.call(&crate::ops::power::POW_SCALAR, &[], attrs)
}

fn norm(c: &Call) -> Result<GraphValue> {
    // Halves are rounded once, at the end.
    let x = c.src[0].to(c.node.dtype.compute());
    let dims = crate::ops::dims_of(c.node.op, x.shape(), c.attr(1))?;
    let p = c.attr(0).as_float();
    let norm = match p {
        0.0 => {
            let nonzero = x.call(&crate::ops::compare::NE, &[&x.number(0.0)], smallvec![]);
            nonzero.to(x.dtype()).reduce(&REDUCE_SUM, &dims)
        }
        1.0 => x.abs().reduce(&REDUCE_SUM, &dims),
        2.0 => (&x * &x).reduce(&REDUCE_SUM, &dims).sqrt(),
        f64::INFINITY => x.abs().reduce(&REDUCE_MAX, &dims),
        f64::NEG_INFINITY => x.abs().reduce(&REDUCE_MIN, &dims),
        _ => power(&power(&x.abs(), p).reduce(&REDUCE_SUM, &dims), 1.0 / p),
    };
    Ok(norm.to(c.node.dtype).reshape(&c.node.shape))
}

/// The gradient of a norm, as PyTorch has it where the norm is 0.
fn norm_vjp(b: &Backprop) -> Result<crate::op::Grads> {
    let x = b.src[0].to(b.gy.dtype());
    let dims = crate::ops::dims_of(b.node.op, x.shape(), b.attr(1))?;
    let kept = crate::ops::formula::kept(x.shape(), &dims);
    let (gy, y) = (b.gy.reshape(&kept), b.y.reshape(&kept));
    let zero = x.number(0.0);
    let p = b.attr(0).as_float();
    // 0 where the norm is 0.
    let guarded = |value: &GraphValue| y.eq(&zero).select(&zero, value);
    let grad = match p {
        // PyTorch gives no gradient at all.
        0.0 => return Ok(smallvec![None]),
        1.0 => x.sign() * gy,
        2.0 => &gy * guarded(&(&x / &y)),
        _ if p.is_infinite() => {
            let size = x.abs();
            let nan = size.call(&crate::ops::finite::ISNAN, &[], smallvec![]);
            let reached = size.eq(&y);
            let mask = reached
                .call(&crate::ops::compare::LOGICAL_OR, &[&nan], smallvec![])
                .to(x.dtype());
            let share = &gy / mask.sum(&dims, true);
            x.sign() * (share * mask)
        }
        _ if p < 1.0 => {
            let scaled = x.eq(&zero).select(&zero, &power(&x.abs(), p - 1.0));
            x.sign() * scaled * gy * power(&y, 1.0 - p)
        }
        _ => {
            let scaled = if p < 2.0 {
                x.sign() * power(&x.abs(), p - 1.0)
            } else {
                &x * power(&x.abs(), p - 2.0)
            };
            scaled * guarded(&(gy / power(&y, p - 1.0)))
        }
    };
    grad1(grad.to(b.src[0].dtype()))
}

/// The length of a vector, in the sense of a p-norm.
pub static NORM: Op = Op {
    name: "norm",
    grad_fn: "LinalgVectorNormBackward0",
    symbol: "‖·‖",
    formula: "y = (Σ |a|^p)^(1/p)",
    rules: &["{gy} · {a} / {y} for p = 2"],
    doc: "The p-norm of the elements: by default the Euclidean length.",
    params: NORM_PARAMS,
    infer: infer_norm,
    kind: Kind::Composite(norm),
    vjp: Vjp::Rule(norm_vjp),
    saves: [SAVE_A | SAVE_Y; 3],
    samples: samples(&[
        "[2,3]",
        "[2,3] p=1 dim=1",
        "[2,3,2] p=3 dim=(0,2) keepdim=true",
        "[2,3]@0.5..2 p=0.5 dim=0",
        "[2,3]@0.5..2 p=-1.5",
        "[2,3] p=inf dim=1",
        "[2,3]T p=-inf",
        "[2,3] p=1.5",
        "[]",
        "[3] dtype=float64",
    ]),
    example: example("torch.norm(torch.tensor([3.0, 4.0]))"),
    out: Out::Same,
    ..REDUCTION
};

/// `torch.linalg.vector_norm`
pub static VECTOR_NORM: Op = Op {
    name: "vector_norm",
    params: &[
        param("x", Tensor),
        optional("ord", Float, Attr::Float(2.0)),
        optional("dim", Ints, Attr::None),
        optional("keepdim", Bool, Attr::Bool(false)),
        optional("dtype", ParamKind::DType, Attr::None),
    ],
    samples: samples(&["[2,3]", "[2,3] ord=3 dim=1"]),
    example: example("torch.linalg.vector_norm(torch.tensor([3.0, 4.0]), ord=1)"),
    method: false,
    ..NORM
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
    ..reduce::MEAN
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
    call: |engine, src, attrs| with_mean(engine, src, attrs, (&VAR_WITH_MEAN, &MEAN_WITH_VAR)),
    samples: samples(&["[2,3]", "[2,3,4] dim=1 keepdim=true correction=0"]),
    example: example("torch.var_mean(torch.tensor([1.0, 2.0, 4.0]))"),
    method: false,
    ..crate::ops::multi_output::BASE
};

/// Standard deviation and mean.
pub static STD_MEAN: MultiOutputOp = MultiOutputOp {
    name: "std_mean",
    doc: "The standard deviation and the mean of the elements.",
    call: |engine, src, attrs| with_mean(engine, src, attrs, (&STD_WITH_MEAN, &MEAN_WITH_STD)),
    example: example("torch.std_mean(torch.tensor([1.0, 2.0, 4.0]))"),
    ..VAR_MEAN
};

static AMINMAX_MIN: Op = Op {
    name: "aminmax",
    grad_fn: "AminmaxBackward0",
    ..reduce::AMIN
};

static AMINMAX_MAX: Op = Op {
    name: "aminmax",
    grad_fn: "AminmaxBackward0",
    ..reduce::AMAX
};

/// The smallest and the largest.
pub static AMINMAX: MultiOutputOp = MultiOutputOp {
    name: "aminmax",
    doc: "The smallest and the largest element, of all or along a dimension.",
    params: &[
        param("input", Tensor),
        optional("dim", Int, Attr::None),
        optional("keepdim", Bool, Attr::Bool(false)),
    ],
    fields: &["min", "max"],
    call: |engine, src, attrs| {
        let each = |op| Operand::apply(engine, op, src, attrs.clone());
        Ok(vec![each(&AMINMAX_MIN)?, each(&AMINMAX_MAX)?])
    },
    samples: samples(&["[2,3]", "[2,3] dim=1 keepdim=true"]),
    example: example("torch.aminmax(torch.tensor([1.0, 3.0, 2.0]))"),
    ..crate::ops::multi_output::BASE
};

/// Where the last of the most frequent elements is: the longest run in order, the first of them.
static MODE_INDICES: Op = Op {
    name: "mode",
    symbol: "mode",
    infer: |op, src, attrs| infer_one(op, src, attrs, 0),
    kind: Kind::Composite(|c| {
        let x = at_least_1d(&c.src[0]);
        let dim = crate::ops::dim_of(c.node.op, x.shape(), c.attr(0))?;
        let along: Attrs = smallvec![Attr::Int(dim as i64)];
        let order = order(&x, dim, false);
        let sorted = x.call(&crate::ops::index::GATHER, &[&order], along.clone());
        // How long the run is so far: one more than before where the element is the same.
        let repeats = sorted
            .eq(&crate::ops::scan::after(&sorted, dim, 0.0))
            .to(DType::F64);
        let ones = repeats.number(1.0).expand(repeats.shape());
        let runs = repeats.call(&crate::ops::scan::RECURRENCE, &[&ones], along.clone());
        let longest = runs.reduce(&reduce::REDUCE_ARGMAX, &[dim]);
        let index = order.call(&crate::ops::index::GATHER, &[&longest], along);
        Ok(index.reshape(&c.node.shape))
    }),
    vjp: Vjp::None("its result is an index"),
    method: false,
    ..crate::ops::BASE
};

static MODE_VALUES: Op = Op {
    name: "mode",
    grad_fn: "ModeBackward0",
    symbol: "mode",
    formula: "y = the most frequent of a",
    ..CHOSEN
};

/// The most frequent.
pub static MODE: MultiOutputOp = MultiOutputOp {
    name: "mode",
    doc: "The most frequent element along a dimension, the smallest of several, and where it was last.",
    params: &[
        param("input", Tensor),
        optional("dim", Int, Attr::Int(-1)),
        optional("keepdim", Bool, Attr::Bool(false)),
    ],
    fields: &["values", "indices"],
    call: |engine, src, attrs| chosen(engine, src, attrs, &MODE_INDICES, &MODE_VALUES, 0),
    samples: samples(&["[2,5]", "[3,2,4] dim=0 keepdim=true", "[] 0"]),
    example: example("torch.mode(torch.tensor([1.0, 2.0, 2.0, 3.0]))"),
    ..crate::ops::multi_output::BASE
};
