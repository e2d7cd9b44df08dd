//! Routines: the short closed list of work that each backend has by hand, and what is true of each.
//!
//! A routine is a variant of [`Routine`] and its line in [`Routine::facts`]; the type of a scan or a factoring is a
//! part of it. What it computes is said by the interpreter (`interpret/routines.rs`). A device that has no kernel
//! of a routine leaves it to the CPU, which has all of them.

use std::rc::Rc;

use crate::dtype::DType;
use crate::fused_op::FusedOp;
use crate::kernel::Kernel;
pub use crate::numeric::special::Special;
use crate::view::View;

use super::factor::Factor;

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
    /// `out[i] = function(source[i])`, or of two sources `function(first[i], second[i])`, in float32 or float64. The
    /// arithmetic is float64's.
    Special {
        /// Which function.
        function: Special,
        /// Of all inputs and the result.
        dtype: DType,
        /// Elements.
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
    /// ([`crate::backend::Backend::supports_fused_op`]).
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

/// A language of the hand-written kernels in `shaders/`.
#[cfg(feature = "codegen")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShaderLanguage {
    /// For wgpu.
    Wgsl,
    /// For CUDA.
    Cuda,
}

macro_rules! thread_kernels {
    ($($kernel:ident: $file:literal $(, choosing $flag:literal)?;)+) => {
        /// A hand-written kernel whose threads each compute one element, or one line of them, and that is started by
        /// what its routine says of it ([`Launch`]): the same in WGSL and in CUDA C.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ThreadKernel {
            $(#[doc = concat!("`shaders/", $file, ".wgsl` and `shaders/cuda/", $file, ".cu`.")] $kernel,)+
        }

        #[cfg(feature = "codegen")]
        impl ThreadKernel {
            /// All of them.
            pub const ALL: &[ThreadKernel] = &[$(ThreadKernel::$kernel),+];

            /// Its file and its text in WGSL.
            pub fn wgsl(self) -> (&'static str, &'static str) {
                match self {
                    $(ThreadKernel::$kernel =>
                        ($file, include_str!(concat!("../../../../shaders/", $file, ".wgsl"))),)+
                }
            }

            /// Its file and its text in CUDA C.
            pub fn cuda(self) -> (&'static str, &'static str) {
                match self {
                    $(ThreadKernel::$kernel =>
                        ($file, include_str!(concat!("../../../../shaders/cuda/", $file, ".cu"))),)+
                }
            }

            /// The constant, true or false, that chooses between its two variants, if it has two.
            pub fn flag(self) -> Option<&'static str> {
                match self {
                    $(ThreadKernel::$kernel => [$($flag)?].first().copied(),)+
                }
            }
        }
    };
}

thread_kernels! {
    ArgSort: "argsort", choosing "DESCENDING";
    SearchSorted: "search_sorted", choosing "RIGHT";
}

/// How a [`ThreadKernel`] is started for a routine. Its parameters are the sources, the result and then the sizes.
#[derive(Debug, Clone, Copy)]
pub struct Launch {
    /// Which.
    pub kernel: ThreadKernel,
    /// Of the elements that it reads.
    pub dtype: DType,
    /// Its constant, if it has one.
    pub flag: bool,
    /// How many.
    pub threads: usize,
    /// The fields of `Sizes`, the last of which is mostly the number of threads.
    pub sizes: [usize; 3],
    /// How many elements all threads together read: beyond a device's limit the CPU is quicker.
    pub reads: usize,
}

/// Why a device leaves a routine to the CPU unless the routine says otherwise.
pub const NO_KERNEL: &str = "a routine without a kernel for GPUs";

/// What is true of a routine whatever computes it.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// What traces and benchmarks call it.
    pub name: &'static str,
    /// The dtype of what it writes.
    pub dtype: DType,
    /// The input of int64 indices, and how many rows they may name.
    pub index: Option<(usize, usize)>,
    /// What it computes, in one line of pseudo-code, where no loops are printed.
    #[cfg(feature = "codegen")]
    pub formula: &'static str,
    /// How its kernel is started, where that is all that a device has to know.
    #[cfg(feature = "codegen")]
    pub launch: Option<Launch>,
    /// Why `shaders/` has no kernel of it in WGSL and in CUDA C.
    #[cfg(feature = "codegen")]
    lacks: [Option<&'static str>; 2],
}

impl Facts {
    /// A routine that reads row-major inputs and that only the CPU has.
    pub const fn new(name: &'static str, dtype: DType) -> Facts {
        Facts {
            name,
            dtype,
            index: None,
            #[cfg(feature = "codegen")]
            formula: "",
            #[cfg(feature = "codegen")]
            launch: None,
            #[cfg(feature = "codegen")]
            lacks: [Some(NO_KERNEL); 2],
        }
    }

    /// Follows indices of this input, each of which names one of so many rows.
    pub const fn index(mut self, input: usize, rows: usize) -> Facts {
        self.index = Some((input, rows));
        self
    }

