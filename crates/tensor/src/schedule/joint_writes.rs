//! Kernels that write in place together: where one in-place write reads the result of another one element for
//! element, as an optimizer's new parameters read its new moments, one kernel stores both. What the two read is
//! read once.
//!
//! Invariant: between the two items no other one reads the first one's results.

use std::mem;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::epilogue::retain;
use super::memory_plan::{BufferSlot, Key, ScheduleItem};
use super::plan::{Plan, Planner};
use super::{MAX_INPUTS, MAX_INSTRS};
use crate::kernel::{Input, Instr, InstrIdx, Kernel, MAX_OUTPUTS, Work};
use crate::view::View;

/// Most buffers of one kernel, those that it writes among them.
const MAX_BUFFERS: usize = MAX_INPUTS + 1;

impl Planner<'_> {
    /// Joins kernels whose results are written in place, where one reads the other's.
    pub(super) fn join_writes(&self, plan: &mut Plan) {
        if plan.written.len() < 2 || !self.engine.0.modes.fusion.get() {
            return;
        }
        let mut uses = Uses::default();
        let mut joined: FxHashSet<usize> = FxHashSet::default();
        for at in 0..plan.items.len() {
            for slot in &plan.items[at].inputs {
                uses.first_reader.entry(slot.key()).or_insert(at);
            }
            while let Some(first) = self.joinable(plan, &uses, at) {
                plan.join_write(first, at);
                joined.insert(first);
                for slot in &plan.items[at].outputs {
                    // What one kernel computes it does not read.
                    uses.first_reader.remove(&slot.key());
                }
            }
            for slot in &plan.items[at].outputs {
                uses.writer.insert(slot.key(), at);
            }
        }
        if joined.is_empty() {
            return;
        }
        let stays = (0..plan.items.len()).map(|item| !joined.contains(&item));
        let stays: Vec<bool> = stays.collect();
        retain(&mut plan.items, &stays);
        plan.provenance.retain(&stays);
    }

    /// An item before this one that one kernel can compute together with it.
    fn joinable(&self, plan: &Plan, uses: &Uses, at: usize) -> Option<usize> {
        let item = &plan.items[at];
        if !plan.writes_in_place(item) {
            return None;
        }
        let device = plan.stored_by(at).device;
        let most = self.engine.backend(device).max_outputs().min(MAX_OUTPUTS);
        let inputs = item.inputs.iter();
        let mut sources = inputs.filter_map(|slot| uses.writer.get(&slot.key()).copied());
        sources.find(|&source| {
            let first = &plan.items[source];
            let is_unread = |slot: &BufferSlot| {
                let first_reader = uses.first_reader.get(&slot.key());
                first_reader.is_none_or(|&reader| reader == at)
            };
            plan.stored_by(source).device == device
                && plan.writes_in_place(first)
                && first.outputs.iter().all(is_unread)
                && fits(first, item, most)
        })
    }
}

/// What writes each slot so far, and what reads it first.
#[derive(Default)]
struct Uses {
    writer: FxHashMap<Key, usize>,
    first_reader: FxHashMap<Key, usize>,
}

/// Whether the second kernel reads the first one's results element for element, and one kernel has room for both.
fn fits(first: &ScheduleItem, second: &ScheduleItem, max_outputs: usize) -> bool {
    let (Some(a), Some(b)) = (elementwise(first), elementwise(second)) else {
        return false;
    };
    let is_result = |slot: &BufferSlot| first.outputs.iter().any(|output| output.is(slot));
    let whole = View::contiguous(&b.shape);
    let mut inputs: SmallVec<[(Key, &Input); 8]> = SmallVec::new();
    let of_a = first.inputs.iter().zip(&a.inputs);
    for (slot, input) in of_a.chain(second.inputs.iter().zip(&b.inputs)) {
        let read = (slot.key(), input);
        if is_result(slot) && input.view != whole {
            return false;
        }
        if !is_result(slot) && !inputs.contains(&read) {
            inputs.push(read);
        }
    }
    let n_outputs = first.outputs.len() + second.outputs.len();
    a.shape == b.shape
        && n_outputs <= max_outputs
        && inputs.len() + n_outputs <= MAX_BUFFERS
        && a.code.len() + b.code.len() <= MAX_INSTRS
}

/// The kernel of an item, if it computes element for element.
fn elementwise(item: &ScheduleItem) -> Option<&Rc<Kernel>> {
    match &item.work {
        Work::Kernel(kernel) if kernel.reduce.is_none() => Some(kernel),
        _ => None,
    }
}

/// Two kernels as one.
struct Joint {
    kernel: Kernel,
    slots: Vec<BufferSlot>,
    /// For each of its inputs and instructions, whose it was: of the first or of the second kernel, and which.
    inputs: Vec<Part>,
    instrs: Vec<Part>,
}

/// Something of one of two kernels: whether of the second one, and its number there.
pub(super) type Part = (bool, usize);

