//! The microkernel for every element type and processor: loops over arrays of fixed size, which
//! the compiler keeps in registers. It uses no fused multiply-add, whatever the level.

use super::{Element, Kernel, Tile};
use crate::simd::{Level, dispatch};

/// Tiles of `M × N`.
pub(super) struct Portable<const M: usize, const N: usize>(pub(super) Level);

impl<T: Element, const M: usize, const N: usize> Kernel<T> for Portable<M, N> {
    const ROWS: usize = M;
    const COLUMNS: usize = N;
    const MASKED: bool = false;
    const UNPACKED_A: usize = 0;

    fn run(&self, tile: Tile<'_, T>) {
        dispatch(self.0, #[inline(always)] || run::<T, M, N>(tile));
    }
}

#[inline(always)]
fn run<T: Element, const M: usize, const N: usize>(tile: Tile<'_, T>) {
    let mut sums = [[T::zeroed(); N]; M];
    let Tile { rows, columns, depth, a, b, c, c_row, accumulate } = tile;
    if rows == M {
        for p in 0..depth {
            let at = (b.at + p as isize * b.row) as usize;
            let Some(b) = b.data[at..].first_chunk::<N>() else { return };
            let x: [T; M] = std::array::from_fn(|i| a.get(i, p));
            for (sums, &x) in sums.iter_mut().zip(&x) {
                for (sum, &y) in sums.iter_mut().zip(b) {
                    *sum = T::multiply_add(x, y, *sum);
                }
            }
        }
    } else {
        for p in 0..depth {
            let at = (b.at + p as isize * b.row) as usize;
            for (i, sums) in sums.iter_mut().enumerate().take(rows) {
                let x = a.get(i, p);
                for (sum, &y) in sums.iter_mut().zip(&b.data[at..at + N]) {
                    *sum = T::multiply_add(x, y, *sum);
                }
            }
        }
    }
    for (i, sums) in sums.iter().enumerate().take(rows) {
        let c = &mut c[i * c_row..i * c_row + columns];
        if accumulate {
            for (c, &sum) in c.iter_mut().zip(sums) {
                *c = T::plus(*c, sum);
            }
        } else {
            c.copy_from_slice(&sums[..columns]);
        }
    }
}
