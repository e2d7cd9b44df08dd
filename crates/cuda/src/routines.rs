//! The routines: which file of `shaders/cuda`, for which elements, with which sizes.
//!
//! Invariant: a kernel reads and writes inside its buffers. Indices are looked at on the host first, and
//! sizes are those of the routine.

use glowgrad_cpu::{Refusal, check_rows, reason};
use glowgrad_tensor::backend::Buffer;
use glowgrad_tensor::codegen::Variant;
use glowgrad_tensor::fused_op::FusedOp;
use glowgrad_tensor::kernel::{Routine, ScanOp, ScatterReduce};
use glowgrad_tensor::routine::ShaderLanguage;
use glowgrad_tensor::{DType, Result, View};

use crate::buffer::GpuBuffer;
use crate::command::{Block, Command, Look, Parameter};
use crate::device::Gpu;
use crate::dispatch::{Dispatch, ends, groups};
use crate::gpu_buffer;
use crate::pool;
use crate::product::{Precision, Shape};
use crate::programs::{
    COPY, GATHER, MATMUL, RECURRENCE, SCAN_BEST, SCAN_BEST_TOGETHER, SCAN_TOTAL,
    SCAN_TOTAL_TOGETHER, SCATTER, compared, computed, moved, thread_kernel,
};

/// Most elements that the threads of a kernel read, all together: beyond, the CPU is quicker.
const MOST_READS: usize = 1 << 34;

/// A scan's lines of at least so many elements are each shared by a block, where there are fewer lines
/// than would keep a GPU's threads busy.
const LONG: usize = 1024;
const MANY_LINES: usize = 1 << 14;

/// What a routine follows indices of, which are looked at on the host.
pub(crate) fn index_of<'a>(routine: &Routine, inputs: &'a [Buffer]) -> Option<&'a Buffer> {
    let (input, _) = routine.facts().index?;
    inputs.get(input)
}

/// Looks at indices, or leaves it to the recording.
fn look(gpu: &Gpu, look: Look) -> Result<()> {
    match &mut *gpu.list.borrow_mut() {
        Some(list) => {
            list.looks.push(look);
            Ok(())
        }
        None => look.run(gpu),
    }
}

impl Look {
    /// Looks at the indices as they are now.
    ///
    /// # Errors
    /// The one PyTorch gives for an index that names no row.
    pub(crate) fn run(&self, gpu: &Gpu) -> Result<()> {
        let (Look::Rows { index, rows } | Look::Places { index, rows, .. }) = self;
        let host = gpu_buffer(index)?.to_host()?;
        check_rows(&host, *rows)?;
        match self {
            Look::Rows { .. } => Ok(()),
            Look::Places { to, .. } => {
                let places = places(bytemuck::cast_slice(host.bytes()));
                gpu.write(bytemuck::cast_slice(&places), *to)
            }
        }
    }
}

fn word(address: u64) -> Parameter {
    Parameter::Word(address)
}

