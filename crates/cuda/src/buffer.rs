//! A tensor's bytes on the device, on the host, or both.
//!
//! Invariant: what is `Some` in a [`State`] is the value; a write on the device drops what is on the host,
//! and one on the host is written to the device too if the tensor has a place there. That place stays the
//! tensor's until it is dropped: kept commands count on it. Elements are the same bytes on both sides. Whole
//! numbers that the host knows stay there too: indices are looked at there before a kernel follows them.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;

use glowgrad_cpu::Host;
use glowgrad_tensor::{DType, Result};

use crate::command::Block;
use crate::device::Gpu;

struct State {
    dtype: DType,
    device: Option<Block>,
    host: Option<Rc<Host>>,
}

/// What a tensor's buffer is to this backend.
pub(crate) struct GpuBuffer {
    gpu: Rc<Gpu>,
    bytes: usize,
    state: RefCell<State>,
}

impl GpuBuffer {
    pub(crate) fn new(gpu: Rc<Gpu>, bytes: usize, dtype: DType) -> GpuBuffer {
        let state = State {
            dtype,
            device: None,
            host: None,
        };
        GpuBuffer {
            gpu,
            bytes,
            state: RefCell::new(state),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn dtype(&self) -> DType {
        self.state.borrow().dtype
    }

    pub(crate) fn is_on_host(&self) -> bool {
        self.state.borrow().host.is_some()
    }

    /// The value on the device, where it is brought if it is not there.
    fn state_on_device(&self) -> Result<RefMut<'_, State>> {
        let mut state = self.state.borrow_mut();
        if state.device.is_none() {
            let block = self.gpu.take(self.bytes)?;
            if let Some(host) = &state.host {
                self.gpu.write(host.bytes(), self.gpu.address(&block))?;
            }
            state.device = Some(block);
            if state.dtype.is_float() {
                state.host = None;
            }
        }
        Ok(state)
    }

    /// Where the value lies on the device.
    pub(crate) fn address(&self) -> Result<u64> {
        let state = self.state_on_device()?;
        Ok(state.device.as_ref().map_or(0, |b| self.gpu.address(b)))
    }

    /// Where a task writes a value of this dtype.
    pub(crate) fn address_for(&self, dtype: DType) -> Result<u64> {
        let mut state = self.state.borrow_mut();
        let block = match state.device.take() {
            Some(block) => block,
            None => self.gpu.take(self.bytes)?,
        };
        let address = self.gpu.address(&block);
        state.device = Some(block);
        drop(state);
        self.set_written(dtype);
        Ok(address)
    }

    /// That a value of this dtype is on the device, and nowhere else.
    pub(crate) fn set_written(&self, dtype: DType) {
        let mut state = self.state.borrow_mut();
        state.host = None;
        state.dtype = dtype;
    }

    /// Takes the first bytes of another value, in this dtype.
    pub(crate) fn copy_of(&self, source: &GpuBuffer, dtype: DType) -> Result<()> {
        let to = self.address_for(dtype)?;
        self.gpu.copy(source.address()?, to, self.bytes)
    }

    /// Becomes zeros.
    pub(crate) fn clear(&self, dtype: DType) -> Result<()> {
        self.gpu.clear(self.address_for(dtype)?, self.bytes)
    }

    /// The value on the host. Whole numbers stay there.
    pub(crate) fn to_host(&self) -> Result<Rc<Host>> {
        let mut state = self.state.borrow_mut();
        if let Some(host) = &state.host {
            return Ok(host.clone());
        }
        let mut host = Host::new(self.bytes)?;
        if let Some(block) = &state.device {
            self.gpu.read(block, host.bytes_mut())?;
        }
        let host = Rc::new(host);
        if !state.dtype.is_float() {
            state.host = Some(host.clone());
        }
        Ok(host)
    }

    /// Gives it a value on the host.
    pub(crate) fn set_host(&self, host: Rc<Host>, dtype: DType) -> Result<()> {
        let mut state = self.state.borrow_mut();
        let address = state.device.as_ref().map(|block| self.gpu.address(block));
        if let Some(address) = address {
            self.gpu.write(host.bytes(), address)?;
        }
        state.dtype = dtype;
        state.host = (address.is_none() || !dtype.is_float()).then_some(host);
        Ok(())
    }
}

impl Drop for GpuBuffer {
    fn drop(&mut self) {
        if let Some(block) = self.state.get_mut().device.take() {
            self.gpu.give(block);
        }
    }
}
