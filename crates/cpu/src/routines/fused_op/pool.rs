//! Pools and their gradients in one pass: a row of windows at a time, in the order in which [`FusedOp::compute`] takes
//! the elements of each, so that both give the same bits.

use std::ops::Range;

use glowgrad_tensor::fused_op::{FusedOp, Pool as Sizes, PoolOf, Windows};
use glowgrad_tensor::{Error, Result, interrupt};

use crate::simd::dispatch;
use crate::threads;
use crate::{Level, Pool};

/// No place in a plane.
const NOWHERE: u32 = u32::MAX;

/// Computes a pool or its gradient; inputs as [`Sizes`] names them.
///
/// # Errors
/// Slices of other lengths than the sizes say.
pub(super) fn run(
    level: Level,
    pool: &Pool,
    sizes: &Sizes,
    inputs: &[&[f32]],
    output: &mut [f32],
) -> Result<()> {
    let elements: usize = sizes.dims.iter().map(|dim| dim.n).product();
    let windows: usize = sizes.dims.iter().map(|dim| dim.count).product();
    let [from, to] = match sizes.gradient {
        true => [windows, elements],
        false => [elements, windows],
    };
    // Where a gradient of the largest goes is looked up in x.
    let compared = match sizes.gradient && sizes.of == PoolOf::Largest {
        true => Some(*inputs.get(1).ok_or_else(lengths)?),
        false => None,
    };
    let input = *inputs.first().ok_or_else(lengths)?;
    if input.len() != sizes.planes * from
        || output.len() != sizes.planes * to
        || compared.is_some_and(|x| x.len() != sizes.planes * elements)
    {
        return Err(lengths());
    }
    // Nothing to share, or places that 32 bits do not count.
    if windows == 0 || elements == 0 || elements >= NOWHERE as usize {
        FusedOp::Pool(*sizes).compute(inputs, output);
        return Ok(());
    }
    if sizes.gradient {
        output.fill(0.0);
    }
    let each = windows * sizes.dims.iter().map(|dim| dim.size).product::<usize>();
    let together = threads::share(sizes.planes, each);
    let parts = output.chunks_mut(together * to).enumerate();
    threads::for_each(pool, sizes.planes * each, parts, |_, (part, output)| {
        let mut rows = Rows::new(sizes.dims[2].count);
        for (i, output) in output.chunks_exact_mut(to).enumerate() {
            if interrupt::spend(each) {
                break;
            }
            let plane = part * together + i;
            let input = &input[plane * from..][..from];
            let compared = compared.map(|x| &x[plane * elements..][..elements]);
            dispatch(
                level,
                #[inline(always)]
                || match (sizes.of, compared) {
                    (PoolOf::Largest, Some(x)) => {
                        largest_gradient(sizes, input, x, output, &mut rows)
                    }
                    (PoolOf::Largest, None) => largest(sizes, input, output, &mut rows),
                    (PoolOf::Mean(_), _) if sizes.gradient => {
                        mean_gradient(sizes, input, output, &mut rows);
                    }
                    (PoolOf::Mean(_), _) => mean(sizes, input, output, &mut rows),
                },
            );
        }
        Ok(())
    })
}

fn lengths() -> Error {
    Error::runtime("cpu: pool: an operand has another length than its sizes say; please report it")
}

/// Scratch for a row of windows.
struct Rows {
    best: Vec<f32>,
    place: Vec<u32>,
    elements: Vec<f32>,
}

impl Rows {
    fn new(n: usize) -> Rows {
        Rows {
            best: vec![0.0; n],
            place: vec![NOWHERE; n],
            elements: vec![0.0; n],
        }
    }
}

/// Which windows of a dimension have their element `k` in the plane.
#[inline(always)]
fn with_element(dim: Windows, k: usize) -> Range<usize> {
    let at = k * dim.dilation;
    let first = dim.before.saturating_sub(at).div_ceil(dim.step);
    let end = (dim.before + dim.n).saturating_sub(at).div_ceil(dim.step);
    first.min(dim.count)..end.min(dim.count)
}

/// Calls `take(row of the plane)` for each row under the window `(a, b)` of the two outer dimensions, in order.
#[inline(always)]
fn rows_under([a, b]: [Windows; 2], [i, j]: [usize; 2], mut take: impl FnMut(usize)) {
    for ka in 0..a.size {
        let at = i * a.step + ka * a.dilation;
        if !(a.before..a.before + a.n).contains(&at) {
            continue;
        }
        let row = (at - a.before) * b.n;
        for kb in 0..b.size {
            let at = j * b.step + kb * b.dilation;
            if (b.before..b.before + b.n).contains(&at) {
                take(row + at - b.before);
            }
        }
    }
}

