//! From a task to pipelines, bindings and workgroups.
//!
//! Pipelines are kept by the structure of a kernel, not by its text or its run-time numbers, so that
//! the second step of a training loop compiles nothing.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use glowgrad_tensor::backend::{Buffer, Task};
use glowgrad_tensor::explain::{MAX_GROUPS, Shader, shader};
use glowgrad_tensor::kernel::{Kernel, Routine};
use glowgrad_tensor::lane::Value;
use glowgrad_tensor::{DType, Result};

use crate::device::Gpu;
use crate::memory::{Storage, has_word};
use crate::routines::{self, Variant};
use crate::storage;

/// What a device can be asked to do for a task, in order.
pub(crate) struct Prepared {
    pub(crate) steps: Vec<Step>,
    /// Of the result.
    pub(crate) dtype: DType,
}

/// One thing to encode.
pub(crate) enum Step {
    /// Every index of an input must be one of this many rows.
    Check { input: usize, rows: usize },
    /// Sets the result's words to zero.
    Clear,
    /// Copies an input's words into the result.
    Copy { input: usize },
    /// Runs a shader; its bindings are these inputs, the result, and the uniform if it has bytes.
    Run {
        pipeline: Rc<wgpu::ComputePipeline>,
        inputs: Vec<usize>,
        uniform: Vec<u8>,
        groups: [u32; 3],
    },
}

/// The dtype that a task writes.
pub(crate) fn output_dtype(task: &Task) -> DType {
    match task {
        Task::Kernel { kernel, .. } => kernel.output_dtype(0),
        Task::Routine { routine, .. } => match routine {
            Routine::ArgSort { .. } | Routine::SearchSorted { .. } => DType::I64,
            Routine::Scan { op, dtype, .. } => routines::scan_dtype(*op, *dtype),
            Routine::Bits { to, .. } => *to,
            Routine::MatMul { dtype, .. }
            | Routine::Take { dtype, .. }
            | Routine::PutAdd { dtype, .. }
            | Routine::Put { dtype, .. }
            | Routine::Write { dtype, .. }
            | Routine::Factor { dtype, .. } => *dtype,
        },
    }
}

struct Compiled {
    kernel: Rc<Kernel>,
    in_place: Option<usize>,
    shader: Result<(Rc<wgpu::ComputePipeline>, Shader), String>,
}

/// Pipelines by what they compute.
pub(crate) struct Dispatch {
    gpu: Rc<Gpu>,
    kernels: RefCell<HashMap<u64, Vec<Compiled>>>,
    routines: RefCell<HashMap<Variant, Rc<wgpu::ComputePipeline>>>,
}

/// Whether two kernels differ in their run-time arguments alone.
fn same_structure(a: &Kernel, b: &Kernel) -> bool {
    a.shape == b.shape
        && a.code == b.code
        && a.dtypes == b.dtypes
        && a.inputs == b.inputs
        && a.outputs == b.outputs
        && a.fixed == b.fixed
        && (0..a.args.len()).all(|i| !a.is_fixed(i) || a.args[i].is_same(b.args[i]))
        && a.reduce == b.reduce
}

fn structure(kernel: &Kernel, in_place: Option<usize>) -> u64 {
    let mut hasher = DefaultHasher::new();
    kernel.shape.hash(&mut hasher);
    kernel.code.hash(&mut hasher);
    kernel.inputs.hash(&mut hasher);
    kernel.reduce.hash(&mut hasher);
    in_place.hash(&mut hasher);
    hasher.finish()
}

/// Workgroups in two dimensions; what is beyond their number does nothing.
pub(crate) fn spread(groups: usize) -> [u32; 3] {
    if groups <= MAX_GROUPS {
        return [groups as u32, 1, 1];
    }
    let rows = groups.div_ceil(MAX_GROUPS);
    [groups.div_ceil(rows) as u32, rows as u32, 1]
}

impl Dispatch {
    pub(crate) fn new(gpu: Rc<Gpu>) -> Dispatch {
        Dispatch {
            gpu,
            kernels: RefCell::default(),
            routines: RefCell::default(),
        }
    }

    /// How a task runs on the device; otherwise why it cannot.
    pub(crate) fn prepare(&self, task: &Task) -> Result<Prepared, String> {
        let (inputs, output) = crate::ends(task);
        let dtype = output_dtype(task);
        if !has_word(dtype) {
            return Err(format!("WGSL has no {dtype}"));
        }
        if (output.bytes() / dtype.size()) as u64 * 4 > self.gpu.most_bytes {
            return Err(format!(
                "a buffer of more than {} MiB",
                self.gpu.most_bytes >> 20
            ));
        }
        for input in inputs {
            let input = storage(input).map_err(|error| error.to_string())?;
            input.reaches_device()?;
        }
        let steps = match task {
            Task::Kernel { kernel, .. } => vec![self.kernel(kernel, inputs, output)?],
            Task::Routine { routine, .. } => {
                let n_output = output.bytes() / dtype.size();
                routines::steps(self, routine, inputs, n_output)?
            }
        };
        Ok(Prepared { steps, dtype })
    }

