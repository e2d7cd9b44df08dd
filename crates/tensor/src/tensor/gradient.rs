//! A tensor's place on the tape: whether it requires a gradient, where that goes, and `backward()` from it.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::Tensor;
use crate::autograd::{BackwardOptions, BackwardPass};
use crate::dtype::Scalar;
use crate::graph::{CustomRule, Engine, GradSlot, GraphValue, NodeParts, NodeRef, Operand};
use crate::ops;
use crate::shape;
use crate::trace::NodeId;
use crate::view::View;
use crate::{Error, Result};

/// The gradient of a user's own function.
pub trait CustomVjp {
    /// What `grad_fn` prints: `SquareBackward`.
    fn name(&self) -> &str;

    /// Gradients for the inputs, in order; none where there is none.
    ///
    /// # Errors
    /// What the function raises.
    fn backward(&self, gradient: Tensor) -> Result<Vec<Option<Tensor>>>;
}

/// A user's own function as the backward pass calls it.
struct TensorRule(Rc<dyn CustomVjp>);

impl CustomRule for TensorRule {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn backward(&self, gradient: Operand) -> Result<Vec<Option<Operand>>> {
        let gradients = self.0.backward(Tensor::of(&gradient))?;
        let operand = |gradient: Option<Tensor>| gradient.map(Operand::new);
        Ok(gradients.into_iter().map(operand).collect())
    }
}

impl GradSlot {
    /// The gradient so far.
    pub fn grad(&self) -> Option<Tensor> {
        self.held().as_ref().map(Tensor::of)
    }

    /// Replaces the gradient.
    pub fn set(&self, grad: Option<Tensor>) {
        self.hold(grad.map(Operand::new));
    }
}

