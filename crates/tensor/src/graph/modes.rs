//! The switches of an engine: the tape, eager calls, fusion.

use std::cell::{Cell, RefCell};

use super::{Engine, NodeRef};

/// Whether the walk back looks for NaNs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Anomaly {
    /// `torch.autograd.set_detect_anomaly(True)`.
    pub enabled: bool,
    /// Its `check_nan`.
    pub check_nan: bool,
}

/// The switches.
pub(crate) struct Modes {
    pub(crate) fusion: Cell<bool>,
    pub(crate) retain_sources: Cell<bool>,
    grad_enabled: Cell<bool>,
    inference: Cell<bool>,
    anomaly: Cell<Anomaly>,
    pub(super) eager: Cell<bool>,
    /// Whether a composite may be lowered to one kernel of its device.
    pub(crate) layers: Cell<bool>,
    /// Whether looks at values are noted, and the nodes that were looked at.
    looks: Cell<bool>,
    looked: RefCell<Vec<NodeRef>>,
}

impl Default for Modes {
    fn default() -> Modes {
        Modes {
            fusion: Cell::new(true),
            retain_sources: Cell::new(false),
            grad_enabled: Cell::new(true),
            inference: Cell::new(false),
            anomaly: Cell::default(),
            eager: Cell::new(false),
            layers: Cell::new(true),
            looks: Cell::new(false),
            looked: RefCell::default(),
        }
    }
}

impl Engine {
    /// Whether new nodes join the tape: never in inference mode.
    pub fn grad_enabled(&self) -> bool {
        self.0.modes.grad_enabled.get() && !self.0.modes.inference.get()
    }

    /// Whether new tensors are inference tensors.
    pub fn inference_mode(&self) -> bool {
        self.0.modes.inference.get()
    }

    /// Turns inference mode on or off; returns what it was.
    pub fn set_inference_mode(&self, on: bool) -> bool {
        self.0.modes.inference.replace(on)
    }

    /// Whether the walk back looks for NaNs.
    pub fn anomaly(&self) -> Anomaly {
        self.0.modes.anomaly.get()
    }

    /// Sets whether the walk back looks for NaNs; returns what it was.
    pub fn set_anomaly(&self, mode: Anomaly) -> Anomaly {
        self.0.modes.anomaly.replace(mode)
    }

    /// Turns the tape on or off; returns what it was.
    pub fn set_grad_enabled(&self, on: bool) -> bool {
        self.0.modes.grad_enabled.replace(on)
    }

    /// Runs every op at once instead of when a value is asked for; returns what it was.
    pub fn set_eager(&self, on: bool) -> bool {
        self.0.modes.eager.replace(on)
    }

    /// Fuses elementwise ops into one kernel, or runs each alone; returns what it was.
    pub fn set_fusion(&self, on: bool) -> bool {
        self.0.modes.fusion.replace(on)
    }

    /// Keeps the sources of computed nodes, so that [`crate::interpret`] can go over them again;
    /// returns what it was.
    pub fn set_keeping(&self, on: bool) -> bool {
        self.0.modes.retain_sources.replace(on)
    }

    /// Notes which nodes' values a program looks at (`item`, `tolist`, a mask as an index), or no more; returns what
    /// it was.
    #[cfg(feature = "full")]
    pub fn note_looks(&self, on: bool) -> bool {
        self.0.modes.looks.replace(on)
    }

    /// The nodes that were looked at since the last call.
    #[cfg(feature = "full")]
    pub fn take_looks(&self) -> Vec<NodeRef> {
        self.0.modes.looked.take()
    }

    /// A program looks at a node's value.
    pub(crate) fn looked(&self, node: &NodeRef) {
        if self.0.modes.looks.get() {
            self.0.modes.looked.borrow_mut().push(node.clone());
        }
    }
}
