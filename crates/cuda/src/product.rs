//! Products of float matrices, by cuBLASLt.
//!
//! cuBLASLt counts down the columns, so that it is asked for the transposed product of transposed operands:
//! what it writes is then row-major. It is asked once for each shape how it would compute it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::from_ref;
use std::rc::Rc;
use std::sync::Arc;

use cudarc::cublaslt::result::{self, CublasError};
use cudarc::cublaslt::sys;
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DriverError};
use glowgrad_tensor::{DType, Error, Result, View};

/// What an algorithm may use beside its operands: as much as NVIDIA recommends for its largest GPUs.
const WORKSPACE: usize = 32 << 20;

/// How exactly products of float32 are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Precision {
    /// In float32.
    #[default]
    Full,
    /// Factors are rounded to 10 bits of fraction: tensor cores, about 1e-3 off.
    Tf32,
    /// Factors are rounded to bfloat16, 7 bits of fraction: tensor cores, about 1e-2 off.
    BFloat16,
}

/// A matrix as cuBLASLt takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Layout {
    is_transposed: bool,
    /// From one column to the next.
    step: i64,
    /// From one matrix of the batch to the next.
    batch: i64,
}

/// How cuBLASLt can read a view `[batch, rows, columns]` transposed; none if no dimension is contiguous.
pub(crate) fn layout(view: &View) -> Option<Layout> {
    let [batch, rows, columns] = [0, 1, 2].map(|i| (view.shape[i], view.strides[i]));
    let follows = |(n, stride): (usize, isize)| n == 1 || stride == 1;
    let step = |(n, stride): (usize, isize), below: usize| -> Option<i64> {
        let least = below.max(1);
        match usize::try_from(stride) {
            _ if n == 1 => i64::try_from(least).ok(),
            Ok(stride) if stride >= least => i64::try_from(stride).ok(),
            _ => None,
        }
    };
    let (is_transposed, step) =
        if let (true, Some(step)) = (follows(columns), step(rows, columns.0)) {
            (false, step)
        } else if let (true, Some(step)) = (follows(rows), step(columns, rows.0)) {
            (true, step)
        } else {
            return None;
        };
    let batch = if batch.0 == 1 { 0 } else { batch.1 };
    (batch >= 0).then_some(Layout {
        is_transposed,
        step,
        batch: batch as i64,
    })
}

/// What tells one product from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    is_double: bool,
    precision: Precision,
    batch: i32,
    m: usize,
    k: usize,
    n: usize,
    a: Layout,
    b: Layout,
    /// What the addresses of a, b and the result are multiples of.
    alignments: [u32; 3],
}

impl Shape {
    /// The product of these views, where they lie at these addresses; none if cuBLASLt has no layout for
    /// one of them.
    pub(crate) fn new(
        dtype: DType,
        precision: Precision,
        (a, b): (&View, &View),
        addresses: [u64; 3],
    ) -> Option<Shape> {
        let is_double = dtype == DType::F64;
        Some(Shape {
            is_double,
            precision: match is_double {
                true => Precision::Full,
                false => precision,
            },
            batch: i32::try_from(a.shape[0]).ok()?,
            m: a.shape[1],
            k: a.shape[2],
            n: b.shape[2],
            a: layout(a)?,
            b: layout(b)?,
            alignments: addresses.map(|address| 1 << address.trailing_zeros().min(8)),
        })
    }

    fn kind(&self) -> sys::cudaDataType {
        match self.is_double {
            true => sys::cudaDataType::CUDA_R_64F,
            false => sys::cudaDataType::CUDA_R_32F,
        }
    }

    fn compute(&self) -> sys::cublasComputeType_t {
        use sys::cublasComputeType_t::*;
        match (self.is_double, self.precision) {
            (true, _) => CUBLAS_COMPUTE_64F,
            (_, Precision::Full) => CUBLAS_COMPUTE_32F,
            (_, Precision::Tf32) => CUBLAS_COMPUTE_32F_FAST_TF32,
            (_, Precision::BFloat16) => CUBLAS_COMPUTE_32F_FAST_16BF,
        }
    }

    fn failed(&self, error: CublasError) -> Error {
        let Shape { m, k, n, .. } = self;
        Error::runtime(format!(
            "cuda: a product of {m} × {k} and {k} × {n}: {error}; use a smaller shape or --device cpu"
        ))
    }
}

/// Something of cuBLASLt's, which goes with what makes it go.
struct Owned<T: Copy>(T, unsafe fn(T) -> Result<(), CublasError>);

impl<T: Copy> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: it is this one's own. An error here has no reader.
        #[allow(unsafe_code)]
        let _ = unsafe { self.1(self.0) };
    }
}

type Matrix = Owned<sys::cublasLtMatrixLayout_t>;

