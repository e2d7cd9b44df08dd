//! What the last cell had the engine compute in the step on stage, in the words of the stage: [`KernelList`].
//!
//! The engine's nodes are more than those on stage: a composite has parts, and so has a gradient. Each
//! is told by the node on stage that it belongs to. Invariant: bytes are the scheduler's own count.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use glowgrad::Engine;
use glowgrad::codegen::{self, Line, Names};
use glowgrad::explain::{NodeInfo, Owner, Reason, Scheduled, StepRecord, Timing};
use glowgrad::trace::NodeId;

use crate::protocol::{
    KernelInfo, KernelList, KernelNode, KernelReason, KernelSource, NodeKind, SourceLine,
    TraceEvent,
};
use crate::stage::Staged;

/// A node on stage.
struct Label {
    op: String,
    symbol: String,
    name: Option<String>,
    is_root: bool,
}

/// What is needed to explain the last cell.
#[derive(Default)]
pub(crate) struct Explained {
    labels: RefCell<Vec<Label>>,
    /// Places in `labels`.
    on_stage: RefCell<HashMap<NodeId, u32>>,
    /// Gradients that arrived, and at which node on stage.
    gradients: RefCell<HashMap<NodeId, u32>>,
    /// Step and kernel that the cell began with, and whether fusion was on.
    since: Cell<Option<(u32, u32, bool)>>,
    /// The engine's number of the step on stage.
    step: Cell<u32>,
}

impl Explained {
    /// A cell begins.
    pub(crate) fn begin(&self, engine: &Engine) {
        let step = engine.with_step(|step| step.number);
        let since = (step, engine.next_kernel(), engine.fusion());
        self.since.set(Some(since));
    }

    /// A graph is put on stage.
    pub(crate) fn stage(&self, staged: &Staged) {
        let graph = &staged.graph;
        let engine_id = |value: u32| staged.values.get(value as usize).map(|node| node.id);
        let mut on_stage = HashMap::new();
        let mut labels = Vec::new();
        for node in &graph.nodes {
            on_stage.extend(engine_id(node.id).map(|id| (id, node.id)));
            labels.push(Label {
                op: node.op.clone(),
                symbol: node.symbol.clone(),
                name: node.name.clone(),
                is_root: node.kind == NodeKind::Loss,
            });
        }
        let mut gradients = HashMap::new();
        for event in &graph.events {
            match event {
                TraceEvent::Backward { root, gradient } => {
                    gradients.extend(engine_id(*gradient).map(|id| (id, *root)));
                }
                TraceEvent::Vjp { node, grads, .. } => {
                    let src = graph.nodes.get(*node as usize).map(|n| &n.src);
                    for (grad, source) in grads.iter().zip(src.into_iter().flatten()) {
                        gradients.extend(grad.and_then(engine_id).map(|id| (id, *source)));
                    }
                }
                TraceEvent::Accumulate { node, sum, .. } => {
                    gradients.extend(engine_id(*sum).map(|id| (id, *node)));
                }
                TraceEvent::Grad { node, gradient, .. } => {
                    gradients.extend(engine_id(*gradient).map(|id| (id, *node)));
                }
                _ => {}
            }
        }
        self.step.set(graph.step);
        self.labels.replace(labels);
        self.on_stage.replace(on_stage);
        self.gradients.replace(gradients);
    }

    /// The engine's number of the step on stage.
    pub(crate) fn step(&self) -> u32 {
        self.step.get()
    }

    /// What the last cell scheduled, of the step with this number.
    pub(crate) fn list(&self, engine: &Engine, number: u32, record: &StepRecord) -> KernelList {
        let Some((step, first, fusion)) = self.since.get() else {
            return KernelList::default();
        };
        let first = if number == step { first } else { 0 };
        let told = Told {
            engine,
            labels: &self.labels.borrow(),
            on_stage: &self.on_stage.borrow(),
            gradients: &self.gradients.borrow(),
            owners: record.owners(),
            composites: record.composites(),
        };
        let items = record.scheduled();
        let oldest = items.first().map_or(first, |item| item.number);
        let items = items.iter().filter(|item| item.number >= first);
        KernelList {
            fusion,
            dropped: oldest.saturating_sub(first),
            kernels: items.map(|item| told.kernel(item)).collect(),
        }
    }
}

