//! Adapters, and a device on one of them.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use glowgrad_tensor::{Error, Result};

use crate::wait::{BlockOn, wait};
use crate::{GpuBackend, NAME};

/// Freed bytes kept for reuse.
const MOST_POOLED: u64 = 512 << 20;

/// Something that can compute here.
pub struct Adapter {
    adapter: wgpu::Adapter,
    /// As its driver calls it.
    pub name: String,
    /// `Vulkan`, `Metal`, `DX12` or `WebGPU`.
    pub api: String,
    /// The driver and its version.
    pub driver: String,
    /// Whether it is a program on the CPU.
    pub is_software: bool,
    /// The largest buffer a shader can see, in bytes.
    pub most_bytes: u64,
    /// Whether shaders can have float16.
    pub has_f16: bool,
}

/// The adapters of this computer, the one that suits best first.
pub fn adapters(block_on: BlockOn) -> Vec<Adapter> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::PRIMARY,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let found = wait(block_on, async move {
        instance.enumerate_adapters(wgpu::Backends::PRIMARY).await
    });
    let mut adapters: Vec<(u8, Adapter)> = found
        .into_iter()
        .flatten()
        .map(|adapter| {
            let info = adapter.get_info();
            let place = match info.device_type {
                wgpu::DeviceType::DiscreteGpu => 0,
                wgpu::DeviceType::IntegratedGpu => 1,
                wgpu::DeviceType::VirtualGpu => 2,
                wgpu::DeviceType::Other => 3,
                wgpu::DeviceType::Cpu => 4,
            };
            let driver = [info.driver.as_str(), info.driver_info.as_str()].join(" ");
            let adapter = Adapter {
                name: match info.name.as_str() {
                    "" => "a GPU that the browser does not name".to_owned(),
                    name => name.to_owned(),
                },
                api: match info.backend {
                    wgpu::Backend::Dx12 => "DX12".to_owned(),
                    wgpu::Backend::BrowserWebGpu => "WebGPU".to_owned(),
                    backend => format!("{backend:?}"),
                },
                driver: driver.trim().to_owned(),
                is_software: place == 4,
                most_bytes: adapter.limits().max_storage_buffer_binding_size,
                has_f16: adapter.features().contains(wgpu::Features::SHADER_F16),
                adapter,
            };
            (place, adapter)
        })
        .collect();
    adapters.sort_by_key(|(place, _)| *place);
    adapters.into_iter().map(|(_, adapter)| adapter).collect()
}

impl Adapter {
    /// A backend on it.
    ///
    /// # Errors
    /// The driver gives no device: its reason.
    pub fn open(self, block_on: BlockOn) -> Result<GpuBackend> {
        let limits = self.adapter.limits();
        let (adapter, required_limits) = (self.adapter, limits.clone());
        let asked = async move {
            let descriptor = wgpu::DeviceDescriptor {
                label: Some("glowgrad"),
                required_limits,
                ..wgpu::DeviceDescriptor::default()
            };
            adapter.request_device(&descriptor).await
        };
        let (device, queue) = match wait(block_on, asked) {
            Some(Ok(opened)) => opened,
            other => {
                let why = match other {
                    Some(Err(error)) => error.to_string(),
                    _ => "no answer".to_owned(),
                };
                return Err(Error::runtime(format!(
                    "{NAME}: {} gives no device: {why}; use device=\"cpu\"",
                    self.name
                )));
            }
        };
        let failure: Arc<Mutex<Option<String>>> = Arc::default();
        let told = failure.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            if let Ok(mut first) = told.lock() {
                first.get_or_insert(error.to_string());
            }
        }));
        Ok(GpuBackend::on(Gpu {
            most_bytes: limits
                .max_storage_buffer_binding_size
                .min(limits.max_buffer_size),
            device,
            queue,
            name: format!("{}, {}", self.name, self.api),
            failure,
            block_on,
            free: RefCell::default(),
            settled: RefCell::default(),
            pooled: Rc::default(),
        }))
    }
}

/// A device with its queue and its pool of buffers.
pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) name: String,
    /// The largest buffer that a shader can see.
    pub(crate) most_bytes: u64,
    failure: Arc<Mutex<Option<String>>>,
    block_on: BlockOn,
    /// Freed, by size; what is encoded may still use it.
    free: RefCell<HashMap<u64, Vec<wgpu::Buffer>>>,
    /// Freed, by size, before the last submit.
    settled: RefCell<HashMap<u64, Vec<wgpu::Buffer>>>,
    pooled: Rc<Cell<usize>>,
}

