//! A kernel as a WebGPU compute shader: one invocation for each element of the result.
//!
//! Invariant: what is printed is a valid module, and where WGSL has no words for a kernel the answer
//! names what is missing. NaN, infinities and the edges of integers are as in `lane.rs` wherever a
//! device keeps to IEEE; functions that WGSL lacks come from `helpers.rs`. int64 and narrow integers
//! live in i32, bools in u32, as WebGPU stores them.

mod dialect;
mod helpers;

use super::expression::{Body, Dialect};
use super::name::{Words, buffers};
use super::pseudo::{Page, index};
use super::{Line, Names, Scheduled};
use crate::dtype::DType;
use crate::kernel::{Instr, Kernel, Reduce, ReduceOp, Work};
use crate::lane::ScalarOp;
use crate::shape;
use crate::trace::NodeId;
use crate::view::View;

use super::expression::Piece;
use dialect::Wgsl;

/// Invocations of a workgroup.
const GROUP: usize = 64;

/// Workgroups that WebGPU lets one dimension have.
const MAX_GROUPS: usize = 65_535;

/// A job's kernel in WGSL.
///
/// # Errors
/// Why there is none, as a sentence.
pub fn wgsl(job: &Scheduled, names: &dyn Names) -> Result<Vec<Line>, String> {
    match &job.work {
        Work::Routine(routine) => Err(format!(
            "{} is a routine: each backend has it written by hand, so no shader is generated.",
            routine.name()
        )),
        Work::Kernel(kernel) => {
            expressible(kernel)?;
            let mut wgsl = Wgsl::default();
            let main = print(job, kernel, names, &mut wgsl);
            if let Some(problem) = wgsl.problem {
                return Err(problem);
            }
            let mut page = Page::default();
            for helper in wgsl.helpers {
                helpers::write(&mut page, helper);
            }
            let mut lines = main;
            // Helpers stand between the bindings and the entry point.
            let entry = lines
                .iter()
                .position(|line| line.text.starts_with("@compute"));
            let at = entry.unwrap_or(lines.len());
            lines.splice(at..at, page.lines);
            Ok(lines)
        }
    }
}

/// What WGSL cannot say.
fn expressible(kernel: &Kernel) -> Result<(), String> {
    let mut dtypes = kernel
        .inputs
        .iter()
        .map(|input| input.dtype)
        .chain(kernel.dtypes.iter().copied());
    let missing = dtypes.find(|dtype| {
        use DType::*;
        matches!(dtype, F64 | F16 | BF16 | U64 | U32)
    });
    if let Some(dtype) = missing {
        return Err(match dtype {
            DType::F16 => {
                "WGSL has float16 only as an extension, which is not used here.".to_owned()
            }
            DType::U32 => "uint32 is computed in 64 bits, which WGSL has not.".to_owned(),
            _ => format!("WGSL has no {dtype}."),
        });
    }
    let n_output = shape::numel(&kernel.output_shape());
    if n_output == 0 {
        return Err("The result has no elements, so there is nothing to run.".to_owned());
    }
    let reach = |view: &View| -> i128 {
        let steps = view.strides.iter().zip(&view.shape);
        let reach: i128 = steps
            .map(|(&stride, &n)| stride.unsigned_abs() as i128 * n as i128)
            .sum();
        reach + view.offset.unsigned_abs() as i128
    };
    let most = kernel.inputs.iter().map(|input| reach(&input.view)).max();
    let most = most.unwrap_or(0).max(shape::numel(&kernel.shape) as i128);
    if most > i128::from(i32::MAX) {
        return Err("It reads further than 32 bits can count.".to_owned());
    }
    Ok(())
}

