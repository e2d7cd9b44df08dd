//! What the printers for devices share: a kernel's entry point, its buffers, its loops and its end.
//!
//! Invariant: a line comes from the same nodes in every language. How a thing is written is left to a
//! [`Language`]; which functions it must bring along, too.

mod reduce;
mod unnamed;

use std::rc::Rc;

use super::expression::{ATOM, Body, Dialect, Piece};
use super::name::{Buffers, Words, buffers};
use super::pseudo::{Page, index};
use super::{Line, Names, NodeInfo, Scheduled};
use crate::alu::AluOp;
use crate::dtype::{DType, Scalar};
use crate::kernel::{InPlace, Instr, Kernel, Work};
use crate::shape;
use crate::trace::NodeId;
use crate::view::View;

/// Threads of a group that reduces together.
pub(super) const LANES: usize = 256;

/// A kernel in a device's language, and how it is run.
#[derive(Debug)]
pub struct Shader {
    /// The module: its entry point is `main` in WGSL and `compute` in CUDA C and MSL.
    pub lines: Vec<Line>,
    /// The kernel's input that each buffer is, in order. The results follow, and then the
    /// [`Shader::arguments`].
    pub inputs: Vec<usize>,
    /// Run-time numbers: an index into [`Kernel::args`], and the dtype it is taken in, one of those
    /// that arithmetic is done in. WGSL has them in one uniform, four bytes each.
    pub arguments: Vec<(usize, DType)>,
    /// How many groups of threads it takes; in WGSL, beyond [`MAX_GROUPS`](super::MAX_GROUPS), they
    /// are spread over two dimensions.
    pub groups: usize,
    /// Threads of a group.
    pub threads: usize,
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

/// What a module turned out to need.
#[derive(Default)]
pub(super) struct Used {
    /// Run-time arguments that are read: which, and as what.
    pub(super) arguments: Vec<(usize, DType)>,
    /// What cannot be said.
    pub(super) problem: Option<String>,
}

impl Used {
    /// The name of a run-time argument, which is now known to be read.
    pub(super) fn argument(&mut self, at: usize, dtype: DType) -> String {
        if !self.arguments.contains(&(at, dtype)) {
            self.arguments.push((at, dtype));
        }
        argument(at, dtype)
    }
}

/// A run-time argument in a dtype: `f0`.
pub(super) fn argument(at: usize, dtype: DType) -> String {
    let kind = match dtype {
        DType::Bool => 'b',
        DType::F64 => 'd',
        DType::U64 => 'u',
        dtype if dtype.is_float() => 'f',
        _ => 'i',
    };
    format!("{kind}{at}")
}

pub(super) use unnamed::{Unnamed, unnamed};

/// How the threads share the work.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    /// Whether a group computes one element; otherwise each of its threads does.
    pub(super) together: bool,
    pub(super) groups: usize,
}

/// A buffer or an array that the threads of a group share.
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) dtype: DType,
    /// Of the tensor.
    pub(super) shape: String,
    pub(super) nodes: Vec<NodeId>,
}

/// What a module is put together from.
pub(super) struct Module<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) grid: Grid,
    pub(super) inputs: Vec<Variable>,
    pub(super) outputs: Vec<Variable>,
    /// Arrays that a group shares, of [`LANES`] elements.
    pub(super) shared: Vec<Variable>,
    /// The entry point's lines.
    pub(super) body: Vec<Line>,
}

/// A language of a device.
pub(super) trait Language: Dialect {
    /// Threads of a group where each computes one element of the result.
    const GROUP: usize;
    /// Where the threads of a group wait for each other.
    fn barrier(&self) -> &'static str;
    fn used(&mut self) -> &mut Used;
    /// The type in which a dtype lies in a buffer.
    fn storage(&self, dtype: DType) -> &'static str;
    /// The type in which a dtype is computed with.
    fn local(&self, dtype: DType) -> &'static str;
    /// The type that counts elements.
    fn index(&self) -> &'static str;
    /// A number of elements.
    fn count(&self, n: usize) -> String;
    /// A name for a value.
    fn constant(&self, kind: &str, name: &str, value: &str) -> String;
    /// A name whose value changes.
    fn variable(&self, kind: &str, name: &str, value: &str) -> String;
    /// A view's element at the loops' indices.
    fn address(&self, view: &View, indices: &[String]) -> String;
    /// An element of a buffer whose bits are of another type, which has its size.
    fn reinterpret(&self, kind: &str, element: &str) -> String;
    /// What was read from a buffer, to compute with.
    fn unpack(&self, dtype: DType, text: String) -> String;
    /// A value as it lies in a buffer.
    fn pack(&self, dtype: DType, text: &str) -> String;
    /// An index as an int64.
    fn position(&self, index: &str) -> String;
    fn is_nan(&mut self, value: &str) -> String;
    /// The smallest or largest int64 as it is computed with.
    fn extreme(&self, smallest: bool) -> Scalar;
    /// The entry point's first lines: which element, `at`, and in a group which `lane`.
    fn place(&self, grid: Grid) -> Vec<String>;
    /// The whole of it.
    fn module(&mut self, module: Module) -> Vec<Line>;
}

