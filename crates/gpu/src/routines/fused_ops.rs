//! The layers as the shaders in `shaders/`: which file, which variant of it, which sizes.

use std::rc::Rc;

use glowgrad_cpu::{Refusal, reason};
use glowgrad_tensor::DType;
use glowgrad_tensor::fused_op::{
    Attention, Convolution, Divisor, FusedOp, Lines, Norm, Pool, PoolOf, Softmax, Wanted, Windows,
};
use glowgrad_tensor::kernel::Kernel;

use super::{
    ATTENTION, AVG_POOL, AVG_POOL_GRADIENT, CONVOLUTION, LAYER_NORM, LAYER_NORM_GRADIENT,
    MANY_TILES, MAX_POOL, MAX_POOL_GRADIENT, SOFTMAX, SOFTMAX_GRADIENT, groups, u32_of, words,
};
use crate::dispatch::{Dispatch, ExecItem, spread};
use crate::shaders::variant;

/// What the device is asked for a layer; otherwise why it cannot.
pub(super) fn item(dispatch: &Dispatch, layer: &FusedOp) -> Result<ExecItem, Refusal> {
    match layer {
        FusedOp::Convolution(sizes) => convolution(dispatch, sizes, None),
        FusedOp::Pool(pool) => pool_item(dispatch, pool),
        FusedOp::Softmax(softmax) => softmax_item(dispatch, softmax),
        FusedOp::Norm(norm) => norm_item(dispatch, norm),
        FusedOp::Attention(attention) => attention_item(dispatch, attention),
    }
}

/// Invocations of one workgroup.
const GROUP: usize = 64;

/// Lines from which on an invocation each keeps a GPU busy.
const MANY_LINES: usize = 4096;

/// How many invocations share a line, as a variant of the shader and as a number.
fn lanes(lines: &Lines) -> (&'static str, usize) {
    // Side by side, invocations with a line each read neighbours.
    let is_side_by_side = lines.inner > 1 && lines.count() >= MANY_LINES;
    match lines.n {
        _ if is_side_by_side => ("1u", 1),
        ..32 => ("1u", 1),
        32..256 => ("8u", 8),
        _ => ("64u", GROUP),
    }
}

fn truth(is: bool) -> &'static str {
    if is { "true" } else { "false" }
}

fn softmax_item(dispatch: &Dispatch, softmax: &Softmax) -> Result<ExecItem, Refusal> {
    let (lanes, n_lanes) = lanes(&softmax.lines);
    let (source, inputs): (_, &[usize]) = match softmax.gradient {
        false => (SOFTMAX, &[0]),
        true => (SOFTMAX_GRADIENT, &[0, 1]),
    };
    let variant = variant(source, DType::F32)
        .with("IS_LOG", truth(softmax.log))
        .with("LANES", lanes);
    let Lines { n, inner, .. } = softmax.lines;
    let n_lines = softmax.lines.count();
    let groups = spread(n_lines.div_ceil(GROUP / n_lanes));
    Ok(dispatch.run(variant, inputs, words([n, inner, n_lines])?, groups))
}

fn norm_item(dispatch: &Dispatch, norm: &Norm) -> Result<ExecItem, Refusal> {
    let lines = Lines {
        outer: norm.rows,
        n: norm.n,
        inner: 1,
    };
    let (lanes, n_lanes) = lanes(&lines);
    let source = match norm.gradient {
        false => LAYER_NORM,
        true => LAYER_NORM_GRADIENT,
    };
    let mut variant = variant(source, DType::F32)
        .with("HAS_WEIGHT", truth(norm.weight))
        .with("LANES", lanes);
    // A binding that has no buffer of its own takes the first one, and is not read.
    let mut next = 1 + usize::from(norm.gradient);
    let mut inputs: Vec<usize> = (0..next).collect();
    let mut bind = |there: bool| {
        inputs.push(if there { next } else { 0 });
        next += usize::from(there);
    };
    bind(norm.weight);
    if !norm.gradient {
        variant = variant.with("HAS_BIAS", truth(norm.bias));
        bind(norm.bias);
    }
    let mut uniform = words([norm.n, norm.rows])?;
    uniform.extend((norm.eps() as f32).to_le_bytes());
    let groups = spread(norm.rows.div_ceil(GROUP / n_lanes));
    Ok(dispatch.run(variant, &inputs, uniform, groups))
}

fn attention_item(dispatch: &Dispatch, attention: &Attention) -> Result<ExecItem, Refusal> {
    let Attention {
        batch,
        queries,
        keys,
        width,
        v_width,
        ..
    } = *attention;
    let room = match width.max(v_width) {
        ..=16 => "16u",
        17..=32 => "32u",
        33..=64 => "64u",
        65..=128 => "128u",
        _ => return Err(reason::LONG_ATTENTION_ROWS.into()),
    };
    let variant = variant(ATTENTION, DType::F32)
        .with("IS_CAUSAL", truth(attention.causal))
        .with("WIDTH", room);
    let mut uniform = words([batch, queries, keys, width, v_width])?;
    uniform.extend((attention.scale() as f32).to_le_bytes());
    let groups = spread(queries.div_ceil(GROUP) * batch);
    Ok(dispatch.run(variant, &[0, 1, 2], uniform, groups))
}

