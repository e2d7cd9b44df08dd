//! The step on stage: what a picture of it may show, within a budget of bytes.
//!
//! While the trace records, a step keeps the structure of what the learner called: the nodes and their
//! sources. The values that nothing else needs stay within [`STEP_BYTES`]: beyond it the engine drops the
//! oldest, first those that their sources can give again. So a loop of any length, with or without
//! `backward()`, holds a bounded amount beside what its variables hold.

use std::cell::{Cell, RefCell};
#[cfg(feature = "full")]
use std::collections::HashMap;
use std::rc::Rc;

#[cfg(feature = "full")]
use super::{Dying, References};
use super::{Engine, NodeRef, Observer};
use crate::trace::{Event, NodeId, Trace};

/// Most bytes of values that a step keeps for the stage alone: 32 MiB.
pub const STEP_BYTES: usize = 32 << 20;

/// The engine looks for values to drop each time it has allocated as many bytes.
const TRIM_EVERY: usize = STEP_BYTES / 4;

/// Most nodes pinned for the stage in one step.
const MAX_STEP_NODES: usize = 4096;

/// What the stage may show: the nodes of the current step, kept alive.
#[derive(Default)]
pub struct Step {
    /// Which one, counted from 1.
    pub number: u32,
    /// The learner's calls and the leaves they read, oldest first.
    pub made: Vec<NodeRef>,
    /// How many calls were made before those, since the last [`Step::count_left_from`], and are kept no more.
    pub n_left: Cell<usize>,
    left_from: Cell<NodeId>,
    /// Gradients that the events name.
    pub gradients: Vec<NodeRef>,
    /// Where `backward()` was called, in order.
    pub roots: Vec<NodeRef>,
    /// Whether a `backward()` has ended.
    pub has_backward: bool,
    /// Its first call: what was made before is data that it reads.
    pub first: NodeId,
    /// The first node after the last walk.
    backward_end: NodeId,
    /// What the picture on stage was made from, of this step or an earlier one.
    pub staged: Vec<NodeRef>,
    /// Whether it is kept when the next one begins.
    #[cfg(feature = "full")]
    is_kept: bool,
}

/// A step that has ended and is kept: its nodes with their values, and what happened on them.
#[cfg(feature = "full")]
pub struct EndedStep {
    /// The step, with nothing staged.
    pub step: Step,
    /// Its events, without those of kernels and memory.
    pub events: Vec<Event>,
    /// What it scheduled.
    #[cfg(feature = "explain")]
    pub record: super::record::StepRecord,
}

impl Step {
    /// Has `n_left` count calls from this node on.
    pub fn count_left_from(&self, node: NodeId) {
        self.n_left.set(0);
        self.left_from.set(node);
    }

    /// Whether a call looks at what the step has computed, such as an element of its result: it reads that alone, and
    /// no weight. The next forward pass begins with weights.
    fn goes_on(&self, call: &NodeRef) -> bool {
        let sources = call.src.borrow();
        let is_own = |source: &NodeRef| {
            let at = self.made.binary_search_by_key(&source.id, |node| node.id);
            at.is_ok() && !source.src.borrow().is_empty()
        };
        let mut graded = sources.iter().filter(|source| source.needs_grad);
        graded.next().is_some_and(is_own) && graded.all(is_own)
    }
}

#[cfg(feature = "full")]
impl Step {
    fn lists(&self) -> impl Iterator<Item = &NodeRef> {
        let lists = [&self.made, &self.gradients, &self.roots, &self.staged];
        lists.into_iter().flatten()
    }
}

/// What an engine remembers of what it did.
pub(crate) struct Recorder {
    pub(crate) trace: Trace,
    pub(crate) clock: Option<fn() -> u64>,
    pub(crate) step: RefCell<Step>,
    #[cfg(feature = "full")]
    ended: RefCell<Vec<EndedStep>>,
    /// Bytes allocated since the step's values were last brought within their budget.
    since_trim: Cell<usize>,
    pub(crate) observer: RefCell<Option<Rc<dyn Observer>>>,
    #[cfg(feature = "explain")]
    pub(crate) record: super::record::Record,
    #[cfg(feature = "explain")]
    pub(super) failure: RefCell<Option<super::failure::Failure>>,
    #[cfg(feature = "explain")]
    pub(super) n_failures: Cell<u32>,
}

