//! The walk from the outputs through the graph: each node becomes nodes of the model, or what it is made of does.
//!
//! Invariants: a source is written before what reads it, without recursion; what depends on no input and no weight is
//! computed and written as a constant; what cannot be written is collected, so that all of it can be named at once.

use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use glowgrad::node::{NodeRef, Sources};
use glowgrad::op::Kind;
use glowgrad::trace::NodeId;
use glowgrad::{DType, Error, Result};

use glowgrad::graph_text::{alias, same_as};

use super::call::{Call, Outcome, Result1, Value};
use super::rows;
use super::writer::{Id, Writer};

/// An op that cannot be written as ONNX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The engine's name of it: `lgamma`.
    pub op: String,
    /// Where it is, with the modules around it: `head/lgamma`.
    pub place: String,
    /// Why, and what can be done.
    pub reason: String,
}

impl Refused {
    /// A call that looked at its operand's values.
    pub(super) fn by_value(call: &str) -> Refused {
        let call = match call {
            "nonzero_tuple" => "nonzero, or a mask as an index",
            call => call,
        };
        Refused {
            op: call.to_owned(),
            place: call.to_owned(),
            reason: BY_VALUE.to_owned(),
        }
    }
}

/// Why an op is refused whose result the engine made after it had looked at an operand's values.
pub(super) const BY_VALUE: &str = "the values of its operand decide the shape of the result or where elements go, and the model would do for every input what it did for this one; use torch.where or masked_fill, which keep the shape";

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refused { op, place, reason } = self;
        match op == place {
            true => write!(f, "{op}: {reason}"),
            false => write!(f, "{op} (at {place}): {reason}"),
        }
    }
}

/// What is to be done next.
enum ExportTask {
    /// A node is to be written; the second is what it belongs to.
    Visit(NodeRef, Rc<str>),
    /// Its sources are.
    Write(NodeRef, Sources, Rc<str>),
    /// It has the value of another.
    Same(NodeRef, NodeRef),
    /// It has the value of what it is made of, under its own name.
    Made(NodeRef, NodeRef, Rc<str>),
}

/// A walk.
pub(super) struct Walk<'a> {
    pub(super) writer: &'a mut Writer,
    pub(super) values: HashMap<NodeId, Value>,
    pub(super) refused: Vec<Refused>,
    /// The storages that inputs are views of, by node, with the input's name.
    pub(super) behind: HashMap<NodeId, String>,
    /// The oldest of the inputs.
    pub(super) oldest: Option<NodeId>,
}

