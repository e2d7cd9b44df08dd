//! What the scheduler notes while it decides: why a value is stored, and which node an instruction
//! comes from.
//!
//! Invariant: nothing is kept while the trace is off, and builds without the feature `explain` keep
//! nothing at all. What becomes of the notes is told in `graph/record.rs`.

use crate::graph::Reason;

#[cfg(feature = "explain")]
pub(in crate::schedule) use kept::{DraftNotes, Provenance};
#[cfg(not(feature = "explain"))]
pub(in crate::schedule) use nothing::{DraftNotes, Provenance};

#[cfg(feature = "explain")]
mod kept {
    use std::rc::Rc;

    use rustc_hash::FxHashMap;

    use super::Reason;
    use crate::graph::scheduled::{NodeInfo, Scheduled};
    use crate::graph::{Engine, NodeRef};
    #[cfg(feature = "full")]
    use crate::schedule::joint_writes::Part;
    use crate::schedule::memory_plan::BufferSlot;
    use crate::schedule::plan::Plan;
    use crate::trace::NodeId;

    /// Of one kernel being written.
    #[derive(Default)]
    pub(in crate::schedule) struct DraftNotes {
        on: bool,
        at: NodeId,
        origins: Vec<NodeId>,
        inputs: Vec<NodeInfo>,
    }

    impl DraftNotes {
        /// From now on instructions come from this node; returns where they came from before.
        pub(in crate::schedule) fn enter(&mut self, node: NodeId) -> NodeId {
            std::mem::replace(&mut self.at, node)
        }

        pub(in crate::schedule) fn instr(&mut self) {
            if self.on {
                self.origins.push(self.at);
            }
        }

        pub(in crate::schedule) fn input(&mut self, base: &NodeRef) {
            if self.on {
                self.inputs.push(NodeInfo::of(base));
            }
        }
    }

    /// Of one plan.
    pub(in crate::schedule) struct Provenance {
        on: bool,
        why: FxHashMap<NodeId, (u16, usize)>,
        items: Vec<DraftNotes>,
        /// The items as they were recorded, to be timed.
        recorded: Vec<Rc<Scheduled>>,
    }

    impl Provenance {
        pub(in crate::schedule) fn new(engine: &Engine) -> Provenance {
            Provenance {
                on: engine.trace().is_recording(),
                why: FxHashMap::default(),
                items: Vec::new(),
                recorded: Vec::new(),
            }
        }

        pub(in crate::schedule) fn builder(&self) -> DraftNotes {
            DraftNotes {
                on: self.on,
                ..DraftNotes::default()
            }
        }

        pub(in crate::schedule) fn why(&mut self, node: NodeId, reason: Reason) {
            if self.on {
                self.why.entry(node).or_default().0 |= reason as u16;
            }
        }

        pub(in crate::schedule) fn readers(&mut self, node: NodeId, readers: usize) {
            if self.on {
                self.why.entry(node).or_default().1 = readers;
            }
        }

        pub(in crate::schedule) fn kernel(&mut self, builder: DraftNotes) {
            if self.on {
                self.items.push(builder);
            }
        }

        pub(in crate::schedule) fn routine(&mut self, engine: &Engine, src: &[NodeRef]) {
            if !self.on {
                return;
            }
            let operand = |source: &NodeRef| match engine.resolve(source) {
                Ok(resolved) => NodeInfo::of(&resolved.base),
                Err(_) => NodeInfo::of(source),
            };
            let inputs = src.iter().map(operand).collect();
            self.items.push(DraftNotes {
                inputs,
                ..DraftNotes::default()
            });
        }

        /// A kernel's item becomes that of the routine, too, whose result is its input number `input`.
        #[cfg(feature = "full")]
        pub(in crate::schedule) fn join(&mut self, routine: usize, reader: usize, input: usize) {
            if self.on {
                let mut inputs = std::mem::take(&mut self.items[routine].inputs);
                let reader = &mut self.items[reader].inputs;
                reader.remove(input);
                inputs.append(reader);
                *reader = inputs;
            }
        }

        /// An item becomes that of two kernels, made of these inputs and instructions of theirs.
        #[cfg(feature = "full")]
        pub(in crate::schedule) fn join_kernels(
            &mut self,
            first: usize,
            second: usize,
            inputs: &[Part],
            instrs: &[Part],
        ) {
            if self.on {
                let of = |(is_second, i): &Part| {
                    (&self.items[if *is_second { second } else { first }], *i)
                };
                let input = |part| {
                    let (item, i) = of(part);
                    item.inputs[i].clone()
                };
                let origin = |part| {
                    let (item, i) = of(part);
                    item.origins[i]
                };
                let inputs = inputs.iter().map(input).collect();
                let origins = instrs.iter().map(origin).collect();
                let item = &mut self.items[second];
                (item.inputs, item.origins) = (inputs, origins);
            }
        }

