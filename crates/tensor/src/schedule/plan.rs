//! A plan: which kernels run in which order, on which memory, and when memory ends.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::memory_plan::{BufferSlot, DeadAfter, ScheduleItem};
use super::provenance::Provenance;
use super::{MAX_INPUTS, MAX_INSTRS};
use crate::Result;
use crate::graph::{Engine, Held, NodeRef, Reason, gone};
use crate::op::Kind;
use crate::ops;
use crate::trace::NodeId;

pub(super) fn is_elementwise(node: &NodeRef) -> bool {
    matches!(node.op.kind, Kind::Elementwise(_)) || node.number.is_some()
}

/// What a plan is made for.
pub(super) struct Request<'a> {
    /// The nodes whose values are wanted.
    pub(super) asked: Vec<NodeRef>,
    /// What in-place writes have put into storages: it rides along.
    pub(super) written: Vec<NodeRef>,
    /// Nodes that a backward pass has passed: the caller drops one reference to each when the plan has run.
    pub(super) walked: &'a [NodeRef],
    /// What refers to nodes besides.
    pub(super) held: Held,
}

/// The work of one `realize`.
pub(super) struct Plan {
    /// The nodes that it names. It holds each of them once, here.
    pub(super) nodes: FxHashMap<NodeId, NodeRef>,
    /// What was asked for, and what writes have put into storages.
    pub(super) roots: Vec<NodeId>,
    /// What computes, sources before users.
    pub(super) order: Vec<NodeId>,
    /// What in-place writes have put into storages.
    #[cfg(feature = "full")]
    pub(super) written: FxHashSet<NodeId>,
    /// What gets a buffer.
    pub(super) stored: FxHashSet<NodeId>,
    pub(super) slots: FxHashMap<NodeId, BufferSlot>,
    pub(super) done: FxHashSet<NodeId>,
    pub(super) items: Vec<ScheduleItem>,
    /// What nothing needs when it has run.
    pub(super) dead: DeadAfter,
    pub(super) provenance: Provenance,
}

impl Plan {
    fn empty(engine: &Engine) -> Plan {
        Plan {
            nodes: FxHashMap::default(),
            roots: Vec::new(),
            order: Vec::new(),
            #[cfg(feature = "full")]
            written: FxHashSet::default(),
            stored: FxHashSet::default(),
            slots: FxHashMap::default(),
            done: FxHashSet::default(),
            items: Vec::new(),
            dead: DeadAfter::default(),
            provenance: Provenance::new(engine),
        }
    }

    /// Gives a node a buffer, for a reason.
    pub(super) fn store(&mut self, node: NodeId, reason: Reason) {
        self.stored.insert(node);
        self.provenance.why(node, reason);
    }

    /// Takes a node among those that the plan names.
    pub(super) fn hold(&mut self, node: NodeRef) {
        self.nodes.insert(node.id, node);
    }

    /// The nodes that compute, sources before users.
    pub(super) fn computed(&self) -> impl Iterator<Item = &NodeRef> {
        self.order.iter().map(|id| &self.nodes[id])
    }

    /// The node whose value an item stores: it computes at least that one.
    pub(super) fn stored_by(&self, item: usize) -> &NodeRef {
        let nodes = &self.items[item].nodes;
        &self.nodes[&nodes[nodes.len() - 1]]
    }
}

/// Makes plans of an engine's graph.
pub(super) struct Planner<'a> {
    pub(super) engine: &'a Engine,
}

