//! How a graph is laid out.

use serde::{Deserialize, Serialize};

/// How a graph is laid out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Flow {
    pub direction: Direction,
    /// Room along the direction, in the units of a node's room: a longer graph is broken into rows. 0 is without bounds.
    pub row: f32,
}

impl Flow {
    /// A graph that runs down or to the right, in rows of this length.
    pub fn new(down: bool, row: f32) -> Self {
        let direction = if down {
            Direction::Down
        } else {
            Direction::Across
        };
        Self { direction, row }
    }
}

/// Where the edges of a graph lead.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum Direction {
    /// To the right.
    #[default]
    Across,
    Down,
}
