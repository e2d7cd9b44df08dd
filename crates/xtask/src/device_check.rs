//! The check of a device as a page: the example `page` of `glowgrad-check`, compiled for wasm, bound to
//! JavaScript, and put where `tests/browser/every_op_on_webgpu.test.mjs` finds it.

use std::path::PathBuf;

use anyhow::Result;

use crate::bindgen;
use crate::lab::{self, Lab};
use crate::serve::Site;
use crate::step::{self, Outcome};
use crate::wasm_tests::{self, PAGE};

fn folder(lab: &Lab) -> PathBuf {
    lab.work.join("device-check")
}

/// Serves the page; returns its address.
pub(crate) fn serve(lab: &Lab) -> Result<String> {
    Site::new(folder(lab), "/").start(Some(0))
}

/// Builds the page, and the wasm tests beside it.
pub(crate) fn build(lab: &Lab) -> Result<Outcome> {
    step::run(
        &mut wasm_tests::build(lab)?,
        "the compiler's message is above",
    )?;
    let module = format!(
        "wasm32-unknown-unknown/{}/examples/{PAGE}.wasm",
        wasm_tests::PROFILE
    );
    let folder = folder(lab);
    bindgen::bind(lab, &lab.target.join(module), "check", &folder)?;
    let page = "<!doctype html><html lang=\"en\"><title>Device check</title><link rel=\"icon\" href=\"data:,\">";
    lab::write(&folder.join("index.html"), page.as_bytes())?;
    Ok(Outcome::Done)
}
