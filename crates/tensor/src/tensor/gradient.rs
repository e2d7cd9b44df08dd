//! A tensor's place on the tape: who wants a gradient, where it goes, and walking back from here.

use std::collections::HashSet;
use std::rc::Rc;

use smallvec::SmallVec;

use super::Tensor;
use crate::autograd::{self, CustomVjp, GradSlot, WalkOptions};
use crate::dtype::Scalar;
use crate::engine::{Engine, NodeParts};
use crate::node::NodeRef;
use crate::ops;
use crate::shape;
use crate::trace::NodeId;
use crate::var::Var;
use crate::{Error, Result};

impl Tensor {
    /// Whether a gradient flows through it.
    pub fn requires_grad(&self) -> bool {
        self.node().needs_grad
    }

    /// Whether it is a leaf: made by the user, or off the tape.
    pub fn is_leaf(&self) -> bool {
        self.node().is_leaf()
    }

    /// PyTorch's name of its backward function.
    pub fn grad_fn(&self) -> Option<String> {
        self.node().grad_fn().map(str::to_owned)
    }

    /// Its gradient so far.
    pub fn grad(&self) -> Option<Tensor> {
        self.node().slot().and_then(|slot| slot.grad())
    }

    /// The slot its gradient goes to.
    pub fn slot(&self) -> Option<Rc<GradSlot>> {
        self.node().slot().cloned()
    }

    /// Replaces its gradient.
    ///
    /// # Errors
    /// When it wants none, or the shapes differ.
    pub fn set_grad(&self, grad: Option<Tensor>) -> Result<()> {
        if let Some(grad) = &grad
            && (grad.shape() != self.shape() || grad.dtype() != self.dtype())
        {
            return Err(Error::runtime(format!(
                "assigned grad has data of a different size or type: got {} {}, expected {} {}",
                shape::show(&grad.shape()),
                grad.dtype(),
                shape::show(&self.shape()),
                self.dtype()
            )));
        }
        match self.node().slot() {
            Some(slot) => slot.set(grad),
            None if grad.is_none() => {}
            None => {
                return Err(Error::runtime(
                    "grad can be set only on a leaf that requires grad; call requires_grad_() first",
                ));
            }
        }
        Ok(())
    }

    /// Makes it a leaf that wants a gradient, or one that does not.
    ///
    /// # Errors
    /// For integers, and for results of ops.
    pub fn set_requires_grad(&self, on: bool) -> Result<()> {
        let node = self.node();
        if on && !node.dtype.is_float() {
            return Err(Error::runtime(format!(
                "only Tensors of floating point dtype can require gradients, got {}",
                node.dtype
            )));
        }
        if node.needs_grad == on {
            return Ok(());
        }
        if !node.is_leaf() {
            return Err(Error::runtime(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().",
            ));
        }
        let engine = self.engine();
        let slot = on.then(Rc::<GradSlot>::default);
        let parts = NodeParts {
            slot: slot.clone(),
            ..NodeParts::default()
        };
        let leaf = engine.relabel(&node, on, parts);
        if self.0.view.is_some() {
            *self.0.slot.borrow_mut() = slot;
            *self.0.derived.borrow_mut() = Some((self.version(), leaf));
        } else {
            *self.0.storage.current.borrow_mut() = leaf;
        }
        Ok(())
    }

    /// Keeps the gradient of a result of an op too.
    ///
    /// # Errors
    /// When it wants no gradient.
    pub fn retain_grad(&self) -> Result<()> {
        let node = self.node();
        if !node.needs_grad {
            return Err(Error::runtime(
                "can't retain_grad on Tensor that has requires_grad=False",
            ));
        }
        node.slot.get_or_init(Rc::default).retains.set(true);
        Ok(())
    }

    /// Calls a function with the gradient whenever one arrives here; what it returns takes the
    /// gradient's place. [`GradSlot::remove_hook`] of [`Tensor::slot`] takes it away again.
    ///
    /// # Errors
    /// When no gradient can arrive.
    pub fn register_hook(&self, hook: autograd::Hook) -> Result<u64> {
        let node = self.node();
        if !node.needs_grad {
            return Err(Error::runtime(
                "cannot register a hook on a tensor that doesn't require gradient",
            ));
        }
        Ok(node.slot.get_or_init(Rc::default).add_hook(hook))
    }

