//! A kernel as a WebGPU compute shader, the one that the GPU backend runs.
//!
//! Invariant: what is printed is a valid module, and where WGSL has no words for a kernel the answer
//! names what is missing. NaN, infinities and the edges of integers are as in `lane.rs` wherever a
//! device keeps to IEEE; functions that WGSL lacks come from `helpers.rs`. int64 and narrow integers
//! live in i32, bools in u32, as the GPU backend stores them. Numbers that change from step to step
//! come in a uniform, so that one module serves every step.

mod dialect;
mod helpers;
mod reduce;

use std::rc::Rc;

use super::expression::{Body, Piece};
use super::name::{Words, buffers};
use super::pseudo::{Page, index};
use super::{Line, Names, Operand, Scheduled};
use crate::dtype::DType;
use crate::kernel::{Instr, Kernel, Work};
use crate::ops;
use crate::shape;
use crate::trace::NodeId;
use crate::view::View;

use dialect::Wgsl;

/// Invocations of a workgroup where each computes one element of the result.
const GROUP: usize = 64;

/// Workgroups that WebGPU lets one dimension have.
pub const MAX_GROUPS: usize = 65_535;

/// A kernel as a compute shader, and how it is run.
#[derive(Debug)]
pub struct Shader {
    /// The module; its entry point is `main`.
    pub lines: Vec<Line>,
    /// The kernel's input at each binding of group 0, from binding 0. The result follows, and then
    /// the uniform, if there are [`Shader::arguments`].
    pub inputs: Vec<usize>,
    /// The members of the uniform, four bytes each: an index into [`Kernel::args`], and the dtype it
    /// is taken in (bool, int64 or float32).
    pub arguments: Vec<(usize, DType)>,
    /// How many workgroups it takes; beyond [`MAX_GROUPS`] they are spread over two dimensions.
    pub groups: usize,
}

impl Shader {
    /// Its text.
    pub fn source(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            text.push_str(&line.text);
            text.push('\n');
        }
        text
    }
}

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
        Work::Kernel(kernel) => Ok(module(job, kernel, names, None)?.lines),
    }
}

/// A kernel in WGSL. `in_place` is the input that lies where the result goes, element for element.
///
/// # Errors
/// Why there is none, as a sentence.
pub fn shader(kernel: &Rc<Kernel>, in_place: Option<usize>) -> Result<Shader, String> {
    struct Unnamed;
    impl Names for Unnamed {
        fn name(&self, node: NodeId) -> Option<String> {
            Some(match node {
                0 => "out".to_owned(),
                node => format!("x{node}"),
            })
        }
    }
    module(&Scheduled::unnamed(kernel), kernel, &Unnamed, in_place)
}

impl Scheduled {
    /// A kernel of which nothing else is known.
    fn unnamed(kernel: &Rc<Kernel>) -> Scheduled {
        let operand = |id: usize, shape: &[usize], dtype: DType| Operand {
            id: id as NodeId,
            op: &ops::LEAF,
            shape: shape.into(),
            dtype,
        };
        let inputs = kernel.inputs.iter().enumerate();
        Scheduled {
            number: 0,
            name: "fused",
            work: Work::Kernel(kernel.clone()),
            nodes: vec![operand(0, &kernel.output_shape(), kernel.output_dtype(0))],
            inputs: inputs
                .map(|(i, input)| operand(i + 1, &input.view.shape, input.dtype))
                .collect(),
            origins: vec![0; kernel.code.len()],
            reasons: 0,
            n_readers: 0,
            read: 0,
            written: 0,
            nanos: std::cell::Cell::new(None),
        }
    }
}

