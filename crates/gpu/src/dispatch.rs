//! From a task to pipelines, bindings and workgroups.
//!
//! Pipelines are kept by the structure of a kernel ([`KernelCache`]) and by the variant of a hand-written shader.

use std::cell::RefCell;
use std::collections::HashMap;
use std::convert::Infallible;
use std::rc::Rc;

use glowgrad_cpu::{Refusal, reason};
use glowgrad_tensor::alu::Value;
use glowgrad_tensor::backend::{Task, Watcher};
use glowgrad_tensor::codegen::{
    Form, KernelCache, MAX_GROUPS, Shader, Variant, epilogue, fits, shader,
};
use glowgrad_tensor::kernel::{APART, InPlace, Input, Kernel, Work};
use glowgrad_tensor::{DType, Result};

use crate::bindings::Bindings;
use crate::buffer::{GpuBuffer, word_size};
use crate::commands::{self, Command};
use crate::device::Gpu;
use crate::gpu_buffer;
use crate::pipelines::{self, Pipeline};
use crate::shaders::text_with;

/// A task and its memory, which stays even if the tensors go.
pub(crate) struct BoundTask {
    pub(crate) work: Work,
    pub(crate) inputs: Vec<Rc<GpuBuffer>>,
    /// One for each result: a routine and a reduction have one.
    pub(crate) outputs: Vec<Rc<GpuBuffer>>,
}

impl BoundTask {
    /// A task with its buffers.
    pub(crate) fn of(task: &Task) -> Result<BoundTask> {
        let (inputs, outputs) = task.ends();
        Ok(BoundTask {
            work: task.work(),
            inputs: inputs.iter().map(gpu_buffer).collect::<Result<_>>()?,
            outputs: outputs.iter().map(gpu_buffer).collect::<Result<_>>()?,
        })
    }

    /// The elements of each result.
    pub(crate) fn n_output(&self) -> usize {
        self.outputs[0].bytes() / self.work.dtype().size()
    }

    /// Each result and its dtype.
    pub(crate) fn results(&self) -> impl Iterator<Item = (&Rc<GpuBuffer>, DType)> {
        let outputs = self.outputs.iter().enumerate();
        outputs.map(|(i, output)| (output, self.work.output_dtype(i)))
    }

    /// The inputs of a kernel that lie where results go. Words of another size are in another buffer.
    fn in_place(&self, kernel: &Kernel) -> InPlace {
        let mut in_place = APART;
        for ((output, dtype), input) in self.results().zip(&mut in_place) {
            let word = word_size(dtype);
            let lies_there = |(there, read): &(&Rc<GpuBuffer>, &Input)| {
                Rc::ptr_eq(there, output) && word_size(read.dtype) == word
            };
            let found = self
                .inputs
                .iter()
                .zip(&kernel.inputs)
                .position(|pair| lies_there(&pair));
            *input = found.map(|i| i as u8);
        }
        in_place
    }
}

/// What a device can be asked to do for a task, in order.
pub(crate) struct Prepared {
    pub(crate) items: Vec<ExecItem>,
}

/// One thing to encode.
pub(crate) enum ExecItem {
    /// Every index of an input must be one of this many rows.
    Check { input: usize, rows: usize },
    /// Groups an input's indices by the rows that they name, as two further inputs: see [`grouped`].
    Group { input: usize, rows: usize },
    /// Sets the (first) result's words to zero.
    Clear,
    /// Copies an input's words into the (first) result.
    Copy { input: usize },
    /// Runs a shader; its bindings are these inputs, the results, and the uniform if it has bytes.
    Run {
        pipeline: Rc<Pipeline>,
        inputs: Vec<usize>,
        uniform: Vec<u8>,
        groups: [u32; 3],
    },
}

/// A generated shader and its pipeline, or why the device cannot have it.
type Compiled = Result<(Rc<Pipeline>, Shader), String>;

/// Pipelines by what they compute.
pub(crate) struct Dispatch {
    gpu: Rc<Gpu>,
    kernels: RefCell<KernelCache<Compiled>>,
    routines: RefCell<HashMap<Variant, Rc<Pipeline>>>,
    bindings: Bindings,
    /// Those that were asked for and are not made.
    new: RefCell<Vec<Rc<Pipeline>>>,
    watcher: RefCell<Option<Rc<Watcher>>>,
}

