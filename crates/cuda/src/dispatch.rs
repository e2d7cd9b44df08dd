//! From a task to launches: generated kernels, and routines by `routines.rs`.
//!
//! What is compiled is kept by the structure of a kernel ([`KernelCache`]) and by the variant of a hand-written one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use cudarc::driver::CudaFunction;
use glowgrad_cpu::{Refusal, reason};
use glowgrad_tensor::alu::Value;
use glowgrad_tensor::backend::Buffer;
use glowgrad_tensor::codegen::{Form, KernelCache, Shader, Variant, cuda_kernel};
use glowgrad_tensor::kernel::{APART, InPlace, Kernel};
use glowgrad_tensor::{DType, Error, Scalar};

use crate::buffer::GpuBuffer;
use crate::command::Parameter;
use crate::device::Gpu;
use crate::gpu_buffer;
use crate::split::{Split, split};

/// Groups of threads in one dimension.
pub(crate) fn groups(n: usize) -> Result<[u32; 3], Refusal> {
    match i32::try_from(n) {
        Ok(n) => Ok([n as u32, 1, 1]),
        Err(_) => Err(reason::MANY_GROUPS.into()),
    }
}

struct Compiled {
    function: CudaFunction,
    shader: Shader,
}

/// Kernels by what they compute.
pub(crate) struct Dispatch {
    pub(crate) gpu: Rc<Gpu>,
    kernels: RefCell<KernelCache<Rc<Compiled>>>,
    routines: RefCell<HashMap<Variant, CudaFunction>>,
}

impl Dispatch {
    pub(crate) fn new(gpu: Rc<Gpu>) -> Dispatch {
        Dispatch {
            gpu,
            kernels: RefCell::default(),
            routines: RefCell::default(),
        }
    }

    /// Runs a generated kernel.
    pub(crate) fn kernel(
        &self,
        kernel: &Rc<Kernel>,
        inputs: &[Buffer],
        output: &Buffer,
    ) -> Result<(), Refusal> {
        if let Some(split) = split(kernel) {
            return self.in_parts(kernel, &split, inputs, output);
        }
        let mut in_place = APART;
        in_place[0] = (0..)
            .zip(inputs)
            .find(|(_, input)| input.id() == output.id())
            .map(|(i, _)| i);
        let compiled = self.compiled(kernel, in_place)?;
        let from = addresses(inputs)?;
        let to = gpu_buffer(output)?.address_for(kernel.output_dtype(0))?;
        self.start(&compiled, &kernel.args, &from, to)
    }

    /// Runs a reduction's parts, and joins them.
    fn in_parts(
        &self,
        kernel: &Kernel,
        split: &Split,
        inputs: &[Buffer],
        output: &Buffer,
    ) -> Result<(), Refusal> {
        let dtype = kernel.output_dtype(0);
        let row = split.n_output * dtype.size();
        let join = self.compiled(&split.join, APART)?;
        let from = addresses(inputs)?;
        let rows = self.gpu.take(split.n_rows * row)?;
        let address = self.gpu.address(&rows);
        for (part, first) in &split.parts {
            let compiled = self.compiled(part, APART)?;
            self.start(
                &compiled,
                &kernel.args,
                &from,
                address + (first * row) as u64,
            )?;
        }
        let to = gpu_buffer(output)?.address_for(dtype)?;
        self.start(&join, &[], &[address], to)?;
        self.gpu.give(rows);
        Ok(())
    }

    /// Starts a kernel with these run-time numbers, inputs and place of the result.
    fn start(
        &self,
        compiled: &Compiled,
        args: &[Scalar],
        from: &[u64],
        to: u64,
    ) -> Result<(), Refusal> {
        let Shader {
            inputs: read,
            arguments,
            groups: n_groups,
            threads,
            ..
        } = &compiled.shader;
        let groups = groups(*n_groups)?;
        let mut parameters = Vec::with_capacity(read.len() + 1 + arguments.len());
        parameters.extend(read.iter().map(|&input| Parameter::Word(from[input])));
        parameters.push(Parameter::Word(to));
        for &(arg, dtype) in arguments {
            parameters.push(number(Value::from_scalar(args[arg], dtype)));
        }
        self.gpu
            .launch(&compiled.function, groups, *threads, parameters)?;
        Ok(())
    }

    fn compiled(&self, kernel: &Rc<Kernel>, in_place: InPlace) -> Result<Rc<Compiled>, Refusal> {
        let compile = || -> Result<Rc<Compiled>, Refusal> {
            let shader = cuda_kernel(kernel, in_place)?;
            Ok(Rc::new(Compiled {
                function: self.gpu.compile(&shader.source())?,
                shader,
            }))
        };
        let mut kernels = self.kernels.borrow_mut();
        let compiled = kernels.get_or_compile(kernel, Form::Whole(in_place), compile)?;
        Ok(compiled.clone())
    }

    /// Runs a kernel written by hand, with a thread for each of `n` things.
    pub(crate) fn routine(
        &self,
        variant: Variant,
        n: usize,
        parameters: Vec<Parameter>,
    ) -> Result<(), Refusal> {
        const THREADS: usize = 256;
        let groups = groups(n.div_ceil(THREADS))?;
        self.routine_in(variant, groups, THREADS, parameters)
    }

    /// Runs a kernel written by hand.
    pub(crate) fn routine_in(
        &self,
        variant: Variant,
        groups: [u32; 3],
        threads: usize,
        parameters: Vec<Parameter>,
    ) -> Result<(), Refusal> {
        let known = self.routines.borrow().get(&variant).cloned();
        let function = match known {
            Some(function) => function,
            None => {
                let function = self.gpu.compile(&variant.cuda())?;
                self.routines.borrow_mut().insert(variant, function.clone());
                function
            }
        };
        self.gpu.launch(&function, groups, threads, parameters)?;
        Ok(())
    }
}

/// Where buffers lie on the device.
fn addresses(buffers: &[Buffer]) -> Result<Vec<u64>, Error> {
    let address = |buffer| gpu_buffer(buffer)?.address();
    buffers.iter().map(address).collect()
}

/// What a routine's program is given first: where the inputs lie, and where the result goes.
pub(crate) fn ends(
    inputs: &[Buffer],
    output: &GpuBuffer,
    dtype: DType,
) -> Result<Vec<Parameter>, Error> {
    let mut parameters: Vec<Parameter> = addresses(inputs)?
        .into_iter()
        .map(Parameter::Word)
        .collect();
    parameters.push(Parameter::Word(output.address_for(dtype)?));
    Ok(parameters)
}

/// A number as the first bytes of a word.
fn number(value: Value) -> Parameter {
    Parameter::Word(match value {
        Value::Bool(b) => b.into(),
        Value::I64(i) => i as u64,
        Value::U64(i) => i,
        Value::F32(x) => x.to_bits().into(),
        Value::F64(x) => x.to_bits(),
    })
}
