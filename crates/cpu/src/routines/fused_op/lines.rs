//! What layers along lines have in common: sums and exponentials of elements that lie side by side.
//!
//! Sums run in lanes, the lanes' sums in blocks, and what the blocks give in float64, as in [`crate::reduce`]. Every
//! function is inlined, and loops are `for` loops, so that all is compiled for the level of the caller.

use crate::{jit, math, ops};

/// Elements of a block: a few blocks fit the first-level cache together.
pub(super) const BLOCK: usize = 512;

/// Accumulators of a row, so that additions need not wait for each other.
const LANES: usize = 32;
/// Accumulators of what is left of it, and of a short row.
const FEW: usize = 8;

/// The sum of a term of each element.
#[inline(always)]
pub(super) fn sum(row: &[f32], term: impl Fn(f32) -> f32) -> f64 {
    sum_of_pairs([row, row], |x, _| term(x))
}

/// The sum of a term of each element of one row and the element beside it of another.
#[inline(always)]
pub(super) fn sum_of_pairs([a, b]: [&[f32]; 2], term: impl Fn(f32, f32) -> f32) -> f64 {
    let mut total = 0.0;
    for (a, b) in a.chunks(BLOCK).zip(b.chunks(BLOCK)) {
        let mut lanes = [0.0; LANES];
        let ((chunks, a), (others, b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
        for (chunk, other) in chunks.iter().zip(others) {
            for (lane, (&a, &b)) in lanes.iter_mut().zip(chunk.iter().zip(other)) {
                *lane += term(a, b);
            }
        }
        let mut lanes = few(lanes, plus);
        let ((chunks, a), (others, b)) = (a.as_chunks::<FEW>(), b.as_chunks::<FEW>());
        for (chunk, other) in chunks.iter().zip(others) {
            for (lane, (&a, &b)) in lanes.iter_mut().zip(chunk.iter().zip(other)) {
                *lane += term(a, b);
            }
        }
        let mut part = 0.0;
        for (&a, &b) in a.iter().zip(b) {
            part += term(a, b);
        }
        total += f64::from(part + one(lanes, plus));
    }
    total
}

/// The largest element, NaN left out; minus infinity of none.
#[inline(always)]
pub(super) fn largest(row: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane = larger(*lane, x);
        }
    }
    let mut lanes = few(lanes, larger);
    let (chunks, rest) = rest.as_chunks::<FEW>();
    for chunk in chunks {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane = larger(*lane, x);
        }
    }
    let mut best = one(lanes, larger);
    for &x in rest {
        best = larger(best, x);
    }
    best
}

#[inline(always)]
fn plus(a: f32, b: f32) -> f32 {
    a + b
}

#[inline(always)]
fn larger(best: f32, x: f32) -> f32 {
    if x > best { x } else { best }
}

#[inline(always)]
fn few(lanes: [f32; LANES], combine: fn(f32, f32) -> f32) -> [f32; FEW] {
    let mut few = [0.0; FEW];
    for (i, few) in few.iter_mut().enumerate() {
        let pair = |i: usize| combine(lanes[i], lanes[i + LANES / 2]);
        *few = combine(pair(i), pair(i + FEW));
    }
    few
}

#[inline(always)]
fn one(lanes: [f32; FEW], combine: fn(f32, f32) -> f32) -> f32 {
    let pair = |i: usize| combine(lanes[i], lanes[i + FEW / 2]);
    combine(combine(pair(0), pair(2)), combine(pair(1), pair(3)))
}

/// `out = eˣ`.
#[inline(always)]
pub(super) fn exp(x: &[f32], out: &mut [f32]) {
    out.copy_from_slice(x);
    exp_of(out, 0.0);
}

/// `x = eˣ⁻ᵇ` for each element, in blocks as in [`crate::ops`].
#[inline(always)]
pub(super) fn exp_of(row: &mut [f32], b: f32) {
    if jit::exp_of(row, b) {
        return;
    }
    let (blocks, rest) = row.as_chunks_mut::<{ ops::BLOCK }>();
    for block in blocks {
        for x in block {
            *x = math::exp(*x - b);
        }
    }
    for x in rest {
        *x = math::exp(*x - b);
    }
}