/// Gives each kernel of a record's list a time that its clock can tell, while `goes_on`. Kernels of the same work and
/// sizes have one.
pub(crate) fn time(
    engine: &Engine,
    record: &StepRecord,
    list: &mut KernelList,
    goes_on: &dyn Fn() -> bool,
) {
    let Some(stopwatch) = engine.stopwatch() else {
        return;
    };
    let items = record.scheduled().iter().map(|item| (item.number, item));
    let items: HashMap<u32, &Rc<Scheduled>> = items.collect();
    let mut known: HashMap<String, Option<Timing>> = HashMap::new();
    for kernel in &mut list.kernels {
        let Some(item) = items.get(&kernel.number) else {
            continue;
        };
        if !goes_on() {
            break;
        }
        let work = format!("{:?} {:?}", item.work, item.buffers);
        let timing = known.entry(work);
        let timing = timing.or_insert_with(|| stopwatch.time(engine, item));
        if let Some(Timing { nanos, runs }) = *timing {
            (kernel.nanos, kernel.runs) = (Some(nanos), runs);
        }
    }
}

/// The nodes of the stage and who belongs to them.
struct Told<'a> {
    engine: &'a Engine,
    labels: &'a [Label],
    on_stage: &'a HashMap<NodeId, u32>,
    gradients: &'a HashMap<NodeId, u32>,
    owners: HashMap<NodeId, Owner>,
    composites: HashMap<NodeId, NodeId>,
}

impl Names for Told<'_> {
    fn name(&self, node: NodeId) -> Option<String> {
        let called = |at: &u32| {
            let label = &self.labels[*at as usize];
            label.name.as_ref().unwrap_or(&label.op).clone()
        };
        if let Some(at) = self.on_stage.get(&node) {
            return Some(called(at)).filter(|name| name != "leaf");
        }
        if let Some(at) = self.gradients.get(&node) {
            return Some(["grad_", &called(at)].concat());
        }
        // What a composite is written in has its name, all the way up.
        let up = self.composites.get(&node).filter(|up| **up < node)?;
        self.name(*up)
    }
}

