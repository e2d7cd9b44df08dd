//! From the learner's text to a code object: parse, insert ticks, compile.
//!
//! Source that nests so deeply that a recursive parser would run out of stack is refused first,
//! with the limits CPython has. Messages of syntax errors keep what the parser found.

use ruff_source_file::{SourceFile, SourceFileBuilder};
use rustpython_vm::builtins::{PyBaseExceptionRef, PyCode, PyStr};
use rustpython_vm::bytecode::{BinaryOperator, CodeObject, CodeUnit, ConstantData, Instruction};
use rustpython_vm::compiler::{CompileError, Mode, ast, codegen, parser};
use rustpython_vm::{AsObject, PyRef, VirtualMachine};

use crate::{depth, tick};

/// What the code is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The learner's cell: ticks, and the last expression is shown.
    Cell,
    /// The learner's code that shows nothing by itself (`exec`, exercises): ticks.
    Quiet,
    /// One expression (`eval`).
    Expression,
    /// A module of ours: ticks in its loops alone.
    Ours,
}

impl Purpose {
    /// What is parsed, and what it is compiled as.
    fn modes(self) -> (parser::Mode, Mode) {
        match self {
            Purpose::Expression => (parser::Mode::Expression, Mode::Eval),
            _ => (parser::Mode::Module, Mode::Exec),
        }
    }
}

/// Compiles `source`; `file` is the name tracebacks show.
///
/// # Errors
/// A `SyntaxError` with line and column.
pub(crate) fn compile(
    vm: &VirtualMachine,
    source: &str,
    file: &str,
    purpose: Purpose,
) -> Result<PyRef<PyCode>, PyBaseExceptionRef> {
    if purpose != Purpose::Ours {
        depth::check(source, purpose.modes().0)
            .map_err(|(line, message)| depth_error(vm, source, file, line, message))?;
    }
    let source_file = SourceFileBuilder::new(file, source).finish();
    compile_file(vm, source, source_file, purpose).map_err(|error| syntax_error(vm, &error, source))
}

fn compile_file(
    vm: &VirtualMachine,
    source: &str,
    source_file: SourceFile,
    purpose: Purpose,
) -> Result<PyRef<PyCode>, CompileError> {
    let (parse_mode, mode) = purpose.modes();
    let parsed = parser::parse(source, parse_mode.into())
        .map_err(|error| CompileError::from_ruff_parse_error(error, &source_file))?;
    let mut tree = parsed.into_syntax();
    match &mut tree {
        ast::Mod::Module(module) => {
            match purpose {
                Purpose::Ours => tick::insert_in_loops(module),
                _ => tick::insert(module),
            }
            if purpose == Purpose::Cell {
                tick::show_last_expression(module, source);
            }
        }
        ast::Mod::Expression(expression) => tick::insert_in_expression(&mut expression.body),
    }
    let mut code = codegen::compile::compile_top(tree, source_file, mode, vm.compile_opts())?;
    if purpose != Purpose::Ours {
        without_shortcuts(&mut code);
    }
    Ok(vm.ctx.new_code(code))
}

/// Makes `+` and `*` ask the operands' types each time. RustPython would replace them, once they have run a few times, by
/// instructions for two integers or two texts that pass the guards of [`crate::limits`] by: `x = x * x` in
/// a loop would grow until memory ends.
fn without_shortcuts(code: &mut CodeObject) {
    let grows = |unit: &CodeUnit| {
        matches!(unit.op, Instruction::BinaryOp { .. })
            && matches!(
                BinaryOperator::try_from(u8::from(unit.arg)),
                Ok(BinaryOperator::Add
                    | BinaryOperator::InplaceAdd
                    | BinaryOperator::Multiply
                    | BinaryOperator::InplaceMultiply)
            )
    };
    let units = code.instructions.iter().map(|unit| CodeUnit {
        // The general form of an instruction that is specialised already: it stays as it is.
        op: if grows(unit) {
            Instruction::BinaryOpExtend
        } else {
            unit.op
        },
        arg: unit.arg,
    });
    code.instructions = units.collect();
    let constants = code.constants.iter().cloned().map(|mut constant| {
        if let ConstantData::Code { code } = &mut constant {
            without_shortcuts(code);
        }
        constant
    });
    code.constants = constants.collect();
}

