//! The bytes of the step on stage over time, and what was alive at the peak.
//!
//! Put together afterwards from the trace's own counts. A buffer goes by the variable that holds it, or
//! else by the node it was allocated for; one that is older than the step is known only while a variable
//! or the stage still holds it.

use std::collections::HashMap;

use glowgrad::DType;
use glowgrad::trace::{Event, NodeId, Purpose};

use super::{MemoryMapBuilder, bytes_of};
use crate::protocol::{MemoryHolder, MemoryPoint, MemoryUsage};
use crate::stage::name_of;

/// Most points of the curve.
const MAX_POINTS: usize = 1024;
/// Most buffers listed at the peak.
const MAX_HOLDERS: usize = 64;

impl MemoryMapBuilder<'_> {
    pub(super) fn usage(&self, events: &[Event]) -> MemoryUsage {
        let trace = self.subject.engine.trace();
        let named = Named::new(self, events);
        let pools = trace.pooled().is_some();
        let mut points: Vec<MemoryPoint> = Vec::new();
        let mut before = None;
        let mut purposes: HashMap<u64, &Purpose> = HashMap::new();
        for event in events {
            let (buffer, change, live, pooled) = match event {
                Event::Allocated {
                    buffer,
                    bytes,
                    live,
                    pooled,
                    purpose,
                } => {
                    purposes.insert(*buffer, purpose);
                    (*buffer, *bytes as f64, *live as f64, *pooled)
                }
                Event::Freed {
                    buffer,
                    bytes,
                    live,
                    pooled,
                } => (*buffer, -(*bytes as f64), *live as f64, *pooled),
                _ => continue,
            };
            before.get_or_insert(live - change);
            let (name, node) = named.of(buffer, purposes.get(&buffer).copied());
            points.push(MemoryPoint {
                bytes: change,
                name,
                node,
                live,
                pooled: pools.then_some(pooled as f64),
            });
        }
        let highest = (points.iter().enumerate())
            .reduce(|best, next| {
                if next.1.live > best.1.live {
                    next
                } else {
                    best
                }
            })
            .map(|(at, point)| (at, point.live));
        let (alive, others) = match highest {
            Some((at, live)) => self.alive(events, at, live, &named),
            None => (Vec::new(), 0.0),
        };
        let points = thinned(points);
        MemoryUsage {
            before: before.unwrap_or(trace.memory().live as f64),
            peak: highest
                .and_then(|(_, live)| points.iter().position(|p| p.live >= live))
                .map(|at| at as u32),
            points,
            alive,
            others,
            dropped: trace.dropped() as u32,
        }
    }

    /// What was alive after a number of allocations and frees, and the bytes that are not known.
    fn alive(
        &self,
        events: &[Event],
        at: usize,
        live: f64,
        named: &Named<'_>,
    ) -> (Vec<MemoryHolder>, f64) {
        let mut alive: HashMap<u64, (usize, Option<&Purpose>)> = HashMap::new();
        let mut began: HashMap<u64, bool> = HashMap::new();
        let moments = events
            .iter()
            .filter(|e| matches!(e, Event::Allocated { .. } | Event::Freed { .. }));
        for (i, event) in moments.enumerate() {
            match event {
                Event::Allocated {
                    buffer,
                    bytes,
                    purpose,
                    ..
                } => {
                    began.insert(*buffer, true);
                    if i <= at {
                        alive.insert(*buffer, (*bytes, Some(purpose)));
                    }
                }
                Event::Freed { buffer, .. } if i <= at => {
                    alive.remove(buffer);
                    began.insert(*buffer, true);
                }
                // Freed later and allocated before the step.
                Event::Freed { buffer, bytes, .. } if !began.contains_key(buffer) => {
                    alive.insert(*buffer, (*bytes, None));
                }
                _ => {}
            }
        }
        // What is there now and was there before the step.
        let first = began.keys().min().copied().unwrap_or(u64::MAX);
        for (&buffer, &index) in &self.buffers {
            if buffer < first {
                let bytes = self.map.buffers[index as usize].bytes as usize;
                alive.entry(buffer).or_insert((bytes, None));
            }
        }
        let mut holders: Vec<(u64, MemoryHolder)> = alive
            .into_iter()
            .filter_map(|(buffer, (bytes, purpose))| {
                Some((buffer, self.holder(buffer, bytes, purpose, named)?))
            })
            .filter(|(_, holder)| holder.bytes > 0.0)
            .collect();
        holders.sort_by(|(i, a), (j, b)| b.bytes.total_cmp(&a.bytes).then(i.cmp(j)));
        holders.truncate(MAX_HOLDERS);
        let holders: Vec<MemoryHolder> = holders.into_iter().map(|(_, holder)| holder).collect();
        let known: f64 = holders.iter().map(|h| h.bytes).sum();
        (holders, (live - known).max(0.0))
    }

    fn holder(
        &self,
        buffer: u64,
        bytes: usize,
        purpose: Option<&Purpose>,
        named: &Named<'_>,
    ) -> Option<MemoryHolder> {
        let (name, node) = named.of(buffer, purpose);
        let view = self
            .buffers
            .get(&buffer)
            .and_then(|index| self.map.views.iter().find(|view| view.buffer == *index));
        // As the learner knows it: the value, or the gradient of one, and not what it was lowered to.
        let node_of = node.map(|id| &self.subject.nodes[id as usize]);
        let known = node_of.filter(|n| bytes_of(n) == bytes);
        let whole = view.filter(|v| {
            let size = DType::parse(&v.dtype).map_or(1, DType::size);
            v.name.is_some() && v.shape.iter().product::<usize>() * size == bytes
        });
        let purpose = purpose.filter(|_| whole.is_none());
        let known = known.filter(|_| whole.is_none());
        let (shape, dtype, (cell, line)) = match (purpose, known, view) {
            (_, Some(n), _) => (n.shape.to_vec(), n.dtype, self.place_of(n.span)),
            (Some(p), None, _) => (p.shape.to_vec(), p.dtype, self.place_of(p.span)),
            (None, None, Some(v)) => {
                let dtype = DType::parse(&v.dtype).unwrap_or(DType::F32);
                (v.shape.clone(), dtype, (v.cell.clone(), v.line))
            }
            (None, None, None) => return None,
        };
        Some(MemoryHolder {
            name,
            node,
            shape,
            dtype: dtype.name().to_owned(),
            bytes: bytes as f64,
            cell,
            line,
        })
    }
}

