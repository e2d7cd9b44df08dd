//! The steps of a run: what each came to, and the ones that are kept, so that they can be put on stage again.
//!
//! A step ends where the learner's code begins the forward pass after a `backward()`. The engine then hands over
//! the steps that are to be kept ([`Engine::keep_step`]) with their nodes and values; the decision falls at the
//! end of their `backward()`. Kept are the first and the last step, every n-th one, and those where loss or
//! gradient jumped. Invariant: they hold at most [`RUN_BYTES`]; as a run grows, n doubles.

mod jumps;
mod kept;
mod numbers;

use std::cell::{Cell, Ref, RefCell};
use std::collections::{HashMap, HashSet};

use glowgrad::explain::StepRecord;
use glowgrad::graph::EndedStep;
use glowgrad::node::{NodeRef, Span};
use glowgrad::op::Attr;
use glowgrad::ops::cat;
use glowgrad::trace::NodeId;
use glowgrad::{Device, Engine, Tensor};

use self::jumps::Jumps;
use self::kept::{KeptSteps, RUN_BYTES};
use self::numbers::{gradient_norm, number_of};
use crate::call_site::{NumberedCallSite, numbered};
use crate::protocol::{KeptReason, KeptStep, RunSteps, StepPoint};
use crate::stage::{Recorded, Staged, with_current};

/// Points that are sent together.
const BATCH: usize = 64;
/// Losses on a GPU that are read together.
const READ_TOGETHER: usize = 32;
/// After how many steps `lab.train` has Python run one, at least and as a share of those before.
const REPLAYED: (u32, u32) = (32, 4);

/// The run whose steps can be opened, and the one that the running command may become.
#[derive(Default)]
pub(crate) struct Steps {
    shown: RefCell<Run>,
    fresh: RefCell<Run>,
    /// The steps of the last command, where they are no run, while a forward pass has taken their place.
    aside: RefCell<Run>,
    /// Where the last command's last step with a `backward()` is, if a forward pass has taken its place.
    lit: Cell<Option<Lit>>,
    /// The running command ends after this step.
    until: Cell<Option<u32>>,
}

/// Which steps have the lit one.
#[derive(Clone, Copy)]
enum Lit {
    Shown,
    Aside,
}

/// The steps of one command.
#[derive(Default)]
pub(crate) struct Run {
    /// How many there are.
    n: u32,
    /// The engine's number of the last one that it recorded.
    number: Option<u32>,
    /// The place of the last one in the run, while the engine still has it.
    current: Option<u32>,
    waiting: Vec<StepPoint>,
    /// Losses on a GPU that were not read yet, with the place of their step.
    unread: Vec<(u32, NodeRef)>,
    jumps: [Jumps; 2],
    /// Steps that the engine is to hand over.
    decided: Vec<Decided>,
    kept: KeptSteps,
    /// The lines that called `backward()`.
    lines: HashSet<Span>,
    /// The next step that `lab.train` has Python run; none where no step has run by itself.
    next_seen: Option<u32>,
    /// The first node after the walk before the last one, and after the last one.
    since: [NodeId; 2],
    /// Names of the last step's tensors, by where the code makes them.
    pub(crate) names: HashMap<NumberedCallSite, String>,
}

/// A step that is to be kept.
struct Decided {
    /// The engine's number of it.
    number: u32,
    place: u32,
    reason: KeptReason,
    /// The first node after the walk before this step's: leaves that are older were there before it.
    since: NodeId,
}

impl Steps {
    /// A command begins; it ends after step `until`, where one is given.
    pub(crate) fn begin(&self, engine: &Engine, until: Option<u32>) {
        self.collect(engine);
        self.until.set(until);
        self.lit.set(None);
        self.aside.take().forget(engine);
        let fresh = Run {
            since: [engine.next_node_id(); 2],
            ..Run::default()
        };
        self.fresh.replace(fresh).forget(engine);
    }

    /// Whether the command has come to the step after which it ends.
    pub(crate) fn is_reached(&self) -> bool {
        let n = self.fresh.borrow().n;
        self.until.get().is_some_and(|until| n >= until)
    }

    /// A `backward()` has ended.
    pub(crate) fn backward_ended(&self, engine: &Engine) {
        if !engine.trace().is_recording() || engine.is_capturing() {
            return;
        }
        let number = engine.with_step(|step| step.number);
        self.fresh.borrow_mut().let_last_go(number);
        self.collect(engine);
        let recording = engine.trace().set_recording(false);
        let was_run = self.fresh.borrow().is_run();
        self.fresh.borrow_mut().backward_ended(engine);
        engine.trace().set_recording(recording);
        if !was_run && self.fresh.borrow().is_run() {
            self.shown.take().forget(engine);
        }
    }

    /// Steps that ran by themselves have ended with these losses.
    pub(crate) fn replayed(&self, losses: &[f64]) {
        let mut run = self.fresh.borrow_mut();
        run.set_next_seen();
        for &loss in losses {
            run.n += 1;
            run.current = None;
            let point = StepPoint {
                step: run.n,
                loss: Some(loss),
                gradient: None,
            };
            run.waiting.push(point);
        }
    }

