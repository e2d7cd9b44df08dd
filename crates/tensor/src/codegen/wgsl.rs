//! A kernel as a WebGPU compute shader, the one that the GPU backend runs.
//!
//! Invariant: what is printed is a valid module, and where WGSL has no words for a kernel the answer
//! names what is missing. NaN, infinities and the edges of integers are as in `alu.rs` wherever a
//! device keeps to IEEE; functions that WGSL lacks come from `helpers.rs`. int64 and narrow integers
//! live in i32, bools in u32, as the GPU backend stores them; float16 is WGSL's extension of that name.
//! Numbers that change from step to step come in a uniform, so that one module serves every step.

mod dialect;
mod helpers;

use std::rc::Rc;

use super::name::{self, Buffers};
use super::pseudo::{Page, number};
use super::shader::{self, Grid, LANES, Language, Module, Shader, Used, Variable};
use super::{Line, Names, Scheduled};
use crate::dtype::{DType, Scalar};
use crate::kernel::{APART, InPlace, Kernel};
use crate::view::View;

use dialect::Wgsl;
use helpers::Helper;

/// Workgroups that WebGPU lets one dimension have.
pub const MAX_GROUPS: usize = 65_535;

/// A schedule item's kernel in WGSL.
///
/// # Errors
/// Why there is none, as a sentence.
pub fn wgsl(item: &Scheduled, names: &dyn Names) -> Result<Vec<Line>, String> {
    let kernel = item.kernel()?;
    fits(kernel)?;
    Ok(shader::print(item, kernel, names, Wgsl::default(), APART)?.lines)
}

/// A kernel in WGSL.
///
/// # Errors
/// Why there is none, as a sentence.
pub fn shader(kernel: &Rc<Kernel>, in_place: InPlace) -> Result<Shader, String> {
    fits(kernel)?;
    shader::unnamed(kernel, Wgsl::default(), in_place)
}

/// Why a kernel cannot be said in WGSL, if so.
pub fn fits(kernel: &Kernel) -> Result<(), String> {
    shader::fits_words(kernel, "WGSL")
}

/// A kernel as the end of a routine's shader (`shaders/store.wgsl`), which reads the routine's result as its
/// input 0. Its other inputs are the bindings after the routine's `n_operands`, then come the result and
/// the routine's `sizes`: the kernel's numbers are among those ([`Shader::fields`]).
///
/// # Errors
/// Why there is none, as a sentence.
pub fn epilogue(kernel: &Rc<Kernel>, n_operands: usize) -> Result<Shader, String> {
    let item = Scheduled::unnamed(kernel);
    let buffers = name::buffers(&item, &shader::Unnamed);
    epilogue_of(&item, &shader::Unnamed, buffers, n_operands)
}

/// A schedule item's kernel as [`epilogue`] prints it.
pub(super) fn epilogue_of(
    item: &Scheduled,
    names: &dyn Names,
    buffers: Buffers,
    n_operands: usize,
) -> Result<Shader, String> {
    let kernel = item.kernel()?;
    fits(kernel)?;
    let language = Wgsl {
        is_end: true,
        ..Wgsl::default()
    };
    let write = |language: &mut Wgsl, module: Module<'_>| language.end(module, n_operands);
    shader::print_end(item, kernel, names, language, buffers, write)
}

impl Shader {
    /// The run-time numbers as fields of a uniform in WGSL.
    pub fn fields(&self) -> String {
        let fields = self.arguments.iter();
        fields
            .map(|&(at, dtype)| format!("  {}\n", field(at, dtype)))
            .collect()
    }
}

/// A run-time argument in a uniform.
fn field(at: usize, dtype: DType) -> String {
    format!("{}: {},", shader::argument(at, dtype), storage(dtype))
}

/// Whether a module needs WGSL's extension for float16.
pub fn is_half(kernel: &Kernel) -> bool {
    kernel.dtypes.contains(&DType::F16)
}

/// The buffers that are read and the one that is written, from binding number `first`.
fn bindings(page: &mut Page, module: &Module, first: usize) {
    if let Some(note) = shader::narrow(module.kernel, "i32") {
        page.line(&[], &note);
    }
    let n_inputs = module.inputs.len();
    let all = module.inputs.iter().chain(&module.outputs);
    for (i, variable) in all.enumerate() {
        let Variable {
            name,
            dtype,
            shape,
            nodes,
        } = variable;
        let (binding, kind) = (first + i, storage(*dtype));
        let access = if i < n_inputs { "read" } else { "read_write" };
        let text = format!(
            "@group(0) @binding({binding}) var<storage, {access}> {name}: array<{kind}>; // {shape} {dtype}"
        );
        page.line(nodes, &text);
    }
}

impl Wgsl {
    /// The end of a routine's shader.
    fn end(&mut self, module: Module, n_operands: usize) -> Vec<Line> {
        let mut page = Page::default();
        page.line(&[], "// The epilogue: what becomes of an element.");
        page.line(&[], "");
        bindings(&mut page, &module, n_operands);
        let binding = n_operands + module.inputs.len() + module.outputs.len();
        page.line(
            &[],
            &format!("@group(0) @binding({binding}) var<uniform> sizes: Sizes;"),
        );
        page.line(&[], "");
        for &helper in &self.helpers {
            helpers::write(&mut page, helper);
        }
        page.line(&[], "fn store(at: u32, element: Element) {");
        page.lines.extend(module.body);
        page.line(&[], "}");
        page.lines
    }
}

