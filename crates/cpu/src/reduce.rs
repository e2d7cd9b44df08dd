//! The reduction at the end of a kernel.
//!
//! The iteration space is put in the order (kept, reduced, kept innermost), which leaves the order
//! of the results alone. Then there are two ways: rows, where reduced elements lie side by side,
//! and columns, where a row of accumulators takes in one row of elements after another. Sums run
//! in lanes, the lanes' sums in blocks, and what the blocks give in float64, so that rounding errors
//! hardly grow (PyTorch's `SumKernel.cpp` has a cascade of float32 instead). Computing the elements is left to
//! [`crate::tiles`].

mod element;
#[cfg(all(feature = "full", not(target_arch = "wasm32")))]
mod parts;

use bytemuck::{cast_slice, cast_slice_mut};
use glowgrad_tensor::kernel::{Kernel, Reduce, ReduceOp};
use glowgrad_tensor::{DType, Error, Result, interrupt};
use smallvec::SmallVec;

use self::element::{Combine, Element, Max, Sum};
#[cfg(feature = "full")]
use self::element::{Min, Prod};
use crate::pool::Pool;
use crate::simd::{Level, dispatch};
use crate::threads;
use crate::tiles::{TILE, Tiles};

/// Accumulators of a row: a few vectors' worth, so that additions need not wait for each other.
const LANES: usize = 32;

/// How many rows of columns are combined before the result goes to the wide accumulators.
const MOST_ROWS: usize = 16;

/// The iteration space as (outer, reduced, inner), and the order of axes that makes it so.
struct Space {
    order: SmallVec<[usize; 6]>,
    outer: usize,
    reduced: usize,
    inner: usize,
}

impl Space {
    fn new(shape: &[usize], axes: &[usize]) -> Space {
        let inner_from = axes.last().map_or(shape.len(), |&last| last + 1);
        let kept = (0..inner_from).filter(|axis| !axes.contains(axis));
        let order: SmallVec<[usize; 6]> = kept
            .chain(axes.iter().copied())
            .chain(inner_from..shape.len())
            .collect();
        let product = |axes: &[usize]| axes.iter().map(|&axis| shape[axis]).product();
        let n_outer = inner_from - axes.len();
        Space {
            outer: product(&order[..n_outer]),
            reduced: product(&order[n_outer..inner_from]),
            inner: product(&order[inner_from..]),
            order,
        }
    }

    /// Columns and rows of a block that fits a tile, where the reduced elements do not.
    fn block(&self) -> (usize, usize) {
        let n_rows = if self.inner <= TILE {
            TILE / self.inner
        } else {
            1
        };
        (self.inner.min(TILE), n_rows)
    }

    /// Rows that are combined before the result goes to the wide accumulators: whole blocks.
    #[cfg(all(feature = "full", not(target_arch = "wasm32")))]
    fn group(&self) -> usize {
        let n_rows = self.block().1;
        match self.inner {
            1 => n_rows,
            _ => MOST_ROWS.next_multiple_of(n_rows),
        }
    }
}

/// Runs a kernel that reduces; `output` is written entirely.
pub(crate) fn run(
    level: Level,
    pool: &Pool,
    kernel: &Kernel,
    reduce: &Reduce,
    inputs: &[&[u8]],
    output: &mut [u8],
) -> Result<()> {
    let space = Space::new(&kernel.shape, &reduce.axes);
    if space.outer * space.inner == 0 {
        return Ok(());
    }
    let reduction = |pool: &Pool, piece: Piece, output: &mut [u8]| {
        run_piece(level, pool, kernel, reduce, inputs, &space, piece, output)
    };
    let Space {
        outer,
        reduced,
        inner,
        ..
    } = space;
    let operations = reduced * inner * kernel.code.len();
    let work = outer * operations;
    let whole = Piece {
        outer: (0, outer),
        rows: (0, reduced),
        columns: (0, inner),
        #[cfg(all(feature = "full", not(target_arch = "wasm32")))]
        partial: false,
    };
    let size = kernel.output_dtype(0).size();
    let share = threads::share(outer, operations);
    if work == 0 || threads::share(work, 1) >= work {
        return reduction(pool, whole, output);
    }
    if outer >= 2 * threads::threads() {
        let parts = output.chunks_mut(share * inner * size).enumerate();
        return threads::for_each(pool, work, parts, |pool, (part, output)| {
            let outer = (part * share, output.len() / (inner * size));
            reduction(pool, Piece { outer, ..whole }, output)
        });
    }
    if inner > 2 * TILE {
        // Pieces of one outer index each: some tiles of columns.
        let share = TILE * threads::share(inner.div_ceil(TILE), reduced * TILE * kernel.code.len());
        let parts = output.chunks_mut(inner * size).enumerate();
        let parts = parts.flat_map(|(outer, output)| {
            let parts = output.chunks_mut(share * size).enumerate();
            parts.map(move |(part, output)| (outer, part, output))
        });
        return threads::for_each(pool, work, parts, |pool, (outer, part, output)| {
            let columns = (part * share, output.len() / size);
            let outer = (outer, 1);
            reduction(
                pool,
                Piece {
                    outer,
                    columns,
                    ..whole
                },
                output,
            )
        });
    }
    #[cfg(all(feature = "full", not(target_arch = "wasm32")))]
    if !matches!(reduce.op, ReduceOp::ArgMax | ReduceOp::ArgMin)
        && reduced * inner > TILE
        && reduced > space.group()
    {
        return parts::run(level, pool, (&space, kernel, reduce.op), reduction, output);
    }
    reduction(pool, whole, output)
}

