//! Routines that take along what comes after them: an elementwise kernel that reads a routine's result, a
//! product of matrices say, becomes its epilogue where the device takes it, and the result itself is
//! stored nowhere.
//!
//! Invariant: only the kernel itself reads the routine's result. No tensor, no node outside the kernel and no
//! gradient rule reads it, or a value between it and the kernel's result.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::MAX_INPUTS;
use super::memory_plan::Key;
use super::plan::{Plan, Planner};
use crate::graph::{Held, NodeRef};
use crate::kernel::{Instr, Kernel, Routine, Work};
use crate::view::View;

/// A routine's item, and that of the kernel which alone reads its result.
struct Pair {
    routine: usize,
    reader: usize,
    /// Which input of the reader's item the result is.
    input: usize,
}

impl Planner<'_> {
    /// Joins each kernel to the routine whose result it reads, where that can be.
    pub(super) fn join_epilogues(&self, plan: &mut Plan, walked: &[NodeRef], held: &Held) {
        if !self.engine.0.modes.fusion.get() {
            return;
        }
        let mut pairs = self.pairs(plan);
        if pairs.is_empty() {
            return;
        }
        let (mut dying, _) = self.dying(plan, walked, held);
        // What the stage holds it shows, and computes when it is looked at: a lesson runs what runs elsewhere.
        let step = self.engine.0.recorder.step.borrow();
        let on_stage = step.made.iter().chain(&step.gradients).chain(&step.roots);
        on_stage.for_each(|node| dying.lose(node));
        drop(step);
        for pair in &pairs {
            dying.lose_unsaved(plan.stored_by(pair.reader), |node| {
                plan.stored.contains(&node)
            });
        }
        pairs.retain(|pair| dying.is_dead(plan.stored_by(pair.routine).id));
        drop(dying);
        let joined: FxHashSet<usize> = pairs.iter().map(|pair| pair.routine).collect();
        for pair in &pairs {
            plan.join(pair);
        }
        let stays = (0..plan.items.len()).map(|item| !joined.contains(&item));
        let stays: Vec<bool> = stays.collect();
        retain(&mut plan.items, &stays);
        plan.provenance.retain(&stays);
    }

    /// Routines whose results one elementwise kernel reads and nothing else in the plan.
    fn pairs(&self, plan: &Plan) -> Vec<Pair> {
        let routines: FxHashMap<Key, usize> = (0..plan.items.len())
            .filter(|&i| matches!(plan.items[i].work, Work::Routine(_)))
            .map(|i| (plan.items[i].outputs[0].key(), i))
            .collect();
        if routines.is_empty() {
            return Vec::new();
        }
        // In the order of the items: which one reads, and as which input, once for each reading.
        let mut readers: BTreeMap<usize, SmallVec<[(usize, usize); 2]>> = BTreeMap::new();
        for (reader, item) in plan.items.iter().enumerate() {
            for (input, slot) in item.inputs.iter().enumerate() {
                if let Some(&routine) = routines.get(&slot.key()) {
                    readers.entry(routine).or_default().push((reader, input));
                }
            }
        }
        let mut taken = FxHashSet::default();
        let mut pairs = Vec::new();
        for (routine, readings) in readers {
            let [(reader, input)] = readings[..] else {
                continue;
            };
            let pair = Pair {
                routine,
                reader,
                input,
            };
            if self.fits(plan, &pair) && taken.insert(reader) {
                pairs.push(pair);
            }
        }
        pairs
    }

    /// Whether the kernel computes each element from that one of the routine's result, and the device does
    /// both in one task.
    fn fits(&self, plan: &Plan, pair: &Pair) -> bool {
        let (first, then) = (&plan.items[pair.routine], &plan.items[pair.reader]);
        let (Work::Routine(routine), Work::Kernel(kernel)) = (&first.work, &then.work) else {
            return false;
        };
        let (node, end) = (plan.stored_by(pair.routine), plan.stored_by(pair.reader));
        kernel.reduce.is_none()
            && kernel.outputs.len() == 1
            && kernel.inputs[pair.input].view == View::contiguous(&kernel.shape)
            && node.numel() == end.numel()
            && node.device == end.device
            && first.inputs.len() + kernel.inputs.len() - 1 <= MAX_INPUTS
            && self
                .engine
                .backend(node.device)
                .takes_epilogue(routine, kernel)
    }
}

pub(super) fn retain<T>(list: &mut Vec<T>, stays: &[bool]) {
    let mut stays = stays.iter();
    list.retain(|_| stays.next() != Some(&false));
}

/// The kernel with this input as its first.
fn with_first(kernel: &Kernel, input: usize) -> Kernel {
    let mut kernel = kernel.clone();
    kernel.inputs[..=input].rotate_right(1);
    for instr in &mut kernel.code {
        if let Instr::Load { input: at } = instr {
            *at = match usize::from(*at) {
                here if here == input => 0,
                before if before < input => *at + 1,
                _ => *at,
            };
        }
    }
    kernel
}

impl Plan {
    /// Makes a kernel's item the one of both; the routine's own is to go.
    fn join(&mut self, pair: &Pair) {
        let (Work::Routine(routine), Work::Kernel(kernel)) = (
            &self.items[pair.routine].work,
            &self.items[pair.reader].work,
        ) else {
            return;
        };
        let joined = Routine::WithEpilogue {
            routine: Box::new(routine.clone()),
            epilogue: Rc::new(with_first(kernel, pair.input)),
        };
        let first = &mut self.items[pair.routine];
        let mut nodes = std::mem::take(&mut first.nodes);
        let mut inputs = std::mem::take(&mut first.inputs);
        for node in &nodes {
            self.slots.remove(node);
            self.stored.remove(node);
        }
        let reader = &mut self.items[pair.reader];
        nodes.append(&mut reader.nodes);
        reader.nodes = nodes;
        reader.inputs.remove(pair.input);
        inputs.append(&mut reader.inputs);
        reader.inputs = inputs;
        reader.work = Work::Routine(joined);
        self.provenance.join(pair.routine, pair.reader, pair.input);
    }
}
