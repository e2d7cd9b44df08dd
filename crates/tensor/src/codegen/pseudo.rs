//! A schedule item as pseudo-code: the loops, the loads through strides, a line for each node, the store.
//!
//! It tells what is computed from what, in which order of loops. What a backend does to make it
//! quick (tiles, packing, threads) is said in a comment and left out.

use super::expression::{ATOM, Body, Dialect, Piece};
use super::name::{Buffers, Words, buffers};
use super::{Line, Names, NodeInfo, Scheduled, routine};
use crate::alu::{AluOp, Value};
use crate::dtype::{DType, Scalar};
use crate::kernel::{Instr, ReduceOp, Work};
use crate::shape;
use crate::trace::NodeId;
use crate::view::View;

/// What a schedule item computes, for a reader.
pub fn pseudo_code(item: &Scheduled, names: &dyn Names) -> Vec<Line> {
    let mut page = Page::default();
    match &item.work {
        Work::Kernel(_) => {
            let buffers = buffers(item, names);
            page.head(item, &buffers);
            page.line(
                &[],
                "# the processor does each line for a tile of elements, then the next line",
            );
            print_loops(&mut page, item, names, &buffers);
        }
        Work::Routine(routine) => routine::print(&mut page, item, routine, names),
    }
    page.lines
}

/// Lines being written, with the depth of the loops around.
#[derive(Default)]
pub(super) struct Page {
    pub(super) lines: Vec<Line>,
    pub(super) depth: usize,
}

impl Page {
    pub(super) fn line(&mut self, nodes: &[NodeId], text: &str) {
        let mut line = "  ".repeat(self.depth);
        line.push_str(text);
        self.lines.push(Line {
            text: line,
            nodes: nodes.to_vec(),
        });
    }

    /// A loop; what is written next is inside it.
    pub(super) fn open(&mut self, name: &str, n: usize) {
        self.line(&[], &format!("for {name} in 0..{n}:"));
        self.depth += 1;
    }

    /// A buffer, its shape and dtype.
    pub(super) fn buffer(&mut self, what: &str, name: &str, operand: &NodeInfo) {
        let shape = shape::show(&operand.shape);
        let text = format!("# {what} {name} {shape} {}", operand.dtype);
        self.line(&[operand.id], &text);
    }

    /// What is read and written.
    pub(super) fn head(&mut self, item: &Scheduled, buffers: &Buffers) {
        let inputs = &buffers.inputs;
        for (i, (operand, name)) in item.inputs.iter().zip(inputs).enumerate() {
            if !inputs[..i].contains(name) {
                self.buffer("reads ", name, operand);
            }
        }
        for (result, name) in item.results().iter().zip(&buffers.outputs) {
            self.buffer("writes", name, result);
        }
    }
}

/// The name of a loop over dimension number `i`.
pub(super) fn index(i: usize) -> String {
    match "ijklmnpqr".get(i..=i) {
        Some(letter) => letter.to_owned(),
        None => format!("d{i}"),
    }
}