/// A box in a space: first and number of outer indices, rows and columns.
#[derive(Clone, Copy)]
struct Piece {
    outer: (usize, usize),
    rows: (usize, usize),
    columns: (usize, usize),
    /// Whether the output takes each group of rows ([`Space::group`]) by itself, as threads ask for.
    #[cfg(all(feature = "full", not(target_arch = "wasm32")))]
    partial: bool,
}

/// Reduces a piece; `output` is that of the piece.
#[allow(
    clippy::too_many_arguments,
    reason = "a kernel, its operands and a piece"
)]
fn run_piece(
    level: Level,
    pool: &Pool,
    kernel: &Kernel,
    reduce: &Reduce,
    inputs: &[&[u8]],
    space: &Space,
    piece: Piece,
    output: &mut [u8],
) -> Result<()> {
    let dtype = kernel.dtypes[usize::from(kernel.outputs[0])];
    let mut tiles = None;
    if space.reduced > 0 {
        let total = space.outer * space.reduced * space.inner;
        let tiles = tiles.insert(Tiles::new(level, pool, inputs, SmallVec::new()));
        tiles.prepare(kernel, Some(&space.order), total)?;
    }
    let mut reduction = Reduction {
        level,
        n_instrs: kernel.code.len(),
        op: reduce.op,
        space,
        piece,
        tiles,
    };
    match dtype {
        #[cfg(feature = "full")]
        DType::I64 => reduction.run::<i64>(output),
        #[cfg(feature = "full")]
        DType::U64 => reduction.run::<u64>(output),
        DType::F32 => reduction.run::<f32>(output),
        #[cfg(feature = "full")]
        DType::F64 => reduction.run::<f64>(output),
        dtype => Err(Error::not_implemented(format!(
            "reduce: kernels reduce numbers in dtypes of arithmetic; the op casts {dtype} first"
        ))),
    }
}

/// A reduction of a kernel's results, and the tiles that they come from.
struct Reduction<'a> {
    level: Level,
    /// Of the kernel whose results are reduced.
    n_instrs: usize,
    op: ReduceOp,
    space: &'a Space,
    piece: Piece,
    tiles: Option<Tiles<'a>>,
}

