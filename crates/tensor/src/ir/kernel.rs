//! What a backend is asked to run: generated [`Kernel`]s, and [`Routine`]s (`routine.rs`).
//!
//! A kernel is a straight line of scalar instructions over an iteration space, with at most one
//! reduction at its end. It names no op of the registry. Numbers that change from step to step
//! (Python floats, an optimiser's scalars) are run-time arguments, not part of the structure.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use smallvec::SmallVec;

use crate::alu::AluOp;
use crate::dtype::{DType, Scalar};
use crate::shape::Shape;
use crate::view::View;

pub use super::factor::{Decomposition, Factor, Failure};
pub use super::routine::{Routine, ScanOp, ScatterReduce, Special};

/// Index of an instruction within a kernel.
pub type InstrIdx = u16;

/// One step of a kernel; its result is named by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Instr {
    /// The element of an input at the current position of the iteration space.
    Load {
        /// Index into [`Kernel::inputs`].
        input: u16,
    },
    /// A run-time argument.
    Arg {
        /// Index into [`Kernel::args`].
        arg: u16,
        /// In this dtype.
        dtype: DType,
    },
    /// A scalar operation on earlier results. Operands have the same dtype, one of those arithmetic
    /// is done in ([`DType::compute`]), except that the first of `Select` is bool.
    Apply {
        /// Which one.
        op: AluOp,
        /// Operands; the first `op.arity()` count.
        src: [InstrIdx; 3],
    },
    /// An earlier result in another dtype: between dtypes of arithmetic, or between a narrow dtype
    /// and the one arithmetic on it is done in.
    Cast {
        /// The earlier result.
        src: InstrIdx,
        /// The dtype.
        to: DType,
    },
}

/// A buffer read through a view over the iteration space.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Input {
    /// Its shape is the kernel's shape; broadcast dimensions have stride 0.
    pub view: View,
    /// What it holds.
    pub dtype: DType,
}

/// Most outputs of a kernel in a plan.
pub const MAX_OUTPUTS: usize = 4;

/// For each output of a kernel, the input that lies where it goes, element for element.
pub type InPlace = [Option<u8>; MAX_OUTPUTS];

/// None of a kernel's inputs lies where an output goes.
pub const APART: InPlace = [None; MAX_OUTPUTS];

/// How elements along the reduced axes become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// Zero when empty. Floats are added in blocks, so that the error grows slowly.
    Sum,
    /// One when empty.
    Prod,
    /// NaN wins.
    Max,
    /// NaN wins.
    Min,
    /// Index along the one reduced axis of the first largest element; the first NaN wins. int64.
    ArgMax,
    /// Index along the one reduced axis of the first smallest element; the first NaN wins. int64.
    ArgMin,
}

/// A reduction at the end of a kernel, of numbers in a dtype of arithmetic; others are cast before.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reduce {
    /// How.
    pub op: ReduceOp,
    /// Axes of the iteration space, ascending. The output keeps them with size 1.
    pub axes: SmallVec<[usize; 6]>,
}

/// A fused computation.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// The iteration space. May have zero elements (a sum then yields zeros).
    pub shape: Shape,
    /// What is read.
    pub inputs: Vec<Input>,
    /// Run-time arguments.
    pub args: Vec<Scalar>,
    /// Which of them are part of an op's formula (the 0.5 of gelu), so that they change with the
    /// structure alone. What is beyond its end is not.
    pub fixed: Vec<bool>,
    /// The body; operands come before users.
    pub code: Vec<Instr>,
    /// Dtype of each instruction's result.
    pub dtypes: Vec<DType>,
    /// Instructions whose results are stored, each row-major in a buffer of its own. With a
    /// reduction there is exactly one: what is reduced.
    pub outputs: Vec<InstrIdx>,
    /// The reduction, if any.
    pub reduce: Option<Reduce>,
}

impl Kernel {
    /// Whether a run-time argument is part of an op's formula.
    pub fn is_fixed(&self, arg: usize) -> bool {
        self.fixed.get(arg) == Some(&true)
    }

    /// Whether two kernels differ in their run-time arguments alone, so that what was compiled for one
    /// serves the other.
    pub fn is_same_structure(&self, other: &Kernel) -> bool {
        let same_number = |i: usize| !self.is_fixed(i) || self.args[i].is_same(other.args[i]);
        self.shape == other.shape
            && self.code == other.code
            && self.dtypes == other.dtypes
            && self.inputs == other.inputs
            && self.outputs == other.outputs
            && self.fixed == other.fixed
            && self.reduce == other.reduce
            && (0..self.args.len()).all(same_number)
    }

    /// Hashes what kernels of the same structure have in common.
    pub fn hash_structure(&self, hasher: &mut impl Hasher) {
        self.shape.hash(hasher);
        self.code.hash(hasher);
        self.inputs.hash(hasher);
        self.outputs.hash(hasher);
        self.reduce.hash(hasher);
    }

    /// Shape of the buffers written.
    pub fn output_shape(&self) -> Shape {
        let mut shape = self.shape.clone();
        for &axis in self.reduce.iter().flat_map(|r| &r.axes) {
            shape[axis] = 1;
        }
        shape
    }

    /// Dtype of output number `i`.
    pub fn output_dtype(&self, i: usize) -> DType {
        match &self.reduce {
            Some(Reduce {
                op: ReduceOp::ArgMax | ReduceOp::ArgMin,
                ..
            }) => DType::I64,
            _ => self.dtypes[usize::from(self.outputs[i])],
        }
    }
}

/// What a task computes.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "a plan has few tasks")]
pub enum Work {
    /// A generated kernel.
    Kernel(Rc<Kernel>),
    /// A routine.
    Routine(Routine),
}

impl Work {
    /// How many buffers it writes.
    pub fn n_outputs(&self) -> usize {
        match self {
            Work::Kernel(kernel) => kernel.outputs.len(),
            Work::Routine(_) => 1,
        }
    }

    /// The dtype of output number `i`.
    pub fn output_dtype(&self, i: usize) -> DType {
        match self {
            Work::Kernel(kernel) => kernel.output_dtype(i),
            Work::Routine(routine) => routine.dtype(),
        }
    }

    /// The dtype of the first output; of a routine and of a reduction, the only one.
    pub fn dtype(&self) -> DType {
        self.output_dtype(0)
    }
}