impl Told<'_> {
    /// The node on stage that a node belongs to, and whether as a part of its gradient.
    fn owner(&self, node: NodeId) -> Option<(u32, bool)> {
        let (mut at, mut backward) = (node, false);
        loop {
            if let Some(&found) = self.on_stage.get(&at) {
                return Some((found, backward));
            }
            match self.owners.get(&at) {
                // What belongs to a node is younger, so the way up ends.
                Some(owner) if owner.node < at => {
                    backward |= owner.backward;
                    at = owner.node;
                }
                _ => return self.gradients.get(&at).map(|&found| (found, true)),
            }
        }
    }

    /// The node on stage whose gradient a node is.
    fn gradient(&self, node: NodeId) -> Option<u32> {
        let up = || self.composites.get(&node).filter(|up| **up < node);
        let found = self.gradients.get(&node).copied();
        found.or_else(|| up().and_then(|up| self.gradient(*up)))
    }

    fn kernel(&self, item: &Scheduled) -> KernelInfo {
        let stored = item.stored();
        let nodes = self.nodes(&item.nodes);
        KernelInfo {
            number: item.number,
            name: item.name.to_owned(),
            moves: item.is_move() && !nodes.iter().any(|node| node.backward),
            nodes,
            reasons: item
                .reasons()
                .map(|reason| self.reason(item, reason))
                .collect(),
            bytes_read: item.read as f64,
            bytes_written: item.written as f64,
            nanos: item.nanos.get().map(|nanos| nanos as f64),
            runs: 1,
            shape: stored.map(|node| node.shape.to_vec()).unwrap_or_default(),
            dtype: stored.map_or("", |node| node.dtype.name()).to_owned(),
            sources: vec![
                self.source("Pseudo-code", "#", Ok(codegen::pseudo_code(item, self))),
                self.source("WGSL", "//", self.engine.wgsl(item, self)),
                self.source("CUDA C", "//", codegen::cuda(item, self)),
                self.source("MSL", "//", codegen::msl(item, self)),
            ],
        }
    }

    fn source(
        &self,
        language: &str,
        comment: &str,
        lines: Result<Vec<Line>, String>,
    ) -> KernelSource {
        let (lines, missing) = match lines {
            Ok(lines) => (self.lines(lines), None),
            Err(why) => (Vec::new(), Some(why)),
        };
        KernelSource {
            language: language.to_owned(),
            comment: comment.to_owned(),
            lines,
            missing,
        }
    }

    /// Neighbours that belong to one node are told as one.
    fn nodes(&self, nodes: &[NodeInfo]) -> Vec<KernelNode> {
        let mut told: Vec<KernelNode> = Vec::new();
        for node in nodes {
            let own = match node.op.symbol {
                "" => node.op.name,
                symbol => symbol,
            };
            let next = match self.owner(node.id) {
                Some((at, backward)) => {
                    let label = &self.labels[at as usize];
                    // A leaf has no symbol: what is computed for it is, if it has no name, an op's.
                    let symbol = match (&label.name, label.symbol.is_empty()) {
                        (Some(name), true) => name.as_str(),
                        (None, true) => own,
                        (_, false) => &*label.symbol,
                    };
                    KernelNode {
                        node: Some(at),
                        symbol: symbol.to_owned(),
                        name: label.name.clone(),
                        backward,
                        steps: 1,
                    }
                }
                None => KernelNode {
                    node: None,
                    symbol: own.to_owned(),
                    name: None,
                    backward: false,
                    steps: 1,
                },
            };
            let same = told
                .iter_mut()
                .find(|n| n.node.is_some() && n.node == next.node && n.backward == next.backward);
            match same {
                Some(same) => same.steps += 1,
                None => told.push(next),
            }
        }
        told
    }

    fn lines(&self, lines: Vec<Line>) -> Vec<SourceLine> {
        let told = |line: Line| {
            let mut nodes: Vec<u32> = Vec::new();
            for (at, _) in line.nodes.iter().filter_map(|&node| self.owner(node)) {
                if !nodes.contains(&at) {
                    nodes.push(at);
                }
            }
            SourceLine {
                text: line.text,
                nodes,
            }
        };
        lines.into_iter().map(told).collect()
    }

    fn reason(&self, item: &Scheduled, reason: Reason) -> KernelReason {
        let (label, text) = match reason {
            Reason::Reduction => (
                "reduction",
                "A reduction ends its kernel: the result is whole only after the last element.",
            ),
            Reason::Routine => (
                "routine",
                "A routine has a loop of its own: it reads buffers and writes one.",
            ),
            Reason::RowMajor => (
                "row-major copy",
                "A copy: the routine after it wants its elements row-major.",
            ),
            Reason::Asked => return self.asked(item),
            Reason::Written => (
                "written in place",
                "An in-place write put it there, and the tensor keeps it.",
            ),
            Reason::ReadByRoutine => (
                "read by a routine",
                "A routine reads it, and a routine reads bytes, not a formula.",
            ),
            Reason::Shared => {
                let n = item.n_readers.to_string();
                return KernelReason {
                    label: ["read by ", &n].concat(),
                    text: [
                        "Stored once, it is read ",
                        &n,
                        " times; otherwise each reader would compute it again.",
                    ]
                    .concat(),
                };
            }
            Reason::Buffers => (
                "buffer limit",
                "A kernel reads at most 7 buffers, which with the result are the 8 that WebGPU promises.",
            ),
            Reason::Size => (
                "kernel size",
                "A kernel has at most 256 instructions; with this in it there would be more.",
            ),
            Reason::Strides => (
                "strides",
                "The movement after it is no matter of strides, so its bytes must be there first.",
            ),
            Reason::ReadAgain => (
                "read again",
                "An earlier kernel computed it as a part and kept no value of it. It is read again, so now it is stored.",
            ),
            Reason::FusionOff => ("fusion off", "Fusion is off: every node is stored."),
            Reason::OtherDevice => (
                "other device",
                "It goes from one device to another: what computes there reads a buffer of its own.",
            ),
        };
        KernelReason {
            label: label.to_owned(),
            text: text.to_owned(),
        }
    }

    /// Who asked for a value.
    fn asked(&self, item: &Scheduled) -> KernelReason {
        let owner = item.stored().and_then(|node| self.owner(node.id));
        let label = owner.map(|(at, backward)| (&self.labels[at as usize], backward));
        let gradient = item.stored().and_then(|node| self.gradient(node.id));
        let gradient = gradient.and_then(|at| self.labels[at as usize].name.as_ref());
        let (label, text) = match (label, gradient) {
            (_, Some(name)) => (
                "asked for",
                [
                    "It is the gradient of ",
                    name,
                    ", which backward() fills in.",
                ]
                .concat(),
            ),
            (Some((label, false)), None) if label.is_root => (
                "asked for",
                "backward() begins here, and computes the value with the gradients.".to_owned(),
            ),
            (Some((_, true)), None) => (
                "asked for",
                "It is a gradient that was asked for.".to_owned(),
            ),
            _ => (
                "asked for",
                "You asked for its value: by print, .item() or .tolist().".to_owned(),
            ),
        };
        KernelReason {
            label: label.to_owned(),
            text,
        }
    }
}