    fn kernel(
        &self,
        kernel: &Rc<Kernel>,
        inputs: &[Buffer],
        output: &Buffer,
    ) -> Result<Step, String> {
        let in_place = inputs.iter().position(|input| input.id() == output.id());
        let mut kernels = self.kernels.borrow_mut();
        let known = kernels.entry(structure(kernel, in_place)).or_default();
        let at = known
            .iter()
            .position(|c| c.in_place == in_place && same_structure(&c.kernel, kernel));
        let at = match at {
            Some(at) => at,
            None => {
                let made = shader(kernel, in_place);
                known.push(Compiled {
                    kernel: kernel.clone(),
                    in_place,
                    shader: made.map(|shader| (self.compile(&shader.source()), shader)),
                });
                known.len() - 1
            }
        };
        let (pipeline, shader) = known[at].shader.as_ref().map_err(Clone::clone)?;
        let mut uniform = Vec::new();
        for &(arg, dtype) in &shader.arguments {
            let value = Value::from_scalar(kernel.args[arg], dtype);
            let word = match value {
                Value::F32(x) => x.to_le_bytes(),
                Value::Bool(b) => u32::from(b).to_le_bytes(),
                Value::I64(i) => i32::try_from(i)
                    .map_err(|_| "an int64 beyond 32 bits".to_owned())?
                    .to_le_bytes(),
                Value::U64(_) | Value::F64(_) => return Err(format!("WGSL has no {dtype}")),
            };
            uniform.extend(word);
        }
        Ok(Step::Run {
            pipeline: pipeline.clone(),
            inputs: shader.inputs.clone(),
            uniform,
            groups: spread(shader.groups),
        })
    }

    /// The pipeline of a hand-written shader.
    pub(crate) fn routine(&self, variant: Variant) -> Rc<wgpu::ComputePipeline> {
        let mut known = self.routines.borrow_mut();
        let pipeline = known
            .entry(variant)
            .or_insert_with(|| self.compile(&variant.text()));
        pipeline.clone()
    }

    fn compile(&self, source: &str) -> Rc<wgpu::ComputePipeline> {
        let device = &self.gpu.device;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let descriptor = wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        };
        Rc::new(device.create_compute_pipeline(&descriptor))
    }

    /// Encodes what was prepared; returns how many shaders run.
    pub(crate) fn encode(
        &self,
        prepared: &Prepared,
        inputs: &[Buffer],
        output: &Storage,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<usize> {
        let sources = inputs
            .iter()
            .map(|input| storage(input)?.device())
            .collect::<Result<Vec<wgpu::Buffer>>>()?;
        let target = output.device_for(prepared.dtype);
        let mut n = 0;
        for step in &prepared.steps {
            match step {
                Step::Check { .. } => {}
                Step::Clear => encoder.clear_buffer(&target, 0, None),
                Step::Copy { input } => {
                    let source = &sources[*input];
                    let bytes = source.size().min(target.size());
                    encoder.copy_buffer_to_buffer(source, 0, &target, 0, bytes);
                }
                Step::Run {
                    pipeline,
                    inputs,
                    uniform,
                    groups,
                } => {
                    n += 1;
                    let uniform = (!uniform.is_empty()).then(|| self.uniform(uniform));
                    let buffers = inputs.iter().map(|&i| &sources[i]).chain([&target]);
                    let entries: Vec<wgpu::BindGroupEntry<'_>> = buffers
                        .chain(&uniform)
                        .zip(0..)
                        .map(|(buffer, binding)| wgpu::BindGroupEntry {
                            binding,
                            resource: buffer.as_entire_binding(),
                        })
                        .collect();
                    let group = self
                        .gpu
                        .device
                        .create_bind_group(&wgpu::BindGroupDescriptor {
                            label: None,
                            layout: &pipeline.get_bind_group_layout(0),
                            entries: &entries,
                        });
                    let mut pass =
                        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                    pass.set_pipeline(pipeline);
                    pass.set_bind_group(0, &group, &[]);
                    let [x, y, z] = *groups;
                    pass.dispatch_workgroups(x, y, z);
                }
            }
        }
        Ok(n)
    }

    fn uniform(&self, bytes: &[u8]) -> wgpu::Buffer {
        let buffer = self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes.len().next_multiple_of(16) as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: true,
        });
        if let Ok(mut mapped) = buffer.get_mapped_range_mut(..) {
            mapped.slice(..bytes.len()).copy_from_slice(bytes);
        }
        buffer.unmap();
        buffer
    }
}
