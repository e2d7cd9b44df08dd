//! One session: a command at a time in, events out.
//!
//! It owns the engine and Python, and knows no transport: a [`Platform`] gives it a clock, a way
//! to yield and the stop flag. A command that fails says why in an `Error` event; `Done` always
//! comes last.

mod devices;
#[cfg(feature = "python")]
mod files;
#[cfg(feature = "python")]
mod probe;
#[cfg(feature = "python")]
mod run_steps;
#[cfg(feature = "python")]
mod with_python;

use std::cell::Cell;
#[cfg(feature = "python")]
use std::cell::RefCell;
use std::rc::Rc;

#[cfg(feature = "python")]
use files::SessionFiles;
use glowgrad::graph::Opened;
#[cfg(feature = "python")]
use glowgrad::interrupt;
use glowgrad::{Device, Engine};

use crate::landing;
use crate::protocol::{Command, DeviceInfo, ErrorInfo, Event, Flow, MemoryCounters};
use crate::stage::{self, Context, INSPECT_LEN, Staged, preview};
use crate::values;

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
    /// Python's library (`glowgrad_pylib`).
    ///
    /// # Errors
    /// Why it cannot be had.
    #[cfg(feature = "python")]
    fn library(&self) -> Result<&'static str, String> {
        Err("there is none here".to_owned())
    }
    /// Reads or writes a file's bytes, as `glowgrad_files::codec` says: the answer's text and bytes.
    ///
    /// # Errors
    /// Why it cannot be done.
    #[cfg(feature = "python")]
    fn codec(&self, request: &str, bytes: &[u8]) -> Result<(String, Vec<u8>), String> {
        let _ = (request, bytes);
        Err("there are no file formats here".to_owned())
    }
    /// Writes what a model computes as an ONNX file, as [`glowgrad_python::Host::export_onnx`] says.
    ///
    /// # Errors
    /// What cannot be written, and why.
    #[cfg(feature = "python")]
    fn export_onnx(
        &self,
        job: &mut glowgrad_python::OnnxJob<'_>,
    ) -> Option<Result<glowgrad_python::OnnxFile, String>> {
        let _ = job;
        None
    }
    /// The files that Python sees. None: files in memory, which end with the session.
    #[cfg(feature = "python")]
    fn files(&self) -> Option<Box<dyn glowgrad_python::Files>> {
        None
    }
    /// What Python has in `sys.argv`: a script's path and its arguments; nothing for cells.
    #[cfg(feature = "python")]
    fn arguments(&self) -> Vec<String> {
        Vec::new()
    }
    /// A clock for kernels, in nanoseconds.
    fn clock(&self) -> Option<fn() -> u64> {
        None
    }
    /// What can be opened besides the processor, for a menu; opening is [`Platform::open_device`]'s.
    fn devices(&self) -> Vec<DeviceInfo> {
        Vec::new()
    }
    /// A device of this name to compute on, besides the processor. None: there is no such thing here.
    ///
    /// # Errors
    /// Why it cannot be had.
    fn open_device(&self, kind: &str) -> Option<glowgrad::Result<Opened>> {
        let _ = kind;
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
    /// How many devices were open and which one was used when it was last told.
    told: Cell<(usize, Device)>,
    #[cfg(feature = "python")]
    python: Option<glowgrad_python::Python>,
    /// The files that Python sees; they outlive a reset.
    #[cfg(feature = "python")]
    files: Rc<SessionFiles>,
    /// The tensor that the running command asks to see.
    #[cfg(feature = "python")]
    look: Rc<RefCell<Option<glowgrad_python::Look>>>,
    #[cfg(feature = "python")]
    probes: Rc<probe::Probes>,
    #[cfg(feature = "python")]
    steps: Rc<crate::steps::Steps>,
    /// The graph that `lab.graph` put on stage in the running command, in place of the engine's.
    #[cfg(feature = "python")]
    own: Rc<RefCell<Option<glowgrad_python::UserGraph>>>,
    /// How many of the values on stage (`Step::staged`) are nodes; gradients come after.
    staged_nodes: Cell<usize>,
    /// How graphs are laid out.
    pub(crate) flow: Cell<Flow>,
    /// Whether a cell's step is recorded and put on stage.
    #[cfg(feature = "python")]
    stages: Cell<bool>,
    #[cfg(feature = "python")]
    pub(crate) explained: crate::kernels::Explained,
}

