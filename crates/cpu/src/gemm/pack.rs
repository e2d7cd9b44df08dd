//! Copies of the operands in the order in which a microkernel reads them.
//!
//! A panel of A is `[depth, height]`, a panel of B `[depth, width]`; panels follow each other. The
//! last panel of A is as high as the others, with its missing rows left as they are (they are never
//! read); the last panel of B is padded with zeros (unmasked kernels read it).

use super::{Element, Matrix};
use crate::layout::copy;

/// Steps along the depth that are copied together when rows have to be turned into columns, so
/// that a cache line that was fetched is used whole.
const TOGETHER: usize = 8;

/// `rows × depth` of A into panels of `height` rows.
pub(super) fn rows<T: Element>(
    a: Matrix<'_, T>,
    rows: usize,
    depth: usize,
    height: usize,
    out: &mut [T],
) {
    for (panel, out) in (0..rows)
        .step_by(height)
        .zip(out.chunks_exact_mut(height * depth))
    {
        interleave(
            a.from(panel, 0),
            height.min(rows - panel),
            depth,
            height,
            out,
        );
    }
}

/// `depth × columns` of B into panels of `width` columns, zeros after the last.
pub(super) fn columns<T: Element>(
    b: Matrix<'_, T>,
    depth: usize,
    columns: usize,
    width: usize,
    out: &mut [T],
) {
    for (panel, out) in (0..columns)
        .step_by(width)
        .zip(out.chunks_exact_mut(width * depth))
    {
        let filled = width.min(columns - panel);
        interleave(b.from(0, panel).transposed(), filled, depth, width, out);
        if filled < width {
            for row in out.chunks_exact_mut(width) {
                row[filled..].fill(T::zeroed());
            }
        }
    }
}

/// `out[p * pitch + i] = a[i, p]`.
pub(crate) fn interleave<T: Element>(
    a: Matrix<'_, T>,
    rows: usize,
    depth: usize,
    pitch: usize,
    out: &mut [T],
) {
    if a.row == 1 {
        for (p, out) in out.chunks_exact_mut(pitch).enumerate().take(depth) {
            let at = (a.at + p as isize * a.column) as usize;
            copy(&a.data[at..at + rows], &mut out[..rows]);
        }
        return;
    }
    if a.column != 1 {
        for (p, out) in out.chunks_exact_mut(pitch).enumerate().take(depth) {
            for (i, out) in out[..rows].iter_mut().enumerate() {
                *out = a.get(i, p);
            }
        }
        return;
    }
    let row = |i: usize| {
        let at = (a.at + i as isize * a.row) as usize;
        &a.data[at..at + depth]
    };
    let whole = rows / 4 * 4;
    for i in (0..whole).step_by(4) {
        let four =
            [row(i), row(i + 1), row(i + 2), row(i + 3)].map(|row| row.as_chunks::<TOGETHER>());
        let mut blocks = out.chunks_exact_mut(TOGETHER * pitch);
        for ((((r0, r1), r2), r3), out) in four[0]
            .0
            .iter()
            .zip(four[1].0)
            .zip(four[2].0)
            .zip(four[3].0)
            .zip(&mut blocks)
        {
            for p in 0..TOGETHER {
                out[p * pitch + i..p * pitch + i + 4]
                    .copy_from_slice(&[r0[p], r1[p], r2[p], r3[p]]);
            }
        }
        let done = depth / TOGETHER * TOGETHER;
        for p in done..depth {
            for (j, (_, rest)) in four.iter().enumerate() {
                out[p * pitch + i + j] = rest[p - done];
            }
        }
    }
    for i in whole..rows {
        for (out, &x) in out.chunks_mut(pitch).zip(row(i)) {
            out[i] = x;
        }
    }
}
