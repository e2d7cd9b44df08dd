//! The trace: one event stream of what the engine did. Nothing else feeds the animation.
//!
//! Events carry structure, bytes and times, never tensors. The stream is bounded: a step that
//! makes more than [`MAX_EVENTS`] keeps the newest and counts what it dropped.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::dtype::DType;
use crate::shape::Shape;

/// Where a node was written: a cell's number (the session names it) and a line counted from 1;
/// line 0 means nowhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Which cell or file.
    pub cell: u32,
    /// Which line.
    pub line: u32,
}

/// A node's number: nodes are numbered as they are made, so sources come before users.
pub type NodeId = u64;

/// Most events kept for one step.
pub const MAX_EVENTS: usize = 65_536;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A call of the learner's made a node.
    Made {
        /// The node.
        node: NodeId,
    },
    /// A backward pass begins.
    Backward {
        /// Where.
        root: NodeId,
        /// With which gradient.
        gradient: NodeId,
    },
    /// A node's local rule ran.
    Vjp {
        /// Whose.
        node: NodeId,
        /// What came in.
        gradient: NodeId,
        /// What goes to each source; none where no gradient is wanted.
        grads: Vec<Option<NodeId>>,
    },
    /// A second gradient arrived at a node: `sum` is what it has now.
    Accumulate {
        /// Where.
        node: NodeId,
        /// What arrived.
        added: NodeId,
        /// The sum.
        sum: NodeId,
    },
    /// A leaf's `.grad` was filled.
    Grad {
        /// The leaf.
        node: NodeId,
        /// What `.grad` holds now.
        gradient: NodeId,
        /// Whether it held something before.
        accumulated: bool,
    },
    /// The backward pass has ended.
    BackwardEnd {
        /// Where it began.
        root: NodeId,
    },
    /// A tensor was written in place.
    Write {
        /// The node that was there.
        node: NodeId,
        /// The node that is there now.
        value: NodeId,
    },
    /// A kernel or routine was scheduled.
    Scheduled {
        /// Numbered from 0 in each trace.
        kernel: u32,
        /// `fused`, `reduce`, `matmul`, …
        name: &'static str,
        /// The nodes it computes, the one stored last.
        nodes: Vec<NodeId>,
        /// Bytes read and written.
        bytes: usize,
    },
    /// A submit of kernels ran.
    Ran {
        /// How many.
        kernels: u32,
        /// How long, if the engine has a clock.
        nanos: u64,
    },
    /// A buffer was allocated.
    Allocated {
        /// Which.
        buffer: u64,
        /// How large.
        bytes: usize,
        /// Bytes of live buffers after it.
        live: usize,
        /// Bytes that wait for reuse after it.
        pooled: usize,
        /// What it is for.
        purpose: Box<Purpose>,
    },
    /// A buffer was freed.
    Freed {
        /// Which.
        buffer: u64,
        /// How large.
        bytes: usize,
        /// Bytes of live buffers after it.
        live: usize,
        /// Bytes that wait for reuse after it.
        pooled: usize,
    },
}

/// What a buffer was allocated for: the node whose value it takes first.
#[derive(Debug, Clone, PartialEq)]
pub struct Purpose {
    /// The node.
    pub node: NodeId,
    /// Its op's name.
    pub op: &'static str,
    /// Its sizes.
    pub shape: Shape,
    /// Its element type.
    pub dtype: DType,
    /// The line that made it.
    pub span: Span,
}

/// Bytes held by live buffers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Memory {
    /// Now.
    pub live: usize,
    /// At most, so far.
    pub peak: usize,
}

/// A handle on an engine's trace.
#[derive(Clone, Default)]
pub struct Trace(Rc<TraceInner>);

#[derive(Default)]
struct TraceInner {
    off: Cell<bool>,
    events: RefCell<Vec<Event>>,
    dropped: Cell<usize>,
    kernels: Cell<u32>,
    memory: Cell<Memory>,
    pooled: RefCell<Vec<Rc<Cell<usize>>>>,
}

