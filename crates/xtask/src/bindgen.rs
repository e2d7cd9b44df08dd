//! wasm-bindgen's programs: the one that binds a module to JavaScript, and the runner of wasm tests. Both are installed
//! below `target/` in the version that fits the library, so that they are compiled once and apart from this tool.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::lab::Lab;
use crate::step::{self, Outcome};

/// The version that the crate and the programs share.
pub(crate) const VERSION: &str = "0.2.130";

/// What goes through a module's bytes: the rest of the programs runs for milliseconds.
const READS_MODULES: [&str; 4] = [
    "walrus",
    "wasm-bindgen-cli-support",
    "wasm-encoder",
    "wasmparser",
];

const BIND: &str = "wasm-bindgen";
const TEST_RUNNER: &str = "wasm-bindgen-test-runner";

/// Installs the programs, unless they are there.
pub(crate) fn install(lab: &Lab) -> Result<Outcome> {
    let is_there = |name: &str| {
        let version = step::capture(Command::new(program(lab, name)).arg("--version"));
        version.is_some_and(|text| text.contains(VERSION))
    };
    if is_there(BIND) && is_there(TEST_RUNNER) {
        return Ok(Outcome::Unchanged);
    }
    let folder = lab.tools();
    println!(
        "  installing wasm-bindgen-cli {VERSION} to {}: a minute or two, once",
        folder.display()
    );
    let mut cargo = step::cargo(&lab.root);
    cargo.args(["install", "wasm-bindgen-cli", "--version", VERSION]);
    // A browser is driven over plain HTTP, without TLS.
    cargo.args(["--no-default-features", "--debug"]);
    cargo.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0");
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "false");
    for package in READS_MODULES {
        let optimised = format!("profile.dev.package.{package}.opt-level=1");
        cargo.args(["--config", &optimised]);
    }
    cargo.args(["--bin", BIND, "--bin", TEST_RUNNER, "--root"]);
    cargo.arg(&folder).arg("--target-dir");
    cargo.arg(folder.join("build"));
    cargo.env_remove("RUSTFLAGS");
    step::run(&mut cargo, "check the network and run this again")?;
    Ok(Outcome::Note(format!(
        "installed wasm-bindgen-cli {VERSION}"
    )))
}

/// Writes a module and its JavaScript into a folder, which holds nothing else then; `name` begins the files' names.
pub(crate) fn bind(lab: &Lab, module: &Path, name: &str, folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    let mut bind = step::command(program(lab, BIND), &lab.root);
    bind.args(["--target", "web", "--out-name", name, "--out-dir"]);
    bind.arg(folder).arg(module);
    step::run(&mut bind, "wasm-bindgen says above what it cannot read")
}

/// The program that Cargo runs wasm tests with.
pub(crate) fn test_runner(lab: &Lab) -> PathBuf {
    program(lab, TEST_RUNNER)
}

fn program(lab: &Lab, name: &str) -> PathBuf {
    let file = format!("bin/{name}{}", std::env::consts::EXE_SUFFIX);
    lab.tools().join(file)
}
