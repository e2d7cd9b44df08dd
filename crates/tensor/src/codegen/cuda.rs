//! A kernel in CUDA C, the one that the CUDA backend has NVRTC compile.
//!
//! Invariant: elements have the size that they have on the CPU, in buffers and in arithmetic. Numbers
//! that change from step to step are parameters, so that one module serves every step. The text needs
//! no header of the toolkit.

use std::rc::Rc;

use super::c::{C, Flavour};
use super::shader::{self, Language, Shader};
use super::{Line, Names, Scheduled};
use crate::dtype::DType;
use crate::kernel::{APART, InPlace, Kernel};

/// A schedule item's kernel in CUDA C.
///
/// # Errors
/// Why there is none, as a sentence.
pub fn cuda(item: &Scheduled, names: &dyn Names) -> Result<Vec<Line>, String> {
    let kernel = item.kernel()?;
    Ok(shader::print(item, kernel, names, language(kernel), APART)?.lines)
}

/// A kernel in CUDA C.
/// Its entry point takes the inputs' buffers, the result's, and the arguments, in this order.
///
/// # Errors
/// Why there is none, as a sentence.
pub fn cuda_kernel(kernel: &Rc<Kernel>, in_place: InPlace) -> Result<Shader, String> {
    shader::unnamed(kernel, language(kernel), in_place)
}

/// Places are counted in 32 bits wherever they can be: a device divides those quickly.
fn language(kernel: &Kernel) -> C {
    let few = shader::reach(kernel) <= i128::from(i32::MAX) - C::GROUP as i128;
    C::new(&CUDA, if few { "int" } else { "long long" })
}

static CUDA: Flavour = Flavour {
    storage: kind,
    local: kind,
    words: false,
    function: "__device__ ",
    shared: "__shared__",
    barrier: "__syncthreads();",
    head: &[],
    entry: "extern \"C\" __global__",
    buffer: |_, kind, name, written| match written {
        true => format!("{kind}* __restrict__ {name}"),
        false => format!("const {kind}* __restrict__ {name}"),
    },
    number: |_, kind, name| format!("{kind} {name}"),
    places: |_| &[],
    place: |grid, index| match (grid.together, index) {
        (true, _) => vec![
            format!("const {index} at = blockIdx.x;"),
            format!("const {index} lane = threadIdx.x;"),
        ],
        (false, "int") => vec![format!(
            "const int at = blockIdx.x * {} + threadIdx.x;",
            C::GROUP
        )],
        (false, _) => vec![format!(
            "const {index} at = ({index})blockIdx.x * {} + threadIdx.x;",
            C::GROUP
        )],
    },
};

/// The type of a dtype's elements.
fn kind(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::U8 => "unsigned char",
        DType::I8 => "signed char",
        DType::I16 => "short",
        DType::I32 => "int",
        DType::U16 => "unsigned short",
        DType::U32 => "unsigned int",
        DType::U64 => "unsigned long long",
        DType::I64 => "long long",
        DType::F16 => "float16",
        DType::BF16 => "bfloat16",
        DType::F32 => "float",
        DType::F64 => "double",
    }
}