/// Sees a gradient as it arrives; what it returns takes the gradient's place.
pub type TensorHook = Rc<dyn Fn(&Tensor) -> Result<Option<Tensor>>>;

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
        self.tape_node().slot().and_then(|slot| slot.grad())
    }

    /// The slot its gradient goes to.
    pub fn slot(&self) -> Option<Rc<GradSlot>> {
        self.tape_node().slot().cloned()
    }

    /// Replaces its gradient.
    ///
    /// # Errors
    /// When shapes or dtypes differ.
    pub fn set_grad(&self, grad: Option<Tensor>) -> Result<()> {
        if let Some(grad) = &grad {
            if grad.shape() != self.shape() {
                return Err(Error::runtime(format!(
                    "attempting to assign a gradient of size '{}' to a tensor of size '{}'. Please ensure that the gradient and the tensor are the same size",
                    shape::show(&grad.shape()),
                    shape::show(&self.shape())
                )));
            }
            if grad.dtype() != self.dtype() {
                return Err(Error::runtime(format!(
                    "attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype '{}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype); convert it with .to()",
                    ops::mm::c_name(grad.dtype()),
                    self.dtype().scalar_name()
                )));
            }
        }
        if let Some(grad) = &grad
            && grad.device() != self.device()
        {
            let engine = self.engine();
            return Err(Error::runtime(format!(
                "assigned grad has data located on a different device: {}, expected {}; move it with .to()",
                engine.device_kind(grad.device()),
                engine.device_kind(self.device())
            )));
        }
        let node = self.tape_node();
        match (node.slot(), grad) {
            (Some(slot), grad) => slot.set(grad),
            (None, None) => {}
            (None, grad) => node.slot.get_or_init(Rc::default).set(grad),
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
        if on && self.is_inference() && !self.engine().inference_mode() {
            return Err(Error::runtime(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.",
            ));
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
        // A gradient that is there already stays.
        let slot = node.slot().cloned().or_else(|| on.then(Rc::default));
        let parts = NodeParts {
            slot: slot.clone(),
            ..NodeParts::default()
        };
        let leaf = engine.relabel(&node, on, parts);
        if let Some(tape) = &self.0.tape
            && self.view() == View::contiguous(&self.0.storage.current.borrow().shape)
        {
            tape.set(on.then(|| leaf.clone()), self.0.storage.writes.get());
            *self.0.derived.borrow_mut() = Some((self.0.storage.writes.get(), leaf));
        } else if self.0.view.is_some() {
            *self.0.slot.borrow_mut() = slot.filter(|_| on);
            *self.0.derived.borrow_mut() = Some((self.0.storage.writes.get(), leaf));
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
        let node = self.tape_node();
        if !node.needs_grad {
            return Err(Error::runtime(
                "can't retain_grad on Tensor that has requires_grad=False",
            ));
        }
        if !node.is_leaf() {
            node.slot.get_or_init(Rc::default).retains.set(true);
        }
        Ok(())
    }

    /// Whether [`Tensor::retain_grad`] was asked for: no leaf says so, all keep theirs anyway.
    pub fn retains_grad(&self) -> bool {
        let node = self.tape_node();
        !node.is_leaf() && node.slot().is_some_and(|slot| slot.retains())
    }

    /// Calls a function with this leaf after each gradient that was added to its `.grad`.
    ///
    /// # Errors
    /// When it is not a leaf that wants a gradient.
    pub fn register_post_accumulate_grad_hook(
        &self,
        hook: impl Fn(&Tensor) -> Result<()> + 'static,
    ) -> Result<u64> {
        let node = self.node();
        if !node.needs_grad {
            return Err(Error::runtime(
                "cannot register a hook on a tensor that doesn't require gradient",
            ));
        }
        if !node.is_leaf() {
            return Err(Error::runtime(
                "post accumulate grad hooks cannot be registered on non-leaf tensors",
            ));
        }
        // The leaf owns the hook; the hook must not own the leaf.
        let leaf = self.downgrade();
        let after = move || match leaf.upgrade() {
            Some(leaf) => hook(&leaf),
            None => Ok(()),
        };
        let slot = node.slot.get_or_init(Rc::default);
        Ok(slot.add_after_hook(Rc::new(after)))
    }

    /// Takes it off the tape for good: `x.detach_()`.
    ///
    /// # Errors
    /// When it is a view.
    pub fn detach_in_place(&self) -> Result<()> {
        let node = self.node();
        if !node.needs_grad {
            return Ok(());
        }
        if self.0.view.is_some() && node.slot().is_none() {
            return Err(Error::runtime(
                "Can't detach views in-place. Use detach() instead.",
            ));
        }
        if node.is_leaf() {
            return self.set_requires_grad(false);
        }
        let cut = self.detach().node();
        let old = self.0.storage.current.replace(cut);
        drop(old);
        Ok(())
    }

    /// Calls a function with the gradient whenever one arrives here; what it returns takes the
    /// gradient's place. [`GradSlot::remove_hook`] of [`Tensor::slot`] takes it away again.
    ///
    /// # Errors
    /// When no gradient can arrive.
    pub fn register_hook(&self, hook: TensorHook) -> Result<u64> {
        let node = self.tape_node();
        if !node.needs_grad {
            return Err(Error::runtime(
                "cannot register a hook on a tensor that doesn't require gradient",
            ));
        }
        let slot = node.slot.get_or_init(Rc::default);
        Ok(slot.add_hook(Rc::new(move |gradient: &Operand| {
            let instead = hook(&Tensor::of(gradient))?;
            Ok(instead.map(Operand::new))
        })))
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
            custom: Some(Rc::new(TensorRule(vjp))),
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
    pub fn backward(&self, gradient: Option<&Tensor>, options: BackwardOptions) -> Result<()> {
        let root = self.seed(0, gradient)?;
        BackwardPass::of(self.engine()).run_backward(vec![root], None, options)?;
        Ok(())
    }

    /// As [`Tensor::backward`] from several tensors at once.
    ///
    /// # Errors
    /// As [`Tensor::backward`].
    pub fn backward_all(
        outputs: &[Tensor],
        gradients: &[Option<Tensor>],
        options: BackwardOptions,
    ) -> Result<()> {
        let Some(first) = outputs.first() else {
            return Ok(());
        };
        BackwardPass::of(first.engine()).run_backward(seeds(outputs, gradients)?, None, options)?;
        Ok(())
    }

    fn seed(&self, i: usize, gradient: Option<&Tensor>) -> Result<(NodeRef, GraphValue)> {
        let node = self.node();
        if !node.needs_grad {
            return Err(Error::runtime(format!(
                "element {i} of tensors does not require grad and does not have a grad_fn"
            )));
        }
        let gradient = match gradient {
            Some(gradient) if gradient.shape() == node.shape => gradient.var().to(node.dtype),
            Some(gradient) => {
                return Err(Error::runtime(format!(
                    "Mismatch in shape: grad_output[{i}] has a shape of torch.Size({}) and output[{i}] has a shape of torch.Size({}).",
                    shape::show(&gradient.shape()),
                    shape::show(&node.shape)
                )));
            }
            None if node.numel() == 1 => {
                let engine = self.engine();
                engine.internal_scope(|| {
                    GraphValue::new(engine, engine.number(Scalar::Float(1.0), node.dtype))
                        .expand(&node.shape)
                })
            }
            None => {
                return Err(Error::runtime(format!(
                    "grad can be implicitly created only for scalar outputs. This tensor has shape {}; call .sum() or .mean() first, or pass a gradient",
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
        options: BackwardOptions,
    ) -> Result<()> {
        let engine = self.engine();
        if inputs.is_empty() {
            return Err(Error::runtime(
                "`inputs` argument to `backward()` cannot be empty.",
            ));
        }
        let root = self.seed(0, gradient)?;
        let targets: FxHashSet<NodeId> =
            inputs.iter().map(|t| t.tape_node().gradient_id()).collect();
        let captured =
            BackwardPass::of(engine).run_backward(vec![root], Some(&targets), options)?;
        for input in inputs {
            let node = input.tape_node();
            // A retained gradient was kept on the way.
            if input.retains_grad() {
                continue;
            }
            let Some(gy) = captured.get(&node.gradient_id()) else {
                continue;
            };
            let slot = node.slot.get_or_init(Rc::default);
            BackwardPass::of(engine).deposit_outside(&node, slot, gy, options)?;
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
        options: BackwardOptions,
    ) -> Result<Vec<Option<Tensor>>> {
        let Some(first) = outputs.first() else {
            return Err(unused(0));
        };
        if inputs.is_empty() {
            return Err(Error::runtime(
                "`inputs` argument to `grad()` cannot be empty.",
            ));
        }
        let engine = first.engine();
        let roots = seeds(outputs, gradients)?;
        let ids: Vec<NodeId> = inputs.iter().map(|t| t.tape_node().gradient_id()).collect();
        if inputs.iter().any(|t| !t.requires_grad()) {
            return Err(Error::runtime(
                "One of the differentiated Tensors does not require grad",
            ));
        }
        let targets: FxHashSet<NodeId> = ids.iter().copied().collect();
        let captured = BackwardPass::of(engine).run_backward(roots, Some(&targets), options)?;
        Ok(ids
            .iter()
            .map(|id| {
                captured
                    .get(id)
                    .map(|v| Tensor::from_node(engine, v.node().clone()))
            })
            .collect())
    }

    /// `autograd.grad` whole: an input that was not used is an error, or none where `allow_unused`,
    /// or zeros where `materialize`.
    ///
    /// # Errors
    /// As [`Tensor::grad_of`].
    pub fn autograd_grad(
        outputs: &[Tensor],
        inputs: &[Tensor],
        gradients: &[Option<Tensor>],
        options: BackwardOptions,
        allow_unused: Option<bool>,
        materialize: bool,
    ) -> Result<Vec<Option<Tensor>>> {
        if materialize && allow_unused == Some(false) {
            return Err(Error::value(
                "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.",
            ));
        }
        if !gradients.is_empty() && gradients.len() != outputs.len() {
            return Err(Error::runtime(format!(
                "got {} tensors and {} gradients",
                outputs.len(),
                gradients.len()
            )));
        }
        let mut grads = Tensor::grad_of(outputs, inputs, gradients, options)?;
        for (i, (grad, input)) in grads.iter_mut().zip(inputs).enumerate() {
            if grad.is_some() || allow_unused == Some(true) && !materialize {
                continue;
            }
            if !materialize {
                return Err(unused(i));
            }
            let zero = Scalar::Float(0.0);
            *grad = Some(Tensor::full(
                input.engine(),
                &input.shape(),
                zero,
                input.dtype(),
            )?);
        }
        Ok(grads)
    }
}

fn unused(i: usize) -> Error {
    Error::runtime(format!(
        "The differentiated Tensor at index {i} appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior."
    ))
}

/// Where a walk begins.
fn seeds(outputs: &[Tensor], gradients: &[Option<Tensor>]) -> Result<Vec<(NodeRef, GraphValue)>> {
    let gradient = |i: usize| gradients.get(i).and_then(Option::as_ref);
    outputs
        .iter()
        .enumerate()
        .map(|(i, output)| output.seed(i, gradient(i)))
        .collect()
}