/// A matrix of `rows` elements a column, `step` from one column to the next.
fn matrix(
    shape: &Shape,
    (rows, columns): (usize, usize),
    step: i64,
    batch: i64,
) -> Result<Matrix, CublasError> {
    use sys::cublasLtMatrixLayoutAttribute_t::*;
    let made = result::create_matrix_layout(shape.kind(), rows as u64, columns as u64, step)?;
    let matrix = Owned(made, result::destroy_matrix_layout);
    // SAFETY: the layout is there, and each number has the type that the attribute asks for.
    #[allow(unsafe_code)]
    unsafe {
        let count = CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT;
        result::set_matrix_layout_attribute(made, count, from_ref(&shape.batch).cast(), 4)?;
        let offset = CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET;
        result::set_matrix_layout_attribute(made, offset, from_ref(&batch).cast(), 8)?;
    }
    Ok(matrix)
}

/// A view of so many rows and columns, transposed.
fn transposed(
    shape: &Shape,
    layout: Layout,
    (rows, columns): (usize, usize),
) -> Result<Matrix, CublasError> {
    let sizes = match layout.is_transposed {
        false => (columns, rows),
        true => (rows, columns),
    };
    matrix(shape, sizes, layout.step, layout.batch)
}

/// How a product is computed.
pub(crate) struct GemmConfig {
    shape: Shape,
    product: Owned<sys::cublasLtMatmulDesc_t>,
    a: Matrix,
    b: Matrix,
    out: Matrix,
    algorithm: sys::cublasLtMatmulAlgo_t,
}

impl GemmConfig {
    /// The quickest way, as far as cuBLASLt can tell.
    fn new(handle: sys::cublasLtHandle_t, shape: Shape) -> Result<GemmConfig, CublasError> {
        use sys::cublasLtMatmulDescAttributes_t::*;
        use sys::cublasLtMatmulPreferenceAttributes_t::*;
        // CUBLAS_OP_N is 0, CUBLAS_OP_T is 1.
        let operation = |layout: Layout| i32::from(layout.is_transposed);
        let Shape { m, k, n, .. } = shape;
        let product = result::create_matmul_desc(shape.compute(), shape.kind())?;
        let product = Owned(product, result::destroy_matmul_desc);
        let a = transposed(&shape, shape.a, (m, k))?;
        let b = transposed(&shape, shape.b, (k, n))?;
        let out = matrix(&shape, (n, m), n as i64, (m * n) as i64)?;
        let wish = Owned(result::create_matmul_pref()?, result::destroy_matmul_pref);
        let operations = [
            (CUBLASLT_MATMUL_DESC_TRANSA, operation(shape.b)),
            (CUBLASLT_MATMUL_DESC_TRANSB, operation(shape.a)),
        ];
        let workspace = WORKSPACE as u64;
        let [of_a, of_b, of_out] = shape.alignments;
        let alignments = [
            (CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, of_b),
            (CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, of_a),
            (CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, of_out),
            (CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, of_out),
        ];
        // SAFETY: descriptions are there until they are dropped, and so are the numbers, each of the type
        // that its attribute asks for.
        #[allow(unsafe_code)]
        let found = unsafe {
            for (attribute, operation) in &operations {
                let operation = from_ref(operation).cast();
                result::set_matmul_desc_attribute(product.0, *attribute, operation, 4)?;
            }
            let attribute = CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES;
            result::set_matmul_pref_attribute(wish.0, attribute, from_ref(&workspace).cast(), 8)?;
            for (attribute, alignment) in &alignments {
                let alignment = from_ref(alignment).cast();
                result::set_matmul_pref_attribute(wish.0, *attribute, alignment, 4)?;
            }
            result::get_matmul_algo_heuristic(handle, product.0, b.0, a.0, out.0, out.0, wish.0)?
        };
        Ok(GemmConfig {
            shape,
            product,
            a,
            b,
            out,
            algorithm: found.algo,
        })
    }
}

/// cuBLASLt on a stream.
pub(crate) struct Products {
    handle: Owned<sys::cublasLtHandle_t>,
    stream: Arc<CudaStream>,
    /// One product runs at a time.
    workspace: CudaSlice<u8>,
    /// None for what it has no algorithm for.
    configs: RefCell<HashMap<Shape, Option<Rc<GemmConfig>>>>,
}

impl Products {
    pub(crate) fn new(stream: &Arc<CudaStream>) -> Result<Products> {
        let failed = |error: String| {
            Error::runtime(format!(
                "cuda: cuBLASLt does not begin: {error}; use --device cpu"
            ))
        };
        let handle = result::create_handle().map_err(|error| failed(error.to_string()))?;
        // SAFETY: an algorithm writes there before it reads.
        #[allow(unsafe_code)]
        let workspace = unsafe { stream.alloc::<u8>(WORKSPACE) };
        Ok(Products {
            handle: Owned(handle, result::destroy_handle),
            stream: stream.clone(),
            workspace: workspace.map_err(|error: DriverError| failed(error.to_string()))?,
            configs: RefCell::default(),
        })
    }

