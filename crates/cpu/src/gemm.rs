//! Matrix multiplication: blocked and packed, around microkernels written for each instruction set.
//!
//! The blocking is that of Goto and van de Geijn ("Anatomy of high-performance matrix
//! multiplication", 2008) as BLIS has it: a microkernel keeps a small tile of the result in
//! registers while it walks along the inner dimension; panels of both operands are copied so that
//! it reads them in order. Small products and narrow ones skip the copies. Any strides will do:
//! what a microkernel cannot read is packed, so a transposed operand costs nothing more. With a
//! single row or column the work is done by [`vector`].

pub(crate) mod pack;
#[cfg_attr(
    not(feature = "full"),
    allow(dead_code, reason = "float32 alone has a kernel of its own in wasm")
)]
mod portable;
#[cfg(all(target_arch = "wasm32", feature = "full"))]
pub(crate) mod relaxed;
mod vector;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use glowgrad_tensor::{DType, Result, View, interrupt};

use crate::pool::Pool;
use crate::simd::Level;
use crate::threads;

/// Depth of a packed block: a panel of B as deep as this stays in the caches next to the core.
pub(crate) const DEPTH: usize = 320;
/// Rows of A packed at a time, a bound: such a block stays in the second-level cache.
const MOST_ROWS: usize = 384;
/// Columns of B packed at a time, a bound.
const MOST_COLUMNS: usize = 4096;
/// Elements of a B that is packed whole for several threads, a bound; of a larger one each packs what it reads.
const MOST_SHARED: usize = 16 << 20;

/// An element type that can be multiplied and added.
pub(crate) trait Element: Pod + Send + Sync {
    fn plus(self, other: Self) -> Self;
    fn multiply_add(a: Self, b: Self, c: Self) -> Self;
}
impl Element for f32 {
    #[inline(always)]
    fn plus(self, other: f32) -> f32 {
        self + other
    }
    #[inline(always)]
    fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }
}
impl Element for f64 {
    #[inline(always)]
    fn plus(self, other: f64) -> f64 {
        self + other
    }
    #[inline(always)]
    fn multiply_add(a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }
}
impl Element for i64 {
    #[inline(always)]
    fn plus(self, other: i64) -> i64 {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn multiply_add(a: i64, b: i64, c: i64) -> i64 {
        a.wrapping_mul(b).wrapping_add(c)
    }
}
/// Bools: "any" of "both".
impl Element for u8 {
    #[inline(always)]
    fn plus(self, other: u8) -> u8 {
        self | other
    }
    #[inline(always)]
    fn multiply_add(a: u8, b: u8, c: u8) -> u8 {
        (a & b) | c
    }
}

/// A strided matrix: element `(i, j)` is `data[at + i · row + j · column]`.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a, T> {
    pub(crate) data: &'a [T],
    pub(crate) at: isize,
    pub(crate) row: isize,
    pub(crate) column: isize,
}

impl<T: Copy> Matrix<'_, T> {
    pub(crate) fn transposed(self) -> Self {
        Matrix {
            row: self.column,
            column: self.row,
            ..self
        }
    }

    /// The matrix that begins at `(i, j)`.
    fn from(self, i: usize, j: usize) -> Self {
        Matrix {
            at: self.at + i as isize * self.row + j as isize * self.column,
            ..self
        }
    }

    fn get(self, i: usize, j: usize) -> T {
        self.data[(self.at + i as isize * self.row + j as isize * self.column) as usize]
    }

    /// Panics unless every element of the first `rows` rows and `columns` columns (at least one of
    /// each) is in `data`: the microkernels' licence to read them unchecked.
    #[cfg(any(target_arch = "x86_64", target_arch = "wasm32"))]
    #[inline(always)]
    fn check(self, rows: usize, columns: usize) {
        let (down, right) = (
            (rows - 1) as isize * self.row,
            (columns - 1) as isize * self.column,
        );
        let lowest = self.at + down.min(0) + right.min(0);
        let highest = self.at + down.max(0) + right.max(0);
        assert!(
            lowest >= 0 && (highest as usize) < self.data.len(),
            "matmul: operand out of its buffer"
        );
    }
}

/// One tile of the result: `c = a · b`, or `c += a · b`.
pub(crate) struct Tile<'a, T> {
    /// Rows of the tile, `1 ..= Kernel::ROWS`.
    pub(crate) rows: usize,
    /// Columns of the tile, `1 ..= Kernel::COLUMNS`.
    pub(crate) columns: usize,
    /// Inner dimension, at least 1.
    pub(crate) depth: usize,
    /// `[rows, depth]`.
    pub(crate) a: Matrix<'a, T>,
    /// `[depth, columns]` with column stride 1; padded to `Kernel::COLUMNS` columns unless the
    /// kernel is masked.
    pub(crate) b: Matrix<'a, T>,
    /// From the tile's first element on.
    pub(crate) c: &'a mut [T],
    /// Elements from one row of `c` to the next.
    pub(crate) c_row: usize,
    /// Whether to add to what `c` holds.
    pub(crate) accumulate: bool,
}

