//! The measures of a drawn graph, as the page's stage and the picture of `glow graph` draw it. In the units
//! of `GraphNode::x`.

use crate::constants::shared;

shared! {
    "drawing.ts":
    /// Advance of one character of the mono face at size 1.
    ADVANCE: f32 = 0.6;
    /// Of the text in a node.
    SYMBOL_SIZE: f32 = 14.0;
    /// Of the texts around a node.
    LABEL_SIZE: f32 = 11.0;
    /// Of a leaf's circle; the hexagon of a parameter is wider by `EMPHASIS`.
    LEAF_RADIUS: f32 = 18.0;
    /// Of an op's pill; the loss's is higher by `EMPHASIS`.
    PILL_HALF_HEIGHT: f32 = 17.0;
    /// Between an op's symbol and either end of its pill.
    PILL_PADDING: f32 = 13.0;
    /// What parameters and the loss are larger by.
    EMPHASIS: f32 = 3.0;
    /// Letters of the longest name that is written inside a leaf.
    LONGEST_INSIDE: usize = 3;
    /// How far an edge keeps the graph's direction, as a part of the distance to its next point.
    REACH: f32 = 0.48;
    /// The least of it.
    SHORTEST_REACH: f32 = 14.0;
    /// Between the ports of two operands, where there is room.
    PORT_GAP: f32 = 13.0;
    /// Of a pill's height, what ports leave free.
    PORT_MARGIN: f32 = 10.0;
}
