//! The routines as the shaders in `shaders/`: which file, which lines of it, which sizes.
//!
//! Invariant: a shader reads and writes inside its buffers. Indices are looked at on the host first
//! ([`ExecItem::Check`]), and sizes are those of the routine.

mod fused_ops;

use std::rc::Rc;

use glowgrad_cpu::{Refusal, reason};
use glowgrad_tensor::codegen::{MAX_GROUPS, Source, Variant, epilogue};
use glowgrad_tensor::fused_op::FusedOp;
use glowgrad_tensor::kernel::{Kernel, Routine, ScanOp, ScatterReduce};
use glowgrad_tensor::routine::{Launch, ShaderLanguage, ThreadKernel};
use glowgrad_tensor::{DType, View};

use crate::dispatch::{BoundTask, Dispatch, ExecItem, spread};
use crate::shaders::{STORE, element, text_with, variant};

macro_rules! shaders {
    ($($name:ident: $file:literal $(+ $shared:literal)*),+ $(,)?) => {
        $(const $name: Source = ($file, concat!(
            include_str!(concat!("../../../shaders/", $file, ".wgsl")),
            $("\n", include_str!(concat!("../../../shaders/", $shared, ".wgsl")),)*
        ));)+
        /// Every hand-written shader.
        const SHADERS: &[Source] = &[$($name),+];
    };
}

shaders! {
    ATTENTION: "attention" + "numbers",
    AVG_POOL: "avg_pool" + "avg_windows",
    AVG_POOL_GRADIENT: "avg_pool_gradient" + "avg_windows",
    CONVOLUTION: "convolution" + "store",
    COPY: "copy",
    GATHER: "gather",
    LAYER_NORM: "layer_norm" + "lanes",
    LAYER_NORM_GRADIENT: "layer_norm_gradient" + "lanes",
    MATMUL: "matmul" + "store",
    MATMUL_LARGE: "matmul_large" + "store",
    MAX_POOL: "max_pool" + "max_windows",
    MAX_POOL_GRADIENT: "max_pool_gradient" + "max_windows",
    RECURRENCE: "recurrence",
    RUNNING_BEST: "running_best",
    SCAN: "scan",
    SCATTER: "scatter",
    SOFTMAX: "softmax" + "lanes" + "numbers",
    SOFTMAX_GRADIENT: "softmax_gradient" + "lanes" + "numbers",
}
/// Most elements that the threads of a kernel read, all together: beyond, the CPU is quicker.
const MOST_READS: usize = 1 << 28;

/// Tiles of 64 × 64 from which on a product, or a convolution, is made of such.
const MANY_TILES: usize = 64;

/// Most parts of a write, each of which is a dispatch.
const MOST_PARTS: usize = 512;

/// The shaders that move float16; arithmetic on it is float32's.
const MOVERS: &[Source] = &[COPY, SCATTER, GATHER];

/// Every hand-written shader for every type of elements that it may meet: what it is called, and its text.
pub fn sources() -> Vec<(String, String)> {
    fn of(dtype: DType, sources: &[Source]) -> impl Iterator<Item = (String, String)> {
        sources.iter().map(move |&source| {
            let text = variant(source, dtype).wgsl();
            (format!("{}, {dtype}", source.0), text)
        })
    }
    let wide = [DType::F32, DType::I32, DType::Bool];
    let threads = ThreadKernel::ALL.iter().map(|kernel| kernel.wgsl());
    let shaders: Vec<Source> = SHADERS.iter().copied().chain(threads).collect();
    let wide = wide.into_iter().flat_map(|dtype| of(dtype, &shaders));
    wide.chain(of(DType::F16, MOVERS)).collect()
}

/// Every shader that stores where an epilogue can stand, with this one: what it is called, and its text.
///
/// # Errors
/// Why the kernel cannot be said in WGSL.
pub fn with_epilogue(kernel: &Rc<Kernel>) -> Result<Vec<(String, String)>, String> {
    let end = epilogue(kernel, 2)?;
    let sources = SHADERS.iter().filter(|source| source.1.ends_with(STORE));
    let text = |&source: &Source| {
        let variant = variant(source, DType::F32);
        (source.0.to_owned(), text_with(variant, kernel, &end))
    };
    Ok(sources.map(text).collect())
}

fn u32_of(n: usize) -> Result<u32, Refusal> {
    match u32::try_from(n) {
        Ok(n) if n <= i32::MAX as u32 => Ok(n),
        _ => Err(reason::MANY_ELEMENTS.into()),
    }
}