    /// The result of a user's own function, with its gradient. `value` was computed off the tape.
    ///
    /// # Errors
    /// When memory is short.
    pub fn custom(
        engine: &Engine,
        inputs: &[Tensor],
        value: &Tensor,
        vjp: Rc<dyn CustomVjp>,
    ) -> Result<Tensor> {
        let needs_grad = engine.grad_enabled() && inputs.iter().any(Tensor::requires_grad);
        if !needs_grad {
            return Ok(value.clone());
        }
        let mut src: SmallVec<[NodeRef; 3]> = inputs.iter().map(Tensor::node).collect();
        src.push(value.detach().node());
        let parts = NodeParts {
            custom: Some(vjp),
            ..NodeParts::default()
        };
        Ok(Tensor::from_node(
            engine,
            engine.alias_made(&ops::CUSTOM, src, true, parts),
        ))
    }

    /// Walks back from here, filling the `.grad` of leaves. `gradient` may be left out for a
    /// tensor of one element.
    ///
    /// # Errors
    /// When nothing here wants a gradient, when the gradient does not fit, and what the rules say.
    pub fn backward(&self, gradient: Option<&Tensor>, options: WalkOptions) -> Result<()> {
        let (root, gradient) = self.seed(gradient)?;
        self.engine().walk(vec![(root, gradient)], None, options)?;
        Ok(())
    }

    fn seed(&self, gradient: Option<&Tensor>) -> Result<(NodeRef, Var)> {
        let node = self.node();
        if !node.needs_grad {
            return Err(Error::runtime(
                "element 0 of tensors does not require grad and does not have a grad_fn",
            ));
        }
        let gradient = match gradient {
            Some(gradient) if gradient.shape() == node.shape => gradient.var().to(node.dtype),
            Some(gradient) => {
                return Err(Error::runtime(format!(
                    "Mismatch in shape: grad_output[0] has a shape of {} and output[0] has a shape of {}.",
                    shape::show(&gradient.shape()),
                    shape::show(&node.shape)
                )));
            }
            None if node.numel() == 1 => {
                let engine = self.engine();
                engine.inside(|| {
                    Var::new(engine, engine.number(Scalar::Float(1.0), node.dtype))
                        .expand(&node.shape)
                })
            }
            None => {
                return Err(Error::runtime(format!(
                    "grad can be implicitly created only for scalar outputs, but this tensor has shape {}; call .sum() or .mean() first, or pass a gradient",
                    shape::show(&node.shape)
                )));
            }
        };
        Ok((node, gradient))
    }

    /// As [`Tensor::backward`], filling the `.grad` of these tensors only.
    ///
    /// # Errors
    /// As [`Tensor::backward`].
    pub fn backward_to(
        &self,
        gradient: Option<&Tensor>,
        inputs: &[Tensor],
        options: WalkOptions,
    ) -> Result<()> {
        let engine = self.engine();
        let (root, gradient) = self.seed(gradient)?;
        let targets: HashSet<NodeId> = inputs.iter().map(|t| t.node().id).collect();
        let captured = engine.walk(vec![(root, gradient)], Some(&targets), options)?;
        for input in inputs {
            let node = input.node();
            let Some(gy) = captured.get(&node.id) else {
                continue;
            };
            let slot = node.slot.get_or_init(Rc::default);
            engine.deposit_outside(&node, slot, gy, options)?;
        }
        Ok(())
    }

    /// Gradients of outputs with respect to inputs, without touching `.grad`: `autograd.grad`.
    ///
    /// # Errors
    /// As [`Tensor::backward`]; an input that was not used gives none.
    pub fn grad_of(
        outputs: &[Tensor],
        inputs: &[Tensor],
        gradients: &[Option<Tensor>],
        options: WalkOptions,
    ) -> Result<Vec<Option<Tensor>>> {
        let Some(first) = outputs.first() else {
            return Err(Error::value("grad requires non-empty outputs."));
        };
        let engine = first.engine();
        let mut roots = Vec::new();
        for (i, output) in outputs.iter().enumerate() {
            roots.push(output.seed(gradients.get(i).and_then(Option::as_ref))?);
        }
        let ids: Vec<NodeId> = inputs.iter().map(|t| t.node().id).collect();
        if inputs.iter().any(|t| !t.requires_grad()) {
            return Err(Error::runtime(
                "One of the differentiated Tensors does not require grad",
            ));
        }
        let targets: HashSet<NodeId> = ids.iter().copied().collect();
        let captured = engine.walk(roots, Some(&targets), options)?;
        Ok(ids
            .iter()
            .map(|id| {
                captured
                    .get(id)
                    .map(|v| Tensor::from_node(engine, v.node().clone()))
            })
            .collect())
    }
}
