//! What native code reaches while Python runs: the host, the engine, the learner's sources.
//!
//! Native functions get only a `&VirtualMachine`, so the runtime of the interpreter that is running
//! is kept in a thread-local while it runs. No borrow of a cell here outlives a call into the host
//! or into Python.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use glowgrad::Engine;
use rustpython_vm::PyObjectRef;

use crate::files::Descriptors;
use crate::library::Library;
use rustpython_vm::builtins::{PyBaseExceptionRef, PyDictRef, PyStrInterned, PyTypeRef};

use crate::figure::{Chart, Drawings, Figure, FigureKind};
use crate::host::Host;
use crate::print::PrintOptions;
use crate::profile::Profile;

/// Printed text is handed over at each line end; a long line without one, in pieces of this size.
const PENDING_LIMIT: usize = 8 * 1024;

/// The Python classes that native code makes instances of.
#[derive(Clone)]
pub(crate) struct Classes {
    pub(crate) tensor: PyTypeRef,
    pub(crate) parameter: PyTypeRef,
    pub(crate) size: PyTypeRef,
    pub(crate) linalg_error: PyTypeRef,
    /// Makes a tuple with named fields: (name, fields, values).
    pub(crate) named: PyObjectRef,
}

/// `_C.register(…)`: tells the classes that Python defines.
pub(crate) fn register(
    tensor: PyTypeRef,
    parameter: PyTypeRef,
    size: PyTypeRef,
    linalg_error: PyTypeRef,
    named: PyObjectRef,
) {
    let classes = Classes {
        tensor,
        parameter,
        size,
        linalg_error,
        named,
    };
    let _ = Runtime::current().classes.set(classes);
}

/// One interpreter's surroundings.
pub(crate) struct Runtime {
    pub(crate) host: Rc<dyn Host>,
    pub(crate) engine: Engine,
    /// Filled when `glowgrad` is first imported.
    pub(crate) classes: OnceCell<Classes>,
    /// `torch.float32` and its like, each made once, in the order of `DType::ALL`.
    pub(crate) dtypes: OnceCell<Vec<PyObjectRef>>,
    pub(crate) print_options: Cell<PrintOptions>,
    /// The learner's variables.
    pub(crate) globals: OnceCell<PyDictRef>,
    /// The built-in `exec` and `eval`.
    pub(crate) run_code: OnceCell<(PyObjectRef, PyObjectRef)>,
    /// The classes of the tape's nodes, by their names: `MulBackward0`.
    pub(crate) grad_fn_types: RefCell<HashMap<String, PyTypeRef>>,
    /// A Python exception on its way through the engine.
    pub(crate) passing: RefCell<Option<PyBaseExceptionRef>>,
    /// The text of each cell, by the file name its code carries.
    sources: RefCell<HashMap<String, Rc<str>>>,
    /// The cells' names; a span's cell number counts from 1.
    cells: RefCell<Vec<String>>,
    /// The address of a file name that was looked up, and its cell number.
    looked_up: RefCell<HashMap<usize, Option<u32>>>,
    pending: RefCell<String>,
    /// How many points each series of a live plot has had in this run.
    points: RefCell<HashMap<String, u64>>,
    figures: Drawings<(FigureKind, String), Figure>,
    charts: Drawings<u64, Chart>,
    said: RefCell<HashSet<String>>,
    /// Devices that could not be opened, which the processor stands for until the session ends.
    pub(crate) replaced: RefCell<HashSet<String>>,
    pub(crate) descriptors: Descriptors,
    pub(crate) library: Library,
    pub(crate) profile: Profile,
    /// Wall-clock time of the last look at the host, in milliseconds.
    pub(crate) last_look: Cell<f64>,
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<Runtime>>> = const { RefCell::new(None) };
}

