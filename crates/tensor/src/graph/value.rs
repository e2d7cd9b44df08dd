//! [`GraphValue`]: a node and its engine; what composites and gradient rules are written in.
//!
//! Rules read like formulas because operators do not return `Result`: shapes are right by
//! construction, the op that called the rule has checked them. Should one be wrong all the same,
//! the engine keeps the first error and raises it when the rule returns (`Engine::settle`). The operators
//! stand in `ops/formula.rs`.

use smallvec::{SmallVec, smallvec};

use super::{Engine, NodeRef, primitive};
use crate::device::Device;
use crate::dtype::{DType, Scalar};
use crate::op::{Attr, Attrs, Op};
use crate::shape::Shape;

/// A value in a formula.
#[derive(Clone)]
pub struct GraphValue {
    engine: Engine,
    node: NodeRef,
}

impl std::fmt::Debug for GraphValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.node.fmt(f)
    }
}

impl GraphValue {
    /// A node in formulas.
    pub fn new(engine: &Engine, node: NodeRef) -> GraphValue {
        GraphValue {
            engine: engine.clone(),
            node,
        }
    }

    /// The node.
    pub fn node(&self) -> &NodeRef {
        &self.node
    }

    /// Its engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The node, let out of the formula.
    pub fn into_node(self) -> NodeRef {
        self.node
    }

    /// Sizes.
    pub fn shape(&self) -> &Shape {
        &self.node.shape
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.node.dtype
    }

    /// Applies an op to this and other operands.
    pub fn call(&self, op: &'static Op, others: &[&GraphValue], attrs: Attrs) -> GraphValue {
        let mut src: SmallVec<[NodeRef; 3]> = smallvec![self.node.clone()];
        src.extend(others.iter().map(|v| v.node.clone()));
        let node = self.engine.apply_or_poison(op, &src, attrs);
        GraphValue::new(&self.engine, node)
    }

    /// A number that takes this value's dtype.
    pub fn number(&self, value: f64) -> GraphValue {
        GraphValue::new(
            &self.engine,
            self.engine.number(Scalar::Float(value), self.dtype()),
        )
    }

    /// In another dtype.
    pub fn to(&self, dtype: DType) -> GraphValue {
        if dtype == self.dtype() {
            return self.clone();
        }
        if self.node.number.is_some()
            && let Ok(node) = self.engine.cast(&self.node, dtype)
        {
            return GraphValue::new(&self.engine, node);
        }
        self.call(&primitive::TO, &[], smallvec![Attr::DType(dtype)])
    }

    /// On another device.
    pub(crate) fn to_device(&self, device: Device) -> GraphValue {
        if self.node.number.is_some() {
            return self.clone();
        }
        match self.engine.to_device(&self.node, device) {
            Ok(node) => GraphValue::new(&self.engine, node),
            Err(error) => {
                self.engine.poison(error);
                self.clone()
            }
        }
    }

    /// Row-major, copied only if need be.
    pub fn contiguous(&self) -> GraphValue {
        self.call(&primitive::CONTIGUOUS, &[], Attrs::new())
    }
}
