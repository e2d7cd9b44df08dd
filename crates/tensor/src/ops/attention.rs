//! `scaled_dot_product_attention`.

use smallvec::smallvec;

use crate::dtype::DType;
use crate::fused_op::{Attention, Family, FusedOp};
use crate::graph::GraphValue;
use crate::node::NodeRef;
use crate::op::ParamKind::{Bool, Float, Tensor};
use crate::op::{
    Attr, Attrs, Call, Infinities, Kind, Meta, Op, RoutineKind, SAVE_A, SAVE_B, SAVE_C, SAVE_Y,
    Vjp, example, optional, param, samples,
};
use crate::ops::fused::{self, LIKE_FIRST, offered};
use crate::ops::{BASE, expect_float};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&SCALED_DOT_PRODUCT_ATTENTION];

/// softmax(q kᵀ · scale + mask) v (Vaswani et al. 2017).
pub static SCALED_DOT_PRODUCT_ATTENTION: Op = Op {
    name: "scaled_dot_product_attention",
    grad_fn: "ScaledDotProductFlashAttentionForCpuBackward0",
    grad_fn_for: |node| (node.shape.len() < 4).then_some("SqueezeBackward1"),
    symbol: "attention",
    formula: "y = softmax(a @ bᵀ · scale + mask) @ c",
    rules: &[
        "the softmax's gradient @ {b} · scale",
        "the softmax's gradient, transposed, @ {a} · scale",
        "the softmax, transposed, @ {gy}",
    ],
    doc: "Each query's mean of the values, weighted by how well the keys fit it.",
    params: &[
        param("query", Tensor),
        param("key", Tensor),
        param("value", Tensor),
        optional("attn_mask", Tensor, Attr::None),
        optional("dropout_p", Float, Attr::Float(0.0)),
        optional("is_causal", Bool, Attr::Bool(false)),
        optional("scale", Float, Attr::None),
        optional("enable_gqa", Bool, Attr::Bool(false)),
    ],
    infer: infer_attention,
    kind: Kind::Composite(attend),
    vjp: Vjp::Lowered,
    saves: [SAVE_A | SAVE_B | SAVE_C | SAVE_Y; 3],
    samples: samples(&[
        "[1,3,2] [1,3,2] [1,3,2]",
        "[2,2,3] [2,4,3] [2,4,2] [2,4]? scale=0.5",
        "[1,2,2,3] [1,2,2,3] [1,2,2,3] is_causal=true",
        "[1,4,2,2] [1,2,3,2] [1,2,3,2] [2,3] enable_gqa=true",
    ]),
    example: example("F.scaled_dot_product_attention(torch.eye(2), torch.eye(2), torch.eye(2))"),
    method: false,
    functional: true,
    infinities: Infinities::MasksMinus,
    ..BASE
};

