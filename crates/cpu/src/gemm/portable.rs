//! The microkernel for every element type and processor: loops over arrays of fixed size, which
//! the compiler unrolls and keeps in registers. It uses no fused multiply-add, whatever the level.

use super::{Element, Kernel, Tile};
use crate::simd::{Level, dispatch};

/// Tiles of `4 × N`.
pub(super) struct Portable<const N: usize>(pub(super) Level);

impl<T: Element, const N: usize> Kernel<T> for Portable<N> {
    const COLUMNS: usize = N;
    const MASKED: bool = false;
    const UNPACKED_A: usize = 0;

    fn rows(&self) -> usize {
        4
    }

    fn run(&self, tile: Tile<'_, T>) {
        dispatch(
            self.0,
            #[inline(always)]
            || match tile.rows {
                1 => store(&sums::<T, 1, N>(&tile), tile),
                2 => store(&sums::<T, 2, N>(&tile), tile),
                3 => store(&sums::<T, 3, N>(&tile), tile),
                _ => store(&sums::<T, 4, N>(&tile), tile),
            },
        );
    }
}

/// The products' sums. Nothing here may index the array by a number that is only known at run
/// time, or it would live in memory.
#[inline(always)]
fn sums<T: Element, const M: usize, const N: usize>(tile: &Tile<'_, T>) -> [[T; N]; M] {
    let mut sums = [[T::zeroed(); N]; M];
    let Tile { a, b, depth, .. } = *tile;
    let packed = a.row == 1 && a.column >= M as isize;
    let (mut a_at, mut b_at) = (a.at, b.at);
    for _ in 0..depth {
        let Some(y) = b.data[b_at as usize..].first_chunk::<N>() else {
            break;
        };
        let x: [T; M] = if packed {
            let Some(x) = a.data[a_at as usize..].first_chunk() else {
                break;
            };
            *x
        } else {
            std::array::from_fn(|i| a.data[(a_at + i as isize * a.row) as usize])
        };
        for i in 0..M {
            for j in 0..N {
                sums[i][j] = T::multiply_add(x[i], y[j], sums[i][j]);
            }
        }
        a_at += a.column;
        b_at += b.row;
    }
    sums
}

#[inline(always)]
fn store<T: Element, const M: usize, const N: usize>(sums: &[[T; N]; M], tile: Tile<'_, T>) {
    let Tile {
        columns,
        c,
        c_row,
        accumulate,
        ..
    } = tile;
    for (sums, c) in sums.iter().zip(c.chunks_mut(c_row)) {
        for (c, &sum) in c[..columns].iter_mut().zip(sums) {
            *c = if accumulate { c.plus(sum) } else { sum };
        }
    }
}
