//! The float32 microkernels with relaxed SIMD: a product and a sum in one instruction, where the processor has it.
//!
//! `build.rs` writes them as a module of their own, which computes in the engine's memory. Its functions are added to
//! the engine's table, so that a call of one costs as much as a call by pointer.

#![allow(
    unsafe_code,
    reason = "functions of another module, called by their places in the table"
)]

use std::sync::atomic::{AtomicUsize, Ordering};

use js_sys::{Function, Object, Reflect, Uint8Array, WebAssembly};
use wasm_bindgen::{JsCast, JsValue};

use super::Tile;

static MODULE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/relaxed.wasm"));

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

/// The place of the first kernel in the table of functions; 0, which is never a function's, before there is one.
static FIRST: AtomicUsize = AtomicUsize::new(0);

/// Loads the matrix kernels with relaxed SIMD, for the backends that are made after it. False where the browser has none.
pub fn install_relaxed_kernels() -> bool {
    is_installed() || load().is_some()
}

pub(crate) fn is_installed() -> bool {
    FIRST.load(Ordering::Relaxed) != 0
}

fn load() -> Option<()> {
    let module = WebAssembly::Module::new(&Uint8Array::from(MODULE)).ok()?;
    let (imports, env) = (Object::new(), Object::new());
    Reflect::set(&env, &"memory".into(), &wasm_bindgen::memory()).ok()?;
    Reflect::set(&imports, &"env".into(), &env).ok()?;
    let kernels = WebAssembly::Instance::new(&module, &imports)
        .ok()?
        .exports();
    let table: WebAssembly::Table = wasm_bindgen::function_table().unchecked_into();
    let first = table.grow(ROWS as u32).ok()?;
    for row in 0..ROWS as u32 {
        let name = JsValue::from((row + 1).to_string());
        let kernel: Function = Reflect::get(&kernels, &name).ok()?.dyn_into().ok()?;
        table.set(first + row, &kernel).ok()?;
    }
    FIRST.store(first as usize, Ordering::Relaxed);
    Some(())
}

/// Computes a tile. Panics before the kernels are installed.
pub(super) fn run(tile: Tile<'_, f32>) {
    let first = FIRST.load(Ordering::Relaxed);
    assert!(first != 0 && (1..=ROWS).contains(&tile.rows));
    // SAFETY: `load` has put the kernel for that many rows there, of this very type.
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
