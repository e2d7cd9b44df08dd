//! The server's side of a session's process: starting it, its pipes, and how it ended.
//!
//! Invariants: a process that is wanted no more is asked to end by closing its standard input, and killed
//! after [`GRACE`]; either way it is waited for, so that none is left behind. What it writes to standard
//! error goes to the server's, one line after the other, with control characters shown.

use std::ffi::OsString;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use glowgrad_session::protocol::Event;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::timeout;

use super::frame::{self, Kind};
use super::socket::{Frame, Frames};
use crate::engine::CPU;
use crate::terminal::shown;

/// How long a process may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(1);

/// Commands on their way into the pipe: one that runs, and its Stop.
const MOST_ON_THE_WAY: usize = 8;

/// The longest line of standard error that is passed on in one piece.
const LONGEST_LINE: usize = 8 << 10;

/// What every process of this server is started with.
pub(crate) struct Launch {
    /// The most memory of a session, in GiB.
    memory: Option<u64>,
    /// What the first session found to compute on besides the processor, as JSON. A later one need not look,
    /// which loads every driver: a tenth of a second and tens of megabytes.
    devices: OnceLock<String>,
}

impl Launch {
    pub(crate) fn new(memory: Option<u64>) -> Launch {
        Launch {
            memory,
            devices: OnceLock::new(),
        }
    }

    /// Keeps what a session found; an event that cannot be read is left to the page.
    fn learn(&self, event: &[u8]) {
        if self.devices.get().is_some() {
            return;
        }
        if let Ok(Event::Devices { devices, .. }) = ciborium::from_reader(event) {
            let others: Vec<_> = devices.iter().filter(|device| device.name != CPU).collect();
            if let Ok(others) = serde_json::to_string(&others) {
                let _ = self.devices.set(others);
            }
        }
    }
}

/// What the server learns from a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    /// The running command has ended, well or not.
    Ended { ok: bool },
    /// No event will come any more.
    Over,
}

/// A running session.
pub(crate) struct Process {
    child: Child,
    commands: mpsc::Sender<Vec<u8>>,
    pub(crate) news: mpsc::UnboundedReceiver<News>,
}

impl Process {
    /// Starts a session whose events go to `frames`; its first, `Ready`, only if it `announces` itself.
    ///
    /// # Errors
    /// When the system gives no process.
    pub(crate) fn start(
        launch: &Arc<Launch>,
        frames: Frames,
        announces: bool,
    ) -> io::Result<Process> {
        let mut command = Command::new(program()?);
        #[cfg(unix)]
        command.arg0("glow");
        command.arg("session");
        if let Some(gib) = launch.memory {
            command.arg("--memory").arg(gib.to_string());
        }
        if let Some(devices) = launch.devices.get() {
            command.arg("--devices").arg(devices);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let (commands, outbox) = mpsc::channel(MOST_ON_THE_WAY);
        let (tell, news) = mpsc::unbounded_channel();
        if let Some(pipe) = child.stdin.take() {
            tokio::spawn(hand_over(outbox, pipe));
        }
        if let Some(pipe) = child.stdout.take() {
            tokio::spawn(forward(pipe, frames, tell, announces, launch.clone()));
        }
        if let Some(pipe) = child.stderr.take() {
            tokio::spawn(relay(pipe));
        }
        Ok(Process {
            child,
            commands,
            news,
        })
    }

    /// Hands a command over, as JSON. A process that has ended says so in its news.
    pub(crate) fn send(&self, command: &[u8]) {
        let _ = self.commands.try_send(frame::frame(Kind::Command, command));
    }

    /// Ends the process, which still has its `place` among the sessions until it is gone.
    pub(crate) fn end(self, place: Option<OwnedSemaphorePermit>) {
        tokio::spawn(async move {
            self.ended().await;
            drop(place);
        });
    }

    /// Waits for the end of a process whose pipes are closed, and says how it ended.
    pub(crate) async fn ended(mut self) -> String {
        drop(self.commands);
        let status = match timeout(GRACE, self.child.wait()).await {
            Ok(status) => status,
            Err(_) => {
                let _ = self.child.start_kill();
                self.child.wait().await
            }
        };
        match status {
            Ok(status) => describe(status),
            Err(error) => format!("its process is gone: {error}"),
        }
    }
}

/// This program. On Linux it is found also when a newer build has taken its place.
fn program() -> io::Result<OsString> {
    const OWN: &str = "/proc/self/exe";
    if cfg!(target_os = "linux") && std::path::Path::new(OWN).exists() {
        return Ok(OWN.into());
    }
    Ok(std::env::current_exe()?.into_os_string())
}

/// How a process ended, in words that fit the frame that closes a socket (123 bytes).
fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let (name, hint) = match signal {
            4 => ("SIGILL", ""),
            6 => (
                "SIGABRT",
                ": it may have asked for more memory than there is",
            ),
            8 => ("SIGFPE", ""),
            9 => ("SIGKILL", ": this computer's memory may be used up"),
            11 => ("SIGSEGV", ": a fault in native code"),
            15 => ("SIGTERM", ""),
            _ => return format!("its process was ended by signal {signal}"),
        };
        return format!("its process was ended by {name}{hint}");
    }
    match status.code() {
        Some(101) => "its process ended with code 101, a fault in the engine".to_owned(),
        Some(code) => format!("its process ended with code {code}"),
        None => "its process ended".to_owned(),
    }
}

