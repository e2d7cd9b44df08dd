//! Padding: a border of a number, or of the tensor's own elements mirrored, repeated or wrapped
//! round. A negative width crops.

use smallvec::{SmallVec, smallvec};

use crate::graph::GraphValue;
use crate::op::ParamKind::{Float, Ints, Tensor, Word};
use crate::op::{
    Attr, Infinities, Kind, Meta, Op, Out, Vjp, attr_scalar, example, optional, param, samples,
};
use crate::ops::index_select::select_rows;
use crate::ops::{BASE, grad1};
use crate::shape::{self, Shape};
use crate::view::View;
use crate::{DType, Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&PAD];

static PAD_MODES: &[&str] = &["constant", "reflect", "replicate", "circular"];

/// Dimension and what is added before and after it, last dimension first, as they are named.
type Widths = SmallVec<[(usize, i64, i64); 3]>;

fn widths(from: &[usize], attr: &Attr) -> Result<Widths> {
    let list = attr.as_ints();
    if !list.len().is_multiple_of(2) {
        return Err(Error::runtime(format!(
            "pad: Padding length must be divisible by 2, got {list:?}: two widths for each dimension, the last one first"
        )));
    }
    if list.len() > 2 * from.len() {
        return Err(Error::runtime(format!(
            "pad: Padding length should be less than or equal to two times the input dimension but got padding length {} and input of dimension {}",
            list.len(),
            from.len()
        )));
    }
    let last = from.len();
    Ok(list
        .as_chunks::<2>()
        .0
        .iter()
        .enumerate()
        .map(|(i, pair)| (last - 1 - i, pair[0], pair[1]))
        .collect())
}

/// Refuses borders wider than what they are made of.
fn check_mode(mode: &str, from: &[usize], widths: &Widths) -> Result<()> {
    let n = widths.len();
    if from.len() != n + 1 && from.len() != n + 2 || n > 3 {
        return Err(Error::not_implemented(format!(
            "pad: Padding size {} is not supported for {}D input tensor with mode '{mode}': 2 widths pad the last dimension of 2D or 3D input, 4 the last two of 3D or 4D, 6 the last three of 4D or 5D; unsqueeze the input",
            2 * n,
            from.len()
        )));
    }
    for &(dim, before, after) in widths {
        let size = from[dim] as i64;
        let most = match mode {
            "reflect" => size - 1,
            "circular" => size,
            _ => i64::MAX,
        };
        if before > most || after > most {
            return Err(Error::runtime(match mode {
                "reflect" => format!(
                    "pad: Padding size should be less than the corresponding input dimension, but got: padding ({before}, {after}) at dimension {dim} of input {}",
                    shape::show(from)
                ),
                _ => format!(
                    "pad: Padding value causes wrapping around more than once: padding ({before}, {after}) at dimension {dim} of input {}",
                    shape::show(from)
                ),
            }));
        }
        let padded = i128::from(size) + i128::from(before) + i128::from(after);
        if padded < 1 && size > 0 && mode != "circular" {
            return Err(Error::runtime(format!(
                "pad: dimension {dim} of input {} is too small: padding ({before}, {after}) leaves nothing of it",
                shape::show(from)
            )));
        }
        if size == 0 && (before > 0 || after > 0) {
            return Err(Error::runtime(format!(
                "pad: dimension {dim} of input {} is empty: mode '{mode}' has nothing to pad with",
                shape::show(from)
            )));
        }
    }
    Ok(())
}

/// Which element each place of a padded dimension shows. What is cropped on one side does not come
/// in again on the other.
fn shown(mode: &str, n: usize, (before, after): (i64, i64), size: usize) -> Result<Vec<i64>> {
    let n = n as i64;
    let start = (-before).max(0);
    let left = (n - start + after.min(0)).max(1);
    let at = |i: i64| match mode {
        "reflect" if i < 0 => -i,
        "reflect" if i >= n => 2 * (n - 1) - i,
        "replicate" => i.clamp(0, n - 1),
        "circular" => start + (i - start).rem_euclid(left),
        _ => i,
    };
    let mut list = shape::reserve("pad", size)?;
    list.extend((0..size as i64).map(|i| at(i - before)));
    Ok(list)
}

/// A border of a number.
fn framed(x: &GraphValue, widths: &Widths, value: &Attr, shape: &[usize]) -> GraphValue {
    let mut inner = x.clone();
    let mut at = View::contiguous(shape);
    for &(dim, before, after) in widths {
        let n = inner.shape()[dim] as i64;
        // What a negative width crops, and where the rest goes.
        let (start, end) = ((-before).max(0), n + after.min(0));
        let len = (end - start).max(0) as usize;
        inner = inner.slice(dim, start.min(n) as usize, len, 1);
        at = at.slice(dim, before.max(0) as usize, len, 1);
    }
    match attr_scalar(value) {
        Some(number) if number.as_f64() != 0.0 => {
            let engine = x.engine();
            let number = crate::alu::Value::from_scalar(number, x.dtype()).scalar();
            let number = GraphValue::new(engine, engine.number(number, x.dtype()));
            number.expand(shape).write_at(&at, &inner)
        }
        _ => GraphValue::write_parts(&[inner], &[at], shape),
    }
}

