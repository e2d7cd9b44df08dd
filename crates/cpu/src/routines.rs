//! The routines: [`run_routine`] says which loop runs which. Gather, scatter-add, scatter and copy-into stand here; what goes
//! along a line in order (`scan`, `order`), products (`gemm.rs`) and factoring (`factor.rs`) have files of their own.
//!
//! Those here, but for the adding ones, move bytes and do not care what they mean.

#[cfg(feature = "full")]
mod fused_op;
#[cfg(feature = "full")]
mod keys;
#[cfg(feature = "full")]
pub(crate) mod order;
#[cfg(feature = "full")]
pub(crate) mod scan;

use bytemuck::{Pod, cast_slice, cast_slice_mut};
#[cfg(feature = "full")]
use glowgrad_tensor::kernel::Special;
use glowgrad_tensor::kernel::{Routine, ScatterReduce};
use glowgrad_tensor::{DType, Error, Result, View, interrupt};

use crate::layout::Layout;
use crate::{Level, Pool, gemm};
#[cfg(feature = "full")]
use crate::{factor, host::Host, run_kernel};

/// Runs a routine on byte slices, aligned for their dtypes; the output is written entirely.
///
/// # Errors
/// An index out of range; no memory for packed operands.
pub fn run_routine(
    level: Level,
    pool: &Pool,
    routine: &Routine,
    inputs: &[&[u8]],
    output: &mut [u8],
) -> Result<()> {
    match routine {
        Routine::MatMul { dtype, a, b } => {
            gemm::matmul(level, pool, *dtype, (a, b), (inputs[0], inputs[1]), output)?;
        }
        Routine::Gather {
            dtype, rows, inner, ..
        } => {
            gather(
                inputs[0],
                cast_slice(inputs[1]),
                *rows,
                inner * dtype.size(),
                output,
            )?;
        }
        Routine::ScatterAdd {
            dtype, rows, inner, ..
        } => {
            scatter_add(
                *dtype,
                cast_slice(inputs[0]),
                inputs[1],
                *rows,
                *inner,
                output,
            )?;
        }
        Routine::Scatter {
            dtype,
            how,
            rows,
            inner,
            ..
        } => scatter(*dtype, *how, inputs, *rows, *inner, output)?,
        Routine::CopyInto {
            dtype, base, parts, ..
        } => copy_into(*dtype, *base, parts, inputs, output),
        #[cfg(feature = "full")]
        Routine::Scan {
            op,
            dtype,
            n,
            inner,
            ..
        } => scan::run(*op, *dtype, (*n, *inner), inputs, output)?,
        #[cfg(feature = "full")]
        Routine::ArgSort {
            dtype,
            descending,
            n,
            inner,
            ..
        } => order::argsort(*dtype, *descending, (*n, *inner), inputs[0], output)?,
        #[cfg(feature = "full")]
        Routine::SearchSorted {
            dtype,
            right,
            rows,
            n,
            m,
        } => order::search(*dtype, *right, (*rows, *n, *m), inputs, output)?,
        #[cfg(feature = "full")]
        Routine::Bits { to, .. } => bits(*to, inputs[0], output),
        #[cfg(feature = "full")]
        Routine::Special {
            function, dtype, ..
        } => special(*function, *dtype, inputs, output),
        #[cfg(feature = "full")]
        Routine::Factor {
            kind,
            dtype,
            sizes,
            k,
            batched,
        } => factor::run(*kind, *dtype, (*sizes, *k), *batched, inputs, output)?,
        #[cfg(feature = "full")]
        Routine::WithEpilogue { routine, epilogue } => {
            // The epilogue's first input is the routine's result.
            let (own, others) = inputs.split_at(inputs.len() + 1 - epilogue.inputs.len());
            let bytes = epilogue.inputs[0].view.numel() * routine.dtype().size();
            let mut result = Host::new(bytes)?;
            run_routine(level, pool, routine, own, result.bytes_mut())?;
            let reads = std::iter::once(result.bytes()).chain(others.iter().copied());
            let reads: smallvec::SmallVec<[&[u8]; 8]> = reads.collect();
            run_kernel(level, pool, epilogue, &reads, &mut [output])?;
        }
        #[cfg(feature = "full")]
        Routine::FusedOp(layer) => {
            let inputs: Vec<&[f32]> = inputs.iter().map(|bytes| cast_slice(bytes)).collect();
            fused_op::run(level, pool, layer, &inputs, cast_slice_mut(output))?;
        }
        #[cfg(not(feature = "full"))]
        routine => {
            return Err(Error::not_implemented(format!(
                "{}: this build of the engine has no such routine; run a cell, which loads the whole one",
                routine.name()
            )));
        }
    }
    Ok(())
}