    /// How many steps may run by themselves, where so many have run since the last that was told of, before one
    /// that is to be seen.
    pub(crate) fn n_unseen(&self, waiting: u32) -> u32 {
        let run = self.fresh.borrow();
        let next = run.next_seen.unwrap_or_else(|| next_seen(run.n));
        let next = self.until.get().unwrap_or(u32::MAX).min(next);
        next.saturating_sub(run.n + waiting + 1)
    }

    /// Points to send: in batches while a command runs, and the rest at its end.
    pub(crate) fn points(&self, engine: &Engine, ended: bool) -> Vec<StepPoint> {
        let mut run = self.fresh.borrow_mut();
        if ended {
            let recording = engine.trace().set_recording(false);
            run.read(engine);
            engine.trace().set_recording(recording);
        }
        let is_due = ended || run.waiting.len() >= BATCH;
        match is_due && run.is_run() {
            true => std::mem::take(&mut run.waiting),
            false => Vec::new(),
        }
    }

    /// The command has ended: what can be opened of its run, if it was one.
    pub(crate) fn end(&self, engine: &Engine) -> Option<RunSteps> {
        self.collect(engine);
        let mut run = self.fresh.take();
        // A forward pass after it has taken its place.
        let is_past = run.number != Some(engine.with_step(|step| step.number));
        let is_lit = is_past && run.kept.find(run.n).is_some();
        if !run.is_run() {
            engine.keep_step(false);
            match is_lit {
                true => self.aside.replace(run).forget(engine),
                false => run.forget(engine),
            }
            self.lit.set(is_lit.then_some(Lit::Aside));
            return None;
        }
        if is_past {
            run.current = None;
        }
        self.lit.set(is_lit.then_some(Lit::Shown));
        if let (Some(number), Some(place)) = (run.number, run.current) {
            engine.keep_step(true);
            run.decided.retain(|decided| decided.number != number);
            run.decide(number, place, KeptReason::Last);
        }
        let summary = run.summary();
        self.shown.replace(run).forget(engine);
        Some(summary)
    }

    /// Takes the steps that have ended from the engine.
    fn collect(&self, engine: &Engine) {
        for ended in engine.take_ended_steps() {
            let mut ended = Some(ended);
            for run in [&self.fresh, &self.shown] {
                if let Some(step) = ended.take() {
                    ended = run.borrow_mut().take(engine, step);
                }
            }
            if let Some(step) = ended {
                engine.forget_step(step);
            }
        }
    }

    /// Looks at a step of the run that is shown; none where it is not kept.
    pub(crate) fn with_step<T>(
        &self,
        engine: &Engine,
        place: u32,
        look: impl FnOnce(&Recorded<'_>, &Run) -> T,
    ) -> Option<T> {
        let run = self.shown.borrow();
        if let Some(kept) = run.kept.find(place) {
            return Some(look(&kept.recorded(), &run));
        }
        if run.current != Some(place) || run.number != Some(engine.with_step(|step| step.number)) {
            return None;
        }
        Some(with_current(engine, |current| look(current, &run)))
    }

    fn lit_run(&self) -> Option<Ref<'_, Run>> {
        Some(match self.lit.get()? {
            Lit::Shown => self.shown.borrow(),
            Lit::Aside => self.aside.borrow(),
        })
    }

    /// Looks at the last step of the last command with a `backward()`, where a forward pass has taken its place.
    pub(crate) fn with_lit<T>(&self, look: impl FnOnce(&Recorded<'_>) -> T) -> Option<T> {
        let run = self.lit_run()?;
        let kept = run.kept.find(run.n)?;
        Some(look(&kept.recorded()))
    }

    /// Looks at the engine's number of that step and what it scheduled, if it has this number.
    pub(crate) fn lit_record<T>(
        &self,
        number: u32,
        look: impl FnOnce(u32, &StepRecord) -> T,
    ) -> Option<T> {
        let run = self.lit_run()?;
        let kept = run.kept.find(run.n)?;
        kept.record(number).map(|record| look(number, record))
    }

    /// The places of the steps that can be opened, in order.
    pub(crate) fn places(&self) -> Vec<u32> {
        let run = self.shown.borrow();
        run.summary().kept.iter().map(|kept| kept.step).collect()
    }

    /// How many steps the run has that is shown.
    pub(crate) fn n(&self) -> u32 {
        self.shown.borrow().n
    }

    /// Notes the names in the picture of the last step, for the steps before it: variables hold its tensors.
    pub(crate) fn name(&self, staged: &Staged) {
        let mut run = self.shown.borrow_mut();
        if run.number != Some(staged.graph.step) {
            return;
        }
        let nodes = &staged.values[..staged.graph.n_with_values()];
        let names = numbered(nodes).zip(&staged.graph.nodes);
        let names = names.filter_map(|((place, _), node)| Some((place, node.name.clone()?)));
        run.names = names.collect();
    }
}

impl Run {
    /// Whether a line called `backward()` again, or steps ran by themselves: calls here and there are no run.
    fn is_run(&self) -> bool {
        self.n as usize > self.lines.len()
    }

