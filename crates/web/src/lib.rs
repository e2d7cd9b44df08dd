//! A session behind a Worker, through wasm-bindgen: the only crate that knows JS.
//!
//! `start` makes the session of this instance; `handle` runs a command and may suspend (JSPI), so
//! that the worker's messages arrive while Python runs; `handle_sync` is for browsers that cannot
//! suspend; `stop` sets a flag and nothing else, so it may be called while `handle` is suspended.
//! A panic leaves the instance unusable: the worker then reports failure and is replaced.

#![cfg(target_arch = "wasm32")]

#[cfg(feature = "python")]
mod functions;
#[cfg(feature = "python")]
mod precompile;

use std::cell::{Cell, RefCell};
#[cfg(feature = "python")]
use std::pin::Pin;
use std::rc::Rc;

#[cfg(feature = "python")]
use glowgrad::{gpu::GpuBackend, graph::Opened};
#[cfg(feature = "python")]
use glowgrad_session::protocol::DeviceInfo;
use glowgrad_session::protocol::{Command, Event};
use glowgrad_session::{Platform, Session};
use js_sys::{Function, Promise, Reflect};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use web_sys::{MessageChannel, Performance};

/// How long Python may run before it yields, in milliseconds: Stop must arrive within 300.
const YIELD_MILLIS: f64 = 50.0;

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
    static STOP: Cell<bool> = const { Cell::new(false) };
    static PERFORMANCE: Option<Performance> = performance();
}

/// How many instructions of a kernel's body are interpreted before it is compiled: about half a millisecond of work.
#[cfg(feature = "python")]
const LEAST_WORK: usize = 1 << 20;

fn performance() -> Option<Performance> {
    Reflect::get(&js_sys::global(), &"performance".into())
        .ok()?
        .dyn_into()
        .ok()
}

/// Milliseconds on a clock that does not go back.
fn now() -> f64 {
    PERFORMANCE.with(|p| p.as_ref().map_or_else(js_sys::Date::now, Performance::now))
}

/// Makes the session. `emit` gets every event; `can_suspend` says whether the browser has JSPI; `library` gives the text
/// of Python's library at once, or throws; `codec` answers a request with a file's bytes by `{text, bytes}`, or throws.
#[wasm_bindgen]
pub fn start(emit: Function, can_suspend: bool, library: Function, codec: Function) {
    console_error_panic_hook::set_once();
    #[cfg(feature = "python")]
    {
        functions::add_relaxed();
        functions::compile_kernels(Some(LEAST_WORK));
    }
    // `None` is null, as the TypeScript types say.
    let serializer = serde_wasm_bindgen::Serializer::new().serialize_missing_as_null(true);
    let emit = move |event: Event| {
        if let Ok(value) = event.serialize(&serializer) {
            // What the page's handler throws is its own affair.
            let _ = emit.call1(&JsValue::NULL, &value);
        }
    };
    let platform = Rc::new(Page {
        epoch_millis: js_sys::Date::now() - now(),
        yielded: Cell::new(now()),
        suspends: Cell::new(false),
        can_suspend,
        #[cfg(feature = "python")]
        library,
        #[cfg(feature = "python")]
        codec,
    });
    #[cfg(not(feature = "python"))]
    drop((library, codec));
    PAGE.with(|page| *page.borrow_mut() = Some(platform.clone()));
    let session = Session::new(platform, Rc::new(emit));
    SESSION.with(|slot| *slot.borrow_mut() = Some(session));
}

thread_local! {
    static PAGE: RefCell<Option<Rc<Page>>> = const { RefCell::new(None) };
}

#[allow(
    deprecated,
    reason = "JSPI is experimental in wasm-bindgen; nothing else lets Stop in"
)]
mod suspending {
    use super::{JsError, JsValue, run, wasm_bindgen};

    /// Runs a command to its end; suspends now and then while Python runs.
    #[wasm_bindgen(jspi)]
    pub fn handle(command: JsValue) -> Result<(), JsError> {
        run(command, true)
    }
}

pub use suspending::handle;

/// Runs a command to its end without suspending.
#[wasm_bindgen]
pub fn handle_sync(command: JsValue) -> Result<(), JsError> {
    run(command, false)
}

/// Stops the running command.
#[wasm_bindgen]
pub fn stop() {
    STOP.with(|stop| stop.set(true));
}

fn run(command: JsValue, suspends: bool) -> Result<(), JsError> {
    let command: Command = serde_wasm_bindgen::from_value(command)
        .map_err(|error| JsError::new(&format!("not a command: {error}")))?;
    SESSION.with(|slot| {
        let mut slot = slot
            .try_borrow_mut()
            .map_err(|_| JsError::new("a command is running; wait for its Done"))?;
        let session = slot
            .as_mut()
            .ok_or_else(|| JsError::new("call start first"))?;
        STOP.with(|stop| stop.set(false));
        PAGE.with(|page| {
            if let Some(page) = &*page.borrow() {
                page.suspends.set(suspends);
                page.yielded.set(now());
            }
        });
        session.handle(command);
        Ok(())
    })
}

#[cfg(feature = "python")]
const NO_JSPI: &str = "webgpu: this browser cannot wait for the GPU while Python runs (it has no JSPI); computing on the cpu";