impl Gpu {
    /// The error that the device told of meanwhile, if any.
    pub(crate) fn settle(&self) -> Result<()> {
        let failure = self.failure.lock().ok().and_then(|mut f| f.take());
        match failure {
            Some(text) => Err(Error::runtime(format!(
                "{NAME}: {}: {text}; use a smaller shape or device=\"cpu\"",
                self.name
            ))),
            None => Ok(()),
        }
    }

    pub(crate) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    pub(crate) fn pooled(&self) -> Rc<Cell<usize>> {
        self.pooled.clone()
    }

    /// A storage buffer of at least this size, contents unspecified, for what is encoded next.
    pub(crate) fn take(&self, bytes: u64) -> wgpu::Buffer {
        let free = self.pop(&self.free, size_class(bytes));
        free.unwrap_or_else(|| self.take_settled(bytes))
    }

    /// As [`Gpu::take`], for a write of the queue: that comes before everything that is encoded and
    /// not yet sent, which must not know the buffer.
    pub(crate) fn take_settled(&self, bytes: u64) -> wgpu::Buffer {
        let size = size_class(bytes);
        let settled = self.pop(&self.settled, size);
        settled.unwrap_or_else(|| self.create(size))
    }

    /// What was freed is free for every use: everything encoded was sent.
    pub(crate) fn sent(&self) {
        let mut settled = self.settled.borrow_mut();
        for (size, buffers) in self.free.borrow_mut().drain() {
            settled.entry(size).or_default().extend(buffers);
        }
    }

    fn pop(
        &self,
        pool: &RefCell<HashMap<u64, Vec<wgpu::Buffer>>>,
        size: u64,
    ) -> Option<wgpu::Buffer> {
        let buffer = pool.borrow_mut().get_mut(&size)?.pop()?;
        self.pooled.set(self.pooled.get() - size as usize);
        Some(buffer)
    }

    fn create(&self, size: u64) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// Takes a buffer back. What is encoded runs in order, so the next owner may write at once.
    pub(crate) fn give(&self, buffer: wgpu::Buffer) {
        let size = buffer.size();
        if self.pooled.get() as u64 + size <= MOST_POOLED {
            self.pooled.set(self.pooled.get() + size as usize);
            self.free.borrow_mut().entry(size).or_default().push(buffer);
        }
    }

    /// The first bytes of a buffer, when the device has done everything before.
    pub(crate) fn read(&self, buffer: &wgpu::Buffer, bytes: u64) -> Result<Vec<u8>> {
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, bytes);
        self.queue.submit([encoder.finish()]);
        let (done, mapped) = futures_channel::oneshot::channel();
        staging.map_async(wgpu::MapMode::Read, .., |result| {
            let _ = done.send(result);
        });
        let lost = |why: String| {
            Error::runtime(format!(
                "{NAME}: {} did not answer: {why}; run the cell again, or use device=\"cpu\"",
                self.name
            ))
        };
        // A browser does this by itself.
        #[cfg(not(target_arch = "wasm32"))]
        self.device
            .poll(wgpu::PollType::Wait {
                submission_index: None,
                timeout: None,
            })
            .map_err(|error| lost(error.to_string()))?;
        let answer = wait(self.block_on, mapped);
        self.settle()?;
        match answer {
            Some(Ok(Ok(()))) => {}
            Some(Ok(Err(error))) => return Err(lost(error.to_string())),
            _ => return Err(lost("the device is gone".to_owned())),
        }
        let mapped = staging
            .get_mapped_range(..)
            .map_err(|error| lost(error.to_string()))?;
        Ok(mapped.to_vec())
    }
}

/// The size of the blocks that hold this many bytes: four classes an octave.
fn size_class(bytes: u64) -> u64 {
    let bytes = bytes.max(256);
    let step = (bytes.next_power_of_two() / 8).max(64);
    bytes.div_ceil(step) * step
}

#[cfg(test)]
mod tests {
    use super::size_class;

    #[test]
    fn a_class_holds_its_bytes_and_wastes_little() {
        for bytes in [0, 1, 256, 257, 1000, 4096, 4097, 1 << 20, (1 << 20) + 1] {
            let class = size_class(bytes);
            assert!(
                class >= bytes && class.is_multiple_of(64),
                "{bytes} in {class}"
            );
            assert!(
                bytes < 256 || class <= bytes + bytes / 4 + 64,
                "{bytes} in {class}"
            );
        }
    }
}
