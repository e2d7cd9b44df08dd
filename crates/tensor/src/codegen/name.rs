//! Words for buffers and values in printed source.
//!
//! Invariant: each is an identifier in every language printed here, and no two are the same.

use std::collections::{HashMap, HashSet};

use super::{Names, NodeInfo, Scheduled};
use crate::trace::NodeId;

/// A text as an identifier: letters, digits and single underscores, a letter first.
pub(super) fn identifier(text: &str) -> String {
    let mut word = String::new();
    for c in text.chars() {
        match c {
            _ if c.is_ascii_alphanumeric() => word.push(c),
            _ if word.is_empty() || word.ends_with('_') => {}
            _ => word.push('_'),
        }
    }
    let word = word.trim_end_matches('_');
    if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
        word.to_owned()
    } else {
        ["v", word].concat()
    }
}

/// Words that are given once.
#[derive(Default)]
pub(super) struct Words(HashSet<String>);

impl Words {
    /// The word, or with a number behind it if it is taken.
    pub(super) fn take(&mut self, word: &str) -> String {
        let mut free = word.to_owned();
        for n in 2.. {
            if self.0.insert(free.clone()) {
                break;
            }
            free = format!("{word}_{n}");
        }
        free
    }
}

/// The buffers of a schedule item by name.
pub(super) struct Buffers {
    /// One for each input; two views of one buffer have its name.
    pub(super) inputs: Vec<String>,
    /// One for each result.
    pub(super) outputs: Vec<String>,
}

/// What a node is called: as the caller says, or as its op.
pub(super) fn word(names: &dyn Names, operand: &NodeInfo) -> String {
    let name = names.name(operand.id);
    identifier(name.as_deref().unwrap_or(operand.op.name))
}

pub(super) fn buffers(item: &Scheduled, names: &dyn Names) -> Buffers {
    let mut words = Words::default();
    let mut known: HashMap<NodeId, String> = HashMap::new();
    let mut name = |operand: &NodeInfo| {
        known
            .entry(operand.id)
            .or_insert_with(|| words.take(&word(names, operand)))
            .clone()
    };
    Buffers {
        inputs: item.inputs.iter().map(&mut name).collect(),
        outputs: item.results().iter().map(&mut name).collect(),
    }
}

/// The buffers of a schedule item's epilogue, called as in the item. The first is the routine's result.
pub(super) fn epilogue_buffers(item: &Scheduled, names: &dyn Names) -> Buffers {
    let mut all = item.clone();
    all.inputs.extend(item.nodes.first().cloned());
    let mut buffers = buffers(&all, names);
    buffers.inputs.rotate_right(1);
    buffers.inputs.drain(1..=item.n_operands());
    buffers
}
