//! From a task to pipelines, bindings and workgroups.
//!
//! Pipelines are kept by the structure of a kernel, not by its text or its run-time numbers, so that
//! the second step of a training loop compiles nothing.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use glowgrad_tensor::backend::Watcher;
use glowgrad_tensor::explain::{MAX_GROUPS, Shader, shader};
use glowgrad_tensor::kernel::{Kernel, Work};
use glowgrad_tensor::lane::Value;
use glowgrad_tensor::{DType, Result};

use crate::bindings::{Bindings, Pipeline};
use crate::device::Gpu;
use crate::memory::{Memory, word_size};
use crate::routines::{self, Variant};

/// A task and its memory, which stays even if the tensors go.
pub(crate) struct Job {
    pub(crate) work: Work,
    pub(crate) inputs: Vec<Rc<Memory>>,
    pub(crate) output: Rc<Memory>,
}

impl Job {
    /// The elements of what it writes.
    pub(crate) fn n_output(&self) -> usize {
        self.output.bytes() / self.work.dtype().size()
    }

    /// The input of a kernel that lies where the result goes. Words of another size are in another buffer.
    fn in_place(&self, kernel: &Kernel) -> Option<usize> {
        let word = word_size(self.work.dtype());
        (0..self.inputs.len()).find(|&i| {
            Rc::ptr_eq(&self.inputs[i], &self.output) && word_size(kernel.inputs[i].dtype) == word
        })
    }
}

/// What a device can be asked to do for a job, in order.
pub(crate) struct Prepared {
    pub(crate) steps: Vec<Step>,
    /// Of the result.
    pub(crate) dtype: DType,
}

/// One thing to encode.
pub(crate) enum Step {
    /// Every index of an input must be one of this many rows.
    Check { input: usize, rows: usize },
    /// Groups an input's indices by the rows that they name, as two further inputs: see [`grouped`].
    Group { input: usize, rows: usize },
    /// Sets the result's words to zero.
    Clear,
    /// Copies an input's words into the result.
    Copy { input: usize },
    /// Runs a shader; its bindings are these inputs, the result, and the uniform if it has bytes.
    Run {
        pipeline: Rc<Pipeline>,
        inputs: Vec<usize>,
        uniform: Vec<u8>,
        groups: [u32; 3],
    },
}

struct Compiled {
    kernel: Rc<Kernel>,
    in_place: Option<usize>,
    shader: Result<(Rc<Pipeline>, Shader), String>,
}

/// Pipelines by what they compute.
pub(crate) struct Dispatch {
    gpu: Rc<Gpu>,
    kernels: RefCell<HashMap<u64, Vec<Compiled>>>,
    routines: RefCell<HashMap<Variant, Rc<Pipeline>>>,
    bindings: Bindings,
    /// Pipelines that were asked for, and that nobody has waited for.
    n_new: Cell<usize>,
    watcher: RefCell<Option<Rc<Watcher>>>,
}

/// So many new pipelines take a device long enough to say so.
const MANY_PIPELINES: usize = 8;