impl Planner<'_> {
    pub(super) fn new(engine: &Engine) -> Planner<'_> {
        Planner { engine }
    }

    /// The plan for a request. It lowers composites, which adds nodes to the graph, and asks the devices for
    /// nothing but whether they take an epilogue.
    ///
    /// # Errors
    /// When a value is needed that was let go; what lowering says.
    pub(super) fn plan(&self, request: Request) -> Result<Plan> {
        let Request {
            asked,
            written,
            walked,
            held,
        } = request;
        let mut plan = self.collect(asked, written)?;
        for i in 0..plan.order.len() {
            let node = plan.nodes[&plan.order[i]].clone();
            if plan.stored.contains(&node.id) {
                self.build(&mut plan, &node)?;
            }
        }
        // One item ends before anything could go early.
        let has_several = plan.items.len() > 1;
        #[cfg(feature = "full")]
        if has_several {
            self.join_epilogues(&mut plan, walked, &held);
            self.join_writes(&mut plan);
        }
        if has_several {
            plan.dead = self.dead_after(&plan, walked, &held);
        }
        Ok(plan)
    }

    /// Collects what must be computed and decides what is stored.
    fn collect(&self, asked: Vec<NodeRef>, written: Vec<NodeRef>) -> Result<Plan> {
        let mut plan = Plan::empty(self.engine);
        let mut users: FxHashMap<NodeId, SmallVec<[NodeId; 2]>> = FxHashMap::default();
        let mut seen: FxHashSet<NodeId> = FxHashSet::default();
        let mut stack: Vec<(NodeRef, bool)> = Vec::new();
        // In the order given: a backward pass names the gradients as it met them, the last layer's first,
        // so that what they are made from need not wait for the others.
        let roots = asked.iter().map(|root| (root, Reason::Asked));
        let roots = roots.chain(written.iter().map(|root| (root, Reason::Written)));
        for (root, reason) in roots.rev() {
            let base = self.engine.resolve(root)?.base;
            if base.has_value() {
                continue;
            }
            plan.store(base.id, reason);
            #[cfg(feature = "full")]
            if reason == Reason::Written {
                plan.written.insert(base.id);
            }
            stack.push((base, false));
        }
        while let Some((node, ready)) = stack.pop() {
            if ready {
                plan.order.push(node.id);
                plan.hold(node);
                continue;
            }
            if !seen.insert(node.id) {
                continue;
            }
            stack.push((node.clone(), true));
            let sources = node.src();
            if sources.is_empty() && node.number.is_none() && !node.has_value() {
                return Err(gone(&node));
            }
            for source in &sources {
                let base = self.engine.resolve(source)?.base;
                if base.has_value() {
                    continue;
                }
                let list = users.entry(base.id).or_default();
                if !list.contains(&node.id) {
                    list.push(node.id);
                }
                if matches!(node.op.kind, Kind::Routine(_)) {
                    plan.store(base.id, Reason::ReadByRoutine);
                }
                if node.device != base.device && base.number.is_none() {
                    plan.store(base.id, Reason::OtherDevice);
                }
                stack.push((base, false));
            }
        }
        let fusion = self.engine.0.modes.fusion.get();
        let order = std::mem::take(&mut plan.order);
        for id in &order {
            let node = plan.nodes[id].clone();
            if node.number.is_some() {
                continue;
            }
            let readers = users.get(&node.id).map_or(0, SmallVec::len);
            if let Kind::Reduce(_) = node.op.kind {
                plan.store(node.id, Reason::Reduction);
            } else if !is_elementwise(&node) {
                plan.store(node.id, Reason::Routine);
            }
            if readers > 1 {
                plan.store(node.id, Reason::Shared);
                plan.provenance.readers(node.id, readers);
            }
            if std::ptr::eq(node.op, &ops::convert::TO_DEVICE) {
                plan.store(node.id, Reason::OtherDevice);
            }
            if !fusion {
                plan.store(node.id, Reason::FusionOff);
            }
            #[cfg(feature = "full")]
            if node.was_inlined.get() {
                // What only the parts of such a value read is a part itself.
                let is_new = |reader: &NodeId| !plan.nodes[reader].was_inlined.get();
                let has_new_reader = users
                    .get(&node.id)
                    .is_some_and(|all| all.iter().any(is_new));
                if has_new_reader && self.is_no_expansion(&node)? {
                    plan.store(node.id, Reason::ReadAgain);
                }
            }
        }
        plan.order = order;
        for root in asked.into_iter().chain(written) {
            plan.roots.push(root.id);
            plan.hold(root);
        }
        self.bound(&mut plan)?;
        Ok(plan)
    }

    /// Whether a node has no more elements than something stored that it is computed from: its value takes no more
    /// memory than what is there anyway.
    #[cfg(feature = "full")]
    fn is_no_expansion(&self, node: &NodeRef) -> Result<bool> {
        let mut seen: FxHashSet<NodeId> = FxHashSet::default();
        let mut stack = vec![node.clone()];
        while let Some(part) = stack.pop() {
            for source in part.src() {
                let base = self.engine.resolve(&source)?.base;
                let is_stored = base.has_value() || !is_elementwise(&base);
                if is_stored && base.numel() >= node.numel() {
                    return Ok(true);
                }
                if !is_stored && seen.insert(base.id) {
                    stack.push(base);
                }
            }
        }
        Ok(false)
    }

    /// Stores producers where a kernel would grow beyond its bounds.
    fn bound(&self, plan: &mut Plan) -> Result<()> {
        let mut sizes: FxHashMap<NodeId, (usize, usize)> = FxHashMap::default();
        for i in 0..plan.order.len() {
            let node = plan.nodes[&plan.order[i]].clone();
            let own = match node.op.kind {
                Kind::Elementwise(_) => 10 + node.attrs.len(),
                _ => 1,
            };
            let (mut instrs, mut inputs) = (own, 0);
            let mut parts: SmallVec<[(NodeId, usize, usize); 3]> = smallvec![];
            for source in node.src() {
                let base = self.engine.resolve(&source)?.base;
                if base.number.is_some() {
                    instrs += 1;
                    continue;
                }
                match sizes.get(&base.id) {
                    Some(&(n, k)) if !plan.stored.contains(&base.id) => {
                        parts.push((base.id, n, k));
                        instrs += n;
                        inputs += k;
                    }
                    _ => {
                        instrs += 1;
                        inputs += 1;
                    }
                }
            }
            parts.sort_by_key(|&(_, n, k)| std::cmp::Reverse((k, n)));
            for (id, n, k) in parts {
                if instrs <= MAX_INSTRS && inputs <= MAX_INPUTS {
                    break;
                }
                let full = inputs > MAX_INPUTS;
                plan.store(id, if full { Reason::Buffers } else { Reason::Size });
                instrs = instrs - n + 1;
                inputs = inputs - k + 1;
            }
            sizes.insert(node.id, (instrs, inputs));
        }
        Ok(())
    }
}
