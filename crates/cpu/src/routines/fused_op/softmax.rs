//! Softmax, its logarithm and their gradients, in one pass over memory: what a line needs of it stays in the first-level
//! cache.
//!
//! Lines whose elements lie side by side are taken several at a time where they are short, so that exponentials are
//! computed in whole vectors; others as columns, side by side.

use glowgrad_tensor::fused_op::{Lines, Softmax};
use glowgrad_tensor::{Error, Result, interrupt};

use super::lines::{self, BLOCK};
use crate::simd::dispatch;
use crate::{Level, Pool, math, threads};

/// What an element costs, in additions.
const COST: usize = 12;

/// Columns that are taken together.
const COLUMNS: usize = 128;

/// Rows of columns whose sum is made in float32.
const ROWS: usize = 16;

/// Computes a softmax or its gradient; inputs as [`Softmax`] names them.
///
/// # Errors
/// Slices of other lengths than the sizes say.
pub(super) fn run(
    level: Level,
    pool: &Pool,
    softmax: &Softmax,
    inputs: &[&[f32]],
    output: &mut [f32],
) -> Result<()> {
    let Lines { outer, n, inner } = softmax.lines;
    let plane = n * inner;
    let input = |i: usize| inputs.get(i).copied().unwrap_or_default();
    // A softmax itself has no second input.
    let operands = [input(0), input(usize::from(softmax.gradient))];
    if operands.iter().any(|x| x.len() != outer * plane) || output.len() != outer * plane {
        return Err(Error::runtime(
            "cpu: softmax: an operand has another length than its sizes say; please report it",
        ));
    }
    if output.is_empty() {
        return Ok(());
    }
    let share = threads::share(outer, plane * COST);
    let parts = output.chunks_mut(share * plane).enumerate();
    threads::for_each(pool, outer * plane * COST, parts, |_, (part, output)| {
        // Lines side by side that fill a block, or one that does not fit.
        let together = (BLOCK / plane).max(1) * plane;
        let from = part * share * plane;
        for (i, out) in output.chunks_mut(together).enumerate() {
            if interrupt::spend(out.len() * COST) {
                break;
            }
            let [a, b] = operands.map(|x| &x[from + i * together..][..out.len()]);
            dispatch(
                level,
                #[inline(always)]
                || match (inner, softmax.gradient) {
                    (1, false) => rows(softmax.log, n, a, out),
                    (1, true) => row_gradients(softmax.log, n, [a, b], out),
                    (_, false) => {
                        for (out, x) in out.chunks_exact_mut(plane).zip(a.chunks_exact(plane)) {
                            columns(softmax.log, inner, x, out);
                        }
                    }
                    (_, true) => {
                        let operands = a.chunks_exact(plane).zip(b.chunks_exact(plane));
                        for (out, (gy, y)) in out.chunks_exact_mut(plane).zip(operands) {
                            column_gradients(softmax.log, inner, [gy, y], out);
                        }
                    }
                },
            );
        }
        Ok(())
    })
}

/// Rows that fit a block, or one row.
#[inline(always)]
fn rows(log: bool, n: usize, x: &[f32], out: &mut [f32]) {
    for (x, out) in x.chunks_exact(n).zip(out.chunks_exact_mut(n)) {
        let largest = lines::largest(x);
        for (out, &x) in out.iter_mut().zip(x) {
            *out = x - largest;
        }
    }
    if !log {
        lines::exp_of(out, 0.0);
        for out in out.chunks_exact_mut(n) {
            let total = lines::sum(out, |e| e) as f32;
            for out in out {
                *out /= total;
            }
        }
        return;
    }
    let mut scratch = [0.0; BLOCK];
    let mut totals = [0.0; BLOCK];
    let totals = &mut totals[..out.len() / n];
    if let Some(scratch) = scratch.get_mut(..out.len()) {
        lines::exp(out, scratch);
        for (e, total) in scratch.chunks_exact(n).zip(&mut *totals) {
            *total = lines::sum(e, |e| e) as f32;
        }
    } else {
        let mut total = 0.0;
        for part in out.chunks(BLOCK) {
            let scratch = &mut scratch[..part.len()];
            lines::exp(part, scratch);
            total += lines::sum(scratch, |e| e);
        }
        totals[0] = total as f32;
    }
    for total in &mut *totals {
        *total = math::log(*total);
    }
    for (out, total) in out.chunks_exact_mut(n).zip(totals) {
        for out in out {
            *out -= *total;
        }
    }
}