/// The row an index names, or the error PyTorch gives.
fn row(index: i64, rows: usize) -> Result<usize> {
    usize::try_from(index)
        .ok()
        .filter(|&row| row < rows)
        .ok_or_else(|| {
            Error::index(format!(
                "index {index} is out of bounds for dimension with size {rows}"
            ))
        })
}

/// `out[i, :] = source[index[i], :]`; rows of `row_bytes` bytes.
pub(crate) fn gather(
    source: &[u8],
    index: &[i64],
    rows: usize,
    row_bytes: usize,
    out: &mut [u8],
) -> Result<()> {
    if row_bytes == 0 {
        return index.iter().try_for_each(|&i| row(i, rows).map(drop));
    }
    for (&i, out) in index.iter().zip(out.chunks_exact_mut(row_bytes)) {
        if interrupt::spend(row_bytes / 8 + 1) {
            break;
        }
        let at = row(i, rows)? * row_bytes;
        out.copy_from_slice(&source[at..at + row_bytes]);
    }
    Ok(())
}

/// `out = 0; out[index[i], :] += values[i, :]`, in order of `i`.
pub(crate) fn scatter_add(
    dtype: DType,
    index: &[i64],
    values: &[u8],
    rows: usize,
    inner: usize,
    out: &mut [u8],
) -> Result<()> {
    // Before anything is written.
    index.iter().try_for_each(|&at| row(at, rows).map(drop))?;
    out.fill(0);
    match dtype {
        DType::Bool => combine_rows::<u8>(index, values, rows, inner, out, |a, b| a | b),
        DType::F32 => combine_rows::<f32>(index, values, rows, inner, out, |a, b| a + b),
        DType::F64 => combine_rows::<f64>(index, values, rows, inner, out, |a, b| a + b),
        // Ops cast to a dtype of arithmetic first.
        _ => combine_rows::<i64>(index, values, rows, inner, out, i64::wrapping_add),
    }
}

/// `out[index[i], :] = combine(out[index[i], :], values[i, :])`, in order of `i`.
fn combine_rows<T: Pod>(
    index: &[i64],
    values: &[u8],
    rows: usize,
    inner: usize,
    out: &mut [u8],
    combine: impl Fn(T, T) -> T,
) -> Result<()> {
    let (values, out): (&[T], &mut [T]) = (cast_slice(values), cast_slice_mut(out));
    for (i, &at) in index.iter().enumerate() {
        if interrupt::spend(inner + 1) {
            break;
        }
        let at = row(at, rows)? * inner;
        for (out, &value) in out[at..at + inner].iter_mut().zip(&values[i * inner..]) {
            *out = combine(*out, value);
        }
    }
    Ok(())
}

/// `out = base; out[index[i], :] = how(out[index[i], :], values[i, :])`, in order of `i`; inputs:
/// base, index, values.
pub(crate) fn scatter(
    dtype: DType,
    how: ScatterReduce,
    inputs: &[&[u8]],
    rows: usize,
    inner: usize,
    out: &mut [u8],
) -> Result<()> {
    let (index, values) = (cast_slice(inputs[1]), inputs[2]);
    out.copy_from_slice(inputs[0]);
    match (how, dtype) {
        (ScatterReduce::Set, _) => {
            // Elements of any size are moved as bytes.
            let bytes = inner * dtype.size();
            combine_rows::<u8>(index, values, rows, bytes, out, |_, new| new)
        }
        (_, DType::F32) => put_float::<f32>(how, index, values, rows, inner, out),
        (_, DType::F64) => put_float::<f64>(how, index, values, rows, inner, out),
        (_, DType::U64) => combine_rows::<u64>(index, values, rows, inner, out, |a, b| match how {
            ScatterReduce::Set => b,
            ScatterReduce::Prod => a.wrapping_mul(b),
            ScatterReduce::Max => a.max(b),
            ScatterReduce::Min => a.min(b),
        }),
        // Ops cast to a dtype of arithmetic first.
        _ => combine_rows::<i64>(index, values, rows, inner, out, |a, b| match how {
            ScatterReduce::Set => b,
            ScatterReduce::Prod => a.wrapping_mul(b),
            ScatterReduce::Max => a.max(b),
            ScatterReduce::Min => a.min(b),
        }),
    }
}

