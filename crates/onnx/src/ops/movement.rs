//! Shapes, orders of dimensions, parts and joints.

use glowgrad::{Error, Result, Tensor};

use super::{many, one};
use crate::call::{Methods, args, axes, axis, integers, listed, sizes};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    one("Identity", 1, |c| Ok(c.x(0)?.clone())),
    one("Reshape", 5, reshape),
    one("Transpose", 1, transpose),
    one("Squeeze", 1, squeeze),
    one("Unsqueeze", 1, unsqueeze),
    one("Flatten", 1, flatten),
    one("Concat", 4, |c| {
        let at = c.int("axis").ok_or_else(|| c.lacks("axis"))?;
        c.op("cat", args![c.all().as_slice(), at])
    }),
    many("Split", 2, split),
    one("Slice", 1, slice_by_attributes).until(9),
    one("Slice", 10, slice),
    one("Tile", 6, |c| {
        c.x(0)?.with("tile", args![integers(c.x(1)?)?])
    }),
    one("Expand", 8, expand),
    one("DepthToSpace", 1, depth_to_space),
    one("SpaceToDepth", 1, space_to_depth),
    one("Trilu", 14, |c| {
        let k = match c.list(1)? {
            Some(list) => list.first().copied().unwrap_or(0),
            None => 0,
        };
        let op = if c.int_or("upper", 1) != 0 {
            "triu"
        } else {
            "tril"
        };
        c.x(0)?.with(op, args![k])
    }),
    one("ReverseSequence", 10, reverse_sequence),
];

fn reshape(c: &Call) -> Result<Tensor> {
    let (x, mut target) = (c.x(0)?, integers(c.x(1)?)?);
    if !c.flag("allowzero") {
        let shape = x.shape();
        for (at, size) in target.iter_mut().enumerate() {
            if *size == 0 {
                *size = *shape.get(at).ok_or_else(|| {
                    Error::value(format!(
                        "the new shape has 0 at {at}, which keeps a size, and the input has shape {}",
                        glowgrad::shape::show(&shape)
                    ))
                })? as i64;
            }
        }
    }
    x.reshape(&target)
}

fn transpose(c: &Call) -> Result<Tensor> {
    match c.ints("perm") {
        Some(order) => c.x(0)?.with("permute", args![order]),
        None => c.x(0)?.reversed(),
    }
}

fn squeeze(c: &Call) -> Result<Tensor> {
    let x = c.x(0)?;
    let shape = x.shape();
    let gone = match c.list_or(1, "axes")? {
        Some(list) => axes(&list, shape.len())?,
        None => (0..shape.len()).filter(|&at| shape[at] == 1).collect(),
    };
    if let Some(&at) = gone.iter().find(|&&at| shape[at] != 1) {
        return Err(Error::value(format!(
            "axis {at} of shape {} is not of size 1 and cannot be left out",
            glowgrad::shape::show(&shape)
        )));
    }
    let left: Vec<usize> = (0..shape.len())
        .filter(|at| !gone.contains(at))
        .map(|at| shape[at])
        .collect();
    x.shaped(&left)
}

fn unsqueeze(c: &Call) -> Result<Tensor> {
    let x = c.x(0)?;
    let given = c.list_or(1, "axes")?.ok_or_else(|| c.lacks("axes"))?;
    let shape = x.shape();
    let rank = shape.len() + given.len();
    let new = axes(&given, rank)?;
    let mut old = shape.iter();
    let shape: Vec<usize> = (0..rank)
        .map(|at| match new.contains(&at) {
            true => 1,
            false => old.next().copied().unwrap_or(1),
        })
        .collect();
    x.shaped(&shape)
}

/// Two dimensions: those before the attribute `axis` as one, and those from it on.
pub(super) fn flatten(c: &Call) -> Result<Tensor> {
    let x = c.x(0)?;
    let shape = x.shape();
    let given = c.int_or("axis", 1);
    let at = match given == shape.len() as i64 {
        true => shape.len(),
        false => axis(given, shape.len())?,
    };
    let (outer, inner) = shape.split_at(at);
    x.shaped(&[outer.iter().product(), inner.iter().product()])
}

