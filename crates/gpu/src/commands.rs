//! What a device is asked, in order, until it is sent: a list, so that its shaders are compiled together.

use std::rc::Rc;

use crate::pipelines::Pipeline;

/// One thing for the device to do.
pub(crate) enum Command {
    /// Sets words to zero.
    Clear(wgpu::Buffer),
    /// Copies the first bytes of a buffer to a place in another.
    Copy {
        from: wgpu::Buffer,
        to: wgpu::Buffer,
        at: u64,
        bytes: u64,
    },
    /// Runs a shader.
    Run {
        pipeline: Rc<Pipeline>,
        group: Rc<wgpu::BindGroup>,
        /// Where its numbers begin, if it has any.
        offset: Option<u32>,
        groups: [u32; 3],
    },
}

/// Sends commands as one submit.
pub(crate) fn submit(device: &wgpu::Device, queue: &wgpu::Queue, commands: &[Command]) {
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    for command in commands {
        match command {
            Command::Clear(buffer) => encoder.clear_buffer(buffer, 0, None),
            Command::Copy {
                from,
                to,
                at,
                bytes,
            } => encoder.copy_buffer_to_buffer(from, 0, to, *at, *bytes),
            Command::Run {
                pipeline,
                group,
                offset,
                groups: [x, y, z],
            } => {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                pass.set_pipeline(pipeline.made(device));
                pass.set_bind_group(0, &**group, offset.as_slice());
                pass.dispatch_workgroups(*x, *y, *z);
            }
        }
    }
    queue.submit([encoder.finish()]);
}
