//! Exceptions as the learner sees them: their own lines, in Python's words.
//!
//! Frames of our own modules are dropped, so that the line at fault is always one the learner
//! wrote. Layout follows CPython 3.11 and later: source line, then carets under the part at fault.

use std::collections::HashSet;
use std::fmt::Write as _;

use rustpython_vm::builtins::{PyBaseExceptionRef, PyInt, PyStr, PyTraceback, PyType};
use rustpython_vm::suggestion::offer_suggestions;
use rustpython_vm::{AsObject, Py, PyObjectRef, VirtualMachine};

use crate::runtime::Runtime;
use crate::tensor::failure_of;

/// The same line this often in a row is folded, as CPython does.
const REPEATS_SHOWN: usize = 3;
/// A traceback longer than this is cut in its middle.
const MOST_ENTRIES: usize = 40;

/// An exception that reached the end of the learner's code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonError {
    /// The exception's class, such as `RuntimeError` or `SyntaxError`.
    pub kind: String,
    pub message: String,
    /// The whole traceback as Python prints it, without frames of our own modules.
    pub traceback: String,
    /// The cell whose line is at fault.
    pub cell: Option<String>,
    /// That line, counted from 1.
    pub line: Option<u32>,
    /// The code with which a process should end: that of `SystemExit`, none for everything else.
    pub exit_code: Option<i32>,
    /// The op's call that was refused: see `Engine::failure`.
    pub failure: Option<u32>,
}

impl std::fmt::Display for PythonError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.message.is_empty() {
            formatter.write_str(&self.kind)
        } else {
            write!(formatter, "{}: {}", self.kind, self.message)
        }
    }
}

impl std::error::Error for PythonError {}

/// One line of the learner's on the way to the exception.
#[derive(Clone, PartialEq, Eq)]
struct Entry {
    cell: String,
    line: usize,
    function: String,
    /// Columns of the part at fault, counted from 0, where it lies on one line.
    columns: Option<(usize, usize)>,
}

impl PythonError {
    pub(crate) fn from_exception(
        vm: &VirtualMachine,
        runtime: &Runtime,
        exception: &PyBaseExceptionRef,
    ) -> PythonError {
        let mut text = String::new();
        write_chain(vm, runtime, exception, &mut text, &mut HashSet::new());
        let kind = exception.class().name().to_string();
        let mut message = message_of(vm, exception);
        if let Some(words) = advice(vm, exception) {
            message.push_str(&words);
        }
        let (cell, line) = match place_of_syntax_error(vm, exception) {
            Some((cell, line)) if runtime.is_cell(&cell) => (Some(cell), Some(line)),
            _ => match entries(vm, runtime, exception).pop() {
                Some(entry) => (Some(entry.cell), Some(entry.line as u32)),
                None => (None, None),
            },
        };
        let failure = failure_of(vm, exception);
        if let Some(scope) = failure.and_then(|number| runtime.engine.failure(number)?.scope) {
            let _ = writeln!(text, "In the module {scope}.");
        }
        PythonError {
            kind,
            message,
            traceback: text,
            cell,
            line,
            exit_code: exit_code(vm, exception),
            failure,
        }
    }

    /// What a run gives once the interpreter itself has failed.
    pub(crate) fn broken() -> PythonError {
        let message =
            "Python failed at something of its own; it starts anew, without the variables";
        PythonError {
            kind: "SystemError".to_owned(),
            message: message.to_owned(),
            traceback: format!("SystemError: {message}\n"),
            cell: None,
            line: None,
            exit_code: None,
            failure: None,
        }
    }
}

/// What `sys.exit(…)` asks for: a number is the code; a text, which is the message, stands for 1.
fn exit_code(vm: &VirtualMachine, exception: &PyBaseExceptionRef) -> Option<i32> {
    if !exception
        .class()
        .fast_issubclass(vm.ctx.exceptions.system_exit)
    {
        return None;
    }
    let code = attribute(vm, exception, "code");
    Some(match code {
        None => 0,
        // A system keeps the lowest byte of it.
        Some(code) => match code.downcast_ref::<PyInt>() {
            Some(code) => code.as_u32_mask() as i32,
            None => 1,
        },
    })
}

/// The learner's lines, outermost first.
fn entries(_vm: &VirtualMachine, runtime: &Runtime, exception: &PyBaseExceptionRef) -> Vec<Entry> {
    let Some(traceback) = exception.__traceback__() else {
        return Vec::new();
    };
    traceback
        .iter()
        .filter_map(|entry| {
            let cell = entry
                .frame
                .iframe()
                .code()
                .source_path()
                .as_str()
                .to_owned();
            runtime.is_cell(&cell).then(|| Entry {
                line: entry.lineno.get(),
                function: entry.frame.iframe().code().obj_name.as_str().to_owned(),
                columns: columns(&entry),
                cell,
            })
        })
        .collect()
}

