//! A session on a thread of its own, for the terminal and the local server.
//!
//! Engine and Python are not `Send`: they are made on the thread and never leave it. Commands and
//! events cross as plain values, Stop as an atomic flag.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use glowgrad::backend::Backend;
use glowgrad::device::Opened;

use crate::protocol::{Command, DeviceInfo, Event};
use crate::session::{Platform, Session};

/// Python recurses on the native stack.
const STACK_BYTES: usize = 256 << 20;

/// Events that wait for whoever reads them; then the session waits, so that no slow reader fills memory.
const MOST_EVENTS: usize = 256;

/// Raises `KeyboardInterrupt` in the running command.
#[derive(Clone, Default)]
pub struct StopHandle(Arc<AtomicBool>);

impl StopHandle {
    /// Asks the running command to stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A running session's ends.
pub struct Spawned {
    commands: Option<Sender<Command>>,
    /// Its events, `Ready` first.
    pub events: Receiver<Event>,
    /// Stops the running command.
    pub stop: StopHandle,
    ended: Arc<AtomicBool>,
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
        // Nobody reads any more: a session that waits to be read goes on, to its end.
        self.events = channel().1;
        self.ended.store(true, Ordering::SeqCst);
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Opens a device by its name; none if there is no such thing here.
pub type Open = fn(&str) -> Option<glowgrad::Result<Box<dyn Backend>>>;

/// What a session of this computer can compute on besides the processor.
#[derive(Clone, Copy)]
pub struct Others {
    /// Called on the session's thread.
    pub open: Open,
    /// What can be opened, for a menu.
    pub offered: fn() -> Vec<DeviceInfo>,
}

impl Default for Others {
    fn default() -> Others {
        Others {
            open: |_| None,
            offered: Vec::new,
        }
    }
}

struct Native {
    others: Others,
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
        let opened = (self.others.open)(kind)?;
        Some(opened.map(Opened::Device))
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        (self.others.offered)()
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
    spawn_on("cpu", Others::default(), false)
}

/// Starts a session on a device: `cpu`, or one of the others. `show_kernels` has every kernel printed to standard error as it is made.
///
/// # Errors
/// When the system gives no thread, or `others` no such device.
pub fn spawn_on(device: &str, others: Others, show_kernels: bool) -> std::io::Result<Spawned> {
    #[cfg(not(feature = "python"))]
    let _ = show_kernels;
    let device = device.to_owned();
    let (opened, device_opened) = channel();
    let (commands, inbox) = channel::<Command>();
    let (outbox, events) = sync_channel(MOST_EVENTS);
    let stop = StopHandle::default();
    let flag = stop.clone();
    let ended = Arc::<AtomicBool>::default();
    let is_over = ended.clone();
    let thread = std::thread::Builder::new()
        .name("session".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let epoch = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default();
            let platform = Native {
                others,
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
                flag.0.store(false, Ordering::SeqCst);
                // What was queued before the end is not begun after it.
                if is_over.load(Ordering::SeqCst) {
                    break;
                }
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
        ended,
        thread: Some(thread),
    })
}
