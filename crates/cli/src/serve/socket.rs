//! A socket and the process of its session: commands come as JSON text, events go as CBOR.
//!
//! JSON has no NaN and no infinity, and lessons are about both; CBOR has, and is half as long where
//! numbers are many. Invariants: a socket has a process of its own, and both end together: a crash in one
//! session reaches no other. Stop is heard while a command runs, and a session that does not react to it is
//! ended. `Reset` is a new process. What is no command is answered with `Error` and `Done`, and the session
//! goes on. Nothing grows with a slow reader: when its few frames wait, the session waits.

use std::collections::VecDeque;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use glowgrad_session::protocol::{Command, ErrorInfo, Event, MemoryCounters};
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{Instant, interval, sleep_until, timeout, timeout_at};

use super::child::encode;
use super::process::{Launch, News, Process};

/// Sessions at the same time; a page has two.
pub(crate) const MOST_SESSIONS: usize = 16;

/// Commands of one socket that may wait; the page sends one at a time.
const MOST_COMMANDS: usize = 32;

/// Events that wait to be sent.
const MOST_FRAMES: usize = 16;

/// How often a browser is asked whether it is there, and how long one may say nothing.
const ASK: Duration = Duration::from_secs(20);
const SILENCE: Duration = Duration::from_secs(60);

/// How long a command may go on after Stop. The page waits half as long, and begins a new session then.
const STOP_PATIENCE: Duration = Duration::from_secs(3);

/// How long a socket may take to learn why its session has ended.
const FAREWELL: Duration = Duration::from_secs(2);

/// What is sent to the page.
pub(crate) enum Frame {
    /// An event, as CBOR.
    Event(Vec<u8>),
    /// Why the session has ended: nothing comes after it.
    Close(String),
}

pub(crate) type Frames = mpsc::Sender<Frame>;

/// Runs a session until the socket closes or its process ends; `place` is held until the process is gone.
pub(crate) async fn hold(socket: WebSocket, place: OwnedSemaphorePermit, launch: Arc<Launch>) {
    let (frames, outgoing) = mpsc::channel(MOST_FRAMES);
    let process = match Process::start(&launch, frames.clone(), true) {
        Ok(process) => process,
        Err(error) => {
            return close(socket, &format!("no process for a session: {error}")).await;
        }
    };
    let (sink, stream) = socket.split();
    let mut session = Session {
        launch,
        frames: frames.clone(),
        process,
        waiting: VecDeque::new(),
        owed: 0,
        stop_by: None,
        wanted_device: None,
        device: None,
    };
    let mut sending = pin!(send(sink, outgoing));
    let over = tokio::select! {
        over = session.serve(stream) => over,
        () = &mut sending => End::Closed,
    };
    let why = match over {
        End::Closed => {
            session.process.end(Some(place));
            return;
        }
        End::Hung => {
            session.process.end(Some(place));
            let patience = STOP_PATIENCE.as_secs();
            format!("it did not stop within {patience} s and was ended")
        }
        End::Over => session.process.ended().await,
    };
    let farewell = async { tokio::join!(frames.send(Frame::Close(why)), sending) };
    let _ = timeout(FAREWELL, farewell).await;
}

/// Says why there is no session.
pub(crate) async fn turn_away(socket: WebSocket) {
    let why = format!("{MOST_SESSIONS} sessions are open here: close a tab of the lab");
    close(socket, &why).await;
}

async fn close(mut socket: WebSocket, why: &str) {
    let _ = socket.send(closing(close_code::AGAIN, why)).await;
}

fn closing(code: u16, why: &str) -> Message {
    // A closing frame has room for 123 bytes of it.
    let end = why.floor_char_boundary(123);
    Message::Close(Some(CloseFrame {
        code,
        reason: why[..end].into(),
    }))
}

/// How a session came to its end.
enum End {
    /// The page is gone.
    Closed,
    /// A command did not end after Stop.
    Hung,
    /// The process ended by itself.
    Over,
}

/// A socket's session, as the server sees it.
struct Session {
    launch: Arc<Launch>,
    frames: Frames,
    process: Process,
    /// What has come and has not begun.
    waiting: VecDeque<(Command, Utf8Bytes)>,
    /// How many commands the process has and has not ended.
    owed: usize,
    /// Until when they must have ended, after Stop.
    stop_by: Option<Instant>,
    /// The device that the running command asks for.
    wanted_device: Option<String>,
    /// The device that was chosen last.
    device: Option<String>,
}