impl Trace {
    /// Adds an event. The closure runs only while recording.
    pub fn record(&self, event: impl FnOnce() -> Event) {
        if self.0.off.get() {
            return;
        }
        let mut events = self.0.events.borrow_mut();
        if events.len() == MAX_EVENTS {
            events.drain(..MAX_EVENTS / 2);
            self.0.dropped.set(self.0.dropped.get() + MAX_EVENTS / 2);
        }
        events.push(event());
    }

    /// Turns recording on or off; returns what it was.
    pub fn set_recording(&self, on: bool) -> bool {
        !self.0.off.replace(!on)
    }

    /// Whether events are recorded.
    pub fn is_recording(&self) -> bool {
        !self.0.off.get()
    }

    /// The events since the step began.
    pub fn events(&self) -> Vec<Event> {
        self.0.events.borrow().clone()
    }

    /// Looks at the events since the step began.
    pub fn with_events<T>(&self, look: impl FnOnce(&[Event]) -> T) -> T {
        look(&self.0.events.borrow())
    }

    /// The events since the step began, without those of kernels and memory.
    #[cfg(feature = "full")]
    pub(crate) fn structure(&self) -> Vec<Event> {
        let is_of_machine = |event: &&Event| {
            matches!(
                event,
                Event::Scheduled { .. }
                    | Event::Ran { .. }
                    | Event::Allocated { .. }
                    | Event::Freed { .. }
            )
        };
        let events = self.0.events.borrow();
        events
            .iter()
            .filter(|event| !is_of_machine(event))
            .cloned()
            .collect()
    }

    /// How many events of this step were dropped.
    pub fn dropped(&self) -> usize {
        self.0.dropped.get()
    }

    /// Bytes held by live buffers.
    pub fn memory(&self) -> Memory {
        self.0.memory.get()
    }

    /// Bytes that wait for reuse; none where no backend keeps a pool.
    pub fn pooled(&self) -> Option<usize> {
        let pools = self.0.pooled.borrow();
        (!pools.is_empty()).then(|| pools.iter().map(|bytes| bytes.get()).sum())
    }

    /// Counts from now on how much a backend's pool holds.
    pub(crate) fn watch_pool(&self, bytes: Rc<Cell<usize>>) {
        self.0.pooled.borrow_mut().push(bytes);
    }

    /// Counts the most bytes from now on: PyTorch's `reset_peak_memory_stats`.
    pub fn reset_peak(&self) {
        let live = self.0.memory.get().live;
        self.0.memory.set(Memory { live, peak: live });
    }

    /// Forgets the events: a new step begins.
    pub(crate) fn begin_step(&self) {
        self.0.events.borrow_mut().clear();
        self.0.dropped.set(0);
        self.0.kernels.set(0);
    }

    /// Takes back that a node was made: another took its place.
    pub(crate) fn forget_made(&self, id: NodeId) {
        self.0
            .events
            .borrow_mut()
            .retain(|e| !matches!(e, Event::Made { node } if *node == id));
    }

    pub(crate) fn n_kernels(&self) -> u32 {
        self.0.kernels.get()
    }

    pub(crate) fn next_kernel(&self) -> u32 {
        self.0.kernels.replace(self.0.kernels.get() + 1)
    }

    pub(crate) fn allocated(&self, buffer: u64, bytes: usize, purpose: impl FnOnce() -> Purpose) {
        let Memory { live, peak } = self.0.memory.get();
        let live = live + bytes;
        self.0.memory.set(Memory {
            live,
            peak: peak.max(live),
        });
        self.record(|| Event::Allocated {
            buffer,
            bytes,
            live,
            pooled: self.pooled().unwrap_or(0),
            purpose: Box::new(purpose()),
        });
    }

    pub(crate) fn freed(&self, buffer: u64, bytes: usize) {
        let Memory { live, peak } = self.0.memory.get();
        let live = live - bytes;
        self.0.memory.set(Memory { live, peak });
        self.record(|| Event::Freed {
            buffer,
            bytes,
            live,
            pooled: self.pooled().unwrap_or(0),
        });
    }
}
