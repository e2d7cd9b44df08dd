//! The program `glow`, for the steps that run it.
//!
//! It is built with the workspace's tests: another choice of packages would change the features that Cargo unifies,
//! and compile the Python virtual machine a second time.

use std::path::PathBuf;

use anyhow::Result;

use crate::lab::Lab;
use crate::step;

/// Builds `glow` and returns its path.
pub(crate) fn build(lab: &Lab) -> Result<PathBuf> {
    let mut build = step::cargo(&lab.root);
    build.args(["build", "--workspace", "--bins", "--tests", "--quiet"]);
    step::run(&mut build, "the compiler's message is above")?;
    Ok(lab
        .target
        .join(format!("debug/glow{}", std::env::consts::EXE_SUFFIX)))
}

/// Builds an example beside the same packages, and returns its path.
pub(crate) fn build_example(lab: &Lab, name: &str) -> Result<PathBuf> {
    let mut build = step::cargo(&lab.root);
    build.args(["build", "--workspace", "--bins", "--tests", "--quiet"]);
    build.args(["--example", name]);
    step::run(&mut build, "the compiler's message is above")?;
    Ok(lab.target.join(format!(
        "debug/examples/{name}{}",
        std::env::consts::EXE_SUFFIX
    )))
}
