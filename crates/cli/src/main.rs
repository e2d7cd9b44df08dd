//! `glow`: lessons, scripts and graphs in the terminal.
//!
//! It talks to the engine only through `glowgrad-session`, by commands and events, as the page does;
//! `reference` reads the ops' definitions beside.
//! Whatever goes wrong is one clear line on standard error and an exit code: 1 when something failed,
//! 2 when the command line made no sense, 130 when it was stopped.

mod args;
mod course;
mod devices;
mod engine;
mod figure;
mod gpu_check;
mod lab;
mod outline;
mod plot;
mod prose;
mod read;
mod reference;
mod script;
mod serve;
mod svg;
mod terminal;
mod tex;
mod trace;
mod verify;

use std::io;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use crate::args::{Arguments, LessonTask, Task};
use crate::lab::Talk;
use crate::terminal::Terminal;

/// How a command ended, when it got as far as saying so itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Good,
    /// Something did not hold; it has been said what.
    Bad,
    /// Ctrl-C.
    Stopped,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut terminal = Terminal::stdout();
    match run(arguments.task, &mut terminal) {
        Ok(Ending::Good) => ExitCode::SUCCESS,
        Ok(Ending::Bad) => ExitCode::FAILURE,
        Ok(Ending::Stopped) => {
            eprintln!("glow: stopped");
            ExitCode::from(130)
        }
        // `glow … | head` closes the pipe early; that is no failure of ours.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("glow: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().map(io::Error::kind)
    };
    error
        .chain()
        .any(|cause| kind(cause) == Some(io::ErrorKind::BrokenPipe))
}

fn run(task: Task, terminal: &mut Terminal<'_>) -> Result<Ending> {
    match task {
        Task::Lesson(LessonTask::List { source }) => {
            course::list(terminal, &course::lessons(&source)?)?;
            Ok(Ending::Good)
        }
        Task::Lesson(LessonTask::Run {
            name,
            solve,
            device,
            source,
        }) => {
            let lessons = course::lessons(&source)?;
            let lesson = course::find(&lessons, &name)?;
            let mut talk = Talk::new(engine::open(&device.device)?);
            read::run(terminal, &mut talk, lesson, solve)
        }
        Task::Lesson(LessonTask::Verify {
            name,
            device,
            source,
        }) => {
            let course = course::lessons(&source)?;
            let lessons = match &name {
                Some(name) => vec![course::find(&course, name)?],
                None => course.iter().collect(),
            };
            verify::run(
                terminal,
                &|| engine::open(&device.device),
                &course,
                &lessons,
            )
        }
        Task::Python {
            file,
            trace,
            show_kernels,
            device,
        } => script::python(
            terminal,
            &|| match show_kernels {
                true => engine::open_showing(&device.device, true),
                false => engine::open(&device.device),
            },
            &file,
            trace.as_deref(),
        ),
        Task::Graph { file, svg } => {
            script::graph(terminal, &|| engine::open(engine::CPU), &file, &svg)
        }
        Task::Lab {
            port,
            no_open,
            site,
        } => serve::run(terminal, port, site.as_deref(), !no_open),
        Task::Devices => {
            devices::list(terminal)?;
            Ok(Ending::Good)
        }
        Task::GpuCheck { json, device } => gpu_check::run(terminal, &device, json.as_deref()),
        Task::Reference { out, json } => reference::run(
            terminal,
            &|| engine::open(engine::CPU),
            out.as_deref(),
            json.as_deref(),
        ),
    }
}
