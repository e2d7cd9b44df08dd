//! `glow gpu-check`: what `glowgrad-check` finds of a device, line by line, and in a file.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use glowgrad_check::device::Device;
use glowgrad_check::{Check, Part};

use crate::Ending;
use crate::engine::{CPU, CUDA, WGPU};
use crate::terminal::Terminal;

/// Checks a device, part by part; bad where something does not hold.
pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    device: &str,
    json: Option<&Path>,
) -> Result<Ending> {
    let device = match device {
        CPU => Device::cpu(),
        WGPU => Device::gpu(glowgrad::gpu::block_on)?,
        CUDA => Device::cuda()?,
        other => {
            bail!("unknown device {other:?}: `glow gpu-check` checks {WGPU}, {CUDA} and {CPU}")
        }
    };
    let mut check = Check::new(device, seconds);
    terminal.line(&check.report().device)?;
    for part in Part::all() {
        let told = check.report().failed.len();
        let done = check.run(part);
        terminal.line(&format!(
            "{:<40} {:>5} passed {:>3} failed {:>3} not checked {:>7.1} s",
            done.name, done.passed, done.failed, done.skipped, done.seconds
        ))?;
        // A check takes minutes, and one that is broken off has told what it found.
        for why in &check.report().failed[told..] {
            terminal.line(&format!("  {why}"))?;
        }
    }
    let report = check.report();
    terminal.line("")?;
    terminal.line(&report.summary())?;
    if let Some(file) = json {
        fs::write(file, serde_json::to_string_pretty(report)?)
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(match report.failed.is_empty() {
        true => Ending::Good,
        false => Ending::Bad,
    })
}

/// Since the first call.
pub(crate) fn seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}
