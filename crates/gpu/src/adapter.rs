//! What can compute here, and opening it.

use std::rc::Rc;

use glowgrad_tensor::{Error, Result};

use crate::NAME;
use crate::health::Health;
use crate::wait::{BlockOn, wait};

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
                    "" => "this browser's GPU".to_owned(),
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
    /// A device on it.
    pub(crate) fn device(self, block_on: BlockOn) -> Result<Opened> {
        let limits = self.adapter.limits();
        let required_features = self.adapter.features() & wgpu::Features::SHADER_F16;
        let (adapter, required_limits) = (self.adapter, limits.clone());
        let asked = async move {
            let descriptor = wgpu::DeviceDescriptor {
                label: Some("glowgrad"),
                required_features,
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
        Ok(Opened {
            health: Health::of(&device),
            device,
            queue,
            // In a page there is one API.
            name: match cfg!(target_arch = "wasm32") {
                true => self.name,
                false => format!("{}, {}", self.name, self.api),
            },
            most_bytes: limits
                .max_storage_buffer_binding_size
                .min(limits.max_buffer_size),
            has_f16: !required_features.is_empty(),
            numbers_in_storage: self.driver.starts_with("llvmpipe"),
        })
    }
}

/// A device that was opened.
pub(crate) struct Opened {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) health: Rc<Health>,
    pub(crate) name: String,
    /// The largest buffer that a shader can see.
    pub(crate) most_bytes: u64,
    /// Whether shaders can have float16.
    pub(crate) has_f16: bool,
    /// Whether shaders read their numbers from storage: Mesa's llvmpipe compiles a shader anew for every dispatch
    /// whose loops end at a number of a uniform.
    pub(crate) numbers_in_storage: bool,
}