impl Session {
    /// Hands commands over one at a time, until there is no page or no process.
    async fn serve(&mut self, mut stream: SplitStream<WebSocket>) -> End {
        let mut heard = Instant::now();
        loop {
            let stop_by = self.stop_by.unwrap_or(heard);
            tokio::select! {
                message = timeout_at(heard + SILENCE, stream.next()) => {
                    let Ok(Some(Ok(message))) = message else {
                        return End::Closed;
                    };
                    heard = Instant::now();
                    let refusal = match message {
                        Message::Text(text) => self.take(text),
                        Message::Binary(_) => {
                            Some((0, "not a command: commands are JSON text".to_owned()))
                        }
                        Message::Close(_) => return End::Closed,
                        Message::Ping(_) | Message::Pong(_) => None,
                    };
                    if let Some((id, why)) = refusal {
                        for event in refuse(id, why) {
                            if self.frames.send(Frame::Event(encode(&event))).await.is_err() {
                                return End::Closed;
                            }
                        }
                    }
                }
                news = self.process.news.recv() => match news {
                    Some(News::Ended { ok }) => self.ended(ok),
                    Some(News::Over) | None => return End::Over,
                },
                () = sleep_until(stop_by), if self.stop_by.is_some() => return End::Hung,
            }
            if self.begin().is_err() {
                // The system gives no process for a reset.
                return End::Over;
            }
        }
    }

    /// Takes a message in; what is no command is refused, with the id that was meant and why.
    fn take(&mut self, text: Utf8Bytes) -> Option<(u32, String)> {
        match serde_json::from_str(&text) {
            Ok(Command::Stop) => {
                if self.owed > 0 && self.stop_by.is_none() {
                    self.process.send(text.as_bytes());
                    self.stop_by = Some(Instant::now() + STOP_PATIENCE);
                }
                None
            }
            Ok(_) if self.waiting.len() + self.owed >= MOST_COMMANDS => {
                let why = format!("{MOST_COMMANDS} commands wait already: wait for a Done");
                Some((id_of(&text), why))
            }
            Ok(command) => {
                self.waiting.push_back((command, text));
                None
            }
            Err(error) => Some((id_of(&text), format!("not a command: {error}"))),
        }
    }

    /// Begins the next command, unless one runs.
    fn begin(&mut self) -> io::Result<()> {
        if self.owed > 0 {
            return Ok(());
        }
        let Some((command, text)) = self.waiting.pop_front() else {
            return Ok(());
        };
        match command {
            Command::Reset { .. } => self.renew()?,
            Command::SetDevice { device, .. } => self.wanted_device = Some(device),
            _ => {}
        }
        self.owed += 1;
        self.process.send(text.as_bytes());
        Ok(())
    }

    /// Another process in the place of this one, on the same device.
    fn renew(&mut self) -> io::Result<()> {
        let process = Process::start(&self.launch, self.frames.clone(), false)?;
        std::mem::replace(&mut self.process, process).end(None);
        if let Some(device) = &self.device {
            // No command of the page's has this id, so what it says is news of a device and nothing else.
            let command = json!({"type": "setDevice", "id": 0, "device": device});
            self.owed += 1;
            self.process.send(command.to_string().as_bytes());
        }
        Ok(())
    }

    fn ended(&mut self, ok: bool) {
        self.owed = self.owed.saturating_sub(1);
        self.stop_by = None;
        if let Some(device) = self.wanted_device.take()
            && ok
        {
            self.device = Some(device);
        }
    }
}

/// The id that was meant, so that the page learns which command it was.
fn id_of(text: &str) -> u32 {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let id = value["id"].as_u64().and_then(|id| id.try_into().ok());
    id.unwrap_or_default()
}

fn refuse(id: u32, message: String) -> [Event; 2] {
    let error = ErrorInfo {
        kind: "ValueError".to_owned(),
        message,
        ..ErrorInfo::default()
    };
    let done = Event::Done {
        id,
        ok: false,
        millis: 0.0,
        memory: MemoryCounters::default(),
    };
    [Event::Error { id, error }, done]
}

/// Sends frames until one closes the socket, and asks the browser now and then whether it is there.
async fn send(mut sink: SplitSink<WebSocket, Message>, mut outgoing: mpsc::Receiver<Frame>) {
    let mut asks = interval(ASK);
    loop {
        let message = tokio::select! {
            frame = outgoing.recv() => match frame {
                Some(Frame::Event(bytes)) => Message::Binary(Bytes::from(bytes)),
                Some(Frame::Close(why)) => {
                    let _ = sink.send(closing(close_code::ERROR, &why)).await;
                    return;
                }
                None => return,
            },
            _ = asks.tick() => Message::Ping(Bytes::new()),
        };
        if sink.send(message).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_command_is_answered_to_the_command_that_was_meant() {
        assert_eq!(id_of(r#"{"type":"dance","id":7}"#), 7);
        for text in [
            "",
            "[",
            "null",
            "[1]",
            r#"{"id":-1}"#,
            r#"{"id":4294967296}"#,
            r#"{"id":"7"}"#,
        ] {
            assert_eq!(id_of(text), 0, "{text}");
        }
    }

    #[test]
    fn a_long_reason_is_cut_to_what_a_closing_frame_holds() {
        let Message::Close(Some(frame)) = closing(close_code::ERROR, &"é".repeat(100)) else {
            panic!("no closing frame");
        };
        assert_eq!(frame.reason.as_str(), "é".repeat(61));
    }
}
