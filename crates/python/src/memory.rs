//! Whether there is memory left, asked before an allocation that cannot fail and while the learner's code runs.

use std::cell::Cell;
use std::hint::black_box;

use rustpython_vm::{PyResult, VirtualMachine};

use crate::runtime::Runtime;

/// Memory that must be there, or the learner's code gets a `MemoryError`: more than it takes between
/// two looks.
const SPARE: usize = 96 << 20;
/// How often memory is looked at while code runs, in milliseconds.
const LOOK_EVERY_MILLIS: f64 = 8.0;
/// wasm memory grows and never shrinks, and ends at 4 GiB: stop before.
#[cfg(target_arch = "wasm32")]
const MOST_PAGES: usize = (7 << 29) / (64 << 10);

/// Whether that much memory can be had, in one piece. Asking gives it back at once, untouched.
pub(crate) fn there_is(bytes: usize) -> bool {
    let mut room: Vec<u8> = Vec::new();
    let there = room.try_reserve_exact(bytes).is_ok();
    black_box(&mut room);
    there
}

/// Raises `MemoryError` while there is still memory to handle it. Called at ticks, with the time.
pub(crate) fn check(now: f64, vm: &VirtualMachine) -> PyResult<()> {
    thread_local! {
        static LOOKED: Cell<f64> = const { Cell::new(0.0) };
    }
    if (now - LOOKED.get()).abs() < LOOK_EVERY_MILLIS {
        return Ok(());
    }
    LOOKED.set(now);
    if Runtime::current().host.out_of_memory() || memory_is_tight() {
        return Err(
            vm.new_memory_error("memory is almost full; keep fewer values, or smaller ones")
        );
    }
    Ok(())
}

#[cfg(not(target_arch = "wasm32"))]
fn memory_is_tight() -> bool {
    !there_is(SPARE) || glowgrad::available_memory().is_some_and(|bytes| bytes < SPARE)
}

/// Whether memory has grown past the limit since the last time this was said: freed memory is
/// used again, but never given back.
#[cfg(target_arch = "wasm32")]
fn memory_is_tight() -> bool {
    thread_local! {
        static SAID_AT: Cell<usize> = const { Cell::new(MOST_PAGES) };
    }
    let pages = core::arch::wasm32::memory_size(0);
    // Past the limit what matters is whether there is still room inside of it.
    if pages > SAID_AT.get() {
        SAID_AT.set(pages);
        return !there_is(SPARE);
    }
    false
}
