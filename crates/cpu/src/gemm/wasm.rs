//! The float32 microkernel for wasm SIMD128.
//!
//! Engines for x86 have 15 vector registers to give. 4 × 8 takes eight accumulators, two vectors of
//! B, four of A and one product, in whatever order the compiler puts the loads; 5 × 8 spills, and
//! then runs at half the speed. An address in wasm is a base and a constant, so a packed A has its rows constants apart;
//! contiguous rows are read where they lie, since packing them costs more than it saves.

#![allow(
    unsafe_code,
    reason = "vector loads and stores, whose bounds are checked once a tile"
)]

use std::arch::wasm32::*;

#[cfg(feature = "full")]
use super::relaxed;
use super::{Kernel, Tile};
use crate::simd::Level;

/// Tiles of 4 × 8, or of 6 × 8 with relaxed SIMD.
#[cfg_attr(
    not(feature = "full"),
    allow(dead_code, reason = "the landing page has no relaxed kernels")
)]
pub(super) struct Simd128(pub(super) Level);

const COLUMNS: usize = 8;

macro_rules! by_rows {
    ($tile:expr, $packed:literal, [$($rows:literal)*]) => {
        match $tile.rows {
            // SAFETY: `Tile::check` has found every element read or written to be in its slice.
            $($rows => unsafe { kernel::<$rows, $packed>($tile) },)*
            rows => unreachable!("a tile of {rows} rows"),
        }
    };
}

impl Kernel<f32> for Simd128 {
    const COLUMNS: usize = COLUMNS;
    const MASKED: bool = false;
    const UNPACKED_A: usize = 0;
    const READS_ROWS: bool = true;

    fn rows(&self) -> usize {
        #[cfg(feature = "full")]
        if self.0 == Level::Relaxed {
            return relaxed::ROWS;
        }
        4
    }

    #[inline]
    fn run(&self, tile: Tile<'_, f32>) {
        tile.check(COLUMNS);
        #[cfg(feature = "full")]
        if self.0 == Level::Relaxed {
            return relaxed::run(tile);
        }
        if tile.a.row == 1 && tile.a.column == tile.rows as isize {
            by_rows!(tile, true, [1 2 3 4]);
        } else {
            by_rows!(tile, false, [1 2 3 4]);
        }
    }
}

/// # Safety
/// `tile.check(COLUMNS)` has passed and `ROWS == tile.rows`; `PACKED` says that A is `[depth, ROWS]`.
unsafe fn kernel<const ROWS: usize, const PACKED: bool>(tile: Tile<'_, f32>) {
    let (a_row, a_column) = if PACKED {
        (1, ROWS as isize)
    } else {
        (tile.a.row, tile.a.column)
    };
    let mut sums = [[f32x4_splat(0.0); 2]; ROWS];
    // SAFETY: by the contract the tile's elements are in their slices.
    unsafe {
        let mut a = tile.a.data.as_ptr().offset(tile.a.at);
        let mut b = tile.b.data.as_ptr().offset(tile.b.at);
        // One step to a turn: unrolled, the compiler orders loads so that vectors are spilled.
        for _ in 0..tile.depth {
            let y = [v128_load(b.cast()), v128_load(b.add(4).cast())];
            for (r, sums) in sums.iter_mut().enumerate() {
                let x = v128_load32_splat(a.offset(r as isize * a_row).cast());
                sums[0] = f32x4_add(sums[0], f32x4_mul(x, y[0]));
                sums[1] = f32x4_add(sums[1], f32x4_mul(x, y[1]));
            }
            // Wrapping, since the last step may leave the slice.
            a = a.wrapping_offset(a_column);
            b = b.wrapping_offset(tile.b.row);
        }
    }
    let Tile {
        columns,
        c,
        c_row,
        accumulate,
        ..
    } = tile;
    for (r, sums) in sums.iter().enumerate() {
        let c = &mut c[r * c_row..r * c_row + columns];
        if let Some(c) = c.first_chunk_mut::<COLUMNS>() {
            let at: *mut v128 = c.as_mut_ptr().cast();
            for (v, &sum) in sums.iter().enumerate() {
                // SAFETY: `c` has eight elements; wasm needs no alignment for its accesses.
                unsafe {
                    let sum = if accumulate {
                        f32x4_add(v128_load(at.add(v)), sum)
                    } else {
                        sum
                    };
                    v128_store(at.add(v), sum);
                }
            }
            continue;
        }
        let lanes = [
            f32x4_extract_lane::<0>(sums[0]),
            f32x4_extract_lane::<1>(sums[0]),
            f32x4_extract_lane::<2>(sums[0]),
            f32x4_extract_lane::<3>(sums[0]),
            f32x4_extract_lane::<0>(sums[1]),
            f32x4_extract_lane::<1>(sums[1]),
            f32x4_extract_lane::<2>(sums[1]),
            f32x4_extract_lane::<3>(sums[1]),
        ];
        for (c, lane) in c.iter_mut().zip(lanes) {
            *c = if accumulate { *c + lane } else { lane };
        }
    }
}
