//! Steps with names and seconds, and the child processes they run.
//!
//! Invariant: every step prints what it does before it starts and how long it took when it ends,
//! and a child's output is never hidden while it runs. What the steps are is left to `site` and
//! `test`.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// How a step that did not fail ended.
pub(crate) enum Outcome {
    /// It did its work.
    Done,
    /// Its inputs are those of the last run, so there was nothing to do.
    Unchanged,
    /// It did its work, and one more thing is worth saying.
    Note(String),
}

/// The steps of one command, in the order they ran.
pub(crate) struct Steps {
    began: Instant,
    colour: bool,
    /// Name and time of each step that ended.
    pub(crate) times: Vec<(String, Duration)>,
}

impl Steps {
    pub(crate) fn new() -> Steps {
        Steps {
            began: Instant::now(),
            colour: std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
            times: Vec::new(),
        }
    }

    /// Runs one step. The error, if any, is the step's own.
    pub(crate) fn step(
        &mut self,
        name: &str,
        work: impl FnOnce() -> Result<Outcome>,
    ) -> Result<()> {
        println!("{} {name}", self.paint("1;33", "▸"));
        flush();
        let began = Instant::now();
        let outcome = work();
        let took = began.elapsed();
        self.times.push((name.to_owned(), took));
        let seconds = format!("{:.1} s", took.as_secs_f64());
        match outcome {
            Ok(Outcome::Done) => println!("{} {name} · {seconds}", self.paint("1;32", "✓")),
            Ok(Outcome::Unchanged) => {
                println!("{} {name} · unchanged · {seconds}", self.paint("1;32", "✓"));
            }
            Ok(Outcome::Note(note)) => {
                println!("{} {name} · {note} · {seconds}", self.paint("1;32", "✓"));
            }
            Err(error) => {
                println!("{} {name} · failed · {seconds}", self.paint("1;31", "✗"));
                flush();
                return Err(error);
            }
        }
        flush();
        Ok(())
    }

    /// Seconds since the command began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

fn flush() {
    // A closed pipe must not end a build half-way: the reader is gone, the work is still wanted.
    let _ = std::io::stdout().flush();
}

/// A command that runs in the repository's root, free of the variables `cargo run` sets for this
/// process: handed on, they would make Cargo build some crates again.
pub(crate) fn command(program: impl AsRef<OsStr>, root: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// The `cargo` that runs us.
pub(crate) fn cargo(root: &Path) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    command(program, root)
}

/// `npm` by the name it has on this system.
pub(crate) fn npm(root: &Path) -> Command {
    command(if cfg!(windows) { "npm.cmd" } else { "npm" }, root)
}

/// Runs a command to its end with its output on the terminal.
pub(crate) fn run(command: &mut Command, remedy: impl Display) -> Result<()> {
    flush();
    let status = command.status().with_context(|| cannot_start(command))?;
    if !status.success() {
        bail!("`{}` ended with {status}: {remedy}", line(command));
    }
    Ok(())
}

/// What a command printed.
#[derive(Default)]
pub(crate) struct Printed {
    /// The lines that were picked, from both streams.
    pub(crate) kept: Vec<String>,
    /// The last lines of each stream, [`LAST`] at most. Test runners repeat there what failed.
    pub(crate) last: VecDeque<String>,
}

/// How many lines of a stream [`Printed::last`] has.
const LAST: usize = 60;

/// Runs a command with its output on the terminal. Returns what it printed, without colours, and whether it succeeded.
pub(crate) fn run_and_keep(
    command: &mut Command,
    keep: fn(&str) -> bool,
) -> Result<(Printed, bool)> {
    flush();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| cannot_start(command))?;
    let errors = child.stderr.take().map(|stream| {
        std::thread::spawn(move || echo(BufReader::new(stream), &mut std::io::stderr(), keep))
    });
    let mut printed = match child.stdout.take() {
        Some(stream) => echo(BufReader::new(stream), &mut std::io::stdout(), keep),
        None => Printed::default(),
    };
    if let Some(reader) = errors {
        let second = reader.join().unwrap_or_default();
        printed.kept.extend(second.kept);
        printed.last.extend(second.last);
    }
    let status = child.wait().context("cannot wait for a child process")?;
    Ok((printed, status.success()))
}

fn echo(mut from: impl BufRead, to: &mut impl Write, keep: fn(&str) -> bool) -> Printed {
    let mut printed = Printed::default();
    let mut bytes = Vec::new();
    // Bytes, not `lines()`: a test may print what is not UTF-8.
    while let Ok(count) = from.read_until(b'\n', &mut bytes) {
        if count == 0 {
            break;
        }
        let _ = to.write_all(&bytes);
        let text = plain(&String::from_utf8_lossy(&bytes));
        if keep(&text) {
            printed.kept.push(text.clone());
        }
        if printed.last.len() == LAST {
            printed.last.pop_front();
        }
        printed.last.push_back(text);
        bytes.clear();
    }
    let _ = to.flush();
    printed
}

/// The line without colours and without its end.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut chars = line.trim_end().chars();
    while let Some(char) = chars.next() {
        if char == '\u{1b}' {
            // An escape sequence ends with its first letter.
            for char in chars.by_ref() {
                if char.is_ascii_alphabetic() {
                    break;
                }
            }
        } else {
            text.push(char);
        }
    }
    text
}

/// What a command prints, or none when it is not there or fails.
pub(crate) fn capture(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn cannot_start(command: &Command) -> String {
    format!(
        "cannot start `{}`: is it installed and on the PATH?",
        line(command)
    )
}

/// The command as it would be typed.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut text = program
        .file_name()
        .unwrap_or(program.as_os_str())
        .to_string_lossy()
        .into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_taken_out_of_kept_lines() {
        assert_eq!(
            plain("\u{1b}[32;1m     Summary\u{1b}[0m 3 tests\r\n"),
            "     Summary 3 tests"
        );
    }

    #[test]
    fn an_echo_keeps_what_is_asked_for_and_passes_everything_on() {
        let mut seen = Vec::new();
        let printed = echo(&b"one\n\xff two\nSummary three"[..], &mut seen, |text| {
            text.starts_with("Summary")
        });
        assert_eq!(printed.kept, ["Summary three"]);
        assert_eq!(printed.last, ["one", "\u{fffd} two", "Summary three"]);
        assert_eq!(seen, b"one\n\xff two\nSummary three");
    }

    #[test]
    fn a_failing_step_hands_its_error_on_and_is_timed() {
        let mut steps = Steps::new();
        let error = steps.step("break", || bail!("the remedy")).unwrap_err();
        assert_eq!(error.to_string(), "the remedy");
        assert_eq!(steps.times.len(), 1);
    }

    #[test]
    fn a_command_is_shown_as_typed() {
        let mut command = Command::new("cargo");
        command.args(["fmt", "--check"]);
        assert_eq!(line(&command), "cargo fmt --check");
    }

    #[test]
    fn the_last_lines_of_a_long_log_are_kept() {
        let log: String = (1..=100).map(|line| format!("{line}\n")).collect();
        let printed = echo(log.as_bytes(), &mut Vec::new(), |_| false);
        assert_eq!(printed.last.len(), LAST);
        assert_eq!(printed.last.front().map(String::as_str), Some("41"));
        assert_eq!(printed.last.back().map(String::as_str), Some("100"));
    }
}
