//! Sorting and searching, on keys of one type for all dtypes (`keys`).

use bytemuck::cast_slice_mut;
use glowgrad_tensor::{DType, Result, interrupt};

use super::keys;

/// Operations that sorting counts for an element.
const PER_SORTED: usize = 32;
/// Longer lines are sorted in passes, which hear Stop: sorting so many takes some 20 ms.
const LONG: usize = 1 << 18;
/// Elements between two counts of operations in a pass.
const STRETCH: usize = 1 << 16;

/// A key, and where its element stands.
type Pair = (u64, usize);

/// Where each element of the sorted lines of `[outer, n, inner]` stands, equal ones in the order
/// they came.
pub(crate) fn argsort(
    dtype: DType,
    descending: bool,
    (n, inner): (usize, usize),
    source: &[u8],
    out: &mut [u8],
) -> Result<()> {
    if n * inner == 0 {
        return Ok(());
    }
    let out: &mut [i64] = cast_slice_mut(out);
    let mut line = keys::filled(0u64, n)?;
    let mut pairs = keys::filled((0, 0), n)?;
    let mut spare = keys::filled((0, 0), if n > LONG { n } else { 0 })?;
    for (at, out) in out.chunks_exact_mut(n * inner).enumerate() {
        for j in 0..inner {
            if interrupt::spend(n * if n > LONG { 1 } else { PER_SORTED }) {
                return Ok(());
            }
            keys::read(dtype, source, (at * n * inner + j, inner), &mut line);
            for (i, (pair, &key)) in pairs.iter_mut().zip(&line).enumerate() {
                *pair = (if descending { !key } else { key }, i);
            }
            if n > LONG {
                sort_long(&mut pairs, &mut spare);
            } else {
                // No two pairs are equal: the position decides, which makes it stable.
                pairs.sort_unstable();
            }
            for (i, &(_, from)) in pairs.iter().enumerate() {
                out[i * inner + j] = from as i64;
            }
        }
    }
    Ok(())
}

/// Sorts by the keys' bytes, the lowest first; each pass keeps equal ones in order. Breaks off at a Stop.
fn sort_long(pairs: &mut Vec<Pair>, spare: &mut Vec<Pair>) {
    let first = pairs[0].0;
    let mut differing = 0;
    for stretch in pairs.chunks(STRETCH) {
        if interrupt::spend(STRETCH) {
            return;
        }
        differing |= stretch.iter().fold(0, |bits, pair| bits | pair.0 ^ first);
    }
    for shift in (0..u64::BITS).step_by(8) {
        let digit = |key: u64| (key >> shift) as u8 as usize;
        if digit(differing) == 0 {
            continue;
        }
        let mut starts = [0usize; 256];
        for stretch in pairs.chunks(STRETCH) {
            if interrupt::spend(STRETCH) {
                return;
            }
            for pair in stretch {
                starts[digit(pair.0)] += 1;
            }
        }
        let mut below = 0;
        for start in &mut starts {
            below += std::mem::replace(start, below);
        }
        for stretch in pairs.chunks(STRETCH) {
            if interrupt::spend(4 * STRETCH) {
                return;
            }
            for &pair in stretch {
                let to = &mut starts[digit(pair.0)];
                spare[*to] = pair;
                *to += 1;
            }
        }
        std::mem::swap(pairs, spare);
    }
}

/// Where values go into sorted sequences: `sorted[r, :]` and `values[r, :]` of `n` and `m` elements.
pub(crate) fn search(
    dtype: DType,
    right: bool,
    (rows, n, m): (usize, usize, usize),
    inputs: &[&[u8]],
    out: &mut [u8],
) -> Result<()> {
    let out: &mut [i64] = cast_slice_mut(out);
    let mut sequence = keys::filled(0u64, n)?;
    let mut values = keys::filled(0u64, m)?;
    for r in 0..rows {
        if interrupt::spend(n + m * PER_SORTED) {
            break;
        }
        keys::read(dtype, inputs[0], (r * n, 1), &mut sequence);
        keys::read(dtype, inputs[1], (r * m, 1), &mut values);
        for (&value, out) in values.iter().zip(&mut out[r * m..]) {
            let (mut start, mut end) = (0, n);
            while start < end {
                let middle = start + (end - start) / 2;
                let seen = sequence[middle];
                // A comparison with NaN does not hold: the search goes on to the right.
                let nan = keys::is_nan(dtype, seen) || keys::is_nan(dtype, value);
                if !nan && (value < seen || !right && value == seen) {
                    end = middle;
                } else {
                    start = middle + 1;
                }
            }
            *out = start as i64;
        }
    }
    Ok(())
}
