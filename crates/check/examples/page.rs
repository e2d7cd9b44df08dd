//! The check in a page, on WebGPU: what `tests/browser/every_op_on_webgpu.test.mjs` calls, through wasm-bindgen.
//! `open` and `run` wait for the device by suspending (JSPI).

#![cfg(target_arch = "wasm32")]

use std::cell::RefCell;
use std::pin::Pin;

use glowgrad_check::device::Device;
use glowgrad_check::{Check, Part};
use js_sys::Date;
use serde::Serialize;
use wasm_bindgen::prelude::*;

thread_local! {
    static CHECK: RefCell<Option<Check>> = const { RefCell::new(None) };
}

fn json(value: &impl Serialize) -> Result<String, JsError> {
    serde_json::to_string(value).map_err(|error| JsError::new(&error.to_string()))
}

/// Names of the parts that `run` takes by their place.
#[wasm_bindgen]
pub fn parts() -> Vec<String> {
    Part::all().into_iter().map(Part::name).collect()
}

/// What was found so far, as JSON.
#[wasm_bindgen]
pub fn report() -> Result<String, JsError> {
    with(|check| json(check.report()))
}

/// The same in a few lines.
#[wasm_bindgen]
pub fn summary() -> Result<String, JsError> {
    with(|check| Ok(check.report().summary()))
}

fn with<T>(work: impl FnOnce(&mut Check) -> Result<T, JsError>) -> Result<T, JsError> {
    CHECK.with(|slot| {
        let mut slot = slot
            .try_borrow_mut()
            .map_err(|_| JsError::new("a part is running; wait for it"))?;
        let check = slot.as_mut();
        work(check.ok_or_else(|| JsError::new("call open first"))?)
    })
}

/// Suspends until a future has ended.
#[allow(
    deprecated,
    reason = "JSPI is experimental in wasm-bindgen; nothing else can wait here"
)]
fn block_on(future: Pin<Box<dyn Future<Output = ()>>>) {
    let promise = wasm_bindgen_futures::future_to_promise(async move {
        future.await;
        Ok(JsValue::UNDEFINED)
    });
    let _ = js_sys::futures::jspi_block_on_promise(&promise);
}

#[allow(
    deprecated,
    reason = "JSPI is experimental in wasm-bindgen; nothing else can wait here"
)]
mod suspending {
    use super::*;

    /// Opens a device, `webgpu` or `cpu`; of an op's golden cases one in `step` is to run.
    #[wasm_bindgen(jspi)]
    pub fn open(device: &str, step: usize) -> Result<(), JsError> {
        console_error_panic_hook::set_once();
        let device = match device {
            "cpu" => Device::cpu(),
            _ => Device::gpu(block_on).map_err(|error| JsError::new(&error.message))?,
        };
        let check = Check::new(device, || Date::now() / 1e3).sampling(step);
        CHECK.with(|slot| *slot.borrow_mut() = Some(check));
        Ok(())
    }

    /// Runs a part; what came of it, as JSON.
    #[wasm_bindgen(jspi)]
    pub fn run(at: usize) -> Result<String, JsError> {
        let part = Part::all().get(at).copied();
        let part = part.ok_or_else(|| JsError::new("there are fewer parts"))?;
        with(|check| json(check.run(part)))
    }
}

pub use suspending::{open, run};