fn structure(kernel: &Kernel, in_place: Option<usize>) -> u64 {
    let mut hasher = DefaultHasher::new();
    kernel.hash_structure(&mut hasher);
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
            bindings: Bindings::default(),
            n_new: Cell::default(),
            watcher: RefCell::default(),
        }
    }

    /// Has somebody told how many pipelines are being made.
    pub(crate) fn watch(&self, watcher: Rc<Watcher>) {
        *self.watcher.borrow_mut() = Some(watcher);
    }

    /// Every pipeline is made: what needs them has run.
    pub(crate) fn compiled(&self) {
        let n = self.n_new.take();
        if n >= MANY_PIPELINES {
            self.tell(n, n);
        }
    }

    fn tell(&self, done: usize, total: usize) {
        if let Some(watcher) = self.watcher.borrow().as_ref() {
            watcher(&format!("compiling {total} shaders"), done, total);
        }
    }

    /// How a job runs on the device; otherwise why it cannot.
    pub(crate) fn prepare(&self, job: &Job) -> Result<Prepared, String> {
        let dtype = job.work.dtype();
        if let Some(why) = self.gpu.lacks(dtype) {
            return Err(why);
        }
        if job.output.device_bytes(dtype) > self.gpu.most_bytes() {
            return Err(format!(
                "a buffer of more than {} MiB",
                self.gpu.most_bytes() >> 20
            ));
        }
        for input in &job.inputs {
            input.reaches_device()?;
        }
        let steps = match &job.work {
            Work::Kernel(kernel) => vec![self.kernel(kernel, job.in_place(kernel))?],
            Work::Routine(routine) => routines::steps(self, routine, job)?,
        };
        Ok(Prepared { steps, dtype })
    }

    fn kernel(&self, kernel: &Rc<Kernel>, in_place: Option<usize>) -> Result<Step, String> {
        let mut kernels = self.kernels.borrow_mut();
        let known = kernels.entry(structure(kernel, in_place)).or_default();
        let at = known
            .iter()
            .position(|c| c.in_place == in_place && c.kernel.is_same_structure(kernel));
        let at = match at {
            Some(at) => at,
            None => {
                // It may round to float16 on its way.
                let missing = kernel
                    .dtypes
                    .iter()
                    .find_map(|&dtype| self.gpu.lacks(dtype));
                let made = missing.map_or_else(|| shader(kernel, in_place), Err);
                known.push(Compiled {
                    kernel: kernel.clone(),
                    in_place,
                    shader: made.map(|shader| {
                        let uniform = !shader.arguments.is_empty();
                        let source = shader.source();
                        (self.compile(&source, shader.inputs.len(), uniform), shader)
                    }),
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
    pub(crate) fn routine(&self, variant: Variant, n_inputs: usize) -> Rc<Pipeline> {
        let mut known = self.routines.borrow_mut();
        let pipeline = known
            .entry(variant)
            .or_insert_with(|| self.compile(&variant.text(), n_inputs, true));
        pipeline.clone()
    }

    /// The text of the hand-written shader that a pipeline was made of.
    pub(crate) fn text(&self, pipeline: &Rc<Pipeline>) -> Option<String> {
        let known = self.routines.borrow();
        let mut all = known.iter();
        let (variant, _) = all.find(|(_, made)| Rc::ptr_eq(made, pipeline))?;
        Some(variant.text())
    }

    fn compile(&self, source: &str, n_inputs: usize, uniform: bool) -> Rc<Pipeline> {
        let n = self.n_new.get() + 1;
        self.n_new.set(n);
        if n >= MANY_PIPELINES {
            // A browser compiles beside us, so that none of them need be done.
            self.tell(0, n);
        }
        let device = self.gpu.device();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let layout = self.bindings.layout(&device, n_inputs, uniform);
        let groups = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&groups),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Rc::new(Pipeline { pipeline, layout })
    }

    /// Asks for a shader that is none.
    pub(crate) fn ask_nonsense(&self) {
        self.compile("a shader", 1, false);
    }

    /// How many pipelines were made.
    pub(crate) fn n_pipelines(&self) -> usize {
        let kernels = self.kernels.borrow();
        let made = kernels.values().flatten().filter(|c| c.shader.is_ok());
        made.count() + self.routines.borrow().len()
    }

    /// Forgets everything that a lost device made.
    pub(crate) fn forget(&self) {
        self.kernels.borrow_mut().clear();
        self.routines.borrow_mut().clear();
        self.bindings.forget();
    }

    /// Whether the next job finds room for its numbers; otherwise what is encoded is to be sent first.
    pub(crate) fn has_room(&self, prepared: &Prepared) -> bool {
        let uniforms = prepared.steps.iter().map(|step| match step {
            Step::Run { uniform, .. } => uniform.len(),
            _ => 0,
        });
        self.bindings.has_room(uniforms)
    }

    /// Everything is encoded: the numbers go to the device.
    pub(crate) fn close(&self) {
        self.bindings.close(&self.gpu);
    }

    /// Encodes what was prepared; returns how many shaders run.
    pub(crate) fn encode(
        &self,
        prepared: &Prepared,
        job: &Job,
        further: &[Memory],
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<usize> {
        let inputs = job.inputs.iter().map(|input| &**input);
        let sources = inputs
            .chain(further)
            .map(|input| input.device())
            .collect::<Result<Vec<wgpu::Buffer>>>()?;
        let target = job.output.device_for(prepared.dtype);
        let mut n = 0;
        for step in &prepared.steps {
            match step {
                Step::Check { .. } | Step::Group { .. } => {}
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
                    let buffers = inputs.iter().map(|&i| sources[i].clone());
                    let buffers = buffers.chain([target.clone()]).collect();
                    let (group, offset) =
                        self.bindings.group(&self.gpu, pipeline, buffers, uniform);
                    let mut pass =
                        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                    pass.set_pipeline(&pipeline.pipeline);
                    pass.set_bind_group(0, &*group, offset.as_slice());
                    let [x, y, z] = *groups;
                    pass.dispatch_workgroups(x, y, z);
                }
            }
        }
        Ok(n)
    }
}

/// Positions grouped by the row that they name, in order: where each row's begin, and where the last one's
/// end; then the positions. All indices are rows.
pub(crate) fn grouped(index: &[i64], rows: usize) -> [Vec<i32>; 2] {
    let mut start = vec![0; rows + 1];
    for &row in index {
        start[row as usize + 1] += 1;
    }
    for row in 0..rows {
        start[row + 1] += start[row];
    }
    let mut next = start.clone();
    let mut order = vec![0; index.len()];
    for (position, &row) in index.iter().enumerate() {
        let at = &mut next[row as usize];
        order[*at as usize] = position as i32;
        *at += 1;
    }
    [start, order]
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn positions_are_grouped_by_row_in_their_order() {
        let [start, order] = grouped(&[2, 0, 2, 2, 0], 4);
        assert_eq!(start, [0, 2, 2, 5, 5]);
        assert_eq!(order, [1, 4, 0, 2, 3]);
    }
}