fn put_float<T: Pod + PartialOrd + std::ops::Mul<Output = T>>(
    how: ScatterReduce,
    index: &[i64],
    values: &[u8],
    rows: usize,
    inner: usize,
    out: &mut [u8],
) -> Result<()> {
    // NaN differs from itself, and wins.
    let is_nan = |x: T| x.partial_cmp(&x).is_none();
    combine_rows::<T>(index, values, rows, inner, out, |a, b| match how {
        ScatterReduce::Set => b,
        ScatterReduce::Prod => a * b,
        ScatterReduce::Max if is_nan(a) || a > b => a,
        ScatterReduce::Min if is_nan(a) || a < b => a,
        ScatterReduce::Max | ScatterReduce::Min => b,
    })
}

/// A special function of each element.
#[cfg(feature = "full")]
fn special(function: Special, dtype: DType, inputs: &[&[u8]], output: &mut [u8]) {
    match dtype {
        DType::F32 => each::<f32>(function, inputs, output, |y| y as f32),
        _ => each::<f64>(function, inputs, output, |y| y),
    }
}

#[cfg(feature = "full")]
fn each<T: Pod + Into<f64>>(
    function: Special,
    inputs: &[&[u8]],
    output: &mut [u8],
    narrow: fn(f64) -> T,
) {
    /// What a function costs, in additions.
    const COST: usize = 32;
    let out: &mut [T] = cast_slice_mut(output);
    let first: &[T] = cast_slice(inputs[0]);
    let second: &[T] = inputs.get(1).map_or(&[], |bytes| cast_slice(bytes));
    for (at, (out, &x)) in out.iter_mut().zip(first).enumerate() {
        if interrupt::spend(COST) {
            break;
        }
        let y = second.get(at).map_or(0.0, |&y| y.into());
        *out = narrow(function.of(x.into(), y));
    }
}

/// The first bytes of a source as elements of another dtype.
#[cfg(feature = "full")]
pub(crate) fn bits(to: DType, source: &[u8], out: &mut [u8]) {
    out.copy_from_slice(&source[..out.len()]);
    if to == DType::Bool {
        out.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
    }
}

/// `out = base (or zeros); out[at] = value` for each part; inputs: the base if any, the values.
pub(crate) fn copy_into(
    dtype: DType,
    base: bool,
    parts: &[(View, View)],
    inputs: &[&[u8]],
    out: &mut [u8],
) {
    let values = if base {
        out.copy_from_slice(inputs[0]);
        &inputs[1..]
    } else {
        out.fill(0);
        inputs
    };
    for ((at, from), value) in parts.iter().zip(values) {
        match dtype.size() {
            1 => write_as::<u8>(value, at, from, out),
            2 => write_as::<u16>(value, at, from, out),
            4 => write_as::<u32>(value, at, from, out),
            _ => write_as::<u64>(value, at, from, out),
        }
    }
}

fn write_as<T: Pod>(value: &[u8], at: &View, from: &View, out: &mut [u8]) {
    let (value, out): (&[T], &mut [T]) = (cast_slice(value), cast_slice_mut(out));
    let total = from.numel();
    if total == 0 {
        return;
    }
    let (at, from) = (Layout::new(at, None), Layout::new(from, None));
    let mut tile = [T::zeroed(); 256];
    for start in (0..total).step_by(tile.len()) {
        let n = tile.len().min(total - start);
        if interrupt::spend(n) {
            break;
        }
        from.gather(value, start, &mut tile[..n]);
        at.scatter(&tile[..n], start, out);
    }
}
