//! Every kernel as text, as it is made: what `GLOW_DEBUG=1` prints.
//!
//! Invariant: a kernel is printed once, however often it runs.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::rc::Rc;

use glowgrad::codegen::{pseudo_code, wgsl};
use glowgrad::explain::{Scheduled, WatchKernel};
use glowgrad::kernel::{Kernel, Routine, Work};

/// Prints to standard error. Values are called what their ops are: variables get their names when a cell has ended.
pub(crate) fn watcher() -> Rc<WatchKernel> {
    let known = RefCell::new(HashSet::new());
    Rc::new(move |item| {
        if known.borrow_mut().insert(structure(&item.work)) {
            // Where standard error is closed, there is no reader to tell.
            let _ = writeln!(
                std::io::stderr(),
                "# kernel {}, {}",
                item.number,
                text(item)
            );
        }
    })
}

/// All of it but the numbers that change from step to step.
fn structure(work: &Work) -> String {
    let of = |k: &Kernel| {
        format!(
            "{:?}",
            (&k.shape, &k.inputs, &k.code, &k.outputs, &k.reduce)
        )
    };
    match work {
        Work::Kernel(kernel) => of(kernel),
        Work::Routine(Routine::WithEpilogue { routine, epilogue }) => {
            format!("{routine:?}{}", of(epilogue))
        }
        Work::Routine(routine) => format!("{routine:?}"),
    }
}

/// What a schedule item is made of, its pseudo-code, and its WGSL or why there is none.
fn text(item: &Scheduled) -> String {
    let ops: Vec<&str> = item.nodes.iter().map(|node| node.op.name).collect();
    let mut text = format!("{}: {}\n", item.name, ops.join(", "));
    for line in pseudo_code(item, &()) {
        let _ = writeln!(text, "{}", line.text);
    }
    match wgsl(item, &()) {
        Ok(lines) => {
            for line in lines {
                let _ = writeln!(text, "{}", line.text);
            }
        }
        Err(why) => {
            let _ = writeln!(text, "# no WGSL: {why}");
        }
    }
    text
}
