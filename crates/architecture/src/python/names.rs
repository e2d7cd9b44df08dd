//! Names that need not be written, since they follow from the order of nodes.

use std::collections::HashMap;

use crate::functions::function;
use crate::model::Node;

/// Names of values that are nodes' names nowhere.
pub(super) const FLOW: [&str; 5] = ["x", "y", "z", "u", "v"];

/// Counts uses, and gives the names that follow from them.
#[derive(Debug, Default)]
pub(super) struct Usual<'a> {
    functions: HashMap<&'a str, usize>,
    shared: HashMap<&'a str, usize>,
}

impl<'a> Usual<'a> {
    /// The usual name of the next use of a function: `relu`, `relu_2`, `relu_3`.
    pub(super) fn function(&mut self, name: &'a str) -> String {
        let n = self.functions.entry(name).or_insert(0);
        *n += 1;
        match *n {
            1 => name.to_owned(),
            n => format!("{name}_{n}"),
        }
    }

    /// The usual name of the next use of a layer that stands already: `fc_2`.
    pub(super) fn shared(&mut self, name: &'a str) -> String {
        let n = self.shared.entry(name).or_insert(1);
        *n += 1;
        format!("{name}_{n}")
    }

    /// The usual name of a node; none of a layer, whose attribute is its name.
    pub(super) fn of(&mut self, node: &'a Node) -> Option<String> {
        match &node.same {
            Some(name) => Some(self.shared(name)),
            None if node.kind == "parameter" => None,
            None => function(&node.kind).map(|function| self.function(function.name)),
        }
    }
}
