//! Images in other sizes: `torch.nn.functional.interpolate`, which chooses sizes and factors and calls [`UPSAMPLE`].
//!
//! It works one dimension after another: each element of the result is one element of the input, or two of them mixed.

use smallvec::smallvec;

use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::node::Node;
use crate::op::ParamKind::{Bool, Float, Ints, Tensor, Word};
use crate::op::{
    Attr, Kind, Meta, Op, PythonFace, SAVE_A, Vjp, example, face, optional, param, samples,
};
use crate::ops::conv::per_dim;
use crate::ops::{BASE, expect_float};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&UPSAMPLE];

/// To other spatial sizes. The three last parameters are the factors that a caller gave, from the
/// last dimension backwards: positions follow them rather than the rounded sizes.
pub static UPSAMPLE: Op = Op {
    name: "upsample",
    python: face(&PythonFace {
        name: "interpolate",
        signature: "(input, size=None, scale_factor=None, mode='nearest', align_corners=None)",
        ..PythonFace::PLAIN
    }),
    grad_fn: "UpsampleNearest2DBackward0",
    grad_fn_for: |node| {
        let dims = node.shape.len() - 2;
        Some(match (node.attrs[1].as_str(), dims) {
            ("nearest", 1) => "UpsampleNearest1DBackward0",
            ("nearest", 2) => "UpsampleNearest2DBackward0",
            ("nearest", _) => "UpsampleNearest3DBackward0",
            ("nearest-exact", 1) => "UpsampleNearestExact1DBackward0",
            ("nearest-exact", 2) => "UpsampleNearestExact2DBackward0",
            ("nearest-exact", _) => "UpsampleNearestExact3DBackward0",
            (_, 1) => "UpsampleLinear1DBackward0",
            (_, 2) => "UpsampleBilinear2DBackward0",
            (_, _) => "UpsampleTrilinear3DBackward0",
        })
    },
    symbol: "resize",
    formula: "y = a, in other sizes",
    rules: &["{gy}, to the elements that were read"],
    doc: "An image in another size, by its nearest elements or a mixture of neighbours.",
    params: &[
        param("input", Tensor),
        param("output_size", Ints),
        optional(
            "mode",
            Word(&[
                "nearest",
                "nearest-exact",
                "linear",
                "bilinear",
                "trilinear",
            ]),
            Attr::Str("nearest"),
        ),
        optional("align_corners", Bool, Attr::Bool(false)),
        optional("factor_w", Float, Attr::None),
        optional("factor_h", Float, Attr::None),
        optional("factor_d", Float, Attr::None),
    ],
    infer: |op, src, attrs| {
        let x = &src[0];
        let mode = attrs[1].as_str();
        let dims = x.shape.len().saturating_sub(2);
        let fits = match mode {
            "linear" => dims == 1,
            "bilinear" => dims == 2,
            "trilinear" => dims == 3,
            _ => (1..=3).contains(&dims),
        };
        if !fits {
            return Err(Error::not_implemented(format!(
                "interpolate: got {}D input of shape {} with mode='{mode}'; linear needs 3D, bilinear 4D, trilinear 5D input [N, C, …], nearest any of them",
                x.shape.len(),
                shape::show(&x.shape)
            )));
        }
        if mode.ends_with("linear") {
            expect_float(op, x)?;
        }
        let size = per_dim(op, "output_size", &attrs[0], dims, 1)?;
        if x.shape[1..].contains(&0) {
            return Err(Error::runtime(format!(
                "interpolate: expected an input that is not empty, got shape {}",
                shape::show(&x.shape)
            )));
        }
        let mut shape = Shape::from_slice(&x.shape[..2]);
        shape.extend(size);
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: x.dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let n_dims = c.node.shape.len();
        (2..n_dims).try_fold(c.src[0].clone(), |x, dim| {
            let factor = match &c.node.attrs[3 + (n_dims - 1 - dim)] {
                Attr::None => None,
                factor => Some(factor.as_float()),
            };
            resized(&x, dim, c.node.shape[dim], c.node, factor)
        })
    }),
    vjp: Vjp::Lowered,
    saves: [0; 3],
    reads: SAVE_A,
    samples: samples(&[
        "[1,2,3] 5",
        "[2,1,2,3] (3,5) mode='bilinear'",
        "[1,1,4,5] (2,3) mode='bilinear' align_corners=true",
        "[1,1,3] 7 mode='linear' factor_w=2.4",
        "[1,1,2,3]T (4,3) mode='nearest-exact'",
    ]),
    example: example("F.interpolate(torch.tensor([[[1.0, 2.0]]]), scale_factor=2)"),
    method: false,
    functional: true,
    ..BASE
};

/// One dimension in another size.
fn resized(
    x: &GraphValue,
    dim: usize,
    size: usize,
    node: &Node,
    factor: Option<f64>,
) -> Result<GraphValue> {
    let n = x.shape()[dim];
    let mode = node.attrs[1].as_str();
    let corners = node.attrs[2].as_bool();
    // Positions in the precision that PyTorch computes them in.
    let narrow = x.dtype() != DType::F64;
    let round = |v: f64| if narrow { f64::from(v as f32) } else { v };
    let engine = x.engine();
    let at = |positions: &[i64]| -> Result<GraphValue> {
        let index = GraphValue::new(engine, engine.leaf_i64(positions, &[size])?);
        Ok(x.call(
            &crate::ops::index_select::INDEX_SELECT,
            &[&index],
            smallvec![Attr::Int(dim as i64)],
        ))
    };
    let step = match factor {
        Some(factor) if factor > 0.0 => round(1.0 / factor),
        _ => round(round(n as f64) / size as f64),
    };
    let last = n as i64 - 1;
    if !mode.ends_with("linear") {
        if size == n && factor.is_none_or(|f| f == 1.0) {
            return Ok(x.clone());
        }
        // The nearest modes count in float32 whatever the dtype is.
        let step = match factor {
            Some(factor) if factor > 0.0 => (1.0 / factor) as f32,
            _ => n as f32 / size as f32,
        };
        let shift = if mode == "nearest-exact" { 0.5 } else { 0.0 };
        let from = |i: usize| (((i as f32 + shift) * step).floor() as i64).min(last);
        return at(&(0..size).map(from).collect::<Vec<i64>>());
    }
    if size == n && factor.is_none() {
        return Ok(x.clone());
    }
    let step = match corners {
        true if size > 1 => round((n as f64 - 1.0) / (size as f64 - 1.0)),
        true => 0.0,
        false => step,
    };
    let (mut low, mut high, mut share) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..size {
        let position = match corners {
            true => round(step * i as f64),
            false => round(round(step * round(i as f64 + 0.5)) - 0.5).max(0.0),
        };
        let first = (position as i64).min(last);
        low.push(first);
        high.push((first + 1).min(last));
        share.push(round(position - first as f64).clamp(0.0, 1.0));
    }
    let mut along = Shape::from_elem(1, x.shape().len());
    along[dim] = size;
    let bytes: Vec<u8> = share.iter().flat_map(|v: &f64| v.to_le_bytes()).collect();
    let share = engine.internal_scope(|| engine.leaf_bytes(&bytes, &along, DType::F64))?;
    let share = GraphValue::new(engine, share).to(x.dtype());
    Ok(at(&low)? * (1.0 - &share) + at(&high)? * share)
}
