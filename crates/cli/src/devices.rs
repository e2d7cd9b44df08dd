//! What `glow devices` says of an adapter.

use glowgrad::gpu::Adapter;

use crate::engine::SOFTWARE;

/// `wgpu (NAME, Vulkan) …`: what it is, what it can hold, what it is driven by.
pub(crate) fn line(adapter: &Adapter) -> String {
    let mut line = format!("wgpu ({}, {})", adapter.name, adapter.api);
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
