//! Where tensors lie: [`MemoryMap`].
//!
//! Variables are told of as PyTorch tells of them: by their storage, with the strides and the offset
//! that `x.stride()` and `x.storage_offset()` give. A storage whose elements the engine sees through
//! another buffer (a flip that was not computed) still counts as memory of its own, because a write
//! would make it so. The caller turns recording off: the trace stays that of the learner's run. Bytes
//! over time are in `usage`.

mod usage;

use std::collections::HashMap;

use glowgrad::node::{NodeRef, Span};
use glowgrad::trace::NodeId;
use glowgrad::{Engine, Tensor, View};

use crate::protocol::{MemoryBuffer, MemoryMap, MemoryView};

/// Most tensors told of.
const MAX_VIEWS: usize = 1024;
/// Bytes sent of each buffer.
const HEAD_BYTES: usize = 4096;
/// Most buffers whose bytes are sent.
const MAX_HEADS: usize = 256;
/// A value that waits to be computed is computed to be shown only up to this size.
const MAX_COMPUTED_BYTES: usize = 16 << 20;

/// What is told of.
pub(crate) struct Subject<'a> {
    pub(crate) engine: &'a Engine,
    /// Variables and parameters that hold tensors.
    pub(crate) names: &'a [(String, Tensor)],
    /// The nodes of the graph on stage, by its ids.
    pub(crate) nodes: &'a [NodeRef],
    /// The name of a span's cell.
    pub(crate) cell_name: &'a dyn Fn(u32) -> Option<String>,
}

/// Where everything lies.
pub(crate) fn memory(subject: &Subject<'_>) -> MemoryMap {
    let mut builder = MemoryMapBuilder {
        subject,
        map: MemoryMap::default(),
        storages: HashMap::new(),
        buffers: HashMap::new(),
        // First, because looking at values would be the last thing it saw.
        ids: subject
            .nodes
            .iter()
            .zip(0..)
            .map(|(n, id)| (n.id, id))
            .collect(),
    };
    let events = subject.engine.trace().events();
    for (name, tensor) in subject.names {
        builder.variable(name, tensor);
        if let Some(gradient) = tensor.grad() {
            builder.variable(&format!("{name}.grad"), &gradient);
        }
    }
    for (node, id) in subject.nodes.iter().zip(0..) {
        builder.node(node, id);
    }
    builder.map.usage = builder.usage(&events);
    builder.map
}

struct MemoryMapBuilder<'a> {
    subject: &'a Subject<'a>,
    map: MemoryMap,
    /// Buffers of the map by the storage of variables.
    storages: HashMap<usize, u32>,
    /// Buffers of the map by the engine's number.
    buffers: HashMap<u64, u32>,
    /// Ids of the nodes on stage.
    ids: HashMap<NodeId, u32>,
}

impl MemoryMapBuilder<'_> {
    fn is_full(&mut self) -> bool {
        let full = self.map.views.len() >= MAX_VIEWS;
        self.map.left_out += u32::from(full);
        full
    }

    fn variable(&mut self, name: &str, tensor: &Tensor) {
        if self.is_full() {
            return;
        }
        let storage = tensor.storage_node();
        let buffer = match self.storages.get(&tensor.storage_id()) {
            Some(&buffer) => buffer,
            None => {
                let buffer = self.buffer(&storage);
                self.storages.insert(tensor.storage_id(), buffer);
                buffer
            }
        };
        let node = tensor.node();
        let on_stage = self.ids.get(&node.id).copied().or_else(|| {
            // A write gives a leaf a new node.
            let same = |n: &NodeRef| match (n.slot(), node.slot()) {
                (Some(one), Some(other)) => std::rc::Rc::ptr_eq(one, other),
                _ => false,
            };
            let at = self.subject.nodes.iter().position(same)?;
            u32::try_from(at).ok()
        });
        self.view(
            Some(name.to_owned()),
            on_stage,
            buffer,
            &node,
            tensor.view(),
        );
    }

    /// A value that no variable holds.
    fn node(&mut self, node: &NodeRef, id: u32) {
        if self.map.views.iter().any(|view| view.node == Some(id)) || self.is_full() {
            return;
        }
        let engine = self.subject.engine;
        let placed = engine.place(node);
        let known = placed.and_then(|(buffer, view)| {
            let known = self.buffers.get(&buffer.id()).copied();
            let known =
                known.or_else(|| (buffer.bytes() == bytes_of(node)).then(|| self.buffer(node)))?;
            // PyTorch has no strides below zero: what reads backwards is a copy there.
            view.strides
                .iter()
                .all(|&s| s >= 0)
                .then_some((known, view))
        });
        let (buffer, view) =
            known.unwrap_or_else(|| (self.buffer(node), View::contiguous(&node.shape)));
        self.view(None, Some(id), buffer, node, view);
    }

    fn view(
        &mut self,
        name: Option<String>,
        id: Option<u32>,
        buffer: u32,
        node: &NodeRef,
        view: View,
    ) {
        let (cell, line) = self.place_of(node.span);
        self.map.views.push(MemoryView {
            name,
            node: id,
            buffer,
            shape: view.shape.to_vec(),
            strides: view.strides.to_vec(),
            offset: view.offset,
            dtype: node.dtype.name().to_owned(),
            cell,
            line,
        });
    }

    fn place_of(&self, span: Span) -> (Option<String>, Option<u32>) {
        (
            (self.subject.cell_name)(span.cell),
            (span.line > 0).then_some(span.line),
        )
    }

    /// The memory that holds all of a node's elements row-major.
    fn buffer(&mut self, node: &NodeRef) -> u32 {
        let engine = self.subject.engine;
        let size = bytes_of(node);
        let heads = self.map.buffers.len() < MAX_HEADS;
        let computed = engine.place(node).is_some() || node.number.is_some();
        let mut head = Vec::new();
        if heads && (computed || size <= MAX_COMPUTED_BYTES) {
            // What cannot be computed is told of where the learner reads it.
            let _ = engine.realize(std::slice::from_ref(node));
            let n = HEAD_BYTES / node.dtype.size();
            head = engine.read_first(node, n).unwrap_or_default();
        }
        let number = engine.place(node).and_then(|(buffer, view)| {
            let whole = view == View::contiguous(&node.shape) && buffer.bytes() == size;
            whole.then(|| buffer.id())
        });
        let index = self.map.buffers.len() as u32;
        if let Some(number) = number {
            self.buffers.entry(number).or_insert(index);
        }
        self.map.buffers.push(MemoryBuffer {
            id: number.map(|id| id as f64),
            dtype: node.dtype.name().to_owned(),
            bytes: size as f64,
            head: base64(&head),
        });
        index
    }
}

fn bytes_of(node: &NodeRef) -> usize {
    node.numel() * node.dtype.size()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let byte = |i: usize| u32::from(part.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
            text.push(if i > part.len() {
                '='
            } else {
                char::from(digit)
            });
        }
    }
    text
}
