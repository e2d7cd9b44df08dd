//! What a device tells of itself: that it is gone, out of memory, or refused what it was asked.

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// What became of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It is gone, and all its buffers.
    Lost,
    /// It had no memory for a buffer.
    OutOfMemory,
    /// It would not do what it was asked, such as to compile a shader: what it said.
    Refused(String),
}

/// What a device tells of itself while others are at work.
pub(crate) struct Health {
    lost: Arc<AtomicBool>,
    out_of_memory: Arc<AtomicBool>,
    failure: Arc<Mutex<Option<String>>>,
}

impl Health {
    /// Listens to a device.
    pub(crate) fn of(device: &wgpu::Device) -> Rc<Health> {
        let health = Health {
            lost: Arc::default(),
            out_of_memory: Arc::default(),
            failure: Arc::default(),
        };
        let (failure, out_of_memory) = (health.failure.clone(), health.out_of_memory.clone());
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            if let wgpu::Error::OutOfMemory { .. } = error {
                out_of_memory.store(true, Ordering::Relaxed);
            } else if let Ok(mut first) = failure.lock() {
                first.get_or_insert(error.to_string());
            }
        }));
        let lost = health.lost.clone();
        device.set_device_lost_callback(move |_, _| lost.store(true, Ordering::Relaxed));
        Rc::new(health)
    }

    /// Notes that the device did not answer.
    pub(crate) fn lose(&self) {
        self.lost.store(true, Ordering::Relaxed);
    }

    /// What befell the device, if its values are no longer to be had from it.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        if self.lost.load(Ordering::Relaxed) {
            return Some(Trouble::Lost);
        }
        if self.out_of_memory.load(Ordering::Relaxed) {
            return Some(Trouble::OutOfMemory);
        }
        let failure = self.failure.lock().ok()?;
        failure.clone().map(Trouble::Refused)
    }
}
