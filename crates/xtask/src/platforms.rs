//! Platforms that no test runs on: the engine and its GPU backends are compiled for them.
//!
//! Python and what sits on it want a C compiler for each, so they are left out.

use anyhow::Result;

use crate::lab::Lab;
use crate::prerequisites;
use crate::step::{self, Outcome};

const TARGETS: [&str; 3] = [
    "x86_64-pc-windows-msvc",
    "aarch64-apple-darwin",
    "aarch64-unknown-linux-gnu",
];

/// Type-checks the engine for each.
pub(crate) fn check(lab: &Lab) -> Result<Outcome> {
    for target in TARGETS {
        prerequisites::add_target(lab, target)?;
        let mut cargo = step::cargo(&lab.root);
        cargo.args(["check", "--quiet", "--target", target]);
        cargo.args(["--package", "glowgrad", "--package", "glowgrad-data"]);
        cargo.args(["--features", "glowgrad/gpu,glowgrad/cuda"]);
        step::run(&mut cargo, "rustc says above what does not compile there")?;
    }
    Ok(Outcome::Note(TARGETS.join(", ")))
}
