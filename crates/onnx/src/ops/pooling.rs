//! Pools.
//!
//! A pool pads its input itself and calls the engine's pool without padding, so that every padding fits. A mean is a sum
//! over windows, divided by the same sum of what counts.

use glowgrad::{DType, Error, Result, Scalar, Tensor};

use super::convolution::Windows;
use super::padding::with_border;
use super::{many, one};
use crate::call::{Methods, args, full, listed, sizes};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    many("MaxPool", 1, max_pool),
    one("AveragePool", 7, average_pool),
    one("LpPool", 2, lp_pool),
    one("GlobalMaxPool", 1, |c| {
        let (x, along) = whole(c)?;
        x.with("amax", args![along, true])
    }),
    one("GlobalAveragePool", 1, |c| {
        let (x, along) = whole(c)?;
        x.with("mean", args![along, true])
    }),
    one("GlobalLpPool", 2, |c| {
        let (x, along) = whole(c)?;
        let p = c.int_or("p", 2) as f64;
        x.with("vector_norm", args![p, along, true])
    }),
    one("MaxUnpool", 9, max_unpool),
];

/// The input and the dimensions of its image.
fn whole<'c>(c: &'c Call) -> Result<(&'c Tensor, Vec<i64>)> {
    let x = c.x(0)?;
    if x.rank() < 3 {
        return Err(Error::value(format!(
            "the input has {} dimensions; expected [N, C, …] with one or more further ones",
            x.rank()
        )));
    }
    Ok((x, (2..x.rank() as i64).collect()))
}

/// The windows of a pool, how many there are, and a border that holds them all.
struct Pool {
    windows: Windows,
    counts: Vec<usize>,
    border: Vec<(i64, i64)>,
}

impl Pool {
    fn of(c: &Call) -> Result<Pool> {
        let windows = Windows::of(c, c.x(0)?, None)?;
        let ceil = c.flag("ceil_mode");
        let mut border = windows.border();
        let mut counts = Vec::new();
        for d in 0..windows.dims() {
            let (space, stride) = (windows.space[d] as i64, windows.stride[d] as i64);
            let extent = windows.extent(d) as i64;
            let (before, after) = (windows.before[d], windows.after[d]);
            let free = space + before + after - extent;
            if free < 0 && !(ceil && free > -stride) {
                return Err(Error::value(format!(
                    "a window of {extent} does not fit into dimension {d} of size {space} with padding {before} and {after}; use a smaller kernel"
                )));
            }
            let mut count = match ceil {
                true => (free + stride - 1).div_euclid(stride) + 1,
                false => free / stride + 1,
            };
            // The last window begins inside the image or before it.
            if ceil && (count - 1) * stride >= space + before {
                count -= 1;
            }
            let needed = (count - 1) * stride + extent - before - space;
            border[d + 2].1 = needed;
            counts.push(count.max(0) as usize);
        }
        Ok(Pool {
            windows,
            counts,
            border,
        })
    }

    /// Sums over windows of an input that has its border.
    fn sums(&self, x: &Tensor) -> Result<Tensor> {
        let windows = &self.windows;
        let dims = windows.dims();
        let shape = x.shape();
        let mut lone = vec![shape[0] * shape[1], 1];
        lone.extend_from_slice(&shape[2..]);
        let mut ones = vec![1, 1];
        ones.extend_from_slice(&windows.kernel);
        let weight = full(x.engine(), &ones, 1.0, x.dtype())?;
        let stride = sizes(&windows.stride);
        let name = ["conv1d", "conv2d", "conv3d"][dims - 1];
        let sums = x.shaped(&lone)?.with(
            name,
            args![weight, (), stride, 0i64, sizes(&windows.dilation)],
        )?;
        let mut shape = shape[..2].to_vec();
        shape.extend_from_slice(&self.counts);
        sums.shaped(&shape)
    }
}

fn max_pool(c: &Call) -> Result<Vec<Tensor>> {
    let pool = Pool::of(c)?;
    let x = c.x(0)?;
    let least = match x.dtype() {
        dtype if dtype.is_float() => Scalar::Float(f64::NEG_INFINITY),
        dtype => Scalar::Int(dtype.int_range().0 as i64),
    };
    let padded = with_border(x, &pool.border, least)?;
    let windows = &pool.windows;
    let name = ["max_pool1d", "max_pool2d", "max_pool3d"][windows.dims() - 1];
    let y = padded.with(
        name,
        args![
            sizes(&windows.kernel),
            sizes(&windows.stride),
            0i64,
            sizes(&windows.dilation)
        ],
    )?;
    if !c.wants(1) {
        return Ok(vec![y]);
    }
    let places = largest_at(c, &pool, &padded, &y)?;
    Ok(vec![y, places])
}

