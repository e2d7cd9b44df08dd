//! Python source: any text is compiled, or refused with a `SyntaxError` that names a line of it.
//!
//! Nothing is run. The stack is small, so that what nests too deeply shows.

use std::sync::OnceLock;

use super::interpreter::Lab;
use super::thread::Thread;

const STACK_BYTES: usize = 16 << 20;
/// Begins an input with a part that is repeated: then two bytes say how often, and `AROUND` stands before the
/// part and after it.
const REPEATED: u8 = 0xff;
const AROUND: u8 = 0xfe;
const MOST_BYTES: usize = 256 << 10;

/// Compiles `data` as a cell; gives what the learner would be told.
pub fn hold(data: &[u8]) -> String {
    static THREAD: OnceLock<Thread> = OnceLock::new();
    THREAD
        .get_or_init(|| Thread::start(STACK_BYTES, || Lab::new(""), compile))
        .give(data)
}

fn compile(lab: &mut Lab, data: &[u8]) -> String {
    let source = text(data);
    let Err(error) = lab.python.compile_cell("cell", &source) else {
        return String::new();
    };
    assert!(
        matches!(
            &*error.kind,
            "SyntaxError" | "IndentationError" | "TabError"
        ),
        "{} in {source:?}",
        error.traceback
    );
    assert!(!error.message.is_empty(), "{}", error.traceback);
    // What is missing at the end is missing on the line after it.
    let most = source.split('\n').count() as u32 + 1;
    let line = error.line.unwrap_or(1);
    assert!((1..=most).contains(&line), "line {line} of {source:?}");
    format!("{}: {}", error.kind, error.message)
}

fn text(data: &[u8]) -> String {
    let [REPEATED, high, low, rest @ ..] = data else {
        return String::from_utf8_lossy(data).into_owned();
    };
    let mut parts = rest.splitn(3, |byte| *byte == AROUND);
    let mut next = || parts.next().unwrap_or_default();
    let (before, part, after) = (next(), next(), next());
    let times = usize::from(u16::from_be_bytes([*high, *low]));
    let times = times.min(MOST_BYTES / part.len().max(1));
    let whole = [before, &part.repeat(times), after].concat();
    String::from_utf8_lossy(&whole).into_owned()
}