/// The elements of a row that are under their window's `k`: of which windows, the first one's place in the row, and
/// the elements side by side, in `scratch` where they do not lie so.
#[inline(always)]
fn elements<'a>(
    dim: Windows,
    k: usize,
    row: &'a [f32],
    scratch: &'a mut [f32],
) -> (Range<usize>, usize, &'a [f32]) {
    let windows = with_element(dim, k);
    if windows.is_empty() {
        return (windows, 0, &[]);
    }
    let (n, first) = (
        windows.len(),
        windows.start * dim.step + k * dim.dilation - dim.before,
    );
    let from = &row[first..];
    let scratch = &mut scratch[..n];
    match dim.step {
        1 => return (windows, first, &from[..n]),
        // The commonest step as a constant, so that the loop is vectorised.
        2 => {
            let (pairs, last) = from.as_chunks::<2>();
            for (to, pair) in scratch.iter_mut().zip(pairs) {
                *to = pair[0];
            }
            // The last window's element may end the row.
            if let (Some(to), [x]) = (scratch.get_mut(pairs.len()), last) {
                *to = *x;
            }
        }
        step => {
            for (to, from) in scratch.iter_mut().zip(from.chunks(step)) {
                *to = from[0];
            }
        }
    }
    (windows, first, scratch)
}

/// Every window of the two outer dimensions, with the number of its row of windows.
fn outer(sizes: &Sizes) -> impl Iterator<Item = (usize, [usize; 2])> {
    let [a, b, _] = sizes.dims;
    (0..a.count * b.count).map(move |at| (at, [at / b.count, at % b.count]))
}

#[inline(always)]
fn is_larger(x: f32, best: f32) -> bool {
    (x > best) | x.is_nan()
}

#[inline(always)]
fn largest(sizes: &Sizes, x: &[f32], out: &mut [f32], rows: &mut Rows) {
    let [a, b, c] = sizes.dims;
    for (at, window) in outer(sizes) {
        let out = &mut out[at * c.count..][..c.count];
        out.fill(f32::NEG_INFINITY);
        rows_under([a, b], window, |row| {
            let row = &x[row * c.n..][..c.n];
            for k in 0..c.size {
                let (windows, _, elements) = elements(c, k, row, &mut rows.elements);
                for (out, &x) in out[windows].iter_mut().zip(elements) {
                    *out = if is_larger(x, *out) { x } else { *out };
                }
            }
        });
    }
}

#[inline(always)]
fn largest_gradient(sizes: &Sizes, gy: &[f32], x: &[f32], out: &mut [f32], rows: &mut Rows) {
    let [a, b, c] = sizes.dims;
    let Rows {
        best,
        place,
        elements: scratch,
        ..
    } = rows;
    for (at, window) in outer(sizes) {
        best.fill(f32::NEG_INFINITY);
        place.fill(NOWHERE);
        rows_under([a, b], window, |row| {
            let start = (row * c.n) as u32;
            let row = &x[row * c.n..][..c.n];
            for k in 0..c.size {
                let (windows, first, elements) = elements(c, k, row, scratch);
                let places = place[windows.clone()].iter_mut();
                let mut at = start + first as u32;
                for ((best, place), &x) in best[windows].iter_mut().zip(places).zip(elements) {
                    let takes = is_larger(x, *best) | (*place == NOWHERE);
                    *best = if takes { x } else { *best };
                    *place = if takes { at } else { *place };
                    at = at.wrapping_add(c.step as u32);
                }
            }
        });
        for (&place, &gy) in place.iter().zip(&gy[at * c.count..]) {
            if let Some(out) = out.get_mut(place as usize) {
                *out += gy;
            }
        }
    }
}

#[inline(always)]
fn mean(sizes: &Sizes, x: &[f32], out: &mut [f32], rows: &mut Rows) {
    let [a, b, c] = sizes.dims;
    for (at, window) in outer(sizes) {
        let sum = &mut rows.best;
        sum.fill(0.0);
        rows_under([a, b], window, |row| {
            let row = &x[row * c.n..][..c.n];
            for k in 0..c.size {
                let (windows, _, elements) = elements(c, k, row, &mut rows.elements);
                for (sum, &x) in sum[windows].iter_mut().zip(elements) {
                    *sum += x;
                }
            }
        });
        let out = &mut out[at * c.count..][..c.count];
        for (w, (out, sum)) in out.iter_mut().zip(&*sum).enumerate() {
            *out = sum / sizes.divisor([window[0], window[1], w]);
        }
    }
}

#[inline(always)]
fn mean_gradient(sizes: &Sizes, gy: &[f32], out: &mut [f32], rows: &mut Rows) {
    let [a, b, c] = sizes.dims;
    let share = &mut rows.best[..c.count];
    for (at, window) in outer(sizes) {
        for (w, (share, &gy)) in share.iter_mut().zip(&gy[at * c.count..]).enumerate() {
            *share = gy / sizes.divisor([window[0], window[1], w]);
        }
        rows_under([a, b], window, |row| {
            let row = &mut out[row * c.n..][..c.n];
            // An element takes from its windows in their order: the last element of the first window comes first.
            for k in (0..c.size).rev() {
                let windows = with_element(c, k);
                for w in windows {
                    row[w * c.step + k * c.dilation - c.before] += share[w];
                }
            }
        });
    }
}