fn columns(entry: &PyTraceback) -> Option<(usize, usize)> {
    // `lasti` counts bytes, two for each instruction.
    let (start, end) = entry
        .frame
        .iframe()
        .code()
        .locations
        .get(entry.lasti as usize / 2)?;
    (start.line == end.line && start.line == entry.lineno).then(|| {
        (
            start.character_offset.to_zero_indexed(),
            end.character_offset.to_zero_indexed(),
        )
    })
}

fn write_chain(
    vm: &VirtualMachine,
    runtime: &Runtime,
    exception: &PyBaseExceptionRef,
    text: &mut String,
    seen: &mut HashSet<usize>,
) {
    seen.insert(exception.get_id());
    let earlier = if let Some(cause) = exception.__cause__() {
        Some((
            cause,
            "The above exception was the direct cause of the following exception:",
        ))
    } else if attribute(vm, exception, "__suppress_context__")
        .is_some_and(|suppress| suppress.try_to_bool(vm).unwrap_or(false))
    {
        None
    } else {
        exception.__context__().map(|context| {
            (
                context,
                "During handling of the above exception, another exception occurred:",
            )
        })
    };
    if let Some((earlier, link)) = earlier
        && !seen.contains(&earlier.get_id())
        && seen.len() < MOST_ENTRIES
    {
        write_chain(vm, runtime, &earlier, text, seen);
        let _ = writeln!(text, "\n{link}\n");
    }
    write_one(vm, runtime, exception, text);
}

fn write_one(
    vm: &VirtualMachine,
    runtime: &Runtime,
    exception: &PyBaseExceptionRef,
    text: &mut String,
) {
    let entries = entries(vm, runtime, exception);
    if !entries.is_empty() {
        text.push_str("Traceback (most recent call last):\n");
        write_entries(runtime, &entries, text);
    }
    if exception
        .class()
        .fast_issubclass(vm.ctx.exceptions.syntax_error)
    {
        write_syntax_place(vm, runtime, exception, text);
    }
    let message = message_of(vm, exception);
    let kind = exception.class().name().to_string();
    let _ = if message.is_empty() {
        write!(text, "{kind}")
    } else {
        write!(text, "{kind}: {message}")
    };
    text.push_str(&advice(vm, exception).unwrap_or_default());
    text.push('\n');
}

/// What stands after a message: of a name that glowgrad has not what to use, else the name that was meant.
fn advice(vm: &VirtualMachine, exception: &PyBaseExceptionRef) -> Option<String> {
    match missing_name(vm, exception) {
        Some(words) => Some(words),
        None => offer_suggestions(exception, vm).map(|name| format!(". Did you mean: '{name}'?")),
    }
}

/// What `_missing.py` says of an attribute or an import of glowgrad's that is not there.
fn missing_name(vm: &VirtualMachine, exception: &PyBaseExceptionRef) -> Option<String> {
    let is = |class: &'static Py<PyType>| exception.class().fast_issubclass(class);
    let (owner, name) = if is(vm.ctx.exceptions.attribute_error) {
        (
            // It may be None itself.
            exception.as_object().get_attr("obj", vm).ok()?,
            attribute(vm, exception, "name")?,
        )
    } else if is(vm.ctx.exceptions.import_error) {
        (
            attribute(vm, exception, "name")?,
            attribute(vm, exception, "name_from")?,
        )
    } else {
        return None;
    };
    // Before glowgrad is imported nothing of it can be missing.
    Runtime::current().classes.get()?;
    let module = vm.import("_missing", 0).ok()?;
    let instead = module.get_attr("instead", vm).ok()?;
    let words = instead.call((owner, name), vm).ok()?;
    let words = words.downcast_ref::<PyStr>()?;
    Some(words.as_wtf8().to_string_lossy().into_owned())
}

fn write_entries(runtime: &Runtime, entries: &[Entry], text: &mut String) {
    let mut index = 0;
    let mut shown = 0;
    while index < entries.len() {
        let entry = &entries[index];
        let repeats = entries[index..]
            .iter()
            .take_while(|other| *other == entry)
            .count();
        for _ in 0..repeats.min(REPEATS_SHOWN) {
            write_entry(runtime, entry, text);
        }
        if repeats > REPEATS_SHOWN {
            let more = repeats - REPEATS_SHOWN;
            let times = if more == 1 { "time" } else { "times" };
            let _ = writeln!(text, "  [Previous line repeated {more} more {times}]");
        }
        index += repeats;
        shown += 1;
        let left = entries.len() - index;
        if shown == MOST_ENTRIES / 2 && left > MOST_ENTRIES / 2 {
            let skipped = left - MOST_ENTRIES / 2;
            let _ = writeln!(text, "  [{skipped} lines left out]");
            index += skipped;
        }
    }
}

