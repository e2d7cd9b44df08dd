//! Shaders that a user wrote: compiled with their errors told by line, run once, at once.

use glowgrad_tensor::{Error, Result};

use crate::NAME;
use crate::device::Gpu;
use crate::wait::wait;

/// Workgroups in one dimension that every device has.
const MOST_GROUPS: u32 = 65_535;

/// A buffer and how many of its bytes are a tensor's.
pub(crate) type Bytes = (wgpu::Buffer, u64);

/// Runs a shader with these buffers as its bindings 0, 1, …
///
/// # Errors
/// What does not compile, line by line; bindings that do not fit.
pub(crate) fn run(gpu: &Gpu, source: &str, buffers: &[Bytes], groups: [u32; 3]) -> Result<()> {
    if let Some(n) = groups.iter().find(|&&n| n == 0 || n > MOST_GROUPS) {
        return Err(Error::value(format!(
            "shader: expected 1 to {MOST_GROUPS} workgroups in each dimension, got {n}; have each invocation do more, or use a second dimension"
        )));
    }
    let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
    let module = gpu
        .device()
        .create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
    let refused = wait(gpu.block_on(), scope.pop()).flatten();
    let info = module.get_compilation_info();
    let info = wait(gpu.block_on(), info);
    let errors: Vec<String> = info
        .iter()
        .flat_map(|info| &info.messages)
        .filter(|message| message.message_type == wgpu::CompilationMessageType::Error)
        .map(|message| match &message.location {
            Some(at) => format!(
                "line {}, column {}: {}",
                at.line_number,
                at.line_position,
                first_line(&message.message)
            ),
            None => first_line(&message.message).to_owned(),
        })
        .collect();
    if !errors.is_empty() {
        return Err(Error::value(format!("shader: {}", errors.join("\n"))));
    }
    if let Some(error) = refused {
        return Err(Error::value(format!("shader: {error}")));
    }
    let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
    dispatch(gpu, &module, buffers, groups);
    match wait(gpu.block_on(), scope.pop()).flatten() {
        None => Ok(()),
        Some(error) => Err(Error::value(format!(
            "shader: its bindings in @group(0) must be 0 to {} for the inputs and {} for the result, all of them used, and its function is called main: {error}",
            buffers.len().saturating_sub(2),
            buffers.len() - 1
        ))),
    }
}

fn first_line(text: &str) -> &str {
    text.lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or(text)
}

fn dispatch(gpu: &Gpu, module: &wgpu::ShaderModule, buffers: &[Bytes], groups: [u32; 3]) {
    let device = gpu.device();
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let entries: Vec<wgpu::BindGroupEntry<'_>> = buffers
        .iter()
        .zip(0..)
        .map(|((buffer, bytes), binding)| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset: 0,
                size: wgpu::BufferSize::new(*bytes),
            }),
        })
        .collect();
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(NAME),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    let mut encoder = gpu.encoder();
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        let [x, y, z] = groups;
        pass.dispatch_workgroups(x, y, z);
    }
    gpu.queue().submit([encoder.finish()]);
}