impl Recorder {
    pub(super) fn new(clock: Option<fn() -> u64>) -> Recorder {
        Recorder {
            trace: Trace::default(),
            clock,
            step: RefCell::new(Step {
                number: 1,
                ..Step::default()
            }),
            #[cfg(feature = "full")]
            ended: RefCell::default(),
            since_trim: Cell::default(),
            observer: RefCell::default(),
            #[cfg(feature = "explain")]
            record: Default::default(),
            #[cfg(feature = "explain")]
            failure: RefCell::default(),
            #[cfg(feature = "explain")]
            n_failures: Cell::default(),
        }
    }
}

impl Engine {
    /// The event stream.
    pub fn trace(&self) -> &Trace {
        &self.0.recorder.trace
    }

    /// Whether what runs is noted, to run again later.
    pub fn is_capturing(&self) -> bool {
        self.0.recorder.observer.borrow().is_some()
    }

    /// Ends the capture, because what runs next could not run again; `why` says what that is. The step itself goes on.
    pub fn stop_capturing(&self, why: &str) {
        let observer = self.0.recorder.observer.take();
        if let Some(observer) = observer {
            observer.stopped(why, self.0.position.span.get().line);
        }
    }

    /// Runs something that is not noted, inside of what is.
    #[cfg(feature = "full")]
    pub(crate) fn unnoted<T>(&self, run: impl FnOnce() -> T) -> T {
        let observer = self.0.recorder.observer.take();
        let result = run();
        *self.0.recorder.observer.borrow_mut() = observer;
        result
    }

    /// Tells the observer, if there is one.
    #[cfg(feature = "full")]
    pub(crate) fn observe(&self, tell: impl FnOnce(&dyn Observer)) {
        let observer = self.0.recorder.observer.borrow().clone();
        if let Some(observer) = observer {
            tell(&*observer);
        }
    }

    /// Whether a node's value comes from what is observed, so that nothing may wait for it.
    #[cfg(feature = "full")]
    pub(crate) fn is_observed(&self, node: &NodeRef) -> bool {
        let observer = self.0.recorder.observer.borrow().clone();
        let Some(observer) = observer else {
            return false;
        };
        let value = self.base(node).and_then(|(base, _)| base.value());
        value.is_none_or(|value| observer.has_written(&value))
    }

    /// Looks at the step on stage.
    pub fn with_step<T>(&self, look: impl FnOnce(&Step) -> T) -> T {
        look(&self.0.recorder.step.borrow())
    }

    /// Keeps what a picture was made from instead of what the last one was; its values count as the step's.
    pub fn set_staged(&self, nodes: Vec<NodeRef>) {
        let old = std::mem::replace(&mut self.0.recorder.step.borrow_mut().staged, nodes);
        drop(old);
    }

    /// Begins the next step. The one on stage is forgotten, unless it is to be kept: see [`Engine::keep_step`].
    pub fn begin_step(&self) {
        self.begin_step_with(Vec::new(), 0);
    }

    /// Takes what was made since the backward pass out of the step on stage: data of the next one, such as a batch.
    fn made_after_walk(&self) -> Vec<NodeRef> {
        let mut step = self.0.recorder.step.borrow_mut();
        let end = step.backward_end;
        let at = step.made.partition_point(|node| node.id < end);
        step.made.split_off(at)
    }

    fn begin_step_with(&self, made: Vec<NodeRef>, first: NodeId) {
        let old = {
            let mut step = self.0.recorder.step.borrow_mut();
            let number = step.number + 1;
            let staged = std::mem::take(&mut step.staged);
            let next = Step {
                number,
                first,
                made,
                staged,
                ..Step::default()
            };
            std::mem::replace(&mut *step, next)
        };
        #[cfg(feature = "full")]
        if old.is_kept {
            old.made.iter().for_each(|node| node.is_kept.set(true));
            let ended = EndedStep {
                step: old,
                events: self.0.recorder.trace.structure(),
                #[cfg(feature = "explain")]
                record: self.0.recorder.record.step.take(),
            };
            self.0.recorder.ended.borrow_mut().push(ended);
            self.0.recorder.trace.begin_step();
            return;
        }
        #[cfg(feature = "explain")]
        drop(self.0.recorder.record.step.take());
        self.leave_stage(old.made);
        drop((old.gradients, old.roots));
        // What the last step kept goes before the trace of this one begins.
        self.0.recorder.trace.begin_step();
    }