/// Runs a routine.
pub(crate) fn run(
    dispatch: &Dispatch,
    precision: Precision,
    routine: &Routine,
    inputs: &[Buffer],
    output: &GpuBuffer,
) -> Result<(), Refusal> {
    let dtype = routine.dtype();
    let n_output = output.bytes() / dtype.size();
    let launch = |variant: Variant, n: usize, sizes: [usize; 3]| {
        let mut parameters = ends(inputs, output, dtype)?;
        parameters.extend(sizes.map(Parameter::from));
        dispatch.routine(variant, n, parameters)
    };
    match routine {
        Routine::MatMul { dtype, a, b } => {
            matmul(dispatch, precision, *dtype, (a, b), inputs, output)
        }
        Routine::Gather { rows, inner, .. } => {
            let (index, rows) = (inputs[1].clone(), *rows);
            look(&dispatch.gpu, Look::Rows { index, rows })?;
            let variant = Variant::new(GATHER, moved(dtype));
            let mut parameters = ends(inputs, output, dtype)?;
            parameters.extend([*inner, n_output].map(Parameter::from));
            dispatch.routine(variant, n_output, parameters)
        }
        Routine::ScatterAdd { rows, inner, .. } => {
            let places = look_for_places(&dispatch.gpu, &inputs[0], *rows)?;
            output.clear(dtype)?;
            let (element, how) = match dtype {
                DType::Bool => ("bool", "5"),
                dtype => (computed(dtype), "1"),
            };
            put(
                dispatch,
                (element, how),
                places,
                &inputs[1],
                output,
                (dtype, *inner),
            )
        }
        Routine::Scatter {
            how, rows, inner, ..
        } => {
            let places = look_for_places(&dispatch.gpu, &inputs[1], *rows)?;
            output.copy_of(gpu_buffer(&inputs[0])?, dtype)?;
            let variant = match how {
                ScatterReduce::Set => (moved(dtype), "0"),
                ScatterReduce::Prod => (computed(dtype), "2"),
                ScatterReduce::Max => (compared(dtype), "3"),
                ScatterReduce::Min => (compared(dtype), "4"),
            };
            put(
                dispatch,
                variant,
                places,
                &inputs[2],
                output,
                (dtype, *inner),
            )
        }
        Routine::CopyInto { base, parts, .. } => {
            if parts.iter().any(|(to, _)| to.shape.len() > 8) {
                return Err(reason::MANY_DIMENSIONS.into());
            }
            match base {
                true => output.copy_of(gpu_buffer(&inputs[0])?, dtype)?,
                false => output.clear(dtype)?,
            }
            let values = &inputs[usize::from(*base)..];
            for ((to, from), value) in parts.iter().zip(values) {
                part(dispatch, dtype, to, from, value, output)?;
            }
            Ok(())
        }
        Routine::Scan {
            op,
            dtype: source,
            outer,
            n,
            inner,
        } => {
            let n_lines = outer * inner;
            // A product by parts would turn 0 · (large · large) into NaN, and so would a recurrence.
            let is_shared = *n >= LONG && n_lines < MANY_LINES;
            let is_together = is_shared && !matches!(op, ScanOp::Prod | ScanOp::Recurrence);
            let (total, best) = match is_together {
                true => (SCAN_TOTAL_TOGETHER, SCAN_BEST_TOGETHER),
                false => (SCAN_TOTAL, SCAN_BEST),
            };
            let (total, best) = (
                Variant::new(total, computed(*source)),
                Variant::new(best, compared(*source)),
            );
            let variant = match op {
                ScanOp::Sum => total.with("OP", "0"),
                ScanOp::Prod => total.with("OP", "1"),
                ScanOp::LogAddExp => total.with("OP", "2"),
                ScanOp::ArgMax => best.with("SMALLEST", "false"),
                ScanOp::ArgMin => best.with("SMALLEST", "true"),
                ScanOp::Recurrence => Variant::new(RECURRENCE, computed(*source)),
            };
            if !is_together {
                return launch(variant, n_lines, [*n, *inner, n_lines]);
            }
            let mut parameters = ends(inputs, output, dtype)?;
            parameters.extend([*n, *inner, n_lines].map(Parameter::from));
            dispatch.routine_in(variant, groups(n_lines)?, 256, parameters)
        }
        Routine::Bits { to, .. } if *to != DType::Bool => {
            Ok(output.copy_of(gpu_buffer(&inputs[0])?, dtype)?)
        }
        Routine::FusedOp(FusedOp::Pool(pool)) => pool::run(dispatch, pool, inputs, output),
        other => match other.launch() {
            Some(of) if of.reads > MOST_READS => Err(reason::MANY_READS.into()),
            Some(of) => launch(thread_kernel(&of), of.threads, of.sizes),
            None => Err(Refusal::no_kernel(other.lacks(ShaderLanguage::Cuda))),
        },
    }
}

fn matmul(
    dispatch: &Dispatch,
    precision: Precision,
    dtype: DType,
    (a, b): (&View, &View),
    inputs: &[Buffer],
    output: &GpuBuffer,
) -> Result<(), Refusal> {
    let (batch, m, k, n) = (a.shape[0], a.shape[1], a.shape[2], b.shape[2]);
    if k == 0 {
        return Ok(output.clear(dtype)?);
    }
    if dtype.is_float() {
        let start = |input: &Buffer, view: &View| -> Result<u64> {
            let bytes = view.offset.unsigned_abs() * dtype.size();
            Ok(gpu_buffer(input)?.address()? + bytes as u64)
        };
        let addresses = [
            start(&inputs[0], a)?,
            start(&inputs[1], b)?,
            output.address_for(dtype)?,
        ];
        let config = Shape::new(dtype, precision, (a, b), addresses)
            .map_or(Ok(None), |shape| dispatch.gpu.products.config(shape))?;
        if let Some(config) = config {
            return Ok(dispatch.gpu.ask(Command::Product(config, addresses))?);
        }
    }
    let [x, y] = [n.div_ceil(32), m.div_ceil(32)];
    if y > 65_535 || batch > 65_535 || i32::try_from(x).is_err() {
        return Err(reason::MANY_TILES_TO_LAUNCH.into());
    }
    let mut sizes = vec![m as i64, n as i64, k as i64];
    for view in [a, b] {
        sizes.push(view.offset as i64);
        sizes.extend(view.strides.iter().map(|&stride| stride as i64));
    }
    let mut parameters = ends(inputs, output, dtype)?;
    parameters.push(Parameter::Struct(sizes));
    let variant = Variant::new(MATMUL, computed(dtype));
    dispatch.routine_in(variant, [x as u32, y as u32, batch as u32], 64, parameters)
}

