//! `data[i:i + n]` in a step that is noted, where `i` was drawn in this step.
//!
//! A slice is a view, whose place is fixed when the step is noted. One whose place is drawn anew in each run is
//! taken as the elements at `i, i + 1, …` instead, which the step chooses by a tensor. Both have the same values
//! where the whole slice lies inside of the dimension for every number that can be drawn; others are not taken
//! here, and Python then looks at the number.
//!
//! Invariant: what is taken is a copy, so a step that writes on it, or on what it was taken from, fails.

use std::rc::{Rc, Weak};

use super::capture::capture_of;
use crate::dtype::{DType, Scalar};
use crate::graph::{Engine, NodeRef, StorageHandle};
use crate::ops::arithmetic::{ADD, SUB};
use crate::random::Draw;
use crate::tensor::Tensor;
use crate::{Error, Index, Result};

/// A slice that was taken as a copy: what no write may come to afterwards.
pub(super) struct Taken {
    storages: [Weak<dyn StorageHandle>; 2],
    /// How many writes there were before.
    n_written: usize,
}

impl Taken {
    /// An error where a step wrote on a slice that was taken as a copy, or on what it was taken from.
    pub(super) fn check(&self, written: &[Weak<dyn StorageHandle>]) -> Result<()> {
        let mut later = written.iter().skip(self.n_written);
        let is_own = |storage: &Weak<dyn StorageHandle>| {
            let mut own = self.storages.iter();
            own.any(|own| std::ptr::addr_eq(own.as_ptr(), storage.as_ptr()))
        };
        match later.any(is_own) {
            true => Err(Error::runtime(
                "train: a slice at a place that is drawn in the step is a copy there, so nothing may be written on it or on what it was taken from; write on data[i:i + n].clone()",
            )),
            false => Ok(()),
        }
    }
}

/// `tensor[start:stop]`, where both bounds follow from one number that was drawn in the step that is noted now;
/// none where that is not so.
///
/// # Errors
/// Those of making a tensor.
pub fn drawn_slice(tensor: &Tensor, start: &Tensor, stop: &Tensor) -> Option<Result<Tensor>> {
    let engine = tensor.engine();
    let capture = capture_of(engine)?;
    let (drawn, from) = offset(start.node())?;
    let (same, to) = offset(stop.node())?;
    if drawn.id != same.id || tensor.node().needs_grad {
        return None;
    }
    let (low, high) = bounds(engine, &drawn)?;
    let size = i64::try_from(*tensor.shape().first()?).ok()?;
    let least = low.checked_add(from)?;
    let most = high.checked_sub(1)?.checked_add(to)?;
    if least < 0 || most > size || to <= from {
        return None;
    }
    let taken = take(engine, tensor, drawn, from..to);
    if let Ok(taken) = &taken {
        let storages = [tensor, taken].map(|tensor| Rc::downgrade(&tensor.storage_handle()));
        let mut captured = capture.0.borrow_mut();
        let n_written = captured.written.len();
        captured.taken.push(Taken {
            storages,
            n_written,
        });
    }
    Some(taken)
}

fn take(
    engine: &Engine,
    tensor: &Tensor,
    drawn: NodeRef,
    places: std::ops::Range<i64>,
) -> Result<Tensor> {
    let places: Vec<i64> = places.collect();
    let places = Tensor::from_i64(engine, &places, &[places.len()])?;
    let drawn = Tensor::from_node(engine, drawn);
    let on_device = places.to_device(drawn.device())?;
    tensor.get(&[Index::Tensor(drawn.add(&on_device)?)])
}

/// An integer as another one and what was added to it.
fn offset(mut node: NodeRef) -> Option<(NodeRef, i64)> {
    let mut added = 0_i64;
    if node.dtype != DType::I64 || node.numel() != 1 || !node.shape.is_empty() {
        return None;
    }
    loop {
        let sources = node.src();
        let number = |node: &NodeRef| match node.number {
            Some(Scalar::Int(number)) => Some(number),
            _ => None,
        };
        let [a, b] = &sources[..] else {
            return Some((node, added));
        };
        let (other, by) = match (number(a), number(b)) {
            (_, Some(by)) if std::ptr::eq(node.op, &ADD) => (a.clone(), by),
            (Some(by), _) if std::ptr::eq(node.op, &ADD) => (b.clone(), by),
            (_, Some(by)) if std::ptr::eq(node.op, &SUB) => (a.clone(), by.checked_neg()?),
            _ => return Some((node, added)),
        };
        added = added.checked_add(by)?;
        node = other;
    }
}

/// Between which bounds a number was drawn in the step that is noted now, the upper one not included.
fn bounds(engine: &Engine, node: &NodeRef) -> Option<(i64, i64)> {
    let memory = engine.base(node)?.0.value()?;
    let capture = capture_of(engine)?;
    let captured = capture.0.borrow();
    let mut all = captured.drawn.iter();
    let drawn = all.find(|drawn| drawn.into.0.id() == memory.id())?;
    let n = drawn.into.0.bytes() / drawn.dtype.size();
    match drawn.draw {
        Draw::Integers {
            low,
            high: Some(high),
        } => Some((low, high)),
        Draw::Permutation => Some((0, i64::try_from(n).ok()?)),
        _ => None,
    }
}
