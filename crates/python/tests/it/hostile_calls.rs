//! Hostile calls: everything that can be called gets absurd arguments, and each call ends in a result or an
//! exception. None ends the process, none panics, none goes on when it is asked to stop.
//!
//! The calls run in a child process under an address limit, where an allocation that fails ends it as it
//! would in a page. The child names each call before it makes it, so that a death has a name; the
//! parent starts another child after it. `tests/hostile_calls.py` draws the calls from a seed.

#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::common::lab;

const CALLS: &str = include_str!("../hostile_calls.py");
/// The variable that makes this test's process the child: the number of the call to begin with.
const BEGIN: &str = "GLOWGRAD_HOSTILE_CALLS_FROM";
/// Address space of the child.
const MOST_BYTES: u64 = 4 << 30;
/// A call that runs longer is stopped.
const STOP_AFTER_MILLIS: u64 = 300;
/// A call that has not ended this long after it was stopped hangs: the parent ends the child.
const HANGS_AFTER: Duration = Duration::from_secs(20);
const LEAST_CALLS: usize = 5000;

fn millis() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as u64)
}

/// Makes the calls from one on, and says before each what it is.
fn child(begin: usize) {
    lab(move |lab| {
        let call_began = Arc::new(AtomicU64::new(u64::MAX));
        let stop = lab.stop.clone();
        let began = call_began.clone();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(20));
                if millis().saturating_sub(began.load(Ordering::Relaxed)) > STOP_AFTER_MILLIS {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        });
        lab.output(CALLS);
        let n_calls: usize = lab
            .output("print(len(CALLS))")
            .trim()
            .parse()
            .expect("a number of calls");
        let mut out = std::io::stdout().lock();
        let mut say = |text: String| {
            out.write_all(text.as_bytes()).expect("the parent reads");
            out.flush().expect("the parent reads");
        };
        say(format!("calls {n_calls}\n"));
        for number in begin..n_calls {
            let name = lab.output(&format!("print(describe({number}))"));
            say(format!(
                "call {number} {}\n",
                name.trim().replace('\n', " ")
            ));
            call_began.store(millis(), Ordering::Relaxed);
            if number.is_multiple_of(20) {
                // A call before may have switched gradients off.
                let _ = lab.run("end_step()");
            }
            let outcome = lab.run(&format!("call({number})"));
            call_began.store(u64::MAX, Ordering::Relaxed);
            lab.stop.store(false, Ordering::Relaxed);
            let ended = match &outcome {
                Ok(_) => "result".to_owned(),
                Err(error) => error.kind.clone(),
            };
            say(format!("ended {number} {ended}\n"));
            if lab.python.is_broken() {
                return;
            }
        }
        say("all\n".to_owned());
    });
}

/// How a child ended: the call it was in, if it did not make all of them.
struct Ended {
    n_calls: usize,
    made: Vec<(usize, String)>,
    last: Option<(usize, String)>,
    all: bool,
    hung: bool,
    errors: String,
}

fn run_child(begin: usize) -> Ended {
    let program = std::env::current_exe().expect("this test has a path");
    let mut child = Command::new("prlimit")
        .arg(format!("--as={MOST_BYTES}"))
        .arg(program)
        .args([
            "hostile_calls::hostile_calls_end_in_a_result_or_an_exception",
            "--exact",
            "--nocapture",
        ])
        .env(BEGIN, begin.to_string())
        .env("RUST_BACKTRACE", "0")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("prlimit (util-linux) starts the test again");
    let stdout = child.stdout.take().expect("a pipe");
    let stderr = child.stderr.take().expect("a pipe");
    let (sender, lines) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).split(b'\n') {
            let Ok(line) = line else { break };
            if sender
                .send(String::from_utf8_lossy(&line).into_owned())
                .is_err()
            {
                break;
            }
        }
    });
    let errors = std::thread::spawn(move || {
        let lines: Vec<String> = BufReader::new(stderr)
            .lines()
            .map_while(Result::ok)
            .collect();
        let from = lines.len().saturating_sub(6);
        lines[from..].join("\n")
    });
    let mut ended = Ended {
        n_calls: 0,
        made: Vec::new(),
        last: None,
        all: false,
        hung: false,
        errors: String::new(),
    };
    loop {
        let patience = match ended.last {
            Some(_) => HANGS_AFTER,
            // Before the first call, the interpreter starts.
            None => HANGS_AFTER * 6,
        };
        let line = match lines.recv_timeout(patience) {
            Ok(line) => line,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                ended.hung = true;
                let _ = child.kill();
                break;
            }
            Err(_) => break,
        };
        let mut words = line.splitn(3, ' ');
        let (word, number, rest) = (words.next(), words.next(), words.next());
        let number = number.and_then(|number| number.parse().ok());
        match (word, number) {
            (Some("calls"), Some(n)) => ended.n_calls = n,
            (Some("call"), Some(n)) => ended.last = Some((n, rest.unwrap_or_default().to_owned())),
            (Some("ended"), Some(n)) => {
                ended.made.push((n, rest.unwrap_or_default().to_owned()));
                if rest != Some("SystemError") {
                    ended.last = ended.last.filter(|last| last.0 != n);
                }
            }
            (Some("all"), _) => ended.all = true,
            _ => {}
        }
    }
    let _ = child.wait();
    ended.errors = errors.join().unwrap_or_default();
    ended
}

#[test]
fn hostile_calls_end_in_a_result_or_an_exception() {
    if let Ok(begin) = std::env::var(BEGIN) {
        return child(begin.parse().expect("a number"));
    }
    let start = Instant::now();
    let (mut begin, mut n_calls) = (0, 0);
    let mut deaths = Vec::new();
    let mut kinds = std::collections::BTreeMap::new();
    loop {
        let ended = run_child(begin);
        n_calls = n_calls.max(ended.n_calls);
        for (_, kind) in &ended.made {
            *kinds.entry(kind.clone()).or_insert(0usize) += 1;
        }
        if ended.all {
            break;
        }
        let how = if ended.hung {
            "hangs"
        } else {
            "ends the process"
        };
        let Some((number, name)) = ended.last else {
            panic!("the child {how} before its first call\n{}", ended.errors);
        };
        println!("{name}: {how}\n{}", ended.errors);
        deaths.push(format!(
            "{name}: {how}\n  {}",
            ended.errors.replace('\n', "\n  ")
        ));
        begin = number + 1;
        assert!(deaths.len() < 100, "{}", deaths.join("\n"));
    }
    let took = start.elapsed();
    println!("{n_calls} calls in {took:.1?}: {kinds:?}");
    assert!(n_calls >= LEAST_CALLS, "only {n_calls} calls");
    assert!(
        deaths.is_empty(),
        "{} of {n_calls} calls\n{}",
        deaths.len(),
        deaths.join("\n")
    );
}
