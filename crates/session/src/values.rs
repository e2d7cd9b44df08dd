//! Which values a picture shows: those that are there, and those that little work gives.
//!
//! A fused kernel stores its last result alone, so the values between are computed again for the picture.
//! Invariant: staging never fails and never takes long. A value that nothing has asked for, such as an
//! unread product of large matrices, is computed only within [`MOST_WORK`] and [`STEP_BYTES`] for the
//! whole picture; beyond them the picture has no numbers for it.

use std::collections::HashMap;

use glowgrad::graph::STEP_BYTES;
use glowgrad::node::NodeRef;
use glowgrad::op::Kind;
use glowgrad::trace::NodeId;
use glowgrad::{Engine, interrupt};

#[cfg(feature = "python")]
use crate::nonfinite::{self, Numbers};
use crate::protocol::Preview;
#[cfg(feature = "python")]
use crate::protocol::{NonFinite, StageGraph};
#[cfg(feature = "python")]
use crate::stage::MOST_READ;
use crate::stage::preview;
#[cfg(feature = "python")]
use glowgrad::Scalar;

/// Operations spent on values that are not there, for one picture: at most a second or two in a page.
const MOST_WORK: f64 = 2e9;
/// Bytes of values that are computed together.
const TOGETHER: usize = STEP_BYTES / 4;

/// Previews of the values on stage that can be shown, at most `len` elements each. The step alone holds
/// the nodes, so that it can keep their values within its budget meanwhile.
pub(crate) fn previews(engine: &Engine, len: usize) -> Vec<Preview> {
    if !cfg!(feature = "python") {
        // The landing page's few values cost nothing.
        let values = engine.with_step(|step| step.staged.clone());
        let _ = engine.realize(&values);
        let previews = (0..)
            .zip(&values)
            .map(|(id, node)| preview(engine, id, node, len));
        return previews.filter_map(Result::ok).collect();
    }
    let n = engine.with_step(|step| step.staged.len());
    let node = |i: usize| engine.with_step(|step| step.staged[i].clone());
    // A Stop that ended the cell does not take its picture away.
    interrupt::paused(|| {
        let mut budget = Budget::default();
        let shown: Vec<bool> = (0..n).map(|i| budget.allows(&node(i))).collect();
        let mut previews = Vec::new();
        let mut start = 0;
        while start < n {
            let end = start + engine.with_step(|step| length_of_part(&step.staged[start..]));
            let part: Vec<NodeRef> = (start..end).filter(|&i| shown[i]).map(node).collect();
            // One value that cannot be had must not take the others along.
            if engine.realize(&part).is_err() {
                part.iter().for_each(|node| {
                    let _ = engine.realize(std::slice::from_ref(node));
                });
            }
            drop(part);
            for i in (start..end).filter(|&i| shown[i]) {
                previews.extend(preview(engine, i as u32, &node(i), len));
            }
            engine.trim_step(STEP_BYTES);
            start = end;
        }
        previews
    })
}

/// The values of the step on stage, for what looks where they first went wrong.
#[cfg(feature = "python")]
pub(crate) struct Staged<'a>(pub(crate) &'a Engine);

#[cfg(feature = "python")]
impl Numbers for Staged<'_> {
    fn read(&self, id: u32) -> Option<Vec<f64>> {
        let node = self.node(id)?;
        let bytes = self.0.read_first(&node, MOST_READ).ok()?;
        let values = Scalar::of_bytes(&bytes, node.dtype);
        Some(values.iter().map(|x| x.as_f64()).collect())
    }

    fn node(&self, id: u32) -> Option<NodeRef> {
        self.0
            .with_step(|step| step.staged.get(id as usize).cloned())
    }
}

/// Where the numbers of the step on stage first went wrong. A preview was made of each value that is read, so
/// that reading it again is little work.
#[cfg(feature = "python")]
pub(crate) fn non_finite(engine: &Engine, graph: &StageGraph) -> Option<NonFinite> {
    interrupt::paused(|| {
        let found = nonfinite::find(graph, &Staged(engine));
        engine.trim_step(STEP_BYTES);
        found
    })
}

/// How many of the values are computed together.
fn length_of_part(values: &[NodeRef]) -> usize {
    let mut bytes = 0;
    let fits = |node: &&NodeRef| {
        bytes += if node.has_value() { 0 } else { bytes_of(node) };
        bytes <= TOGETHER
    };
    values.iter().take_while(fits).count().max(1)
}

fn bytes_of(node: &NodeRef) -> usize {
    node.numel().saturating_mul(node.dtype.size())
}

/// What may still be spent, and what is known of nodes.
#[derive(Default)]
pub(crate) struct Budget {
    work: f64,
    bytes: usize,
    known: HashMap<NodeId, bool>,
}

impl Budget {
    /// Whether a value is there, or is computed within what is left.
    pub(crate) fn allows(&mut self, node: &NodeRef) -> bool {
        let mut stack = vec![(node.clone(), false)];
        while let Some((node, ready)) = stack.pop() {
            if self.known.contains_key(&node.id) {
                continue;
            }
            if node.has_value() || node.number.is_some() {
                self.known.insert(node.id, true);
                continue;
            }
            let sources = node.src();
            if !ready {
                stack.push((node, true));
                stack.extend(sources.into_iter().map(|source| (source, false)));
                continue;
            }
            let all = |source: &NodeRef| self.known.get(&source.id) == Some(&true);
            let allowed = !sources.is_empty() && sources.iter().all(all) && self.takes(&node);
            self.known.insert(node.id, allowed);
        }
        self.known.get(&node.id) == Some(&true)
    }

    /// Spends what a node costs when its sources are there, unless it is too much.
    fn takes(&mut self, node: &NodeRef) -> bool {
        let (n, sources) = (node.numel() as f64, node.src());
        let read: f64 = sources.iter().map(|source| source.numel() as f64).sum();
        let (work, bytes) = match node.op.kind {
            Kind::Movement(_) | Kind::Leaf => (0.0, 0),
            Kind::Elementwise(_) => (4.0 * n, bytes_of(node)),
            Kind::Reduce(_) => (4.0 * (n + read), bytes_of(node)),
            // A product of two n × n matrices takes n³ operations, an inverse as many.
            _ => ((n + read).powf(1.5), bytes_of(node)),
        };
        let (work, bytes) = (self.work + work, self.bytes.saturating_add(bytes));
        if work > MOST_WORK || bytes > STEP_BYTES {
            return false;
        }
        (self.work, self.bytes) = (work, bytes);
        true
    }
}