impl Scheduled {
    /// Its kernel; a routine has none.
    pub(super) fn kernel(&self) -> Result<&Rc<Kernel>, String> {
        match &self.work {
            Work::Kernel(kernel) => Ok(kernel),
            Work::Routine(routine) => Err(format!(
                "{} is a routine: each backend has it written by hand, so no shader is generated.",
                routine.name()
            )),
        }
    }
}

/// A schedule item's kernel in a language.
pub(super) fn print<L: Language>(
    item: &Scheduled,
    kernel: &Kernel,
    names: &dyn Names,
    language: L,
    in_place: InPlace,
) -> Result<Shader, String> {
    if shape::numel(&kernel.output_shape()) == 0 {
        return Err("The result has no elements, so there is nothing to run.".to_owned());
    }
    let mut print = Printer::new(item, kernel, names, language, buffers(item, names));
    print.lies_in(in_place);
    let grid = print.main();
    print.finish(grid, L::module)
}

/// A schedule item's kernel as the end of a routine, from an element of its first input, called `element`, and that
/// one's place, called `at`; `write` puts it together.
pub(super) fn print_end<L: Language>(
    item: &Scheduled,
    kernel: &Kernel,
    names: &dyn Names,
    language: L,
    buffers: Buffers,
    write: impl FnOnce(&mut L, Module) -> Vec<Line>,
) -> Result<Shader, String> {
    let mut print = Printer::new(item, kernel, names, language, buffers);
    print.is_end = true;
    let kept = print.kept();
    print.unravel("at", &kept);
    print.end();
    // The routine says how the threads share the work.
    let grid = Grid {
        together: false,
        groups: 0,
    };
    print.finish(grid, write)
}

/// How far a kernel counts: the largest place that it reads, and its number of elements.
pub(super) fn reach(kernel: &Kernel) -> i128 {
    let reach = |view: &View| -> i128 {
        let steps = view.strides.iter().zip(&view.shape);
        let reach: i128 = steps
            .map(|(&stride, &n)| stride.unsigned_abs() as i128 * n as i128)
            .sum();
        reach + view.offset.unsigned_abs() as i128
    };
    let most = kernel.inputs.iter().map(|input| reach(&input.view)).max();
    most.unwrap_or(0).max(shape::numel(&kernel.shape) as i128)
}

/// Whether a language whose elements are words of 32 bits, or float16, has a dtype.
pub fn has_words(dtype: DType) -> bool {
    use DType::*;
    !matches!(dtype, F64 | BF16 | U64 | U32)
}

/// Why a language whose elements are words of 32 bits, or float16, cannot say a kernel.
pub(super) fn fits_words(kernel: &Kernel, language: &str) -> Result<(), String> {
    let inputs = kernel.inputs.iter().map(|input| input.dtype);
    let mut dtypes = inputs.chain(kernel.dtypes.iter().copied());
    let missing = dtypes.find(|dtype| !has_words(*dtype));
    match missing {
        Some(DType::U32) => Err(format!(
            "uint32 is computed in 64 bits, which {language} has not."
        )),
        Some(dtype) => Err(format!("{language} has no {dtype}.")),
        None if reach(kernel) > i128::from(i32::MAX) => {
            Err("It reads further than 32 bits can count.".to_owned())
        }
        None => Ok(()),
    }
}

/// Said at the head of a module where int64 is computed in 32 bits.
pub(super) fn narrow(kernel: &Kernel, language_type: &str) -> Option<String> {
    kernel
        .dtypes
        .contains(&DType::I64)
        .then(|| format!("// int64 lives in {language_type} here: beyond ±2147483647 it wraps."))
}

/// What a kernel's entry point is printed with.
struct Printer<'a, L> {
    item: &'a Scheduled,
    kernel: &'a Kernel,
    names: &'a dyn Names,
    language: L,
    page: Page,
    shared: Vec<Variable>,
    /// The buffer of each input.
    inputs: Vec<String>,
    /// The buffer of each result.
    outs: Vec<String>,
    /// For each input, the result that goes where it lies, and that may be of another dtype of its size.
    replaced_by: Vec<Option<usize>>,
    /// Whether the first input is no buffer, but an element that is at hand: see [`print_end`].
    is_end: bool,
    /// The nodes whose values are stored.
    stored: Vec<NodeId>,
    /// Names of the loops.
    indices: Vec<String>,
}

