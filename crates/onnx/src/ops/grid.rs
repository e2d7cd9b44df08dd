//! Images read at places that a grid names: `GridSample`, `AffineGrid`.
//!
//! Along each dimension a place has one, two or four neighbours with weights; a result is the sum over all combinations.

use glowgrad::{DType, Error, Result, Tensor};

use super::one;
use crate::call::{Methods, args, integers, listed, sizes};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[one("AffineGrid", 20, affine), one("GridSample", 16, sample)];

/// How places beyond an image are read.
#[derive(Clone, Copy, PartialEq)]
enum Padding {
    Zeros,
    Border,
    Reflection,
}

/// One neighbour along a dimension: its index, and its weight, which is 0 where there is none.
struct Tap {
    index: Tensor,
    weight: Tensor,
}

/// −1 to 1 in `n` steps: of the corners' centres, or of the edges.
fn line(n: usize, align: bool) -> Result<Vec<f64>> {
    let at = |i: usize| match align {
        true if n == 1 => -1.0,
        true => -1.0 + 2.0 * i as f64 / (n - 1) as f64,
        false => (2.0 * i as f64 + 1.0) / n as f64 - 1.0,
    };
    listed(n, at)
}

fn affine(c: &Call) -> Result<Tensor> {
    let (theta, size) = (c.x(0)?, integers(c.x(1)?)?);
    let dims = theta.rank().max(1) - 1;
    let space: Vec<usize> = (size.iter().skip(2))
        .map(|&n| glowgrad::shape::size("AffineGrid", n))
        .collect::<Result<_>>()?;
    let shape = theta.shape();
    let dims = match shape[..] {
        [_, 2, 3] if space.len() == 2 => 2,
        [_, 3, 4] if space.len() == 3 => 3,
        _ => {
            return Err(Error::value(format!(
                "{dims} dimensions, {} and sizes {size:?} came; expected matrices [N, 2, 3] and four sizes, or [N, 3, 4] and five",
                glowgrad::shape::show(&shape)
            )));
        }
    };
    glowgrad::shape::check_size("AffineGrid", &space)?;
    let align = c.flag("align_corners");
    let mut parts = Vec::new();
    // The last dimension comes first in a place.
    for d in (0..dims).rev() {
        let mut along = vec![1; dims];
        along[d] = space[d];
        let list = Tensor::from_f64(c.engine, &line(space[d], align)?, &along)?;
        parts.push(list.expand(&sizes(&space))?.unsqueeze(-1)?);
    }
    parts.push(c.full_like(&parts[0], 1.0)?);
    let places = c
        .op("cat", args![parts.as_slice(), -1i64])?
        .to(theta.dtype())?;
    let n: usize = space.iter().product();
    let grid = places
        .shaped(&[n, dims + 1])?
        .matmul(&theta.transpose(1, 2)?)?;
    let mut shape = vec![shape[0]];
    shape.extend_from_slice(&space);
    shape.push(dims);
    grid.shaped(&shape)
}

fn sample(c: &Call) -> Result<Tensor> {
    let (x, grid) = (c.x(0)?, c.x(1)?);
    let (shape, given) = (x.shape(), grid.shape());
    let dims = shape.len().max(2) - 2;
    let fits = (1..=3).contains(&dims)
        && given.len() == shape.len()
        && given[0] == shape[0]
        && given[given.len() - 1] == dims
        && !shape[2..].contains(&0);
    if !fits {
        return Err(Error::value(format!(
            "an image of shape {} and a grid of shape {} came; expected [N, C, …] and [N, …, d], d the number of the image's dimensions",
            glowgrad::shape::show(&shape),
            glowgrad::shape::show(&given)
        )));
    }
    let padding = match c.text_or("padding_mode", "zeros") {
        "zeros" => Padding::Zeros,
        "border" => Padding::Border,
        "reflection" => Padding::Reflection,
        other => return Err(c.unknown("padding_mode", other, "zeros, border or reflection")),
    };
    let reach = match c.text_or("mode", "linear") {
        "nearest" => 1,
        "linear" | "bilinear" => 2,
        "cubic" | "bicubic" => 4,
        other => return Err(c.unknown("mode", other, "nearest, linear or cubic")),
    };
    let n: usize = given[1..=dims].iter().product();
    let places = grid.shaped(&[shape[0], 1, n, dims])?;
    let align = c.flag("align_corners");
    let mut all = vec![Tap {
        index: Tensor::from_i64(c.engine, &[0], &[1, 1, 1])?,
        weight: crate::call::full(c.engine, &[1, 1, 1], 1.0, x.dtype())?,
    }];
    for d in 0..dims {
        let place = places.select(3, (dims - 1 - d) as i64)?;
        let taps = taps(&place, shape[d + 2], reach, padding, align)?;
        let mut next = Vec::new();
        for before in &all {
            for tap in &taps {
                next.push(Tap {
                    index: before
                        .index
                        .mul(&c.whole(shape[d + 2] as i64))?
                        .add(&tap.index)?,
                    weight: before.weight.mul(&tap.weight)?,
                });
            }
        }
        all = next;
    }
    let area: usize = shape[2..].iter().product();
    let flat = x.shaped(&[shape[0], shape[1], area])?;
    let whole = sizes(&[shape[0], shape[1], n]);
    let mut sum: Option<Tensor> = None;
    for tap in all {
        let index = tap.index.expand(&whole)?.contiguous()?;
        let part = flat.with("gather", args![2i64, index])?.mul(&tap.weight)?;
        sum = Some(match sum {
            Some(sum) => sum.add(&part)?,
            None => part,
        });
    }
    let sum = sum.ok_or_else(|| Error::runtime("a place has at least one neighbour"))?;
    let mut result = shape[..2].to_vec();
    result.extend_from_slice(&given[1..=dims]);
    sum.to(x.dtype())?.shaped(&result)
}