fn module(
    job: &Scheduled,
    kernel: &Kernel,
    names: &dyn Names,
    in_place: Option<usize>,
) -> Result<Shader, String> {
    expressible(kernel)?;
    let mut print = Printer::new(job, kernel, names, in_place);
    let groups = print.main();
    let Printer {
        wgsl,
        page,
        bindings,
        ..
    } = print;
    if let Some(problem) = wgsl.problem {
        return Err(problem);
    }
    let mut lines = bindings.lines;
    if !wgsl.arguments.is_empty() {
        let mut page = Page::default();
        arguments(
            &mut page,
            kernel,
            &wgsl.arguments,
            bindings.inputs.len() + 1,
        );
        lines.extend(page.lines);
    }
    let mut helpers = Page::default();
    helpers.line(&[], "");
    for &helper in &wgsl.helpers {
        helpers::write(&mut helpers, helper);
    }
    lines.extend(helpers.lines);
    lines.extend(page.lines);
    Ok(Shader {
        lines,
        inputs: bindings.inputs,
        arguments: wgsl.arguments,
        groups,
    })
}

/// The uniform.
fn arguments(page: &mut Page, kernel: &Kernel, arguments: &[(usize, DType)], binding: usize) {
    page.line(&[], "struct Numbers {");
    page.depth += 1;
    for &(at, dtype) in arguments {
        let (name, kind) = (dialect::argument(at, dtype), storage(dtype));
        let value = super::pseudo::number(kernel.args[at], dtype);
        page.line(&[], &format!("{name}: {kind}, // {value}"));
    }
    page.depth -= 1;
    page.line(&[], "}");
    let text = format!("@group(0) @binding({binding}) var<uniform> numbers: Numbers;");
    page.line(&[], &text);
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

/// The buffers of a module.
#[derive(Default)]
struct Bindings {
    lines: Vec<Line>,
    inputs: Vec<usize>,
}

/// What a kernel's module is printed with.
struct Printer<'a> {
    job: &'a Scheduled,
    kernel: &'a Kernel,
    names: &'a dyn Names,
    wgsl: Wgsl,
    page: Page,
    bindings: Bindings,
    /// The buffer of each input.
    inputs: Vec<String>,
    out: String,
    /// The node whose value is stored.
    stored: Vec<NodeId>,
    /// Names of the loops.
    indices: Vec<String>,
}