/// In how many rows the invocations of a workgroup stand, as a variant of the shader and as a number: many
/// where the result is high, few where it is wide.
const LANE_ROWS: [(&str, usize); 5] = [("8u", 8), ("4u", 4), ("16u", 16), ("2u", 2), ("32u", 32)];

pub(super) fn convolution(
    dispatch: &Dispatch,
    sizes: &Convolution,
    epilogue: Option<&Rc<Kernel>>,
) -> Result<ExecItem, Refusal> {
    let [rows, columns] = sizes.sides();
    let copies = sizes.groups * sizes.parts;
    let tiles = |each: usize, lane_rows: usize| {
        rows.div_ceil(each * lane_rows) * columns.div_ceil(each * (GROUP / lane_rows)) * copies
    };
    // Few tiles leave most of a GPU idle, and half empty ones are no gain: then smaller ones are quicker.
    let is_large = rows >= 64 && columns >= 64 && tiles(8, 8) >= MANY_TILES;
    let (each, (lane_rows, n_tiles)) = match is_large {
        true => ("8u", ("8u", tiles(8, 8))),
        false => {
            let all = LANE_ROWS.map(|(name, lane_rows)| (name, tiles(4, lane_rows)));
            let fewest = all.into_iter().min_by_key(|&(_, n_tiles)| n_tiles);
            ("4u", fewest.unwrap_or(all[0]))
        }
    };
    let wanted = match sizes.wanted {
        Wanted::Result => "RESULT",
        Wanted::Input => "INPUT",
        Wanted::Weight => "WEIGHT",
    };
    let variant = variant(CONVOLUTION, DType::F32)
        .with("WANTED", wanted)
        .with("EACH", each)
        .with("LANE_ROWS", lane_rows);
    u32_of(n_tiles)?;
    let mut uniform = Vec::new();
    for (three, one) in [
        (sizes.input, sizes.batch),
        (sizes.kernel, sizes.groups),
        (sizes.result, sizes.channels_in),
        (sizes.stride, sizes.channels_out),
        (sizes.before, sizes.parts),
        (sizes.dilation, sizes.part()),
    ] {
        let [x, y, z] = three;
        uniform.extend(words([x, y, z, one])?);
    }
    // Places are counted in 32 bits too, those outside as well, and so are the rests that a stride leaves.
    u32_of(sizes.stride.into_iter().fold(1, usize::saturating_mul))?;
    for d in 0..3 {
        u32_of(sizes.reach(d))?;
        u32_of(sizes.input[d].saturating_add(sizes.before[d]))?;
    }
    dispatch.run_with(variant, epilogue, uniform, spread(n_tiles))
}

fn pool_item(dispatch: &Dispatch, pool: &Pool) -> Result<ExecItem, Refusal> {
    let (variant, inputs, divisor): (_, &[usize], f32) = match (pool.of, pool.gradient) {
        (PoolOf::Largest, false) => (variant(MAX_POOL, DType::F32), &[0], 1.0),
        (PoolOf::Largest, true) => (variant(MAX_POOL_GRADIENT, DType::F32), &[0, 1, 2], 1.0),
        (PoolOf::Mean(divisor), gradient) => {
            let source = if gradient {
                AVG_POOL_GRADIENT
            } else {
                AVG_POOL
            };
            let (name, number) = match divisor {
                Divisor::Given(n) => ("0", n as f32),
                Divisor::Padded => ("1", 1.0),
                Divisor::Inside => ("2", 1.0),
            };
            let variant = variant(source, DType::F32).with("DIVISOR", name);
            (variant, &[0], number)
        }
    };
    let each = |of: fn(&Windows) -> usize| pool.dims.each_ref().map(of);
    let (n, count) = (each(|dim| dim.n), each(|dim| dim.count));
    let product = |sizes: [usize; 3]| sizes.iter().product::<usize>() * pool.planes;
    let n_output = product(if pool.gradient { n } else { count });
    // The inputs of both are counted too.
    u32_of(product(n).max(product(count)))?;
    let rows = [
        (n, u32_of(n_output)?.to_le_bytes()),
        (count, divisor.to_le_bytes()),
        (each(|dim| dim.size), [0; 4]),
        (each(|dim| dim.step), [0; 4]),
        (each(|dim| dim.before), [0; 4]),
        (each(|dim| dim.dilation), [0; 4]),
    ];
    let mut uniform = Vec::new();
    for (sizes, fourth) in rows {
        uniform.extend(words(sizes)?);
        uniform.extend(fourth);
    }
    Ok(dispatch.run(variant, inputs, uniform, groups(n_output)))
}
