//! What a session does with Python: cells, checks, calls, and the instruments that ask about variables.
//!
//! Invariant: Python reaches the world through [`SessionHost`] alone, and what it leaves there (a graph
//! of the learner's own, a wish to see a tensor) is taken when its command ends.

use glowgrad::Tensor;
use glowgrad::explain::StepRecord;
use glowgrad_python::{Files, Flow, Host, Look, OnnxFile, OnnxJob, Python, PythonError, UserGraph};

use super::probe::Pin;
use super::*;
use crate::protocol::{Chart, CheckOutcome, CheckReport, Instrument, StageGraph, Variable};
use crate::{memory, user_graph};

/// How long a list's kernels are run again for their times.
const TIMING_MILLIS: f64 = 600.0;

/// What Python may do to the world: print, plot, wait, stop.
struct SessionHost {
    platform: Rc<dyn Platform>,
    emit: Emit,
    running: Rc<Cell<u32>>,
    own: Rc<RefCell<Option<UserGraph>>>,
    look: Rc<RefCell<Option<Look>>>,
    engine: Engine,
    probes: Rc<super::probe::Probes>,
    steps: Rc<crate::steps::Steps>,
    files: Rc<SessionFiles>,
}

impl SessionHost {
    fn send_points(&self, ended: bool) {
        let points = self.steps.points(&self.engine, ended);
        if !points.is_empty() {
            let id = self.running.get();
            (self.emit)(Event::StepPoints { id, points });
        }
    }
}

impl Host for SessionHost {
    fn stdout(&self, text: &str) {
        (self.emit)(Event::Stdout {
            id: self.running.get(),
            text: text.to_owned(),
        });
    }

    fn stderr(&self, text: &str) {
        // A script has a stream for errors; a cell has one place for all that it says.
        if self.platform.arguments().is_empty() {
            return self.stdout(text);
        }
        (self.emit)(Event::Stderr {
            id: self.running.get(),
            text: text.to_owned(),
        });
    }

    fn notice(&self, text: &str) {
        (self.emit)(Event::Notice {
            id: self.running.get(),
            text: text.to_owned(),
        });
    }

    fn tick(&self) -> Flow {
        self.engine.news().iter().for_each(|text| self.notice(text));
        let changes = self.files.changes_if_moved(self.running.get());
        changes.into_iter().for_each(&*self.emit);
        if self.platform.should_stop() || self.steps.is_reached() {
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

    fn library(&self) -> Result<&'static str, String> {
        self.platform.library()
    }

    fn codec(&self, request: &str, bytes: &[u8]) -> Result<(String, Vec<u8>), String> {
        self.platform.codec(request, bytes)
    }

    fn export_onnx(&self, job: &mut OnnxJob<'_>) -> Option<Result<OnnxFile, String>> {
        self.platform.export_onnx(job)
    }

    fn files(&self) -> &dyn Files {
        self.files.as_files()
    }

    fn arguments(&self) -> Vec<String> {
        self.platform.arguments()
    }

    fn out_of_memory(&self) -> bool {
        self.platform.out_of_memory()
    }

    fn recursion_limit(&self) -> usize {
        let limit = self.platform.recursion_limit();
        limit.unwrap_or(glowgrad_python::DEFAULT_RECURSION_LIMIT)
    }

    fn backward_ended(&self) {
        // A value that cannot be read is told where the learner reads it.
        if self.probes.backward_ended(&self.engine).is_ok() {
            self.probes.send(self.running.get(), &self.emit, false);
        }
        self.steps.backward_ended(&self.engine);
        self.send_points(false);
    }

    fn replayed(&self, losses: &[f64]) {
        if self.engine.trace().is_recording() {
            self.steps.replayed(losses);
            self.send_points(false);
        }
    }

    fn n_unseen(&self, waiting: u32) -> u32 {
        match self.engine.trace().is_recording() {
            true => self.steps.n_unseen(waiting),
            false => u32::MAX,
        }
    }

    fn open_device(&self, kind: &str) -> Option<glowgrad::Result<Opened>> {
        self.platform.open_device(kind)
    }

    fn metric(&self, series: &str, x: f64, y: f64) {
        (self.emit)(Event::Metric {
            id: self.running.get(),
            series: series.to_owned(),
            x,
            y,
        });
    }

    fn user_graph(&self, graph: UserGraph) {
        *self.own.borrow_mut() = Some(graph);
    }

    fn chart(&self, chart: glowgrad_python::Chart) {
        (self.emit)(Event::Chart {
            id: self.running.get(),
            chart: Chart {
                place: chart.place as u32,
                text: chart.text,
            },
        });
    }

    fn figure(&self, figure: glowgrad_python::Figure) {
        (self.emit)(Event::Figure {
            id: self.running.get(),
            figure: figure.into(),
        });
    }

    fn look(&self, look: Look) {
        *self.look.borrow_mut() = Some(look);
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
            exit_code: error.exit_code,
        }
    }
}

