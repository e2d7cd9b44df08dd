//! The devices of an engine, and where a node's value is to be.
//!
//! A node's device follows from its sources; a node without any lies on the engine's current device.
//! Numbers belong nowhere, and a 0-d tensor of the first device goes along with the others, as a 0-d
//! CPU tensor does in PyTorch. A buffer is on one device; the scheduler cuts where the device changes,
//! and brings there what a task reads.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use smallvec::{SmallVec, smallvec};

use super::{Engine, NodeParts, NodeRef, Operand, primitive};
#[cfg(feature = "codegen")]
use crate::backend::Watcher;
use crate::backend::{Backend, Buffer};
use crate::device::Device;
use crate::dtype::DType;
use crate::op::{Attrs, Op};
use crate::trace::{Purpose, Trace};
use crate::{Error, Result};

/// What a platform gives when it is asked for a device.
pub enum Opened {
    /// The device.
    Device(Box<dyn Backend>),
    /// The first device in its place, and why, in a sentence for the user.
    Instead(String),
}

/// A device and what it is called.
struct Entry {
    kind: Rc<str>,
    backend: Rc<dyn Backend>,
}

impl Entry {
    fn new(backend: Box<dyn Backend>) -> Entry {
        let name = backend.name();
        Entry {
            kind: name.split(' ').next().unwrap_or_default().into(),
            backend: backend.into(),
        }
    }
}

/// The devices.
pub(crate) struct Devices {
    entries: RefCell<Vec<Entry>>,
    /// Where tensors are made from nothing.
    device: Cell<Device>,
    strict: Cell<bool>,
    pub(super) next_buffer: Cell<u64>,
    #[cfg(feature = "codegen")]
    watcher: RefCell<Option<Rc<Watcher>>>,
}

impl Devices {
    pub(super) fn new(first: Box<dyn Backend>, trace: &Trace) -> Devices {
        if let Some(bytes) = first.pooled() {
            trace.watch_pool(bytes);
        }
        Devices {
            entries: RefCell::new(vec![Entry::new(first)]),
            device: Cell::default(),
            strict: Cell::default(),
            next_buffer: Cell::new(1),
            #[cfg(feature = "codegen")]
            watcher: RefCell::default(),
        }
    }
}

impl Engine {
    /// Takes a further device in. It is called after the first word of its backend's name.
    ///
    /// # Errors
    /// For a second one of that name, or more than 256.
    pub fn add_device(&self, backend: Box<dyn Backend>) -> Result<Device> {
        let entry = Entry::new(backend);
        if self.find_device(&entry.kind).is_some() {
            let kind = &entry.kind;
            return Err(Error::value(format!(
                "device: this engine has a {kind:?} already"
            )));
        }
        let mut devices = self.0.devices.entries.borrow_mut();
        let Ok(number) = u8::try_from(devices.len()) else {
            return Err(Error::value("device: an engine has at most 256 devices"));
        };
        if let Some(bytes) = entry.backend.pooled() {
            self.0.recorder.trace.watch_pool(bytes);
        }
        entry.backend.set_strict(self.0.devices.strict.get());
        #[cfg(feature = "codegen")]
        if let Some(watcher) = self.0.devices.watcher.borrow().as_ref() {
            entry.backend.watch(watcher.clone());
        }
        devices.push(entry);
        Ok(Device(number))
    }

    /// The device of this name, such as `cpu`.
    pub fn find_device(&self, kind: &str) -> Option<Device> {
        let devices = self.0.devices.entries.borrow();
        let at = devices.iter().position(|entry| &*entry.kind == kind)?;
        Some(Device(at as u8))
    }

    /// All devices, in the order in which they came.
    pub fn devices(&self) -> Vec<Device> {
        let n = self.0.devices.entries.borrow().len();
        (0..n).map(|at| Device(at as u8)).collect()
    }

    /// What a device is called: `cpu`.
    pub fn device_kind(&self, device: Device) -> Rc<str> {
        self.0.devices.entries.borrow()[usize::from(device.0)]
            .kind
            .clone()
    }

    /// What a device is, in words: `cpu (avx2)`.
    pub fn device_name(&self, device: Device) -> String {
        self.backend(device).name()
    }

    /// Where tensors are made from nothing.
    pub fn device(&self) -> Device {
        self.0.devices.device.get()
    }

    /// Sets where tensors are made from nothing; returns where they were.
    pub fn set_device(&self, device: Device) -> Device {
        self.0.devices.device.replace(device)
    }

    /// Whether what a device cannot do is an error from now on, or done by the processor; returns what it
    /// was.
    pub fn set_strict(&self, on: bool) -> bool {
        let devices = self.0.devices.entries.borrow();
        devices
            .iter()
            .for_each(|entry| entry.backend.set_strict(on));
        self.0.devices.strict.replace(on)
    }

