//! What a dispatch is bound to: storage buffers, and the numbers that change from step to step.
//!
//! The numbers of everything that is encoded lie in one uniform buffer, each dispatch's at an offset of its
//! own, and are written once before the submit. So a bind group depends on buffers alone, and is kept: in a
//! loop the pool gives the same buffers again.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::device::Gpu;
use crate::pipelines::Pipeline;

/// Bytes of numbers that a submit can have.
const MOST_BYTES: usize = 256 << 10;

/// Where the numbers of a dispatch may begin: WebGPU's least alignment.
const ALIGNMENT: usize = 256;

/// Bind groups kept.
const MOST_GROUPS: usize = 4096;

/// What tells bind groups apart: the bytes of their numbers, how many buffers are read and how many written, and which.
type Key = (usize, (usize, usize), Vec<wgpu::Buffer>);

/// What tells layouts apart: how many buffers are read and how many written, and whether there are numbers.
type Signature = ((usize, usize), bool);

#[derive(Default)]
pub(crate) struct Bindings {
    layouts: RefCell<HashMap<Signature, wgpu::BindGroupLayout>>,
    groups: RefCell<HashMap<Key, Rc<wgpu::BindGroup>>>,
    uniform: RefCell<Option<wgpu::Buffer>>,
    /// What the uniform buffer is to hold at the next submit.
    numbers: RefCell<Vec<u8>>,
}

fn aligned(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGNMENT)
}

impl Bindings {
    /// The layout for so many buffers that are read, so many that are written, and numbers.
    pub(crate) fn layout(
        &self,
        gpu: &Gpu,
        n_buffers: (usize, usize),
        uniform: bool,
    ) -> wgpu::BindGroupLayout {
        let mut layouts = self.layouts.borrow_mut();
        let layout = layouts.entry((n_buffers, uniform)).or_insert_with(|| {
            let entry = |binding: usize, ty| wgpu::BindGroupLayoutEntry {
                binding: binding as u32,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty,
                count: None,
            };
            let storage = |read_only| wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only },
                has_dynamic_offset: false,
                min_binding_size: None,
            };
            let numbers = wgpu::BindingType::Buffer {
                ty: match gpu.numbers_in_storage() {
                    true => wgpu::BufferBindingType::Storage { read_only: true },
                    false => wgpu::BufferBindingType::Uniform,
                },
                has_dynamic_offset: true,
                min_binding_size: None,
            };
            let (n_inputs, n_outputs) = n_buffers;
            let all = (0..n_inputs + n_outputs).map(|i| entry(i, storage(i < n_inputs)));
            let mut entries: Vec<wgpu::BindGroupLayoutEntry> = all.collect();
            if uniform {
                entries.push(entry(entries.len(), numbers));
            }
            gpu.device()
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                    label: None,
                    entries: &entries,
                })
        });
        layout.clone()
    }

    /// Whether these numbers fit beside those of what is encoded.
    pub(crate) fn has_room(&self, uniforms: impl Iterator<Item = usize>) -> bool {
        let more: usize = uniforms.map(aligned).sum();
        let held = self.numbers.borrow().len();
        held == 0 || held + more <= MOST_BYTES
    }

    /// The bind group of a dispatch, and where its numbers begin, if it has any.
    pub(crate) fn group(
        &self,
        gpu: &Gpu,
        pipeline: &Pipeline,
        buffers: Vec<wgpu::Buffer>,
        uniform: &[u8],
    ) -> (Rc<wgpu::BindGroup>, Option<u32>) {
        let mut groups = self.groups.borrow_mut();
        if gpu.take_dropped() || groups.len() >= MOST_GROUPS {
            groups.clear();
        }
        let size = aligned(uniform.len());
        let offset = (size > 0).then(|| {
            let mut numbers = self.numbers.borrow_mut();
            let offset = numbers.len();
            numbers.extend(uniform);
            numbers.resize(offset + size, 0);
            offset as u32
        });
        let key: Key = (size, pipeline.n_buffers, buffers);
        if let Some(group) = groups.get(&key) {
            return (group.clone(), offset);
        }
        let numbers = offset.map(|_| self.uniform(gpu));
        let mut entries: Vec<wgpu::BindGroupEntry<'_>> = key
            .2
            .iter()
            .zip(0..)
            .map(|(buffer, binding)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        if let Some(buffer) = &numbers {
            entries.push(wgpu::BindGroupEntry {
                binding: entries.len() as u32,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset: 0,
                    size: wgpu::BufferSize::new(size as u64),
                }),
            });
        }
        let group = Rc::new(gpu.device().create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.layout,
            entries: &entries,
        }));
        groups.insert(key, group.clone());
        (group, offset)
    }

    fn uniform(&self, gpu: &Gpu) -> wgpu::Buffer {
        let mut uniform = self.uniform.borrow_mut();
        let usage = match gpu.numbers_in_storage() {
            true => wgpu::BufferUsages::STORAGE,
            false => wgpu::BufferUsages::UNIFORM,
        };
        let buffer = uniform.get_or_insert_with(|| {
            gpu.device().create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: MOST_BYTES as u64,
                usage: usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        buffer.clone()
    }

    /// Writes the numbers of everything that is encoded, before it is sent.
    pub(crate) fn close(&self, gpu: &Gpu) {
        let mut numbers = self.numbers.borrow_mut();
        if let (false, Some(buffer)) = (numbers.is_empty(), &*self.uniform.borrow()) {
            gpu.queue().write_buffer(buffer, 0, &numbers);
        }
        numbers.clear();
    }

    /// Forgets what a lost device made.
    pub(crate) fn forget(&self) {
        self.layouts.borrow_mut().clear();
        self.groups.borrow_mut().clear();
        self.uniform.borrow_mut().take();
        self.numbers.borrow_mut().clear();
    }
}