/// Padded.
pub static PAD: Op = Op {
    name: "pad",
    grad_fn: "ConstantPadNdBackward0",
    grad_fn_for: |node| {
        Some(
            match (node.attrs[1].as_str(), node.attrs[0].as_ints().len()) {
                ("reflect", 2) => "ReflectionPad1DBackward0",
                ("reflect", 4) => "ReflectionPad2DBackward0",
                ("reflect", _) => "ReflectionPad3DBackward0",
                ("replicate", 2) => "ReplicationPad1DBackward0",
                ("replicate", 4) => "ReplicationPad2DBackward0",
                ("replicate", _) => "ReplicationPad3DBackward0",
                ("circular", _) => "CopySlices",
                _ => return None,
            },
        )
    },
    symbol: "pad",
    formula: "y = a, with a border",
    rules: &["{gy} without the border; what the border shows is added to where it came from"],
    doc: "A border around the last dimensions, two widths for each, the last dimension first; negative widths crop.",
    params: &[
        param("input", Tensor),
        param("pad", Ints),
        optional("mode", Word(PAD_MODES), Attr::Str("constant")),
        optional("value", Float, Attr::None),
    ],
    infer: |op, src, attrs| {
        let mut shape: Shape = src[0].shape.clone();
        let widths = widths(&shape, &attrs[0])?;
        let mode = attrs[1].as_str();
        if mode != "constant" {
            if attr_scalar(&attrs[2]).is_some_and(|v| v.as_f64() != 0.0) {
                return Err(Error::runtime(format!(
                    "pad: Padding mode \"{mode}\" doesn't take in value argument"
                )));
            }
            check_mode(mode, &shape, &widths)?;
        }
        crate::ops::shared::check_option(op, &attrs[2], src[0].dtype)?;
        for &(dim, before, after) in &widths {
            let size = i128::from(before) + i128::from(after) + shape[dim] as i128;
            let least = -(shape[dim] as i128);
            let crops = i128::from(before) < least || i128::from(after) < least;
            if size < 0 || crops && matches!(mode, "constant" | "circular") {
                return Err(Error::runtime(format!(
                    "pad: widths ({before}, {after}) crop more than dimension {dim} of shape {} has",
                    shape::show(&src[0].shape)
                )));
            }
            shape[dim] = shape::size(op.name, i64::try_from(size).unwrap_or(i64::MAX))?;
        }
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let widths = widths(c.src[0].shape(), c.attr(0))?;
        let mode = c.attr(1).as_str();
        if mode == "constant" {
            return Ok(framed(&c.src[0], &widths, c.attr(2), &c.node.shape));
        }
        let mut x = c.src[0].clone();
        for (dim, before, after) in widths {
            let (n, size) = (x.shape()[dim], c.node.shape[dim]);
            let index = shown(mode, n, (before, after), size)?;
            let index = x.engine().leaf_i64(&index, &[size])?;
            x = select_rows(&x, dim, &GraphValue::new(c.src[0].engine(), index));
        }
        Ok(x)
    }),
    vjp: Vjp::Rule(|b| {
        let x = &b.src[0];
        let widths = widths(x.shape(), b.attr(0))?;
        let mode = b.attr(1).as_str();
        if mode == "constant" {
            let back: SmallVec<[i64; 6]> = b.attr(0).as_ints().iter().map(|w| -w).collect();
            let attrs = smallvec![Attr::Ints(back), Attr::Str("constant"), Attr::None];
            return grad1(b.gy.call(&PAD, &[], attrs));
        }
        let mut gy = b.gy.clone();
        for (dim, before, after) in widths {
            let (n, size) = (x.shape()[dim], gy.shape()[dim]);
            let index = x
                .engine()
                .leaf_i64(&shown(mode, n, (before, after), size)?, &[size])?;
            let mut from = gy.shape().clone();
            from[dim] = n;
            let index = GraphValue::new(x.engine(), index).to(DType::I64);
            gy = crate::ops::index_select::add_rows(&gy, &from, dim, &index);
        }
        grad1(gy)
    }),
    exact: true,
    samples: samples(&[
        "[2,3] (1,2)",
        "[2,3]T (1,-1,-1,2) value=1.5",
        "[1,4] (2,1) mode='reflect'",
        "[2,2,3] (1,1,0,1) mode='replicate'",
        "[1,3] (2,3) mode='circular'",
    ]),
    example: example("torch.nn.functional.pad(torch.ones(2, 2), (1, 1))"),
    method: false,
    out: Out::None,
    functional: true,
    infinities: Infinities::Chooses,
    ..BASE
};
