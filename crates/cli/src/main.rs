//! `glow`: lessons, scripts and graphs in the terminal.
//!
//! It talks to the engine only through `glowgrad-session`, by commands and events, as the page does;
//! `reference` reads the ops' definitions beside, and `onnx` runs models without a session.
//! Whatever goes wrong is one clear line on standard error and an exit code: 1 when something failed,
//! 2 when the command line made no sense, 130 when it was stopped.

mod args;
mod chart;
mod course;
mod devices;
mod engine;
mod figure;
mod gpu_check;
mod hand_in;
mod interrupt;
mod lab;
mod mine;
mod model_server;
mod new_lesson;
mod onnx;
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
mod translate;
mod verify;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Parser;
use glowgrad_session::Options;

use crate::args::{Arguments, LessonTask, Task};
use crate::lab::Talk;
use crate::terminal::{Terminal, complain};

/// How a command ended, when it got as far as saying so itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Good,
    /// Something did not hold; it has been said what.
    Bad,
    /// Ctrl-C.
    Stopped,
    /// The script asked for this exit code.
    Exit(u8),
}

fn main() -> ExitCode {
    let arguments = match read_arguments(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let mut terminal = Terminal::stdout();
    // A model's server answers what it accepted before it ends, and listens for signals itself.
    let listening = match arguments.task {
        Task::Serve(_) => Ok(()),
        _ => interrupt::listen(),
    };
    let ending = listening.and_then(|()| run(arguments.task, &mut terminal));
    match ending {
        Ok(Ending::Good) => ExitCode::SUCCESS,
        Ok(Ending::Bad) => ExitCode::FAILURE,
        Ok(Ending::Exit(code)) => ExitCode::from(code),
        Ok(Ending::Stopped) => {
            complain("glow: stopped");
            ExitCode::from(interrupt::EXIT_CODE)
        }
        // `glow … | head` closes the pipe early; that is no failure of ours.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("glow: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Reads the command line. Help goes to standard output as clap writes it; what is wrong is said as every
/// other error, since it repeats what was typed.
fn read_arguments(typed: impl Iterator<Item = OsString>) -> Result<Arguments, ExitCode> {
    Arguments::try_parse_from(typed).map_err(|error| {
        if error.use_stderr() {
            complain(error.render().to_string().trim_end());
        } else {
            // Standard output may be closed; then there is no reader to tell.
            let _ = error.print();
        }
        ExitCode::from(error.exit_code() as u8)
    })
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
        Task::Lesson(LessonTask::List { language, source }) => {
            course::list(terminal, &course::lessons(&source)?, &language.language)?;
            Ok(Ending::Good)
        }
        Task::Lesson(LessonTask::Run {
            name,
            solve,
            mine,
            language,
            device,
            source,
        }) => {
            let lessons = course::lessons(&source)?;
            let lesson = course::find(&lessons, &name)?;
            let lesson = course::in_language(lesson, &lessons, &language.language)?;
            let mut talk = Talk::new(engine::open(&device.device)?);
            if let Some(folder) = mine {
                mine::put(&mut talk, &folder)?;
            }
            read::run(terminal, &mut talk, lesson, solve)
        }
        Task::Lesson(LessonTask::Check {
            files,
            only,
            seconds,
            json,
            source,
        }) => {
            let lessons = course::lessons(&source)?;
            let only = only.map(|name| course::find(&lessons, &name)).transpose()?;
            let limit = Duration::from_secs(seconds);
            hand_in::run(
                terminal,
                &|| engine::open_limited(limit),
                only.map_or(&lessons[..], std::slice::from_ref),
                &files,
                json,
            )
        }
        Task::Lesson(LessonTask::New { slug, folder }) => {
            new_lesson::run(terminal, &slug, &folder)?;
            Ok(Ending::Good)
        }
        Task::Lesson(LessonTask::Translate {
            name,
            language,
            folder,
        }) => {
            translate::run(terminal, &name, &language, &folder)?;
            Ok(Ending::Good)
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
            arguments,
            trace,
            show_kernels,
            device,
        } => {
            let mut argv = vec![file.display().to_string()];
            argv.extend(arguments);
            script::python(
                terminal,
                &|| {
                    let options = Options {
                        show_kernels: show_kernels || engine::is_debug(),
                        stages: trace.is_some(),
                        script: Some(argv.clone()),
                    };
                    engine::open_with(&device.device, options)
                },
                &file,
                trace.as_deref(),
            )
        }
        Task::Graph { file, svg } => {
            script::graph(terminal, &|| engine::open(engine::CPU), &file, &svg)
        }
        Task::Lab {
            port,
            no_open,
            site,
            session_memory,
        } => serve::run(
            terminal,
            &serve::Wishes {
                port,
                folder: site.as_deref(),
                opens: !no_open,
                session_memory,
            },
        ),
        Task::Session { memory, devices } => serve::child::run(memory, devices.as_deref()),
        Task::Onnx(task) => onnx::run(terminal, &task),
        Task::Serve(task) => model_server::run(terminal, &task),
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
