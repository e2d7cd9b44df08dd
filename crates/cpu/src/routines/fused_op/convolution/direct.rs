//! Convolutions with a channel or two in a group (depth-wise ones), and their gradients, without a matrix: each element
//! of the kernel times the plane, moved to its place.
//!
//! Sums run over whole rows of the padded plane, with the columns between two rows computed along and left out. The
//! order of a sum is that of the kernel's elements.

use glowgrad_tensor::fused_op::{Convolution, Wanted};
use glowgrad_tensor::{Result, interrupt};

use super::source::{Grid, Source, grids};
use super::{Scratch, count};
use crate::simd::dispatch;
use crate::{Level, Pool};

/// Elements summed together, in registers.
const LANES: usize = 32;

/// Computes one of the three, whole.
pub(super) fn run(
    level: Level,
    pool: &Pool,
    sizes: &Convolution,
    (a, b): (&[f32], &[f32]),
    out: &mut [f32],
) -> Result<()> {
    let forward = sizes.wanted != Wanted::Input;
    let (source, from, to) = match forward {
        true => (
            Source::of_input(sizes),
            sizes.channels_in,
            sizes.channels_out,
        ),
        false => (
            Source::of_result(sizes),
            sizes.channels_out,
            sizes.channels_in,
        ),
    };
    let all = grids(sizes, &source);
    let n_from = a.len() / (sizes.batch * sizes.groups * from);
    let plane = source.plane();
    let most = all
        .iter()
        .map(|grid| span(grid, source.strides()[1]))
        .max()
        .unwrap_or(0);
    // Vectors are read beyond a plane's end.
    let mut padded = Scratch::new(pool, from * plane + LANES)?;
    let mut sums = Scratch::new(pool, most.next_multiple_of(LANES))?;
    let (padded, sums) = (padded.floats(), sums.floats());
    padded[from * plane..].fill(0.0);
    if sizes.wanted == Wanted::Weight {
        out.fill(0.0);
    }
    let n_kernel = count(sizes.kernel);
    for at in 0..sizes.batch * sizes.groups {
        let g = at % sizes.groups;
        if interrupt::spend(count(sizes.result) * n_kernel * from * to / 4) {
            break;
        }
        source.fill(&a[at * from * n_from..][..from * n_from], padded);
        for (grid, (c, r)) in all
            .iter()
            .flat_map(|grid| (0..to).map(move |r| (grid, r)))
            .flat_map(|(grid, r)| (0..from).map(move |c| (grid, (c, r))))
        {
            let (o, i) = if forward { (r, c) } else { (c, r) };
            let w = ((g * sizes.channels_out + o) * sizes.channels_in + i) * n_kernel;
            let x = &padded[c * plane..];
            if sizes.wanted == Wanted::Weight {
                let n = count(sizes.result);
                let y = &b[(at * to + r) * n..][..n];
                dispatch(
                    level,
                    #[inline(always)]
                    || correlate(grid, &source, x, y, &mut out[w..w + n_kernel]),
                );
                continue;
            }
            let n = out.len() / (sizes.batch * sizes.groups * to);
            let out = &mut out[(at * to + r) * n..][..n];
            let w = &b[w..w + n_kernel];
            dispatch(
                level,
                #[inline(always)]
                || convolve(grid, &source, x, w, out, sums, c > 0),
            );
        }
    }
    Ok(())
}

/// Elements from the first window of a plane to its last, the columns between rows of `pitch` included.
fn span(grid: &Grid, pitch: usize) -> usize {
    match grid.counts {
        [_, _, 0] | [_, 0, _] => 0,
        [_, middle, last] => (middle - 1) * pitch + last,
    }
}

/// Adds up the kernel's elements times the plane.
#[inline(always)]
fn convolve(
    grid: &Grid,
    source: &Source,
    x: &[f32],
    w: &[f32],
    out: &mut [f32],
    sums: &mut [f32],
    add: bool,
) {
    let [outer, middle, last] = grid.counts;
    let [far, pitch, _] = source.strides();
    let n = span(grid, pitch);
    for i in 0..outer {
        for (start, sums) in (0..n).step_by(LANES).zip(sums.as_chunks_mut::<LANES>().0) {
            let mut lanes = [0.0f32; LANES];
            for &(k, read) in &grid.taps {
                let (w, at) = (w[k], read + i * far + start);
                if let Some(x) = x[at..].first_chunk::<LANES>() {
                    for (lane, x) in lanes.iter_mut().zip(x) {
                        *lane += w * x;
                    }
                } else {
                    for (lane, x) in lanes.iter_mut().zip(&x[at..]) {
                        *lane += w * x;
                    }
                }
            }
            *sums = lanes;
        }
        for j in 0..middle {
            let at = grid.at + i * grid.steps[0] + j * grid.steps[1];
            let sums = &sums[j * pitch..j * pitch + last];
            let out = out[at..].iter_mut().step_by(grid.steps[2]).zip(sums);
            if add {
                out.for_each(|(out, sum)| *out += sum);
            } else {
                out.for_each(|(out, sum)| *out = *sum);
            }
        }
    }
}

/// Adds to each of the kernel's elements the products of results and plane, row by row.
#[inline(always)]
fn correlate(grid: &Grid, source: &Source, x: &[f32], y: &[f32], out: &mut [f32]) {
    const LANES: usize = 8;
    let [outer, middle, last] = grid.counts;
    let [far, pitch, _] = source.strides();
    for &(k, read) in &grid.taps {
        let (mut lanes, mut rest) = ([0.0f32; LANES], 0.0f32);
        for (row, y) in y.chunks_exact(last).take(outer * middle).enumerate() {
            let at = read + row / middle * far + row % middle * pitch;
            let (x, x_rest) = x[at..at + last].as_chunks::<LANES>();
            let (y, y_rest) = y.as_chunks::<LANES>();
            for (x, y) in x.iter().zip(y) {
                for ((lane, x), y) in lanes.iter_mut().zip(x).zip(y) {
                    *lane += x * y;
                }
            }
            for (x, y) in x_rest.iter().zip(y_rest) {
                rest += x * y;
            }
        }
        out[k] += lanes.iter().sum::<f32>() + rest;
    }
}
