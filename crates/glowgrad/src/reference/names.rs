//! Parts that PyTorch hides behind another op, and the names under which a reader knows an op.

use super::Definition;
use crate::op::PythonFace;
use crate::ops;

/// Every op and call with several results, by its name in the registry.
fn all() -> impl Iterator<Item = (&'static str, &'static PythonFace)> {
    let calls = ops::multi_output().map(|call| (call.name, call.python));
    ops::all().map(|op| (op.name, op.python)).chain(calls)
}

/// The parts behind an op: they are its aliases, as the graph shows them by name.
pub(super) fn parts_of(name: &str) -> impl Iterator<Item = &'static str> {
    all()
        .filter(move |(_, python)| python.part_of == name)
        .map(|(part, _)| part)
}

/// The second forms of an op.
pub(super) fn forms_of(name: &str) -> impl Iterator<Item = &'static str> {
    let calls = ops::multi_output();
    calls
        .filter(move |call| call.python.part_of == name && call.python.is_form)
        .map(|call| call.name)
}

/// What Python calls it.
pub(super) fn shown(definition: &Definition) -> &'static str {
    match definition.python.name {
        "" => definition.name,
        name => name,
    }
}