impl Reduction<'_> {
    /// The landing page's engine adds up, and finds the largest.
    fn run<T: Element>(&mut self, output: &mut [u8]) -> Result<()> {
        match self.op {
            ReduceOp::Sum => self.fold::<T, Sum>(cast_slice_mut(output)),
            #[cfg(feature = "full")]
            ReduceOp::Prod => self.fold::<T, Prod>(cast_slice_mut(output)),
            ReduceOp::Max => self.fold::<T, Max>(cast_slice_mut(output)),
            #[cfg(feature = "full")]
            ReduceOp::Min => self.fold::<T, Min>(cast_slice_mut(output)),
            ReduceOp::ArgMax => self.find::<T, Max>(cast_slice_mut(output)),
            #[cfg(feature = "full")]
            ReduceOp::ArgMin => self.find::<T, Min>(cast_slice_mut(output)),
            #[cfg(not(feature = "full"))]
            op => {
                return Err(Error::not_implemented(format!(
                    "reduce: the landing page's engine has no {op:?}; open a lesson or the playground"
                )));
            }
        }
        Ok(())
    }

    /// Calls `take(outer, row, column, n_rows, n_columns, elements)` for blocks that fit a tile and
    /// together cover the space. Within one outer index, rows come in order.
    fn blocks<T: Element>(&mut self, mut take: impl FnMut(usize, Block<'_, T>)) {
        let Some(tiles) = &mut self.tiles else { return };
        let n_instrs = self.n_instrs;
        let &Space { reduced, inner, .. } = self.space;
        let (first_outer, n_outer) = self.piece.outer;
        let area = reduced * inner;
        if area <= TILE {
            // Several results, or rows of results, to a tile.
            let together = TILE / area;
            let end = first_outer + n_outer;
            for first in (first_outer..end).step_by(together) {
                let n = together.min(end - first);
                if interrupt::spend(n * area * n_instrs) {
                    return;
                }
                tiles.tile(first * area, n * area);
                let elements: &[T] = cast_slice(tiles.result(first * area, n * area));
                for (i, elements) in elements.chunks_exact(area).enumerate() {
                    take(
                        first - first_outer + i,
                        Block {
                            row: 0,
                            column: 0,
                            n_columns: inner,
                            elements,
                        },
                    );
                }
            }
            return;
        }
        let (width, n_rows) = self.space.block();
        let (first_row, rows) = self.piece.rows;
        let (first_column, columns) = self.piece.columns;
        for outer in 0..n_outer {
            for column in (0..columns).step_by(width) {
                let n_columns = width.min(columns - column);
                for row in (first_row..first_row + rows).step_by(n_rows) {
                    let len = n_rows.min(first_row + rows - row) * n_columns;
                    let outer_row = (first_outer + outer) * reduced + row;
                    let start = outer_row * inner + first_column + column;
                    if interrupt::spend(len * n_instrs) {
                        return;
                    }
                    tiles.tile(start, len);
                    let elements = cast_slice(tiles.result(start, len));
                    take(
                        outer,
                        Block {
                            row,
                            column,
                            n_columns,
                            elements,
                        },
                    );
                }
            }
        }
    }

    fn fold<T: Element, C: Combine<T> + Combine<T::Wide>>(&mut self, output: &mut [T]) {
        let identity = <C as Combine<T>>::IDENTITY;
        output.fill(identity);
        let level = self.level;
        #[cfg(all(feature = "full", not(target_arch = "wasm32")))]
        if self.piece.partial {
            return self.fold_groups::<T, C>(output);
        }
        let &Space { reduced, inner, .. } = self.space;
        let stride = self.piece.columns.1;
        let mut wide = vec![<C as Combine<T::Wide>>::IDENTITY; inner.min(TILE)];
        if inner == 1 {
            self.blocks(|outer, block: Block<'_, T>| {
                let part = dispatch(
                    level,
                    #[inline(always)]
                    || fold_row::<T, C>(block.elements),
                );
                let ends = block.row + block.elements.len() == reduced;
                if block.row == 0 && ends {
                    output[outer] = part;
                } else {
                    lift::<T, C>(&mut [part], &mut wide);
                }
                if block.row > 0 && ends {
                    land::<T, C>(&mut wide, &mut output[outer..=outer]);
                }
            });
            return;
        }
        let mut narrow = vec![identity; inner.min(TILE)];
        let mut n_narrow = 0;
        self.blocks(|outer, block: Block<'_, T>| {
            let n_rows = block.elements.len() / block.n_columns;
            let target = &mut output[outer * stride + block.column..][..block.n_columns];
            let whole = n_rows == reduced;
            let narrow = &mut narrow[..block.n_columns];
            let into = if whole { &mut *target } else { &mut *narrow };
            dispatch(
                level,
                #[inline(always)]
                || fold_columns::<T, C>(block.elements, into),
            );
            if whole {
                return;
            }
            let ends = block.row + n_rows == reduced;
            n_narrow += n_rows;
            if n_narrow >= MOST_ROWS || ends {
                dispatch(
                    level,
                    #[inline(always)]
                    || lift::<T, C>(narrow, &mut wide),
                );
                n_narrow = 0;
            }
            if ends {
                land::<T, C>(&mut wide, target);
            }
        });
    }

    fn find<T: Element, C: Combine<T>>(&mut self, output: &mut [i64]) {
        output.fill(0);
        let level = self.level;
        let (inner, stride) = (self.space.inner, self.piece.columns.1);
        let mut best: Vec<T> = vec![C::IDENTITY; inner.min(TILE)];
        self.blocks(|outer, block: Block<'_, T>| {
            let target = &mut output[outer * stride + block.column..][..block.n_columns];
            let first = block.row == 0;
            if inner > 1 {
                let best = &mut best[..block.n_columns];
                dispatch(
                    level,
                    #[inline(always)]
                    || find_columns::<T, C>(&block, best, target),
                );
                return;
            }
            let part = dispatch(
                level,
                #[inline(always)]
                || fold_row::<T, C>(block.elements),
            );
            if first || better::<T, C>(part, best[0]) {
                let same = |x: &T| *x == part || (x.is_nan() && part.is_nan());
                let at = block.elements.iter().position(same).unwrap_or(0);
                target[0] = (block.row + at) as i64;
                best[0] = part;
            }
        });
    }
}

