//! The interpreter of one session: set up once, then cells run in it one after another.
//!
//! Variables live in one `__main__` namespace and survive errors and Stop. The thread that made a
//! `Python` runs it; natively that thread should have a large stack (see `limits`).

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use glowgrad::{Engine, Tensor};
use rustpython_vm::builtins::{PyBaseExceptionRef, PyDictRef, PyStrRef, PyTupleRef};
use rustpython_vm::scope::Scope;
use rustpython_vm::{
    AsObject, Interpreter, PyObjectRef, PyPayload, PyResult, Settings, VirtualMachine,
};

use crate::compile::{Purpose, compile, compiled};
use crate::host::Host;
use crate::modules;
use crate::runtime::Runtime;
use crate::traceback::PythonError;
use crate::{doors, frozen, insert_ticks, limits, tick};

/// Python with the `glowgrad` module.
pub struct Python {
    running: Option<Running>,
    pub(crate) runtime: Rc<Runtime>,
    /// Set by a panic that was caught: the interpreter's own state is not known any more.
    broken: Cell<bool>,
}

struct Running {
    interpreter: Interpreter,
    globals: PyDictRef,
}

impl Python {
    /// Starts an interpreter whose tensors live on this engine.
    pub fn new(engine: Engine, host: Rc<dyn Host>) -> Python {
        let runtime = Runtime::new(engine, host);
        let mut settings = Settings::default();
        settings.install_signal_handlers = false;
        settings.import_site = false;
        settings.isolated = true;
        settings.write_bytecode = false;
        // The same run prints the same sets everywhere.
        settings.hash_seed = Some(0);

        let builder = Interpreter::builder(settings);
        let modules = [
            modules::characters::module_def(&builder.ctx),
            modules::clock::module_def(&builder.ctx),
            modules::files::module_def(&builder.ctx),
            modules::lab::module_def(&builder.ctx),
            modules::math::module_def(&builder.ctx),
            modules::packing::module_def(&builder.ctx),
            modules::random::module_def(&builder.ctx),
            crate::tensor::module_def(&builder.ctx),
        ];
        tick::pause();
        let (interpreter, globals) = runtime.while_current(|| {
            let builder = builder.add_native_modules(&modules);
            let interpreter = builder.init_hook(doors::without_modules).build();
            let globals = interpreter.enter(|vm| {
                let globals = set_up(vm);
                match globals {
                    Ok(globals) => globals,
                    Err(exception) => {
                        panic!("the lab's own Python failed: {}", describe(vm, &exception))
                    }
                }
            });
            (interpreter, globals)
        });
        let _ = runtime.globals.set(globals.clone());
        Python {
            running: Some(Running {
                interpreter,
                globals,
            }),
            runtime,
            broken: Cell::new(false),
        }
    }

    /// Whether the interpreter failed at something of its own. Every run is an error from then on, and
    /// a new interpreter is needed; what this one held is not given back, since it may be half changed.
    pub fn is_broken(&self) -> bool {
        self.broken.get()
    }

    /// The learner's variables.
    pub(crate) fn globals(&self) -> &PyDictRef {
        &self.running().globals
    }

    fn running(&self) -> &Running {
        match &self.running {
            Some(running) => running,
            None => unreachable!("an interpreter runs until it is dropped"),
        }
    }

    /// The name of a cell by its number in the engine's spans.
    pub fn cell_name(&self, cell: u32) -> Option<String> {
        self.runtime.cell_name(cell)
    }

    /// The tensors that the learner's variables hold, with their names: `x`, `model.0.weight`,
    /// `pair[1]`. Plain variables come first.
    pub fn names(&self) -> Vec<(String, Tensor)> {
        if self.runtime.classes.get().is_none() {
            return Vec::new();
        }
        let names = self.enter(|vm| {
            let module = vm.import("_names", 0)?;
            let names = module
                .get_attr("names", vm)?
                .call((self.globals().clone(),), vm)?;
            let pairs: Vec<(PyStrRef, PyObjectRef)> = names
                .try_to_value::<Vec<PyTupleRef>>(vm)?
                .iter()
                .map(|pair| pair.extract_tuple(vm))
                .collect::<PyResult<_>>()?;
            Ok(pairs
                .into_iter()
                .filter_map(|(name, object)| {
                    let tensor = crate::tensor::unwrap(&object)?;
                    Some((name.as_wtf8().to_string_lossy().into_owned(), tensor))
                })
                .collect())
        });
        names.unwrap_or_default()
    }

    /// The learner's variables for the editor: name, the class whose members they have (`Tensor`, `Module`,
    /// `Optimizer` or none), and what they are in few words.
    pub fn variables(&self) -> Vec<(String, String, String)> {
        if self.runtime.classes.get().is_none() {
            return Vec::new();
        }
        let variables = self.enter(|vm| {
            let module = vm.import("_names", 0)?;
            let list = module
                .get_attr("variables", vm)?
                .call((self.globals().clone(),), vm)?;
            let rows: Vec<(PyStrRef, PyStrRef, PyStrRef)> = list
                .try_to_value::<Vec<PyTupleRef>>(vm)?
                .iter()
                .map(|row| row.extract_tuple(vm))
                .collect::<PyResult<_>>()?;
            let text = |word: PyStrRef| word.as_wtf8().to_string_lossy().into_owned();
            Ok(rows
                .into_iter()
                .map(|(name, class, words)| (text(name), text(class), text(words)))
                .collect())
        });
        variables.unwrap_or_default()
    }

