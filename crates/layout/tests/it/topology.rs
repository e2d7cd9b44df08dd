//! Graphs to lay out: random ones, and the training step of a ResNet-18.
//!
//! Invariant: the same arguments give the same graph; an operand always comes before its user. The
//! page's tests read the ResNet from `www/src/stage/fixtures/resnet18.json`, which is written here.

use std::fmt::Write as _;

use glowgrad_layout::{Item, Room};

/// A node of a topology.
pub(crate) struct Node {
    pub(crate) op: &'static str,
    /// The module it was made in; empty outside of all.
    pub(crate) scope: String,
    pub(crate) src: Vec<usize>,
}

/// A graph that grows call by call.
#[derive(Default)]
pub(crate) struct Topology {
    pub(crate) nodes: Vec<Node>,
}

impl Topology {
    fn call(&mut self, op: &'static str, scope: &str, src: &[usize]) -> usize {
        self.nodes.push(Node {
            op,
            scope: scope.to_owned(),
            src: src.to_vec(),
        });
        self.nodes.len() - 1
    }

    fn chain(&mut self, ops: &[&'static str], scope: &str, first: usize) -> usize {
        ops.iter().fold(first, |at, op| self.call(op, scope, &[at]))
    }

    fn convolution(&mut self, scope: &str, x: usize) -> usize {
        let weight = self.call("leaf", scope, &[]);
        let columns = self.chain(&["pad", "unfold", "reshape"], scope, x);
        let flat = self.call("reshape", scope, &[weight]);
        let product = self.call("matmul", scope, &[flat, columns]);
        self.chain(&["reshape"], scope, product)
    }

    /// Batch normalisation as the primitives it unfolds into.
    fn normalisation(&mut self, scope: &str, x: usize) -> usize {
        let (weight, bias) = (self.call("leaf", scope, &[]), self.call("leaf", scope, &[]));
        let mean = self.chain(&["sum", "mul", "expand"], scope, x);
        let centred = self.call("sub", scope, &[x, mean]);
        let square = self.call("mul", scope, &[centred, centred]);
        let variance = self.chain(&["sum", "mul", "add", "rsqrt", "expand"], scope, square);
        let normal = self.call("mul", scope, &[centred, variance]);
        let scaled = self.call("mul", scope, &[normal, weight]);
        self.call("add", scope, &[scaled, bias])
    }

    fn block(&mut self, scope: &str, x: usize, narrows: bool) -> usize {
        let mut at = self.convolution(&format!("{scope}.conv1"), x);
        at = self.normalisation(&format!("{scope}.bn1"), at);
        at = self.call("relu", scope, &[at]);
        at = self.convolution(&format!("{scope}.conv2"), at);
        at = self.normalisation(&format!("{scope}.bn2"), at);
        let shortcut = if narrows {
            let x = self.convolution(&format!("{scope}.downsample.0"), x);
            self.normalisation(&format!("{scope}.downsample.1"), x)
        } else {
            x
        };
        let sum = self.call("add", scope, &[at, shortcut]);
        self.call("relu", scope, &[sum])
    }

    /// Adds the walk back as nodes: for each call one that reads the gradient that came and the
    /// values that its rule needs, and a sum where gradients meet.
    fn walk_back(&mut self) {
        let n_forward = self.nodes.len();
        let mut gradients: Vec<Option<usize>> = vec![None; n_forward];
        let last = n_forward - 1;
        gradients[last] = Some(self.call("ones", "", &[]));
        for at in (0..n_forward).rev() {
            let Some(incoming) = gradients[at] else {
                continue;
            };
            for (operand, source) in self.nodes[at].src.clone().into_iter().enumerate() {
                let others = self.nodes[at].src.clone();
                let scope = self.nodes[at].scope.clone();
                let mut read = vec![incoming];
                // A product's rule needs the other factor, a rectifier's its own operand.
                match self.nodes[at].op {
                    "mul" | "matmul" if others.len() == 2 => read.push(others[1 - operand]),
                    "relu" => read.push(source),
                    _ => {}
                }
                let product = self.call("rule", &scope, &read);
                let gradient = self.call("sum_to", &scope, &[product]);
                gradients[source] = Some(match gradients[source] {
                    None => gradient,
                    Some(before) => self.call("accumulate", &scope, &[before, gradient]),
                });
            }
        }
    }

    pub(crate) fn items(&self) -> Vec<Item> {
        self.nodes
            .iter()
            .map(|node| item(node.src.clone(), 30.0 + 9.0 * node.op.len() as f32))
            .collect()
    }

    /// One node a line: `[op, scope, operands]`.
    pub(crate) fn json(&self) -> String {
        let mut out = String::from("[");
        for (i, Node { op, scope, src }) in self.nodes.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            let _ = write!(out, "{comma}\n  [\"{op}\", \"{scope}\", {src:?}]");
        }
        out.push_str("\n]\n");
        out
    }
}

/// One training step of a ResNet-18, convolutions and normalisations unfolded.
pub(crate) fn resnet18(with_gradients: bool) -> Topology {
    let mut graph = Topology::default();
    let image = graph.call("leaf", "", &[]);
    let target = graph.call("leaf", "", &[]);
    let mut at = graph.convolution("model.conv1", image);
    at = graph.normalisation("model.bn1", at);
    at = graph.chain(&["relu", "max_pool2d"], "model", at);
    for layer in 1..=4 {
        for block in 0..2 {
            let scope = format!("model.layer{layer}.{block}");
            at = graph.block(&scope, at, layer > 1 && block == 0);
        }
    }
    at = graph.chain(&["mean", "flatten"], "model", at);
    let weight = graph.call("leaf", "model.fc", &[]);
    let bias = graph.call("leaf", "model.fc", &[]);
    let turned = graph.call("transpose", "model.fc", &[weight]);
    at = graph.call("matmul", "model.fc", &[at, turned]);
    at = graph.call("add", "model.fc", &[at, bias]);
    at = graph.chain(&["log_softmax"], "", at);
    at = graph.call("nll_loss", "", &[at, target]);
    debug_assert_eq!(at, graph.nodes.len() - 1);
    if with_gradients {
        graph.walk_back();
    }
    graph
}

/// A pseudo-random graph: every item reads up to three earlier ones.
pub(crate) fn random(seed: u64, n: usize) -> Vec<Item> {
    let mut state = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    (0..n)
        .map(|i| {
            let src = (0..if i == 0 { 0 } else { next(4) })
                .map(|_| next(i))
                .collect();
            item(src, 40.0 + next(60) as f32)
        })
        .collect()
}

/// A node of this length along the direction, with its labels across it.
pub(crate) fn item(src: Vec<usize>, along: f32) -> Item {
    Item {
        src,
        room: Room {
            along,
            before: 20.0,
            after: 36.0,
        },
    }
}