fn infer_attention(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let (q, k, v) = (&src[0], &src[1], &src[2]);
    expect_float(op, q)?;
    if let Some(other) = [k, v].into_iter().find(|s| s.dtype != q.dtype) {
        return Err(Error::runtime(format!(
            "Expected query, key, and value to have the same dtype, but got query.dtype: {} and {} instead; convert with .to()",
            q.dtype, other.dtype
        )));
    }
    if src.iter().take(3).any(|s| s.shape.len() < 2) {
        return Err(Error::runtime(format!(
            "{}: expected query, key, and value of at least 2 dimensions [..., L, E], but got {}, {} and {}",
            op.name,
            shape::show(&q.shape),
            shape::show(&k.shape),
            shape::show(&v.shape)
        )));
    }
    let last = |s: &NodeRef| s.shape[s.shape.len() - 1];
    let rows = |s: &NodeRef| s.shape[s.shape.len() - 2];
    if last(q) != last(k) || rows(k) != rows(v) {
        return Err(Error::runtime(format!(
            "{}: query {} and key {} must end in one size, key and value {} have as many rows",
            op.name,
            shape::show(&q.shape),
            shape::show(&k.shape),
            shape::show(&v.shape)
        )));
    }
    if attrs[0].as_float() != 0.0 {
        return Err(Error::not_implemented(format!(
            "{}: this op draws no dropout; torch.nn.functional.scaled_dot_product_attention does",
            op.name
        )));
    }
    let causal = attrs[1].as_bool();
    let mut batch = Shape::from_slice(&q.shape[..q.shape.len() - 2]);
    for other in [k, v] {
        let mut theirs = Shape::from_slice(&other.shape[..other.shape.len() - 2]);
        if attrs[3].as_bool() {
            let (Some(&heads), Some(each)) = (batch.last(), theirs.last_mut()) else {
                return Err(Error::runtime(format!(
                    "{}: enable_gqa needs a dimension of heads: [..., heads, L, E]",
                    op.name
                )));
            };
            if *each == 0 || !heads.is_multiple_of(*each) {
                return Err(Error::runtime(format!(
                    "{}: Number of heads in key and value must divide the number of heads in query, got {} and {heads}",
                    op.name, *each
                )));
            }
            *each = heads;
        }
        batch = shape::broadcast(op.name, &batch, &theirs)?;
    }
    if let Some(mask) = src.get(3) {
        if causal {
            return Err(Error::runtime(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
            ));
        }
        if mask.dtype != DType::Bool && mask.dtype != q.dtype {
            return Err(Error::runtime(format!(
                "Expected attn_mask dtype to be bool or to match query dtype, but got attn_mask.dtype: {} and query.dtype: {}",
                mask.dtype, q.dtype
            )));
        }
        let mut scores = batch.clone();
        scores.extend([rows(q), rows(k)]);
        if shape::broadcast(op.name, &scores, &mask.shape)? != scores {
            return Err(Error::runtime(format!(
                "{}: attn_mask of shape {} does not broadcast to the scores' {}",
                op.name,
                shape::show(&mask.shape),
                shape::show(&scores)
            )));
        }
    }
    let mut scores = batch.clone();
    scores.extend([rows(q), rows(k)]);
    shape::check_size(op.name, &scores)?;
    batch.extend([rows(q), last(v)]);
    shape::check_size(op.name, &batch)?;
    Ok(Meta {
        shape: batch,
        dtype: q.dtype,
    })
}

/// Heads of keys or values, each as often as queries share it.
fn shared(x: &GraphValue, heads: usize) -> GraphValue {
    let n = x.shape().len();
    let each = x.shape()[n - 3];
    if each == heads {
        return x.clone();
    }
    let mut shape = x.shape().clone();
    shape.insert(n - 2, heads / each);
    let wide = x.unsqueeze(n - 2).expand(&shape);
    let mut shape = x.shape().clone();
    shape[n - 3] = heads;
    wide.reshape(&shape)
}

fn softmax_of_last(scores: &GraphValue) -> GraphValue {
    let last = scores.shape().len() as i64 - 1;
    scores.call(
        &crate::ops::softmax::SOFTMAX,
        &[],
        smallvec![Attr::Int(last)],
    )
}

/// What scores weigh; with `causal`, those of keys up to the query's own place.
pub(in crate::ops) fn weights(scores: &GraphValue, causal: bool) -> Result<GraphValue> {
    if !causal {
        return Ok(softmax_of_last(scores));
    }
    let last = scores.shape().len() - 1;
    let (rows, columns) = (scores.shape()[last - 1], scores.shape()[last]);
    let engine = scores.engine();
    let row = GraphValue::new(engine, engine.arange(rows)?).reshape(&[rows, 1]);
    let column = GraphValue::new(engine, engine.arange(columns)?);
    let nothing = scores.number(f64::NEG_INFINITY);
    Ok(softmax_of_last(&column.le(&row).select(scores, &nothing)))
}

