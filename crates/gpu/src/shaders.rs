//! A hand-written shader as a device compiles it: its element, and an epilogue where it stores.

use glowgrad_tensor::DType;
use glowgrad_tensor::codegen::{Shader, Source, Variant, is_half};
use glowgrad_tensor::kernel::Kernel;

/// Where shaders of two operands store an element: an epilogue takes its place.
pub(crate) const STORE: &str = include_str!("../../../shaders/store.wgsl");

/// What elements of a dtype are on the device, where they are words.
pub(crate) fn element(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "f32",
        DType::F16 => "f16",
        DType::Bool => "u32",
        _ => "i32",
    }
}

/// A shader for elements of a dtype.
pub(crate) fn variant(source: Source, dtype: DType) -> Variant {
    Variant::new(source, element(dtype))
}

/// A variant's text with an epilogue where it stores: the numbers of that one come behind its sizes.
pub(crate) fn text_with(variant: Variant, kernel: &Kernel, end: &Shader) -> String {
    let text = variant.wgsl().replace(STORE, &end.source());
    let text = text.replacen("\n}", &format!("\n{}}}", end.fields()), 1);
    let half = if is_half(kernel) { "enable f16;\n" } else { "" };
    [half, &text].concat()
}