impl Walk<'_> {
    /// Writes a node and all before it.
    ///
    /// # Errors
    /// When the graph has let go of what is needed, and what reading constants says. What has no form in ONNX is no
    /// error here: see [`Walk::refused`].
    pub(super) fn visit(&mut self, root: &NodeRef) -> Result<Value> {
        let mut stack = vec![ExportTask::Visit(root.clone(), "".into())];
        while let Some(step) = stack.pop() {
            match step {
                ExportTask::Visit(node, _) if self.values.contains_key(&node.id) => {}
                ExportTask::Visit(node, owner) => self.begin(node, owner, &mut stack)?,
                ExportTask::Same(node, other) => {
                    let value = self.known(&other)?;
                    self.values.insert(node.id, value);
                }
                ExportTask::Made(node, of, place) => {
                    let value = self.known(&of)?;
                    if let Value::Named(id) = value {
                        self.writer.rename(id, &place);
                    }
                    self.values.insert(node.id, value);
                }
                ExportTask::Write(node, src, owner) => self.write(node, &src, owner, &mut stack)?,
            }
        }
        self.known(root)
    }

    fn known(&self, node: &NodeRef) -> Result<Value> {
        let value = self.values.get(&node.id).cloned();
        value.ok_or_else(|| {
            Error::runtime(format!(
                "{}: internal error: a source was not written; please report this",
                node.op.name
            ))
        })
    }

    fn begin(&mut self, node: NodeRef, owner: Rc<str>, stack: &mut Vec<ExportTask>) -> Result<()> {
        if let Some(input) = self.behind.get(&node.id) {
            return Err(Error::value(format!(
                "the graph reads elements beyond the input {input:?}, which is a view of a larger tensor; give the input as {input}.clone() before the model runs"
            )));
        }
        if let Some(same) = alias(&node) {
            stack.push(ExportTask::Same(node, same.clone()));
            stack.push(ExportTask::Visit(same, owner));
            return Ok(());
        }
        let src = node.src();
        if node.number.is_some() || src.is_empty() {
            self.check_there(&node)?;
            self.values.insert(node.id, Value::Constant(node));
            return Ok(());
        }
        stack.push(ExportTask::Write(node, src.clone(), owner.clone()));
        for source in src.into_iter().rev() {
            stack.push(ExportTask::Visit(source, owner.clone()));
        }
        Ok(())
    }

    /// Refuses a value that was computed since the inputs were made and whose sources the graph has let go: what it
    /// was made of is not known any more.
    fn check_there(&self, node: &NodeRef) -> Result<()> {
        let is_made = !matches!(node.op.kind, Kind::Leaf) && node.number.is_none();
        match self.oldest {
            Some(oldest) if is_made && node.id > oldest => Err(Error::value(format!(
                "the graph has a value of {:?} that was computed after the inputs were made, and does not know any more of what; run the model inside Export::trace, or name the tensor with Export::weight if it is a constant",
                node.op.name
            ))),
            _ => Ok(()),
        }
    }

    fn write(
        &mut self,
        node: NodeRef,
        src: &Sources,
        owner: Rc<str>,
        stack: &mut Vec<ExportTask>,
    ) -> Result<()> {
        let values: Vec<Value> = src.iter().map(|s| self.known(s)).collect::<Result<_>>()?;
        // What has no elements is the same for every input, if its shape is.
        let is_nothing = node.numel() == 0 && !rows::decides_its_shape(node.op.name);
        if is_nothing || values.iter().all(|v| matches!(v, Value::Constant(_))) {
            self.values.insert(node.id, Value::Constant(node));
            return Ok(());
        }
        let name = node.op.name;
        let place: Rc<str> = match (&*owner, &node.scope) {
            ("", Some(scope)) if !scope.is_empty() => format!("{scope}/{name}").into(),
            ("", _) => name.into(),
            (owner, _) => format!("{owner}/{name}").into(),
        };
        let done = |outcome: &Result1| match outcome {
            Ok(Outcome::Done(id)) => Some(*id),
            _ => None,
        };
        let outcome = self.writer.named(&place, done, |writer| {
            let mut call = Call {
                node: &node,
                src,
                values: &values,
                writer,
            };
            rows::write(&mut call)
        })?;
        let reason = match outcome {
            Outcome::Done(id) => {
                self.values.insert(node.id, Value::Named(id));
                return Ok(());
            }
            Outcome::Lower => match self.writer.engine.written_in(&node)? {
                Some(lowered) => {
                    stack.push(ExportTask::Made(node, lowered.clone(), place.clone()));
                    stack.push(ExportTask::Visit(lowered, place));
                    return Ok(());
                }
                None => "ONNX has no operator for it".to_owned(),
            },
            Outcome::Refused(reason) => reason,
        };
        let op = match &*owner {
            // What an op is made of is named by the op.
            "" => name.to_owned(),
            owner => owner.rsplit('/').next().unwrap_or(owner).to_owned(),
        };
        self.refused.push(Refused {
            op,
            place: place.to_string(),
            reason,
        });
        let stand_in = self.stand_in(node.dtype);
        self.values.insert(node.id, Value::Named(stand_in));
        Ok(())
    }

    /// A value in the place of one that was refused, so that the walk goes on to name the others.
    fn stand_in(&mut self, dtype: DType) -> Id {
        self.writer.input("refused", dtype)
    }
}

/// The node that a view's elements are in; none if it is no view.
pub(super) fn behind(node: &NodeRef) -> Option<NodeRef> {
    let mut at = same_as(node).pop()?;
    let mut base = None;
    while let Kind::Movement(_) = at.op.kind {
        at = at.src().first().cloned()?;
        base = Some(at.clone());
    }
    base
}
