//! The switches of an engine: the tape, eager calls, fusion.

use std::cell::Cell;
#[cfg(feature = "full")]
use std::cell::RefCell;

use super::Engine;
#[cfg(feature = "full")]
use super::NodeRef;

/// Whether the backward pass looks for NaNs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Anomaly {
    /// `torch.autograd.set_detect_anomaly(True)`.
    pub enabled: bool,
    /// Its `check_nan`.
    pub check_nan: bool,
}

/// A value that was looked at.
#[cfg(feature = "full")]
#[derive(Debug, Clone)]
pub struct Look {
    /// Whose value.
    pub node: NodeRef,
    /// The call of several results that looked, such as `unique`; none if the program did, or an op of one result.
    pub by: Option<&'static str>,
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
    /// Whether looks at values are noted, those that were, and which call looks.
    #[cfg(feature = "full")]
    looks: (Cell<bool>, RefCell<Vec<Look>>, Cell<Option<&'static str>>),
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
            #[cfg(feature = "full")]
            looks: Default::default(),
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

    /// Whether the backward pass looks for NaNs.
    pub fn anomaly(&self) -> Anomaly {
        self.0.modes.anomaly.get()
    }

    /// Sets whether the backward pass looks for NaNs; returns what it was.
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
    pub fn set_retain_sources(&self, on: bool) -> bool {
        self.0.modes.retain_sources.replace(on)
    }

    /// Notes whose values are looked at (`item`, `tolist`, a mask as an index), or no more; returns what it was.
    #[cfg(feature = "full")]
    pub fn note_looks(&self, on: bool) -> bool {
        self.0.modes.looks.0.replace(on)
    }

    /// The looks that were noted since the last call.
    #[cfg(feature = "full")]
    pub fn take_looks(&self) -> Vec<Look> {
        self.0.modes.looks.1.take()
    }

    /// A value is looked at.
    #[cfg(feature = "full")]
    pub(crate) fn looked(&self, node: &NodeRef) {
        let (on, looks, by) = &self.0.modes.looks;
        if on.get() {
            looks.borrow_mut().push(Look {
                node: node.clone(),
                by: by.get(),
            });
        }
    }

    /// Runs a call of several results, which looks in its own name.
    pub(crate) fn in_name_of<T>(&self, call: &'static str, run: impl FnOnce() -> T) -> T {
        #[cfg(feature = "full")]
        {
            let by = &self.0.modes.looks.2;
            let before = by.replace(Some(call));
            let result = run();
            by.set(before);
            result
        }
        #[cfg(not(feature = "full"))]
        {
            let _ = call;
            run()
        }
    }
}