        /// Forgets the items that do not stay.
        #[cfg(feature = "full")]
        pub(in crate::schedule) fn retain(&mut self, stays: &[bool]) {
            let mut stays = stays.iter();
            self.items.retain(|_| stays.next() != Some(&false));
        }

        /// When an item begins, if items are timed.
        pub(in crate::schedule) fn clock(&self, engine: &Engine) -> Option<u64> {
            engine
                .0
                .recorder
                .clock
                .filter(|_| self.on)
                .map(|clock| clock())
        }

        /// An item has ended.
        pub(in crate::schedule) fn ran(&self, item: usize, engine: &Engine, start: Option<u64>) {
            if let (Some(item), Some(start), Some(clock)) =
                (self.recorded.get(item), start, engine.0.recorder.clock)
            {
                item.nanos.set(Some(clock().saturating_sub(start)));
            }
        }

        /// Hands the plan's items to the record, numbered from `first`.
        pub(in crate::schedule) fn record(engine: &Engine, plan: &mut Plan, first: u32) {
            let items = std::mem::take(&mut plan.provenance.items);
            for (i, (item, builder)) in plan.items.iter().zip(items).enumerate() {
                let node = |id: &NodeId| NodeInfo::of(&plan.nodes[id]);
                let nodes: Vec<NodeInfo> = item.nodes.iter().map(node).collect();
                let stored = plan.stored_by(i).id;
                let (reasons, n_readers) = plan
                    .provenance
                    .why
                    .get(&stored)
                    .copied()
                    .unwrap_or_default();
                let scheduled = Rc::new(Scheduled {
                    number: first + i as u32,
                    name: item.name(),
                    work: item.work.clone(),
                    nodes,
                    inputs: builder.inputs,
                    origins: builder.origins,
                    reasons,
                    n_readers,
                    read: item.inputs.iter().map(BufferSlot::bytes).sum(),
                    written: item.outputs.iter().map(BufferSlot::bytes).sum(),
                    buffers: item
                        .inputs
                        .iter()
                        .map(|slot| (slot.bytes(), slot.dtype()))
                        .collect(),
                    nanos: std::cell::Cell::new(None),
                });
                plan.provenance.recorded.push(scheduled.clone());
                engine.0.recorder.record.add(scheduled);
            }
        }
    }
}

#[cfg(not(feature = "explain"))]
mod nothing {
    use super::Reason;
    use crate::graph::{Engine, NodeRef};
    #[cfg(feature = "full")]
    use crate::schedule::joint_writes::Part;
    use crate::schedule::plan::Plan;
    use crate::trace::NodeId;

    #[derive(Default)]
    pub(in crate::schedule) struct DraftNotes;

    impl DraftNotes {
        pub(in crate::schedule) fn enter(&mut self, _: NodeId) -> NodeId {
            0
        }
        pub(in crate::schedule) fn instr(&mut self) {}
        pub(in crate::schedule) fn input(&mut self, _: &NodeRef) {}
    }

    pub(in crate::schedule) struct Provenance;

    impl Provenance {
        pub(in crate::schedule) fn new(_: &Engine) -> Provenance {
            Provenance
        }
        pub(in crate::schedule) fn builder(&self) -> DraftNotes {
            DraftNotes
        }
        pub(in crate::schedule) fn why(&mut self, _: NodeId, _: Reason) {}
        pub(in crate::schedule) fn readers(&mut self, _: NodeId, _: usize) {}
        pub(in crate::schedule) fn kernel(&mut self, _: DraftNotes) {}
        pub(in crate::schedule) fn routine(&mut self, _: &Engine, _: &[NodeRef]) {}
        #[cfg(feature = "full")]
        pub(in crate::schedule) fn join(&mut self, _: usize, _: usize, _: usize) {}
        #[cfg(feature = "full")]
        pub(in crate::schedule) fn join_kernels(
            &mut self,
            _: usize,
            _: usize,
            _: &[Part],
            _: &[Part],
        ) {
        }
        #[cfg(feature = "full")]
        pub(in crate::schedule) fn retain(&mut self, _: &[bool]) {}
        pub(in crate::schedule) fn clock(&self, _: &Engine) -> Option<u64> {
            None
        }
        pub(in crate::schedule) fn ran(&self, _: usize, _: &Engine, _: Option<u64>) {}
        pub(in crate::schedule) fn record(_: &Engine, _: &mut Plan, _: u32) {}
    }
}