impl Joint {
    /// The second kernel reads results of the first one: from where they are computed.
    fn of(first: &ScheduleItem, a: &Kernel, second: &ScheduleItem, b: &Kernel) -> Joint {
        let mut joint = Joint {
            kernel: Kernel {
                shape: b.shape.clone(),
                inputs: Vec::new(),
                args: [&a.args[..], &b.args].concat(),
                fixed: [a, b].map(is_fixed).concat(),
                code: Vec::new(),
                dtypes: Vec::new(),
                outputs: Vec::new(),
                reduce: None,
            },
            slots: Vec::new(),
            inputs: Vec::new(),
            instrs: Vec::new(),
        };
        let of_a = joint.take(false, first, a, 0, |_| None);
        let results: SmallVec<[(Key, InstrIdx); 4]> = first
            .outputs
            .iter()
            .zip(&a.outputs)
            .map(|(slot, &at)| (slot.key(), of_a[usize::from(at)]))
            .collect();
        let computed = |slot: &BufferSlot| {
            let known = results.iter().find(|(key, _)| *key == slot.key());
            known.map(|(_, at)| *at)
        };
        let of_b = joint.take(true, second, b, a.args.len() as u16, computed);
        joint.kernel.outputs = results.iter().map(|(_, at)| *at).collect();
        let last = b.outputs.iter().map(|&at| of_b[usize::from(at)]);
        joint.kernel.outputs.extend(last);
        joint
    }

    /// Adds the instructions of a kernel, its arguments beginning at number `args`; returns where they are. What is
    /// `computed` is not read.
    fn take(
        &mut self,
        is_second: bool,
        item: &ScheduleItem,
        kernel: &Kernel,
        args: u16,
        computed: impl Fn(&BufferSlot) -> Option<InstrIdx>,
    ) -> Vec<InstrIdx> {
        let mut now: Vec<InstrIdx> = Vec::with_capacity(kernel.code.len());
        for (i, instr) in kernel.code.iter().enumerate() {
            let of = |src: InstrIdx| now[usize::from(src)];
            let moved = match *instr {
                Instr::Arg { arg, dtype } => Instr::Arg {
                    arg: arg + args,
                    dtype,
                },
                Instr::Cast { src, to } => Instr::Cast { src: of(src), to },
                Instr::Apply { op, src } => {
                    let mut operands = src;
                    for operand in &mut operands[..op.arity()] {
                        *operand = of(*operand);
                    }
                    Instr::Apply { op, src: operands }
                }
                Instr::Load { input } => {
                    let input = usize::from(input);
                    let slot = &item.inputs[input];
                    if let Some(at) = computed(slot) {
                        now.push(at);
                        continue;
                    }
                    let part = (is_second, input);
                    let input = self.input(&kernel.inputs[input], slot, part);
                    Instr::Load { input }
                }
            };
            let dtype = kernel.dtypes[i];
            let code = self.kernel.code.iter().zip(&self.kernel.dtypes);
            let known = code.into_iter().position(|known| known == (&moved, &dtype));
            let at = known.unwrap_or_else(|| {
                self.kernel.code.push(moved);
                self.kernel.dtypes.push(dtype);
                self.instrs.push((is_second, i));
                self.instrs.len() - 1
            });
            now.push(at as InstrIdx);
        }
        now
    }

    /// Which input reads a slot so.
    fn input(&mut self, input: &Input, slot: &BufferSlot, part: Part) -> u16 {
        let mut known = self.kernel.inputs.iter().zip(&self.slots);
        let known = known.position(|(other, there)| other == input && there.is(slot));
        let at = known.unwrap_or_else(|| {
            self.kernel.inputs.push(input.clone());
            self.slots.push(slot.clone());
            self.inputs.push(part);
            self.slots.len() - 1
        });
        at as u16
    }
}

/// Which arguments of a kernel are part of an op's formula, one by one.
fn is_fixed(kernel: &Kernel) -> Vec<bool> {
    (0..kernel.args.len())
        .map(|arg| kernel.is_fixed(arg))
        .collect()
}

impl Plan {
    /// Whether all that an item stores is what in-place writes have put into storages.
    fn writes_in_place(&self, item: &ScheduleItem) -> bool {
        item.stored().iter().all(|node| self.written.contains(node))
    }

    /// Makes an item the one of two; the first one's own is to go.
    fn join_write(&mut self, first: usize, second: usize) {
        let (Some(a), Some(b)) = (
            elementwise(&self.items[first]),
            elementwise(&self.items[second]),
        ) else {
            return;
        };
        let joint = Joint::of(&self.items[first], a, &self.items[second], b);
        let one = &mut self.items[first];
        let mut outputs = mem::take(&mut one.outputs);
        let mut nodes = mem::take(&mut one.nodes);
        let mut stored = nodes.split_off(nodes.len() - outputs.len());
        let item = &mut self.items[second];
        let last = item.nodes.split_off(item.nodes.len() - item.outputs.len());
        nodes.append(&mut item.nodes);
        nodes.append(&mut stored);
        nodes.extend(last);
        outputs.append(&mut item.outputs);
        (item.nodes, item.outputs) = (nodes, outputs);
        item.inputs = joint.slots;
        item.work = Work::Kernel(Rc::new(joint.kernel));
        self.provenance
            .join_kernels(first, second, &joint.inputs, &joint.instrs);
    }
}