/// The neighbours of places from −1 to 1 along a dimension of size `n`.
fn taps(place: &Tensor, n: usize, reach: i64, padding: Padding, align: bool) -> Result<Vec<Tap>> {
    let size = n as f64;
    let last = size - 1.0;
    let mut at = match align {
        true => place.plus(1.0)?.times(last / 2.0)?,
        false => place.plus(1.0)?.times(size / 2.0)?.plus(-0.5)?,
    };
    if reach == 1 {
        at = at.one("round")?;
    }
    let inside = |x: &Tensor| x.with("clamp", args![0.0, last]);
    match padding {
        Padding::Border => at = inside(&at)?,
        Padding::Reflection => at = reflected(&at, n, align)?,
        Padding::Zeros => {}
    }
    let first = at.one("floor")?;
    let ratio = at.sub(&first)?;
    let mut taps = Vec::new();
    for k in 0..reach {
        let offset = match reach {
            4 => k as f64 - 1.0,
            _ => k as f64,
        };
        let weight = match reach {
            1 => ratio.times(0.0)?.plus(1.0)?,
            2 if k == 0 => ratio.neg()?.plus(1.0)?,
            2 => ratio.clone(),
            _ => cubic(&ratio.plus(-offset)?.one("abs")?)?,
        };
        let mut spot = first.plus(offset)?;
        if padding == Padding::Reflection {
            spot = reflected(&spot, n, align)?.one("trunc")?;
        }
        let held = inside(&spot)?;
        let weight = match padding {
            // Where the spot had to be moved, there is nothing.
            Padding::Zeros => weight.mul(&held.eq(&spot)?.to(weight.dtype())?)?,
            _ => weight,
        };
        taps.push(Tap {
            index: held.to(DType::I64)?,
            weight,
        });
    }
    Ok(taps)
}

/// A place beyond the borders, turned back at them until it lies within.
fn reflected(x: &Tensor, n: usize, align: bool) -> Result<Tensor> {
    let (low, span) = match align {
        true => (0.0, n as f64 - 1.0),
        false => (-0.5, n as f64),
    };
    if span <= 0.0 {
        return x.times(0.0);
    }
    let number = |v: f64| Tensor::number(x.engine(), glowgrad::Scalar::Float(v));
    let off = x.plus(-low)?.pair("remainder", &number(2.0 * span))?;
    let back = off.neg()?.plus(2.0 * span)?;
    let turned = off.pair("minimum", &back)?.plus(low)?;
    // What lies within stays as it is, to the bit.
    let within =
        (x.pair("ge", &number(low))?).pair("logical_and", &x.pair("le", &number(low + span))?)?;
    x.where_(&within, &turned)
}

/// Keys' kernel of distances up to 2, with −0.75.
fn cubic(d: &Tensor) -> Result<Tensor> {
    let a = -0.75;
    let near = d
        .times(a + 2.0)?
        .plus(-(a + 3.0))?
        .mul(d)?
        .mul(d)?
        .plus(1.0)?;
    let far = d.times(a)?.plus(-5.0 * a)?.mul(d)?.plus(8.0 * a)?;
    let far = far.mul(d)?.plus(-4.0 * a)?;
    let one = Tensor::number(d.engine(), glowgrad::Scalar::Float(1.0));
    near.where_(&d.pair("le", &one)?, &far)
}
