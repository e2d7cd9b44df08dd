//! Attention in blocks of queries: of the table of weights there is a block at a time, in scratch, between its two
//! products.

use glowgrad_tensor::fused_op::Attention;
use glowgrad_tensor::{Error, Result, interrupt};

use super::lines;
use crate::gemm::{self, Kernel, Matrix, WithKernel};
use crate::simd::dispatch;
use crate::{Level, Pool, threads};

/// Most queries of a block.
const QUERIES: usize = 64;
/// Most weights of a block: they fit the second-level cache.
const WEIGHTS: usize = 1 << 16;
/// What a weight costs beside its products, in additions.
const COST: usize = 12;

/// Computes `softmax(q kᵀ · scale) v`; inputs as [`Attention`] names them.
///
/// # Errors
/// Slices of other lengths than the sizes say; no memory for scratch.
pub(super) fn run(
    level: Level,
    pool: &Pool,
    attention: &Attention,
    inputs: &[&[f32]],
    output: &mut [f32],
) -> Result<()> {
    let a = attention;
    let fits = match inputs {
        [q, k, v, ..] => {
            a.keys > 0
                && q.len() == a.batch * a.queries * a.width
                && k.len() == a.batch * a.keys * a.width
                && v.len() == a.batch * a.keys * a.v_width
                && output.len() == a.batch * a.queries * a.v_width
        }
        _ => false,
    };
    if !fits {
        return Err(Error::runtime(
            "cpu: attention: an operand has another length than its sizes say; please report it",
        ));
    }
    if output.is_empty() {
        return Ok(());
    }
    let work = Blocks {
        level,
        pool,
        attention,
        inputs,
        output,
    };
    gemm::with_kernel(level, work)
}

struct Blocks<'a> {
    level: Level,
    pool: &'a Pool,
    attention: &'a Attention,
    inputs: &'a [&'a [f32]],
    output: &'a mut [f32],
}

impl WithKernel for Blocks<'_> {
    fn run<K: Kernel<f32> + Sync>(self, kernel: &K) -> Result<()> {
        let Blocks {
            level,
            pool,
            attention,
            inputs,
            output,
        } = self;
        let &Attention {
            batch,
            queries,
            keys,
            width,
            v_width,
            causal,
            ..
        } = attention;
        let scale = attention.scale() as f32;
        let rows = QUERIES.min(WEIGHTS / keys).clamp(1, queries);
        // Products count an eighth, as in `gemm`.
        let work = batch * queries * keys * ((width + v_width) / 8 + COST);
        let parts = output.chunks_mut(queries * v_width).enumerate();
        let parts = parts.flat_map(|(at, output)| {
            let blocks = output.chunks_mut(rows * v_width).enumerate();
            blocks.map(move |(block, output)| (at, block * rows, output))
        });
        threads::for_each(pool, work, parts, |pool, (at, first, output)| {
            let n = output.len() / v_width;
            let seen = if causal { keys.min(first + n) } else { keys };
            let matrix = |input: usize, row: usize, width: usize| Matrix {
                data: inputs[input],
                at: (row * width) as isize,
                row: width as isize,
                column: 1,
            };
            let (q, k, v) = (
                matrix(0, at * queries + first, width),
                matrix(1, at * keys, width),
                matrix(2, at * keys, v_width),
            );
            let mut block = pool.take(n * seen * size_of::<f32>())?;
            let weights: &mut [f32] = bytemuck::cast_slice_mut(&mut block);
            let weights = &mut weights[..n * seen];
            let mut totals = [1.0; QUERIES];
            let run = gemm::multiply(kernel, pool, (n, width, seen), q, k.transposed(), weights)
                .and_then(|()| {
                    if interrupt::spend(weights.len() * COST) {
                        return Ok(());
                    }
                    dispatch(
                        level,
                        #[inline(always)]
                        || {
                            let rows = weights.chunks_exact_mut(seen).zip(&mut totals);
                            for (i, (row, total)) in rows.enumerate() {
                                let seen = if causal {
                                    seen.min(first + i + 1)
                                } else {
                                    seen
                                };
                                let (row, rest) = row.split_at_mut(seen);
                                *total = weigh(row, scale);
                                rest.fill(0.0);
                            }
                        },
                    );
                    let weights = Matrix {
                        data: &*weights,
                        at: 0,
                        row: seen as isize,
                        column: 1,
                    };
                    gemm::multiply(kernel, pool, (n, seen, v_width), weights, v, output)
                });
            pool.give(block);
            for (row, total) in output.chunks_exact_mut(v_width).zip(totals) {
                for y in row {
                    *y /= total;
                }
            }
            run
        })
    }
}

/// Makes scores exponentials of their distance to the largest, and gives their sum.
#[inline(always)]
fn weigh(row: &mut [f32], scale: f32) -> f32 {
    for score in row.iter_mut() {
        *score *= scale;
    }
    lines::exp_of(row, lines::largest(row));
    lines::sum(row, |weight| weight) as f32
}