    /// A step with this number has its `backward()`: the one before it, which was kept as the last, is so no more.
    fn let_last_go(&mut self, number: u32) {
        let stays = |decided: &Decided| {
            decided.number == number || !matches!(decided.reason, KeptReason::Last)
        };
        self.decided.retain(stays);
    }

    fn backward_ended(&mut self, engine: &Engine) {
        let (number, root) = engine.with_step(|step| (step.number, step.roots.last().cloned()));
        let is_new = self.number != Some(number);
        if is_new {
            self.n += 1;
            self.since[0] = self.since[1];
            self.lines.insert(engine.span());
        }
        self.since[1] = engine.next_node_id();
        (self.number, self.current) = (Some(number), Some(self.n));
        let on_host = root
            .as_ref()
            .is_some_and(|root| root.device == Device::FIRST);
        let point = StepPoint {
            step: self.n,
            loss: root
                .as_ref()
                .filter(|_| on_host)
                .and_then(|root| number_of(engine, root)),
            gradient: on_host.then(|| gradient_norm(engine)).flatten(),
        };
        if let Some(root) = root.filter(|root| !on_host && root.numel() == 1) {
            self.unread.push((self.n, root));
        }
        if self.unread.len() >= READ_TOGETHER {
            self.read(engine);
        }
        // Of steps that mostly run by themselves, this one was run to be seen.
        let is_seen = self.next_seen.take().is_some();
        let reason = match () {
            () if self.n == 1 => KeptReason::First,
            () if self.jumped(&point) && is_new => KeptReason::Jump,
            () if (self.n - 1).is_multiple_of(self.kept.every) => KeptReason::Spaced,
            () if is_seen => KeptReason::Spaced,
            // Until the next one.
            () => KeptReason::Last,
        };
        if is_new {
            engine.keep_step(true);
            self.decide(number, self.n, reason);
        }
        // A second walk over a step brings its numbers up to date.
        match self.waiting.last_mut().filter(|last| last.step == self.n) {
            Some(last) => *last = point,
            None => self.waiting.push(point),
        }
    }

    fn decide(&mut self, number: u32, place: u32, reason: KeptReason) {
        let since = self.since[0];
        self.decided.push(Decided {
            number,
            place,
            reason,
            since,
        });
    }

    /// Decides which step `lab.train` has Python run next, unless that is decided.
    fn set_next_seen(&mut self) {
        let next = next_seen(self.n);
        self.next_seen.get_or_insert(next);
    }

    /// Whether loss or gradient changed as they had not before.
    fn jumped(&mut self, point: &StepPoint) -> bool {
        let numbers = [point.loss, point.gradient];
        let changes = self.jumps.iter_mut().zip(numbers);
        // Each is asked, since each remembers.
        changes.fold(false, |any, (jumps, number)| {
            number.is_some_and(|number| jumps.take(number)) | any
        })
    }

    /// Reads losses that lie on a GPU, all at once.
    fn read(&mut self, engine: &Engine) {
        let unread = std::mem::take(&mut self.unread);
        if unread.is_empty() {
            return;
        }
        let tensors = unread.iter().map(|(_, node)| {
            Tensor::from_node(engine, node.clone())
                .detach()
                .reshape(&[])
        });
        let along = [Attr::Int(0)].into_iter().collect();
        let losses = tensors
            .collect::<glowgrad::Result<Vec<Tensor>>>()
            .and_then(|tensors| Tensor::apply(engine, &cat::STACK, &tensors, along))
            .and_then(|all| all.to_f64());
        for ((place, _), loss) in unread.iter().zip(losses.unwrap_or_default()) {
            let point = self.waiting.iter_mut().find(|point| point.step == *place);
            if let Some(point) = point {
                point.loss = Some(loss);
            }
        }
    }

    /// Takes a step that has ended, if it is one of this run.
    fn take(&mut self, engine: &Engine, ended: EndedStep) -> Option<EndedStep> {
        let is_of = |decided: &Decided| decided.number == ended.step.number;
        let Some(at) = self.decided.iter().position(is_of) else {
            return Some(ended);
        };
        let Decided {
            number,
            place,
            reason,
            since,
        } = self.decided.remove(at);
        if self.number == Some(number) {
            self.current = None;
        }
        self.kept.add(engine, place, reason, ended, since);
        None
    }

    fn summary(&self) -> RunSteps {
        let mut kept = self.kept.list();
        // The last one is the engine's until the next begins.
        kept.extend(self.current.map(|step| KeptStep {
            step,
            reason: KeptReason::Last,
        }));
        kept.sort_by_key(|kept| kept.step);
        RunSteps {
            steps: self.n,
            kept,
            every: self.kept.every,
            bytes: self.kept.bytes() as f64,
            budget: RUN_BYTES as f64,
        }
    }

    fn forget(self, engine: &Engine) {
        self.kept.forget(engine);
    }
}

/// The step after one that Python ran that it runs again.
fn next_seen(seen: u32) -> u32 {
    let (least, share) = REPLAYED;
    seen.saturating_add(least.max(seen / share))
}
