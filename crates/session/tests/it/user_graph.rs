//! `lab.graph`: the engine that a learner wrote, on stage, with what its `backward()` did.

#![cfg(feature = "python")]

use glowgrad_session::protocol::{Command, Event, NodeKind, StageGraph, TraceEvent};
use glowgrad_session::spawn;

/// An engine in the manner of micrograd: closures, and a set of operands where `{operands}` says so.
fn engine(operands: &str) -> String {
    [
        "class Value:
    def __init__(self, data, prev=(), op=''):
        self.data, self.grad, self._op = data, 0.0, op
        self._prev = ",
        operands,
        "(prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other), '+')

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), '*')

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for source in node._prev:
                    visit(source)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()

from glowgrad import lab
",
    ]
    .concat()
}

fn run(source: &str) -> (Option<StageGraph>, Option<String>) {
    let session = spawn().expect("a thread");
    assert!(session.send(Command::RunCell {
        id: 1,
        cell: "cell 1".to_owned(),
        source: source.to_owned(),
        until: None
    }));
    let (mut graph, mut error) = (None, None);
    for event in session.events.iter() {
        match event {
            Event::Graph { graph: drawn, .. } => graph = Some(drawn),
            Event::Error { error: raised, .. } => {
                error = Some([&raised.kind, ": ", &raised.message].concat());
            }
            Event::Done { .. } => break,
            _ => {}
        }
    }
    (graph, error)
}

fn drawn(source: &str) -> StageGraph {
    let (graph, error) = run(source);
    assert_eq!(error, None);
    graph.expect("a graph")
}

fn value(graph: &StageGraph, id: u32) -> f64 {
    graph.previews[id as usize].values[0]
}

fn id(graph: &StageGraph, name: &str) -> u32 {
    let found = graph.nodes.iter().find(|n| n.name.as_deref() == Some(name));
    found.expect(name).id
}

/// The wave as words: who sent what to whom.
fn wave(graph: &StageGraph) -> Vec<String> {
    let name = |at: &u32| graph.nodes[*at as usize].name.clone().unwrap_or_default();
    let mut out = Vec::new();
    for event in &graph.events {
        match event {
            TraceEvent::Backward { root, gradient } => {
                out.push(format!("{} begins {}", name(root), value(graph, *gradient)));
            }
            TraceEvent::Vjp {
                node,
                gradient,
                grads,
            } => {
                let sent: Vec<String> = graph.nodes[*node as usize]
                    .src
                    .iter()
                    .zip(grads)
                    .map(|(s, g)| {
                        format!("{} {}", name(s), g.map_or(f64::NAN, |g| value(graph, g)))
                    })
                    .collect();
                out.push(format!(
                    "{} {} sends {}",
                    name(node),
                    value(graph, *gradient),
                    sent.join(", ")
                ));
            }
            TraceEvent::Accumulate { node, added, sum } => out.push(format!(
                "{} += {} makes {}",
                name(node),
                value(graph, *added),
                value(graph, *sum)
            )),
            TraceEvent::Grad { node, gradient, .. } => {
                out.push(format!("{}.grad {}", name(node), value(graph, *gradient)));
            }
            TraceEvent::BackwardEnd { root } => out.push(format!("{} ends", name(root))),
            TraceEvent::Made { .. } | TraceEvent::Write { .. } => {}
        }
    }
    out
}

const SQUARE: &str = "a = Value(3.0)\nb = Value(2.0)\nc = a * a\nd = c * b + a\nlab.graph(d)\nassert a.grad == 13.0 and 'grad' not in vars(Value)\n";

#[test]
fn the_wave_is_the_one_the_learners_code_made() {
    for operands in ["tuple", "list"] {
        let graph = drawn(&[&engine(operands), SQUARE].concat());
        assert_eq!(graph.nodes[id(&graph, "d") as usize].kind, NodeKind::Loss);
        assert_eq!(
            graph.nodes[id(&graph, "a") as usize].kind,
            NodeKind::Parameter
        );
        assert_eq!(graph.nodes[id(&graph, "c") as usize].symbol, "×");
        assert_eq!(
            wave(&graph),
            [
                "d begins 1",
                "d 1 sends  1, a 1",
                " 1 sends c 2, b 9",
                "b.grad 9",
                "c 2 sends a 6, a 6",
                "a += 6 makes 7",
                "a += 6 makes 13",
                "a.grad 13",
                "d ends",
            ]
        );
    }
}

#[test]
fn a_node_is_known_by_the_variable_that_came_first() {
    let graph = drawn(
        &[
            &engine("tuple"),
            "a = Value(3.0)\nweights = [Value(2.0), Value(5.0)]\nboth = [a]\nfor w in weights:\n    a = a * w\nloss = a\nlab.graph(loss)\n",
        ]
        .concat(),
    );
    let names: Vec<&str> = graph
        .nodes
        .iter()
        .filter_map(|n| n.name.as_deref())
        .collect();
    assert_eq!(names, ["both[0]", "weights[0]", "weights[1]", "a"]);
}

