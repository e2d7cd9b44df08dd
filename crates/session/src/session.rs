//! One session: a command at a time in, events out.
//!
//! It owns the engine and Python, and knows no transport: a [`Platform`] gives it a clock, a way
//! to yield and the stop flag. A command that fails says why in an `Error` event; `Done` always
//! comes last.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use glowgrad::Engine;
use glowgrad::node::NodeRef;

use crate::landing;
use crate::protocol::{Command, ErrorInfo, Event, Memory};
use crate::stage::{self, Context, INSPECT_LEN, preview};

/// What a session needs of the place it runs in.
pub trait Platform {
    /// Milliseconds since the Unix epoch, never going back.
    fn now_millis(&self) -> f64;
    /// Called often while the learner's code runs: yields to the surroundings where it must, and
    /// says whether the command is to stop.
    fn should_stop(&self) -> bool;
    /// Waits for about this long.
    fn sleep(&self, millis: f64);
    /// Whether the platform's memory is almost used up.
    fn out_of_memory(&self) -> bool {
        false
    }
    /// Frames of Python that the stack holds which commands run on. None: what Python takes for
    /// the target.
    fn recursion_limit(&self) -> Option<usize> {
        None
    }
    /// A clock for kernels, in nanoseconds.
    fn clock(&self) -> Option<fn() -> u64> {
        None
    }
}

/// Where events go.
pub type Emit = Rc<dyn Fn(Event)>;

/// A session.
pub struct Session {
    platform: Rc<dyn Platform>,
    emit: Emit,
    /// The id of the running command.
    running: Rc<Cell<u32>>,
    engine: Engine,
    #[cfg(feature = "python")]
    python: Option<glowgrad_python::Python>,
    /// What the graph on stage was made from, by its ids.
    staged: RefCell<Vec<NodeRef>>,
}

impl Session {
    /// A session that sends its events to `emit`, `Ready` first.
    pub fn new(platform: Rc<dyn Platform>, emit: Emit) -> Session {
        let engine = new_engine(&*platform);
        emit(Event::Ready {
            python: cfg!(feature = "python"),
            device: engine.device(),
        });
        Session {
            platform,
            emit,
            running: Rc::default(),
            engine,
            #[cfg(feature = "python")]
            python: None,
            staged: RefCell::default(),
        }
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Runs a command to its end. `Stop` is the transport's: here it does nothing.
    pub fn handle(&mut self, command: Command) {
        let id = match &command {
            Command::Landing { id }
            | Command::RunCell { id, .. }
            | Command::Check { id, .. }
            | Command::Call { id, .. }
            | Command::Inspect { id, .. }
            | Command::Reset { id } => *id,
            Command::Stop => return,
        };
        self.running.set(id);
        let start = self.platform.now_millis();
        let result = self.run(id, command);
        let ok = result.is_ok();
        if let Err(error) = result {
            (self.emit)(Event::Error { id, error });
        }
        let memory = self.engine.trace().memory();
        (self.emit)(Event::Done {
            id,
            ok,
            millis: self.platform.now_millis() - start,
            memory: Memory {
                live_bytes: memory.live as f64,
                peak_bytes: memory.peak as f64,
            },
        });
    }

    fn run(&mut self, id: u32, command: Command) -> Result<(), ErrorInfo> {
        match command {
            Command::Landing { .. } => self.landing(id),
            Command::RunCell { cell, source, .. } => self.run_cell(id, &cell, &source),
            Command::Check {
                exercise,
                source,
                checks,
                ..
            } => self.check(id, exercise, &source, &checks),
            Command::Call {
                function,
                values,
                shape,
                ..
            } => self.call(id, &function, &values, &shape),
            Command::Inspect { node, .. } => self.inspect(id, node),
            Command::Reset { .. } => {
                self.reset();
                Ok(())
            }
            Command::Stop => Ok(()),
        }
    }

    fn reset(&mut self) {
        self.staged.borrow_mut().clear();
        #[cfg(feature = "python")]
        {
            self.python = None;
        }
        self.engine = new_engine(&*self.platform);
    }

    fn landing(&mut self, id: u32) -> Result<(), ErrorInfo> {
        self.engine.begin_step();
        let names = landing::run(&self.engine).map_err(engine_error)?;
        let context = Context {
            names: &names,
            cell_name: &|_| Some(landing::CELL.to_owned()),
            since: 0,
        };
        self.send_graph(id, &context)
    }

    fn inspect(&self, id: u32, node: u32) -> Result<(), ErrorInfo> {
        let value = self.staged.borrow().get(node as usize).cloned();
        let Some(value) = value else {
            return Err(ErrorInfo {
                kind: "LookupError".to_owned(),
                message: format!("inspect: node {node} is not on stage; run the cell again"),
                ..ErrorInfo::default()
            });
        };
        let recording = self.engine.trace().set_recording(false);
        let preview = preview(&self.engine, node, &value, INSPECT_LEN);
        self.engine.trace().set_recording(recording);
        (self.emit)(Event::Inspected {
            id,
            node,
            preview: preview.map_err(engine_error)?,
        });
        Ok(())
    }

    /// Puts the engine's step on stage, if there is one.
    fn send_graph(&self, id: u32, context: &Context<'_>) -> Result<(), ErrorInfo> {
        let staged = stage::stage(&self.engine, context).map_err(engine_error)?;
        if let Some(staged) = staged {
            *self.staged.borrow_mut() = staged.values;
            (self.emit)(Event::Graph {
                id,
                graph: staged.graph,
            });
        }
        Ok(())
    }
}

fn new_engine(platform: &dyn Platform) -> Engine {
    match platform.clock() {
        Some(clock) => glowgrad::cpu_with_clock(clock),
        None => glowgrad::cpu(),
    }
}

fn engine_error(error: glowgrad::Error) -> ErrorInfo {
    ErrorInfo {
        kind: "RuntimeError".to_owned(),
        message: error.message,
        ..ErrorInfo::default()
    }
}

#[cfg(not(feature = "python"))]
impl Session {
    fn no_python() -> ErrorInfo {
        ErrorInfo {
            kind: "NotImplementedError".to_owned(),
            message: "this build has no Python; load the full one".to_owned(),
            ..ErrorInfo::default()
        }
    }