/// What buffers are called: by a variable, by the node on stage, as a gradient, by the op.
struct Named<'a> {
    builder: &'a MemoryMapBuilder<'a>,
    /// Whose gradient a node is.
    gradients: HashMap<NodeId, NodeId>,
}

impl<'a> Named<'a> {
    fn new(builder: &'a MemoryMapBuilder<'a>, events: &[Event]) -> Named<'a> {
        let mut gradients = HashMap::new();
        for event in events {
            match event {
                Event::Vjp { node, gradient, .. } => {
                    gradients.entry(*gradient).or_insert(*node);
                }
                Event::Grad { node, gradient, .. } => {
                    gradients.insert(*gradient, *node);
                }
                Event::Accumulate { node, added, sum } => {
                    gradients.entry(*added).or_insert(*node);
                    gradients.entry(*sum).or_insert(*node);
                }
                _ => {}
            }
        }
        Named { builder, gradients }
    }

    fn of(&self, buffer: u64, purpose: Option<&Purpose>) -> (String, Option<u32>) {
        let index = self.builder.buffers.get(&buffer);
        let views = &self.builder.map.views;
        let view = index.and_then(|index| views.iter().find(|view| view.buffer == *index));
        if let Some(view) = view.filter(|view| view.name.is_some()) {
            return (view.name.clone().unwrap_or_default(), view.node);
        }
        if let Some(name) = purpose.and_then(|p| self.node(p.node)) {
            return name;
        }
        if let Some((name, id)) = purpose
            .and_then(|p| self.gradients.get(&p.node))
            .and_then(|of| self.node(*of))
        {
            return (format!("gradient of {name}"), id);
        }
        match (view.and_then(|view| view.node), purpose) {
            (Some(id), _) => (self.title(id), Some(id)),
            (None, Some(purpose)) => (purpose.op.to_owned(), None),
            (None, None) => ("from before".to_owned(), None),
        }
    }

    fn node(&self, node: NodeId) -> Option<(String, Option<u32>)> {
        let id = *self.builder.ids.get(&node)?;
        Some((self.title(id), Some(id)))
    }

    fn title(&self, id: u32) -> String {
        let subject = self.builder.subject;
        let node = &subject.nodes[id as usize];
        name_of(node, subject.names).unwrap_or_else(|| node.op.name.to_owned())
    }
}

/// At most [`MAX_POINTS`], the highest of each stretch.
fn thinned(points: Vec<MemoryPoint>) -> Vec<MemoryPoint> {
    let stretch = points.len().div_ceil(MAX_POINTS).max(1);
    if stretch == 1 {
        return points;
    }
    let highest = |part: &[MemoryPoint]| {
        part.iter()
            .max_by(|a, b| a.live.total_cmp(&b.live))
            .cloned()
    };
    points.chunks(stretch).filter_map(highest).collect()
}