#[test]
fn a_set_of_operands_loses_no_gradient() {
    let graph = drawn(&[&engine("set"), SQUARE].concat());
    let (a, c) = (id(&graph, "a"), id(&graph, "c"));
    assert_eq!(graph.nodes[c as usize].src, [a, a]);
    assert_eq!(value(&graph, a), 3.0);
    assert!(wave(&graph).contains(&"a += 6 makes 13".to_owned()));
}

#[test]
fn what_is_wrong_is_drawn_as_it_is_and_an_error_keeps_the_picture() {
    let wrong = engine("tuple").replace("other.grad += self.data", "other.grad = self.data");
    let graph = drawn(&[&wrong, "a = Value(3.0)\nc = a * a\nlab.graph(c)\n"].concat());
    let last = wave(&graph);
    assert!(last.contains(&"a.grad 3".to_owned()), "{last:?}");

    let raises = engine("tuple").replace("order.append(node)", "order.append(nodes)");
    let (graph, error) = run(&[&raises, SQUARE].concat());
    assert!(error.is_some_and(|e| e.starts_with("NameError")));
    assert_eq!(graph.expect("the forward graph").nodes.len(), 5);
}

#[test]
fn what_is_no_engine_gets_an_answer() {
    let cases = [
        ("lab.graph(3)", "TypeError: graph: got a int"),
        (
            "import glowgrad as torch\nlab.graph(torch.ones(2))",
            "the graph of tensors is on stage by itself",
        ),
        (
            "a = Value([1])\na.backward = None\nlab.graph(a)",
            "TypeError: graph: .data of a node is a list; expected a number",
        ),
        (
            "a = Value(1.0)\nfor _ in range(700):\n    a = a + a\nlab.graph(a)",
            "ValueError: graph: more than 600 nodes",
        ),
    ];
    for (source, says) in cases {
        let (_, error) = run(&[&engine("tuple"), source].concat());
        let error = error.unwrap_or_default();
        assert!(error.contains(says), "{source}: {error}");
    }
    // Cycles and strange nodes end.
    let graph = drawn(
        &[
            &engine("tuple"),
            "a = Value(1.0)\nb = a + a\na._prev = (b,)\nb.backward = lambda: None\nlab.graph(b)\n",
        ]
        .concat(),
    );
    assert_eq!(graph.nodes.len(), 2);
}

/// An engine of arrays: one rule for a product of matrices, one for a sum of all elements.
const ARRAYS: &str = "
from glowgrad import lab

class Node:
    def __init__(self, data, prev=(), op='', rules=()):
        self.data, self.grad, self._prev, self._op, self._rules = data, 0.0, prev, op, rules

    def __matmul__(self, other):
        rules = lambda gy: gy @ other.data.T, lambda gy: self.data.T @ gy
        return Node(self.data @ other.data, (self, other), '@', rules)

    def sum(self):
        return Node(self.data.sum(), (self,), 'sum', (lambda gy: gy * (self.data * 0 + 1),))

    def backward(self):
        self.grad = 1.0
        order = [self]
        while order:
            node = order.pop()
            for source, rule in zip(node._prev, node._rules):
                source.grad = source.grad + rule(node.grad)
                order.append(source)

x = Node(lab.array([[1, 2, 3], [4, 5, 6]]))
w = Node(lab.array([[1.0], [0.5], [-1.0]]))
";

#[test]
fn nodes_may_hold_arrays() {
    let graph = drawn(&format!(
        "{ARRAYS}y = x @ w\nloss = y.sum()\nlab.graph(loss)\nw.data -= w.grad"
    ));
    let node = |name: &str| &graph.nodes[id(&graph, name) as usize];
    assert_eq!(node("x").shape, [2, 3]);
    assert_eq!(node("w").dtype, "float32");
    assert_eq!(
        (node("y").shape.as_slice(), node("y").op.as_str()),
        (&[2, 1][..], "matmul")
    );
    let preview = |id: u32| graph.previews[id as usize].values.clone();
    assert_eq!(preview(id(&graph, "x")), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    // As it was when the graph was drawn: what the cell wrote after that is not in it.
    assert_eq!(preview(id(&graph, "w")), [1.0, 0.5, -1.0]);
    assert_eq!(preview(id(&graph, "y")), [-1.0, 0.5]);
    let filled: Vec<(u32, Vec<f64>)> = graph
        .events
        .iter()
        .filter_map(|event| match event {
            TraceEvent::Grad { node, gradient, .. } => Some((*node, preview(*gradient))),
            _ => None,
        })
        .collect();
    assert!(
        filled.contains(&(id(&graph, "w"), vec![5.0, 7.0, 9.0])),
        "{filled:?}"
    );
    assert!(
        graph
            .events
            .iter()
            .any(|e| matches!(e, TraceEvent::BackwardEnd { .. }))
    );
}

#[test]
fn a_nan_in_an_array_is_found_where_it_began() {
    let graph = drawn(&format!(
        "{ARRAYS}x.data[0, 0] = float('nan')\ny = x @ w\nloss = y.sum()\nlab.graph(loss)"
    ));
    let found = graph.non_finite.as_ref().expect("a finding");
    let first = &found.findings[0];
    assert_eq!(
        (first.node, first.element.clone()),
        (id(&graph, "x"), Some(vec![0, 0]))
    );
}
