//! The engine behind `glow`: a session of this computer, stopped by Ctrl-C.
//!
//! The one file that knows how a session is started, and a device opened by its name. One session computes at a time, so Ctrl-C
//! always means the newest.

use std::sync::OnceLock;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use glowgrad::cuda::{self, CudaBackend};
use glowgrad::gpu::{self, GpuBackend};
use glowgrad::{Backend, CpuBackend};
use glowgrad_session::protocol::{Command, DeviceInfo, Event};
use glowgrad_session::{Options, Others, Spawned, spawn_on};

use crate::interrupt;
use crate::lab::Lab;

/// The device that is always there.
pub(crate) const CPU: &str = "cpu";

/// The best adapter that Vulkan, Metal or DX12 has.
pub(crate) const WGPU: &str = "wgpu";

/// The first NVIDIA GPU.
pub(crate) const CUDA: &str = "cuda";

/// Whether every kernel is to be shown: `GLOW_DEBUG=1`.
pub(crate) fn is_debug() -> bool {
    std::env::var_os("GLOW_DEBUG").is_some_and(|value| value == "1")
}

/// Starts a session that computes on a device. With `GLOW_DEBUG=1` it shows its kernels.
pub(crate) fn open(device: &str) -> Result<Box<dyn Lab>> {
    let options = Options {
        show_kernels: is_debug(),
        ..Options::default()
    };
    open_with(device, options)
}

/// Starts a session that computes on a device and stages, or prints, what it is told to.
pub(crate) fn open_with(device: &str, options: Options) -> Result<Box<dyn Lab>> {
    check(device)?;
    let others = Others {
        open: open_device,
        ..Others::default()
    };
    let session = spawn_on(device, others, options)?;
    Ok(Engine::boxed(session, None))
}

/// Starts a session in which a command that takes longer is stopped.
pub(crate) fn open_limited(limit: Duration) -> Result<Box<dyn Lab>> {
    let session = spawn_on(CPU, Others::default(), Options::default())?;
    Ok(Engine::boxed(session, Some(limit)))
}

/// A session for a page, which offers every device in a menu.
pub(crate) fn open_for_page() -> std::io::Result<Spawned> {
    let others = Others {
        open: open_device,
        offered,
    };
    spawn_on(CPU, others, Options::default())
}

/// What this computer has besides the processor, once it is known.
static FOUND: OnceLock<Vec<DeviceInfo>> = OnceLock::new();

/// Takes what another process has found: looking loads every driver.
pub(crate) fn have_found(devices: Vec<DeviceInfo>) {
    // What this process has found itself stays.
    let _ = FOUND.set(devices);
}

/// What this computer has besides the processor; looked for once.
fn offered() -> Vec<DeviceInfo> {
    let look = || {
        let adapter = gpu::adapters(gpu::block_on).into_iter().next();
        let wgpu = adapter.map(|adapter| DeviceInfo {
            name: WGPU.to_owned(),
            label: format!("{WGPU} ({}, {})", adapter.name, adapter.api),
            note: adapter.is_software.then(|| SOFTWARE.to_owned()),
        });
        let cuda = cuda::devices().into_iter().next();
        let cuda = cuda.map(|device| DeviceInfo {
            name: CUDA.to_owned(),
            label: format!("{CUDA} ({})", device.name),
            note: None,
        });
        wgpu.into_iter().chain(cuda).collect()
    };
    FOUND.get_or_init(look).clone()
}

/// What is to know of an adapter that is none.
pub(crate) const SOFTWARE: &str = "a program on the processor: slower than cpu";

fn check(device: &str) -> Result<()> {
    if ![CPU, WGPU, CUDA].contains(&device) {
        bail!(
            "unknown device {device:?}: this build computes on {CPU}, {WGPU} and {CUDA} (see `glow devices`)"
        );
    }
    Ok(())
}

/// A device without a session.
pub(crate) fn backend(device: &str) -> Result<Box<dyn Backend>> {
    check(device)?;
    match open_device(device) {
        Some(opened) => Ok(opened?),
        None => Ok(Box::new(CpuBackend::new())),
    }
}

/// Opens what a session of this computer can compute on besides the processor.
fn open_device(kind: &str) -> Option<glowgrad::Result<Box<dyn Backend>>> {
    match kind {
        WGPU => Some(GpuBackend::open(gpu::block_on).map(|backend| Box::new(backend) as _)),
        CUDA => Some(CudaBackend::open().map(|backend| Box::new(backend) as _)),
        _ => None,
    }
}

struct Engine {
    session: Spawned,
    /// The longest that a command may take.
    limit: Option<Duration>,
    /// When the newest command was sent.
    began: Instant,
}

impl Engine {
    /// A session that Ctrl-C stops.
    fn boxed(session: Spawned, limit: Option<Duration>) -> Box<dyn Lab> {
        interrupt::stops(session.stop.clone());
        Box::new(Engine {
            session,
            limit,
            began: Instant::now(),
        })
    }
}

impl Lab for Engine {
    fn send(&mut self, command: Command) -> Result<()> {
        self.began = Instant::now();
        if self.session.send(command) {
            Ok(())
        } else {
            Err(gone())
        }
    }

    fn next(&mut self) -> Result<Event> {
        let Some(limit) = self.limit else {
            return self.session.events.recv().map_err(|_| gone());
        };
        let left = limit.saturating_sub(self.began.elapsed());
        match self.session.events.recv_timeout(left) {
            Ok(event) => Ok(event),
            Err(RecvTimeoutError::Disconnected) => Err(gone()),
            Err(RecvTimeoutError::Timeout) => {
                self.session.stop.stop();
                let stopped = self.session.events.recv_timeout(STOPS);
                stopped.map_err(|_| anyhow!("the code did not stop after {limit:?}"))
            }
        }
    }
}

/// How long a command may take to stop: several times what any operation takes.
const STOPS: Duration = Duration::from_secs(10);

fn gone() -> anyhow::Error {
    anyhow!("the engine has ended unexpectedly")
}