impl Session {
    /// A session that sends its events to `emit`, `Ready` first.
    pub fn new(platform: Rc<dyn Platform>, emit: Emit) -> Session {
        let engine = new_engine(&*platform);
        Session::with_engine(platform, emit, engine)
    }

    /// A session whose tensors are made on a device of this name, unless told otherwise.
    ///
    /// # Errors
    /// When there is none.
    pub fn on_device(
        platform: Rc<dyn Platform>,
        emit: Emit,
        kind: &str,
    ) -> glowgrad::Result<Session> {
        let engine = new_engine(&*platform);
        devices::use_device(&engine, &*platform, kind)?;
        Ok(Session::with_engine(platform, emit, engine))
    }

    fn with_engine(platform: Rc<dyn Platform>, emit: Emit, engine: Engine) -> Session {
        emit(Event::Ready {
            python: cfg!(feature = "python"),
            device: engine.device_name(engine.device()),
        });
        emit(devices::event(&engine, &*platform));
        let running: Rc<Cell<u32>> = Rc::default();
        #[cfg(feature = "python")]
        devices::tell_progress(&engine, &emit, &running);
        #[cfg(feature = "python")]
        let files = Rc::new(SessionFiles::new(&platform));
        Session {
            platform,
            emit,
            running,
            told: Cell::new((engine.devices().len(), engine.device())),
            engine,
            #[cfg(feature = "python")]
            python: None,
            #[cfg(feature = "python")]
            files,
            #[cfg(feature = "python")]
            look: Rc::default(),
            #[cfg(feature = "python")]
            probes: Rc::default(),
            #[cfg(feature = "python")]
            steps: Rc::default(),
            #[cfg(feature = "python")]
            own: Rc::default(),
            staged_nodes: Cell::default(),
            flow: Cell::default(),
            #[cfg(feature = "python")]
            stages: Cell::new(true),
            #[cfg(feature = "python")]
            explained: Default::default(),
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
            | Command::Inspect { id, .. }
            | Command::SetFlow { id, .. }
            | Command::Reset { id } => *id,
            #[cfg(any(test, feature = "python"))]
            Command::RunCell { id, .. }
            | Command::Check { id, .. }
            | Command::Call { id, .. }
            | Command::Evaluate { id, .. }
            | Command::Memory { id }
            | Command::Variables { id }
            | Command::Kernels { id }
            | Command::TimeKernels { id }
            | Command::SetFusion { id, .. }
            | Command::OpenStep { id, .. }
            | Command::NodeSteps { id, .. }
            | Command::Pin { id, .. }
            | Command::SetDevice { id, .. }
            | Command::PutFiles { id, .. }
            | Command::RemoveFile { id, .. } => *id,
            Command::Stop => return,
        };
        self.running.set(id);
        let start = self.platform.now_millis();
        #[cfg(feature = "python")]
        interrupt::set(Some({
            let platform = self.platform.clone();
            Rc::new(move || platform.should_stop())
        }));
        let result = self.run(id, command);
        #[cfg(feature = "python")]
        {
            interrupt::set(None);
            // A Stop that nothing has heard is not the next command's.
            let _ = interrupt::check();
        }
        self.tell_news(id);
        self.tell_devices();
        #[cfg(feature = "python")]
        self.files.changes(id).into_iter().for_each(&*self.emit);
        let ok = result.is_ok();
        if let Err(error) = result {
            (self.emit)(Event::Error { id, error });
        }
        let memory = self.engine.trace().memory();
        (self.emit)(Event::Done {
            id,
            ok,
            millis: self.platform.now_millis() - start,
            memory: MemoryCounters {
                live_bytes: memory.live as f64,
                peak_bytes: memory.peak as f64,
            },
        });
    }