    /// Explained by this line of pseudo-code, where no loops are printed.
    #[cfg_attr(
        not(feature = "codegen"),
        allow(
            unused_mut,
            unused_variables,
            reason = "the landing page explains nothing"
        )
    )]
    #[inline(always)]
    pub const fn formula(mut self, formula: &'static str) -> Facts {
        #[cfg(feature = "codegen")]
        {
            self.formula = formula;
        }
        self
    }

    /// Whose kernel in WGSL and in CUDA C is started so.
    #[cfg_attr(
        not(feature = "codegen"),
        allow(unused_mut, unused_variables, reason = "the landing page has no GPU")
    )]
    #[inline(always)]
    pub const fn launch(mut self, launch: Launch) -> Facts {
        #[cfg(feature = "codegen")]
        {
            self.launch = Some(launch);
        }
        self.everywhere()
    }

    /// Whose kernels stand in `shaders/` for wgpu and in `shaders/cuda` for CUDA.
    pub const fn everywhere(self) -> Facts {
        self.lacks(None, None)
    }

    /// Why there is no kernel in WGSL and none in CUDA C; none where there is.
    #[cfg_attr(
        not(feature = "codegen"),
        allow(
            unused_mut,
            unused_variables,
            reason = "the landing page explains nothing"
        )
    )]
    #[inline(always)]
    pub const fn lacks(mut self, wgsl: Option<&'static str>, cuda: Option<&'static str>) -> Facts {
        #[cfg(feature = "codegen")]
        {
            self.lacks = [wgsl, cuda];
        }
        self
    }
}

impl Routine {
    /// What is true of it whatever computes it.
    pub fn facts(&self) -> Facts {
        match self {
            Routine::MatMul { dtype, .. } => Facts::new("matmul", *dtype).everywhere(),
            Routine::Gather { dtype, rows, .. } => {
                Facts::new("gather", *dtype).index(1, *rows).everywhere()
            }
            Routine::ScatterAdd { dtype, rows, .. } => Facts::new("scatter_add", *dtype)
                .index(0, *rows)
                .everywhere(),
            Routine::Scatter { dtype, rows, .. } => {
                Facts::new("scatter", *dtype).index(1, *rows).everywhere()
            }
            Routine::CopyInto { dtype, .. } => Facts::new("copy_into", *dtype).everywhere(),
            Routine::Scan { op, dtype, .. } => match op {
                ScanOp::Sum => Facts::new("cumsum", *dtype),
                ScanOp::Prod => Facts::new("cumprod", *dtype),
                ScanOp::LogAddExp => Facts::new("logcumsumexp", *dtype),
                ScanOp::ArgMax => Facts::new("cummax", DType::I64),
                ScanOp::ArgMin => Facts::new("cummin", DType::I64),
                ScanOp::Recurrence => Facts::new("recurrence", *dtype),
            }
            .everywhere(),
            Routine::ArgSort {
                dtype,
                descending,
                outer,
                n,
                inner,
            } => {
                let elements = outer * n * inner;
                Facts::new("argsort", DType::I64).launch(Launch {
                    kernel: ThreadKernel::ArgSort,
                    dtype: *dtype,
                    flag: *descending,
                    threads: elements,
                    sizes: [*n, *inner, elements],
                    reads: n.saturating_mul(elements),
                })
            }
            Routine::SearchSorted {
                dtype,
                right,
                rows,
                n,
                m,
            } => Facts::new("searchsorted", DType::I64).launch(Launch {
                kernel: ThreadKernel::SearchSorted,
                dtype: *dtype,
                flag: *right,
                threads: rows * m,
                sizes: [*n, *m, rows * m],
                reads: rows * m,
            }),
            Routine::Bits { to, .. } => Facts::new("bits", *to).lacks(
                Some("bytes taken as another dtype"),
                match to {
                    DType::Bool => Some("bytes taken as bool"),
                    _ => None,
                },
            ),
            Routine::Special {
                function, dtype, ..
            } => {
                let why = Some("special functions");
                Facts::new(function.name(), *dtype)
                    .formula("y[i] = the function of a[i], for each i")
                    .lacks(why, why)
            }
            Routine::Factor { dtype, .. } => {
                let why = Some("factoring of matrices");
                Facts::new("factor", *dtype).lacks(why, why)
            }
            Routine::FusedOp(layer) => {
                let cuda = match layer {
                    FusedOp::Pool(_) => None,
                    _ => Some("a layer in one kernel"),
                };
                Facts::new(layer.name(), DType::F32).lacks(None, cuda)
            }
            Routine::WithEpilogue { routine, epilogue } => {
                Facts::new(routine.name(), epilogue.output_dtype(0))
                    .lacks(None, Some("a routine with an epilogue"))
            }
        }
    }

    /// The dtype of what it writes.
    pub fn dtype(&self) -> DType {
        self.facts().dtype
    }

    /// What traces and benchmarks call it.
    pub fn name(&self) -> &'static str {
        self.facts().name
    }

    /// How its hand-written kernel is started, where it is a [`ThreadKernel`].
    #[cfg(feature = "codegen")]
    pub fn launch(&self) -> Option<Launch> {
        self.facts().launch
    }

    /// Why there is no kernel of it in a language, so that the CPU computes it instead; none where there is one.
    #[cfg(feature = "codegen")]
    pub fn lacks(&self, language: ShaderLanguage) -> Option<&'static str> {
        self.facts().lacks[language as usize]
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
