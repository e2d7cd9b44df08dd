//! A session over a socket: commands come as JSON text, events go as CBOR.
//!
//! JSON has no NaN and no infinity, and lessons are about both; CBOR has, and is half as long where
//! numbers are many. Invariants: a socket has a session and a thread of its own, and both end with it.
//! Stop is heard while a command runs. What is no command is answered with `Error` and `Done`, and the
//! session goes on. Nothing grows with a slow reader: when its few frames wait, the session waits.

use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use glowgrad_session::Spawned;
use glowgrad_session::protocol::{Command, ErrorInfo, Event, Memory};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::task::spawn_blocking;
use tokio::time::{interval, timeout};

use crate::engine::open_for_page;

/// Sessions at the same time; a page has two.
pub(crate) const MOST_SESSIONS: usize = 16;

/// Commands of one socket that may wait; the page sends one at a time.
const MOST_COMMANDS: usize = 32;

/// Events that wait to be sent.
const MOST_FRAMES: usize = 16;

/// How often a browser is asked whether it is there, and how long one may say nothing.
const ASK: Duration = Duration::from_secs(20);
const SILENCE: Duration = Duration::from_secs(60);

/// Text printed within this time goes in one frame; when it is this long, the session waits: a loop that
/// prints must not fill the page's queue, with the click on Stop in it.
const BETWEEN_PRINTS: Duration = Duration::from_millis(16);
const LONGEST_PRINT: usize = 32 << 10;

type Frames = mpsc::Sender<Vec<u8>>;

/// Runs a session until the socket closes; it holds its `place` until its thread has ended.
pub(crate) async fn hold(socket: WebSocket, place: OwnedSemaphorePermit) {
    let Ok(Ok(mut session)) = spawn_blocking(open_for_page).await else {
        return close(socket, "this computer gave no thread for a session").await;
    };
    let events = mem::replace(&mut session.events, std::sync::mpsc::channel().1);
    let (frames, outgoing) = mpsc::channel(MOST_FRAMES);
    let waiting = Arc::new(AtomicUsize::new(0));
    let (sink, stream) = socket.split();
    let (passing, ended) = (frames.clone(), waiting.clone());
    let session = Mutex::new(session);
    let mut pass = spawn_blocking(move || pass_on(&events, &passing, &ended));
    tokio::select! {
        () = listen(stream, &session, &frames, &waiting) => {}
        () = send(sink, outgoing) => {}
        _ = &mut pass => {}
    }
    // Its command ends when it next looks up; nobody waits for that here.
    spawn_blocking(move || {
        drop(session);
        drop(place);
    });
}

/// Says why there is no session.
pub(crate) async fn turn_away(socket: WebSocket) {
    let why = format!("{MOST_SESSIONS} sessions are open here: close a tab of the lab");
    close(socket, &why).await;
}

async fn close(mut socket: WebSocket, why: &str) {
    let frame = CloseFrame {
        code: close_code::AGAIN,
        reason: why.into(),
    };
    let _ = socket.send(Message::Close(Some(frame))).await;
}

