//! `glow devices`: what can compute here, what it is, and how fast it was just now.

use anyhow::Result;
use glowgrad::cuda::{self, CudaBackend};
use glowgrad::gpu::{self, Adapter};
use glowgrad::{Backend, CpuBackend, Engine};
use glowgrad_check::bench;

use crate::engine::{CUDA, SOFTWARE, WGPU};
use crate::gpu_check::seconds;
use crate::terminal::Terminal;

/// Tells of every device, and of what is missing for the others.
pub(crate) fn list(terminal: &mut Terminal<'_>) -> Result<()> {
    let cpu = CpuBackend::new();
    terminal.line(&cpu.name())?;
    terminal.line(&speed(Ok(Box::new(cpu))))?;
    for adapter in gpu::adapters(gpu::block_on) {
        terminal.line(&line(&adapter))?;
        let opened = adapter.open(gpu::block_on);
        terminal.line(&speed(opened.map(|backend| Box::new(backend) as _)))?;
    }
    for device in cuda::devices() {
        let (major, minor) = device.capability;
        terminal.line(&format!(
            "{CUDA} ({}), {} GiB, compute capability {major}.{minor}",
            device.name,
            device.memory >> 30
        ))?;
        let opened = device.open();
        terminal.line(&speed(opened.map(|backend| Box::new(backend) as _)))?;
    }
    if cuda::devices().is_empty()
        && let Err(error) = CudaBackend::open()
    {
        terminal.line(&format!("no {CUDA} device: {}", error.message))?;
    }
    Ok(())
}

/// `wgpu (NAME, Vulkan) …`: what it is, what it can hold, what it is driven by.
fn line(adapter: &Adapter) -> String {
    let mut line = format!("{WGPU} ({}, {})", adapter.name, adapter.api);
    line.push_str(&format!(", buffers to {} MiB", adapter.most_bytes >> 20));
    if adapter.has_f16 {
        line.push_str(", float16");
    }
    if adapter.is_software {
        line.push_str(&format!(", {SOFTWARE}"));
    }
    if !adapter.driver.is_empty() {
        line.push_str(&format!(", driver {}", adapter.driver));
    }
    line
}

/// How fast it copies and multiplies, or why it does not.
fn speed(opened: glowgrad::Result<Box<dyn Backend>>) -> String {
    let measured = opened.and_then(|backend| bench::speed(&Engine::new(backend), seconds));
    match measured {
        Ok([bandwidth, products]) => {
            format!("  reads {bandwidth:.1} GB/s, multiplies matrices at {products:.1} GFLOP/s")
        }
        Err(error) => format!("  cannot be measured: {}", error.message),
    }
}