/// RustPython says `invalid syntax` where its parser knows more: say what it knows.
fn syntax_error(vm: &VirtualMachine, error: &CompileError, source: &str) -> PyBaseExceptionRef {
    let exception = vm.new_syntax_error(error, Some(source));
    let vague = exception
        .args()
        .first()
        .and_then(|message| message.str(vm).ok())
        .is_some_and(|message| message.as_wtf8().to_string_lossy() == "invalid syntax");
    if let Some((line, column, bracket)) = unclosed_bracket(error, source) {
        let text = source.lines().nth(line - 1).unwrap_or_default();
        let message = vm.ctx.new_str(format!("'{bracket}' was never closed"));
        set_message(vm, &exception, message);
        for (name, number) in [
            ("lineno", line),
            ("end_lineno", line),
            ("offset", column),
            ("end_offset", column + 1),
        ] {
            let _ = exception
                .as_object()
                .set_attr(name, vm.ctx.new_int(number), vm);
        }
        let _ = exception
            .as_object()
            .set_attr("text", vm.ctx.new_str(text), vm);
    } else if vague {
        let mut detail = error.to_string().replace('`', "'");
        if let Some(first) = detail.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        set_message(vm, &exception, vm.ctx.new_str(detail));
    }
    exception
}

fn set_message(vm: &VirtualMachine, exception: &PyBaseExceptionRef, message: PyRef<PyStr>) {
    let args = vm.ctx.new_tuple(vec![message.clone().into()]);
    let object = exception.as_object();
    let _ = object.set_attr("args", args, vm);
    let _ = object.set_attr("msg", message, vm);
}

/// A bracket still open where the parser gave up, if it was opened on an earlier line: as in
/// CPython, that is then what is wrong. Line and column count from 1.
fn unclosed_bracket(error: &CompileError, source: &str) -> Option<(usize, usize, char)> {
    let CompileError::Parse(error) = error else {
        return None;
    };
    let bytes = source.as_bytes();
    let mut open: Vec<(usize, usize, u8)> = Vec::new();
    let (mut line, mut line_start, mut index) = (1, 0, 0);
    while index < bytes.len() && line < error.location.line.get() {
        match bytes[index] {
            b'\n' => {
                line += 1;
                line_start = index + 1;
            }
            b'#' => {
                while index < bytes.len() && bytes[index] != b'\n' {
                    index += 1;
                }
                continue;
            }
            b'"' | b'\'' => {
                let (end, lines) = string_end(bytes, index);
                line += lines;
                index = end;
                continue;
            }
            bracket @ (b'(' | b'[' | b'{') => {
                let column = source[line_start..index].chars().count() + 1;
                open.push((line, column, bracket));
            }
            b')' | b']' | b'}' => {
                open.pop();
            }
            _ => {}
        }
        index += 1;
    }
    let (line, column, bracket) = open.pop()?;
    Some((line, column, bracket as char))
}

fn depth_error(
    vm: &VirtualMachine,
    source: &str,
    file: &str,
    line: usize,
    message: &str,
) -> PyBaseExceptionRef {
    let exception = vm.new_exception_msg(
        vm.ctx.exceptions.syntax_error.to_owned(),
        message.to_owned().into(),
    );
    let text = source.lines().nth(line - 1).unwrap_or_default();
    // A line deep enough to be refused is long: its beginning says which it is.
    let text: String = text.chars().take(60).collect();
    let object = exception.as_object();
    let _ = object.set_attr("lineno", vm.ctx.new_int(line), vm);
    let _ = object.set_attr("text", vm.ctx.new_str(text), vm);
    let _ = object.set_attr("filename", vm.ctx.new_str(file), vm);
    exception
}

/// Where the string that starts at `start` ends, and how many line ends it holds.
fn string_end(bytes: &[u8], start: usize) -> (usize, usize) {
    let quote = bytes[start];
    let triple = bytes[start..].starts_with(&[quote; 3]);
    let mut index = start + if triple { 3 } else { 1 };
    let mut lines = 0;
    while index < bytes.len() {
        match bytes[index] {
            b'\\' => {
                lines += usize::from(bytes.get(index + 1) == Some(&b'\n'));
                index += 2;
                continue;
            }
            b'\n' if !triple => return (index, lines),
            b'\n' => lines += 1,
            byte if byte == quote => {
                if !triple {
                    return (index + 1, lines);
                }
                if bytes[index..].starts_with(&[quote; 3]) {
                    return (index + 3, lines);
                }
            }
            _ => {}
        }
        index += 1;
    }
    (bytes.len(), lines)
}
