//! What the printers for devices share: a kernel's entry point, its buffers, its loops and its end.
//!
//! Invariant: a line comes from the same nodes in every language. How a thing is written is left to a
//! [`Language`]; which functions it must bring along, too.

mod reduce;

use std::rc::Rc;

use super::expression::{ATOM, Body, Dialect, Piece};
use super::name::{Buffers, Words, buffers};
use super::pseudo::{Page, index};
use super::{Line, Names, NodeInfo, Scheduled};
use crate::alu::AluOp;
use crate::device::Device;
use crate::dtype::{DType, Scalar};
use crate::graph::primitive;
use crate::kernel::{Instr, Kernel, Work};
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
    /// The kernel's input that each buffer is, in order. The result follows, and then the
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
    pub(super) output: Variable,
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

/// Names of a kernel of which nothing else is known.
pub(super) struct Unnamed;

impl Names for Unnamed {
    fn name(&self, node: NodeId) -> Option<String> {
        Some(match node {
            0 => "out".to_owned(),
            node => format!("x{node}"),
        })
    }
}

/// A kernel by itself. `in_place` is the input that lies where the result goes, element for element.
pub(super) fn unnamed<L: Language>(
    kernel: &Rc<Kernel>,
    language: L,
    in_place: Option<usize>,
) -> Result<Shader, String> {
    print(
        &Scheduled::unnamed(kernel),
        kernel,
        &Unnamed,
        language,
        in_place,
    )
}

impl Scheduled {
    /// A kernel of which nothing else is known.
    pub(super) fn unnamed(kernel: &Rc<Kernel>) -> Scheduled {
        let operand = |id: usize, shape: &[usize], dtype: DType| NodeInfo {
            id: id as NodeId,
            op: &primitive::LEAF,
            shape: shape.into(),
            dtype,
            device: Device::FIRST,
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
            buffers: Vec::new(),
            nanos: std::cell::Cell::new(None),
        }
    }

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
    in_place: Option<usize>,
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
    let value = print.statements().text;
    print.store(&value);
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
    out: String,
    /// The input that lies where the result goes, and may be of another dtype of its size.
    in_place: Option<usize>,
    /// Whether the first input is no buffer, but an element that is at hand: see [`print_end`].
    is_end: bool,
    /// The node whose value is stored.
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
            inputs: buffers.inputs,
            out: buffers.output,
            in_place: None,
            is_end: false,
            stored: item.stored().map(|n| n.id).into_iter().collect(),
            indices: (0..kernel.shape.len()).map(index).collect(),
        };
        print.page.depth = 1;
        if print.inputs.contains(&print.out) {
            print.out.push_str("_out");
        }
        print
    }

    /// An input lies where the result goes.
    fn lies_in(&mut self, input: Option<usize>) {
        self.in_place = input;
        if let Some(input) = input {
            self.inputs[input] = self.out.clone();
        }
    }

    /// The buffers that are read and not written: which inputs they are, and what they hold.
    fn inputs(&self) -> (Vec<usize>, Vec<Variable>) {
        let first = |&i: &usize| {
            let name = &self.inputs[i];
            *name != self.out && !self.inputs[..i].contains(name)
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

    fn output(&self) -> Variable {
        let shape = self.kernel.output_shape();
        Variable {
            name: format!("{}_data", self.out),
            dtype: self.kernel.output_dtype(0),
            shape: shape::show(self.item.stored().map_or(&shape[..], |n| &n.shape[..])),
            nodes: self.stored.clone(),
        }
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
            None => {
                let value = self.statements().text;
                self.store(&value);
            }
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

    /// The body's statements; returns the result.
    fn statements(&mut self) -> Piece {
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
                    let lies_as = language.storage(kernel.output_dtype(0));
                    if self.in_place == Some(input) && kind != lies_as {
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
        body.value(language, kernel.outputs[0])
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
            output: self.output(),
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

    fn store(&mut self, value: &str) {
        let value = self.language.pack(self.kernel.output_dtype(0), value);
        let text = format!("{}_data[at] = {value};", self.out);
        self.end_line(&text);
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
