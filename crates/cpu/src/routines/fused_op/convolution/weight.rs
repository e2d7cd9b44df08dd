//! The gradient of a convolution's weight: the gradients of the results times the windows, summed over the batch.
//!
//! Rows are channels of the result, columns `(kernel, channel)`, the depth is every place of every image. Images are
//! turned so that channels are innermost: then the elements under a row of the kernel are neighbours, and a packed row
//! is a few runs. The sums are kept as `[rows, (kernel, channel)]` and put into the weight's order at the end.

use std::ops::Range;

use glowgrad_tensor::fused_op::Convolution;
use glowgrad_tensor::{Result, interrupt};

use super::{Part, Scratch, count, places};
use crate::gemm::pack::interleave;
use crate::gemm::{DEPTH, Kernel, Matrix, Tile, WithKernel};
use crate::layout::copy;
use crate::simd::dispatch;

/// Columns that are summed together.
const COLUMNS: usize = 256;

/// The gradient of the weight.
pub(super) struct Weight<'a>(pub(super) Part<'a>);

/// An image with its zeros, channels innermost.
#[derive(Clone, Copy)]
struct Turned {
    size: [usize; 3],
    channels: usize,
}

impl Turned {
    fn new(sizes: &Convolution) -> Turned {
        let size = std::array::from_fn(|d| {
            sizes.stride[d] * (sizes.result[d] - 1) + sizes.dilation[d] * (sizes.kernel[d] - 1) + 1
        });
        Turned {
            size,
            channels: sizes.channels_in,
        }
    }

    fn offset(&self, u: [usize; 3]) -> usize {
        ((u[0] * self.size[1] + u[1]) * self.size[2] + u[2]) * self.channels
    }

    /// Copies an image `[channels, input]`.
    fn fill(&self, sizes: &Convolution, x: &[f32], out: &mut [f32]) {
        let (n, [outer, middle, last]) = (count(sizes.input), sizes.input);
        if sizes.before != [0; 3] || (0..3).any(|d| self.size[d] > sizes.input[d]) {
            out.fill(0.0);
        }
        let len = last.min(self.size[2].saturating_sub(sizes.before[2]));
        for row in places([outer, middle, 1]) {
            let u: [usize; 3] = std::array::from_fn(|d| row[d] + sizes.before[d]);
            if len == 0 || u[0] >= self.size[0] || u[1] >= self.size[1] {
                continue;
            }
            let at = (row[0] * middle + row[1]) * last;
            let rows = Matrix {
                data: x,
                at: at as isize,
                row: n as isize,
                column: 1,
            };
            let to = self.offset(u);
            interleave(
                rows,
                self.channels,
                len,
                self.channels,
                &mut out[to..to + len * self.channels],
            );
        }
    }
}

/// Columns that are neighbours in a turned image: `column .. column + len` of a panel.
struct Run {
    column: usize,
    len: usize,
    at: usize,
}

/// The runs of some columns, panel after panel of `width`.
fn runs(sizes: &Convolution, turned: &Turned, columns: Range<usize>, width: usize) -> Vec<Run> {
    let [_, k1, k2] = sizes.kernel;
    // Without dilation a whole row of the kernel is a run.
    let joined = if sizes.dilation[2] == 1 { k2 } else { 1 };
    let len = joined * sizes.channels_in;
    let mut runs = Vec::new();
    let mut at = columns.start;
    while at < columns.end {
        let (k, within) = (at / len * joined, at % len);
        let k = [k / (k1 * k2), k / k2 % k1, k % k2];
        let column = (at - columns.start) % width;
        let n = (len - within).min(width - column).min(columns.end - at);
        let u = std::array::from_fn(|d| k[d] * sizes.dilation[d]);
        runs.push(Run {
            column,
            len: n,
            at: turned.offset(u) + within,
        });
        at += n;
    }
    runs
}

