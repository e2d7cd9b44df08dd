//! Where tensors lie, as the Memory instrument shows it. A part of the protocol; see there.

use serde::{Deserialize, Serialize};

/// Where tensors lie: views of buffers, and the bytes of the step on stage over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct MemoryMap {
    /// Variables first, in the order of the namespace, each followed by its `.grad`; then what the
    /// graph on stage holds besides.
    pub views: Vec<MemoryView>,
    pub buffers: Vec<MemoryBuffer>,
    /// How many tensors were left out, because there are too many.
    pub left_out: u32,
    pub usage: MemoryUsage,
}

/// A tensor as a view of a buffer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct MemoryView {
    /// The variable: `x`, `model.0.weight`, `w.grad`; none for a value that only the graph holds.
    pub name: Option<String>,
    /// The node of the graph on stage.
    pub node: Option<u32>,
    /// Position in `MemoryMap::buffers`.
    pub buffer: u32,
    pub shape: Vec<usize>,
    /// In elements, one a dimension.
    pub strides: Vec<isize>,
    /// In elements.
    pub offset: isize,
    pub dtype: String,
    pub cell: Option<String>,
    /// Line of the cell that made it, counted from 1.
    pub line: Option<u32>,
}

/// A row of bytes that tensors view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct MemoryBuffer {
    /// The engine's number; none while nothing is allocated for it.
    pub id: Option<f64>,
    pub dtype: String,
    /// Its length.
    pub bytes: f64,
    /// The first bytes, in base 64: at most 4,096. Empty where they were not read: of a value that
    /// is large and not computed yet, and beyond the first hundreds of buffers.
    pub head: String,
}

/// The bytes of the step on stage over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct MemoryUsage {
    /// Live bytes before the first point.
    pub before: f64,
    /// One for each buffer allocated or freed; of a long step the highest of each stretch.
    pub points: Vec<MemoryPoint>,
    /// Position of the highest point.
    pub peak: Option<u32>,
    /// What was alive at the peak, the largest first.
    pub alive: Vec<MemoryHolder>,
    /// Bytes that were alive at the peak and are not in `alive`: held since before the step and not
    /// by a variable, or too small for the list.
    pub others: f64,
    /// Events of the step that the trace no longer had.
    pub dropped: u32,
}

/// One moment of [`MemoryUsage`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct MemoryPoint {
    /// What was allocated, or with a minus freed.
    pub bytes: f64,
    /// For what: as `MemoryHolder::name`.
    pub name: String,
    pub node: Option<u32>,
    /// Bytes of live buffers then. It goes beyond what the points add up to where a picture of
    /// values was made in between.
    pub live: f64,
    /// Freed bytes that wait for reuse then; none where the backend keeps no pool.
    pub pooled: Option<f64>,
}

/// A buffer that was alive at the peak.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct MemoryHolder {
    /// The variable, `gradient of x`, or the op.
    pub name: String,
    pub node: Option<u32>,
    pub shape: Vec<usize>,
    pub dtype: String,
    pub bytes: f64,
    pub cell: Option<String>,
    pub line: Option<u32>,
}