impl Session {
    /// Runs a command that a build without Python does not have.
    pub(super) fn run_python(&mut self, id: u32, command: Command) -> Result<(), ErrorInfo> {
        match command {
            Command::RunCell {
                cell,
                source,
                until,
                ..
            } => self.run_cell(id, &cell, &source, until),
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
            Command::Evaluate { expression, .. } => self.evaluate(id, &expression),
            Command::Memory { .. } => self.memory(id),
            Command::Variables { .. } => self.variables(id),
            Command::Kernels { .. } => self.kernels(id, false),
            Command::TimeKernels { .. } => self.kernels(id, true),
            Command::OpenStep { step, .. } => self.open_step(id, step),
            Command::NodeSteps { node, .. } => self.node_steps(id, node),
            Command::SetFusion { on, .. } => {
                self.engine.set_fusion(on);
                Ok(())
            }
            Command::Pin { nodes, .. } => {
                self.pin(&nodes);
                Ok(())
            }
            Command::SetDevice { device, .. } => self.set_device(&device),
            Command::PutFiles { files, .. } => self.files.put(&files),
            Command::RemoveFile { path, .. } => self.files.remove(&path),
            // Those that every build has.
            Command::Landing { .. }
            | Command::Inspect { .. }
            | Command::SetFlow { .. }
            | Command::Reset { .. }
            | Command::Stop => Ok(()),
        }
    }

    fn python(&mut self) -> &Python {
        if self.python.as_ref().is_some_and(Python::is_broken) {
            // The engine may have been in the middle of something too.
            self.reset();
        }
        let host = || {
            Rc::new(SessionHost {
                platform: self.platform.clone(),
                emit: self.emit.clone(),
                running: self.running.clone(),
                own: self.own.clone(),
                look: self.look.clone(),
                engine: self.engine.clone(),
                probes: self.probes.clone(),
                steps: self.steps.clone(),
                files: self.files.clone(),
            })
        };
        self.python
            .get_or_insert_with(|| Python::new(self.engine.clone(), host()))
    }

    /// Records each cell's step and puts it on stage, or does neither: a script that nothing looks at
    /// keeps no values for a picture. What `lab.graph` draws is shown all the same.
    pub fn set_staging(&self, on: bool) {
        self.stages.set(on);
        self.engine.trace().set_recording(on);
    }

    /// Begins a new step unless the last one still waits for its `backward()`.
    fn prepare(&self, until: Option<u32>) -> glowgrad::trace::NodeId {
        if self.engine.with_step(|s| s.has_backward) {
            self.engine.begin_step();
        }
        self.steps.begin(&self.engine, until);
        self.engine.forget_failure();
        self.explained.begin(&self.engine);
        let since = self.engine.next_node_id();
        self.engine.with_step(|step| step.count_left_from(since));
        since
    }

    /// Sends what is left to say of the command's steps.
    fn end_steps(&self, id: u32) {
        self.probes.send(id, &self.emit, true);
        let points = self.steps.points(&self.engine, true);
        if !points.is_empty() {
            (self.emit)(Event::StepPoints { id, points });
        }
        if let Some(run) = self.steps.end(&self.engine) {
            (self.emit)(Event::RunSteps { id, run });
        }
    }

    /// Puts the graph of an engine of the learner's own on stage; none where there is nothing to draw.
    fn stage_own(&self, own: &UserGraph) -> Option<StageGraph> {
        self.looking(|| {
            let nodes = user_graph::nodes(own, &self.engine);
            let len = stage::preview_len(nodes.len());
            self.engine.set_staged(nodes);
            self.staged_nodes.set(0);
            let previews = values::previews(&self.engine, len);
            let numbers = values::Staged(&self.engine);
            let step = self.engine.with_step(|s| s.number);
            interrupt::paused(|| {
                user_graph::stage_graph(own, previews, &numbers, step, self.flow.get())
            })
        })
    }

    fn show_stage(&mut self, id: u32, since: glowgrad::trace::NodeId, error: Option<&PythonError>) {
        let Some(python) = &self.python else {
            return;
        };
        if let Some(own) = self.own.take()
            && let Some(graph) = self.stage_own(&own)
        {
            (self.emit)(Event::Graph { id, graph });
            return;
        }
        if !self.stages.get() {
            return;
        }
        let names: Vec<(String, Tensor)> = python.names();
        let cell_name = |cell: u32| python.cell_name(cell);
        let failed = error.and_then(|error| {
            let failure = self.engine.failure(error.failure?)?;
            Some((failure, error.message.as_str()))
        });
        let context = Context {
            names: &names,
            cell_name: &cell_name,
            since,
            flow: self.flow.get(),
            known: None,
            failed: failed.as_ref().map(|(failure, why)| (failure, *why)),
        };
        // The light stays, unless the learner asks to look at what was computed after it.
        let may_stay = error.is_none() && self.look.borrow().is_none();
        if !(may_stay && self.show_lit(id, &context)) {
            self.send_graph(id, &context);
        }
        self.engine.forget_failure();
    }

