//! `glow session`: one session of `glow lab` as a process of its own, behind two pipes.
//!
//! Commands come on standard input, events go to standard output, both as frames (`frame`); what a library
//! prints there goes to standard error. Invariants: Stop is heard while a command runs. When standard input
//! closes, since the server has ended or wants this session no more, the process ends at once, whatever its
//! session does. Nothing grows with a slow reader: a full pipe makes the session wait.

use std::io::{self, Write};
use std::mem;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use glowgrad_session::Spawned;
use glowgrad_session::printing::BETWEEN_PRINTS_MILLIS;
use glowgrad_session::protocol::{Command, Event};

use super::frame::{self, Kind};
use crate::Ending;
use crate::engine::{have_found, open_for_page};

/// Text printed within this time goes in one frame; when it is this long, the session waits.
const BETWEEN_PRINTS: Duration = Duration::from_millis(BETWEEN_PRINTS_MILLIS);
const LONGEST_PRINT: usize = 32 << 10;

/// Runs a session until standard input closes. `memory` is its limit in GiB; `devices` are those that the
/// server knows of, as JSON.
pub(crate) fn run(memory: Option<u64>, devices: Option<&str>) -> Result<Ending> {
    system::limit_memory(memory);
    // What cannot be read is looked for.
    if let Some(Ok(devices)) = devices.map(serde_json::from_str) {
        have_found(devices);
    }
    let mut out = system::own_stdout().context("cannot take standard output for events")?;
    let mut session = open_for_page().context("this computer gave no thread for a session")?;
    let events = mem::replace(&mut session.events, channel().1);
    thread::Builder::new()
        .name("commands".to_owned())
        .spawn(move || {
            obey(&mut io::stdin().lock(), &session);
            system::end();
        })?;
    if pass_on(&events, &mut out).is_err() {
        // The server reads no more.
        system::end();
    }
    // The session's thread has ended by itself, which is a panic: its message stands on standard error.
    Ok(Ending::Exit(PANICKED))
}

/// What a program ends with whose main thread panicked.
const PANICKED: u8 = 101;

/// Hands commands over until the stream ends.
fn obey(from: &mut impl io::Read, session: &Spawned) {
    while let Ok((Kind::Command, text)) = frame::read(from) {
        // The server has read it already: what is no command does not come here.
        let Ok(command) = serde_json::from_slice::<Command>(&text) else {
            return;
        };
        if !session.send(command) {
            return;
        }
    }
}

/// Passes a session's events on until it has ended or the pipe is closed.
fn pass_on(events: &Receiver<Event>, out: &mut impl Write) -> io::Result<()> {
    let mut printed = Instant::now();
    let mut next = events.recv().ok();
    while let Some(mut event) = next.take() {
        if let Event::Stdout { id, text } = &mut event {
            next = join_prints(*id, text, events, printed + BETWEEN_PRINTS);
            printed = Instant::now();
        }
        frame::write(out, kind_of(&event), &encode(&event))?;
        next = next.or_else(|| events.recv().ok());
    }
    Ok(())
}

fn kind_of(event: &Event) -> Kind {
    match event {
        Event::Ready { .. } => Kind::Ready,
        Event::Devices { .. } => Kind::Devices,
        Event::Done { ok: true, .. } => Kind::Done,
        Event::Done { ok: false, .. } => Kind::Failed,
        _ => Kind::Event,
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
            thread::sleep(left);
            return None;
        }
        match events.recv_timeout(left) {
            Ok(Event::Stdout { id: of, text: more }) if of == id => text.push_str(&more),
            other => return other.ok(),
        }
    }
}

/// An event as CBOR, which has NaN and infinities.
pub(crate) fn encode(event: &Event) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Plain values into memory: nothing that could fail.
    let _ = ciborium::into_writer(event, &mut bytes);
    bytes
}

/// What the process asks of Unix.
#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::os::fd::AsFd;

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::{Pid, dup2_stdout};

    use super::*;

    /// Standard output for events alone; whatever else is printed there goes to standard error.
    pub(super) fn own_stdout() -> io::Result<impl Write> {
        let own = io::stdout().as_fd().try_clone_to_owned()?;
        dup2_stdout(io::stderr())?;
        Ok(File::from(own))
    }

    /// Ends the process now. Another thread may be inside a long kernel or a driver, for which an orderly
    /// exit would wait.
    pub(super) fn end() -> ! {
        let _ = kill(Pid::this(), Signal::SIGKILL);
        std::process::abort()
    }

    /// A session that asks for more memory than `gib`, or than three quarters of what there is, gets none
    /// and ends alone; and when memory runs out all the same, the system ends a session and not the server
    /// or the browser. The limit counts what can be written to (`RLIMIT_DATA`), not what a driver reserves.
    #[cfg(target_os = "linux")]
    pub(super) fn limit_memory(gib: Option<u64>) {
        use glowgrad_cpu::memory_limit;
        use nix::sys::resource::{Resource, getrlimit, setrlimit};

        // Refused by some systems; then there is one guard less.
        let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
        let Some(most) = gib
            .map(|gib| gib << 30)
            .or_else(|| Some(memory_limit()? as u64 / 4 * 3))
        else {
            return;
        };
        if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_DATA) {
            let _ = setrlimit(Resource::RLIMIT_DATA, soft.min(most), hard);
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn limit_memory(_: Option<u64>) {}
}

#[cfg(not(unix))]
mod system {
    use super::*;

    pub(super) fn own_stdout() -> io::Result<impl Write> {
        Ok(io::stdout().lock())
    }

    pub(super) fn end() -> ! {
        std::process::abort()
    }

    pub(super) fn limit_memory(_: Option<u64>) {}
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use glowgrad_session::protocol::MemoryCounters;

    use super::*;

    fn passed(events: &Receiver<Event>) -> Vec<(Kind, Vec<u8>)> {
        let mut bytes = Vec::new();
        pass_on(events, &mut bytes).unwrap();
        let mut rest = &bytes[..];
        std::iter::from_fn(|| frame::read(&mut rest).ok()).collect()
    }

    fn print(id: u32, text: &str) -> Event {
        Event::Stdout {
            id,
            text: text.to_owned(),
        }
    }

    #[test]
    fn what_is_printed_at_once_goes_in_one_frame_and_in_order() {
        let (session, events) = sync_channel(64);
        for text in ["a", "b", "c"] {
            session.send(print(1, text)).unwrap();
        }
        session.send(print(2, "d")).unwrap();
        let done = |ok| Event::Done {
            id: 2,
            ok,
            millis: 0.0,
            memory: MemoryCounters::default(),
        };
        session.send(done(true)).unwrap();
        session.send(done(false)).unwrap();
        drop(session);
        let expected = [
            (Kind::Event, print(1, "abc")),
            (Kind::Event, print(2, "d")),
            (Kind::Done, done(true)),
            (Kind::Failed, done(false)),
        ];
        let expected = expected.map(|(kind, event)| (kind, encode(&event)));
        assert_eq!(passed(&events), expected);
    }

    #[test]
    fn a_long_print_is_sent_in_parts() {
        let (session, events) = sync_channel(64);
        let part = "x".repeat(LONGEST_PRINT / 2 + 1);
        for _ in 0..3 {
            session.send(print(1, &part)).unwrap();
        }
        drop(session);
        let sent = passed(&events);
        assert!(sent[0].1.len() > LONGEST_PRINT);
        assert!(sent[1].1.len() < LONGEST_PRINT);
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
}
