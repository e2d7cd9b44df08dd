//! The float32 microkernels for AVX2 with FMA, and for AVX-512.
//!
//! A tile of up to 6 × 16, or 12 × 32, stays in registers. Narrow tiles are masked, so neither
//! operand needs padding. Rows are found as `base + 0, 1 or 2 strides`, which an address can hold,
//! so that a third as many pointers move along.

#![allow(
    unsafe_code,
    reason = "intrinsics, and reads whose bounds are checked once a tile"
)]

use std::arch::x86_64::*;

use super::{Kernel, Tile};

/// Tiles of 12 × 32. Proof that the processor has AVX-512.
pub(super) struct Avx512(());
/// Tiles of 6 × 16. Proof that the processor has AVX2 and FMA.
pub(super) struct Avx2(());

impl Avx512 {
    pub(super) fn new() -> Avx512 {
        assert!(is_x86_feature_detected!("avx512f"));
        Avx512(())
    }
}

impl Avx2 {
    pub(super) fn new() -> Avx2 {
        assert!(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"));
        Avx2(())
    }
}

/// Calls `$kernel::<rows, vectors>` for the number of rows there are.
macro_rules! by_rows {
    ($kernel:ident, $tile:expr, $vectors:literal, [$($rows:literal)*]) => {
        match $tile.rows {
            // SAFETY: the caller holds the proof that the processor has the instructions, and
            // `Tile::check` has found every element read or written to be in its slice.
            $($rows => unsafe { $kernel::<$rows, $vectors>($tile) },)*
            rows => unreachable!("a tile of {rows} rows"),
        }
    };
}

impl Kernel<f32> for Avx512 {
    const COLUMNS: usize = 32;
    const MASKED: bool = true;
    const UNPACKED_A: usize = 1 << 14;

    fn rows(&self) -> usize {
        12
    }

    #[inline]
    fn run(&self, tile: Tile<'_, f32>) {
        tile.check(tile.columns);
        if tile.columns > 16 {
            by_rows!(avx512, tile, 2, [1 2 3 4 5 6 7 8 9 10 11 12]);
        } else {
            by_rows!(avx512, tile, 1, [1 2 3 4 5 6 7 8 9 10 11 12]);
        }
    }
}

impl Kernel<f32> for Avx2 {
    const COLUMNS: usize = 16;
    const MASKED: bool = true;
    const UNPACKED_A: usize = 1 << 14;

    fn rows(&self) -> usize {
        6
    }

    #[inline]
    fn run(&self, tile: Tile<'_, f32>) {
        tile.check(tile.columns);
        if tile.columns > 8 {
            by_rows!(avx2, tile, 2, [1 2 3 4 5 6]);
        } else {
            by_rows!(avx2, tile, 1, [1 2 3 4 5 6]);
        }
    }
}

/// # Safety
/// `tile.check(tile.columns)` has passed, `ROWS == tile.rows`, and `tile.columns` is above
/// `16 (VECTORS - 1)` and at most `16 VECTORS`.
#[target_feature(enable = "avx512f")]
unsafe fn avx512<const ROWS: usize, const VECTORS: usize>(tile: Tile<'_, f32>) {
    let last = tile.columns - 16 * (VECTORS - 1);
    let masks: [__mmask16; VECTORS] = std::array::from_fn(|v| {
        if v + 1 < VECTORS {
            !0
        } else {
            !0 >> (16 - last)
        }
    });
    // SAFETY: by the contract the tile's elements are in their slices, and masked lanes touch
    // nothing.
    unsafe {
        let mut sums = [[_mm512_setzero_ps(); VECTORS]; ROWS];
        let stride = tile.a.row;
        let a = tile.a.data.as_ptr().offset(tile.a.at);
        let mut b = tile.b.data.as_ptr().offset(tile.b.at);
        // Pointers move by whole steps; wrapping, since the last step leaves the slice.
        let mut bases: [*const f32; 4] =
            std::array::from_fn(|i| a.wrapping_offset(3 * i as isize * stride));
        let whole = tile.columns == 16 * VECTORS;
        for _ in 0..tile.depth {
            let y: [__m512; VECTORS] = std::array::from_fn(|v| {
                if whole {
                    _mm512_loadu_ps(b.add(16 * v))
                } else {
                    _mm512_maskz_loadu_ps(masks[v], b.wrapping_add(16 * v))
                }
            });
            for (r, sums) in sums.iter_mut().enumerate() {
                let x = _mm512_set1_ps(*bases[r / 3].offset((r % 3) as isize * stride));
                for (sum, &y) in sums.iter_mut().zip(&y) {
                    *sum = _mm512_fmadd_ps(x, y, *sum);
                }
            }
            bases = bases.map(|base| base.wrapping_offset(tile.a.column));
            b = b.wrapping_offset(tile.b.row);
        }
        let c = tile.c.as_mut_ptr();
        for (r, sums) in sums.iter().enumerate() {
            for v in 0..VECTORS {
                let at = c.wrapping_add(r * tile.c_row + 16 * v);
                let mut sum = sums[v];
                if tile.accumulate {
                    sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(masks[v], at));
                }
                _mm512_mask_storeu_ps(at, masks[v], sum);
            }
        }
    }
}