/// Elements of one outer index, row by row.
struct Block<'a, T> {
    row: usize,
    column: usize,
    n_columns: usize,
    elements: &'a [T],
}

/// Moves partial results to the wide accumulators.
#[inline(always)]
fn lift<T: Element, C: Combine<T> + Combine<T::Wide>>(narrow: &mut [T], wide: &mut [T::Wide]) {
    for (narrow, wide) in narrow.iter_mut().zip(wide) {
        *wide = C::combine(*wide, narrow.widen());
        *narrow = <C as Combine<T>>::IDENTITY;
    }
}

/// Writes the result, and makes the wide accumulators ready for the next.
fn land<T: Element, C: Combine<T::Wide>>(wide: &mut [T::Wide], target: &mut [T]) {
    for (wide, target) in wide.iter_mut().zip(target) {
        *target = T::narrow(*wide);
        *wide = C::IDENTITY;
    }
}

/// One row, in lanes.
#[inline(always)]
fn fold_row<T: Element, C: Combine<T>>(row: &[T]) -> T {
    if row.len() < LANES {
        return row.iter().fold(C::IDENTITY, |acc, &x| C::combine(acc, x));
    }
    let mut lanes = [C::IDENTITY; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane = C::combine(*lane, x);
        }
    }
    for (lane, &x) in lanes.iter_mut().zip(rest) {
        *lane = C::combine(*lane, x);
    }
    let mut n = LANES / 2;
    while n > 0 {
        for i in 0..n {
            lanes[i] = C::combine(lanes[i], lanes[i + n]);
        }
        n /= 2;
    }
    lanes[0]
}

/// Rows into a row of accumulators. Narrow rows are taken several at a time.
#[inline(always)]
fn fold_columns<T: Element, C: Combine<T>>(elements: &[T], into: &mut [T]) {
    let n_columns = into.len();
    let mut rows = elements;
    let wide = 2 * LANES;
    let together = wide / n_columns;
    if together > 1 && elements.len() >= 2 * together * n_columns {
        let width = together * n_columns;
        let mut lanes = [C::IDENTITY; 2 * LANES];
        let chunks = elements.chunks_exact(width);
        rows = chunks.remainder();
        for chunk in chunks {
            for (lane, &x) in lanes[..width].iter_mut().zip(chunk) {
                *lane = C::combine(*lane, x);
            }
        }
        for row in lanes[..width].chunks_exact(n_columns) {
            for (into, &x) in into.iter_mut().zip(row) {
                *into = C::combine(*into, x);
            }
        }
    }
    for row in rows.chunks_exact(n_columns) {
        for (into, &x) in into.iter_mut().zip(row) {
            *into = C::combine(*into, x);
        }
    }
}

/// Whether `x`, which comes later, beats `best`.
#[inline(always)]
fn better<T: Element, C: Combine<T>>(x: T, best: T) -> bool {
    // The combination is the earlier one unless the later wins; NaN equals nothing.
    !best.is_nan() & (x.is_nan() | (C::combine(best, x) != best))
}

#[inline(always)]
fn find_columns<T: Element, C: Combine<T>>(
    block: &Block<'_, T>,
    best: &mut [T],
    target: &mut [i64],
) {
    for (i, row) in block.elements.chunks_exact(block.n_columns).enumerate() {
        let index = (block.row + i) as i64;
        let first = index == 0;
        for ((target, best), &x) in target.iter_mut().zip(&mut *best).zip(row) {
            let wins = first | better::<T, C>(x, *best);
            *target = if wins { index } else { *target };
            *best = if wins { x } else { *best };
        }
    }
}