impl<T: Pod> Tile<'_, T> {
    /// See [`Matrix::check`]; also for the result.
    #[cfg(any(target_arch = "x86_64", target_arch = "wasm32"))]
    #[inline(always)]
    fn check(&self, columns_read: usize) {
        self.a.check(self.rows, self.depth);
        self.b.check(self.depth, columns_read);
        assert!(self.b.column == 1 && (self.rows - 1) * self.c_row + self.columns <= self.c.len());
    }
}

/// A microkernel.
pub(crate) trait Kernel<T> {
    /// Most columns of a tile.
    const COLUMNS: usize;
    /// Whether tiles narrower than `COLUMNS` read and write nothing beyond their columns.
    const MASKED: bool;
    /// Up to how many elements A is read where it lies.
    const UNPACKED_A: usize;
    /// Whether A of any size is read where it lies, if its rows are contiguous.
    const READS_ROWS: bool = false;
    /// Most rows of a tile.
    fn rows(&self) -> usize;
    /// Computes a tile.
    fn run(&self, tile: Tile<'_, T>);
}

/// How a product is cut: the same for all threads, so that every element is summed in the same order whichever
/// computes it.
#[derive(Clone, Copy)]
struct Cut {
    /// Rows of a panel of A.
    height: usize,
    /// Rows of A that are packed together.
    block_rows: usize,
    /// Of a packed block.
    depth: usize,
    pack_a: bool,
    pack_b: bool,
}

impl Cut {
    fn new<T: Element, K: Kernel<T>>(
        kernel: &K,
        (m, k, n): (usize, usize, usize),
        (a, b): (Matrix<'_, T>, Matrix<'_, T>),
    ) -> Cut {
        // As few panels as possible, and all of about the same height.
        let height = m.div_ceil(m.div_ceil(kernel.rows()));
        let narrow = n <= 2 * K::COLUMNS;
        // Rows a multiple of 4 KB apart would meet in the same few lines of the first-level cache.
        let reads_rows = K::READS_ROWS && a.column == 1 && a.row % 1024 != 0;
        let pack_a = !(narrow || reads_rows || m * k <= K::UNPACKED_A);
        let pack_b = b.column != 1 || (m > 2 * kernel.rows() && k * n > 1 << 14);
        Cut {
            height,
            block_rows: (MOST_ROWS / height).max(1) * height,
            depth: match pack_a || pack_b {
                true => k.div_ceil(k.div_ceil(DEPTH)),
                false => k,
            },
            pack_a,
            pack_b,
        }
    }
}

/// Work that is written for any microkernel of float32.
#[cfg(feature = "full")]
pub(crate) trait WithKernel {
    /// Does it with this one.
    fn run<K: Kernel<f32> + Sync>(self, kernel: &K) -> Result<()>;
}

/// Does work with the microkernel of a level.
#[cfg(feature = "full")]
pub(crate) fn with_kernel(level: Level, work: impl WithKernel) -> Result<()> {
    #[cfg(target_arch = "x86_64")]
    match level {
        Level::Avx512 => return work.run(&x86::Avx512::new()),
        Level::Avx2 => return work.run(&x86::Avx2::new()),
        Level::Baseline | Level::Relaxed => {}
    }
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    return work.run(&wasm::Simd128(level));
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    work.run(&portable::Portable::<4>(level))
}

/// `c = a · b`, `c` row-major `[m, n]`.
pub(crate) fn multiply<T: Element, K: Kernel<T> + Sync>(
    kernel: &K,
    pool: &Pool,
    (m, k, n): (usize, usize, usize),
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    c: &mut [T],
) -> Result<()> {
    if m * n == 0 {
        return Ok(());
    }
    if k == 0 {
        c.fill(T::zeroed());
        return Ok(());
    }
    let cut = Cut::new(kernel, (m, k, n), (a, b));
    let panels = m.div_ceil(cut.height);
    // Several of these operations are one instruction.
    let share = threads::share(panels, cut.height * n * k / 8);
    if share >= panels {
        return rows(kernel, pool, cut, (m, k, n), a, b, None, c);
    }
    let rows_a_part = cut.height * share.min((MOST_ROWS / cut.height).max(1));
    if !cut.pack_b || n * k > MOST_SHARED {
        let parts = c.chunks_mut(rows_a_part * n).enumerate();
        return threads::for_each(pool, m * n * k / 8, parts, |pool, (part, c)| {
            let a = a.from(part * rows_a_part, 0);
            rows(kernel, pool, cut, (c.len() / n, k, n), a, b, None, c)
        });
    }
    // All of B is packed first, for all threads: panel by panel, each from the first step to the last.
    let width = K::COLUMNS * cut.depth;
    let steps = k.div_ceil(cut.depth);
    let mut block = pool.take(n.div_ceil(K::COLUMNS) * steps * width * size_of::<T>())?;
    let panels = cast_slice_mut::<u8, T>(&mut block).chunks_exact_mut(steps * width);
    let panels = (0..n).step_by(K::COLUMNS).zip(panels);
    let packed = threads::for_each(pool, n * k, panels, |_, (column, out)| {
        for (step, out) in (0..k).step_by(cut.depth).zip(out.chunks_exact_mut(width)) {
            let (depth, columns) = (cut.depth.min(k - step), K::COLUMNS.min(n - column));
            pack::columns::<T>(
                b.from(step, column),
                depth,
                columns,
                K::COLUMNS,
                &mut out[..K::COLUMNS * depth],
            );
        }
        Ok(())
    });
    let panels = cast_slice::<u8, T>(&block);
    let parts = c.chunks_mut(rows_a_part * n).enumerate();
    let run = packed.and_then(|()| {
        threads::for_each(pool, m * n * k / 8, parts, |pool, (part, c)| {
            let a = a.from(part * rows_a_part, 0);
            rows(
                kernel,
                pool,
                cut,
                (c.len() / n, k, n),
                a,
                b,
                Some(panels),
                c,
            )
        })
    });
    pool.give(block);
    run
}

/// Rows of a product, cut as the whole; `packed` are the panels of all of B, each as long as all steps.
#[allow(
    clippy::too_many_arguments,
    reason = "operands, result and how they are cut"
)]
fn rows<T: Element, K: Kernel<T>>(
    kernel: &K,
    pool: &Pool,
    cut: Cut,
    (m, k, n): (usize, usize, usize),
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    packed: Option<&[T]>,
    c: &mut [T],
) -> Result<()> {
    let Cut {
        height,
        block_rows,
        depth,
        pack_a,
        pack_b,
    } = cut;
    let size = size_of::<T>();
    let (steps, most_depth) = (k.div_ceil(depth), depth);
    let mut a_block = pack_a
        .then(|| pool.take(block_rows.min(m.next_multiple_of(height)) * depth * size))
        .transpose()?;
    let padded = n.min(MOST_COLUMNS).next_multiple_of(K::COLUMNS);
    let some_b = if pack_b { padded } else { K::COLUMNS };
    let mut b_block = (packed.is_none() && (pack_b || !K::MASKED))
        .then(|| pool.take(some_b * depth * size))
        .transpose()?;

    'product: for column in (0..n).step_by(MOST_COLUMNS) {
        let columns = MOST_COLUMNS.min(n - column);
        for step in (0..k).step_by(depth) {
            let depth = depth.min(k - step);
            let whole = columns / K::COLUMNS * K::COLUMNS;
            if let Some(block) = &mut b_block {
                // Without packing, only a last panel that is not whole needs its padding.
                let from = if pack_b { 0 } else { whole };
                pack::columns::<T>(
                    b.from(step, column + from),
                    depth,
                    columns - from,
                    K::COLUMNS,
                    cast_slice_mut(block),
                );
            }
            for row in (0..m).step_by(block_rows) {
                let rows = block_rows.min(m - row);
                // Several of these operations are one instruction.
                if interrupt::spend(rows * columns * depth / 8) {
                    break 'product;
                }
                if let Some(block) = &mut a_block {
                    pack::rows::<T>(
                        a.from(row, step),
                        rows,
                        depth,
                        height,
                        cast_slice_mut(block),
                    );
                }
                for j in (0..columns).step_by(K::COLUMNS) {
                    let width = K::COLUMNS.min(columns - j);
                    let b = match &b_block {
                        None if let Some(data) = packed => {
                            let panel = (column + j) / K::COLUMNS * steps + step / most_depth;
                            Matrix {
                                data,
                                at: (panel * K::COLUMNS * most_depth) as isize,
                                row: K::COLUMNS as isize,
                                column: 1,
                            }
                        }
                        Some(block) if pack_b || j == whole => {
                            let at = if pack_b { j * depth } else { 0 };
                            Matrix {
                                data: cast_slice(block),
                                at: at as isize,
                                row: K::COLUMNS as isize,
                                column: 1,
                            }
                        }
                        _ => b.from(step, column + j),
                    };
                    for i in (0..rows).step_by(height) {
                        let a = match &a_block {
                            Some(block) => {
                                let at = (i * depth) as isize;
                                Matrix {
                                    data: cast_slice(block),
                                    at,
                                    row: 1,
                                    column: height as isize,
                                }
                            }
                            None => a.from(row + i, step),
                        };
                        kernel.run(Tile {
                            rows: height.min(rows - i),
                            columns: width,
                            depth,
                            a,
                            b,
                            c: &mut c[(row + i) * n + column + j..],
                            c_row: n,
                            accumulate: step > 0,
                        });
                    }
                }
            }
        }
    }
    for block in [a_block, b_block].into_iter().flatten() {
        pool.give(block);
    }
    Ok(())
}

