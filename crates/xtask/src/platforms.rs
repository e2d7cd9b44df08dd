//! Platforms that no test runs on: the engine and its GPU backends are compiled for them.
//!
//! Python and what sits on it want a C compiler for each, so they are left out.

use anyhow::Result;

use crate::lab::Lab;
use crate::prerequisites;
use crate::step::{self, Outcome};

/// The second is 64-bit ARM too; what is Linux's own compiles wherever the tests run.
const TARGETS: [&str; 2] = ["x86_64-pc-windows-msvc", "aarch64-apple-darwin"];

/// Type-checks the engine for each.
pub(crate) fn check(lab: &Lab) -> Result<Outcome> {
    let mut cargo = step::cargo(&lab.root);
    cargo.args(["check", "--quiet"]);
    for target in TARGETS {
        prerequisites::add_target(lab, target)?;
        cargo.args(["--target", target]);
    }
    cargo.args(["--package", "glowgrad", "--package", "glowgrad-data"]);
    cargo.args(["--features", "glowgrad/gpu,glowgrad/cuda"]);
    step::run(&mut cargo, "rustc says above what does not compile there")?;
    Ok(Outcome::Note(TARGETS.join(", ")))
}