fn i32_of(n: isize) -> Result<i32, Refusal> {
    i32::try_from(n).map_err(|_| reason::MANY_ELEMENTS.into())
}

/// A uniform of words.
fn words<const N: usize>(values: [usize; N]) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::with_capacity(N * 4);
    for value in values {
        bytes.extend(u32_of(value)?.to_le_bytes());
    }
    Ok(bytes)
}

fn groups(invocations: usize) -> [u32; 3] {
    spread(invocations.div_ceil(64))
}

/// What the device is asked for a routine; otherwise why it cannot.
pub(crate) fn exec_items(
    dispatch: &Dispatch,
    routine: &Routine,
    task: &BoundTask,
) -> Result<Vec<ExecItem>, Refusal> {
    let n_output = task.n_output();
    if n_output == 0 || task.inputs.iter().any(|input| input.bytes() == 0) {
        return Err(Refusal::Silent(reason::NO_ELEMENTS));
    }
    u32_of(n_output)?;
    let check = || {
        let (input, rows) = routine.facts().index.unwrap_or_default();
        ExecItem::Check { input, rows }
    };
    Ok(match routine {
        Routine::MatMul { dtype, a, b } => vec![matmul(dispatch, *dtype, [a, b], None)?],
        Routine::Gather { dtype, inner, .. } => vec![
            check(),
            dispatch.run(
                variant(GATHER, *dtype),
                &[0, 1],
                words([*inner, n_output])?,
                groups(n_output),
            ),
        ],
        Routine::ScatterAdd {
            dtype,
            rows,
            inner,
            n,
        } => {
            let how = if *dtype == DType::Bool { "5" } else { "1" };
            let [group, put] = put(dispatch, task, (*dtype, how), [0, 1], [*rows, *n, *inner])?;
            vec![check(), group, ExecItem::Clear, put]
        }
        Routine::Scatter {
            dtype,
            how,
            rows,
            inner,
            n,
        } => {
            let how = match how {
                ScatterReduce::Set => "0",
                ScatterReduce::Prod => "2",
                ScatterReduce::Max => "3",
                ScatterReduce::Min => "4",
            };
            let [group, put] = put(dispatch, task, (*dtype, how), [1, 2], [*rows, *n, *inner])?;
            vec![check(), group, ExecItem::Copy { input: 0 }, put]
        }
        Routine::CopyInto {
            dtype, base, parts, ..
        } => {
            if parts.len() > MOST_PARTS {
                return Err(reason::MANY_PARTS.into());
            }
            let mut items = vec![match base {
                true => ExecItem::Copy { input: 0 },
                false => ExecItem::Clear,
            }];
            for (i, (to, from)) in parts.iter().enumerate() {
                if to.numel() > 0 {
                    items.push(part(dispatch, *dtype, to, from, i + usize::from(*base))?);
                }
            }
            items
        }
        Routine::Scan {
            op,
            dtype,
            outer,
            n,
            inner,
        } => {
            let n_lines = outer * inner;
            let uniform = words([*n, *inner, n_lines])?;
            let (variant, inputs): (Variant, &[usize]) = match op {
                ScanOp::Sum => (variant(SCAN, *dtype).with("OP", "0"), &[0]),
                ScanOp::Prod => (variant(SCAN, *dtype).with("OP", "1"), &[0]),
                ScanOp::LogAddExp => (variant(SCAN, *dtype).with("OP", "2"), &[0]),
                ScanOp::ArgMax => (variant(RUNNING_BEST, *dtype), &[0]),
                ScanOp::ArgMin => (variant(RUNNING_BEST, *dtype).with("SMALLEST", "true"), &[0]),
                ScanOp::Recurrence => (variant(RECURRENCE, *dtype), &[0, 1]),
            };
            vec![dispatch.run(variant, inputs, uniform, groups(n_lines))]
        }
        Routine::FusedOp(layer) => vec![fused_ops::item(dispatch, layer)?],
        Routine::WithEpilogue { routine, epilogue } => {
            let epilogue = Some(epilogue);
            vec![match &**routine {
                Routine::MatMul { dtype, a, b } => matmul(dispatch, *dtype, [a, b], epilogue)?,
                Routine::FusedOp(FusedOp::Convolution(convolution)) => {
                    fused_ops::convolution(dispatch, convolution, epilogue)?
                }
                _ => return Err(format!("{} with an epilogue", routine.name()).into()),
            }]
        }
        other => match other.launch() {
            Some(of) => vec![launch(dispatch, task.inputs.len(), &of)?],
            None => return Err(Refusal::no_kernel(other.lacks(ShaderLanguage::Wgsl))),
        },
    })
}

