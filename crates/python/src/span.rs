//! Which line of the learner's made a node.
//!
//! Before each engine call the innermost frame that runs one of the learner's cells is found and
//! handed to the engine. Frames of our own modules are passed over, so that a node made inside
//! `nn.Linear` belongs to the line that called the model. This is the crate's only unsafe code.

use glowgrad::node::Span;
use rustpython_vm::frame::current_thread_iframe;

use crate::runtime::Runtime;

/// Tells the engine the line that is running.
pub(crate) fn mark(runtime: &Runtime) {
    runtime.engine.set_span(current(runtime));
}

#[allow(
    unsafe_code,
    reason = "reads the interpreter's frame stack without counting references"
)]
fn current(runtime: &Runtime) -> Span {
    let mut next = current_thread_iframe();
    // SAFETY: a frame of this chain is kept alive by the call that pushed it, and no Python code runs while
    // this loop looks at it.
    while let Some(frame) = unsafe { next.as_ref() } {
        let code = frame.code();
        if let Some(cell) = runtime.cell_number(code.source_path()) {
            // The instruction that runs has been counted already; none has at a function's entry.
            let running = (frame.get_lasti() as usize).checked_sub(1);
            let line = match running.and_then(|at| code.locations.get(at)) {
                Some((start, _)) => start.line.get(),
                None => code.first_line_number.map_or(1, |line| line.get()),
            };
            return Span {
                cell,
                line: line as u32,
            };
        }
        next = frame.previous();
    }
    Span::default()
}
