//! What native code reaches while Python runs: the host, the learner's sources, pending output.
//!
//! Native functions get only a `&VirtualMachine`, so the runtime of the interpreter that is running
//! is kept in a thread-local while it runs. No borrow of a cell here outlives a call into the host.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use crate::host::Host;

/// Printed text is handed over at each line end; a long line without one, in pieces of this size.
const PENDING_LIMIT: usize = 8 * 1024;

/// One interpreter's surroundings.
pub(crate) struct Runtime {
    pub(crate) host: Rc<dyn Host>,
    /// The text of each cell, by the file name its code carries.
    sources: RefCell<HashMap<String, Rc<str>>>,
    pending: RefCell<String>,
    /// How many points each series of a live plot has had in this run.
    points: RefCell<HashMap<String, u64>>,
    /// Wall-clock time of the last look at the host, in milliseconds.
    pub(crate) last_look: Cell<f64>,
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<Runtime>>> = const { RefCell::new(None) };
}

impl Runtime {
    pub(crate) fn new(host: Rc<dyn Host>) -> Rc<Runtime> {
        Rc::new(Runtime {
            host,
            sources: RefCell::default(),
            pending: RefCell::default(),
            points: RefCell::default(),
            last_look: Cell::new(0.0),
        })
    }

    /// The runtime of the interpreter that is running on this thread.
    pub(crate) fn current() -> Rc<Runtime> {
        CURRENT.with(|current| {
            current
                .borrow()
                .clone()
                .expect("native lab functions are called only while an interpreter runs")
        })
    }

    /// Makes this the current runtime while `run` runs.
    pub(crate) fn while_current<R>(self: &Rc<Runtime>, run: impl FnOnce() -> R) -> R {
        struct Restore(Option<Rc<Runtime>>);
        impl Drop for Restore {
            fn drop(&mut self) {
                let previous = self.0.take();
                CURRENT.with(|current| *current.borrow_mut() = previous);
            }
        }
        let previous = CURRENT.with(|current| current.borrow_mut().replace(self.clone()));
        let _restore = Restore(previous);
        run()
    }

    /// Remembers a cell's text, for tracebacks.
    pub(crate) fn remember_source(&self, file: &str, source: &str) {
        self.sources
            .borrow_mut()
            .insert(file.to_owned(), source.into());
    }

    /// The text of a cell; none for code that is not the learner's.
    pub(crate) fn source(&self, file: &str) -> Option<Rc<str>> {
        self.sources.borrow().get(file).cloned()
    }

    pub(crate) fn is_cell(&self, file: &str) -> bool {
        self.sources.borrow().contains_key(file)
    }

    pub(crate) fn write(&self, text: &str) {
        let full = {
            let mut pending = self.pending.borrow_mut();
            pending.push_str(text);
            text.contains('\n') || pending.len() >= PENDING_LIMIT
        };
        if full {
            self.flush();
        }
    }

    pub(crate) fn flush(&self) {
        let text = std::mem::take(&mut *self.pending.borrow_mut());
        if !text.is_empty() {
            self.host.stdout(&text);
        }
    }

    /// Adds a point to a live plot.
    pub(crate) fn metric(&self, series: &str, y: f64) {
        let x = {
            let mut points = self.points.borrow_mut();
            let count = points.entry(series.to_owned()).or_insert(0);
            *count += 1;
            *count - 1
        };
        self.host.metric(series, x as f64, y);
    }

    /// Starts a run: plots count from 0 again.
    pub(crate) fn start_run(&self) {
        self.points.borrow_mut().clear();
        self.last_look.set(self.host.now_millis());
    }
}