    /// Passes on that the learner asks to see a tensor, by the ids of the graph on stage.
    fn show_look(&self, id: u32) {
        let Some(look) = self.look.take() else { return };
        let Some(instrument) = Instrument::named(&look.instrument) else {
            return;
        };
        let is_looked_at = |node: &glowgrad::node::NodeRef| node.id == look.node;
        let node = self
            .engine
            .with_step(|step| step.staged.iter().position(is_looked_at));
        (self.emit)(Event::Look {
            id,
            instrument,
            name: look.name,
            node: node.map(|node| node as u32),
        });
    }

    /// Sends where tensors lie. Before the first cell there are none.
    fn memory(&self, id: u32) -> Result<(), ErrorInfo> {
        let Some(python) = &self.python else {
            let memory = Default::default();
            (self.emit)(Event::Memory { id, memory });
            return Ok(());
        };
        let recording = self.engine.trace().set_recording(false);
        let names = python.names();
        let cell_name = |cell: u32| python.cell_name(cell);
        let staged = self.engine.with_step(|step| step.staged.clone());
        let memory = memory::memory(&memory::Subject {
            engine: &self.engine,
            names: &names,
            nodes: &staged[..self.staged_nodes.get()],
            cell_name: &cell_name,
        });
        self.engine.trace().set_recording(recording);
        (self.emit)(Event::Memory { id, memory });
        Ok(())
    }

    /// Sends what variables there are. Before the first cell there are none.
    fn variables(&self, id: u32) -> Result<(), ErrorInfo> {
        let recording = self.engine.trace().set_recording(false);
        let rows = self.python.as_ref().map(|python| python.variables());
        self.engine.trace().set_recording(recording);
        let rows = rows.unwrap_or_default().into_iter();
        let list = rows.map(|(name, class, words)| Variable { name, class, words });
        (self.emit)(Event::Variables {
            id,
            list: list.collect(),
        });
        Ok(())
    }

    fn pin(&self, nodes: &[u32]) {
        let staged = self.engine.with_step(|step| step.staged.clone());
        let nodes = nodes.iter().take(super::probe::MAX_PINS);
        // A node of an older step is found by its leaf or its line alone.
        let pin = |node| Some(self.pin_of(node).unwrap_or_else(|| Pin::of(node, &[])));
        let pins = nodes.map(|&id| staged.get(id as usize).and_then(pin));
        self.probes.pin(pins.collect());
    }

    fn run_cell(
        &mut self,
        id: u32,
        cell: &str,
        source: &str,
        until: Option<u32>,
    ) -> Result<(), ErrorInfo> {
        let since = self.prepare(until);
        let result = self.python().run_cell(cell, source);
        self.end_steps(id);
        // What was made before an error is worth seeing too; the error itself comes first.
        self.show_stage(id, since, result.as_ref().err());
        self.show_look(id);
        Ok(result?)
    }

    fn check(
        &mut self,
        id: u32,
        exercise: String,
        source: &str,
        checks: &str,
    ) -> Result<(), ErrorInfo> {
        let since = self.prepare(None);
        let outcomes = self.python().run_checks(source, checks);
        self.end_steps(id);
        let outcomes = outcomes?;
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
        self.show_stage(id, since, None);
        Ok(())
    }

    fn kernels(&self, id: u32, timed: bool) -> Result<(), ErrorInfo> {
        let end = self.platform.now_millis() + TIMING_MILLIS;
        let goes_on = || self.platform.now_millis() < end;
        let list = |number: u32, record: &StepRecord| {
            let mut list = self.explained.list(&self.engine, number, record);
            if timed {
                crate::kernels::time(&self.engine, record, &mut list, &goes_on);
            }
            list
        };
        let number = self.engine.with_step(|step| step.number);
        let list = match self.steps.lit_record(self.explained.step(), list) {
            Some(list) => list,
            None => self.engine.with_record(|record| list(number, record)),
        };
        (self.emit)(Event::Kernels { id, list });
        Ok(())
    }

    fn call(
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

    fn evaluate(&mut self, id: u32, expression: &str) -> Result<(), ErrorInfo> {
        let recording = self.engine.trace().set_recording(false);
        let result = self.python().evaluate(expression);
        self.engine.trace().set_recording(recording);
        let text = result?;
        (self.emit)(Event::Evaluated { id, text });
        Ok(())
    }
}
