//! Sessions of `glow lab` are processes: what ends one ends no other, and none stays behind.
#![cfg(target_os = "linux")]

use std::process::Command;
use std::time::{Duration, Instant};

use crate::server::{DONE, Server, Session};

/// The process that a new session has.
fn open(server: &Server) -> (Session, u32) {
    let before: Vec<u32> = server.children().into_iter().map(|(id, _)| id).collect();
    let mut session = Session::open(server);
    assert!(session.reads("devices"));
    let children = server.children().into_iter().map(|(id, _)| id);
    let mut new = children.filter(|id| !before.contains(id));
    let id = new.next().expect("a session has a process");
    assert_eq!(new.next(), None);
    (session, id)
}

fn signal(name: &str, process: u32) {
    let status = Command::new("kill")
        .args([name, &process.to_string()])
        .status();
    assert!(status.is_ok_and(|status| status.success()));
}

fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether it runs: one that has ended and is not yet waited for does not.
fn is_alive(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ")
        .is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

#[test]
fn a_session_that_dies_says_how_and_others_keep_their_variables() {
    let server = Server::start("dies");
    let (mut other, _) = open(&server);
    assert!(other.runs("kept = 41"));
    for (name, said) in [
        ("-KILL", "SIGKILL"),
        ("-ABRT", "SIGABRT"),
        ("-ILL", "SIGILL"),
    ] {
        let (mut session, process) = open(&server);
        session.begins("print('on')\nwhile True: pass");
        assert!(session.reads("on\n"));
        signal(name, process);
        assert!(
            session.reads(&format!("its process was ended by {said}")),
            "{name}"
        );
        assert!(session.is_closed(), "{name}");
    }
    other.begins("print(kept + 1)");
    assert!(other.reads("42\n") && other.reads(DONE));
    eventually("one process is left", || server.children().len() == 1);
}

#[test]
fn a_reset_is_a_new_process_on_the_same_socket() {
    let server = Server::start("reset");
    let (mut session, first) = open(&server);
    assert!(session.runs("kept = bytearray(10**8)"));
    session.send(r#"{"type":"setDevice","id":2,"device":"cpu"}"#);
    session.send(r#"{"type":"reset","id":3}"#);
    session.begins("print('kept' in globals())");
    assert!(session.reads("False\n") && session.reads(DONE));
    eventually("the first process has ended", || {
        let children = server.children();
        children.len() == 1 && children[0].0 != first
    });
}

/// Also one that hangs in native code, and one that does not run at all.
#[test]
fn a_closed_socket_ends_its_process() {
    let server = Server::start("closed");
    let (mut busy, _) = open(&server);
    busy.begins("print('on')\nwhile True: pass");
    assert!(busy.reads("on\n"));
    let (_idle, _) = open(&server);
    let (stopped, process) = open(&server);
    signal("-STOP", process);
    drop((busy, stopped));
    eventually("one process is left", || server.children().len() == 1);
}

#[test]
fn a_session_that_does_not_stop_is_ended() {
    let server = Server::start("hangs");
    let (mut session, process) = open(&server);
    session.begins("print('on')\nwhile True: pass");
    assert!(session.reads("on\n"));
    // As inside a native call that looks at nothing.
    signal("-STOP", process);
    session.send(r#"{"type":"stop"}"#);
    assert!(session.reads("it did not stop within 3 s and was ended"));
    assert!(session.is_closed());
    eventually("its process has ended", || server.children().is_empty());
}

#[test]
fn a_stop_right_behind_its_command_is_heard() {
    let server = Server::start("at-once");
    let (mut session, _) = open(&server);
    for _ in 0..20 {
        session.begins("while True: pass");
        session.send(r#"{"type":"stop"}"#);
        assert!(session.reads("KeyboardInterrupt") && session.reads(DONE));
    }
}

#[test]
fn the_servers_end_ends_its_sessions() {
    let mut server = Server::start("ends");
    let (mut busy, first) = open(&server);
    busy.begins("print('on')\nwhile True: pass");
    assert!(busy.reads("on\n"));
    let (_idle, second) = open(&server);
    // It has no time to say good-bye.
    server.process.kill().expect("it runs");
    server.process.wait().expect("it is our child");
    eventually("no session is left", || {
        !is_alive(first) && !is_alive(second)
    });
}

#[test]
fn a_session_that_asks_for_too_much_memory_ends_alone() {
    let server = Server::start_with("memory", &["--session-memory", "1"]);
    let (mut other, _) = open(&server);
    let (mut session, _) = open(&server);
    session.begins("kept = [bytearray(10**8) for _ in range(40)]");
    let ended = session.reads("MemoryError") || session.got.windows(7).any(|w| w == b"SIGABRT");
    assert!(ended);
    other.begins("print(6 * 7)");
    assert!(other.reads("42\n"));
}
