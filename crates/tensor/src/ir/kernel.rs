//! What a backend is asked to run: generated [`Kernel`]s and a short closed list of [`Routine`]s.
//!
//! A kernel is a straight line of scalar instructions over an iteration space, with at most one
//! reduction at its end. It names no op of the registry. Numbers that change from step to step
//! (Python floats, an optimiser's scalars) are run-time arguments, not part of the structure.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use smallvec::SmallVec;

use crate::alu::AluOp;
use crate::dtype::{DType, Scalar};
use crate::fused_op::FusedOp;
use crate::shape::Shape;
use crate::view::View;

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

/// What a scan carries along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScanOp {
    /// The sum so far.
    Sum,
    /// The product so far.
    Prod,
    /// The logarithm of the summed exponentials so far; of floats.
    LogAddExp,
    /// Where the largest so far is, the last one on ties; NaN wins. int64.
    ArgMax,
    /// Where the smallest so far is, the last one on ties; NaN wins. int64.
    ArgMin,
    /// `h[i] = a[i] · h[i − 1] + b[i]`, from `h[0] = b[0]`, of two sources of floats: what gradients
    /// of running products are, without a division.
    Recurrence,
}

/// What becomes of an element where a value is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScatterReduce {
    /// The value.
    Set,
    /// Their product.
    Prod,
    /// The larger; NaN wins.
    Max,
    /// The smaller; NaN wins.
    Min,
}

impl ScatterReduce {
    /// Of the word that ops use; `set` for any other.
    pub fn named(word: &str) -> ScatterReduce {
        match word {
            "prod" => ScatterReduce::Prod,
            "amax" => ScatterReduce::Max,
            "amin" => ScatterReduce::Min,
            _ => ScatterReduce::Set,
        }
    }
}

/// Work with a shape of its own that a backend implements by hand. Inputs come in the order of the
/// fields named here; outputs are row-major.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a plan has few routines")]
pub enum Routine {
    /// `out[b, m, n] = Σk a[b, m, k] · b[b, k, n]`, for float32, float64 and int64. Views have three
    /// dimensions; any strides, zero and negative too.
    MatMul {
        /// Of both operands and the result.
        dtype: DType,
        /// `[batch, m, k]`.
        a: View,
        /// `[batch, k, n]`.
        b: View,
    },
    /// `out[i, j] = source[index[i], j]`: source is row-major `[rows, inner]`, index is int64
    /// `[n]`. An index outside `0..rows` is an error.
    Gather {
        /// Of source and result.
        dtype: DType,
        /// Rows of the source.
        rows: usize,
        /// Elements a row.
        inner: usize,
        /// Rows of the result.
        n: usize,
    },
    /// `out = 0; out[index[i], j] += values[i, j]` in order of `i`: index is int64 `[n]`, values
    /// row-major `[n, inner]`; the result is `[rows, inner]`. Inputs: index, values.
    ScatterAdd {
        /// Of values and result.
        dtype: DType,
        /// Rows of the result.
        rows: usize,
        /// Elements a row.
        inner: usize,
        /// Rows of the values.
        n: usize,
    },
    /// `out = base; out[index[i], j] = how(out[index[i], j], values[i, j])` in order of `i`: index is
    /// int64 `[n]`, values row-major `[n, inner]`, base and result `[rows, inner]`. Inputs: base,
    /// index, values. What is not `Set` comes in a dtype of arithmetic that is not bool.
    Scatter {
        /// Of base, values and result.
        dtype: DType,
        /// What becomes of an element and the value put there.
        how: ScatterReduce,
        /// Rows of the result.
        rows: usize,
        /// Elements a row.
        inner: usize,
        /// Rows of the values.
        n: usize,
    },
    /// `out = base (or zeros); out[at] = value` for each part in order: what an in-place write to a
    /// view, `cat` and `stack` become. Inputs: the row-major base if there is one, then the parts'
    /// values.
    CopyInto {
        /// Of base, values and result.
        dtype: DType,
        /// Elements of base and result.
        len: usize,
        /// Whether input 0 is a base; otherwise the result starts as zeros.
        base: bool,
        /// Where to write (a view of the result) and how to read the value (a view of its own
        /// buffer with the same shape).
        parts: Vec<(View, View)>,
    },
    /// A running value along the middle of row-major `[outer, n, inner]`, for int64, uint64 and
    /// floats; float32 is carried in float64.
    Scan {
        /// How an element joins the value before it.
        op: ScanOp,
        /// Of the sources.
        dtype: DType,
        /// Product of the dimensions before.
        outer: usize,
        /// Length of the scanned dimension.
        n: usize,
        /// Product of the dimensions after.
        inner: usize,
    },
    /// `out[o, k, i]` is where the `k`-th smallest element of `source[o, :, i]` stands, equal ones
    /// in the order they came: source is row-major `[outer, n, inner]`, the result int64. NaN is
    /// larger than any number, and zeros are equal whatever their sign.
    ArgSort {
        /// Of the source.
        dtype: DType,
        /// Whether the largest comes first; equal elements keep their order all the same.
        descending: bool,
        /// Product of the dimensions before.
        outer: usize,
        /// Length of the sorted dimension.
        n: usize,
        /// Product of the dimensions after.
        inner: usize,
    },
    /// `out[r, j]` is where `values[r, j]` goes into the ascending `sorted[r, :]`, by the same
    /// halving as PyTorch's, so that unsorted rows and NaN give its answers. Inputs: row-major
    /// sorted `[rows, n]` and values `[rows, m]`; the result is int64.
    SearchSorted {
        /// Of both inputs.
        dtype: DType,
        /// Whether it goes after elements that equal it.
        right: bool,
        /// How many sequences.
        rows: usize,
        /// Length of a sequence.
        n: usize,
        /// Values a sequence.
        m: usize,
    },
    /// The first bytes of the source, as they are, in elements of another dtype; bool is 0 or 1.
    Bits {
        /// Of the result.
        to: DType,
        /// Elements of the result.
        len: usize,
    },
    /// What [`Factor`] says of row-major `[batch, m, n]` in float32 or float64. The arithmetic is
    /// float64's. Inputs: the matrices, then the right sides `[batch, n, k]` of a `Solve`.
    Factor {
        /// What of it.
        kind: Factor,
        /// Of all inputs and the result.
        dtype: DType,
        /// `[batch, m, n]`.
        sizes: [usize; 3],
        /// Columns of the right sides, or of Q.
        k: usize,
        /// Whether errors name the matrix of the batch.
        batched: bool,
    },
    /// A layer in one kernel, of float32. Only a device that says so is asked for it
    /// ([`crate::backend::Backend::has_layers`]).
    FusedOp(FusedOp),
    /// A routine and what becomes of its result: an elementwise kernel that reads it as its input 0, once
    /// and row-major. Inputs: the routine's, then the kernel's others. Only a device that says so is
    /// asked for it ([`crate::backend::Backend::takes_epilogue`]).
    WithEpilogue {
        /// What is computed first; it has no epilogue of its own.
        routine: Box<Routine>,
        /// What is stored.
        epilogue: Rc<Kernel>,
    },
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

/// What a matrix is factored for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Factor {
    /// `[batch]`: determinants.
    Det,
    /// `[batch, n, n]`: inverses. A singular matrix is an error.
    Inverse,
    /// `[batch, n, k]`: X with A X = B. A singular matrix is an error.
    Solve,
    /// `[batch, n, n]`: L with L Lᵀ = A, of which only the lower triangle is read. A matrix that is
    /// not positive-definite is an error.
    Cholesky,
    /// `[batch, m, k]`: Q of A = Q R, by Householder's reflections, with LAPACK's signs.
    QrQ,
    /// `[batch, k, n]`: R of A = Q R.
    QrR,
}

