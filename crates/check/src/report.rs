//! What a check found, as it is written to a file.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::bench::{StepCounts, Timing};

/// Everything that a check found.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// As the backend calls it: `wgpu (NAME, Vulkan)`.
    pub device: String,
    /// The driver and its version; empty where there is none.
    pub driver: String,
    /// The program's version.
    pub version: String,
    /// Cases, calls and steps of training that hold.
    pub passed: usize,
    /// What does not hold, in words.
    pub failed: Vec<String>,
    /// What is not checked: reason, and how often.
    pub skipped: BTreeMap<String, usize>,
    /// What holds only as well as the device promises (see the table of tolerances).
    pub loose: Vec<String>,
    /// What ran on the CPU instead, by reason.
    pub fallbacks: BTreeMap<String, Fallback>,
    /// Shaders that ran.
    pub dispatches: usize,
    /// Shaders that were compiled.
    pub pipelines: usize,
    /// Training beside the CPU.
    pub training: Vec<Training>,
    /// Times beside the CPU's.
    pub bench: Vec<Timing>,
    /// What a step of training asks of the device.
    pub step: Option<StepCounts>,
    /// Part by part, in the order in which they ran.
    pub parts: Vec<PartReport>,
    /// Of all parts.
    pub seconds: f64,
}

/// Tasks that ran on the CPU for one reason.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Fallback {
    /// How many.
    pub tasks: usize,
    /// The ops they were for.
    pub ops: BTreeSet<String>,
}

/// A network that was trained on the device and on the CPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Training {
    /// Which network.
    pub name: String,
    /// Steps of both.
    pub steps: usize,
    /// The loss before the first step, and before the last one.
    pub loss: [f64; 2],
    /// The largest difference of the losses, as a part of the CPU's.
    pub largest_difference: f64,
}

/// What came of one part.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PartReport {
    /// Which part.
    pub name: String,
    /// What holds in it.
    pub passed: usize,
    /// What does not.
    pub failed: usize,
    /// What is not checked.
    pub skipped: usize,
    /// How long it took.
    pub seconds: f64,
}

impl Report {
    /// The report in a few lines.
    pub fn summary(&self) -> String {
        let mut lines = vec![self.device.clone()];
        if !self.driver.is_empty() {
            lines.push(format!("driver {}", self.driver));
        }
        lines.push(format!(
            "{} passed, {} failed, {} not checked, {} by the device's own tolerance, {:.1} s",
            self.passed,
            self.failed.len(),
            self.skipped.values().sum::<usize>(),
            self.loose.len(),
            self.seconds
        ));
        lines.extend(self.failed.iter().map(|why| format!("  FAILED {why}")));
        let skipped = self.skipped.iter();
        lines.extend(skipped.map(|(why, n)| format!("  not checked, {n} times: {why}")));
        lines.extend(
            self.loose
                .iter()
                .map(|why| format!("  within its tolerance: {why}")),
        );
        if self.pipelines > 0 {
            lines.push(format!(
                "{} shaders compiled, {} runs of them; on the CPU instead:",
                self.pipelines, self.dispatches
            ));
        }
        for (why, fallback) in &self.fallbacks {
            let (tasks, n) = (fallback.tasks, fallback.ops.len());
            lines.push(format!("  {tasks} tasks of {n} ops: {why}"));
        }
        for Training {
            name,
            steps,
            loss,
            largest_difference,
        } in &self.training
        {
            let [first, last] = loss;
            lines.push(format!(
                "{name}: {steps} steps, loss {first:.4} to {last:.4}, within {largest_difference:.1e} of the CPU's"
            ));
        }
        for t in &self.bench {
            lines.push(format!(
                "{}: {:.4} {}, the CPU {:.4}: {:.2} times as fast",
                t.name, t.device, t.unit, t.cpu, t.times_cpu
            ));
        }
        if let Some(s) = &self.step {
            lines.push(format!(
                "a training step: {} submits and {} dispatches; one kernel an op: {} and {}",
                s.submits, s.dispatches, s.submits_unfused, s.dispatches_unfused
            ));
        }
        lines.join("\n")
    }
}
