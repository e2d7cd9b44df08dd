//! Elements of any dtype of arithmetic as 64-bit keys in the same order.
//!
//! NaN is above all numbers and zeros of both signs are one key, so that sorting, searching and
//! running extremes are written once for all dtypes.

use bytemuck::{Pod, cast_slice};
use glowgrad_tensor::{DType, Error, Result};

/// The key of NaN; no other float has it.
const NAN: u64 = u64::MAX;

/// Keys of the elements at `first`, `first + step`, …
pub(super) fn read(dtype: DType, source: &[u8], at: (usize, usize), keys: &mut [u64]) {
    match dtype {
        DType::Bool => each::<u8>(source, at, keys, u64::from),
        DType::U64 => each::<u64>(source, at, keys, |x| x),
        DType::F32 => each::<f32>(source, at, keys, |x| float(f64::from(x))),
        DType::F64 => each::<f64>(source, at, keys, float),
        // Ops cast to a dtype of arithmetic first.
        _ => each::<i64>(source, at, keys, |x| x as u64 ^ SIGN),
    }
}

const SIGN: u64 = 1 << 63;

fn each<T: Pod>(
    source: &[u8],
    (first, step): (usize, usize),
    keys: &mut [u64],
    key: impl Fn(T) -> u64,
) {
    let source: &[T] = cast_slice(source);
    for (i, out) in keys.iter_mut().enumerate() {
        *out = key(source[first + i * step]);
    }
}

/// Bits of a positive float grow with it; those of a negative one shrink.
fn float(x: f64) -> u64 {
    if x.is_nan() {
        return NAN;
    }
    // −0 + 0 is 0.
    let bits = (x + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// Whether a key is NaN's.
pub(super) fn is_nan(dtype: DType, key: u64) -> bool {
    dtype.is_float() && key == NAN
}

/// Which end a running extreme looks for.
#[derive(Clone, Copy)]
pub(super) enum Extreme {
    Largest,
    Smallest,
}

impl Extreme {
    /// The key by which the extreme is the largest, and NaN larger still.
    pub(super) fn with_nan_on_top(self, dtype: DType, key: u64) -> u64 {
        match self {
            Extreme::Smallest if !is_nan(dtype, key) => !key,
            _ => key,
        }
    }
}

/// A list of one value, or an error where there is no memory for it.
pub(super) fn filled<T: Clone>(value: T, n: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(n).map_err(|_| {
        Error::runtime(format!(
            "cpu: out of memory: could not get {} bytes to work in",
            n.saturating_mul(size_of::<T>())
        ))
    })?;
    list.resize(n, value);
    Ok(list)
}