/// Where a view lies at the loops' indices: `5 + 32*i - j`.
pub(super) fn address(view: &View, indices: &[String]) -> String {
    let mut text = String::new();
    if view.offset != 0 {
        text = view.offset.to_string();
    }
    let dims = view.strides.iter().zip(&view.shape).zip(indices);
    for ((&stride, &n), index) in dims {
        if stride == 0 || n == 1 {
            continue;
        }
        text.push_str(match (text.is_empty(), stride < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        if stride.unsigned_abs() != 1 {
            text.push_str(&stride.unsigned_abs().to_string());
            text.push('*');
        }
        text.push_str(index);
    }
    if text.is_empty() {
        text.push('0');
    }
    text
}

/// The loops of a kernel; a routine has others.
pub(super) fn print_loops(page: &mut Page, item: &Scheduled, names: &dyn Names, buffers: &Buffers) {
    let Work::Kernel(kernel) = &item.work else {
        return;
    };
    let indices: Vec<String> = (0..kernel.shape.len()).map(index).collect();
    let reduced = |axis: &usize| {
        kernel
            .reduce
            .as_ref()
            .is_some_and(|r| r.axes.contains(axis))
    };
    let long = |axis: &usize| kernel.shape[*axis] != 1;
    let axes = 0..kernel.shape.len();
    for axis in axes.clone().filter(long).filter(|a| !reduced(a)) {
        page.open(&indices[axis], kernel.shape[axis]);
    }
    let stored: Vec<NodeId> = item.results().iter().map(|n| n.id).collect();
    let mut words = Words::default();
    let mut plain = Plain;
    // What the reduction adds up needs its name first.
    let total = kernel.reduce.as_ref().map(|reduce| {
        let total = words.take("total");
        let start = match reduce.op {
            ReduceOp::Sum => "0",
            ReduceOp::Prod => "1",
            ReduceOp::Max | ReduceOp::ArgMax => "-inf",
            ReduceOp::Min | ReduceOp::ArgMin => "inf",
        };
        page.line(&stored, &format!("{total} = {start}"));
        let outside = page.depth;
        for axis in axes.clone().filter(long).filter(reduced) {
            page.open(&indices[axis], kernel.shape[axis]);
        }
        (total, reduce, outside)
    });
    let body = Body::new(item, kernel, names, &plain, &mut words);
    for statement in &body.statements {
        let value = match kernel.code[usize::from(statement.at)] {
            Instr::Load { input } => {
                let input = usize::from(input);
                let at = address(&kernel.inputs[input].view, &indices);
                format!("{}.data[{at}]", buffers.inputs[input])
            }
            _ => body.definition(&mut plain, statement.at).text,
        };
        page.line(
            &[statement.node],
            &[&statement.name, " = ", &value].concat(),
        );
    }
    let at = address(&View::contiguous(&kernel.output_shape()), &indices);
    let store = |out: usize, value: &str| format!("{}.data[{at}] = {value}", buffers.outputs[out]);
    let Some((total, reduce, outside)) = total else {
        for (out, &result) in kernel.outputs.iter().enumerate() {
            let value = body.value(&mut plain, result);
            page.line(&stored[out..=out], &store(out, &value.text));
        }
        return;
    };
    let value = &body.value(&mut plain, kernel.outputs[0]).text;
    let mut best = &total;
    let best_at = words.take("best_at");
    match reduce.op {
        ReduceOp::Sum => page.line(&stored, &format!("{total} += {value}")),
        ReduceOp::Prod => page.line(&stored, &format!("{total} *= {value}")),
        ReduceOp::Max => page.line(&stored, &format!("{total} = max({total}, {value})")),
        ReduceOp::Min => page.line(&stored, &format!("{total} = min({total}, {value})")),
        ReduceOp::ArgMax | ReduceOp::ArgMin => {
            let sign = if reduce.op == ReduceOp::ArgMax {
                ">"
            } else {
                "<"
            };
            let index = reduce.axes.first().map_or("0", |&axis| match long(&axis) {
                true => &indices[axis],
                false => "0",
            });
            let text = format!("if {value} {sign} {total}: {total}, {best_at} = {value}, {index}");
            page.line(&stored, &text);
            best = &best_at;
        }
    }
    page.depth = outside;
    page.line(&stored, &store(0, best));
}

/// Expressions as Python would write them.
struct Plain;

/// A number in a dtype, as Python prints it.
pub(super) fn number(value: Scalar, dtype: DType) -> String {
    match Value::from_scalar(value, dtype) {
        Value::Bool(b) => if b { "True" } else { "False" }.to_owned(),
        Value::I64(i) => i.to_string(),
        Value::U64(i) => i.to_string(),
        Value::F32(x) => format!("{x:?}").to_lowercase(),
        Value::F64(x) => format!("{x:?}").to_lowercase(),
    }
}

/// The function that computes an operation, in Python's or PyTorch's words.
pub(super) fn function(op: AluOp) -> &'static str {
    use AluOp::*;
    match op {
        Abs => "abs",
        Sign => "sign",
        Exp => "exp",
        Expm1 => "expm1",
        Log => "log",
        Log1p => "log1p",
        Sqrt => "sqrt",
        Sin => "sin",
        Cos => "cos",
        Tanh => "tanh",
        Erf => "erf",
        Erfc => "erfc",
        Exp2 => "exp2",
        Log2 => "log2",
        Log10 => "log10",
        Tan => "tan",
        Asin => "asin",
        Acos => "acos",
        Atan => "atan",
        Sinh => "sinh",
        Cosh => "cosh",
        Asinh => "asinh",
        Acosh => "acosh",
        Atanh => "atanh",
        Floor => "floor",
        Ceil => "ceil",
        Round => "round",
        Trunc => "trunc",
        Fmod => "fmod",
        Atan2 => "atan2",
        Hypot => "hypot",
        Copysign => "copysign",
        Max => "max",
        Min => "min",
        Rem => "remainder",
        Pow => "power",
        Div => "floor_divide",
        Shl => "shift_left",
        Shr => "shift_right",
        _ => "",
    }
}

impl Dialect for Plain {
    fn number(&mut self, value: Scalar, dtype: DType) -> Piece {
        let text = number(value, dtype);
        let rank = if text.starts_with('-') { 9 } else { ATOM };
        Piece { text, rank }
    }

    fn apply(&mut self, op: AluOp, of: DType, operands: &[Piece]) -> Piece {
        use AluOp::*;
        let (sign, rank) = match op {
            Neg => return Piece::prefix("-", &operands[0], 9),
            BitNot => return Piece::prefix("~", &operands[0], 9),
            Not => return Piece::prefix("not ", &operands[0], 3),
            Select => {
                let [c, a, b] = operands else {
                    return Piece::atom("");
                };
                let text = [&a.within(1), " if ", &c.within(1), " else ", &b.within(1)].concat();
                return Piece { text, rank: 0 };
            }
            Add => ("+", 7),
            Sub => ("-", 7),
            Mul => ("*", 8),
            Div if of.is_float() => ("/", 8),
            Div => ("//", 8),
            Rem => ("%", 8),
            Pow => ("**", 10),
            And => ("and", 2),
            Or => ("or", 1),
            BitAnd => ("&", 5),
            BitOr => ("|", 4),
            BitXor => ("^", 4),
            Shl => ("<<", 6),
            Shr => (">>", 6),
            Eq => ("==", 3),
            Lt => ("<", 3),
            Le => ("<=", 3),
            _ => return Piece::call(function(op), operands),
        };
        Piece::infix(&operands[0], sign, &operands[1], rank)
    }

    fn cast(&mut self, _: DType, to: DType, operand: Piece) -> Piece {
        Piece::call(to.name(), &[operand])
    }

    fn value(&self, word: &str, _: usize, words: &mut Words) -> String {
        words.take(word)
    }
}
