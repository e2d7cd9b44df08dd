//! Tensors made ready to be drawn. A part of the protocol; see there.

use serde::{Deserialize, Serialize};

/// A tensor made ready to be drawn. Sizes are bounded before it is sent: 512 bars, 256 rows and
/// columns (of a larger tensor every k-th), 32 figures a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Figure {
    pub kind: FigureKind,
    /// Its place among the figures of its run; a later one of the same place replaces it.
    pub place: u32,
    /// What the learner called it, or the variable; may be empty.
    pub name: String,
    /// How often it was drawn in this run.
    pub drawn: u32,
    /// Of the tensor.
    pub shape: Vec<usize>,
    pub dtype: String,
    /// Channels, rows and columns of `values`; a histogram has one row, of counts.
    pub size: [usize; 3],
    /// Of how many rows and columns of the tensor one is here.
    pub every: u32,
    pub values: Vec<f64>,
    /// A histogram's edges; what is black and what is white in an image; the least and the greatest
    /// number of a heat-map.
    pub low: f64,
    pub high: f64,
    /// Of the tensor's finite numbers; NaN when it has none.
    pub mean: f64,
    /// How many of the tensor's numbers are NaN.
    pub nan: u32,
    /// How many lie below `low` or above `high`; infinite ones do.
    pub outside: u32,
}

/// What Matplotlib's names drew: a figure as JSON text, which the page reads. At most 32 a run, of 8 MB each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
pub struct Chart {
    /// Its place among the charts of its run; a later one of the same place replaces it.
    pub place: u32,
    pub text: String,
}

/// What a tensor is drawn as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum FigureKind {
    Histogram,
    Image,
    Heatmap,
}