    /// Tells what happened to a device meanwhile.
    fn tell_news(&self, id: u32) {
        for text in self.engine.news() {
            (self.emit)(Event::Notice { id, text });
        }
    }

    fn run(&mut self, id: u32, command: Command) -> Result<(), ErrorInfo> {
        match command {
            Command::Landing { .. } => self.landing(id),
            Command::Inspect { node, .. } => self.inspect(id, node),
            Command::SetFlow { down, row, .. } => {
                self.flow.set(Flow::new(down, row));
                Ok(())
            }
            Command::Reset { .. } => {
                self.reset();
                Ok(())
            }
            Command::Stop => Ok(()),
            #[cfg(feature = "python")]
            command => self.run_python(id, command),
            #[cfg(all(test, not(feature = "python")))]
            _ => Err(ErrorInfo {
                kind: "NotImplementedError".to_owned(),
                message: "this build has no Python; load the full one".to_owned(),
                ..ErrorInfo::default()
            }),
        }
    }

    fn reset(&mut self) {
        self.staged_nodes.set(0);
        #[cfg(feature = "python")]
        {
            self.explained = Default::default();
        }
        #[cfg(feature = "python")]
        {
            self.probes = Rc::default();
            self.steps = Rc::default();
            self.python = None;
        }
        #[cfg(feature = "python")]
        let kind = self.engine.device_kind(self.engine.device());
        self.engine = new_engine(&*self.platform);
        // One that cannot be opened again leaves the processor; the next cell says what it prints.
        #[cfg(feature = "python")]
        let _ = devices::use_device(&self.engine, &*self.platform, &kind);
        #[cfg(feature = "python")]
        self.set_staging(self.stages.get());
    }

    fn landing(&mut self, id: u32) -> Result<(), ErrorInfo> {
        self.engine.begin_step();
        let names = landing::run(&self.engine).map_err(engine_error)?;
        let context = Context {
            names: &names,
            cell_name: &|_| Some(landing::CELL.to_owned()),
            since: 0,
            flow: self.flow.get(),
            #[cfg(feature = "python")]
            known: None,
            #[cfg(feature = "python")]
            failed: None,
        };
        self.send_graph(id, &context);
        Ok(())
    }

    fn inspect(&self, id: u32, node: u32) -> Result<(), ErrorInfo> {
        let value = self
            .engine
            .with_step(|step| step.staged.get(node as usize).cloned());
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
    fn send_graph(&self, id: u32, context: &Context<'_>) {
        self.looking(|| {
            let staged = stage::with_current(&self.engine, |step| stage::stage(step, context));
            if let Some(staged) = staged {
                #[cfg(feature = "python")]
                self.explained.stage(&staged);
                #[cfg(feature = "python")]
                self.steps.name(&staged);
                self.put_on_stage(id, staged);
            }
        });
    }

    /// Looks at nodes and values: that the last picture's values go, and that others are read, is no event of the
    /// step, and what the learner refused the CPU is looked at all the same.
    fn looking<T>(&self, look: impl FnOnce() -> T) -> T {
        let recording = self.engine.trace().set_recording(false);
        let strict = self.engine.set_strict(false);
        let seen = look();
        self.engine.set_strict(strict);
        self.engine.trace().set_recording(recording);
        seen
    }

    fn put_on_stage(&self, id: u32, staged: Staged) {
        let Staged { mut graph, values } = staged;
        let n_nodes = graph.n_with_values();
        let len = stage::preview_len(values.len());
        self.engine.set_staged(values);
        graph.previews = values::previews(&self.engine, len);
        #[cfg(feature = "python")]
        {
            graph.non_finite = values::non_finite(&self.engine, &graph);
        }
        self.staged_nodes.set(n_nodes);
        (self.emit)(Event::Graph { id, graph });
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
