//! The steps of a run.

use serde::{Deserialize, Serialize};

/// What a step of a run came to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct StepPoint {
    /// Which step of the run, counted from 1.
    pub step: u32,
    /// The number on which `backward()` was called; none where it was a larger tensor.
    pub loss: Option<f64>,
    /// The Euclidean norm of all the gradients that leaves got; none on a GPU, and in a step that ran by itself.
    pub gradient: Option<f64>,
}

/// Which steps of a run can be opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct RunSteps {
    /// How many steps the run had.
    pub steps: u32,
    /// Those that are kept, in order.
    pub kept: Vec<KeptStep>,
    /// Every how many steps one was kept.
    pub every: u32,
    /// Bytes that they hold, and at most.
    pub bytes: f64,
    pub budget: f64,
}

/// A step that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct KeptStep {
    pub step: u32,
    pub reason: KeptReason,
}

/// Why a step is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum KeptReason {
    First,
    Last,
    /// At an even distance from the others.
    Spaced,
    /// The loss or the gradient's norm changed as it had not before.
    Jump,
}

/// A node in a step of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct NodePoint {
    pub step: u32,
    /// Norm of its value; none where it is not there and would take long to compute.
    pub value: Option<f64>,
    /// Norm of its gradient; none where none came.
    pub gradient: Option<f64>,
}
