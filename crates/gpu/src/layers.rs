//! The layers as the shaders in `shaders/`: which file, which variant of it, which sizes.

use glowgrad_tensor::DType;
use glowgrad_tensor::layer::{Layer, Lines, Softmax};

use crate::dispatch::{Dispatch, Step, spread};
use crate::routines::{SOFTMAX, SOFTMAX_GRADIENT, Variant, words};

/// What the device is asked for a layer; otherwise why it cannot.
pub(crate) fn step(dispatch: &Dispatch, layer: &Layer) -> Result<Step, String> {
    match layer {
        Layer::Softmax(softmax) => step_of_softmax(dispatch, softmax),
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

fn step_of_softmax(dispatch: &Dispatch, softmax: &Softmax) -> Result<Step, String> {
    let (lanes, n_lanes) = lanes(&softmax.lines);
    let (source, inputs): (_, &[usize]) = match softmax.gradient {
        false => (SOFTMAX, &[0]),
        true => (SOFTMAX_GRADIENT, &[0, 1]),
    };
    let is_log = if softmax.log { "true" } else { "false" };
    let variant = Variant::of(source, DType::F32)
        .with("IS_LOG", is_log)
        .with("LANES", lanes);
    let Lines { n, inner, .. } = softmax.lines;
    let n_lines = softmax.lines.count();
    let groups = spread(n_lines.div_ceil(GROUP / n_lanes));
    Ok(dispatch.run(variant, inputs, words([n, inner, n_lines])?, groups))
}