/// Where indices put values: the rows that they name, each once; where each row's indices begin in their
/// order, and where the last one's end; and that order. Three lists in one, of n, n + 1 and n numbers for n
/// indices: where indices name fewer rows, what is left of the first list is zeros, and of the second n.
fn places(index: &[i64]) -> Vec<i64> {
    let n = index.len();
    let mut order: Vec<i64> = (0..n as i64).collect();
    order.sort_by_key(|&i| index[i as usize]);
    let mut places = vec![0; n];
    let mut starts = vec![n as i64; n + 1];
    let (mut rows, mut last) = (0, None);
    for (at, &i) in order.iter().enumerate() {
        let row = index[i as usize];
        if last != Some(row) {
            places[rows] = row;
            starts[rows] = at as i64;
            (rows, last) = (rows + 1, Some(row));
        }
    }
    places.extend(starts);
    places.extend(order);
    places
}

/// What [`places`] found, on the device.
struct Places {
    block: Block,
    n: usize,
}

/// Looks where indices put values.
fn look_for_places(gpu: &Gpu, index: &Buffer, rows: usize) -> Result<Places> {
    let n = index.bytes() / 8;
    let block = gpu.take((3 * n + 1) * 8)?;
    let (index, to) = (index.clone(), gpu.address(&block));
    look(gpu, Look::Places { index, rows, to })?;
    Ok(Places { block, n })
}

/// Puts values into the result, which holds what it starts from.
fn put(
    dispatch: &Dispatch,
    (element, how): (&'static str, &'static str),
    Places { block, n }: Places,
    values: &Buffer,
    output: &GpuBuffer,
    (dtype, inner): (DType, usize),
) -> Result<(), Refusal> {
    let gpu = &dispatch.gpu;
    let n_values = n * inner;
    if n_values == 0 {
        gpu.give(block);
        return Ok(());
    }
    let rows = gpu.address(&block);
    let starts = rows + n as u64 * 8;
    let order = starts + (n as u64 + 1) * 8;
    let parameters = vec![
        word(gpu_buffer(values)?.address()?),
        word(rows),
        word(starts),
        word(order),
        word(output.address_for(dtype)?),
        inner.into(),
        n_values.into(),
    ];
    let variant = Variant::new(SCATTER, element).with("HOW", how);
    let done = dispatch.routine(variant, n_values, parameters);
    gpu.give(block);
    done
}

/// One part of a write.
fn part(
    dispatch: &Dispatch,
    dtype: DType,
    to: &View,
    from: &View,
    value: &Buffer,
    output: &GpuBuffer,
) -> Result<(), Refusal> {
    let n = to.numel();
    if n == 0 {
        return Ok(());
    }
    let before = 8 - to.shape.len();
    let padded = |filler: i64, list: &mut dyn Iterator<Item = i64>| {
        let mut padded = vec![filler; before];
        padded.extend(list);
        padded
    };
    let mut sizes = padded(1, &mut to.shape.iter().map(|&n| n as i64));
    for view in [to, from] {
        sizes.extend(padded(0, &mut view.strides.iter().map(|&s| s as i64)));
    }
    sizes.extend([to.offset as i64, from.offset as i64, n as i64]);
    let parameters = vec![
        word(gpu_buffer(value)?.address()?),
        word(output.address_for(dtype)?),
        Parameter::Struct(sizes),
    ];
    let variant = Variant::new(COPY, moved(dtype));
    dispatch.routine(variant, n, parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_keep_the_order_of_indices() {
        let found = places(&[5, 2, 5, 0, 2, 5]);
        let (rows, rest) = found.split_at(6);
        let (starts, order) = rest.split_at(7);
        assert_eq!(rows, [0, 2, 5, 0, 0, 0]);
        assert_eq!(starts, [0, 1, 3, 6, 6, 6, 6]);
        assert_eq!(order, [3, 1, 4, 0, 2, 5]);
        assert_eq!(places(&[]), [0]);
    }
}