    /// Keeps the step on stage when the next one begins, or forgets it then.
    #[cfg(feature = "full")]
    pub fn keep_step(&self, keep: bool) {
        self.0.recorder.step.borrow_mut().is_kept = keep;
    }

    /// The steps that were kept since the last call, oldest first. Each is given back with [`Engine::forget_step`].
    #[cfg(feature = "full")]
    pub fn take_ended_steps(&self) -> Vec<EndedStep> {
        self.0.recorder.ended.take()
    }

    /// Forgets a step that was kept, as the next step would have done.
    #[cfg(feature = "full")]
    pub fn forget_step(&self, ended: EndedStep) {
        let made = ended.step.made;
        made.iter().for_each(|node| node.is_kept.set(false));
        self.leave_stage(made);
    }

    /// Drops the values of nodes that can compute them again, with what they are written in.
    #[cfg(feature = "full")]
    pub fn drop_values(&self, nodes: &[NodeRef]) {
        let again = nodes.iter().filter(|node| !node.src.borrow().is_empty());
        // Memory goes back when no node is borrowed.
        let parts = |node: &NodeRef| {
            let value = node.value.borrow_mut().take();
            (value, node.lowered.borrow_mut().take())
        };
        let dropped: Vec<_> = again.map(parts).collect();
        drop(dropped);
    }

    /// Lets nodes go that the stage has kept: a chain of values that one tensor still holds, such as
    /// a running total, must not keep its past alive.
    fn leave_stage(&self, nodes: Vec<NodeRef>) {
        for node in &nodes {
            if node.has_value() {
                self.release_sources(node);
            }
            self.release(node);
        }
    }

    /// Records a call of the learner's.
    pub(crate) fn made(&self, node: &NodeRef) {
        if !self.0.recorder.trace.is_recording() {
            return;
        }
        let begins = {
            let step = self.0.recorder.step.borrow();
            step.has_backward
                && node.needs_grad
                && !node.src.borrow().is_empty()
                // The landing page's program ends with its walk.
                && !(cfg!(feature = "full") && step.goes_on(node))
        };
        if begins {
            self.begin_step_with(self.made_after_walk(), node.id);
        }
        let left = {
            let mut step = self.0.recorder.step.borrow_mut();
            step.made.push(node.clone());
            let left = oldest_half(&mut step.made, MAX_STEP_NODES);
            let is_counted = |node: &&NodeRef| node.id >= step.left_from.get();
            let n_counted = left.iter().filter(is_counted).count();
            step.n_left.set(step.n_left.get() + n_counted);
            left
        };
        self.leave_stage(left);
        self.0
            .recorder
            .trace
            .record(|| Event::Made { node: node.id });
    }

    /// Puts a leaf on stage in the place of another.
    pub(crate) fn remake(&self, old: &NodeRef, new: &NodeRef) {
        let mut step = self.0.recorder.step.borrow_mut();
        if let Ok(at) = step.made.binary_search_by_key(&old.id, |n| n.id) {
            let old = step.made.remove(at);
            step.made.push(new.clone());
            drop(step);
            self.0.recorder.trace.forget_made(old.id);
            self.0
                .recorder
                .trace
                .record(|| Event::Made { node: new.id });
        }
    }

    /// Keeps a gradient for the stage.
    pub(crate) fn keep_gradient(&self, node: &NodeRef) {
        if self.0.recorder.trace.is_recording() {
            let mut step = self.0.recorder.step.borrow_mut();
            step.gradients.push(node.clone());
            let left = oldest_half(&mut step.gradients, 2 * MAX_STEP_NODES);
            drop(step);
            drop(left);
        }
    }