impl<'a> Printer<'a> {
    fn new(
        job: &'a Scheduled,
        kernel: &'a Kernel,
        names: &'a dyn Names,
        in_place: Option<usize>,
    ) -> Printer<'a> {
        let buffers = buffers(job, names);
        let mut print = Printer {
            job,
            kernel,
            names,
            wgsl: Wgsl::default(),
            page: Page::default(),
            bindings: Bindings::default(),
            inputs: buffers.inputs,
            out: buffers.output,
            stored: job.stored().map(|n| n.id).into_iter().collect(),
            indices: (0..kernel.shape.len()).map(index).collect(),
        };
        if print.inputs.contains(&print.out) {
            print.out.push_str("_out");
        }
        if let Some(input) = in_place {
            print.inputs[input] = print.out.clone();
        }
        print.bind();
        print
    }

    /// Declares the buffers.
    fn bind(&mut self) {
        let mut page = Page::default();
        let wide = |dtype: &DType| matches!(dtype, DType::I64);
        if self.kernel.dtypes.iter().any(wide) {
            page.line(
                &[],
                "// int64 lives in i32 here: beyond ±2147483647 it wraps.",
            );
        }
        for (i, name) in self.inputs.iter().enumerate() {
            if *name == self.out || self.inputs[..i].contains(name) {
                continue;
            }
            let dtype = self.kernel.inputs[i].dtype;
            let text = format!(
                "@group(0) @binding({}) var<storage, read> {name}_data: array<{}>; // {} {dtype}",
                self.bindings.inputs.len(),
                storage(dtype),
                shape::show(&self.job.inputs[i].shape)
            );
            page.line(&[self.job.inputs[i].id], &text);
            self.bindings.inputs.push(i);
        }
        let dtype = self.kernel.output_dtype(0);
        let shape = self.kernel.output_shape();
        let text = format!(
            "@group(0) @binding({}) var<storage, read_write> {}_data: array<{}>; // {} {dtype}",
            self.bindings.inputs.len(),
            self.out,
            storage(dtype),
            shape::show(self.job.stored().map_or(&shape[..], |n| &n.shape[..]))
        );
        page.line(&self.stored, &text);
        self.bindings.lines = page.lines;
    }

    /// The entry point; returns how many workgroups it takes.
    fn main(&mut self) -> usize {
        let n_output = shape::numel(&self.kernel.output_shape());
        if let Some(reduce) = &self.kernel.reduce {
            let n: usize = reduce
                .axes
                .iter()
                .map(|&axis| self.kernel.shape[axis])
                .product();
            if n >= reduce::TOGETHER {
                self.together(reduce, n, n_output);
                return n_output;
            }
        }
        let groups = n_output.div_ceil(GROUP);
        self.open(groups);
        self.page
            .line(&[], &format!("if (at >= {n_output}u) {{ return; }}"));
        let kept = self.kept();
        self.unravel("at", &kept);
        match &self.kernel.reduce {
            None => {
                let value = self.statements().text;
                self.store(
                    &value,
                    self.kernel.dtypes[usize::from(self.kernel.outputs[0])],
                );
            }
            Some(reduce) => self.alone(reduce),
        }
        self.close();
        groups
    }

    /// The entry point's head, for one invocation an element.
    fn open(&mut self, groups: usize) {
        let page = &mut self.page;
        page.line(&[], &format!("@compute @workgroup_size({GROUP})"));
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
    }

    fn close(&mut self) {
        self.page.depth -= 1;
        self.page.line(&[], "}");
    }

    /// The dimensions of the result that are longer than one.
    fn kept(&self) -> Vec<usize> {
        let reduced = |axis: &usize| {
            let reduce = self.kernel.reduce.as_ref();
            reduce.is_some_and(|r| r.axes.contains(axis))
        };
        let axes = 0..self.kernel.shape.len();
        axes.filter(|&axis| self.kernel.shape[axis] != 1)
            .filter(|axis| !reduced(axis))
            .collect()
    }

    /// A row-major number as an index for each of these dimensions.
    fn unravel(&mut self, number: &str, axes: &[usize]) {
        let shape = &self.kernel.shape;
        for (place, &axis) in axes.iter().enumerate() {
            let below: usize = axes[place + 1..].iter().map(|&a| shape[a]).product();
            let n = shape[axis];
            let text = match (place, below) {
                (0, 1) => number.to_owned(),
                (0, _) => format!("{number} / {below}u"),
                (_, 1) => format!("{number} % {n}u"),
                _ => format!("({number} / {below}u) % {n}u"),
            };
            self.page
                .line(&[], &format!("let {} = {text};", self.indices[axis]));
        }
    }

    /// The body's statements; returns the result.
    fn statements(&mut self) -> Piece {
        let Printer {
            job,
            kernel,
            names,
            wgsl,
            ..
        } = self;
        let body = Body::new(job, kernel, *names, wgsl, &mut Words::default());
        for statement in &body.statements {
            let value = match kernel.code[usize::from(statement.at)] {
                Instr::Load { input } => {
                    let input = usize::from(input);
                    let at = address(&kernel.inputs[input].view, &self.indices);
                    let test = match kernel.inputs[input].dtype {
                        DType::Bool => " != 0u",
                        _ => "",
                    };
                    format!("{}_data[{at}]{test}", self.inputs[input])
                }
                _ => body.definition(wgsl, statement.at).text,
            };
            self.page.line(
                &[statement.node],
                &format!("let {} = {value};", statement.name),
            );
        }
        body.value(wgsl, kernel.outputs[0])
    }

    fn store(&mut self, value: &str, of: DType) {
        let out = &self.out;
        let text = match of {
            DType::Bool => format!("{out}_data[at] = u32({value});"),
            _ => format!("{out}_data[at] = {value};"),
        };
        self.page.line(&self.stored, &text);
    }
}