/// Whether a routine's shader stores its elements in one place, so that an epilogue can stand there.
pub(crate) fn takes_epilogue(routine: &Routine) -> bool {
    matches!(
        routine,
        Routine::MatMul { .. } | Routine::FusedOp(FusedOp::Convolution(_))
    )
}

fn launch(dispatch: &Dispatch, n_inputs: usize, of: &Launch) -> Result<ExecItem, Refusal> {
    if of.reads > MOST_READS {
        return Err(reason::MANY_READS.into());
    }
    let variant = Variant::of_threads(of.kernel.wgsl(), element(of.dtype), of.kernel, of.flag);
    let inputs: Vec<usize> = (0..n_inputs).collect();
    Ok(dispatch.run(variant, &inputs, words(of.sizes)?, groups(of.threads)))
}

/// Groups the indices of input `index` by row and puts the values of input `values` there.
fn put(
    dispatch: &Dispatch,
    task: &BoundTask,
    (dtype, how): (DType, &'static str),
    [index, values]: [usize; 2],
    [rows, n, inner]: [usize; 3],
) -> Result<[ExecItem; 2], Refusal> {
    u32_of(n.max(rows.saturating_add(1)))?;
    let group = ExecItem::Group { input: index, rows };
    let n_inputs = task.inputs.len();
    let put = dispatch.run(
        variant(SCATTER, dtype).with("HOW", how),
        &[values, n_inputs, n_inputs + 1],
        words([inner, task.n_output()])?,
        groups(task.n_output()),
    );
    Ok([group, put])
}

fn matmul(
    dispatch: &Dispatch,
    dtype: DType,
    [a, b]: [&View; 2],
    epilogue: Option<&Rc<Kernel>>,
) -> Result<ExecItem, Refusal> {
    let (batch, m, k, n) = (a.shape[0], a.shape[1], a.shape[2], b.shape[2]);
    // Few tiles leave most of a GPU idle: then smaller ones are quicker.
    let tiles = |tile: usize| [n.div_ceil(tile), m.div_ceil(tile)];
    let is_large = dtype == DType::F32 && batch * tiles(64).iter().product::<usize>() >= MANY_TILES;
    let (source, [x, y]) = match is_large {
        true => (MATMUL_LARGE, tiles(64)),
        false => (MATMUL, tiles(32)),
    };
    if x > MAX_GROUPS || y > MAX_GROUPS || batch > MAX_GROUPS {
        return Err(reason::MANY_TILES_TO_DISPATCH.into());
    }
    let mut uniform = words([m, n, k])?;
    for view in [a, b] {
        uniform.extend(i32_of(view.offset)?.to_le_bytes());
        for &stride in &view.strides {
            uniform.extend(i32_of(stride)?.to_le_bytes());
        }
    }
    let groups = [x as u32, y as u32, batch as u32];
    dispatch.run_with(variant(source, dtype), epilogue, uniform, groups)
}

/// One part of a write.
fn part(
    dispatch: &Dispatch,
    dtype: DType,
    to: &View,
    from: &View,
    input: usize,
) -> Result<ExecItem, Refusal> {
    let rank = to.shape.len();
    let Some(before) = 8usize.checked_sub(rank) else {
        return Err(reason::MANY_DIMENSIONS.into());
    };
    let mut uniform = Vec::new();
    for _ in 0..before {
        uniform.extend(1u32.to_le_bytes());
    }
    for &size in &to.shape {
        uniform.extend(u32_of(size)?.to_le_bytes());
    }
    for view in [to, from] {
        uniform.resize(uniform.len() + before * 4, 0);
        for &stride in &view.strides {
            uniform.extend(i32_of(stride)?.to_le_bytes());
        }
    }
    uniform.extend(i32_of(to.offset)?.to_le_bytes());
    uniform.extend(i32_of(from.offset)?.to_le_bytes());
    uniform.extend(u32_of(to.numel())?.to_le_bytes());
    let groups = groups(to.numel());
    Ok(dispatch.run(variant(COPY, dtype), &[input], uniform, groups))
}
