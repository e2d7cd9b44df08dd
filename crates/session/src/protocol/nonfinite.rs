//! What of a step's numbers is NaN or infinite.

use serde::{Deserialize, Serialize};

/// Where a step's numbers first went wrong, and which infinities are meant.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct NonFinite {
    /// The first NaN and the first infinity that is not meant, of values and of gradients, in the order of the
    /// trace.
    pub findings: Vec<Finding>,
    /// Values whose infinities are meant, such as those of a mask.
    pub meant: Vec<u32>,
}

/// What a number is that is not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum NonFiniteKind {
    Nan,
    Inf,
    MinusInf,
}

/// The first number of its kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    pub kind: NonFiniteKind,
    /// Whether a gradient rule made it, on the way back.
    pub backward: bool,
    /// The node whose op or rule made it.
    pub node: u32,
    /// The event that made it, by its place in `StageGraph::events`.
    pub event: u32,
    /// The index of the element; empty for a single number, none where the numbers could not be read.
    pub element: Option<Vec<usize>>,
    /// The op, the element and what it was made from: `log: element [2] is NaN: log(−1)`.
    pub text: String,
    /// The values that made it.
    pub made: Vec<Ingredient>,
}

/// A value that went into one that is not finite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Ingredient {
    /// As the rules call it, such as `gy` or `a`.
    pub letter: String,
    /// Its variable; empty where it has none.
    pub title: String,
    /// Its number at the element, or what it holds as a whole.
    pub text: String,
}
