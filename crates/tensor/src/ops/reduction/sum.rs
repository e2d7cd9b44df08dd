//! Totals: `sum`, `mean`, `prod`, `logsumexp`.

use crate::Error;
use crate::op::ParamKind::{Bool, Ints, Tensor};
use crate::op::{
    Attr, Counts, Infinities, Kind, Meta, Op, Out, Promote, SAVE_A, SAVE_Y, Vjp, optional, param,
    samples,
};
use crate::ops::formula::count;
use crate::ops::grad1;
use crate::ops::reduce::{
    Dims, REDUCE_MAX, REDUCE_PROD, REDUCE_SUM, REDUCTION, TOTAL_PARAMS, asked, dims,
    infer_reduction, infer_total, lower, unreduced,
};

/// The ops of this family.
pub static OPS: &[&Op] = &[&SUM, &MEAN, &PROD, &LOGSUMEXP];

/// Σ
pub static SUM: Op = Op {
    name: "sum",
    grad_fn: "SumBackward0",
    grad_fn_for: |node| (node.attrs[0] != Attr::None).then_some("SumBackward1"),
    symbol: "Σ",
    formula: "y = Σ a",
    rules: &["{gy}, to every element that was summed"],
    doc: "The sum of the elements, of all or along dimensions.",
    params: TOTAL_PARAMS,
    infer: infer_total,
    kind: Kind::Composite(|c| lower(c, &REDUCE_SUM, c.node.dtype)),
    vjp: Vjp::Rule(|b| {
        let gy = b.gy.to(b.src[0].dtype());
        grad1(unreduced(b, &gy)?.expand(b.src[0].shape()))
    }),
    out: Out::Computes,
    ..REDUCTION
};

/// Σ / n
pub static MEAN: Op = Op {
    name: "mean",
    counts: Counts::Reduced,
    grad_fn: "MeanBackward0",
    grad_fn_for: |node| (node.attrs[0] != Attr::None).then_some("MeanBackward1"),
    symbol: "mean",
    formula: "y = Σ a / n",
    rules: &["{gy} / n, to every element"],
    doc: "The mean of the elements, of all or along dimensions.",
    params: TOTAL_PARAMS,
    infer: |op, src, attrs| {
        let dtype = asked(attrs, 2).unwrap_or(src[0].dtype);
        if !dtype.is_float() {
            let which = ["Input", "Optional"][usize::from(asked(attrs, 2).is_some())];
            return Err(Error::not_implemented(format!(
                "mean(): could not infer output dtype. {which} dtype must be either a floating point or complex dtype. Got: {}; convert the tensor with .float()",
                dtype.scalar_name()
            )));
        }
        Ok(Meta {
            dtype,
            ..infer_reduction(op, src, attrs)?
        })
    },
    kind: Kind::Composite(|c| {
        let dims = dims(c.node, &c.src[0])?;
        let n = count(c.src[0].shape(), &dims);
        // The sum of halves may be more than a half holds.
        Ok((lower(c, &REDUCE_SUM, c.node.dtype.compute())? / n).to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let n = count(b.src[0].shape(), &dims(b.node, &b.src[0])?);
        let gy = b.gy.to(b.src[0].dtype());
        grad1(unreduced(b, &gy)?.expand(b.src[0].shape()) / n)
    }),
    ..REDUCTION
};

/// Π
pub static PROD: Op = Op {
    name: "prod",
    grad_fn: "ProdBackward0",
    grad_fn_for: |node| (node.attrs[0] != Attr::None).then_some("ProdBackward1"),
    symbol: "Π",
    formula: "y = Π a",
    rules: &["{gy} · the product of the other elements"],
    doc: "The product of the elements, of all or along one dimension.",
    params: TOTAL_PARAMS,
    infer: infer_total,
    kind: Kind::Composite(|c| lower(c, &REDUCE_PROD, c.node.dtype)),
    vjp: Vjp::Rule(|b| {
        let x = b.src[0].to(b.gy.dtype());
        let to = b.src[0].dtype();
        if x.shape().is_empty() {
            return grad1(b.gy.to(to));
        }
        if x.node().numel() == 0 {
            return grad1(b.gy.zeros_like_shape(x.shape()).to(to));
        }
        // Lines of the elements that were multiplied.
        let dims = dims(b.node, &x)?;
        let order: Dims = (0..x.shape().len())
            .filter(|d| !dims.contains(d))
            .chain(dims.iter().copied())
            .collect();
        let sides = x.permute(&order);
        let n = count(x.shape(), &dims) as usize;
        let lines = sides.contiguous().reshape(&[x.node().numel() / n, n]);
        let others = crate::ops::scan::product_of_others(&lines).reshape(sides.shape());
        let back: Dims = (0..order.len())
            .filter_map(|d| order.iter().position(|&o| o == d))
            .collect();
        grad1((unreduced(b, &b.gy)? * others.permute(&back)).to(to))
    }),
    saves: [SAVE_A | SAVE_Y; 3],
    domain: (0.5, 2.0),
    out: Out::Computes,
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
    infinities: Infinities::Chooses,
    ..REDUCTION
};
