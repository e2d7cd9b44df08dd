//! Pools.
//!
//! ONNX's and PyTorch's rules for the last window of `ceil_mode` differ, and so do their counts of padding. Here each
//! pool is written with the padding that its windows need at the end, and without `ceil_mode`: the sizes that the engine
//! found are the ones that ONNX finds.

use glowgrad::DType;
use glowgrad::op::Attr;

use super::convolution::each;
use super::{Row, float, row};
use crate::export::call::{Call, Outcome, Result1};
use crate::export::writer::Id;

pub(super) static ROWS: &[Row] = &[
    row("max_pool1d", largest),
    row("max_pool2d", largest),
    row("max_pool3d", largest),
    row("avg_pool1d", mean),
    row("avg_pool2d", mean),
    row("avg_pool3d", mean),
    row("adaptive_max_pool1d", |c| {
        adaptive(c, "MaxPool", "GlobalMaxPool")
    }),
    row("adaptive_max_pool2d", |c| {
        adaptive(c, "MaxPool", "GlobalMaxPool")
    }),
    row("adaptive_avg_pool1d", |c| {
        adaptive(c, "AveragePool", "GlobalAveragePool")
    }),
    row("adaptive_avg_pool2d", |c| {
        adaptive(c, "AveragePool", "GlobalAveragePool")
    }),
];

/// The windows of a call.
struct Windows {
    kernel: Vec<i64>,
    stride: Vec<i64>,
    before: Vec<i64>,
    /// What the last windows reach beyond the end.
    after: Vec<i64>,
    dilation: Vec<i64>,
}

impl Windows {
    fn of(c: &Call, dilation: &Attr) -> Windows {
        let dims = usize::from(c.node.op.spatial);
        let kernel = each(c.attr(0), dims);
        let stride = match c.attr(1).as_ints() {
            [] => kernel.clone(),
            _ => each(c.attr(1), dims),
        };
        let (before, dilation) = (each(c.attr(2), dims), each(dilation, dims));
        let from = &c.shape(0)[c.shape(0).len() - dims..];
        let to = &c.node.shape[c.node.shape.len() - dims..];
        let after = |d: usize| {
            let reach = dilation[d] * (kernel[d] - 1) + 1;
            let end = (to[d] as i64 - 1) * stride[d] + reach;
            (end - from[d] as i64 - before[d]).max(0)
        };
        Windows {
            after: (0..dims).map(after).collect(),
            kernel,
            stride,
            before,
            dilation,
        }
    }
}

/// Planes as ONNX has them, with a batch, through `write`.
fn on_planes(c: &mut Call, dtype: DType, write: impl FnOnce(&mut Call, Id) -> Id) -> Result1 {
    let batched = c.shape(0).len() == usize::from(c.node.op.spatial) + 2;
    c.through(dtype, |c, x| {
        let x = if batched { x } else { c.unsqueeze(x, &[0]) };
        let y = write(c, x);
        Ok(if batched { y } else { c.squeeze(y, &[0]) })
    })
}

fn largest(c: &mut Call) -> Result1 {
    let dtype = float(c.node.dtype);
    if !dtype.is_float() {
        return Ok(Outcome::Lower);
    }
    let dilation = c.attr(3).clone();
    let windows = Windows::of(c, &dilation);
    on_planes(c, dtype, |c, x| {
        let pads = [&windows.before[..], &windows.after].concat();
        (c.make("MaxPool").on(&[x]))
            .ints("kernel_shape", &windows.kernel)
            .ints("strides", &windows.stride)
            .ints("pads", &pads)
            .ints("dilations", &windows.dilation)
            .one(dtype)
    })
}

/// The mean of each window. What PyTorch divides by counts the padding that was asked for, if that is asked for, and
/// never what `ceil_mode` adds; or it is a number.
fn mean(c: &mut Call) -> Result1 {
    let dtype = float(c.node.dtype);
    if !dtype.is_float() {
        return Ok(Outcome::Lower);
    }
    let counts_padding = c.attr(4).as_bool();
    let divisor = match c.attr(5) {
        Attr::Int(n) => Some(*n),
        _ => None,
    };
    let windows = Windows::of(c, &Attr::Int(1));
    let reaches_beyond =
        (windows.after.iter().zip(&windows.before)).any(|(after, before)| after > before);
    let is_padded = windows.before.iter().any(|&n| n > 0);
    let n_dims = c.shape(0).len().max(windows.kernel.len() + 2);
    on_planes(c, dtype, |c, x| {
        let mut x = x;
        let (mut before, mut after) = (windows.before.clone(), windows.after.clone());
        if divisor.is_none() && counts_padding && is_padded && reaches_beyond {
            // The padding that counts as elements, then windows that reach beyond it.
            x = c.zeros_around(x, n_dims, &before, &before);
            after = (after.iter().zip(&before))
                .map(|(a, b)| (a - b).max(0))
                .collect();
            before = vec![0; before.len()];
        } else if !reaches_beyond {
            after.clone_from(&before);
        }
        let include = divisor.is_some() || counts_padding && is_padded && !reaches_beyond;
        let pads = [before, after].concat();
        let y = (c.make("AveragePool").on(&[x]))
            .ints("kernel_shape", &windows.kernel)
            .ints("strides", &windows.stride)
            .ints("pads", &pads)
            .int("count_include_pad", i64::from(include))
            .one(dtype);
        let Some(divisor) = divisor else {
            return y;
        };
        let size: i64 = windows.kernel.iter().product();
        let scale = c.float(size as f64 / divisor as f64, dtype);
        c.pair("Mul", y, scale)
    })
}

/// Windows that share the elements evenly, or all of them.
fn adaptive(c: &mut Call, op: &'static str, global: &'static str) -> Result1 {
    let dtype = float(c.node.dtype);
    let dims = usize::from(c.node.op.spatial);
    let from = &c.shape(0)[c.shape(0).len() - dims..];
    let to = &c.node.shape[c.node.shape.len() - dims..];
    let is_even = (from.iter().zip(to)).all(|(&n, &m)| m > 0 && n % m == 0);
    if !dtype.is_float() || !is_even {
        return Ok(Outcome::Lower);
    }
    let sizes: Vec<i64> = from.iter().zip(to).map(|(n, m)| (n / m) as i64).collect();
    let is_global = to.iter().all(|&n| n == 1);
    on_planes(c, dtype, |c, x| match is_global {
        true => c.unary(global, x),
        false => (c.make(op).on(&[x]))
            .ints("kernel_shape", &sizes)
            .ints("strides", &sizes)
            .one(dtype),
    })
}