/// How a dtype lies in a buffer.
fn storage(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "u32",
        DType::F16 => "f16",
        dtype if dtype.is_float() => "f32",
        _ => "i32",
    }
}

/// How a dtype is computed with.
fn local(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        dtype => storage(dtype),
    }
}

impl Language for Wgsl {
    const GROUP: usize = 64;

    fn barrier(&self) -> &'static str {
        "workgroupBarrier();"
    }

    fn used(&mut self) -> &mut Used {
        &mut self.used
    }

    fn storage(&self, dtype: DType) -> &'static str {
        storage(dtype)
    }

    fn local(&self, dtype: DType) -> &'static str {
        local(dtype)
    }

    fn index(&self) -> &'static str {
        "u32"
    }

    fn count(&self, n: usize) -> String {
        format!("{n}u")
    }

    fn constant(&self, _: &str, name: &str, value: &str) -> String {
        format!("let {name} = {value};")
    }

    fn variable(&self, _: &str, name: &str, value: &str) -> String {
        format!("var {name} = {value};")
    }

    fn address(&self, view: &View, indices: &[String]) -> String {
        let signed = view.offset < 0 || view.strides.iter().any(|&s| s < 0);
        let unit = if signed { "i" } else { "u" };
        let mut text = String::new();
        if view.offset != 0 {
            text = format!("{}{unit}", view.offset);
        }
        let dims = view.strides.iter().zip(&view.shape).zip(indices);
        for ((&stride, &n), index) in dims {
            if stride == 0 || n == 1 {
                continue;
            }
            let index = if signed {
                format!("i32({index})")
            } else {
                index.clone()
            };
            text.push_str(match (text.is_empty(), stride < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            });
            if stride.unsigned_abs() != 1 {
                text.push_str(&format!("{}{unit} * ", stride.unsigned_abs()));
            }
            text.push_str(&index);
        }
        match (text.is_empty(), signed) {
            (true, _) => "0u".to_owned(),
            (false, true) => format!("u32({text})"),
            (false, false) => text,
        }
    }

    fn reinterpret(&self, kind: &str, element: &str) -> String {
        format!("bitcast<{kind}>({element})")
    }

    fn unpack(&self, dtype: DType, text: String) -> String {
        match dtype {
            DType::Bool => format!("{text} != 0u"),
            _ => text,
        }
    }

    fn pack(&self, dtype: DType, text: &str) -> String {
        match dtype {
            DType::Bool => format!("u32({text})"),
            _ => text.to_owned(),
        }
    }

    fn position(&self, index: &str) -> String {
        format!("i32({index})")
    }

    fn is_nan(&mut self, value: &str) -> String {
        format!("{}({value})", self.helper(Helper::IsNan))
    }

    fn extreme(&self, smallest: bool) -> Scalar {
        Scalar::Int(i64::from(if smallest { i32::MIN } else { i32::MAX }))
    }

    fn place(&self, grid: Grid) -> Vec<String> {
        let at = match (grid.together, grid.groups > MAX_GROUPS) {
            (true, _) => "group.y * groups.x + group.x".to_owned(),
            (false, true) => format!("id.y * groups.x * {}u + id.x", Self::GROUP),
            (false, false) => "id.x".to_owned(),
        };
        vec![format!("let at = {at};")]
    }

    fn module(&mut self, module: Module) -> Vec<Line> {
        let mut page = Page::default();
        if is_half(module.kernel) {
            page.line(&[], "enable f16;");
        }
        bindings(&mut page, &module, 0);
        if !self.used.arguments.is_empty() {
            page.line(&[], "struct Numbers {");
            page.depth = 1;
            for &(at, dtype) in &self.used.arguments {
                let value = number(module.kernel.args[at], dtype);
                page.line(&[], &format!("{} // {value}", field(at, dtype)));
            }
            page.depth = 0;
            page.line(&[], "}");
            let binding = module.inputs.len() + module.outputs.len();
            page.line(
                &[],
                &format!("@group(0) @binding({binding}) var<uniform> numbers: Numbers;"),
            );
        }
        page.line(&[], "");
        for &helper in &self.helpers {
            helpers::write(&mut page, helper);
        }
        for variable in &module.shared {
            let text = format!(
                "var<workgroup> {}: array<{}, {LANES}>;",
                variable.name,
                storage(variable.dtype)
            );
            page.line(&variable.nodes, &text);
        }
        if !module.shared.is_empty() {
            page.line(&[], "");
        }
        let Grid { together, groups } = module.grid;
        let threads = if together { LANES } else { Self::GROUP };
        page.line(&[], &format!("@compute @workgroup_size({threads})"));
        let places = match (together, groups > MAX_GROUPS) {
            (true, _) => {
                "@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32"
            }
            (false, true) => {
                "@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>"
            }
            (false, false) => "@builtin(global_invocation_id) id: vec3<u32>",
        };
        page.line(&[], &format!("fn main({places}) {{"));
        page.lines.extend(module.body);
        page.line(&[], "}");
        page.lines
    }
}