/// How a dtype lies in a buffer.
fn storage(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "u32",
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

/// A view's element at the loops' indices, as a u32.
fn address(view: &View, indices: &[String]) -> String {
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

fn print(job: &Scheduled, kernel: &Kernel, names: &dyn Names, wgsl: &mut Wgsl) -> Vec<Line> {
    let mut page = Page::default();
    let buffers = buffers(job, names);
    let stored: Vec<NodeId> = job.stored().map(|n| n.id).into_iter().collect();
    let output_shape = kernel.output_shape();
    let n_output = shape::numel(&output_shape);
    let wide = |dtype: &DType| matches!(dtype, DType::I64);
    if kernel.dtypes.iter().any(wide) {
        page.line(
            &[],
            "// int64 lives in i32 here: beyond ±2147483647 it wraps.",
        );
    }
    let mut bindings: Vec<&str> = Vec::new();
    for (i, name) in buffers.inputs.iter().enumerate() {
        if bindings.contains(&&**name) {
            continue;
        }
        let dtype = kernel.inputs[i].dtype;
        let text = format!(
            "@group(0) @binding({}) var<storage, read> {name}_data: array<{}>; // {} {dtype}",
            bindings.len(),
            storage(dtype),
            shape::show(&job.inputs[i].shape)
        );
        page.line(&[job.inputs[i].id], &text);
        bindings.push(name);
    }
    let dtype = kernel.output_dtype(0);
    let out = match bindings.contains(&&*buffers.output) {
        true => format!("{}_out", buffers.output),
        false => buffers.output.clone(),
    };
    let text = format!(
        "@group(0) @binding({}) var<storage, read_write> {out}_data: array<{}>; // {} {dtype}",
        bindings.len(),
        storage(dtype),
        shape::show(job.stored().map_or(&output_shape[..], |n| &n.shape[..]))
    );
    page.line(&stored, &text);
    page.line(&[], "");
    page.line(&[], &format!("@compute @workgroup_size({GROUP})"));
    let groups = n_output.div_ceil(GROUP);
    let (more, at) = match groups > MAX_GROUPS {
        true => (
            ", @builtin(num_workgroups) groups: vec3<u32>",
            format!("let at = id.y * groups.x * {GROUP}u + id.x;"),
        ),
        false => ("", "let at = id.x;".to_owned()),
    };
    page.line(
        &[],
        &format!("fn main(@builtin(global_invocation_id) id: vec3<u32>{more}) {{"),
    );
    page.depth += 1;
    page.line(&[], &at);
    page.line(&[], &format!("if (at >= {n_output}u) {{ return; }}"));

    let indices: Vec<String> = (0..kernel.shape.len()).map(index).collect();
    let reduced = |axis: usize| {
        kernel
            .reduce
            .as_ref()
            .is_some_and(|r| r.axes.contains(&axis))
    };
    let kept: Vec<usize> = (0..kernel.shape.len())
        .filter(|&axis| kernel.shape[axis] != 1 && !reduced(axis))
        .collect();
    for (place, &axis) in kept.iter().enumerate() {
        let below: usize = kept[place + 1..].iter().map(|&a| kernel.shape[a]).product();
        let mut text = match below {
            1 => "at".to_owned(),
            _ => format!("at / {below}u"),
        };
        if place > 0 {
            text = match below {
                1 => format!("at % {}u", kernel.shape[axis]),
                _ => format!("({text}) % {}u", kernel.shape[axis]),
            };
        }
        page.line(&[], &format!("let {} = {text};", indices[axis]));
    }
    match &kernel.reduce {
        None => {
            let value = statements(
                &mut page,
                job,
                kernel,
                names,
                wgsl,
                &indices,
                &buffers.inputs,
            );
            store(
                &mut page,
                &stored,
                &out,
                &value.text,
                kernel.dtypes[usize::from(kernel.outputs[0])],
            );
        }
        Some(reduce) => {
            let of = kernel.dtypes[usize::from(kernel.outputs[0])];
            start(&mut page, &stored, reduce, of, wgsl);
            let outside = page.depth;
            for &axis in reduce.axes.iter().filter(|&&axis| kernel.shape[axis] != 1) {
                let (i, n) = (&indices[axis], kernel.shape[axis]);
                page.line(
                    &[],
                    &format!("for (var {i} = 0u; {i} < {n}u; {i} += 1u) {{"),
                );
                page.depth += 1;
            }
            let value = statements(
                &mut page,
                job,
                kernel,
                names,
                wgsl,
                &indices,
                &buffers.inputs,
            );
            let axis = reduce.axes.first().filter(|&&axis| kernel.shape[axis] != 1);
            let here = axis.map_or("0u", |&axis| &indices[axis]);
            join(&mut page, &stored, reduce, of, value, here, wgsl);
            while page.depth > outside {
                page.depth -= 1;
                page.line(&[], "}");
            }
            let (result, of) = match reduce.op {
                ReduceOp::ArgMax | ReduceOp::ArgMin => ("best_at", DType::I64),
                _ => ("total", of),
            };
            store(&mut page, &stored, &out, result, of);
        }
    }
    page.depth -= 1;
    page.line(&[], "}");
    page.lines
}

/// The body's statements; returns the result.
#[allow(clippy::too_many_arguments, reason = "called twice, from one place")]
fn statements(
    page: &mut Page,
    job: &Scheduled,
    kernel: &Kernel,
    names: &dyn Names,
    wgsl: &mut Wgsl,
    indices: &[String],
    inputs: &[String],
) -> Piece {
    let body = Body::new(job, kernel, names, wgsl, &mut Words::default());
    for statement in &body.statements {
        let value = match kernel.code[usize::from(statement.at)] {
            Instr::Load { input } => {
                let input = usize::from(input);
                let at = address(&kernel.inputs[input].view, indices);
                let test = match kernel.inputs[input].dtype {
                    DType::Bool => " != 0u",
                    _ => "",
                };
                format!("{}_data[{at}]{test}", inputs[input])
            }
            _ => body.definition(wgsl, statement.at).text,
        };
        page.line(
            &[statement.node],
            &format!("let {} = {value};", statement.name),
        );
    }
    body.value(wgsl, kernel.outputs[0])
}

fn store(page: &mut Page, stored: &[NodeId], out: &str, value: &str, of: DType) {
    let text = match of {
        DType::Bool => format!("{out}_data[at] = u32({value});"),
        _ => format!("{out}_data[at] = {value};"),
    };
    page.line(stored, &text);
}

/// What a reduction begins with.
fn start(page: &mut Page, stored: &[NodeId], reduce: &Reduce, of: DType, wgsl: &mut Wgsl) {
    let kind = local(of);
    let mut extreme = |smallest: bool| match kind {
        "f32" => [if smallest { "-" } else { "" }, &wgsl.infinity()].concat(),
        "bool" => (!smallest).to_string(),
        _ if smallest => "i32(-2147483648)".to_owned(),
        _ => "2147483647i".to_owned(),
    };
    let first = match reduce.op {
        ReduceOp::Sum | ReduceOp::Prod => {
            let one = reduce.op == ReduceOp::Prod;
            match kind {
                "bool" => one.to_string(),
                "f32" => format!("{}.0f", u8::from(one)),
                _ => format!("{}i", u8::from(one)),
            }
        }
        ReduceOp::Max | ReduceOp::ArgMax => extreme(true),
        ReduceOp::Min | ReduceOp::ArgMin => extreme(false),
    };
    page.line(stored, &format!("var total: {kind} = {first};"));
    if matches!(reduce.op, ReduceOp::ArgMax | ReduceOp::ArgMin) {
        page.line(stored, "var best_at = 0i;");
    }
}

/// An element joins what is there.
fn join(
    page: &mut Page,
    stored: &[NodeId],
    reduce: &Reduce,
    of: DType,
    value: Piece,
    here: &str,
    wgsl: &mut Wgsl,
) {
    let total = Piece::atom("total");
    let op = match reduce.op {
        ReduceOp::Sum => ScalarOp::Add,
        ReduceOp::Prod => ScalarOp::Mul,
        ReduceOp::Max => ScalarOp::Max,
        ReduceOp::Min => ScalarOp::Min,
        ReduceOp::ArgMax | ReduceOp::ArgMin => {
            page.line(stored, &format!("let element = {};", value.text));
            let (a, b) = match reduce.op {
                ReduceOp::ArgMax => (Piece::atom("total"), Piece::atom("element")),
                _ => (Piece::atom("element"), Piece::atom("total")),
            };
            let mut wins = wgsl.apply(ScalarOp::Lt, of, &[a, b]).text;
            if local(of) == "f32" {
                let is_nan = wgsl.is_nan();
                wins = format!("({wins} || {is_nan}(element)) && !{is_nan}(total)");
            }
            let text = format!("if ({wins}) {{ total = element; best_at = i32({here}); }}");
            page.line(stored, &text);
            return;
        }
    };
    let sum = wgsl.apply(op, of, &[total, value]).text;
    page.line(stored, &format!("total = {sum};"));
}