/// All matrices of a batch.
fn batched<T: Element, K: Kernel<T> + Sync>(
    level: Level,
    kernel: &K,
    pool: &Pool,
    (a, b): (&View, &View),
    (x, y): (&[T], &[T]),
    out: &mut [T],
) -> Result<()> {
    let (mut batch, mut m, k, n) = (a.shape[0], a.shape[1], a.shape[2], b.shape[2]);
    let x = Matrix {
        data: x,
        at: a.offset,
        row: a.strides[1],
        column: a.strides[2],
    };
    let y = Matrix {
        data: y,
        at: b.offset,
        row: b.strides[1],
        column: b.strides[2],
    };
    let (x_step, y_step) = (a.strides[0], b.strides[0]);
    let mut row = x.row;
    if batch > 1 && y_step == 0 && (m == 1 || x_step == m as isize * x.row) {
        // One B for all: the batch is more rows of A.
        row = if m == 1 { x_step } else { row };
        m *= batch;
        batch = 1;
    }
    let x = Matrix { row, ..x };
    if m * n == 0 {
        return Ok(());
    }
    let one = |pool: &Pool, i: usize, c: &mut [T]| {
        let x = Matrix {
            at: x.at + i as isize * x_step,
            ..x
        };
        let y = Matrix {
            at: y.at + i as isize * y_step,
            ..y
        };
        if k > 0 && (m == 1 || n == 1) && vector::multiply(level, (m, k, n), x, y, c) {
            return Ok(());
        }
        multiply(kernel, pool, (m, k, n), x, y, c)
    };
    let operations = m * n * k / 8;
    let share = threads::share(batch, operations);
    let mut products = out.chunks_exact_mut(m * n).enumerate().take(batch);
    if share >= batch || batch < threads::threads() {
        return products.try_for_each(|(i, c)| one(pool, i, c));
    }
    let parts = out.chunks_mut(share * m * n).enumerate();
    threads::for_each(pool, batch * operations, parts, |pool, (part, c)| {
        let mut products = c.chunks_exact_mut(m * n).enumerate();
        products.try_for_each(|(i, c)| one(pool, part * share + i, c))
    })
}

