//! The steps of a run that are kept, within a budget of bytes.

use std::collections::{HashMap, HashSet};

use glowgrad::Engine;
use glowgrad::explain::StepRecord;
use glowgrad::graph::EndedStep;
use glowgrad::node::NodeRef;
use glowgrad::trace::NodeId;

use crate::protocol::{KeptReason, KeptStep};
use crate::stage::Recorded;

/// Most bytes that the kept steps of a run hold: 48 MiB of values and of the nodes themselves.
pub(super) const RUN_BYTES: usize = 48 << 20;
/// Most steps kept at even distances, and most that jumped.
const MOST_SPACED: usize = 128;
const MOST_JUMPS: usize = 32;
/// Bytes that a node counts for, beside its value.
const NODE_BYTES: usize = 1 << 10;
/// Most nodes that are counted of a step.
const MOST_COUNTED: usize = 1 << 16;
/// The kept steps of a run, oldest first.
pub(super) struct KeptSteps {
    steps: Vec<Kept>,
    /// Every how many steps one is kept.
    pub(super) every: u32,
    held: Holdings,
}

impl Default for KeptSteps {
    fn default() -> KeptSteps {
        KeptSteps {
            steps: Vec::new(),
            every: 1,
            held: Holdings::default(),
        }
    }
}

/// A step that is kept.
pub(super) struct Kept {
    place: u32,
    reason: KeptReason,
    step: EndedStep,
    values: Vec<(u64, usize)>,
    n_nodes: usize,
}

/// Bytes of the kept steps: memory that several of them share counts once.
#[derive(Default)]
struct Holdings {
    sharers: HashMap<u64, usize>,
    bytes: usize,
}

impl KeptSteps {
    /// Keeps a step; leaves that are older than `since` were there before it. What has no room any more is given
    /// back to the engine.
    pub(super) fn add(
        &mut self,
        engine: &Engine,
        place: u32,
        reason: KeptReason,
        step: EndedStep,
        since: NodeId,
    ) {
        let (values, n_nodes) = holdings(&step, since);
        self.held.add(&values, n_nodes);
        // The budget counts no records, and only that of the last step is shown.
        if let Some(last) = self.steps.last_mut() {
            last.step.record = StepRecord::default();
        }
        self.steps.push(Kept {
            place,
            reason,
            step,
            values,
            n_nodes,
        });
        self.keep_within_budget(engine);
    }

    /// The step at this place of the run.
    pub(super) fn find(&self, place: u32) -> Option<&Kept> {
        self.steps.iter().find(|kept| kept.place == place)
    }

    pub(super) fn list(&self) -> Vec<KeptStep> {
        let kept = self.steps.iter().map(|kept| KeptStep {
            step: kept.place,
            reason: kept.reason,
        });
        kept.collect()
    }

    /// Bytes that they hold.
    pub(super) fn bytes(&self) -> usize {
        self.held.bytes
    }

    /// Gives all of them back.
    pub(super) fn forget(self, engine: &Engine) {
        for kept in self.steps {
            engine.forget_step(kept.step);
        }
    }

    fn keep_within_budget(&mut self, engine: &Engine) {
        loop {
            let count = |reason| {
                self.steps
                    .iter()
                    .filter(|kept| kept.reason == reason)
                    .count()
            };
            let (n_spaced, n_jumps) = (count(KeptReason::Spaced), count(KeptReason::Jump));
            let is_over = self.held.bytes > RUN_BYTES;
            let first_jump = self
                .steps
                .iter()
                .position(|kept| kept.reason == KeptReason::Jump);
            let going: Vec<usize> = match () {
                () if n_spaced > MOST_SPACED || is_over && n_spaced > 0 => {
                    self.every = self.every.saturating_mul(2);
                    let every = self.every;
                    let goes = |(_, kept): &(usize, &Kept)| {
                        kept.reason == KeptReason::Spaced && !(kept.place - 1).is_multiple_of(every)
                    };
                    let all = self.steps.iter().enumerate();
                    all.filter(goes).map(|(at, _)| at).collect()
                }
                () if n_jumps > MOST_JUMPS || is_over && n_jumps > 0 => {
                    first_jump.into_iter().collect()
                }
                () if is_over && !self.steps.is_empty() => vec![0],
                () => return,
            };
            for at in going.into_iter().rev() {
                let gone = self.steps.remove(at);
                self.held.remove(&gone.values, gone.n_nodes);
                engine.forget_step(gone.step);
            }
        }
    }
}

impl Kept {
    /// What the step scheduled, if it is the engine's with this number.
    pub(super) fn record(&self, number: u32) -> Option<&StepRecord> {
        (self.step.step.number == number).then_some(&self.step.record)
    }

    pub(super) fn recorded(&self) -> Recorded<'_> {
        let EndedStep { step, events, .. } = &self.step;
        Recorded {
            number: step.number,
            first: step.first,
            made: &step.made,
            n_left: step.n_left.get(),
            gradients: &step.gradients,
            roots: &step.roots,
            events,
        }
    }
}

impl Holdings {
    fn add(&mut self, values: &[(u64, usize)], n_nodes: usize) {
        self.bytes += n_nodes * NODE_BYTES;
        for &(id, bytes) in values {
            let sharers = self.sharers.entry(id).or_insert(0);
            *sharers += 1;
            self.bytes += if *sharers == 1 { bytes } else { 0 };
        }
    }

    fn remove(&mut self, values: &[(u64, usize)], n_nodes: usize) {
        self.bytes -= n_nodes * NODE_BYTES;
        for &(id, bytes) in values {
            if let Some(sharers) = self.sharers.get_mut(&id) {
                *sharers -= 1;
                if *sharers == 0 {
                    self.sharers.remove(&id);
                    self.bytes -= bytes;
                }
            }
        }
    }
}

/// What a kept step holds: memory that is its own or that of other kept steps, and how many nodes.
fn holdings(ended: &EndedStep, older: NodeId) -> (Vec<(u64, usize)>, usize) {
    let step = &ended.step;
    let lists = [&step.made, &step.gradients, &step.roots];
    let mut stack: Vec<NodeRef> = lists.into_iter().flatten().cloned().collect();
    let mut nodes: HashSet<NodeId> = HashSet::new();
    let mut values: HashMap<u64, usize> = HashMap::new();
    while let Some(node) = stack.pop() {
        if nodes.len() >= MOST_COUNTED || !nodes.insert(node.id) {
            continue;
        }
        // Data that was there before the step is there without it too.
        let is_data = node.id < older && !node.needs_grad;
        if let Some(value) = node.value().filter(|_| !is_data) {
            values.insert(value.id(), value.bytes());
        }
        stack.extend(node.src());
    }
    (values.into_iter().collect(), nodes.len())
}
