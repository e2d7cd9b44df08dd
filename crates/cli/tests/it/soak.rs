//! A soak of `glow lab`, run by `cargo lab soak`: random cells, Stops, resets, closed and killed sessions
//! over its sockets. Each minute it prints what the server holds; at the end that must be what it held after
//! the warm-up, with no process, no zombie and no file left.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::server::{DONE, Server, Session};

/// Sessions at the same time.
const CLIENTS: u32 = 5;

/// The server's memory at the end may be this much above that after the warm-up.
const MARGIN_KIB: u64 = 8 << 10;

const CELLS: [&str; 10] = [
    "print(6 * 7)",
    "import glowgrad as torch\nx = torch.rand(200, 200)\nprint((x @ x).sum().item())",
    "import glowgrad as torch\nw = torch.rand(64, requires_grad=True)\nfor _ in range(20):\n    \
     loss = (w * w).sum()\n    loss.backward()\n    w.grad = None",
    "kept = [bytearray(10**6) for _ in range(20)]",
    "for n in range(2000): print(n, 'x' * 100)",
    "1 / 0",
    "def f(n): return f(n + 1)\nf(0)",
    "if",
    "import glowgrad as torch\nfrom glowgrad import lab\nlab.histogram(torch.rand(1000))\nlab.plot(loss=1.0)",
    "kept = bytes(10**14)",
];

const ENDLESS: [&str; 3] = [
    "while True: pass",
    "n = 0\nwhile True:\n    n += 1\n    print(n)",
    "import glowgrad as torch\nx = torch.rand(300, 300)\nwhile True: (x @ x).sum().item()",
];

/// What the clients did.
#[derive(Default)]
struct Counts {
    cells: AtomicU32,
    stops: AtomicU32,
    resets: AtomicU32,
    closed: AtomicU32,
    killed: AtomicU32,
    opened: AtomicU32,
    /// Sessions whose process ended, so that a command had no `Done`.
    ended: AtomicU32,
}

/// What a server holds.
struct Held {
    rss_kib: u64,
    files: usize,
    threads: usize,
    children: usize,
    zombies: usize,
}

fn held(server: &Server) -> Held {
    let folder = format!("/proc/{}", server.process.id());
    let status = fs::read_to_string(format!("{folder}/status")).expect("the server runs");
    let rss = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let rss = rss.and_then(|text| text.trim().strip_suffix(" kB"));
    let count = |name: &str| fs::read_dir(format!("{folder}/{name}")).map_or(0, Iterator::count);
    let children = server.children();
    Held {
        rss_kib: rss.and_then(|text| text.parse().ok()).expect("VmRSS"),
        files: count("fd"),
        threads: count("task"),
        children: children.len(),
        zombies: children.iter().filter(|(_, state)| *state == 'Z').count(),
    }
}

/// Marsaglia's xorshift: the same actions for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }
}

/// One thing after the other on sessions of its own, until it is told to end.
fn client(server: &Server, seed: u32, counts: &Counts, over: &AtomicBool) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ u64::from(seed) << 32);
    let add = |count: &AtomicU32| count.fetch_add(1, Ordering::Relaxed);
    while !over.load(Ordering::Relaxed) {
        let mut session = Session::open(server);
        add(&counts.opened);
        if !session.reads("devices") {
            // Its process was killed before it began, or all places are taken.
            add(&counts.ended);
            continue;
        }
        for _ in 0..random.below(12) + 1 {
            thread::sleep(Duration::from_millis(50 + random.below(200) as u64));
            let has_ended = match random.below(10) {
                0..5 => {
                    add(&counts.cells);
                    !session.runs(CELLS[random.below(CELLS.len())])
                }
                5..7 => {
                    add(&counts.stops);
                    session.begins(ENDLESS[random.below(ENDLESS.len())]);
                    thread::sleep(Duration::from_millis(random.below(300) as u64));
                    !(session.tries(r#"{"type":"stop"}"#) && session.reads(DONE))
                }
                7 => {
                    add(&counts.resets);
                    !(session.tries(r#"{"type":"reset","id":2}"#) && session.reads(DONE))
                }
                8 => {
                    add(&counts.closed);
                    session.begins(ENDLESS[random.below(ENDLESS.len())]);
                    break;
                }
                _ => {
                    // Whichever session it is: of this client or of another.
                    let children = server.children();
                    let Some((process, _)) = children.get(random.below(children.len().max(1)))
                    else {
                        continue;
                    };
                    let killed = Command::new("kill")
                        .args(["-KILL", &process.to_string()])
                        .output();
                    if killed.is_ok_and(|output| output.status.success()) {
                        add(&counts.killed);
                    }
                    false
                }
            };
            if has_ended {
                add(&counts.ended);
                assert!(
                    session.is_closed(),
                    "a command had no Done, and the socket is open"
                );
                break;
            }
        }
    }
}

#[test]
#[ignore = "takes as many minutes as GLOW_SOAK_MINUTES says: run by `cargo lab soak`"]
fn memory_stays_flat() {
    let minutes = std::env::var("GLOW_SOAK_MINUTES").ok();
    let minutes: u64 = minutes.and_then(|text| text.parse().ok()).unwrap_or(20);
    let warm_up = (minutes / 5).clamp(1, 4);
    let server = Server::start("soak");
    let (counts, over) = (Counts::default(), AtomicBool::new(false));
    // What the server opens for its first session it keeps.
    assert!(Session::open(&server).reads("devices"));
    thread::sleep(Duration::from_secs(2));
    let before = held(&server);
    println!(
        "{:>7} {:>9} {:>6} {:>8} {:>9} {:>8}   opened cells stops resets closed killed ended",
        "minute", "RSS KiB", "files", "threads", "children", "zombies"
    );
    let tell = |minute: &str, now: &Held| {
        let done = [
            &counts.opened,
            &counts.cells,
            &counts.stops,
            &counts.resets,
            &counts.closed,
            &counts.killed,
            &counts.ended,
        ];
        let done = done
            .map(|count| count.load(Ordering::Relaxed).to_string())
            .join(" ");
        println!(
            "{minute:>7} {:>9} {:>6} {:>8} {:>9} {:>8}   {done}",
            now.rss_kib, now.files, now.threads, now.children, now.zombies
        );
    };
    tell("0", &before);
    let mut warm = None;
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|seed| {
                scope.spawn({
                    let (server, counts, over) = (&server, &counts, &over);
                    move || client(server, seed, counts, over)
                })
            })
            .collect();
        let began = Instant::now();
        for minute in 1..=minutes {
            let until = Duration::from_secs(60 * minute);
            while began.elapsed() < until
                && !clients.iter().any(thread::ScopedJoinHandle::is_finished)
            {
                thread::sleep(Duration::from_millis(200));
            }
            let now = held(&server);
            tell(&minute.to_string(), &now);
            if minute == warm_up {
                warm = Some(now.rss_kib);
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    // Processes that are asked to end have a second, and those that are killed a moment.
    thread::sleep(Duration::from_secs(5));
    let after = held(&server);
    tell("end", &after);
    let warm = warm.expect("the warm-up is over");
    println!(
        "RSS after the warm-up of {warm_up} min {warm} KiB, at the end {} KiB",
        after.rss_kib
    );
    assert_eq!((after.children, after.zombies), (0, 0));
    assert!(
        after.files <= before.files + 2,
        "files: {} before, {} after",
        before.files,
        after.files
    );
    assert!(after.rss_kib <= warm + MARGIN_KIB);
    let mut session = Session::open(&server);
    assert!(session.reads("devices") && session.runs("print(6 * 7)"));
}
