//! The float32 microkernels with relaxed SIMD: a product and a sum in one instruction, where the processor has it.
//!
//! `build.rs` writes them as a module of their own, which computes in the engine's memory. `crates/web` adds its functions
//! to the engine's table, so that a call of one costs as much as a call by pointer.

#![allow(
    unsafe_code,
    reason = "functions of another module, called by their places in the table"
)]

use super::Tile;
use crate::simd;

/// A module of [`RELAXED_FUNCTIONS`] functions, named `1` and so on, which imports the memory that it computes in as
/// `env.memory`. A browser without relaxed SIMD refuses it.
pub static RELAXED_MODULE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/relaxed.wasm"));

/// How many functions the module has.
pub const RELAXED_FUNCTIONS: usize = ROWS;

/// Most rows of a tile.
pub(super) const ROWS: usize = 6;
/// Columns of a tile.
const COLUMNS: usize = 8;

/// Addresses are of float32, strides in bytes.
type Microkernel = unsafe extern "C" fn(
    a: *const f32,
    a_row: isize,
    a_column: isize,
    b: *const f32,
    b_row: isize,
    depth: usize,
    c: *mut f32,
    c_row: usize,
    accumulate: bool,
);

/// Has backends that are made after this compute products with the functions of [`RELAXED_MODULE`].
///
/// # Safety
/// An instance of the module computes in this module's memory, and its functions are in this module's table, in their
/// order, from place `first` on, which is not 0, for good.
pub unsafe fn use_relaxed_functions(first: usize) {
    simd::set_relaxed(first);
}

/// Computes a tile. Panics where there are no such functions.
pub(super) fn run(tile: Tile<'_, f32>) {
    let first = simd::relaxed().expect("the level is Relaxed");
    assert!((1..=ROWS).contains(&tile.rows));
    // SAFETY: by the contract of `use_relaxed_functions`, the function for that many rows is there, of this very type.
    let kernel = unsafe { std::mem::transmute::<usize, Microkernel>(first + tile.rows - 1) };
    let size = size_of::<f32>() as isize;
    let Tile {
        rows,
        columns,
        depth,
        a,
        b,
        c,
        c_row,
        accumulate,
    } = tile;
    let call = |c: *mut f32, c_row: usize, accumulate: bool| {
        // SAFETY: the caller's `Tile::check` has found every element read to be in its slice; `c` holds eight
        // columns of each row.
        unsafe {
            kernel(
                a.data.as_ptr().offset(a.at),
                a.row * size,
                a.column * size,
                b.data.as_ptr().offset(b.at),
                b.row * size,
                depth,
                c,
                c_row * size as usize,
                accumulate,
            );
        }
    };
    if columns == COLUMNS {
        call(c.as_mut_ptr(), c_row, accumulate);
        return;
    }
    let mut sums = [[0.0; COLUMNS]; ROWS];
    call(sums.as_flattened_mut().as_mut_ptr(), COLUMNS, false);
    for (sums, c) in sums[..rows].iter().zip(c.chunks_mut(c_row)) {
        for (c, &sum) in c.iter_mut().zip(&sums[..columns]) {
            *c = if accumulate { *c + sum } else { sum };
        }
    }
}