    /// Records that a backward pass from these nodes has ended.
    pub(crate) fn backward_ended(&self, ends: Vec<NodeRef>) {
        if self.0.recorder.trace.is_recording() {
            let mut step = self.0.recorder.step.borrow_mut();
            step.has_backward = true;
            step.backward_end = self.next_node_id();
            let known = |end: &NodeRef| step.roots.iter().any(|root| root.id == end.id);
            let new: Vec<NodeRef> = ends.into_iter().filter(|end| !known(end)).collect();
            step.roots.extend(new);
        }
    }

    /// Counts an allocation for [`Engine::trim_if_due`].
    pub(crate) fn count_allocated(&self, bytes: usize) {
        let allocated = self.0.recorder.since_trim.get().saturating_add(bytes);
        self.0.recorder.since_trim.set(allocated);
    }

    /// Keeps the step's values within their budget, if enough was allocated since the last time.
    pub(crate) fn trim_if_due(&self) {
        if self.0.recorder.since_trim.get() >= TRIM_EVERY {
            self.trim_step(STEP_BYTES);
        }
    }

    /// The landing page's engine runs one small graph, far below the budget.
    #[cfg(not(feature = "full"))]
    pub fn trim_step(&self, _: usize) {
        self.0.recorder.since_trim.set(0);
    }

    /// Drops values that the stage alone keeps until they have at most `budget` bytes.
    #[cfg(feature = "full")]
    pub fn trim_step(&self, budget: usize) {
        self.0.recorder.since_trim.set(0);
        if self.0.modes.retain_sources.get() || self.is_capturing() {
            return;
        }
        let only = self.only_on_stage();
        let mut left: usize = only.iter().map(|(bytes, _)| bytes).sum();
        let mut dropped = Vec::new();
        for (bytes, nodes) in only {
            if left <= budget {
                break;
            }
            left -= bytes;
            dropped.extend(nodes.iter().map(|node| node.value.borrow_mut().take()));
        }
        // Memory goes back when no node is borrowed.
        drop(dropped);
    }

    /// The values that the stage alone keeps, in the order in which they are to go: their bytes, and the
    /// nodes that share them.
    #[cfg(feature = "full")]
    fn only_on_stage(&self) -> Vec<(usize, Vec<NodeRef>)> {
        let step = self.0.recorder.step.borrow();
        let mut dying = Dying::new(References::all());
        step.lists().for_each(|node| dying.lose(node));
        // Sources that a node keeps for the picture's sake.
        let made = step.made.iter().filter(|node| node.has_value());
        for node in made.filter(|node| self.releases_sources_off_stage(node)) {
            dying.lose_sources(node);
        }
        let mut values: HashMap<u64, (usize, Vec<NodeRef>)> = HashMap::new();
        for node in dying.into_parts().1 {
            let Some((id, bytes)) = node.value.borrow().as_ref().map(|b| (b.id(), b.bytes()))
            else {
                continue;
            };
            let (_, nodes) = values.entry(id).or_insert((bytes, Vec::new()));
            nodes.push(node);
        }
        let is_sole = |nodes: &[NodeRef]| {
            let value = nodes[0].value.borrow();
            value.as_ref().is_some_and(|b| b.n_holders() == nodes.len())
        };
        let mut only: Vec<(usize, Vec<NodeRef>)> = values
            .into_values()
            .filter(|(_, nodes)| is_sole(nodes))
            .collect();
        let order = |nodes: &[NodeRef]| -> (bool, NodeId) {
            let is_source = nodes.iter().all(|node| node.src.borrow().is_empty());
            (
                is_source,
                nodes.iter().map(|node| node.id).max().unwrap_or(0),
            )
        };
        only.sort_by_cached_key(|(_, nodes)| order(nodes));
        only
    }
}

/// Takes the older half out of a list that has grown beyond `most`.
fn oldest_half(nodes: &mut Vec<NodeRef>, most: usize) -> Vec<NodeRef> {
    match nodes.len() > most {
        true => nodes.drain(..most / 2).collect(),
        false => Vec::new(),
    }
}
