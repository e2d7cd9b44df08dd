//! The check of a device as a page: the example `page` of `glowgrad-check`, compiled for wasm, bound to
//! JavaScript, and put where `tests/browser/every_op_on_webgpu.test.mjs` finds it.

use std::path::PathBuf;

use anyhow::Result;

use crate::bindgen;
use crate::lab::{self, Lab};
use crate::serve::Site;
use crate::step::{self, Outcome};
use crate::wasm::wasm_cargo;

/// The profile of the build with Python, which has compiled the GPU backend already.
const PROFILE: &str = "wasm";

fn folder(lab: &Lab) -> PathBuf {
    lab.work.join("device-check")
}

/// Serves the page; returns its address.
pub(crate) fn serve(lab: &Lab) -> Result<String> {
    Site::new(folder(lab), "/").start(Some(0))
}

/// Builds the page.
pub(crate) fn build(lab: &Lab) -> Result<Outcome> {
    let mut cargo = wasm_cargo(lab);
    cargo
        .args(["build", "--package", "glowgrad-check", "--example", "page"])
        .args(["--profile", PROFILE])
        .args(["--target", "wasm32-unknown-unknown", "--target-dir"])
        .arg(&lab.target);
    step::run(&mut cargo, "the compiler's message is above")?;
    let module = format!("wasm32-unknown-unknown/{PROFILE}/examples/page.wasm");
    let folder = folder(lab);
    bindgen::bind(lab, &lab.target.join(module), "check", &folder)?;
    let page = "<!doctype html><html lang=\"en\"><title>Device check</title><link rel=\"icon\" href=\"data:,\">";
    lab::write(&folder.join("index.html"), page.as_bytes())?;
    Ok(Outcome::Done)
}