fn attend(c: &Call) -> Result<GraphValue> {
    let q = &c.src[0];
    let (mut k, mut v) = (c.src[1].clone(), c.src[2].clone());
    if c.attr(3).as_bool() {
        let heads = q.shape()[q.shape().len() - 3];
        (k, v) = (shared(&k, heads), shared(&v, heads));
    }
    let n = q.shape().len();
    let scale = match c.attr(2) {
        Attr::None => 1.0 / (q.shape()[n - 1] as f64).sqrt(),
        scale => scale.as_float(),
    };
    let causal = c.attr(1).as_bool();
    if c.src.len() == 3 && fused::offered(q, Family::Attention) {
        let batch = &c.node.shape[..c.node.shape.len() - 2];
        let flat = |x: &GraphValue| {
            let rows = &x.shape()[x.shape().len() - 2..];
            let whole: Shape = batch.iter().chain(rows).copied().collect();
            let sizes = [shape::numel(batch), rows[0], rows[1]];
            x.expand(&whole).reshape(&sizes)
        };
        if let Some(y) = fused_attention(&flat(q), &flat(&k), &flat(&v), causal, scale) {
            return Ok(y.reshape(&c.node.shape));
        }
    }
    let scores = q.matmul(&k.t()) * scale;
    let last = scores.shape().len() - 1;
    let columns = scores.shape()[last];
    let nothing = scores.number(f64::NEG_INFINITY);
    let weights = match c.src.get(3) {
        None => weights(&scores, causal)?,
        Some(mask) => {
            let masked = match mask.dtype() {
                DType::Bool => mask.select(&scores, &nothing),
                _ => &scores + mask,
            };
            // A query that may see no key gets nothing, not NaN.
            let blind = match columns {
                0 => return Ok(softmax_of_last(&masked).matmul(&v).reshape(&c.node.shape)),
                _ => masked.amax(&[last], true).eq(&nothing),
            };
            let zero = scores.number(0.0);
            blind.select(&zero, &softmax_of_last(&blind.select(&zero, &masked)))
        }
    };
    Ok(weights.matmul(&v).reshape(&c.node.shape))
}

/// Attributes: whether it is causal, and what multiplies the scores.
static FUSED_ATTENTION: Op = Op {
    name: "attention_layer",
    infer: |_, src, _| {
        let (q, v) = (&src[0], &src[2]);
        let shape: Shape = smallvec![q.shape[0], q.shape[1], v.shape[2]];
        Ok(Meta {
            shape,
            dtype: q.dtype,
        })
    },
    kind: Kind::Routine(RoutineKind::FusedOp(|node| {
        let src = node.src();
        let (q, k) = (&src[0].shape, &src[1].shape);
        let sizes = [q[0], q[1], k[1], q[2], node.shape[2]];
        let (causal, scale) = (node.attrs[0].as_bool(), node.attrs[1].as_float());
        FusedOp::Attention(Attention::new(sizes, causal, scale))
    })),
    // The weights are computed again: keeping them is what a layer spares.
    vjp: Vjp::Rule(|b| {
        let (q, k, v) = (&b.src[0], &b.src[1], &b.src[2]);
        let (causal, scale) = (b.attr(0).as_bool(), b.attr(1).as_float());
        let weights = weights(&(q.matmul(&k.t()) * scale), causal)?;
        let along =
            crate::ops::softmax::softmax_gradient(&b.gy.matmul(&v.t()), &weights, &[2]) * scale;
        Ok(smallvec![
            b.needs(0).then(|| along.matmul(k)),
            b.needs(1).then(|| along.t().matmul(q)),
            b.needs(2).then(|| weights.t().matmul(&b.gy)),
        ])
    }),
    saves: [SAVE_A | SAVE_B | SAVE_C; 3],
    ..LIKE_FIRST
};

/// Most elements a row of queries, keys or values.
const WIDEST: usize = 128;

/// Attention of `[batch, rows, width]` each, where it is offered and its rows fit.
fn fused_attention(
    q: &GraphValue,
    k: &GraphValue,
    v: &GraphValue,
    causal: bool,
    scale: f64,
) -> Option<GraphValue> {
    let sizes = [q.shape()[2], v.shape()[2]];
    let fits = sizes.iter().all(|size| (1..=WIDEST).contains(size)) && k.shape()[1] > 0;
    let attrs = smallvec![Attr::Bool(causal), Attr::Float(scale)];
    (fits && offered(q, Family::Attention)).then(|| q.call(&FUSED_ATTENTION, &[k, v], attrs))
}
