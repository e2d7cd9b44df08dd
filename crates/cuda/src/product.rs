//! Products of float matrices, by cuBLAS.
//!
//! cuBLAS counts down the columns, so that it is asked for the transposed product of transposed operands:
//! what it writes is then row-major.

use std::sync::Arc;

use cudarc::cublas::{result, sys};
use cudarc::driver::CudaStream;
use glowgrad_tensor::{DType, Error, Result, View};

/// How exactly products of float32 are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// In float32.
    #[default]
    Full,
    /// Factors are rounded to 10 bits of fraction: tensor cores, about 1e-3 off.
    Tf32,
    /// Factors are rounded to bfloat16, 7 bits of fraction: tensor cores, about 1e-2 off.
    BFloat16,
}

/// cuBLAS on a stream.
pub(crate) struct Cublas {
    handle: sys::cublasHandle_t,
    /// Outlives the handle's work.
    _stream: Arc<CudaStream>,
}

/// A matrix as cuBLAS takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    operation: sys::cublasOperation_t,
    /// From one column to the next.
    step: i32,
    /// From one matrix of the batch to the next.
    batch: i64,
}

/// How cuBLAS can read a view `[batch, rows, columns]` transposed; none if no dimension is contiguous.
pub(crate) fn layout(view: &View) -> Option<Layout> {
    let [batch, rows, columns] = [0, 1, 2].map(|i| (view.shape[i], view.strides[i]));
    let follows = |(n, stride): (usize, isize)| n == 1 || stride == 1;
    let step = |(n, stride): (usize, isize), below: usize| -> Option<i32> {
        let least = below.max(1);
        match usize::try_from(stride) {
            _ if n == 1 => i32::try_from(least).ok(),
            Ok(stride) if stride >= least => i32::try_from(stride).ok(),
            _ => None,
        }
    };
    let (operation, step) = if let (true, Some(step)) = (follows(columns), step(rows, columns.0)) {
        (sys::cublasOperation_t::CUBLAS_OP_N, step)
    } else if let (true, Some(step)) = (follows(rows), step(columns, rows.0)) {
        (sys::cublasOperation_t::CUBLAS_OP_T, step)
    } else {
        return None;
    };
    let batch = if batch.0 == 1 { 0 } else { batch.1 };
    (batch >= 0).then_some(Layout {
        operation,
        step,
        batch: batch as i64,
    })
}

impl Cublas {
    pub(crate) fn new(stream: &Arc<CudaStream>) -> Result<Cublas> {
        let failed = |error: result::CublasError| {
            Error::runtime(format!(
                "cuda: cuBLAS does not begin: {error}; use --device cpu"
            ))
        };
        let handle = result::create_handle().map_err(failed)?;
        let cublas = Cublas {
            handle,
            _stream: stream.clone(),
        };
        // SAFETY: both are valid, and the stream is kept.
        #[allow(unsafe_code)]
        let set = unsafe { result::set_stream(handle, stream.cu_stream().cast()) };
        set.map_err(failed)?;
        Ok(cublas)
    }

    /// `out = a · b` of these views, layouts and addresses; their sizes fit 32 bits.
    pub(crate) fn multiply(
        &self,
        dtype: DType,
        precision: Precision,
        (a, b): (&View, &View),
        (a_layout, b_layout): (Layout, Layout),
        [a_at, b_at, out]: [u64; 3],
    ) -> Result<()> {
        use sys::cublasComputeType_t::*;
        let (kind, compute) = match (dtype, precision) {
            (DType::F64, _) => (sys::cudaDataType_t::CUDA_R_64F, CUBLAS_COMPUTE_64F),
            (_, Precision::Full) => (sys::cudaDataType_t::CUDA_R_32F, CUBLAS_COMPUTE_32F),
            (_, Precision::Tf32) => (
                sys::cudaDataType_t::CUDA_R_32F,
                CUBLAS_COMPUTE_32F_FAST_TF32,
            ),
            (_, Precision::BFloat16) => (
                sys::cudaDataType_t::CUDA_R_32F,
                CUBLAS_COMPUTE_32F_FAST_16BF,
            ),
        };
        let (m, k, n) = (a.shape[1], a.shape[2], b.shape[2]);
        let start = |address: u64, view: &View| {
            let bytes = view.offset.unsigned_abs() * dtype.size();
            (address + bytes as u64) as *const std::ffi::c_void
        };
        let (one, zero) = ([1f64], [0f64]);
        let (one32, zero32) = ([1f32], [0f32]);
        let numbers: [*const std::ffi::c_void; 2] = match dtype {
            DType::F64 => [one.as_ptr().cast(), zero.as_ptr().cast()],
            _ => [one32.as_ptr().cast(), zero32.as_ptr().cast()],
        };
        // SAFETY: the views lie inside their buffers, as the routine says, and the layouts are the
        // views'; the numbers are on the host and are read before the call returns.
        #[allow(unsafe_code)]
        let done = unsafe {
            result::gemm_strided_batched_ex(
                self.handle,
                b_layout.operation,
                a_layout.operation,
                n as i32,
                m as i32,
                k as i32,
                numbers[0],
                start(b_at, b),
                kind,
                b_layout.step,
                b_layout.batch,
                start(a_at, a),
                kind,
                a_layout.step,
                a_layout.batch,
                numbers[1],
                out as *mut std::ffi::c_void,
                kind,
                n as i32,
                (m * n) as i64,
                a.shape[0] as i32,
                compute,
                sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            )
        };
        done.map_err(|error| {
            Error::runtime(format!(
                "cuda: a product of {m} × {k} and {k} × {n}: {error}; use a smaller shape or --device cpu"
            ))
        })
    }
}

impl Drop for Cublas {
    fn drop(&mut self) {
        // SAFETY: the handle is this one's own, and goes with it. There is nobody to tell of an error.
        #[allow(unsafe_code)]
        let _ = unsafe { result::destroy_handle(self.handle) };
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
        use sys::cublasOperation_t::{CUBLAS_OP_N, CUBLAS_OP_T};
        let found = |shape, strides| layout(&view(shape, strides));
        let of = |operation, step, batch| {
            Some(Layout {
                operation,
                step,
                batch,
            })
        };
        assert_eq!(found([2, 3, 4], [12, 4, 1]), of(CUBLAS_OP_N, 4, 12));
        assert_eq!(found([2, 3, 4], [12, 1, 3]), of(CUBLAS_OP_T, 3, 12));
        // One matrix for all of a batch; rows of a wider matrix.
        assert_eq!(found([5, 3, 4], [0, 10, 1]), of(CUBLAS_OP_N, 10, 0));
        // A column, and a row: the stride of a dimension of one element says nothing.
        assert_eq!(found([1, 3, 1], [0, 1, 7]), of(CUBLAS_OP_N, 1, 0));
        assert_eq!(found([1, 1, 4], [9, 9, 2]), of(CUBLAS_OP_T, 2, 0));
        // Flipped, broadcast and taken by twos.
        assert_eq!(found([1, 3, 4], [0, -4, 1]), None);
        assert_eq!(found([1, 3, 4], [0, 0, 1]), None);
        assert_eq!(found([1, 3, 4], [0, 8, 2]), None);
        assert_eq!(found([2, 3, 4], [-12, 4, 1]), None);
    }
}
