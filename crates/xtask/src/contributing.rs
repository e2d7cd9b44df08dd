//! The diffs of CONTRIBUTING: they apply to the sources as they are, and what they make of the engine compiles.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use crate::lab::{self, Lab};
use crate::step::{self, Outcome};

/// The texts of the blocks that are marked as diffs.
fn diffs(text: &str) -> Vec<&str> {
    let blocks = text.split("```diff\n").skip(1);
    blocks
        .filter_map(|block| Some(block.split_once("```\n")?.0))
        .collect()
}

/// Applies all diffs to a copy of the sources, and compiles the engine and its CPU kernels there.
pub(crate) fn check(lab: &Lab) -> Result<Outcome> {
    let copy = lab.work.join("contributing");
    let _ = fs::remove_dir_all(&copy);
    for part in [
        "crates",
        "shaders",
        "www",
        "Cargo.toml",
        "Cargo.lock",
        "rust-toolchain.toml",
    ] {
        let path = lab.path(part);
        let files = if path.is_dir() {
            lab::files_below(&path)?
        } else {
            vec![path]
        };
        for file in files {
            let bytes =
                fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let name = file.strip_prefix(&lab.root).unwrap_or(&file);
            lab::write(&copy.join(name), &bytes)?;
        }
    }
    let text =
        fs::read_to_string(lab.path("CONTRIBUTING.md")).context("CONTRIBUTING.md is missing")?;
    let diffs = diffs(&text);
    if diffs.is_empty() {
        bail!("CONTRIBUTING.md has no diff");
    }
    for diff in &diffs {
        apply(&copy, diff)?;
    }
    let mut cargo = step::cargo(&copy);
    cargo.args([
        "check",
        "--quiet",
        "--package",
        "glowgrad-tensor",
        "--package",
        "glowgrad-cpu",
    ]);
    cargo.arg("--target-dir").arg(&lab.target);
    step::run(
        &mut cargo,
        "CONTRIBUTING.md shows a change that does not compile any more",
    )?;
    Ok(Outcome::Note(format!("{} diffs", diffs.len())))
}

fn apply(root: &Path, diff: &str) -> Result<()> {
    let mut git = step::command("git", root);
    git.args(["apply", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped());
    // Below a repository, and not a part of it: else git would leave all files alone.
    git.env("GIT_CEILING_DIRECTORIES", root.parent().unwrap_or(root));
    let mut child = git.spawn().context("cannot start git")?;
    if let Some(mut input) = child.stdin.take() {
        input
            .write_all(diff.as_bytes())
            .context("git does not read the diff")?;
    }
    let output = child.wait_with_output().context("git does not end")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{said}\nof the diff of CONTRIBUTING.md\n{diff}");
    }
    Ok(())
}