/// Hands commands over until the socket closes or has been silent for too long.
async fn listen(
    mut stream: SplitStream<WebSocket>,
    session: &Mutex<Spawned>,
    frames: &Frames,
    waiting: &AtomicUsize,
) {
    let held = || session.lock().unwrap_or_else(PoisonError::into_inner);
    while let Ok(Some(Ok(message))) = timeout(SILENCE, stream.next()).await {
        let refusal = match message {
            Message::Text(text) => match serde_json::from_str(&text) {
                Ok(Command::Stop) => {
                    held().stop.stop();
                    None
                }
                Ok(_) if waiting.load(Ordering::Relaxed) >= MOST_COMMANDS => {
                    let why = format!("{MOST_COMMANDS} commands wait already: wait for a Done");
                    Some((id_of(&text), why))
                }
                Ok(command) => {
                    waiting.fetch_add(1, Ordering::Relaxed);
                    if !held().send(command) {
                        return;
                    }
                    None
                }
                Err(error) => Some((id_of(&text), format!("not a command: {error}"))),
            },
            Message::Binary(_) => Some((0, "not a command: commands are JSON text".to_owned())),
            Message::Close(_) => return,
            Message::Ping(_) | Message::Pong(_) => None,
        };
        if let Some((id, why)) = refusal {
            for event in refuse(id, why) {
                if frames.send(encode(&event)).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// The id that was meant, so that whoever asked learns of it.
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
        memory: Memory::default(),
    };
    [Event::Error { id, error }, done]
}

/// Sends frames, and asks the browser now and then whether it is there.
async fn send(mut sink: SplitSink<WebSocket, Message>, mut outgoing: mpsc::Receiver<Vec<u8>>) {
    let mut asks = interval(ASK);
    loop {
        let message = tokio::select! {
            frame = outgoing.recv() => match frame {
                Some(bytes) => Message::Binary(bytes.into()),
                None => return,
            },
            _ = asks.tick() => Message::Ping(Default::default()),
        };
        if sink.send(message).await.is_err() {
            return;
        }
    }
}

/// Passes a session's events on until it has ended or nobody listens.
fn pass_on(events: &Receiver<Event>, frames: &Frames, waiting: &AtomicUsize) {
    let mut printed = Instant::now();
    let mut next = events.recv().ok();
    while let Some(mut event) = next.take() {
        if let Event::Stdout { id, text } = &mut event {
            next = join_prints(*id, text, events, printed + BETWEEN_PRINTS);
            printed = Instant::now();
        }
        if matches!(event, Event::Done { .. }) {
            waiting.fetch_sub(1, Ordering::Relaxed);
        }
        if frames.blocking_send(encode(&event)).is_err() {
            return;
        }
        next = next.or_else(|| events.recv().ok());
    }
}

/// Adds what a command prints until then, and returns the first event that is not of it.
fn join_prints(
    id: u32,
    text: &mut String,
    events: &Receiver<Event>,
    until: Instant,
) -> Option<Event> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if text.len() >= LONGEST_PRINT {
            std::thread::sleep(left);
            return None;
        }
        match events.recv_timeout(left) {
            Ok(Event::Stdout { id: of, text: more }) if of == id => text.push_str(&more),
            other => return other.ok(),
        }
    }
}

fn encode(event: &Event) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Plain values into memory: nothing that could fail.
    let _ = ciborium::into_writer(event, &mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;

    #[test]
    fn what_is_printed_at_once_goes_in_one_frame_and_in_order() {
        let (session, events) = sync_channel(64);
        let print = |id, text: &str| Event::Stdout {
            id,
            text: text.to_owned(),
        };
        for text in ["a", "b", "c"] {
            session.send(print(1, text)).unwrap();
        }
        session.send(print(2, "d")).unwrap();
        let [_, done] = refuse(2, String::new());
        session.send(done.clone()).unwrap();
        drop(session);

        let (frames, mut sent) = mpsc::channel(64);
        let waiting = AtomicUsize::new(1);
        pass_on(&events, &frames, &waiting);
        drop(frames);
        let mut got = Vec::new();
        while let Some(frame) = sent.blocking_recv() {
            got.push(frame);
        }
        let expected = [print(1, "abc"), print(2, "d"), done];
        assert_eq!(got, expected.map(|event| encode(&event)));
        assert_eq!(waiting.into_inner(), 0);
    }

    #[test]
    fn a_long_print_is_sent_in_parts() {
        let (session, events) = sync_channel(64);
        let part = "x".repeat(LONGEST_PRINT / 2 + 1);
        for _ in 0..3 {
            let text = part.clone();
            session.send(Event::Stdout { id: 1, text }).unwrap();
        }
        drop(session);
        let (frames, mut sent) = mpsc::channel(64);
        pass_on(&events, &frames, &AtomicUsize::new(0));
        assert!(sent.blocking_recv().unwrap().len() > LONGEST_PRINT);
        assert!(sent.blocking_recv().unwrap().len() < LONGEST_PRINT);
    }

    #[test]
    fn nan_and_infinity_arrive_as_they_are() {
        let event = Event::Called {
            id: 1,
            values: vec![f64::NAN, f64::INFINITY, -0.0, 0.1],
            shape: vec![4],
        };
        let read: Event = ciborium::from_reader(&encode(&event)[..]).unwrap();
        let Event::Called { values, .. } = read else {
            panic!("{read:?}");
        };
        assert!(values[0].is_nan());
        assert_eq!(values[1..], [f64::INFINITY, -0.0, 0.1]);
        assert!(values[2].is_sign_negative());
    }

    #[test]
    fn what_is_no_command_is_answered_to_whoever_asked() {
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
}
