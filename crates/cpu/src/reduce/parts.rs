//! One long reduction on several threads: each folds whole groups of rows, and one thread joins the groups in order.
//!
//! Groups are those after which one thread moves its result to the wide accumulators, so the sum is the same to
//! the bit.

use bytemuck::cast_slice_mut;
use glowgrad_tensor::kernel::{Kernel, ReduceOp};
use glowgrad_tensor::{DType, Result, interrupt};

use super::{
    Block, Combine, Element, Max, Min, Piece, Prod, Reduction, Space, Sum, fold_columns, fold_row,
    land, lift,
};
use crate::pool::Pool;
use crate::simd::{Level, dispatch};
use crate::threads;

/// Reduces all of a space; `reduction` reduces a piece of it. `op` is none of the searches for a position, and
/// there is more than one group of rows.
pub(super) fn run(
    level: Level,
    pool: &Pool,
    (space, kernel, op): (&Space, &Kernel, ReduceOp),
    reduction: impl Fn(&Pool, Piece, &mut [u8]) -> Result<()> + Sync,
    output: &mut [u8],
) -> Result<()> {
    let &Space {
        outer,
        reduced,
        inner,
        ..
    } = space;
    let size = kernel.output_dtype(0).size();
    let group = space.group();
    let n_groups = reduced.div_ceil(group);
    let share = threads::share(outer * n_groups, group * inner * kernel.code.len()).min(n_groups);
    let bytes = n_groups * inner * size;
    let mut block = pool.take(outer * bytes)?;
    let partial = &mut block[..outer * bytes];
    let parts = partial
        .chunks_mut(bytes)
        .enumerate()
        .flat_map(|(outer, partial)| {
            let parts = partial.chunks_mut(share * inner * size).enumerate();
            parts.map(move |(part, partial)| (outer, part * share * group, partial))
        });
    let work = outer * reduced * inner * kernel.code.len();
    let ran = threads::for_each(pool, work, parts, |pool, (outer, row, partial)| {
        let piece = Piece {
            outer: (outer, 1),
            rows: (row, (share * group).min(reduced - row)),
            columns: (0, inner),
            partial: true,
        };
        reduction(pool, piece, partial)
    });
    match kernel.output_dtype(0) {
        // What broke off is joined to nothing: the groups of a long reduction are many.
        _ if ran.is_err() || interrupt::spend(0) => {}
        DType::F32 => join_by::<f32>(level, op, inner, partial, output),
        DType::F64 => join_by::<f64>(level, op, inner, partial, output),
        DType::U64 => join_by::<u64>(level, op, inner, partial, output),
        _ => join_by::<i64>(level, op, inner, partial, output),
    }
    pool.give(block);
    ran
}

fn join_by<T: Element>(
    level: Level,
    op: ReduceOp,
    inner: usize,
    partial: &mut [u8],
    output: &mut [u8],
) {
    let (partial, output) = (cast_slice_mut(partial), cast_slice_mut(output));
    match op {
        ReduceOp::Sum => join::<T, Sum>(level, inner, partial, output),
        ReduceOp::Prod => join::<T, Prod>(level, inner, partial, output),
        ReduceOp::Max | ReduceOp::ArgMax => join::<T, Max>(level, inner, partial, output),
        ReduceOp::Min | ReduceOp::ArgMin => join::<T, Min>(level, inner, partial, output),
    }
}

/// Moves the groups' results to the wide accumulators, in order.
fn join<T: Element, C: Combine<T> + Combine<T::Wide>>(
    level: Level,
    inner: usize,
    partial: &mut [T],
    output: &mut [T],
) {
    let mut wide = vec![<C as Combine<T::Wide>>::IDENTITY; inner];
    let n_outer = (output.len() / inner).max(1);
    let len = partial.len() / n_outer;
    for (partial, output) in partial
        .chunks_exact_mut(len)
        .zip(output.chunks_exact_mut(inner))
    {
        dispatch(
            level,
            #[inline(always)]
            || {
                for partial in partial.chunks_exact_mut(inner) {
                    lift::<T, C>(partial, &mut wide);
                }
            },
        );
        land::<T, C>(&mut wide, output);
    }
}

impl Reduction<'_> {
    /// The results of the piece's groups of rows; `output` holds the identity.
    pub(super) fn fold_groups<T: Element, C: Combine<T>>(&mut self, output: &mut [T]) {
        let level = self.level;
        let (group, inner) = (self.space.group(), self.space.inner);
        let first_row = self.piece.rows.0;
        self.blocks(|_, block: Block<'_, T>| {
            let at = (block.row - first_row) / group * inner + block.column;
            let into = &mut output[at..][..block.n_columns];
            dispatch(
                level,
                #[inline(always)]
                || match inner {
                    1 => into[0] = fold_row::<T, C>(block.elements),
                    _ => fold_columns::<T, C>(block.elements, into),
                },
            );
        });
    }
}