fn split(c: &Call) -> Result<Vec<Tensor>> {
    let x = c.x(0)?;
    let at = axis(c.int_or("axis", 0), x.rank())?;
    let n = x.shape()[at];
    let parts = match c.list_or(1, "split")? {
        Some(list) => (list.iter())
            .map(|&size| usize::try_from(size))
            .collect::<Result<Vec<usize>, _>>()
            .map_err(|_| Error::value(format!("the parts are {list:?}; none may be negative")))?,
        None => {
            // Even parts; where they are not, the last is smaller.
            let wanted = c.int_or("num_outputs", c.n_outputs() as i64).max(1);
            let wanted = usize::try_from(wanted).unwrap_or(1);
            if wanted > c.n_outputs().max(1) {
                return Err(Error::value(format!(
                    "num_outputs is {wanted}, and the node names {} outputs",
                    c.n_outputs()
                )));
            }
            let size = n.div_ceil(wanted);
            let from = |i: usize| (i * size).min(n);
            (0..wanted).map(|i| from(i + 1) - from(i)).collect()
        }
    };
    x.split(&parts, at as i64)
}

fn slice_by_attributes(c: &Call) -> Result<Tensor> {
    let starts = c.ints("starts").ok_or_else(|| c.lacks("starts"))?;
    let ends = c.ints("ends").ok_or_else(|| c.lacks("ends"))?;
    sliced(c.x(0)?, &starts, &ends, c.ints("axes"), None)
}

fn slice(c: &Call) -> Result<Tensor> {
    let (starts, ends) = (integers(c.x(1)?)?, integers(c.x(2)?)?);
    sliced(c.x(0)?, &starts, &ends, c.list(3)?, c.list(4)?)
}

fn sliced(
    x: &Tensor,
    starts: &[i64],
    ends: &[i64],
    along: Option<Vec<i64>>,
    steps: Option<Vec<i64>>,
) -> Result<Tensor> {
    let rank = x.rank();
    let along = along.unwrap_or_else(|| (0..starts.len() as i64).collect());
    let along = axes(&along, rank)?;
    let steps = steps.unwrap_or_else(|| vec![1; starts.len()]);
    if ends.len() != starts.len() || along.len() != starts.len() || steps.len() != starts.len() {
        return Err(Error::value(format!(
            "{} starts, {} ends, {} axes and {} steps came; expected as many of each",
            starts.len(),
            ends.len(),
            along.len(),
            steps.len()
        )));
    }
    let mut y = x.clone();
    for (i, &at) in along.iter().enumerate() {
        y = sliced_along(&y, at, starts[i], ends[i], steps[i])?;
    }
    Ok(y)
}

/// Python's `x[start:end:step]` along one axis; a negative step walks back.
fn sliced_along(x: &Tensor, at: usize, start: i64, end: i64, step: i64) -> Result<Tensor> {
    let n = x.shape()[at] as i64;
    if step == 0 {
        return Err(Error::value(format!(
            "the step of axis {at} is 0; expected another number"
        )));
    }
    let wrap = |i: i64| if i < 0 { i.saturating_add(n) } else { i };
    let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
    let start = wrap(start).clamp(low, high);
    // From the end backwards, what lies before the first element is −n − 1 or less.
    let end = wrap(end).clamp(low, high);
    let span = if step > 0 { end - start } else { start - end };
    let by = step.unsigned_abs();
    let count = (span.max(0) as u64).div_ceil(by) as i64;
    if count == 0 {
        return x.narrow(at, 0, 0);
    }
    if step == 1 {
        return x.narrow(at, start as usize, count as usize);
    }
    let (x, first) = match step > 0 {
        true => (x.clone(), start),
        false => (
            x.with("flip", args![[at as i64].as_slice()])?,
            n - 1 - start,
        ),
    };
    if count == 1 || by == 1 {
        return x.narrow(at, first as usize, count as usize);
    }
    // More than one element in n fits a step below n.
    let by = by as i64;
    let mut parts = vec![glowgrad::Index::Slice(None, None, None); at];
    parts.push(glowgrad::Index::Slice(
        Some(first),
        Some(first + (count - 1) * by + 1),
        Some(by),
    ));
    x.get(&parts)
}