    /// Runs one cell. Variables are kept from cell to cell, also those of a cell that failed; the
    /// value of a last expression is printed as a notebook does. `cell` is the name tracebacks
    /// show.
    ///
    /// # Errors
    /// What the learner's code raised, `KeyboardInterrupt` after a stop included.
    pub fn run_cell(&self, cell: &str, source: &str) -> Result<(), PythonError> {
        self.runtime.remember_source(cell, source);
        self.enter(|vm| {
            // A script shows what it prints, a cell its last expression too.
            let purpose = match self.runtime.host.arguments().is_empty() {
                true => Purpose::Cell,
                false => Purpose::Quiet,
            };
            let code = compile(vm, source, cell, purpose)?;
            let scope = Scope::with_builtins(None, self.globals().clone(), vm);
            match vm.run_code_obj(code, scope) {
                Err(exception) if is_quiet_exit(vm, &exception) => {}
                result => drop(result?),
            }
            draw_open_figures(vm)
        })
    }

    /// Compiles a cell as [`Python::run_cell`] does, and runs nothing.
    ///
    /// # Errors
    /// The `SyntaxError` that the learner would see.
    pub fn compile_cell(&self, cell: &str, source: &str) -> Result<(), PythonError> {
        self.enter(|vm| compile(vm, source, cell, Purpose::Cell).map(drop))
    }

    /// Runs `body` in the interpreter as one run of the learner's.
    pub(crate) fn enter<R>(
        &self,
        body: impl FnOnce(&VirtualMachine) -> PyResult<R>,
    ) -> Result<R, PythonError> {
        if self.is_broken() {
            return Err(PythonError::broken());
        }
        let run = || {
            self.runtime.while_current(|| {
                self.runtime.start_run();
                tick::start_run();
                let recursion_limit = self.runtime.host.recursion_limit();
                self.running().interpreter.enter(|vm| {
                    vm.recursion_limit.set(recursion_limit);
                    let result = body(vm);
                    self.runtime.end_run();
                    result.map_err(|exception| {
                        PythonError::from_exception(vm, &self.runtime, &exception)
                    })
                })
            })
        };
        // Natively a panic unwinds to here and no further, so that the process and its other sessions
        // go on. In a page it ends the worker, which is replaced.
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(result) => result,
            Err(_) => {
                self.broken.set(true);
                Err(PythonError::broken())
            }
        }
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        if self.is_broken() {
            std::mem::forget(self.running.take());
        }
    }
}

/// Draws the figures of Matplotlib's that a cell has made and not shown.
fn draw_open_figures(vm: &VirtualMachine) -> PyResult<()> {
    let modules = vm.sys_module.get_attr("modules", vm)?;
    match modules.get_item("matplotlib.pyplot", vm) {
        Ok(pyplot) => vm.call_method(&pyplot, "_end_of_cell", ()).map(drop),
        Err(_) => Ok(()),
    }
}

/// Everything that is in place before the first cell.
fn set_up(vm: &VirtualMachine) -> PyResult<PyDictRef> {
    // Importing the module makes its types.
    let lab = vm.import("_lab", 0)?;
    for name in ["stdout", "stderr"] {
        let stream = modules::lab::Stream { name }.into_ref(&vm.ctx);
        vm.sys_module.set_attr(name, stream, vm)?;
    }
    limits::install(vm)?;
    let heartbeat = modules::lab::Tick {
        large_int: limits::integers::subclass(vm)?,
    }
    .into_ref(&vm.ctx);
    vm.builtins
        .set_attr(vm.ctx.intern_str(insert_ticks::TICK), heartbeat.clone(), vm)?;
    let scope = vm.new_scope_with_main()?;
    let code = compiled(vm, frozen::BOOTSTRAP);
    vm.run_code_obj(code, vm.new_scope_with_builtins())?;
    doors::close(vm)?;
    let display = lab.get_attr("display", vm)?;
    // Loops of a cell itself look names up in dicts one after another: found in the first, a tick
    // costs half as much.
    scope
        .globals
        .set_item(insert_ticks::TICK, heartbeat.into(), vm)?;
    vm.builtins
        .set_attr(vm.ctx.intern_str(insert_ticks::DISPLAY), display, vm)?;
    Ok(scope.globals)
}

/// Whether this is `exit()` or `sys.exit(0)`: the end of the cell, not an error.
fn is_quiet_exit(vm: &VirtualMachine, exception: &PyBaseExceptionRef) -> bool {
    exception
        .class()
        .fast_issubclass(vm.ctx.exceptions.system_exit)
        && exception
            .args()
            .first()
            .is_none_or(|code| vm.is_none(code) || matches!(code.try_to_value::<i64>(vm), Ok(0)))
}

fn describe(vm: &VirtualMachine, exception: &PyBaseExceptionRef) -> String {
    let mut text = String::new();
    let _ = vm.write_exception(&mut text, exception);
    text
}
