//! The place on the tape of a tensor that shares its memory with tensors on another place: `x.detach()`,
//! `x.data`, and views made off the tape.
//!
//! The invariant: such tensors share one memory, and each has its own place on the tape. A write through one of
//! them is seen by all of them, and is recorded at the place of the tensor that was written. The other places
//! notice the write by the storage's version, and record the new value as a constant. PyTorch's rules:
//! `detach` and `set_data` in ATen's `variable` notes on version counters.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use super::{Storage, Tensor};
use crate::engine::Engine;
use crate::graph::GraphValue;
use crate::node::NodeRef;
use crate::view::View;

/// A place on the tape that a detached tensor shares with its views.
#[derive(Default)]
pub(crate) struct OwnTape {
    /// The version that writes through it count; none where that is the storage's.
    version: Option<Rc<Cell<u32>>>,
    /// The whole storage as it is recorded here, and after how many writes; none while it is off the tape.
    node: RefCell<Option<(u64, NodeRef)>>,
}

impl OwnTape {
    /// One whose writes leave the storage's version alone.
    pub(super) fn with_version() -> OwnTape {
        OwnTape {
            version: Some(Rc::default()),
            ..OwnTape::default()
        }
    }

    /// Records a node for the whole storage.
    pub(super) fn set(&self, node: Option<NodeRef>, writes: u64) {
        let old = self.node.replace(node.map(|node| (writes, node)));
        drop(old);
    }

    fn now(&self, engine: &Engine, storage: &Storage) -> Option<NodeRef> {
        let (at, node) = self.node.borrow().clone()?;
        let writes = storage.writes.get();
        if at == writes {
            return Some(node);
        }
        let node = engine.rewritten(&node, storage.now(engine));
        self.set(Some(node.clone()), writes);
        Some(node)
    }
}

impl Storage {
    /// Counts a write, made through a tensor with a place of its own or with the storage's.
    pub(crate) fn count_write(&self, tape: Option<&OwnTape>) {
        let version = tape.and_then(|tape| tape.version.as_ref());
        let version = version.unwrap_or(&self.version);
        version.set(version.get() + 1);
        self.writes.set(self.writes.get() + 1);
    }
}

/// Memory as a saved tensor saw it.
pub(crate) struct Written {
    storage: Weak<Storage>,
    view: Option<View>,
    at: u64,
}

impl Written {
    /// The value that is there, if it was written since.
    pub(crate) fn now(&self, engine: &Engine) -> Option<NodeRef> {
        let storage = self.storage.upgrade()?;
        if storage.writes.get() == self.at {
            return None;
        }
        let now = storage.now(engine);
        Some(match &self.view {
            Some(view) if *view != View::contiguous(&now.shape) => {
                let grad = engine.set_grad_enabled(false);
                let seen = engine
                    .internal_scope(|| GraphValue::new(engine, now).through(view).into_node());
                engine.set_grad_enabled(grad);
                seen
            }
            _ => now,
        })
    }
}

impl Tensor {
    /// The node of the whole storage on this tensor's place on the tape; none where it is off the tape.
    pub(super) fn recorded(&self) -> Option<NodeRef> {
        let (engine, storage) = (self.engine(), &self.0.storage);
        match &self.0.tape {
            None => Some(storage.now(engine)).filter(|node| node.needs_grad),
            Some(tape) => tape.now(engine, storage),
        }
    }

    pub(crate) fn version_counter(&self) -> Rc<Cell<u32>> {
        let own = self.0.tape.as_ref().and_then(|tape| tape.version.clone());
        own.unwrap_or_else(|| self.0.storage.version.clone())
    }

    /// Its memory as it is now, to notice writes by.
    pub(crate) fn watch_writes(&self) -> Written {
        Written {
            storage: Rc::downgrade(&self.0.storage),
            view: self.0.view.clone(),
            at: self.0.storage.writes.get(),
        }
    }
}
