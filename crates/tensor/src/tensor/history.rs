//! `grad_fn` as a value: the function that will carry a gradient back, and those it hands it on to.
//!
//! It is a view of the node; a graph that `backward()` let go of has no next functions any more.

use super::Tensor;
use crate::engine::Engine;
use crate::node::NodeRef;

/// A step of the backward pass.
#[derive(Clone)]
pub struct GradFunction {
    engine: Engine,
    node: NodeRef,
}

impl GradFunction {
    /// What `name()` and the class say: `MulBackward0`; of a leaf, `AccumulateGrad`.
    pub fn name(&self) -> String {
        match self.node.grad_fn() {
            Some(name) => name.to_owned(),
            None => "AccumulateGrad".to_owned(),
        }
    }

    /// A number that no other function has.
    pub fn id(&self) -> u64 {
        self.node.id
    }

    /// One for each operand; none where no gradient flows.
    pub fn next_functions(&self) -> Vec<Option<GradFunction>> {
        if self.node.is_leaf() {
            return Vec::new();
        }
        let mut sources = self.node.src();
        if self.node.custom.is_some() {
            sources.pop();
        }
        let function = |node: NodeRef| {
            node.needs_grad.then(|| GradFunction {
                engine: self.engine.clone(),
                node,
            })
        };
        sources.into_iter().map(function).collect()
    }

    /// The leaf whose `.grad` it fills, as a tensor that shares its value and its gradient.
    pub fn variable(&self) -> Option<Tensor> {
        let is_leaf = self.node.is_leaf();
        is_leaf.then(|| Tensor::from_node(&self.engine, self.node.clone()))
    }
}

impl Tensor {
    /// The function that carries a gradient on from here; none for a leaf.
    pub fn grad_function(&self) -> Option<GradFunction> {
        let node = self.tape_node();
        node.grad_fn()?;
        Some(GradFunction {
            engine: self.engine().clone(),
            node,
        })
    }
}
