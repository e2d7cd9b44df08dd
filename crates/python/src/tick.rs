//! The heartbeat of the learner's code: how a run is stopped, and how it lets the page breathe.
//!
//! RustPython's own signal checks do not exist on wasm32, so code asks for a [`tick`] where
//! [`crate::insert_ticks`] puts it. Code without loops or calls of the learner's own (a native
//! function that never returns) has no ticks; a transport that cannot wait replaces the worker.

use std::cell::Cell;

use rustpython_vm::{PyResult, VirtualMachine};

use crate::host::Flow;
use crate::runtime::Runtime;

/// A busy loop looks at the host about this often, in milliseconds.
const LOOK_EVERY_MILLIS: f64 = 4.0;
const MOST_TICKS_BETWEEN_LOOKS: u32 = 4096;

thread_local! {
    /// Ticks left until the next look at the host, and how many there were to begin with.
    static LEFT: Cell<u32> = const { Cell::new(1) };
    static INTERVAL: Cell<u32> = const { Cell::new(1) };
}

/// One heartbeat. Answers true, so that it can stand in conditions.
pub(crate) fn tick(vm: &VirtualMachine) -> PyResult<bool> {
    let left = LEFT.get();
    if left > 1 {
        LEFT.set(left - 1);
        return Ok(true);
    }
    look(vm)
}

/// Makes the next tick look at the host: called by native functions that take long.
pub(crate) fn look_soon() {
    LEFT.set(1);
}

/// Brings the next look closer: called by native functions that take microseconds.
pub(crate) fn age(ticks: u32) {
    LEFT.set(LEFT.get().saturating_sub(ticks).max(1));
}

/// A tick for native work that goes through `n` elements at once: much of it makes the next look come
/// at once.
pub(crate) fn work(n: usize, vm: &VirtualMachine) -> PyResult<()> {
    age(u32::try_from(n / 64).unwrap_or(u32::MAX));
    tick(vm).map(drop)
}

/// Asks the host whether to go on, and settles how many ticks pass until the next look.
#[cold]
fn look(vm: &VirtualMachine) -> PyResult<bool> {
    let runtime = Runtime::current();
    runtime.flush();
    if runtime.host.tick() == Flow::Stop {
        LEFT.set(1);
        return Err(vm.new_exception_msg(
            vm.ctx.exceptions.keyboard_interrupt.to_owned(),
            "stopped; variables are kept".to_owned().into(),
        ));
    }
    let now = runtime.host.now_millis();
    let elapsed = now - runtime.last_look.replace(now);
    let interval = INTERVAL.get();
    let interval = if elapsed < LOOK_EVERY_MILLIS / 2.0 {
        (interval * 2).min(MOST_TICKS_BETWEEN_LOOKS)
    } else if elapsed > LOOK_EVERY_MILLIS * 2.0 {
        // Loops of different weight follow each other: fall fast, rise slowly.
        (interval / 8).max(1)
    } else {
        interval
    };
    INTERVAL.set(interval);
    LEFT.set(interval);
    crate::memory::check(now, vm)?;
    Ok(true)
}

/// Looks at nothing until a run starts: what runs meanwhile is ours, and must not be stopped half-way.
pub(crate) fn pause() {
    LEFT.set(u32::MAX);
}

/// Starts a run with a look at the first tick.
pub(crate) fn start_run() {
    LEFT.set(1);
    INTERVAL.set(1);
}