    /// Sets what is told of work that takes a device long, while it runs.
    #[cfg(feature = "codegen")]
    pub fn watch_devices(&self, watcher: Rc<Watcher>) {
        for entry in self.0.devices.entries.borrow().iter() {
            entry.backend.watch(watcher.clone());
        }
        *self.0.devices.watcher.borrow_mut() = Some(watcher);
    }

    /// What has happened to the devices that a user should know, each thing once.
    pub fn news(&self) -> Vec<String> {
        let devices = self.0.devices.entries.borrow();
        devices
            .iter()
            .flat_map(|entry| entry.backend.news())
            .collect()
    }

    /// Runs something with tensors made there.
    pub(crate) fn on_device<T>(&self, device: Device, run: impl FnOnce() -> T) -> T {
        let before = self.set_device(device);
        let result = run();
        self.set_device(before);
        result
    }

    pub(crate) fn backend(&self, device: Device) -> Rc<dyn Backend> {
        self.0.devices.entries.borrow()[usize::from(device.0)]
            .backend
            .clone()
    }

    /// Where the value of an op on these sources is to be.
    pub(crate) fn device_of(&self, src: &[NodeRef]) -> Device {
        let mut tensors = src.iter().filter(|s| s.number.is_none());
        let Some(first) = tensors.next() else {
            return self.device();
        };
        let devices = tensors.map(|s| s.device);
        devices.fold(first.device, |all, device| match all {
            Device::FIRST => device,
            _ => all,
        })
    }

    /// As [`Engine::device_of`], of operands.
    pub(crate) fn device_of_all(&self, operands: &[Operand]) -> Device {
        let src: SmallVec<[NodeRef; 3]> = operands.iter().map(Operand::node).collect();
        self.device_of(&src)
    }

    /// Refuses operands of several devices.
    pub(crate) fn check_devices(&self, op: &Op, src: &[NodeRef]) -> Result<()> {
        let device = self.device_of(src);
        // Indices of the first device may name elements of another's.
        let goes_along = |i: usize, s: &NodeRef| {
            let small = s.shape.is_empty() || i > 0 && op.indexes;
            s.number.is_some() || s.device == Device::FIRST && small
        };
        let mut others = src.iter().enumerate();
        match others.find(|(i, s)| s.device != device && !goes_along(*i, s)) {
            None => Ok(()),
            Some((_, other)) => {
                let (device, other) = (self.device_kind(device), self.device_kind(other.device));
                Err(Error::runtime(format!(
                    "{}: Expected all tensors to be on the same device, but found at least two devices, {device} and {other}! Move one with .to({device:?})",
                    op.name
                )))
            }
        }
    }

    /// A node's value on a device; the node itself if it is there.
    pub(crate) fn to_device(&self, node: &NodeRef, device: Device) -> Result<NodeRef> {
        if node.device == device {
            return Ok(node.clone());
        }
        let parts = NodeParts {
            device: Some(device),
            ..NodeParts::default()
        };
        let moved = self.node(
            &primitive::TO_DEVICE,
            smallvec![node.clone()],
            Attrs::new(),
            node.shape.clone(),
            node.dtype,
            node.needs_grad && self.grad_enabled(),
            parts,
        );
        if self.is_eager() {
            self.realize(std::slice::from_ref(&moved))?;
        }
        Ok(moved)
    }

    /// A buffer's bytes, when the device has done everything before.
    pub(crate) fn read_buffer(&self, buffer: &Buffer) -> Result<Vec<u8>> {
        let mut read = self.backend(buffer.on()).begin_read(buffer)?;
        loop {
            if let Some(bytes) = read.poll() {
                return bytes;
            }
        }
    }

    /// The bytes of a node, where they are there as they are: it is not computed, and nothing waits for a device.
    #[cfg(feature = "full")]
    pub fn bytes_there(&self, node: &NodeRef) -> Option<Vec<u8>> {
        let value = node.value()?;
        let is_whole = value.bytes() == node.numel() * node.dtype.size();
        if !is_whole || value.on() != Device::FIRST || self.is_capturing() {
            return None;
        }
        self.read_buffer(&value).ok()
    }

    /// A buffer's bytes on another device.
    pub(crate) fn bring(
        &self,
        buffer: &Buffer,
        dtype: DType,
        device: Device,
        purpose: impl FnOnce() -> Purpose,
    ) -> Result<Buffer> {
        let bytes = self.read_buffer(buffer)?;
        let copy = self.allocate(device, bytes.len(), dtype, purpose)?;
        self.backend(device).upload(&copy, &bytes)?;
        #[cfg(feature = "full")]
        self.observe(|observer| observer.filled(&copy, &bytes));
        Ok(copy)
    }
}
