//! What runs while `torch.profiler` looks: each kernel with its time, its ops and the sizes of what it reads.
//!
//! Invariant: one profile is on at a time, and at most [`MOST_EVENTS`] kernels of it are kept, the first; the recording and
//! the watcher of before are put back when it ends.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use glowgrad::explain::{Scheduled, WatchKernel};
use glowgrad::kernel::{ReduceOp, Work};
use glowgrad::node::NodeRef;
use glowgrad::op::Kind;
use glowgrad::trace::NodeId;
use glowgrad::{Engine, Result};

/// Most kernels whose times a profile keeps until they are asked for.
const MOST_EVENTS: usize = 1 << 15;

/// The profile that is on.
#[derive(Default)]
pub(crate) struct Profile {
    seen: Rc<Seen>,
    before: RefCell<Option<Before>>,
}

#[derive(Default)]
struct Seen {
    /// When its plan began, by the engine's clock.
    kernels: RefCell<Vec<(u64, Rc<Scheduled>)>>,
    n_dropped: Cell<usize>,
}

/// What was so before the profile.
struct Before {
    is_recording: bool,
    watcher: Option<Rc<WatchKernel>>,
    first: NodeId,
}

/// A kernel that ran.
pub(crate) struct Ran {
    /// When it began, in nanoseconds of the engine's clock: kernels of one plan run one after the other.
    pub(crate) began: u64,
    pub(crate) item: Rc<Scheduled>,
}

impl Ran {
    pub(crate) fn nanos(&self) -> u64 {
        self.item.nanos.get().unwrap_or(0)
    }

    /// The names of what it computes: its ops, of which a routine is the first.
    pub(crate) fn ops(&self) -> impl Iterator<Item = &'static str> {
        let is_routine = matches!(self.item.work, Work::Routine(_));
        let routine = is_routine.then_some(self.item.name);
        let ops = self.item.nodes.iter().skip(usize::from(is_routine));
        let ops = ops.map(|node| match node.op.kind {
            Kind::Reduce(ReduceOp::Sum) => "sum",
            Kind::Reduce(ReduceOp::Prod) => "prod",
            Kind::Reduce(ReduceOp::Max) => "amax",
            Kind::Reduce(ReduceOp::Min) => "amin",
            Kind::Reduce(ReduceOp::ArgMax) => "argmax",
            Kind::Reduce(ReduceOp::ArgMin) => "argmin",
            _ => node.op.name,
        });
        routine.into_iter().chain(ops)
    }
}

impl Profile {
    /// Begins a profile; whether none is on.
    pub(crate) fn begin(&self, engine: &Engine) -> bool {
        if self.before.borrow().is_some() {
            return false;
        }
        let is_recording = engine.trace().set_recording(true);
        let (seen, clock) = (self.seen.clone(), engine.clone());
        let watcher = engine.watch_kernels(None);
        let other = watcher.clone();
        let watch = move |item: &Rc<Scheduled>| {
            if let Some(other) = &other {
                other(item);
            }
            let mut kernels = seen.kernels.borrow_mut();
            if kernels.len() < MOST_EVENTS {
                kernels.push((clock.now().unwrap_or(0), item.clone()));
            } else {
                seen.n_dropped.set(seen.n_dropped.get() + 1);
            }
        };
        engine.watch_kernels(Some(Rc::new(watch)));
        let first = engine.next_node_id();
        self.before.replace(Some(Before {
            is_recording,
            watcher,
            first,
        }));
        true
    }

    /// Ends it.
    pub(crate) fn end(&self, engine: &Engine) {
        let before = self.before.take();
        if let Some(before) = before {
            engine.watch_kernels(before.watcher);
            engine.trace().set_recording(before.is_recording);
        }
    }

    /// Computes the results of the step that nothing has asked for yet, such as those of a model's call: a profile is to
    /// show them.
    pub(crate) fn compute(&self, engine: &Engine) -> Result<()> {
        let Some(first) = self.before.borrow().as_ref().map(|before| before.first) else {
            return Ok(());
        };
        let made: Vec<NodeRef> = engine.with_step(|step| step.made.clone());
        let sources = |node: &NodeRef| node.src().into_iter().map(|source| source.id);
        let read: HashSet<NodeId> = made.iter().flat_map(sources).collect();
        let is_result = |node: &NodeRef| {
            node.id >= first
                && !read.contains(&node.id)
                && !node.has_value()
                && !node.src().is_empty()
        };
        let results: Vec<NodeRef> = made.into_iter().filter(is_result).collect();
        engine.realize(&results)
    }

    /// How many kernels were too many to be kept, and each other one since the last call.
    pub(crate) fn take(&self) -> (usize, Vec<Ran>) {
        let mut free = 0;
        let ran = self.seen.kernels.take().into_iter().map(|(planned, item)| {
            let kernel = Ran {
                began: planned.max(free),
                item,
            };
            free = kernel.began + kernel.nanos();
            kernel
        });
        (self.seen.n_dropped.take(), ran.collect())
    }
}