fn write_entry(runtime: &Runtime, entry: &Entry, text: &mut String) {
    let Entry {
        cell,
        line,
        function,
        columns,
    } = entry;
    let _ = writeln!(text, "  File \"{cell}\", line {line}, in {function}");
    let Some(source) = runtime.source(cell) else {
        return;
    };
    let Some(source_line) = source.lines().nth(line - 1) else {
        return;
    };
    let trimmed = source_line.trim();
    if trimmed.is_empty() {
        return;
    }
    let _ = writeln!(text, "    {trimmed}");
    let indent = source_line.chars().count() - source_line.trim_start().chars().count();
    let width = trimmed.chars().count();
    if let Some((start, end)) = *columns
        && start >= indent
        && end > start
        && end - indent <= width
        && end - start < width
    {
        write_carets(start - indent, end - start, text);
    }
}

fn write_carets(start: usize, length: usize, text: &mut String) {
    let _ = writeln!(
        text,
        "    {}{}",
        " ".repeat(start),
        "^".repeat(length.max(1))
    );
}

fn write_syntax_place(
    vm: &VirtualMachine,
    runtime: &Runtime,
    exception: &PyBaseExceptionRef,
    text: &mut String,
) {
    let Some((cell, line)) = place_of_syntax_error(vm, exception) else {
        return;
    };
    let _ = writeln!(text, "  File \"{cell}\", line {line}");
    let source = runtime.source(&cell);
    let source_line = match &source {
        Some(source) => source.lines().nth(line as usize - 1).map(str::to_owned),
        None => attribute(vm, exception, "text")
            .and_then(|object| object.str(vm).ok())
            .map(|line| line.as_wtf8().to_string_lossy().into_owned()),
    };
    let Some(source_line) = source_line else {
        return;
    };
    let trimmed = source_line.trim_end();
    let indent = trimmed.chars().count() - trimmed.trim_start().chars().count();
    let _ = writeln!(text, "    {}", trimmed.trim_start());
    let Some(offset) = number(vm, exception, "offset") else {
        return;
    };
    let same_line = number(vm, exception, "end_lineno").is_none_or(|end| end == line as usize);
    let end = match number(vm, exception, "end_offset") {
        Some(end) if same_line => end,
        _ => offset + 1,
    };
    let start = (offset.max(1) - 1).saturating_sub(indent);
    write_carets(start, end.saturating_sub(offset).max(1), text);
}

fn place_of_syntax_error(
    vm: &VirtualMachine,
    exception: &PyBaseExceptionRef,
) -> Option<(String, u32)> {
    if !exception
        .class()
        .fast_issubclass(vm.ctx.exceptions.syntax_error)
    {
        return None;
    }
    let line = number(vm, exception, "lineno")?;
    let cell = attribute(vm, exception, "filename")?.str(vm).ok()?;
    Some((
        cell.as_wtf8().to_string_lossy().into_owned(),
        line.max(1) as u32,
    ))
}

fn attribute(
    vm: &VirtualMachine,
    exception: &PyBaseExceptionRef,
    name: &'static str,
) -> Option<PyObjectRef> {
    let value = exception.as_object().get_attr(name, vm).ok()?;
    (!vm.is_none(&value)).then_some(value)
}

fn number(
    vm: &VirtualMachine,
    exception: &PyBaseExceptionRef,
    name: &'static str,
) -> Option<usize> {
    attribute(vm, exception, name)?
        .try_to_value::<usize>(vm)
        .ok()
}

/// What `str(exception)` says; for a syntax error, its message alone.
pub(crate) fn message_of(vm: &VirtualMachine, exception: &PyBaseExceptionRef) -> String {
    let object = if exception
        .class()
        .fast_issubclass(vm.ctx.exceptions.syntax_error)
    {
        exception.args().first().cloned()
    } else {
        Some(exception.as_object().to_owned())
    };
    let message = match object.map(|object| object.str(vm)) {
        None => String::new(),
        Some(Ok(message)) => message.as_wtf8().to_string_lossy().into_owned(),
        Some(Err(_)) => "<str() of the exception failed>".to_owned(),
    };
    let recursion = exception.class().is(vm.ctx.exceptions.recursion_error);
    if recursion && message.is_empty() {
        // RustPython says nothing when it is the stack that ends.
        return "maximum recursion depth exceeded".to_owned();
    }
    message
}
