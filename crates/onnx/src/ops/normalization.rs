//! Normalizations.

use glowgrad::{DType, Error, Result, Scalar, Tensor};

use super::padding::with_border;
use super::{many, one};
use crate::call::{Methods, args, axes, axis, beside};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    many("BatchNormalization", 7, batch_norm),
    one("InstanceNormalization", 1, |c| {
        let x = c.x(0)?;
        let along: Vec<i64> = (2..x.rank() as i64).collect();
        let (normal, ..) = normalized(x, &along, c.float_or("epsilon", 1e-5))?;
        scaled(&normal, c.x(1)?, c.x(2)?)
    }),
    many("LayerNormalization", 17, layer_norm),
    one("RMSNormalization", 23, rms_norm),
    one("GroupNormalization", 18, |c| group_norm(c, true)).until(20),
    one("GroupNormalization", 21, |c| group_norm(c, false)),
    one("LpNormalization", 1, lp_norm),
    one("LRN", 1, lrn),
    one("MeanVarianceNormalization", 9, |c| {
        let x = c.x(0)?;
        let given = c.ints("axes").unwrap_or_else(|| vec![0, 2, 3]);
        let along: Vec<i64> = (axes(&given, x.rank())?.iter())
            .map(|&at| at as i64)
            .collect();
        let (_, mean, variance) = normalized(x, &along, 0.0)?;
        x.sub(&mean)?.div(&variance.one("sqrt")?.plus(1e-9)?)
    }),
];

/// (x − mean) / √(variance + ε) along dimensions, with mean and variance.
fn normalized(x: &Tensor, along: &[i64], epsilon: f64) -> Result<(Tensor, Tensor, Tensor)> {
    let mean = x.with("mean", args![along, true])?;
    let off = x.sub(&mean)?;
    let variance = off.mul(&off)?.with("mean", args![along, true])?;
    let normal = off.mul(&variance.plus(epsilon)?.one("rsqrt")?)?;
    Ok((normal, mean, variance))
}

/// A number for each channel, beside [N, C, …].
fn channels(x: &Tensor, each: &Tensor) -> Result<Tensor> {
    beside(each, x.rank(), 1)
}

/// x · scale + bias, one of each for a channel.
fn scaled(x: &Tensor, scale: &Tensor, bias: &Tensor) -> Result<Tensor> {
    let y = x.mul(&channels(x, scale)?)?.add(&channels(x, bias)?)?;
    y.to(x.dtype())
}

fn batch_norm(c: &Call) -> Result<Vec<Tensor>> {
    let (x, scale, bias, mean, variance) = (c.x(0)?, c.x(1)?, c.x(2)?, c.x(3)?, c.x(4)?);
    let epsilon = c.float_or("epsilon", 1e-5);
    if !c.flag("training_mode") {
        let same = [scale, bias, mean, variance].map(|each| each.to(x.dtype()));
        let [scale, bias, mean, variance] = same;
        let operands = args![x, mean?, variance?, scale?, bias?, epsilon];
        return Ok(vec![c.op("batch_norm_eval", operands)?]);
    }
    let along: Vec<i64> = (0..x.rank() as i64).filter(|&at| at != 1).collect();
    let (normal, here, spread) = normalized(x, &along, epsilon)?;
    let momentum = c.float_or("momentum", 0.9);
    let moved = |old: &Tensor, new: &Tensor| -> Result<Tensor> {
        let new = new.shaped(&[old.numel()])?.to(old.dtype())?;
        old.times(momentum)?.add(&new.times(1.0 - momentum)?)
    };
    Ok(vec![
        scaled(&normal, scale, bias)?,
        moved(mean, &here)?,
        moved(variance, &spread)?,
    ])
}

/// The input in the type in which statistics are made: float32, or that of a wider input.
fn stash(c: &Call, x: &Tensor) -> Result<Tensor> {
    match (x.dtype(), c.int_or("stash_type", 1)) {
        (DType::F64, _) | (_, 11) => x.to(DType::F64),
        _ => x.to(DType::F32),
    }
}

