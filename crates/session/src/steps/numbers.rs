//! The numbers that a step comes to, read where they are there: nothing is computed, and no device is waited for.

use glowgrad::node::NodeRef;
use glowgrad::trace::{Event, NodeId};
use glowgrad::{DType, Engine, Scalar};

/// The number in a value of one element, if it is there.
pub(super) fn number_of(engine: &Engine, node: &NodeRef) -> Option<f64> {
    if node.numel() != 1 {
        return None;
    }
    let bytes = engine.bytes_there(node)?;
    Scalar::of_bytes(&bytes, node.dtype)
        .first()
        .map(|x| x.as_f64())
}

/// The Euclidean norm of all gradients that leaves got in the step on stage.
pub(super) fn gradient_norm(engine: &Engine) -> Option<f64> {
    // The last gradient of each leaf, in the order in which they came.
    let mut arrived: Vec<(NodeId, NodeId)> = Vec::new();
    engine.trace().with_events(|events| {
        for event in events {
            if let Event::Grad { node, gradient, .. } = event {
                arrived.retain(|(leaf, _)| leaf != node);
                arrived.push((*node, *gradient));
            }
        }
    });
    if arrived.is_empty() {
        return None;
    }
    let squares = engine.with_step(|step| {
        let mut squares = arrived.iter().map(|(_, id)| {
            let gradient = step.gradients.iter().rev().find(|each| each.id == *id);
            squares_of(engine, gradient?)
        });
        squares.try_fold(0.0, |sum, next| Some(sum + next?))
    });
    squares.map(f64::sqrt)
}

fn squares_of(engine: &Engine, node: &NodeRef) -> Option<f64> {
    /// Sums that run side by side, which is what vector instructions want.
    const LANES: usize = 8;
    let bytes = engine.bytes_there(node)?;
    if node.dtype != DType::F32 {
        let values = Scalar::of_bytes(&bytes, node.dtype);
        return Some(values.iter().map(|x| x.as_f64() * x.as_f64()).sum());
    }
    let mut sums = [0.0_f64; LANES];
    for part in bytes.chunks(4 * LANES) {
        for (sum, x) in sums.iter_mut().zip(part.as_chunks::<4>().0) {
            let x = f64::from(f32::from_le_bytes(*x));
            *sum += x * x;
        }
    }
    Some(sums.iter().sum())
}
