//! Where the code makes a node, by which the same node is found in another step.

use std::collections::HashMap;
use std::rc::Rc;

use glowgrad::node::{NodeRef, Span};

/// Line, op and module.
pub(crate) type CallSite = (Span, &'static str, Option<Rc<str>>);

/// A call site, and which of the step's nodes with that call site.
pub(crate) type NumberedCallSite = (CallSite, usize);

pub(crate) fn call_site(node: &NodeRef) -> CallSite {
    (node.span, node.op.name, node.scope.clone())
}

/// A step's nodes with their places.
pub(crate) fn numbered(nodes: &[NodeRef]) -> impl Iterator<Item = (NumberedCallSite, &NodeRef)> {
    let mut seen: HashMap<CallSite, usize> = HashMap::new();
    nodes.iter().map(move |node| {
        let site = call_site(node);
        let count = seen.entry(site.clone()).or_insert(0);
        *count += 1;
        ((site, *count - 1), node)
    })
}