/// So many new pipelines take a device long enough to say so.
const MANY_PIPELINES: usize = 8;

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
            new: RefCell::default(),
            watcher: RefCell::default(),
        }
    }

    /// Sets the function that is told how many pipelines are being made.
    pub(crate) fn watch(&self, watcher: Rc<Watcher>) {
        *self.watcher.borrow_mut() = Some(watcher);
    }

    /// Makes the pipelines that were asked for.
    fn make(&self) {
        let new = self.new.take();
        let n = new.len();
        let tell = |done: usize| {
            if let (true, Some(watcher)) = (n >= MANY_PIPELINES, &*self.watcher.borrow()) {
                watcher(&format!("compiling {n} shaders"), done, n);
            }
        };
        tell(0);
        pipelines::make(&self.gpu.device(), self.gpu.precompile(), &new, tell);
        tell(n);
    }

    /// Why the device cannot have a task's memory, if so.
    pub(crate) fn lacks_memory(&self, task: &BoundTask) -> Result<(), Refusal> {
        for (output, dtype) in task.results() {
            if let Some(why) = self.gpu.lacks(dtype) {
                return Err(why.into());
            }
            if output.device_bytes(dtype) > self.gpu.most_bytes() {
                return Err(reason::large_buffer(self.gpu.most_bytes()).into());
            }
        }
        let mut inputs = task.inputs.iter();
        Ok(inputs.try_for_each(|input| input.reaches_device())?)
    }

    /// Runs a task's kernel as a shader of its own.
    pub(crate) fn run_kernel(
        &self,
        kernel: &Rc<Kernel>,
        task: &BoundTask,
    ) -> Result<ExecItem, Refusal> {
        self.kernel(kernel, Form::Whole(task.in_place(kernel)))
    }

    /// Why the device cannot compute a kernel as it is, if so.
    pub(crate) fn lacks(&self, kernel: &Kernel) -> Result<(), String> {
        // It may round to float16 on its way.
        let mut dtypes = kernel.dtypes.iter();
        let missing = dtypes.find_map(|&dtype| self.gpu.lacks(dtype));
        missing.map_or_else(|| fits(kernel), Err)
    }

    fn kernel(&self, kernel: &Rc<Kernel>, form: Form) -> Result<ExecItem, Refusal> {
        let mut kernels = self.kernels.borrow_mut();
        let compile = || Ok::<_, Infallible>(self.compile_kernel(kernel, form));
        let Ok(compiled) = kernels.get_or_compile(kernel, form, compile);
        let (pipeline, shader) = compiled.as_ref().map_err(Clone::clone)?;
        let mut uniform = Vec::new();
        for &(arg, dtype) in &shader.arguments {
            let value = Value::from_scalar(kernel.args[arg], dtype);
            let word = match value {
                Value::F32(x) => x.to_le_bytes(),
                Value::Bool(b) => u32::from(b).to_le_bytes(),
                Value::I64(i) => i32::try_from(i)
                    .map_err(|_| reason::WIDE_INTEGER)?
                    .to_le_bytes(),
                Value::U64(_) | Value::F64(_) => return Err(format!("WGSL has no {dtype}").into()),
            };
            uniform.extend(word);
        }
        Ok(ExecItem::Run {
            pipeline: pipeline.clone(),
            inputs: shader.inputs.clone(),
            uniform,
            groups: spread(shader.groups),
        })
    }

    fn compile_kernel(&self, kernel: &Rc<Kernel>, form: Form) -> Compiled {
        self.lacks(kernel)?;
        let shader = match form {
            Form::Whole(in_place) => shader(kernel, in_place),
            Form::Epilogue(_) => epilogue(kernel, 2),
        }?;
        let n_inputs = shader.inputs.len();
        let pipeline = match form {
            Form::Whole(_) => {
                let uniform = !shader.arguments.is_empty();
                self.compile(shader.source(), (n_inputs, kernel.outputs.len()), uniform)
            }
            Form::Epilogue(variant) => {
                let text = text_with(variant, kernel, &shader);
                self.compile(text, (2 + n_inputs, 1), true)
            }
        };
        Ok((pipeline, shader))
    }

    /// Runs a hand-written shader.
    pub(crate) fn run(
        &self,
        variant: Variant,
        inputs: &[usize],
        uniform: Vec<u8>,
        groups: [u32; 3],
    ) -> ExecItem {
        ExecItem::Run {
            pipeline: self.routine(variant, inputs.len()),
            inputs: inputs.to_vec(),
            uniform,
            groups,
        }
    }

    /// Runs a hand-written shader of two operands, with an epilogue if there is one.
    pub(crate) fn run_with(
        &self,
        variant: Variant,
        epilogue: Option<&Rc<Kernel>>,
        sizes: Vec<u8>,
        groups: [u32; 3],
    ) -> Result<ExecItem, Refusal> {
        let Some(kernel) = epilogue else {
            return Ok(self.run(variant, &[0, 1], sizes, groups));
        };
        let mut item = self.kernel(kernel, Form::Epilogue(variant))?;
        if let ExecItem::Run {
            inputs,
            uniform,
            groups: own,
            ..
        } = &mut item
        {
            // The kernel's input 0 is what the two operands make.
            let others = inputs.iter().map(|input| input + 1);
            *inputs = [0, 1].into_iter().chain(others).collect();
            uniform.splice(0..0, sizes);
            *own = groups;
        }
        Ok(item)
    }

    /// The pipeline of a hand-written shader.
    pub(crate) fn routine(&self, variant: Variant, n_inputs: usize) -> Rc<Pipeline> {
        let mut known = self.routines.borrow_mut();
        let pipeline = known
            .entry(variant)
            .or_insert_with(|| self.compile(variant.wgsl(), (n_inputs, 1), true));
        pipeline.clone()
    }

    /// A shader that reads and writes so many buffers.
    fn compile(&self, source: String, n_buffers: (usize, usize), uniform: bool) -> Rc<Pipeline> {
        let layout = self.bindings.layout(&self.gpu, n_buffers, uniform);
        let source = match self.gpu.numbers_in_storage() {
            true => source.replace("var<uniform>", "var<storage, read>"),
            false => source,
        };
        let pipeline = Pipeline::new(layout, source, n_buffers, uniform);
        let pipeline = Rc::new(pipeline);
        self.new.borrow_mut().push(pipeline.clone());
        pipeline
    }

    /// Asks for a shader that is none.
    pub(crate) fn ask_nonsense(&self) {
        self.compile("a shader".to_owned(), (1, 1), false);
        self.make();
    }

    /// How many pipelines were made.
    pub(crate) fn n_pipelines(&self) -> usize {
        let kernels = self.kernels.borrow();
        let made = kernels.values().filter(|compiled| compiled.is_ok());
        made.count() + self.routines.borrow().len()
    }

    /// Forgets everything that a lost device made.
    pub(crate) fn forget(&self) {
        self.new.borrow_mut().clear();
        self.kernels.borrow_mut().clear();
        self.routines.borrow_mut().clear();
        self.bindings.forget();
    }

    /// Whether the next task finds room for its numbers; otherwise what is encoded is to be sent first.
    pub(crate) fn has_room(&self, prepared: &Prepared) -> bool {
        let uniforms = prepared.items.iter().map(|item| match item {
            ExecItem::Run { uniform, .. } => uniform.len(),
            _ => 0,
        });
        self.bindings.has_room(uniforms)
    }

    /// Sends commands.
    pub(crate) fn send(&self, commands: &[Command]) {
        self.make();
        self.bindings.close(&self.gpu);
        commands::submit(&self.gpu.device(), &self.gpu.queue(), commands);
    }

    /// Adds the commands of what was prepared; returns how many shaders run.
    pub(crate) fn add(
        &self,
        prepared: &Prepared,
        task: &BoundTask,
        further: &[GpuBuffer],
        commands: &mut Vec<Command>,
    ) -> Result<usize> {
        let inputs = task.inputs.iter().map(|input| &**input);
        let sources = inputs
            .chain(further)
            .map(|input| input.device())
            .collect::<Result<Vec<wgpu::Buffer>>>()?;
        let results = task.results();
        let targets: Vec<wgpu::Buffer> = results
            .map(|(output, dtype)| output.device_for(dtype))
            .collect();
        let target = &targets[0];
        let mut n = 0;
        for item in &prepared.items {
            match item {
                ExecItem::Check { .. } | ExecItem::Group { .. } => {}
                ExecItem::Clear => commands.push(Command::Clear(target.clone())),
                ExecItem::Copy { input } => {
                    let from = sources[*input].clone();
                    let bytes = from.size().min(target.size());
                    let to = target.clone();
                    commands.push(Command::Copy {
                        from,
                        to,
                        at: 0,
                        bytes,
                    });
                }
                ExecItem::Run {
                    pipeline,
                    inputs,
                    uniform,
                    groups,
                } => {
                    n += 1;
                    let buffers = inputs.iter().map(|&i| sources[i].clone());
                    let buffers = buffers.chain(targets.iter().cloned()).collect();
                    let (group, offset) =
                        self.bindings.group(&self.gpu, pipeline, buffers, uniform);
                    commands.push(Command::Run {
                        pipeline: pipeline.clone(),
                        group,
                        offset,
                        groups: *groups,
                    });
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