impl<'a, L: Language> Printer<'a, L> {
    fn new(
        item: &'a Scheduled,
        kernel: &'a Kernel,
        names: &'a dyn Names,
        language: L,
        buffers: Buffers,
    ) -> Printer<'a, L> {
        let mut print = Printer {
            item,
            kernel,
            names,
            language,
            page: Page::default(),
            shared: Vec::new(),
            replaced_by: vec![None; buffers.inputs.len()],
            inputs: buffers.inputs,
            outs: buffers.outputs,
            is_end: false,
            stored: item.results().iter().map(|n| n.id).collect(),
            indices: (0..kernel.shape.len()).map(index).collect(),
        };
        print.page.depth = 1;
        for out in &mut print.outs {
            if print.inputs.contains(out) {
                out.push_str("_out");
            }
        }
        print
    }

    /// Inputs lie where results go.
    fn lies_in(&mut self, in_place: InPlace) {
        for (output, input) in in_place.into_iter().enumerate() {
            if let Some(input) = input.map(usize::from) {
                self.replaced_by[input] = Some(output);
                self.inputs[input] = self.outs[output].clone();
            }
        }
    }

    /// The buffers that are read and not written: which inputs they are, and what they hold.
    fn inputs(&self) -> (Vec<usize>, Vec<Variable>) {
        let first = |&i: &usize| {
            let name = &self.inputs[i];
            !self.outs.contains(name) && !self.inputs[..i].contains(name)
        };
        let buffers = usize::from(self.is_end)..self.inputs.len();
        let read: Vec<usize> = buffers.filter(first).collect();
        let variable = |&i: &usize| Variable {
            name: format!("{}_data", self.inputs[i]),
            dtype: self.kernel.inputs[i].dtype,
            shape: shape::show(&self.item.inputs[i].shape),
            nodes: vec![self.item.inputs[i].id],
        };
        let variables = read.iter().map(variable).collect();
        (read, variables)
    }

    fn outputs(&self) -> Vec<Variable> {
        let results = self.item.results().iter().zip(&self.outs).enumerate();
        let variable = |(i, (result, out)): (usize, (&NodeInfo, &String))| Variable {
            name: format!("{out}_data"),
            dtype: self.kernel.output_dtype(i),
            shape: shape::show(&result.shape),
            nodes: vec![result.id],
        };
        results.map(variable).collect()
    }

    /// A line of the loops.
    fn line(&mut self, text: &str) {
        self.page.line(&[], text);
    }

    /// A line that belongs to what is stored.
    fn end_line(&mut self, text: &str) {
        self.page.line(&self.stored, text);
    }

    fn open(&mut self, text: &str) {
        self.line(text);
        self.page.depth += 1;
    }

    fn close(&mut self) {
        self.page.depth -= 1;
        self.line("}");
    }

    /// A loop; what is written next is inside it.
    fn repeat(&mut self, name: &str, from: &str, below: usize, step: usize) {
        let language = &self.language;
        let begin = language.variable(language.index(), name, from);
        let (below, step) = (language.count(below), language.count(step));
        self.open(&format!(
            "for ({begin} {name} < {below}; {name} += {step}) {{"
        ));
    }

    fn constant(&mut self, nodes: &[NodeId], kind: &str, name: &str, value: &str) {
        let text = self.language.constant(kind, name, value);
        self.page.line(nodes, &text);
    }

    /// The entry point's lines.
    fn main(&mut self) -> Grid {
        let n_output = shape::numel(&self.kernel.output_shape());
        let reduce = self.kernel.reduce.as_ref();
        let n_reduced = reduce.map_or(0, |reduce| {
            let sizes = reduce.axes.iter().map(|&axis| self.kernel.shape[axis]);
            sizes.product()
        });
        let together = n_reduced >= LANES;
        let grid = Grid {
            together,
            groups: if together {
                n_output
            } else {
                n_output.div_ceil(L::GROUP)
            },
        };
        for line in self.language.place(grid) {
            self.line(&line);
        }
        let n = self.language.count(n_output);
        self.line(&format!("if (at >= {n}) {{ return; }}"));
        let kept = self.kept();
        self.unravel("at", &kept);
        match reduce {
            None => self.end(),
            Some(reduce) if together => self.together(reduce, n_reduced),
            Some(reduce) => self.alone(reduce),
        }
        grid
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
            let step = self.language.count(below);
            let n = self.language.count(shape[axis]);
            let text = match (place, below) {
                (0, 1) => number.to_owned(),
                (0, _) => format!("{number} / {step}"),
                (_, 1) => format!("{number} % {n}"),
                _ => format!("({number} / {step}) % {n}"),
            };
            let (kind, name) = (self.language.index(), self.indices[axis].clone());
            self.constant(&[], kind, &name, &text);
        }
    }

    /// The end of a kernel that does not reduce: its statements, and then every store.
    fn end(&mut self) {
        for (output, value) in self.statements().into_iter().enumerate() {
            self.store(output, &value.text);
        }
    }

    /// The body's statements; returns the results.
    fn statements(&mut self) -> Vec<Piece> {
        let kernel = self.kernel;
        let language = &mut self.language;
        let body = Body::new(
            self.item,
            kernel,
            self.names,
            language,
            &mut Words::default(),
        );
        for statement in &body.statements {
            let value = match kernel.code[usize::from(statement.at)] {
                Instr::Load { input: 0 } if self.is_end => "element".to_owned(),
                Instr::Load { input } => {
                    let input = usize::from(input);
                    let at = language.address(&kernel.inputs[input].view, &self.indices);
                    let mut element = format!("{}_data[{at}]", self.inputs[input]);
                    let dtype = kernel.inputs[input].dtype;
                    let kind = language.storage(dtype);
                    let replaced_by = self.replaced_by[input];
                    let lies_as = replaced_by.map(|out| language.storage(kernel.output_dtype(out)));
                    if lies_as.is_some_and(|lies_as| lies_as != kind) {
                        element = language.reinterpret(kind, &element);
                    }
                    language.unpack(dtype, element)
                }
                _ => body.definition(language, statement.at).text,
            };
            let kind = language.local(kernel.dtypes[usize::from(statement.at)]);
            let text = language.constant(kind, &statement.name, &value);
            self.page.line(&[statement.node], &text);
        }
        let results = kernel.outputs.iter();
        results.map(|&at| body.value(language, at)).collect()
    }

    /// The module, put together by `write`.
    fn finish(
        self,
        grid: Grid,
        write: impl FnOnce(&mut L, Module) -> Vec<Line>,
    ) -> Result<Shader, String> {
        let (inputs, memories) = self.inputs();
        let module = Module {
            kernel: self.kernel,
            grid,
            inputs: memories,
            outputs: self.outputs(),
            shared: self.shared,
            body: self.page.lines,
        };
        let mut language = self.language;
        if let Some(problem) = language.used().problem.take() {
            return Err(problem);
        }
        Ok(Shader {
            lines: write(&mut language, module),
            inputs,
            arguments: std::mem::take(&mut language.used().arguments),
            groups: grid.groups,
            threads: if grid.together { LANES } else { L::GROUP },
        })
    }

    fn store(&mut self, output: usize, value: &str) {
        let value = self.language.pack(self.kernel.output_dtype(output), value);
        let text = format!("{}_data[at] = {value};", self.outs[output]);
        self.page.line(&self.stored[output..=output], &text);
    }
}