impl WithKernel for Weight<'_> {
    fn run<K: Kernel<f32> + Sync>(self, kernel: &K) -> Result<()> {
        let Part {
            level,
            pool,
            sizes,
            operands: (x, y),
            terms,
            out,
        } = self.0;
        let (m, n_kernel, n_result) =
            (sizes.channels_out, count(sizes.kernel), count(sizes.result));
        let (n_columns, n_input) = (
            sizes.channels_in * n_kernel,
            sizes.channels_in * count(sizes.input),
        );
        let turned = Turned::new(sizes);
        let height = m.div_ceil(m.div_ceil(kernel.rows()));
        let rows = m.next_multiple_of(height);
        let depth = terms.len().min(DEPTH);
        let columns = COLUMNS.min(n_columns.next_multiple_of(K::COLUMNS));

        let mut image = Scratch::new(pool, turned.offset([turned.size[0], 0, 0]))?;
        let mut a_block = Scratch::new(pool, rows * depth)?;
        // A run is copied in whole vectors, and may write beyond its end.
        let mut b_block = Scratch::new(pool, (columns * depth).next_multiple_of(64) + 64)?;
        let mut sums = Scratch::new(pool, m * columns)?;
        let (image, sums) = (image.floats(), sums.floats());
        let (a_block, b_block) = (a_block.floats(), b_block.floats());

        for (g, column) in
            (0..sizes.groups).flat_map(|g| (0..n_columns).step_by(columns).map(move |c| (g, c)))
        {
            let columns = columns.min(n_columns - column);
            let runs = runs(sizes, &turned, column..column + columns, K::COLUMNS);
            let (mut filled, mut accumulate, mut there) = (0, false, usize::MAX);
            let mut term = terms.start;
            while term < terms.end {
                let (n, place) = (term / n_result, term % n_result);
                let of_batch = n * sizes.groups + g;
                if there != n {
                    turned.fill(sizes, &x[of_batch * n_input..][..n_input], image);
                    there = n;
                }
                let len = (n_result - place).min(depth - filled).min(terms.end - term);
                for (row, block) in (0..m)
                    .step_by(height)
                    .zip(a_block.chunks_exact_mut(height * depth))
                {
                    let at = (of_batch * m + row) * n_result + place;
                    let y = Matrix {
                        data: y,
                        at: at as isize,
                        row: n_result as isize,
                        column: 1,
                    };
                    interleave(
                        y,
                        height.min(m - row),
                        len,
                        height,
                        &mut block[filled * height..],
                    );
                }
                let reads = |i: usize| {
                    let j = place + i;
                    let j = [
                        j / (sizes.result[1] * sizes.result[2]),
                        j / sizes.result[2] % sizes.result[1],
                        j % sizes.result[2],
                    ];
                    turned.offset(std::array::from_fn(|d| j[d] * sizes.stride[d]))
                };
                dispatch(
                    level,
                    #[inline(always)]
                    || {
                        pack_windows(
                            image,
                            (filled, len, depth),
                            reads,
                            &runs,
                            K::COLUMNS,
                            b_block,
                        )
                    },
                );
                filled += len;
                term += len;
                if filled < depth && term < terms.end {
                    continue;
                }
                if interrupt::spend(m * columns * filled / 8) {
                    return Ok(());
                }
                for j in (0..columns).step_by(K::COLUMNS) {
                    let b = Matrix {
                        data: &*b_block,
                        at: (j * depth) as isize,
                        row: K::COLUMNS as isize,
                        column: 1,
                    };
                    for row in (0..m).step_by(height) {
                        kernel.run(Tile {
                            rows: height.min(m - row),
                            columns: K::COLUMNS.min(columns - j),
                            depth: filled,
                            a: Matrix {
                                data: &*a_block,
                                at: (row * depth) as isize,
                                row: 1,
                                column: height as isize,
                            },
                            b,
                            c: &mut sums[row * columns + j..],
                            c_row: columns,
                            accumulate,
                        });
                    }
                }
                (filled, accumulate) = (0, true);
            }
            for (r, sums) in sums.chunks_exact(columns).enumerate().take(m) {
                let out = &mut out[(g * m + r) * n_columns..][..n_columns];
                for (i, &sum) in sums.iter().enumerate() {
                    let (k, c) = (
                        (column + i) / sizes.channels_in,
                        (column + i) % sizes.channels_in,
                    );
                    out[c * n_kernel + k] = if accumulate { sum } else { 0.0 };
                }
            }
        }
        Ok(())
    }
}

/// Windows as rows of panels: `out[panel][filled + i][column] = image[reads(i) + read of the column]`, panels of
/// `depth` rows. The columns after the last one of a panel are left as they come.
#[inline(always)]
fn pack_windows(
    image: &[f32],
    (filled, len, depth): (usize, usize, usize),
    reads: impl Fn(usize) -> usize,
    runs: &[Run],
    width: usize,
    out: &mut [f32],
) {
    /// Elements of a copy.
    const VECTOR: usize = 8;
    for i in 0..len {
        let read = reads(i);
        let mut row = (filled + i) * width;
        for (r, run) in runs.iter().enumerate() {
            if r > 0 && run.column == 0 {
                row += depth * width;
            }
            let (from, to) = (&image[read + run.at..], &mut out[row + run.column..]);
            let mut done = 0;
            // Whole vectors while they end in this row; the next row of another panel may be there already.
            while done + VECTOR <= (width - run.column) && done < run.len {
                match (
                    from[done..].first_chunk::<VECTOR>(),
                    to[done..].first_chunk_mut::<VECTOR>(),
                ) {
                    (Some(from), Some(to)) => *to = *from,
                    _ => break,
                }
                done += VECTOR;
            }
            if done < run.len {
                copy(&from[done..run.len], &mut to[done..run.len]);
            }
        }
    }
}
