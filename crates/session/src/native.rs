//! A session on a thread of its own, for the terminal and the local server.
//!
//! Engine and Python are not `Send`: they are made on the thread and never leave it. Commands and
//! events cross as plain values, Stop as an atomic flag.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use glowgrad::backend::Backend;
use glowgrad::device::Opened;

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

/// Opens a device of this name; none if there is no such thing here.
pub type Open = fn(&str) -> Option<glowgrad::Result<Box<dyn Backend>>>;

struct Native {
    open: Open,
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

    fn open_device(&self, kind: &str) -> Option<glowgrad::Result<Opened>> {
        let opened = (self.open)(kind)?;
        Some(opened.map(Opened::Device))
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
    spawn_on("cpu", |_| None, false)
}

/// Starts a session on a device: `cpu`, or one that `open` knows, which is called on the session's
/// thread. `show_kernels` has every kernel printed to standard error as it is made.
///
/// # Errors
/// When the system gives no thread, or `open` no such device.
pub fn spawn_on(device: &str, open: Open, show_kernels: bool) -> std::io::Result<Spawned> {
    #[cfg(not(feature = "python"))]
    let _ = show_kernels;
    let device = device.to_owned();
    let (opened, device_opened) = channel();
    let (commands, inbox) = channel::<Command>();
    let (outbox, events) = channel();
    let stop = StopHandle::default();
    let flag = stop.clone();
    let thread = std::thread::Builder::new()
        .name("session".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let epoch = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default();
            let platform = Native {
                open,
                stop: flag.clone(),
                start: Instant::now(),
                epoch_millis: epoch.as_secs_f64() * 1e3,
            };
            let emit = Rc::new(move |event| {
                let _ = outbox.send(event);
            });
            let mut session = match Session::on_device(Rc::new(platform), emit, &device) {
                Ok(session) => session,
                Err(error) => {
                    let _ = opened.send(Err(error.message));
                    return;
                }
            };
            let _ = opened.send(Ok(()));
            #[cfg(feature = "python")]
            if show_kernels {
                session.engine().watch_kernels(Some(crate::show::watcher()));
            }
            for command in inbox {
                flag.0.store(false, Ordering::Relaxed);
                session.handle(command);
            }
        })?;
    if let Ok(Err(why)) = device_opened.recv() {
        return Err(std::io::Error::other(why));
    }
    Ok(Spawned {
        commands: Some(commands),
        events,
        stop,
        thread: Some(thread),
    })
}
