//! The reference, as `glow reference` writes it to a file and the page reads it. No event carries it.

use serde::{Deserialize, Serialize};

/// Every public name, by family: what Python defines first, then the ops.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
pub struct Reference {
    pub families: Vec<OpFamily>,
    /// Names that are neither called nor read of a tensor: `float32`, `pi`.
    pub values: Vec<String>,
}

/// A page of the reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
pub struct OpFamily {
    pub slug: String,
    pub title: String,
    pub ops: Vec<OpEntry>,
}

/// What an entry of the reference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum EntryKind {
    /// An op of the engine's registry.
    Op,
    Class,
    Function,
    Property,
}

/// An op, or a name that Python's side defines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
pub struct OpEntry {
    pub kind: EntryKind,
    /// As in PyTorch: `softmax`, `nn.Linear`, `Tensor.item`.
    pub name: String,
    /// Where it is found under the last part of its name: `torch`, `F`, `Tensor`, `nn`, `Module`.
    pub places: Vec<String>,
    /// `softmax(input, dim)`.
    pub signature: String,
    /// Other names for it, such as `absolute` for `abs`.
    pub aliases: Vec<String>,
    /// One sentence.
    pub doc: String,
    /// Plain text such as `y = tanh a`; empty where it has none.
    pub formula: String,
    pub gradients: Vec<OpGradient>,
    /// `TanhBackward0`; none where there is no gradient to track.
    pub grad_fn: Option<String>,
    /// Why it has no gradient; none where it has one.
    pub not_differentiable: Option<String>,
    /// Callable on a tensor: `x.tanh()`.
    pub method: bool,
    /// Has a twin that writes into its tensor: `x.tanh_()`.
    pub in_place: bool,
    /// `(2, 3), (3) → (2, 3)`.
    pub shapes: Vec<String>,
    pub dtypes: Vec<OpDtypes>,
    pub dtypes_refused: Vec<String>,
    /// The imports that the example takes for granted, a line each.
    pub imports: String,
    /// Python.
    pub example: String,
    /// What the example prints.
    pub output: String,
    pub backends: Vec<String>,
}

/// How the gradient reaches an operand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
pub struct OpGradient {
    /// The operand as the signature calls it.
    pub operand: String,
    /// Plain text such as `gy · (1 − y²)`; `gy` is the gradient that arrives at the result.
    pub rule: String,
}

/// The dtype of a result, by that of the operands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
pub struct OpDtypes {
    pub from: String,
    pub to: String,
}
