//! What the stream is asked for, as values: so that it can be kept, and captured in a graph.
//!
//! Invariant: a step allocates nothing, loads nothing and waits for nothing. What it needs, it has.

use std::rc::Rc;

use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaFunction, CudaGraph, LaunchConfig, PushKernelArg, result};
use glowgrad_tensor::Result;
use glowgrad_tensor::backend::Buffer;

use crate::device::{Block, Gpu};
use crate::product::Plan;

/// What a kernel is called with: a pointer, a number, or several in a struct.
pub(crate) enum Parameter {
    Word(u64),
    Struct(Vec<i64>),
}

impl From<usize> for Parameter {
    fn from(n: usize) -> Parameter {
        Parameter::Word(n as u64)
    }
}

/// One thing that the stream does.
pub(crate) enum Step {
    Launch {
        function: CudaFunction,
        groups: [u32; 3],
        threads: u32,
        parameters: Vec<Parameter>,
    },
    Copy {
        from: u64,
        to: u64,
        bytes: usize,
    },
    Clear {
        at: u64,
        bytes: usize,
    },
    /// `a`, `b` and the result of a product.
    Product(Rc<Plan>, [u64; 3]),
}

/// What the host does with indices before the steps that follow them.
pub(crate) enum Look {
    /// All of them name one of these rows.
    Rows { index: Buffer, rows: usize },
    /// So they do; where they put values is written to this address.
    Places { index: Buffer, rows: usize, to: u64 },
}

/// Steps that are kept instead of done.
#[derive(Default)]
pub(crate) struct List {
    pub(crate) steps: Vec<Step>,
    pub(crate) looks: Vec<Look>,
    /// What the steps alone use, beside tensors.
    pub(crate) memory: Vec<Block>,
}

impl Step {
    /// Has the stream do it.
    pub(crate) fn begin(&self, gpu: &Gpu) -> Result<()> {
        let stream = gpu.stream.cu_stream();
        let (doing, done) = match self {
            Step::Launch {
                function,
                groups: [x, y, z],
                threads,
                parameters,
            } => {
                let mut launch = gpu.stream.launch_builder(function);
                for parameter in parameters {
                    match parameter {
                        Parameter::Word(word) => launch.arg(word),
                        // The driver reads the whole struct from where it begins.
                        Parameter::Struct(words) => launch.arg(&words[0]),
                    };
                }
                let config = LaunchConfig {
                    grid_dim: (*x, *y, *z),
                    block_dim: (*threads, 1, 1),
                    shared_mem_bytes: 0,
                };
                // SAFETY: parameters are those of the entry point, in order, each as long as it is there
                // (a shorter number is the first bytes of a word); a kernel stays inside its buffers,
                // whose sizes are the task's.
                #[allow(unsafe_code)]
                let launched = unsafe { launch.launch(config) };
                ("starting a kernel", launched.map(drop))
            }
            &Step::Copy { from, to, bytes } => {
                // SAFETY: both places have this many bytes, as their tensors say.
                #[allow(unsafe_code)]
                let copied = gpu
                    .context
                    .bind_to_thread()
                    .and_then(|()| unsafe { result::memcpy_dtod_async(to, from, bytes, stream) });
                ("copying a tensor", copied)
            }
            &Step::Clear { at, bytes } => {
                // SAFETY: as above.
                #[allow(unsafe_code)]
                let cleared = gpu
                    .context
                    .bind_to_thread()
                    .and_then(|()| unsafe { result::memset_d8_async(at, 0, bytes, stream) });
                ("clearing a tensor", cleared)
            }
            Step::Product(plan, addresses) => {
                let bound = gpu.context.bind_to_thread();
                bound.map_err(|error| gpu.failed("multiplying matrices", error))?;
                return gpu.products.multiply(plan, *addresses);
            }
        };
        done.map_err(|error| gpu.failed(doing, error))
    }
}

/// Steps as a graph; none if the driver makes none of them.
pub(crate) fn capture(gpu: &Gpu, steps: &[Step]) -> Option<CudaGraph> {
    // Libraries may load a kernel when it is first asked for, which a stricter mode forbids.
    let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
    gpu.stream.begin_capture(mode).ok()?;
    let begun = steps.iter().try_for_each(|step| step.begin(gpu));
    // Ends it even after an error.
    let graph = gpu.stream.end_capture(CUgraphInstantiate_flags(0));
    begun.ok().and(graph.ok()?)
}