/// # Safety
/// `tile.check(tile.columns)` has passed, `ROWS == tile.rows`, and `tile.columns` is above
/// `8 (VECTORS - 1)` and at most `8 VECTORS`.
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<const ROWS: usize, const VECTORS: usize>(tile: Tile<'_, f32>) {
    let last = tile.columns - 8 * (VECTORS - 1);
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let masks: [__m256i; VECTORS] = std::array::from_fn(|v| {
        let n = if v + 1 < VECTORS { 8 } else { last as i32 };
        _mm256_cmpgt_epi32(_mm256_set1_epi32(n), lanes)
    });
    // SAFETY: by the contract the tile's elements are in their slices, and masked lanes touch
    // nothing.
    unsafe {
        let mut sums = [[_mm256_setzero_ps(); VECTORS]; ROWS];
        let stride = tile.a.row;
        let a = tile.a.data.as_ptr().offset(tile.a.at);
        let mut b = tile.b.data.as_ptr().offset(tile.b.at);
        let mut bases: [*const f32; 2] =
            std::array::from_fn(|i| a.wrapping_offset(3 * i as isize * stride));
        let whole = tile.columns == 8 * VECTORS;
        for _ in 0..tile.depth {
            let y: [__m256; VECTORS] = std::array::from_fn(|v| {
                if whole {
                    _mm256_loadu_ps(b.add(8 * v))
                } else {
                    _mm256_maskload_ps(b.wrapping_add(8 * v), masks[v])
                }
            });
            for (r, sums) in sums.iter_mut().enumerate() {
                let x = _mm256_broadcast_ss(&*bases[r / 3].offset((r % 3) as isize * stride));
                for (sum, &y) in sums.iter_mut().zip(&y) {
                    *sum = _mm256_fmadd_ps(x, y, *sum);
                }
            }
            bases = bases.map(|base| base.wrapping_offset(tile.a.column));
            b = b.wrapping_offset(tile.b.row);
        }
        let c = tile.c.as_mut_ptr();
        for (r, sums) in sums.iter().enumerate() {
            for v in 0..VECTORS {
                let at = c.wrapping_add(r * tile.c_row + 8 * v);
                let mut sum = sums[v];
                if tile.accumulate {
                    sum = _mm256_add_ps(sum, _mm256_maskload_ps(at, masks[v]));
                }
                if whole {
                    _mm256_storeu_ps(at, sum);
                } else {
                    _mm256_maskstore_ps(at, masks[v], sum);
                }
            }
        }
    }
}