#[inline(always)]
fn row_gradients(log: bool, n: usize, [gy, y]: [&[f32]; 2], out: &mut [f32]) {
    if log {
        lines::exp(y, out);
    }
    let operands = gy.chunks_exact(n).zip(y.chunks_exact(n));
    for (out, (gy, y)) in out.chunks_exact_mut(n).zip(operands) {
        if log {
            let total = lines::sum(gy, |gy| gy) as f32;
            for (out, &gy) in out.iter_mut().zip(gy) {
                *out = gy - *out * total;
            }
        } else {
            let total = lines::sum_of_pairs([gy, y], |gy, y| gy * y) as f32;
            for ((out, &gy), &y) in out.iter_mut().zip(gy).zip(y) {
                *out = (gy - total) * y;
            }
        }
    }
}

/// Sums of columns: float32 over some rows, float64 over all.
struct Totals {
    narrow: [f32; COLUMNS],
    wide: [f64; COLUMNS],
    rows: usize,
}

impl Totals {
    fn new() -> Totals {
        Totals {
            narrow: [0.0; COLUMNS],
            wide: [0.0; COLUMNS],
            rows: 0,
        }
    }

    /// Behind each row that was added to `narrow`.
    #[inline(always)]
    fn next_row(&mut self) {
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS) {
            self.lift();
        }
    }

    #[inline(always)]
    fn lift(&mut self) {
        for (wide, narrow) in self.wide.iter_mut().zip(&mut self.narrow) {
            *wide += f64::from(*narrow);
            *narrow = 0.0;
        }
    }

    /// The sums, as float32.
    #[inline(always)]
    fn end(mut self) -> [f32; COLUMNS] {
        self.lift();
        for (narrow, wide) in self.narrow.iter_mut().zip(&self.wide) {
            *narrow = *wide as f32;
        }
        self.narrow
    }
}

#[inline(always)]
fn columns(log: bool, width: usize, x: &[f32], out: &mut [f32]) {
    for first in (0..width).step_by(COLUMNS) {
        let n = COLUMNS.min(width - first);
        let mut largest = [f32::NEG_INFINITY; COLUMNS];
        let largest = &mut largest[..n];
        for x in x.chunks_exact(width) {
            for (largest, &x) in largest.iter_mut().zip(&x[first..]) {
                *largest = if x > *largest { x } else { *largest };
            }
        }
        let mut totals = Totals::new();
        for (x, out) in x.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
            let out = &mut out[first..][..n];
            let inputs = x[first..].iter().zip(&*largest);
            let sums = totals.narrow.iter_mut();
            for (((&x, &largest), out), sum) in inputs.zip(out).zip(sums) {
                let e = math::exp(x - largest);
                *out = if log { x - largest } else { e };
                *sum += e;
            }
            totals.next_row();
        }
        let mut totals = totals.end();
        if log {
            for total in &mut totals {
                *total = math::log(*total);
            }
        }
        for out in out.chunks_exact_mut(width) {
            for (out, &total) in out[first..][..n].iter_mut().zip(&totals) {
                *out = if log { *out - total } else { *out / total };
            }
        }
    }
}

#[inline(always)]
fn column_gradients(log: bool, width: usize, [gy, y]: [&[f32]; 2], out: &mut [f32]) {
    for first in (0..width).step_by(COLUMNS) {
        let n = COLUMNS.min(width - first);
        let mut totals = Totals::new();
        for (gy, y) in gy.chunks_exact(width).zip(y.chunks_exact(width)) {
            let operands = gy[first..].iter().zip(&y[first..]);
            for ((&gy, &y), sum) in operands.zip(&mut totals.narrow[..n]) {
                *sum += if log { gy } else { gy * y };
            }
            totals.next_row();
        }
        let totals = totals.end();
        let rows = gy.chunks_exact(width).zip(y.chunks_exact(width));
        for (out, (gy, y)) in out.chunks_exact_mut(width).zip(rows) {
            let operands = gy[first..].iter().zip(&y[first..]).zip(&totals);
            for (out, ((&gy, &y), &total)) in out[first..][..n].iter_mut().zip(operands) {
                *out = if log {
                    gy - math::exp(y) * total
                } else {
                    (gy - total) * y
                };
            }
        }
    }
}