impl Runtime {
    pub(crate) fn new(engine: Engine, host: Rc<dyn Host>) -> Rc<Runtime> {
        Rc::new(Runtime {
            host,
            engine,
            classes: OnceCell::new(),
            dtypes: OnceCell::new(),
            print_options: Cell::default(),
            globals: OnceCell::new(),
            run_code: OnceCell::new(),
            grad_fn_types: RefCell::default(),
            passing: RefCell::default(),
            sources: RefCell::default(),
            cells: RefCell::default(),
            looked_up: RefCell::default(),
            pending: RefCell::default(),
            points: RefCell::default(),
            figures: Drawings::default(),
            charts: Drawings::default(),
            said: RefCell::default(),
            replaced: RefCell::default(),
            descriptors: Descriptors::default(),
            library: Library::default(),
            profile: Profile::default(),
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

    /// Remembers a cell's text, for tracebacks and spans.
    pub(crate) fn remember_source(&self, file: &str, source: &str) {
        let known = self
            .sources
            .borrow_mut()
            .insert(file.to_owned(), source.into())
            .is_some();
        if !known {
            self.cells.borrow_mut().push(file.to_owned());
            self.looked_up.borrow_mut().clear();
        }
    }

    /// The text of a cell; none for code that is not the learner's.
    pub(crate) fn source(&self, file: &str) -> Option<Rc<str>> {
        self.sources.borrow().get(file).cloned()
    }

    pub(crate) fn is_cell(&self, file: &str) -> bool {
        self.sources.borrow().contains_key(file)
    }

    /// The name of a cell by its number in spans.
    pub(crate) fn cell_name(&self, cell: u32) -> Option<String> {
        let index = (cell as usize).checked_sub(1)?;
        self.cells.borrow().get(index).cloned()
    }

    /// The number of the cell that a code object's file name names. Interned names live as long
    /// as the thread, so that their address identifies them.
    pub(crate) fn cell_number(&self, file: &'static PyStrInterned) -> Option<u32> {
        let address = std::ptr::from_ref(file) as usize;
        if let Some(number) = self.looked_up.borrow().get(&address) {
            return *number;
        }
        let number = self
            .cells
            .borrow()
            .iter()
            .position(|cell| cell == file.as_str())
            .map(|index| index as u32 + 1);
        self.looked_up.borrow_mut().insert(address, number);
        number
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

    /// Writes to `sys.stderr`, after what was printed.
    pub(crate) fn write_error(&self, text: &str) {
        self.flush();
        self.host.stderr(text);
    }

    /// Tells the learner a sentence that they have not been told yet.
    pub(crate) fn say_once(&self, text: &str) {
        if self.said.borrow_mut().insert(text.to_owned()) {
            self.host.notice(text);
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

    /// Shows a figure, now or soon; false when this run has shown too many.
    pub(crate) fn figure(&self, figure: Figure, named: bool) -> bool {
        let key = named.then(|| (figure.kind, figure.name.clone()));
        let placed = |place, drawn| Figure {
            place,
            drawn,
            ..figure
        };
        let taken = self.figures.add(key, self.host.now_millis(), placed);
        let Some(due) = taken else { return false };
        if let Some(figure) = due {
            self.host.figure(figure);
        }
        true
    }

    /// Shows a chart, now or soon; false when this run has shown too many.
    pub(crate) fn chart(&self, key: u64, text: String) -> bool {
        let placed = |place, _| Chart { place, text };
        let taken = self.charts.add(Some(key), self.host.now_millis(), placed);
        let Some(due) = taken else { return false };
        if let Some(chart) = due {
            self.host.chart(chart);
        }
        true
    }

    /// Ends a run: nothing that was printed or drawn is held back any longer.
    pub(crate) fn end_run(&self) {
        self.flush();
        for figure in self.figures.end() {
            self.host.figure(figure);
        }
        for chart in self.charts.end() {
            self.host.chart(chart);
        }
    }

    /// Starts a run: plots count from 0 again.
    pub(crate) fn start_run(&self) {
        self.points.borrow_mut().clear();
        self.last_look.set(self.host.now_millis());
    }
}