/// `out[b, m, n] = Σk a[b, m, k] · b[b, k, n]`.
pub(crate) fn matmul(
    level: Level,
    pool: &Pool,
    dtype: DType,
    views: (&View, &View),
    (x, y): (&[u8], &[u8]),
    out: &mut [u8],
) -> Result<()> {
    match dtype {
        DType::F32 => {
            let (x, y, out) = (cast_slice::<u8, f32>(x), cast_slice(y), cast_slice_mut(out));
            #[cfg(target_arch = "x86_64")]
            match level {
                Level::Avx512 => {
                    return batched(level, &x86::Avx512::new(), pool, views, (x, y), out);
                }
                Level::Avx2 => return batched(level, &x86::Avx2::new(), pool, views, (x, y), out),
                Level::Baseline | Level::Relaxed => {}
            }
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            return batched(level, &wasm::Simd128(level), pool, views, (x, y), out);
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            batched(
                level,
                &portable::Portable::<4>(level),
                pool,
                views,
                (x, y),
                out,
            )
        }
        #[cfg(feature = "full")]
        DType::F64 => {
            let kernel = portable::Portable::<4>(level);
            batched::<f64, _>(
                level,
                &kernel,
                pool,
                views,
                (cast_slice(x), cast_slice(y)),
                cast_slice_mut(out),
            )
        }
        #[cfg(not(feature = "full"))]
        dtype => Err(glowgrad_tensor::Error::not_implemented(format!(
            "matmul: this build of the engine multiplies float32 only, got {dtype}"
        ))),
        // Other integers and narrow floats are cast first.
        #[cfg(feature = "full")]
        _ => {
            let kernel = portable::Portable::<4>(level);
            batched::<i64, _>(
                level,
                &kernel,
                pool,
                views,
                (cast_slice(x), cast_slice(y)),
                cast_slice_mut(out),
            )
        }
    }
}