/// Where the largest elements of windows are, counted over the whole input: each place in a window is compared with the
/// window's largest, from the last to the first.
fn largest_at(c: &Call, pool: &Pool, padded: &Tensor, y: &Tensor) -> Result<Tensor> {
    let windows = &pool.windows;
    let dims = windows.dims();
    let shape = c.x(0)?.shape();
    let column_major = c.flag("storage_order");
    // How far apart neighbours of each dimension are.
    let mut steps = vec![1i64; dims];
    let order: Vec<usize> = match column_major {
        true => (0..dims).collect(),
        false => (0..dims).rev().collect(),
    };
    let mut step = 1;
    for d in order {
        steps[d] = step;
        step *= windows.space[d] as i64;
    }
    let planes = shape[0] * shape[1];
    let plane = listed(planes, |i| i as i64 * step)?;
    let mut line = vec![1; dims + 2];
    (line[0], line[1]) = (shape[0], shape[1]);
    let plane = Tensor::from_i64(c.engine, &plane, &line)?;
    let mut found = plane.expand(&sizes(&y.shape()))?;
    let kernel: Vec<i64> = sizes(&windows.kernel);
    let n: usize = windows.kernel.iter().product();
    for offset in (0..n).rev() {
        let mut rest = offset;
        let mut part = padded.clone();
        let mut place = plane.clone();
        for d in (0..dims).rev() {
            let k = rest % kernel[d] as usize;
            rest /= kernel[d] as usize;
            let (count, stride) = (pool.counts[d], windows.stride[d]);
            let start = k * windows.dilation[d];
            let mut parts = vec![glowgrad::Index::Slice(None, None, None); d + 2];
            let end = start + (count.max(1) - 1) * stride + 1;
            parts.push(glowgrad::Index::Slice(
                Some(start as i64),
                Some(end as i64),
                Some(stride as i64),
            ));
            part = part.get(&parts)?;
            let along = listed(count, |i| {
                ((i * stride + start) as i64 - windows.before[d]) * steps[d]
            })?;
            let mut line = vec![1; dims + 2];
            line[d + 2] = count;
            place = place.add(&Tensor::from_i64(c.engine, &along, &line)?)?;
        }
        found = place.where_(&part.eq(y)?, &found)?;
    }
    Ok(found)
}

/// Sums in float32 at least.
fn wide(x: &Tensor) -> Result<Tensor> {
    match x.dtype() {
        DType::F64 => Ok(x.clone()),
        _ => x.to(DType::F32),
    }
}

fn average_pool(c: &Call) -> Result<Tensor> {
    let pool = Pool::of(c)?;
    let x = wide(c.x(0)?)?;
    let zero = Scalar::Float(0.0);
    let sums = pool.sums(&with_border(&x, &pool.border, zero)?)?;
    // What counts: the image, with its padding if it is to be included; never what only fills the last window.
    let mut plane = vec![1, 1];
    plane.extend_from_slice(&pool.windows.space);
    let mut counted = full(c.engine, &plane, 1.0, x.dtype())?;
    let mut border = pool.border.clone();
    if c.flag("count_include_pad") {
        let asked = pool.windows.border();
        let within: Vec<(i64, i64)> = (asked.iter().zip(&border))
            .map(|(&(before, after), &(_, end))| (before, after.min(end)))
            .collect();
        counted = with_border(&counted, &within, Scalar::Float(1.0))?;
        for (side, &(before, after)) in border.iter_mut().zip(&within) {
            *side = (side.0 - before, side.1 - after);
        }
    }
    let counts = pool.sums(&with_border(&counted, &border, zero)?)?;
    sums.div(&counts)?.to(c.x(0)?.dtype())
}

fn lp_pool(c: &Call) -> Result<Tensor> {
    let pool = Pool::of(c)?;
    let x = wide(c.x(0)?)?;
    let p = c.int_or("p", 2) as f64;
    let powers = x.one("abs")?.pow_scalar(p)?;
    let sums = pool.sums(&with_border(&powers, &pool.border, Scalar::Float(0.0))?)?;
    sums.pow_scalar(1.0 / p)?.to(c.x(0)?.dtype())
}

/// Elements back at the places that a max pool told, zeros elsewhere.
fn max_unpool(c: &Call) -> Result<Tensor> {
    let (x, places) = (c.x(0)?, c.x(1)?);
    let windows = Windows::of(c, x, None)?;
    let shape = x.shape();
    let mut inner = shape[..2].to_vec();
    for d in 0..windows.dims() {
        let size = (windows.space[d] as i64 - 1) * windows.stride[d] as i64
            + windows.extent(d) as i64
            - windows.before[d]
            - windows.after[d];
        inner.push(glowgrad::shape::size("MaxUnpool", size)?);
    }
    let target = match c.list(2)? {
        Some(list) => (list.iter())
            .map(|&n| glowgrad::shape::size("MaxUnpool", n))
            .collect::<Result<Vec<usize>>>()?,
        None => inner.clone(),
    };
    let area: usize = inner.iter().product();
    let flat = full(c.engine, &[area], 0.0, x.dtype())?;
    let n = x.numel();
    let written = flat.with(
        "scatter",
        args![0i64, places.shaped(&[n])?, x.shaped(&[n])?],
    )?;
    let widths: Vec<(i64, i64)> = (inner.iter().zip(&target))
        .map(|(&n, &wanted)| (0, wanted as i64 - n as i64))
        .collect();
    with_border(&written.shaped(&inner)?, &widths, Scalar::Float(0.0))
}