/// Operands of signs are names, numbers, calls or in parentheses: WGSL lets few signs stand beside
/// each other, and a reader need not know which sign C takes first.
pub(super) const SIGN: u8 = ATOM - 1;

pub(super) fn infix(a: &Piece, sign: &str, b: &Piece) -> Piece {
    let text = [&a.within(ATOM), " ", sign, " ", &b.within(ATOM)].concat();
    Piece { text, rank: SIGN }
}

/// `-a`, `~a`.
pub(super) fn prefix(sign: &str, a: &Piece) -> Piece {
    let text = [sign, &a.within(ATOM)].concat();
    Piece { text, rank: SIGN }
}

pub(super) fn not(a: &Piece) -> Piece {
    Piece::atom(["!", &a.within(ATOM)].concat())
}

/// A bool of two: WGSL compares bools for equality alone, and C takes them for integers.
pub(super) fn of_bools(op: AluOp, a: &Piece, b: &Piece) -> Piece {
    use AluOp::*;
    match op {
        Not | BitNot => not(a),
        Add | Max | Or | BitOr => infix(a, "||", b),
        Mul | Min | And | BitAnd | Div => infix(a, "&&", b),
        Sub | BitXor => infix(a, "!=", b),
        Eq => infix(a, "==", b),
        Lt => infix(&not(a), "&&", b),
        Le => infix(&not(a), "||", b),
        Rem | Fmod => Piece::atom("false"),
        Pow => infix(a, "||", &not(b)),
        Shr => infix(a, "&&", &not(b)),
        _ => a.clone(),
    }
}
