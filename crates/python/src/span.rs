//! Which line of the learner's made a node.
//!
//! Before each engine call the innermost frame that runs one of the learner's cells is found and
//! handed to the engine. Frames of our own modules are passed over, so that a node made inside
//! `nn.Linear` belongs to the line that called the model. This is the crate's only unsafe code.

use glowgrad::node::Span;
use rustpython_vm::VirtualMachine;

use crate::runtime::Runtime;

/// Tells the engine the line that is running.
pub(crate) fn mark(runtime: &Runtime, vm: &VirtualMachine) {
    runtime.engine.set_span(current(runtime, vm));
}

#[allow(
    unsafe_code,
    reason = "reads the interpreter's frame stack without counting references"
)]
fn current(runtime: &Runtime, vm: &VirtualMachine) -> Span {
    let frames = vm.frames.borrow();
    for frame in frames.iter().rev() {
        // SAFETY: a frame on this stack is kept alive by the call that pushed it, and no Python
        // code runs while this loop looks at it.
        let frame = unsafe { frame.as_ref() };
        if let Some(cell) = runtime.cell_number(frame.code.source_path()) {
            let line = frame.current_location().line.get() as u32;
            return Span { cell, line };
        }
    }
    Span::default()
}