/// Broadcast with a shape: a size of 1 in either gives way to the other.
fn expand(c: &Call) -> Result<Tensor> {
    let (x, target) = (c.x(0)?, integers(c.x(1)?)?);
    let target: Vec<usize> = (target.iter())
        .map(|&n| glowgrad::shape::size("expand", n))
        .collect::<Result<_>>()?;
    let shape = glowgrad::shape::broadcast("expand", &x.shape(), &target)?;
    x.expand(&sizes(&shape))
}

/// The size of a block, with the sizes of an image.
fn blocks(c: &Call) -> Result<(usize, [usize; 4])> {
    let x = c.x(0)?;
    let block = c.int("blocksize").ok_or_else(|| c.lacks("blocksize"))?;
    let shape = x.shape();
    let (Ok(block @ 1..), &[n, channels, h, w]) = (usize::try_from(block), &shape[..]) else {
        return Err(Error::value(format!(
            "the block size is {block} and the input has shape {}; expected a positive size and an input [N, C, H, W]",
            glowgrad::shape::show(&shape)
        )));
    };
    Ok((block, [n, channels, h, w]))
}

fn depth_to_space(c: &Call) -> Result<Tensor> {
    let (b, [n, channels, h, w]) = blocks(c)?;
    let area = b.saturating_mul(b);
    if channels % area != 0 {
        return Err(Error::value(format!(
            "{channels} channels do not divide into blocks of {b} × {b}"
        )));
    }
    let left = channels / area;
    let x = c.x(0)?;
    let moved = match c.text_or("mode", "DCR") {
        "CRD" => x
            .shaped(&[n, left, b, b, h, w])?
            .permute(&[0, 1, 4, 2, 5, 3])?,
        "DCR" => x
            .shaped(&[n, b, b, left, h, w])?
            .permute(&[0, 3, 4, 1, 5, 2])?,
        other => return Err(c.unknown("mode", other, "DCR or CRD")),
    };
    moved.shaped(&[n, left, h * b, w * b])
}

fn space_to_depth(c: &Call) -> Result<Tensor> {
    let (b, [n, channels, h, w]) = blocks(c)?;
    if h % b != 0 || w % b != 0 {
        return Err(Error::value(format!(
            "an image of {h} × {w} does not divide into blocks of {b} × {b}"
        )));
    }
    let (rows, columns) = (h / b, w / b);
    let x = c.x(0)?.shaped(&[n, channels, rows, b, columns, b])?;
    x.permute(&[0, 3, 5, 1, 2, 4])?
        .shaped(&[n, channels * b * b, rows, columns])
}

/// The first elements of each sequence in reverse order, as many as its length says.
fn reverse_sequence(c: &Call) -> Result<Tensor> {
    let x = c.x(0)?;
    let rank = x.rank();
    let time = axis(c.int_or("time_axis", 0), rank)?;
    let batch = axis(c.int_or("batch_axis", 1), rank)?;
    let index = reversed_places(x, time, batch, &integers(c.x(1)?)?)?;
    x.with("gather", args![time as i64, index])
}

/// Where each element of a tensor whose sequences are reversed comes from, along the axis of time.
pub(super) fn reversed_places(
    x: &Tensor,
    time: usize,
    batch: usize,
    lengths: &[i64],
) -> Result<Tensor> {
    let shape = x.shape();
    if lengths.len() != shape[batch] || time == batch {
        return Err(Error::value(format!(
            "{} lengths came for the {} sequences of axis {batch}; expected one for each, and another axis for time than {time}",
            lengths.len(),
            shape[batch]
        )));
    }
    let steps = shape[time] as i64;
    let n = lengths.len();
    let places = listed(n.saturating_mul(shape[time]), |i| {
        let (t, length) = ((i / n) as i64, lengths[i % n].clamp(0, steps));
        if t < length { length - 1 - t } else { t }
    })?;
    let mut places = Tensor::from_i64(x.engine(), &places, &[shape[time], lengths.len()])?;
    if batch < time {
        places = places.transpose(0, 1)?;
    }
    let mut line = vec![1; shape.len()];
    (line[time], line[batch]) = (shape[time], shape[batch]);
    places.shaped(&line)?.expand(&sizes(&shape))?.contiguous()
}