/// Writes commands into the pipe, and closes it when none can come any more.
async fn hand_over(mut commands: mpsc::Receiver<Vec<u8>>, mut pipe: ChildStdin) {
    while let Some(bytes) = commands.recv().await {
        if pipe.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

/// Passes events on; a slow reader of them makes the process wait.
async fn forward(
    pipe: ChildStdout,
    frames: Frames,
    tell: mpsc::UnboundedSender<News>,
    announces: bool,
    launch: Arc<Launch>,
) {
    let mut pipe = BufReader::new(pipe);
    while let Ok((kind, bytes)) = frame::receive(&mut pipe).await {
        if kind == Kind::Ready && !announces {
            continue;
        }
        if kind == Kind::Devices {
            launch.learn(&bytes);
        }
        if frames.send(Frame::Event(bytes)).await.is_err() {
            break;
        }
        let news = match kind {
            Kind::Done => News::Ended { ok: true },
            Kind::Failed => News::Ended { ok: false },
            Kind::Command | Kind::Ready | Kind::Devices | Kind::Event => continue,
        };
        let _ = tell.send(news);
    }
    let _ = tell.send(News::Over);
}

/// Passes on what the process writes to standard error.
async fn relay(mut pipe: ChildStderr) {
    let mut errors = tokio::io::stderr();
    let mut line = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(length @ 1..) = pipe.read(&mut piece).await {
        for part in piece[..length].split_inclusive(|byte| *byte == b'\n') {
            line.extend(part);
            if line.ends_with(b"\n") || line.len() >= LONGEST_LINE {
                let _ = errors.write_all(&as_line(&line)).await;
                line.clear();
            }
        }
    }
    if !line.is_empty() {
        let _ = errors.write_all(&as_line(&line)).await;
    }
    let _ = errors.flush().await;
}

fn as_line(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    format!("session: {}\n", shown(text.trim_end())).into_bytes()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn every_end_has_words_that_fit_a_closing_frame() {
        let ends = (1..64).map(ExitStatus::from_raw);
        for status in ends.chain((0..256).map(|code| ExitStatus::from_raw(code << 8))) {
            let said = describe(status);
            assert!(
                said.len() <= 123 && said.starts_with("its process "),
                "{said}"
            );
        }
        assert!(describe(ExitStatus::from_raw(9)).contains("ended by SIGKILL: "));
    }

    #[test]
    fn what_a_session_complains_of_is_shown() {
        assert_eq!(
            as_line(b"a\x1b[2Jb\xff\r\n"),
            "session: a\\x1b[2Jb\u{fffd}\n".as_bytes()
        );
    }
}
