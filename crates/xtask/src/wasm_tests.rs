//! Tests in wasm: which crates have some, and what compiles and runs them.
//!
//! Invariant: the packages are those with a test file that says so, and the device check, whose page is built beside
//! them: Cargo chooses features for the packages that it is asked for, and each alone would have the engine compiled again.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::lab::{self, Lab};
use crate::wasm::wasm_cargo;

/// The profile of the build with Python, which has compiled a part of it already.
pub(crate) const PROFILE: &str = "wasm";

/// The package of the device check, and its example that is the page.
const DEVICE_CHECK: &str = "glowgrad-check";
pub(crate) const PAGE: &str = "page";

/// The line by which a test file says that it runs in wasm and nowhere else.
const WASM_ONLY: &str = "#![cfg(target_arch = \"wasm32\")]";

/// The command that compiles them, and the page of the device check.
pub(crate) fn build(lab: &Lab) -> Result<Command> {
    let mut cargo = command(lab, "build")?;
    cargo.args(["--example", PAGE]);
    Ok(cargo)
}

/// The command that runs them.
pub(crate) fn run(lab: &Lab) -> Result<Command> {
    command(lab, "test")
}

fn command(lab: &Lab, verb: &str) -> Result<Command> {
    let packages = packages(lab)?;
    if packages.is_empty() {
        bail!("no crate has a wasm test: a file of crates/*/tests/it that says `{WASM_ONLY}`");
    }
    let mut cargo = wasm_cargo(lab);
    cargo.args([verb, "--test", "it", "--package", DEVICE_CHECK]);
    for package in packages {
        cargo.args(["--package", &package]);
    }
    cargo.args(["--profile", PROFILE, "--target", "wasm32-unknown-unknown"]);
    cargo.arg("--target-dir").arg(&lab.target);
    Ok(cargo)
}

/// The packages that have a wasm test.
fn packages(lab: &Lab) -> Result<Vec<String>> {
    let mut packages = Vec::new();
    for folder in lab::children(&lab.path("crates"))? {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        let name = manifest
            .lines()
            .find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
        let tests = folder.join("tests/it");
        let (Some(name), true) = (name, tests.is_dir()) else {
            continue;
        };
        let is_for_wasm = |file: &PathBuf| {
            let text = fs::read_to_string(file).unwrap_or_default();
            text.contains(WASM_ONLY)
        };
        if lab::children(&tests)?.iter().any(is_for_wasm) {
            packages.push(name.to_owned());
        }
    }
    Ok(packages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::Scratch;

    #[test]
    fn wasm_tests_are_found_by_what_they_say() {
        let scratch = Scratch::new("wasm-tests");
        scratch.file(
            "crates/cpu/Cargo.toml",
            "[package]\nname = \"glowgrad-cpu\"\n",
        );
        scratch.file(
            "crates/cpu/tests/it/parity.rs",
            format!("//! It.\n{WASM_ONLY}\n"),
        );
        scratch.file(
            "crates/cpu/tests/it/golden.rs",
            "#![cfg(not(target_arch = \"wasm32\"))]",
        );
        scratch.file(
            "crates/data/Cargo.toml",
            "[package]\nname = \"glowgrad-data\"\n",
        );
        let lab = Lab {
            root: scratch.0.clone(),
            target: scratch.0.clone(),
            work: scratch.0.clone(),
        };
        assert_eq!(packages(&lab).unwrap(), ["glowgrad-cpu".to_owned()]);
    }
}
