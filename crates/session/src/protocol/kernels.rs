//! What a cell had the engine compute, as the Kernels instrument shows it. A part of the protocol; see there.

use serde::{Deserialize, Serialize};

/// What the engine computed for the last cell: the kernels of the current step that it scheduled.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct KernelList {
    /// Whether fusion was on when they were scheduled.
    pub fusion: bool,
    /// How many more there were: a step keeps the newest.
    pub dropped: u32,
    pub kernels: Vec<KernelInfo>,
}

/// A kernel or routine: what it computes, why it ends where it ends, what it moves, and its source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct KernelInfo {
    /// In the order in which they ran.
    pub number: u32,
    /// `fused`, `reduce`, or the routine's name.
    pub name: String,
    /// What it computes, in order; the one whose value is stored comes last.
    pub nodes: Vec<KernelNode>,
    /// Why the result is stored, the reason that says most first.
    pub reasons: Vec<KernelReason>,
    pub bytes_read: f64,
    pub bytes_written: f64,
    /// Whether it copies or fills for the forward pass, and computes nothing.
    pub moves: bool,
    /// How long it took, if the clock told.
    pub nanos: Option<f64>,
    /// Over how many runs that is a mean: 1 where it is the run itself.
    pub runs: u32,
    /// Of the result.
    pub shape: Vec<usize>,
    pub dtype: String,
    /// In each language that it is printed in, pseudo-code first.
    pub sources: Vec<KernelSource>,
}

/// A kernel in one language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct KernelSource {
    /// `Pseudo-code`, `WGSL`, `CUDA C` or `MSL`.
    pub language: String,
    /// What a comment begins with.
    pub comment: String,
    /// Empty where there are none.
    pub lines: Vec<SourceLine>,
    /// Why there are none.
    pub missing: Option<String>,
}

/// What a kernel computes for one node on stage, or for one that is not on stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct KernelNode {
    /// The node on stage.
    pub node: Option<u32>,
    /// What is written on it: `tanh`.
    pub symbol: String,
    /// The variable that holds it.
    pub name: Option<String>,
    /// Whether it is a part of the node's gradient.
    pub backward: bool,
    /// How many steps of the engine it is.
    pub steps: u32,
}

/// Why a result is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct KernelReason {
    /// In a word or two: `reduction`.
    pub label: String,
    /// As a sentence.
    pub text: String,
}

/// A line of printed source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SourceLine {
    pub text: String,
    /// The nodes on stage that it comes from.
    pub nodes: Vec<u32>,
}
