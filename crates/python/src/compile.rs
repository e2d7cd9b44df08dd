//! From the learner's text to a code object: parse, insert ticks, compile.
//!
//! Source that nests so deeply that a recursive parser would run out of stack is refused first,
//! with the limits CPython has. Messages of syntax errors keep what the parser found.

use ruff_python_ast as ast;
use ruff_python_parser::{self as parser, LexicalErrorType, ParseError, ParseErrorType};
use ruff_source_file::{PositionEncoding, SourceFile, SourceFileBuilder, SourceLocation};
use ruff_text_size::TextSize;
use rustpython_codegen::error::{CodegenError, CodegenErrorType};
use rustpython_codegen::{CompileOpts, compile as codegen};
use rustpython_compiler_core::marshal;
use rustpython_vm::builtins::{PyBaseExceptionRef, PyCode};
use rustpython_vm::bytecode::{
    BasicBag, BinaryOperator, CodeObject, CodeUnit, ConstantData, Instruction,
};
use rustpython_vm::compiler::Mode;
use rustpython_vm::{AsObject, PyRef, VirtualMachine};

use crate::{depth, insert_ticks, jupyter};

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
    compile_file(vm, source, source_file.clone(), purpose)
        .map_err(|error| syntax_error(vm, error, &source_file))
}

fn compile_file(
    vm: &VirtualMachine,
    source: &str,
    source_file: SourceFile,
    purpose: Purpose,
) -> Result<PyRef<PyCode>, CompileError> {
    let (parse_mode, mode) = purpose.modes();
    let parsed = parser::parse(source, parse_mode.into()).map_err(CompileError::Parse)?;
    let mut tree = parsed.into_syntax();
    match &mut tree {
        ast::Mod::Module(module) => {
            match purpose {
                Purpose::Ours => insert_ticks::in_loops(module),
                _ => insert_ticks::in_module(module),
            }
            if purpose == Purpose::Cell {
                insert_ticks::show_last_expression(module, source);
            }
        }
        ast::Mod::Expression(expression) => insert_ticks::in_expression(&mut expression.body),
    }
    let options = CompileOpts {
        int_max_str_digits: vm.state.int_max_str_digits.load(),
        recursion_limit: vm.recursion_limit.get(),
        ..CompileOpts::default()
    };
    let mut code = codegen::compile_top(tree, source_file, mode, options)
        .map_err(|error| CompileError::Compile(Box::new(error)))?;
    if purpose != Purpose::Ours {
        without_shortcuts(&mut code);
    }
    Ok(PyCode::new_ref_from_bytecode(vm, code))
}

/// The code of a module that was compiled when this crate was built.
pub(crate) fn compiled(vm: &VirtualMachine, mut bytes: &[u8]) -> PyRef<PyCode> {
    match marshal::deserialize_code(&mut bytes, BasicBag) {
        Ok(code) => PyCode::new_ref_from_bytecode(vm, code),
        Err(error) => unreachable!("the build script wrote it: {error}"),
    }
}