    fn run_cell(&mut self, _: u32, _: &str, _: &str) -> Result<(), ErrorInfo> {
        Err(Self::no_python())
    }

    fn check(&mut self, _: u32, _: String, _: &str, _: &str) -> Result<(), ErrorInfo> {
        Err(Self::no_python())
    }

    fn call(&mut self, _: u32, _: &str, _: &[f64], _: &[usize]) -> Result<(), ErrorInfo> {
        Err(Self::no_python())
    }
}

#[cfg(feature = "python")]
mod with_python {
    use glowgrad::Tensor;
    use glowgrad_python::{Flow, Host, Python, PythonError};

    use super::*;
    use crate::protocol::{CheckOutcome, CheckReport};

    /// What Python may do to the world: print, plot, wait, stop.
    struct SessionHost {
        platform: Rc<dyn Platform>,
        emit: Emit,
        running: Rc<Cell<u32>>,
    }

    impl Host for SessionHost {
        fn stdout(&self, text: &str) {
            (self.emit)(Event::Stdout {
                id: self.running.get(),
                text: text.to_owned(),
            });
        }

        fn tick(&self) -> Flow {
            if self.platform.should_stop() {
                Flow::Stop
            } else {
                Flow::Continue
            }
        }

        fn now_millis(&self) -> f64 {
            self.platform.now_millis()
        }

        fn sleep(&self, millis: f64) {
            self.platform.sleep(millis);
        }

        fn out_of_memory(&self) -> bool {
            self.platform.out_of_memory()
        }

        fn recursion_limit(&self) -> usize {
            let limit = self.platform.recursion_limit();
            limit.unwrap_or(glowgrad_python::DEFAULT_RECURSION_LIMIT)
        }

        fn metric(&self, series: &str, x: f64, y: f64) {
            (self.emit)(Event::Metric {
                id: self.running.get(),
                series: series.to_owned(),
                x,
                y,
            });
        }
    }

    impl From<PythonError> for ErrorInfo {
        fn from(error: PythonError) -> ErrorInfo {
            ErrorInfo {
                kind: error.kind,
                message: error.message,
                traceback: error.traceback,
                cell: error.cell,
                line: error.line,
            }
        }
    }

    impl Session {
        fn python(&mut self) -> &Python {
            let host = || {
                Rc::new(SessionHost {
                    platform: self.platform.clone(),
                    emit: self.emit.clone(),
                    running: self.running.clone(),
                })
            };
            self.python
                .get_or_insert_with(|| Python::new(self.engine.clone(), host()))
        }

        /// Begins a new step unless the last one still waits for its `backward()`.
        fn prepare(&self) -> glowgrad::trace::NodeId {
            if self.engine.with_step(|s| s.walked) {
                self.engine.begin_step();
            }
            self.engine.next_node_id()
        }

        fn show_stage(&mut self, id: u32, since: glowgrad::trace::NodeId) -> Result<(), ErrorInfo> {
            let Some(python) = &self.python else {
                return Ok(());
            };
            let names: Vec<(String, Tensor)> = python.names();
            let cell_name = |cell: u32| python.cell_name(cell);
            self.send_graph(
                id,
                &Context {
                    names: &names,
                    cell_name: &cell_name,
                    since,
                },
            )
        }

        pub(super) fn run_cell(
            &mut self,
            id: u32,
            cell: &str,
            source: &str,
        ) -> Result<(), ErrorInfo> {
            let since = self.prepare();
            let result = self.python().run_cell(cell, source);
            // What was made before an error is worth seeing too; the error itself comes first.
            let shown = self.show_stage(id, since);
            result?;
            shown
        }

        pub(super) fn check(
            &mut self,
            id: u32,
            exercise: String,
            source: &str,
            checks: &str,
        ) -> Result<(), ErrorInfo> {
            let since = self.prepare();
            let outcomes = self.python().run_checks(source, checks)?;
            let checks: Vec<CheckOutcome> = outcomes
                .into_iter()
                .map(|c| CheckOutcome {
                    name: c.name,
                    passed: c.passed,
                    message: c.message,
                    line: c.line,
                })
                .collect();
            let passed = !checks.is_empty() && checks.iter().all(|c| c.passed);
            (self.emit)(Event::Checked {
                id,
                report: CheckReport {
                    exercise,
                    passed,
                    checks,
                },
            });
            self.show_stage(id, since)
        }

        pub(super) fn call(
            &mut self,
            id: u32,
            function: &str,
            values: &[f64],
            shape: &[usize],
        ) -> Result<(), ErrorInfo> {
            let recording = self.engine.trace().set_recording(false);
            let result = self.python().call(function, values, shape);
            self.engine.trace().set_recording(recording);
            let (values, shape) = result?;
            (self.emit)(Event::Called { id, values, shape });
            Ok(())
        }
    }
}
