//! A session on a thread of its own, for the terminal and the local server.
//!
//! Engine and Python are not `Send`: they are made on the thread and never leave it. Commands and
//! events cross as plain values, Stop as an atomic flag.

#[cfg(feature = "python")]
mod files;

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use glowgrad::backend::Backend;
use glowgrad::graph::Opened;

use crate::protocol::{Command, DeviceInfo, Event};
use crate::session::{Platform, Session};

/// Python recurses on the native stack.
const STACK_BYTES: usize = 256 << 20;

/// Events that wait for their reader; then the session waits, so that no slow reader fills memory.
const MOST_EVENTS: usize = 256;

/// Raises `KeyboardInterrupt` in the running command.
#[derive(Clone, Default)]
pub struct StopHandle(Arc<Stops>);

/// Commands are numbered as they are handed over, so that a Stop that comes between a command and its
/// beginning is not lost, and none reaches a later command.
#[derive(Default)]
struct Stops {
    /// How many commands have been handed over.
    sent: AtomicU64,
    /// Commands up to this number are to stop.
    stopped: AtomicU64,
}

impl StopHandle {
    /// Asks every command that has been handed over to stop.
    pub fn stop(&self) {
        let sent = self.0.sent.load(Ordering::SeqCst);
        self.0.stopped.fetch_max(sent, Ordering::SeqCst);
    }

    /// Commands count from 1: before the first there is nothing to stop.
    fn is_stopped(&self, command: u64) -> bool {
        self.0.stopped.load(Ordering::Relaxed) >= command.max(1)
    }
}

/// What a session does besides computing.
#[derive(Debug, Clone)]
pub struct Options {
    /// Prints every kernel to standard error as it is made.
    pub show_kernels: bool,
    /// Records each step and puts it on stage; otherwise only what `lab.graph` draws is shown.
    pub stages: bool,
    /// The script and its arguments, as `sys.argv` has them: Python sees this computer's files then, and imports the
    /// script's neighbours. None: Python sees files in memory.
    pub script: Option<Vec<String>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            show_kernels: false,
            stages: true,
            script: None,
        }
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
        self.stop.0.sent.fetch_add(1, Ordering::SeqCst);
        self.commands
            .as_ref()
            .is_some_and(|c| c.send(command).is_ok())
    }
}

impl Drop for Spawned {
    fn drop(&mut self) {
        self.commands = None;
        // The reader is gone: a session that waits to be read goes on, to its end.
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
    #[cfg(feature = "python")]
    script: Option<Vec<String>>,
    stop: StopHandle,
    /// The number of the running command.
    running: Rc<Cell<u64>>,
    start: Instant,
    epoch_millis: f64,
}

impl Platform for Native {
    fn now_millis(&self) -> f64 {
        self.epoch_millis + self.start.elapsed().as_secs_f64() * 1e3
    }

    fn should_stop(&self) -> bool {
        self.stop.is_stopped(self.running.get())
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

    #[cfg(feature = "python")]
    fn library(&self) -> Result<&'static str, String> {
        Ok(glowgrad_pylib::TEXT)
    }

    #[cfg(feature = "python")]
    fn codec(&self, request: &str, bytes: &[u8]) -> Result<(String, Vec<u8>), String> {
        let answer = match glowgrad_onnx::asked::is_asked(request) {
            true => glowgrad_onnx::asked::answer(request, bytes).map_err(|error| error.message),
            false => {
                let answer = glowgrad_files::codec::answer(request, bytes);
                answer.map_err(|error| error.to_string())
            }
        };
        answer.map(|answer| (answer.text, answer.bytes))
    }

    #[cfg(feature = "python")]
    fn export_onnx(
        &self,
        job: &mut glowgrad_python::OnnxJob<'_>,
    ) -> Option<Result<glowgrad_python::OnnxFile, String>> {
        let (engine, weights) = (job.engine, job.weights);
        let mut exports = Vec::new();
        for (at, run) in job.runs.iter().enumerate() {
            let mut export = glowgrad_onnx::Export::new();
            export.opset(job.opset);
            for (name, tensor) in &run.inputs {
                export.input(name, tensor);
            }
            for (name, tensor) in weights {
                export.weight(name, tensor);
            }
            match export.trace(engine, || (job.run)(at)) {
                Ok(outputs) => outputs.iter().for_each(|(name, tensor)| {
                    export.output(name, tensor);
                }),
                Err(error) => return Some(Err(error.message)),
            }
            exports.push((run.size.as_str(), export));
        }
        let (_, export) = exports.first()?;
        let others: Vec<_> = (exports.iter().skip(1))
            .map(|(size, other)| (*size, other))
            .collect();
        let written = export.to_bytes_of_sizes(&others).and_then(|bytes| {
            Ok(glowgrad_python::OnnxFile {
                bytes,
                warnings: export.looked_at()?,
            })
        });
        Some(written.map_err(|error| error.message))
    }

    #[cfg(feature = "python")]
    fn files(&self) -> Option<Box<dyn glowgrad_python::Files>> {
        let is_script = self.script.is_some();
        is_script.then(|| Box::new(files::RealFiles) as Box<dyn glowgrad_python::Files>)
    }

    #[cfg(feature = "python")]
    fn arguments(&self) -> Vec<String> {
        self.script.clone().unwrap_or_default()
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
    spawn_on("cpu", Others::default(), Options::default())
}

/// Starts a session on a device: `cpu`, or one of the others.
///
/// # Errors
/// When the system gives no thread, or `others` no such device.
pub fn spawn_on(device: &str, others: Others, options: Options) -> std::io::Result<Spawned> {
    #[cfg(not(feature = "python"))]
    let _ = options;
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
            let running = Rc::<Cell<u64>>::default();
            let platform = Native {
                others,
                #[cfg(feature = "python")]
                script: options.script,
                stop: flag,
                running: running.clone(),
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
            session.set_staging(options.stages);
            #[cfg(feature = "python")]
            if options.show_kernels {
                // A kernel is told by the notes that recording makes.
                session.engine().trace().set_recording(true);
                session.engine().watch_kernels(Some(crate::show::watcher()));
            }
            for command in inbox {
                running.set(running.get() + 1);
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
