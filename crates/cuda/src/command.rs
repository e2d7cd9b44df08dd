//! What the stream is asked for, as values: so that it can be kept, and captured in a graph.
//!
//! Invariant: a command allocates nothing, loads nothing and waits for nothing. What it needs, it has.

use std::rc::Rc;

use cudarc::driver::{CudaFunction, CudaSlice};
use glowgrad_tensor::backend::Buffer;

use crate::product::GemmConfig;

/// Bytes on the device.
pub(crate) type Block = CudaSlice<u8>;

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
pub(crate) enum Command {
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
    Product(Rc<GemmConfig>, [u64; 3]),
}

/// What the host does with indices before the commands that follow them.
pub(crate) enum Look {
    /// All of them name one of these rows.
    Rows { index: Buffer, rows: usize },
    /// So they do; where they put values is written to this address.
    Places { index: Buffer, rows: usize, to: u64 },
}

/// Commands that are kept instead of done.
#[derive(Default)]
pub(crate) struct CommandList {
    pub(crate) commands: Vec<Command>,
    pub(crate) looks: Vec<Look>,
    /// What the commands alone use, beside tensors.
    pub(crate) memory: Vec<Block>,
}
