//! An ONNX model as a network of the studio: its nodes as layers and functions, its initializers as their weights.
//!
//! The model is run twice without computing anything, with other numbers for its open sizes, so that every shape is known
//! and what a size decides is told from what is fixed. Then it is read from its outputs: groups of nodes that are one layer
//! (`patterns.rs`), such as GELU or attention, and otherwise one node after the other (`functions.rs`, `layers.rs`).
//!
//! Invariant: a network computes what the model computes, or the nodes without a picture are named. Blocks that repeat
//! are not looked for. A model that the studio wrote has its document beside the graph, which is taken instead
//! (`written.rs`).

mod attention;
mod drawing;
mod functions;
mod layers;
mod parts;
mod patterns;
mod pooling;
mod recurrent;
mod seen;
mod written;

use glowgrad::{Error, Result, Tensor};
use glowgrad_architecture::Architecture;

use drawing::Drawing;
use seen::Seen;

/// A network, and its weights by the names of its `state_dict()`.
#[derive(Debug)]
pub struct Drawn {
    /// The network.
    pub net: Architecture,
    /// What is trained, and running statistics.
    pub weights: Vec<(String, Tensor)>,
}

impl Drawn {
    /// Reads a model.
    ///
    /// # Errors
    /// For bytes that are no model, inputs that a network does not take, and nodes that have no picture: all of them are
    /// named.
    pub fn read(bytes: &[u8]) -> Result<Drawn> {
        let resolved = crate::model::resolve(bytes)?;
        let engine = glowgrad::cpu();
        engine.set_grad_enabled(false);
        if let Some(drawn) = written::written(&engine, bytes, &resolved.proto)? {
            return Ok(drawn);
        }
        let seen = Seen::of(&engine, &resolved)?;
        let mut drawing = Drawing::new(&seen);
        drawing.draw()?;
        let name = resolved
            .proto
            .graph
            .as_ref()
            .map_or("", |graph| graph.name());
        drawing.finished(name)
    }
}

/// What is said of nodes without a picture.
fn refused(each: &[String]) -> Error {
    const MOST: usize = 6;
    let mut text = each
        .iter()
        .take(MOST)
        .cloned()
        .collect::<Vec<_>>()
        .join("; ");
    if each.len() > MOST {
        text.push_str(&format!("; and {} more", each.len() - MOST));
    }
    let nodes = match each.len() {
        1 => "1 node of the model has".to_owned(),
        n => format!("{n} nodes of the model have"),
    };
    Error::not_implemented(format!(
        "{nodes} no picture in the studio: {text}. The model runs with glow onnx run and torch.onnx.load"
    ))
}
