//! The sentences about the events of a step, as the page's outline and `glow python --trace` write them.
//!
//! Invariant: what stands in braces is replaced by [`fill`] here and by `fill` of `www/src/stage/outline.ts`
//! there: `{title}` is a node's name, else its op; `{op}` is its op.

use crate::constants::shared;

shared! {
    "sentences.ts":
    /// Heading of the part of a step in which nodes are made.
    FORWARD: &str = "Forward";
    /// Heading of the part in which gradients flow.
    BACKWARD: &str = "Backward";
    /// Heading of the part in which leaves are written.
    UPDATE: &str = "Update";
    /// Before a sentence about a node that a line of the learner's made.
    LINE: &str = "Line {line}: ";
    /// Of a node that is not in the graph.
    MADE: &str = "{title} is made.";
    /// Of a node that a variable holds.
    MADE_BY: &str = "{title} is made by {op}.";
    /// Of a node that no variable holds.
    RUNS: &str = "{op} runs.";
    /// Of a call that ended the cell.
    REFUSED: &str = "{op} fails: {why}";
    /// The same in a module.
    REFUSED_IN: &str = "{op} fails in the module {title}: {why}";
    /// Of a parameter.
    WANTS_GRADIENT: &str = "{title}, a leaf that wants a gradient.";
    /// Of data.
    WANTS_NO_GRADIENT: &str = "{title}, data that wants no gradient.";
    /// Of the tensor on which `backward()` was called.
    BEGINS: &str = "backward() begins at {title}: the gradient of {title} by itself.";
    /// Of the local rule of a node that is not in the graph.
    RULE_RUNS: &str = "{title}: its local rule runs.";
    /// Of a local rule that sends nothing on.
    NO_OPERAND: &str = "{title}: no operand wants a gradient.";
    /// Of a second gradient.
    ACCUMULATES: &str = "{title} has a gradient already: this one is added to it (+=).";
    /// Of a leaf whose `.grad` was empty.
    GRAD_FILLED: &str = "{title}.grad is filled.";
    /// Of a leaf whose `.grad` was kept from an earlier `backward()`.
    GRAD_ADDED: &str = "{title}.grad held a gradient from before: this one is added to it.";
    /// Of the backward pass.
    ENDS: &str = "backward() has ended: every leaf it reached has its gradient.";
    /// Of an in-place write.
    WRITTEN: &str = "{title} is written in place.";
}

/// A sentence with its values in their places.
pub fn fill(sentence: &str, values: &[(&str, &str)]) -> String {
    let values: Vec<(&str, String)> = values
        .iter()
        .map(|&(name, value)| (name, value.to_owned()))
        .collect();
    crate::describe::rename(sentence, &values)
}
