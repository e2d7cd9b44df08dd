//! A session on a thread of its own, for the terminal and the local server.
//!
//! Engine and Python are not `Send`: they are made on the thread and never leave it. Commands and
//! events cross as plain values, Stop as an atomic flag.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use glowgrad::backend::Backend;

use crate::protocol::{Command, Event};
use crate::session::{Platform, Session};

/// Python recurses on the native stack.
const STACK_BYTES: usize = 256 << 20;

/// Raises `KeyboardInterrupt` in the running command.
#[derive(Clone, Default)]
pub struct StopHandle(Arc<AtomicBool>);

impl StopHandle {
    /// Asks the running command to stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A running session's ends.
pub struct Spawned {
    commands: Option<Sender<Command>>,
    /// Its events, `Ready` first.
    pub events: Receiver<Event>,
    /// Stops the running command.
    pub stop: StopHandle,
    thread: Option<JoinHandle<()>>,
}

impl Spawned {
    /// Queues a command. Returns whether the session is alive.
    pub fn send(&self, command: Command) -> bool {
        if command == Command::Stop {
            self.stop.stop();
            return true;
        }
        self.commands
            .as_ref()
            .is_some_and(|c| c.send(command).is_ok())
    }
}

impl Drop for Spawned {
    fn drop(&mut self) {
        self.commands = None;
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Native {
    backend: RefCell<Option<Box<dyn Backend>>>,
    stop: StopHandle,
    start: Instant,
    epoch_millis: f64,
}

impl Platform for Native {
    fn now_millis(&self) -> f64 {
        self.epoch_millis + self.start.elapsed().as_secs_f64() * 1e3
    }

    fn should_stop(&self) -> bool {
        self.stop.0.load(Ordering::Relaxed)
    }

    fn sleep(&self, millis: f64) {
        std::thread::sleep(Duration::from_secs_f64(millis.clamp(0.0, 50.0) / 1e3));
    }

    fn backend(&self) -> Option<Box<dyn Backend>> {
        self.backend.take()
    }

    fn clock(&self) -> Option<fn() -> u64> {
        Some(|| {
            static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
            START.get_or_init(Instant::now).elapsed().as_nanos() as u64
        })
    }
}

/// Starts a session on this computer's processor.
///
/// # Errors
/// When the system gives no thread.
pub fn spawn() -> std::io::Result<Spawned> {
    spawn_on(|| Ok(None), false)
}

/// Starts a session on the backend that `open` gives on the session's thread; none is the processor.
/// `show_kernels` has every kernel printed to standard error as it is made.
///
/// # Errors
/// When the system gives no thread, or `open` no backend.
pub fn spawn_on(
    open: impl FnOnce() -> glowgrad::Result<Option<Box<dyn Backend>>> + Send + 'static,
    show_kernels: bool,
) -> std::io::Result<Spawned> {
    let (opened, backend_opened) = channel();
    let (commands, inbox) = channel::<Command>();
    let (outbox, events) = channel();
    let stop = StopHandle::default();
    let flag = stop.clone();
    let thread = std::thread::Builder::new()
        .name("session".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let backend = match open() {
                Ok(backend) => RefCell::new(backend),
                Err(error) => {
                    let _ = opened.send(Err(error.message));
                    return;
                }
            };
            let _ = opened.send(Ok(()));
            let epoch = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default();
            let platform = Native {
                backend,
                stop: flag.clone(),
                start: Instant::now(),
                epoch_millis: epoch.as_secs_f64() * 1e3,
            };
            let emit = Rc::new(move |event| {
                let _ = outbox.send(event);
            });
            let mut session = Session::new(Rc::new(platform), emit);
            #[cfg(feature = "python")]
            if show_kernels {
                session.engine().watch_kernels(Some(crate::show::watcher()));
            }
            for command in inbox {
                flag.0.store(false, Ordering::Relaxed);
                session.handle(command);
            }
        })?;
    if let Ok(Err(why)) = backend_opened.recv() {
        return Err(std::io::Error::other(why));
    }
    Ok(Spawned {
        commands: Some(commands),
        events,
        stop,
        thread: Some(thread),
    })
}