/// Makes `+` ask the operands' types each time. RustPython would replace it, once it has run a few times, by an
/// instruction for two texts that passes the guards of [`crate::limits`] by: `s = s + s` in a loop would grow
/// until memory ends. Products are guarded by their factors ([`insert_ticks`]).
fn without_shortcuts(code: &mut CodeObject) {
    let grows = |unit: &CodeUnit| {
        matches!(unit.op, Instruction::BinaryOp { .. })
            && matches!(
                BinaryOperator::try_from(u8::from(unit.arg)),
                Ok(BinaryOperator::Add | BinaryOperator::InplaceAdd)
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

/// What is wrong with a text.
enum CompileError {
    Parse(ParseError),
    Compile(Box<CodegenError>),
}

/// The exception for it, as CPython would raise it: with the parser's own words, which say more than CPython's
/// "invalid syntax".
fn syntax_error(vm: &VirtualMachine, error: CompileError, file: &SourceFile) -> PyBaseExceptionRef {
    let source = file.source_text();
    let at = |place| {
        let code = file.to_source_code();
        code.source_location(place, PositionEncoding::Utf8)
    };
    let exceptions = &vm.ctx.exceptions;
    let (mut class, mut message) = (exceptions.syntax_error, String::new());
    let (mut start, mut end);
    match error {
        CompileError::Compile(error) => {
            if matches!(error.error, CodegenErrorType::RecursionError) {
                return vm.new_recursion_error(error.to_string());
            }
            message.push_str(&error.to_string());
            (start, end) = (error.location, error.end_location);
        }
        CompileError::Parse(error) => {
            let (first, last) = (error.location.start(), error.location.end());
            start = Some(at(first));
            end = Some(at(last));
            if end.is_some_and(|end| end.line > at(first).line && end.character_offset.get() == 1) {
                // Up to a line's end.
                end = Some(after(at(last - TextSize::from(1))));
            }
            // What is open where the text ends, or on an earlier line, is what is wrong then.
            let lines = match error.error {
                ParseErrorType::Lexical(LexicalErrorType::Eof) => usize::MAX,
                _ => at(first).line.get(),
            };
            let open = unclosed_bracket(source, lines);
            let line = source.lines().nth(at(first).line.to_zero_indexed());
            match (&error.error, open) {
                (_, None) if let Some(sentence) = line.and_then(jupyter::sentence) => {
                    message = sentence
                }
                (_, Some((place, bracket))) => {
                    let place = at(TextSize::try_from(place).unwrap_or_default());
                    (start, end) = (Some(place), Some(after(place)));
                    message = format!("'{bracket}' was never closed");
                }
                (
                    ParseErrorType::Lexical(LexicalErrorType::IndentationError)
                    | ParseErrorType::UnexpectedIndentation,
                    _,
                ) => class = exceptions.indentation_error,
                (ParseErrorType::OtherError(what), _)
                    if what.starts_with("Expected an indented block") =>
                {
                    class = exceptions.indentation_error;
                }
                (ParseErrorType::Lexical(LexicalErrorType::LineContinuationError), _) => {
                    message.push_str("unexpected character after line continuation");
                }
                (ParseErrorType::Lexical(LexicalErrorType::UnclosedStringError), _) => {
                    message.push_str("unterminated string");
                }
                _ => {}
            }
            if message.is_empty() {
                message = error.error.to_string();
            }
        }
    }
    message = message.replace('`', "'");
    if let Some(first) = message.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    let exception = vm.new_exception_msg(class.to_owned(), message.clone().into());
    let object = exception.as_object();
    let set = |name: &'static str, value: rustpython_vm::PyObjectRef| {
        // A new exception takes any attribute.
        let _ = object.set_attr(name, value, vm);
    };
    set("msg", vm.ctx.new_str(message).into());
    set("filename", vm.ctx.new_str(file.name()).into());
    if let Some(start) = start {
        set("lineno", vm.ctx.new_int(start.line.get()).into());
        set(
            "offset",
            vm.ctx.new_int(start.character_offset.get()).into(),
        );
        let text = source.lines().nth(start.line.to_zero_indexed());
        set("text", vm.ctx.new_str(text.unwrap_or_default()).into());
    }
    if let Some(end) = end {
        set("end_lineno", vm.ctx.new_int(end.line.get()).into());
        set(
            "end_offset",
            vm.ctx.new_int(end.character_offset.get()).into(),
        );
    }
    exception
}

fn after(place: SourceLocation) -> SourceLocation {
    SourceLocation {
        line: place.line,
        character_offset: place.character_offset.saturating_add(1),
    }
}

/// The last bracket that was opened before a line (counted from 1) and is still open there, with its place in
/// bytes.
fn unclosed_bracket(source: &str, before_line: usize) -> Option<(usize, char)> {
    let bytes = source.as_bytes();
    let mut open: Vec<(usize, u8)> = Vec::new();
    let (mut line, mut index) = (1, 0);
    while index < bytes.len() && line < before_line {
        match bytes[index] {
            b'\n' => line += 1,
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
            bracket @ (b'(' | b'[' | b'{') => open.push((index, bracket)),
            b')' | b']' | b'}' => {
                open.pop();
            }
            _ => {}
        }
        index += 1;
    }
    let (place, bracket) = open.pop()?;
    Some((place, bracket as char))
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