/// The dimensions from an axis on.
fn from_axis(c: &Call, x: &Tensor) -> Result<Vec<i64>> {
    let at = axis(c.int_or("axis", -1), x.rank())?;
    Ok((at as i64..x.rank() as i64).collect())
}

fn layer_norm(c: &Call) -> Result<Vec<Tensor>> {
    let x = c.x(0)?;
    let along = from_axis(c, x)?;
    let epsilon = c.float_or("epsilon", 1e-5);
    let (normal, mean, variance) = normalized(&stash(c, x)?, &along, epsilon)?;
    let mut y = normal.to(x.dtype())?.mul(c.x(1)?)?;
    if let Some(bias) = c.get(2) {
        y = y.add(bias)?;
    }
    Ok(vec![y, mean, variance.plus(epsilon)?.one("rsqrt")?])
}

fn rms_norm(c: &Call) -> Result<Tensor> {
    let x = c.x(0)?;
    let along = from_axis(c, x)?;
    let wide = stash(c, x)?;
    let mean = wide.mul(&wide)?.with("mean", args![along, true])?;
    let root = mean.plus(c.float_or("epsilon", 1e-5))?.one("rsqrt")?;
    wide.mul(&root)?.to(x.dtype())?.mul(c.x(1)?)
}

/// Version 18 has a scale for each group, version 21 for each channel.
fn group_norm(c: &Call, by_group: bool) -> Result<Tensor> {
    let x = c.x(0)?;
    let shape = x.shape();
    let groups = c.int("num_groups").ok_or_else(|| c.lacks("num_groups"))?;
    let fits = |&groups: &usize| groups > 0 && shape.len() > 1 && shape[1] % groups == 0;
    let groups = usize::try_from(groups).ok().filter(fits).ok_or_else(|| {
        Error::value(format!(
            "an input of shape {} does not divide into {groups} groups of channels",
            glowgrad::shape::show(&shape)
        ))
    })?;
    let each = shape[1] / groups;
    let mut split = vec![shape[0], groups, each];
    split.extend_from_slice(&shape[2..]);
    let along: Vec<i64> = (2..split.len() as i64).collect();
    let x = stash(c, x)?.shaped(&split)?;
    let (normal, ..) = normalized(&x, &along, c.float_or("epsilon", 1e-5))?;
    let normal = normal.to(c.x(0)?.dtype())?;
    if by_group {
        return scaled(&normal, c.x(1)?, c.x(2)?)?.shaped(&shape);
    }
    scaled(&normal.shaped(&shape)?, c.x(1)?, c.x(2)?)
}

/// x / ‖x‖ along an axis.
fn lp_norm(c: &Call) -> Result<Tensor> {
    let x = c.x(0)?;
    let at = axis(c.int_or("axis", -1), x.rank())? as i64;
    let p = c.int_or("p", 2) as f64;
    x.div(&x.with("vector_norm", args![p, [at].as_slice(), true])?)
}

/// x / (bias + α / size · Σ x²)^β over neighbouring channels (Krizhevsky et al. 2012).
fn lrn(c: &Call) -> Result<Tensor> {
    let x = c.x(0)?;
    let size = c.int("size").ok_or_else(|| c.lacks("size"))?;
    let (alpha, beta) = (c.float_or("alpha", 1e-4), c.float_or("beta", 0.75));
    let bias = c.float_or("bias", 1.0);
    if !(1..1 << 16).contains(&size) || x.rank() < 2 {
        return Err(Error::value(format!(
            "the size is {size} and the input has {} dimensions; expected a positive size and [N, C, …]",
            x.rank()
        )));
    }
    let mut widths = vec![(0, 0); x.rank()];
    widths[1] = ((size - 1) / 2, size - 1 - (size - 1) / 2);
    let squares = with_border(&x.mul(x)?, &widths, Scalar::Float(0.0))?;
    // Sums of neighbours: a running sum, less itself a few channels before, loses digits; windows do not.
    let windows = squares.with("tensor_unfold", args![1i64, size, 1i64])?;
    let sums = windows.sum_dim(&[-1], false)?;
    let base = sums.times(alpha / size as f64)?.plus(bias)?;
    x.div(&base.pow_scalar(beta)?)
}