    /// How to compute a product; none if cuBLASLt cannot.
    ///
    /// # Errors
    /// What else it says.
    pub(crate) fn config(&self, shape: Shape) -> Result<Option<Rc<GemmConfig>>> {
        if let Some(known) = self.configs.borrow().get(&shape) {
            return Ok(known.clone());
        }
        let config = match GemmConfig::new(self.handle.0, shape) {
            Ok(config) => Some(Rc::new(config)),
            Err(CublasError(sys::cublasStatus_t::CUBLAS_STATUS_NOT_SUPPORTED)) => None,
            Err(error) => return Err(shape.failed(error)),
        };
        self.configs.borrow_mut().insert(shape, config.clone());
        Ok(config)
    }

    /// `out = a · b` at these addresses, which are aligned as the configuration's.
    pub(crate) fn multiply(&self, config: &GemmConfig, [a, b, out]: [u64; 3]) -> Result<()> {
        let shape = &config.shape;
        let (double, float) = ([1f64, 0.0], [1f32, 0.0]);
        let [one, zero]: [*const c_void; 2] = match shape.is_double {
            true => [from_ref(&double[0]).cast(), from_ref(&double[1]).cast()],
            false => [from_ref(&float[0]).cast(), from_ref(&float[1]).cast()],
        };
        // SAFETY: the views lie inside their buffers, as the routine says, and the layouts are the
        // views'; the numbers are on the host and are read before the call returns.
        #[allow(unsafe_code)]
        let done = unsafe {
            result::matmul(
                self.handle.0,
                config.product.0,
                one,
                zero,
                b as *const c_void,
                config.b.0,
                a as *const c_void,
                config.a.0,
                out as *const c_void,
                config.out.0,
                out as *mut c_void,
                config.out.0,
                &config.algorithm,
                self.workspace.device_ptr(&self.stream).0 as *mut c_void,
                WORKSPACE,
                self.stream.cu_stream().cast(),
            )
        };
        done.map_err(|error| shape.failed(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(shape: [usize; 3], strides: [isize; 3]) -> View {
        View {
            strides: strides.as_slice().into(),
            ..View::contiguous(&shape)
        }
    }

    #[test]
    fn layouts_are_found_where_a_dimension_is_contiguous() {
        let found = |shape, strides| layout(&view(shape, strides));
        let of = |is_transposed, step, batch| {
            Some(Layout {
                is_transposed,
                step,
                batch,
            })
        };
        assert_eq!(found([2, 3, 4], [12, 4, 1]), of(false, 4, 12));
        assert_eq!(found([2, 3, 4], [12, 1, 3]), of(true, 3, 12));
        // One matrix for all of a batch; rows of a wider matrix.
        assert_eq!(found([5, 3, 4], [0, 10, 1]), of(false, 10, 0));
        // A column, and a row: the stride of a dimension of one element says nothing.
        assert_eq!(found([1, 3, 1], [0, 1, 7]), of(false, 1, 0));
        assert_eq!(found([1, 1, 4], [9, 9, 2]), of(true, 2, 0));
        // Flipped, broadcast and taken by twos.
        assert_eq!(found([1, 3, 4], [0, -4, 1]), None);
        assert_eq!(found([1, 3, 4], [0, 0, 1]), None);
        assert_eq!(found([1, 3, 4], [0, 8, 2]), None);
        assert_eq!(found([2, 3, 4], [-12, 4, 1]), None);
    }

    #[test]
    fn a_product_is_known_again_by_what_its_algorithm_depends_on() {
        let (a, b) = (View::contiguous(&[2, 3, 4]), View::contiguous(&[2, 4, 5]));
        let shape = |dtype, precision, addresses| Shape::new(dtype, precision, (&a, &b), addresses);
        let known = shape(DType::F32, Precision::Full, [512, 1024, 768]).unwrap();
        assert_eq!((known.batch, known.m, known.k, known.n), (2, 3, 4, 5));
        assert_eq!(known.alignments, [256; 3]);
        let same = shape(DType::F32, Precision::Full, [256, 256, 1 << 40]);
        assert_eq!(same, Some(known));
        // Where an operand begins in the middle of a buffer, not every algorithm can read it.
        let inside = shape(DType::F32, Precision::Full, [512 + 20, 1024, 768]).unwrap();
        assert_eq!(inside.alignments, [4, 256, 256]);
        assert_ne!(inside, known);
        let coarser = shape(DType::F32, Precision::Tf32, [256; 3]);
        assert_ne!(coarser, Some(known));
        // A choice for float32 is none for float64.
        let double = shape(DType::F64, Precision::Tf32, [256; 3]);
        assert_eq!(double, shape(DType::F64, Precision::Full, [256; 3]));
        let flipped = view([2, 3, 4], [12, -4, 1]);
        let none = Shape::new(DType::F32, Precision::Full, (&flipped, &b), [256; 3]);
        assert_eq!(none, None);
    }
}
