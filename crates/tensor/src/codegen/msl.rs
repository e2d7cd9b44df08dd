//! A kernel in the Metal Shading Language, to be read: natively the GPU backend has naga write MSL
//! from the WGSL.
//!
//! Invariant: elements lie in words of 32 bits, float16 in its 16, as in the GPU backend's memory, and
//! where that cannot be, the answer names why.

use super::c::{C, Flavour};
use super::shader;
use super::{Line, Names, Scheduled};
use crate::dtype::DType;
use crate::kernel::APART;

/// A schedule item's kernel in MSL.
///
/// # Errors
/// Why there is none, as a sentence.
pub fn msl(item: &Scheduled, names: &dyn Names) -> Result<Vec<Line>, String> {
    let kernel = item.kernel()?;
    shader::fits_words(kernel, "Metal")?;
    Ok(shader::print(item, kernel, names, C::new(&METAL, "int"), APART)?.lines)
}

static METAL: Flavour = Flavour {
    storage: |dtype| match dtype {
        DType::Bool => "uint",
        dtype => local(dtype),
    },
    local,
    words: true,
    function: "static ",
    shared: "threadgroup",
    barrier: "threadgroup_barrier(mem_flags::mem_threadgroup);",
    head: &["#include <metal_stdlib>", "using namespace metal;", ""],
    entry: "kernel",
    buffer: |at, kind, name, written| match written {
        true => format!("device {kind}* {name} [[buffer({at})]]"),
        false => format!("device const {kind}* {name} [[buffer({at})]]"),
    },
    number: |at, kind, name| format!("constant {kind}& {name} [[buffer({at})]]"),
    places: |grid| match grid.together {
        true => &[
            "uint group [[threadgroup_position_in_grid]]",
            "uint thread_of_group [[thread_index_in_threadgroup]]",
        ],
        false => &["uint thread_of_grid [[thread_position_in_grid]]"],
    },
    place: |grid, index| match grid.together {
        true => vec![
            format!("const {index} at = group;"),
            format!("const {index} lane = thread_of_group;"),
        ],
        false => vec![format!("const {index} at = thread_of_grid;")],
    },
};

fn local(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::F16 => "half",
        dtype if dtype.is_float() => "float",
        _ => "int",
    }
}