/// Suspends until a future has ended. Only inside `handle`.
#[cfg(feature = "python")]
fn block_on(future: Pin<Box<dyn Future<Output = ()>>>) {
    let promise = wasm_bindgen_futures::future_to_promise(async move {
        future.await;
        Ok(JsValue::UNDEFINED)
    });
    let _ = suspend(&promise);
}

/// Suspends until a promise has settled.
#[allow(
    deprecated,
    reason = "JSPI is experimental in wasm-bindgen; nothing else lets Stop in"
)]
fn suspend(promise: &Promise) -> Result<JsValue, JsValue> {
    js_sys::futures::jspi_block_on_promise(promise)
}

/// The worker as a session sees it.
struct Page {
    epoch_millis: f64,
    yielded: Cell<f64>,
    suspends: Cell<bool>,
    #[cfg_attr(not(feature = "python"), allow(dead_code, reason = "cells alone ask"))]
    can_suspend: bool,
    #[cfg(feature = "python")]
    library: Function,
    #[cfg(feature = "python")]
    codec: Function,
}

impl Page {
    /// Lets the worker's other tasks run: a message to ourselves comes after those that wait.
    fn breathe(&self, wait_millis: f64) {
        let promise = Promise::new(&mut |resolve, _| {
            if wait_millis > 0.0 {
                set_timeout(&resolve, wait_millis);
            } else if let Ok(channel) = MessageChannel::new() {
                channel.port1().set_onmessage(Some(&resolve));
                let _ = channel.port2().post_message(&JsValue::NULL);
            } else {
                set_timeout(&resolve, 0.0);
            }
        });
        let _ = suspend(&promise);
        self.yielded.set(now());
    }
}

fn set_timeout(callback: &Function, millis: f64) {
    let global = js_sys::global();
    let timer = Reflect::get(&global, &"setTimeout".into())
        .ok()
        .and_then(|t| t.dyn_into::<Function>().ok());
    if let Some(timer) = timer {
        let _ = timer.call2(&global, callback, &millis.into());
    }
}

/// What a thrown value says.
#[cfg(feature = "python")]
fn message(error: JsValue) -> String {
    let message = Reflect::get(&error, &"message".into()).ok();
    let message = message.and_then(|message| message.as_string());
    message.unwrap_or_else(|| "it could not be fetched".to_owned())
}

impl Platform for Page {
    fn now_millis(&self) -> f64 {
        self.epoch_millis + now()
    }

    fn should_stop(&self) -> bool {
        if self.suspends.get() && now() - self.yielded.get() >= YIELD_MILLIS {
            self.breathe(0.0);
        }
        STOP.with(Cell::get)
    }

    fn sleep(&self, millis: f64) {
        let millis = millis.clamp(0.0, YIELD_MILLIS);
        if self.suspends.get() {
            self.breathe(millis);
            return;
        }
        let end = now() + millis;
        while now() < end {}
    }

    fn recursion_limit(&self) -> Option<usize> {
        // A suspending call runs on a stack of its own, larger than the worker's; what ends first
        // then is the stack in wasm memory, at some 650 plain calls.
        self.suspends.get().then_some(500)
    }

    #[cfg(feature = "python")]
    fn devices(&self) -> Vec<DeviceInfo> {
        let navigator = Reflect::get(&js_sys::global(), &"navigator".into());
        let gpu = navigator.and_then(|navigator| Reflect::get(&navigator, &"gpu".into()));
        if !gpu.is_ok_and(|gpu| gpu.is_object()) || !self.can_suspend {
            return Vec::new();
        }
        vec![DeviceInfo {
            name: "webgpu".to_owned(),
            label: "webgpu (this browser's GPU)".to_owned(),
            note: None,
        }]
    }

    #[cfg(feature = "python")]
    fn open_device(&self, kind: &str) -> Option<glowgrad::Result<Opened>> {
        if kind != "webgpu" {
            return None;
        }
        if !self.suspends.get() {
            return Some(Ok(Opened::Instead(NO_JSPI.to_owned())));
        }
        // A lesson goes on where a browser offers no GPU.
        Some(Ok(match GpuBackend::open(block_on) {
            Ok(backend) => {
                backend.set_precompile(precompile::compile);
                Opened::Device(Box::new(backend))
            }
            Err(error) => Opened::Instead(format!("{}; computing on the cpu", error.message)),
        }))
    }

    #[cfg(feature = "python")]
    fn library(&self) -> Result<&'static str, String> {
        let text = self.library.call0(&JsValue::NULL).map_err(message)?;
        let text = text.as_string().ok_or("the answer is no text")?;
        // One for each worker, which ends with its session.
        Ok(Box::leak(text.into_boxed_str()))
    }

    #[cfg(feature = "python")]
    fn codec(&self, request: &str, bytes: &[u8]) -> Result<(String, Vec<u8>), String> {
        let answer = self.codec.call2(
            &JsValue::NULL,
            &request.into(),
            &js_sys::Uint8Array::from(bytes),
        );
        let answer = answer.map_err(message)?;
        let part = |name: &str| Reflect::get(&answer, &name.into()).map_err(message);
        let text = part("text")?.as_string().ok_or("the answer is no text")?;
        Ok((text, js_sys::Uint8Array::new(&part("bytes")?).to_vec()))
    }

    fn clock(&self) -> Option<fn() -> u64> {
        Some(|| (now() * 1e6) as u64)
    }
}
