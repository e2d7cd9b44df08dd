//! Running sums, products, extremes and recurrences along the middle of `[outer, n, inner]`.
//!
//! A row of `inner` running values is carried from one position to the next, so that memory is read
//! and written in order. float32 is carried in float64, as PyTorch does.

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use glowgrad_tensor::kernel::ScanOp;
use glowgrad_tensor::{DType, Result, interrupt};

use super::keys::{self, Extreme};

/// A float and the float64 it is carried in.
trait Float: Pod {
    fn wide(self) -> f64;
    fn narrow(wide: f64) -> Self;
}

impl Float for f32 {
    fn wide(self) -> f64 {
        f64::from(self)
    }

    fn narrow(wide: f64) -> f32 {
        wide as f32
    }
}

impl Float for f64 {
    fn wide(self) -> f64 {
        self
    }

    fn narrow(wide: f64) -> f64 {
        wide
    }
}

/// Runs a scan over `[outer, n, inner]`.
pub(crate) fn run(
    op: ScanOp,
    dtype: DType,
    (n, inner): (usize, usize),
    inputs: &[&[u8]],
    out: &mut [u8],
) -> Result<()> {
    if n * inner == 0 {
        return Ok(());
    }
    match (op, dtype) {
        (ScanOp::ArgMax, _) => positions(Extreme::Largest, dtype, (n, inner), inputs[0], out),
        (ScanOp::ArgMin, _) => positions(Extreme::Smallest, dtype, (n, inner), inputs[0], out),
        (ScanOp::Recurrence, DType::F32) => recurrence::<f32>(n, inner, inputs, out),
        (ScanOp::Recurrence, _) => recurrence::<f64>(n, inner, inputs, out),
        (_, DType::F32) => floats::<f32>(op, n, inner, inputs[0], out),
        (_, DType::F64) => floats::<f64>(op, n, inner, inputs[0], out),
        // Two's complement is the same for int64 and uint64.
        (ScanOp::Prod, _) => integers(1, i64::wrapping_mul, n, inner, inputs[0], out),
        _ => integers(0, i64::wrapping_add, n, inner, inputs[0], out),
    }
}

fn floats<T: Float>(
    op: ScanOp,
    n: usize,
    inner: usize,
    source: &[u8],
    out: &mut [u8],
) -> Result<()> {
    match op {
        ScanOp::Sum => carry::<T>(0.0, |sum, x| sum + x, n, inner, source, out),
        ScanOp::Prod => carry::<T>(1.0, |product, x| product * x, n, inner, source, out),
        _ => carry::<T>(f64::NEG_INFINITY, log_add_exp, n, inner, source, out),
    }
}

fn carry<T: Float>(
    start: f64,
    join: impl Fn(f64, f64) -> f64,
    n: usize,
    inner: usize,
    source: &[u8],
    out: &mut [u8],
) -> Result<()> {
    let (source, out): (&[T], &mut [T]) = (cast_slice(source), cast_slice_mut(out));
    let mut running = keys::filled(start, inner)?;
    for (source, out) in lines(n, inner, source, out) {
        running.fill(start);
        for (source, out) in source.chunks_exact(inner).zip(out.chunks_exact_mut(inner)) {
            if interrupt::spend(4 * inner) {
                return Ok(());
            }
            for ((value, &x), out) in running.iter_mut().zip(source).zip(out) {
                *value = join(*value, x.wide());
                *out = T::narrow(*value);
            }
        }
    }
    Ok(())
}

fn integers(
    start: i64,
    join: fn(i64, i64) -> i64,
    n: usize,
    inner: usize,
    source: &[u8],
    out: &mut [u8],
) -> Result<()> {
    let (source, out): (&[i64], &mut [i64]) = (cast_slice(source), cast_slice_mut(out));
    for (source, out) in lines(n, inner, source, out) {
        for i in 0..n * inner {
            let before = if i < inner { start } else { out[i - inner] };
            out[i] = join(before, source[i]);
        }
    }
    Ok(())
}

/// `h[i] = a[i] · h[i − 1] + b[i]`
fn recurrence<T: Float>(n: usize, inner: usize, inputs: &[&[u8]], out: &mut [u8]) -> Result<()> {
    let (a, b): (&[T], &[T]) = (cast_slice(inputs[0]), cast_slice(inputs[1]));
    let out: &mut [T] = cast_slice_mut(out);
    let mut running = keys::filled(0.0, inner)?;
    for (at, out) in out.chunks_exact_mut(n * inner).enumerate() {
        if interrupt::spend(n * inner) {
            break;
        }
        let (a, b) = (&a[at * n * inner..], &b[at * n * inner..]);
        for i in 0..n * inner {
            let value = &mut running[i % inner];
            *value = match i {
                i if i < inner => b[i].wide(),
                i => a[i].wide() * *value + b[i].wide(),
            };
            out[i] = T::narrow(*value);
        }
    }
    Ok(())
}

/// Where the extreme so far is: the last on ties, and NaN wins.
fn positions(
    extreme: Extreme,
    dtype: DType,
    (n, inner): (usize, usize),
    source: &[u8],
    out: &mut [u8],
) -> Result<()> {
    let out: &mut [i64] = cast_slice_mut(out);
    let mut best = keys::filled(0u64, inner)?;
    let mut row = keys::filled(0u64, inner)?;
    for (at, out) in out.chunks_exact_mut(n * inner).enumerate() {
        for i in 0..n {
            if interrupt::spend(4 * inner) {
                return Ok(());
            }
            keys::read(dtype, source, ((at * n + i) * inner, 1), &mut row);
            for j in 0..inner {
                let key = extreme.with_nan_on_top(dtype, row[j]);
                let wins = i == 0 || key >= best[j];
                if wins {
                    best[j] = key;
                }
                out[i * inner + j] = if wins {
                    i as i64
                } else {
                    out[(i - 1) * inner + j]
                };
            }
        }
    }
    Ok(())
}

fn lines<'a, T>(
    n: usize,
    inner: usize,
    source: &'a [T],
    out: &'a mut [T],
) -> impl Iterator<Item = (&'a [T], &'a mut [T])> {
    source
        .chunks_exact(n * inner)
        .zip(out.chunks_exact_mut(n * inner))
}

/// ln(eˣ + eʸ), where equal infinities stay what they are.
fn log_add_exp(x: f64, y: f64) -> f64 {
    if x == y && x.is_infinite() {
        return x;
    }
    let (low, high) = if x > y { (y, x) } else { (x, y) };
    (low - high).exp().ln_1p() + high
}