impl Factor {
    /// The error for matrix number `at` of a batch: where it fails, as LAPACK counts, is the diagonal
    /// element or leading minor `order`.
    pub fn refusal(self, at: usize, batched: bool, order: usize) -> crate::Error {
        let of = if batched {
            format!("(Batch element {at}): ")
        } else {
            String::new()
        };
        let message = match self {
            Factor::Solve => format!(
                "torch.linalg.solve: {of}The solver failed because the input matrix is singular."
            ),
            Factor::Cholesky => format!(
                "linalg.cholesky: {of}The factorization could not be completed because the input is not positive-definite (the leading minor of order {order} is not positive-definite)."
            ),
            _ => format!(
                "linalg.inv: {of}The diagonal element {order} is zero, the inversion could not be completed because the input matrix is singular."
            ),
        };
        crate::Error::new(crate::ErrorKind::LinAlg, message)
    }
}

impl Work {
    /// The dtype of what it writes.
    pub fn dtype(&self) -> DType {
        match self {
            Work::Kernel(kernel) => kernel.output_dtype(0),
            Work::Routine(routine) => routine.dtype(),
        }
    }
}

impl Routine {
    /// The dtype of what it writes.
    pub fn dtype(&self) -> DType {
        match self {
            Routine::ArgSort { .. } | Routine::SearchSorted { .. } => DType::I64,
            Routine::Scan { op, dtype, .. } => match op {
                ScanOp::ArgMax | ScanOp::ArgMin => DType::I64,
                _ => *dtype,
            },
            Routine::Bits { to, .. } => *to,
            Routine::MatMul { dtype, .. }
            | Routine::Gather { dtype, .. }
            | Routine::ScatterAdd { dtype, .. }
            | Routine::Scatter { dtype, .. }
            | Routine::CopyInto { dtype, .. }
            | Routine::Factor { dtype, .. } => *dtype,
            Routine::FusedOp(_) => DType::F32,
            Routine::WithEpilogue { epilogue, .. } => epilogue.output_dtype(0),
        }
    }

    /// What traces and benchmarks call it.
    pub fn name(&self) -> &'static str {
        match self {
            Routine::MatMul { .. } => "matmul",
            Routine::Gather { .. } => "take",
            Routine::ScatterAdd { .. } => "put_add",
            Routine::Scatter { .. } => "put",
            Routine::CopyInto { .. } => "write",
            Routine::Scan { op, .. } => match op {
                ScanOp::Sum => "cumsum",
                ScanOp::Prod => "cumprod",
                ScanOp::LogAddExp => "logcumsumexp",
                ScanOp::ArgMax => "cummax",
                ScanOp::ArgMin => "cummin",
                ScanOp::Recurrence => "recurrence",
            },
            Routine::ArgSort { .. } => "argsort",
            Routine::SearchSorted { .. } => "searchsorted",
            Routine::Bits { .. } => "bits",
            Routine::Factor { .. } => "factor",
            Routine::FusedOp(layer) => layer.name(),
            Routine::WithEpilogue { routine, .. } => routine.name(),
        }
    }
}
