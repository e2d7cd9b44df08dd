//! The graph of an engine that a learner wrote (`lab.graph`), as the stage's data.
//!
//! It comes from a learner's objects, so every index in it is checked and what does not hold is left
//! out: nothing here panics. The rule shown for `+`, `*` or `tanh` is the one of the op with that
//! meaning in our registry; the numbers beside it are those that the learner's code gave, so that a
//! wrong rule shows itself. Numbers are computed nowhere here.

use glowgrad::node::NodeRef;
use glowgrad::op::Op;
use glowgrad::{DType, Engine, Scalar, Tensor, ops};
use glowgrad_python::{MOST_USER_NODES, UserEvent, UserGraph, UserValue};

use crate::describe::op_name;
use crate::nonfinite::{self, Numbers};
use crate::place::place;
use crate::protocol::{Flow, GraphNode, NodeKind, Preview, StageGraph, TraceEvent};

/// Most events taken.
const MOST_EVENTS: usize = 16_384;

/// The values as nodes of the engine, in their order, for the stage to read; none where all are numbers, which
/// their previews have whole.
pub(crate) fn nodes(graph: &UserGraph, engine: &Engine) -> Vec<NodeRef> {
    let has_arrays = |value: &UserValue| matches!(value, UserValue::Array(_));
    if !graph.values.iter().any(has_arrays) {
        return Vec::new();
    }
    let node = |value: &UserValue| match value {
        UserValue::Array(array) => Ok(array.node()),
        UserValue::Number(number) => {
            Tensor::from_scalars(engine, &[Scalar::Float(*number)], &[], DType::F64)
                .map(|tensor| tensor.node())
        }
    };
    let nodes: glowgrad::Result<_> = graph.values.iter().map(node).collect();
    nodes.unwrap_or_default()
}

/// The stage graph; none when there is nothing to draw. `previews` are those of its [`nodes`], `numbers` reads them.
pub(crate) fn stage_graph(
    graph: &UserGraph,
    previews: Vec<Preview>,
    numbers: &dyn Numbers,
    step: u32,
    flow: Flow,
) -> Option<StageGraph> {
    let n = graph.ops.len();
    let whole = graph.sources.len() == n && graph.names.len() == n && graph.values.len() >= n;
    if n == 0 || n > MOST_USER_NODES || !whole {
        return None;
    }
    let events: Vec<TraceEvent> = graph
        .events
        .iter()
        .take(MOST_EVENTS)
        .filter_map(|event| trace_event(event, graph))
        .collect();
    let root = events.iter().find_map(|event| match event {
        TraceEvent::Backward { root, .. } => Some(*root),
        _ => None,
    });
    let mut stage = StageGraph {
        step,
        nodes: (0..n).map(|at| node(graph, at, root)).collect(),
        events,
        previews: if previews.is_empty() {
            (0..).zip(&graph.values).filter_map(preview).collect()
        } else {
            previews
        },
        ..StageGraph::default()
    };
    place(&mut stage, flow);
    let ops = stage.nodes.iter().zip(&graph.ops);
    let ops = ops.map(|(node, written)| known(written, node.src.len()).0);
    let known = KnownOps {
        ops: ops.collect(),
        numbers,
    };
    stage.non_finite = nonfinite::find(&stage, &known);
    Some(stage)
}

/// The values of its nodes; of the nodes, the ops that the registry knows.
struct KnownOps<'a> {
    ops: Vec<Option<&'static Op>>,
    numbers: &'a dyn Numbers,
}

impl Numbers for KnownOps<'_> {
    fn read(&self, id: u32) -> Option<Vec<f64>> {
        self.numbers.read(id)
    }

    fn node(&self, _: u32) -> Option<NodeRef> {
        None
    }

    fn op(&self, id: u32) -> Option<&'static Op> {
        self.ops.get(id as usize).copied().flatten()
    }
}

/// An index below `len`.
fn index(number: Option<&i64>, len: usize) -> Option<u32> {
    let at = usize::try_from(*number?).ok()?;
    (at < len).then_some(at as u32)
}

fn trace_event(event: &[i64], graph: &UserGraph) -> Option<TraceEvent> {
    let (n, len) = (graph.ops.len(), graph.values.len());
    let node = index(event.get(1), n)?;
    let value = |at: usize| index(event.get(at), len);
    Some(match UserEvent::of(event[0])? {
        UserEvent::Made => TraceEvent::Made { node },
        UserEvent::Backward => TraceEvent::Backward {
            root: node,
            gradient: value(2)?,
        },
        UserEvent::Vjp => TraceEvent::Vjp {
            node,
            gradient: value(2)?,
            grads: (0..sources(graph, node as usize).len())
                .map(|operand| value(3 + operand))
                .collect(),
        },
        UserEvent::Accumulate => TraceEvent::Accumulate {
            node,
            added: value(2)?,
            sum: value(3)?,
        },
        UserEvent::Grad => TraceEvent::Grad {
            node,
            gradient: value(2)?,
            accumulated: false,
        },
        UserEvent::End => TraceEvent::BackwardEnd { root: node },
    })
}

/// A node's sources; only earlier nodes can be.
fn sources(graph: &UserGraph, at: usize) -> Vec<u32> {
    let sources = graph.sources[at].iter();
    sources.filter_map(|s| index(Some(s), at)).collect()
}

fn node(graph: &UserGraph, at: usize, root: Option<u32>) -> GraphNode {
    let src = sources(graph, at);
    let is_leaf = src.is_empty();
    let about = if is_leaf {
        About::default()
    } else {
        about(&graph.ops[at], src.len())
    };
    // A number without a name is known by its value.
    let value = &graph.values[at];
    let name = graph.names[at].clone().or_else(|| match value {
        UserValue::Number(value) if is_leaf => Some(number(*value)),
        _ => None,
    });
    let (shape, dtype) = match value {
        UserValue::Number(_) => (Vec::new(), "float64"),
        UserValue::Array(array) => (array.shape().to_vec(), array.dtype().name()),
    };
    GraphNode {
        id: at as u32,
        kind: match () {
            () if root == Some(at as u32) => NodeKind::Loss,
            () if is_leaf => NodeKind::Parameter,
            () => NodeKind::Op,
        },
        op: if is_leaf { "leaf" } else { &about.op }.to_owned(),
        symbol: about.symbol,
        name,
        grad_fn: None,
        src,
        shape,
        dtype: dtype.to_owned(),
        requires_grad: true,
        cell: None,
        line: None,
        scope: None,
        formula: about.formula,
        rules: about.rules,
        elementwise: true,
        saved: Vec::new(),
        x: 0.0,
        y: 0.0,
    }
}

#[derive(Default)]
struct About {
    op: String,
    symbol: String,
    formula: String,
    rules: Vec<String>,
}

/// The op of the registry that the learner's sign stands for, and the exponent that was written with it.
fn known(written: &str, operands: usize) -> (Option<&'static Op>, Option<&str>) {
    let (name, exponent) = match written.trim() {
        "+" => ("add", None),
        "-" => ("sub", None),
        "*" => ("mul", None),
        "/" => ("div", None),
        "@" => ("matmul", None),
        power if power.starts_with("**") || power.starts_with('^') => {
            ("pow_scalar", Some(power.trim_start_matches(['*', '^'])))
        }
        other => (other, None),
    };
    let op = ops::find(&name.to_lowercase());
    (op.filter(|op| op.rules.len() == operands), exponent)
}

/// What is known of an op by what the learner wrote on it.
fn about(written: &str, operands: usize) -> About {
    let (Some(op), exponent) = known(written, operands) else {
        return About {
            op: written.to_owned(),
            symbol: written.chars().take(12).collect(),
            ..About::default()
        };
    };
    let put = |text: &str| match exponent {
        Some(n) if !n.is_empty() => text.replace(" n ", &[" ", n, " "].concat()).replace(
            "^(n − 1)",
            &match n.parse::<f64>() {
                Ok(2.0) => String::new(),
                Ok(n) => ["^", &number(n - 1.0)].concat(),
                Err(_) => "^(n − 1)".to_owned(),
            },
        ),
        _ => text.to_owned(),
    };
    About {
        op: op_name(op).to_owned(),
        symbol: [op.symbol, exponent.unwrap_or("")].concat(),
        formula: match exponent {
            Some(n) if !n.is_empty() => ["y = a^", n].concat(),
            _ => op.formula.to_owned(),
        },
        rules: op.rules.iter().map(|rule| put(rule)).collect(),
    }
}

fn number(value: f64) -> String {
    let rounded = (value * 1e4).round() / 1e4;
    let shown = if rounded == 0.0 || value.abs() > 1e9 {
        value
    } else {
        rounded
    };
    shown.to_string().chars().take(12).collect()
}

fn preview((id, value): (u32, &UserValue)) -> Option<Preview> {
    let UserValue::Number(value) = *value else {
        return None;
    };
    Some(Preview {
        id,
        shape: Vec::new(),
        dtype: "float64".to_owned(),
        norm: value.abs(),
        min: value,
        max: value,
        mean: value,
        read: 1,
        non_finite: u32::from(!value.is_finite()),
        values: vec![value],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(ops: &[&str], sources: &[&[i64]], values: &[f64], events: &[&[i64]]) -> UserGraph {
        UserGraph {
            ops: ops.iter().map(|op| (*op).to_owned()).collect(),
            names: vec![None; ops.len()],
            sources: sources.iter().map(|s| s.to_vec()).collect(),
            values: values.iter().copied().map(UserValue::Number).collect(),
            events: events.iter().map(|e| e.to_vec()).collect(),
        }
    }

    fn staged(graph: &UserGraph) -> Option<StageGraph> {
        stage_graph(graph, Vec::new(), &NoNumbers, 1, Flow::default())
    }

    struct NoNumbers;

    impl Numbers for NoNumbers {
        fn read(&self, _: u32) -> Option<Vec<f64>> {
            None
        }
        fn node(&self, _: u32) -> Option<NodeRef> {
            None
        }
    }

    #[test]
    fn ops_that_the_registry_knows_have_its_rules() {
        let graph = own(
            &["", "", "*", "**3", "my op"],
            &[&[], &[], &[0, 1], &[2], &[3]],
            &[2.0, 0.5, 1.0, 1.0, 7.0],
            &[],
        );
        let graph = staged(&graph).unwrap();
        let symbols: Vec<&str> = graph.nodes.iter().map(|n| n.symbol.as_str()).collect();
        assert_eq!(symbols, ["", "", "×", "^3", "my op"]);
        assert_eq!(graph.nodes[2].rules, ["{gy} · {b}", "{gy} · {a}"]);
        assert_eq!(graph.nodes[3].rules, ["{gy} · 3 · {a}^2"]);
        assert_eq!(graph.nodes[3].formula, "y = a^3");
        assert!(graph.nodes[4].rules.is_empty());
        assert_eq!(graph.nodes[1].name.as_deref(), Some("0.5"));
        assert!(graph.nodes.windows(2).all(|pair| pair[0].x <= pair[1].x));
    }

    #[test]
    fn events_keep_their_order_and_their_numbers() {
        let graph = own(
            &["", "*"],
            &[&[], &[0, 0]],
            &[3.0, 9.0, 1.0, 3.0, 3.0, 6.0],
            &[
                &[0, 0],
                &[0, 1],
                &[1, 1, 2],
                &[2, 1, 2, 3, 4],
                &[3, 0, 4, 5],
                &[4, 0, 5],
                &[5, 1],
            ],
        );
        let graph = staged(&graph).unwrap();
        assert_eq!(graph.nodes[1].kind, NodeKind::Loss);
        assert_eq!(
            graph.events[3],
            TraceEvent::Vjp {
                node: 1,
                gradient: 2,
                grads: vec![Some(3), Some(4)]
            }
        );
        assert_eq!(graph.events.len(), 7);
        assert_eq!(graph.previews[5].values, [6.0]);
    }

    #[test]
    fn numbers_that_lead_nowhere_are_left_out() {
        let graph = own(
            &["", "+"],
            &[&[1, -4, 0], &[0, 9, i64::MAX]],
            &[f64::NAN, 1.0],
            &[
                &[],
                &[0],
                &[0, 7],
                &[9, 0],
                &[2, 1, 1],
                &[1, 1, 99],
                &[i64::MIN, i64::MIN],
            ],
        );
        let graph = staged(&graph).unwrap();
        assert_eq!(graph.nodes[0].src, Vec::<u32>::new());
        assert_eq!(graph.nodes[1].src, [0]);
        assert_eq!(
            graph.events,
            [TraceEvent::Vjp {
                node: 1,
                gradient: 1,
                grads: vec![None]
            }]
        );
        assert_eq!(graph.previews[0].non_finite, 1);
        let short = own(&["", ""], &[&[]], &[], &[]);
        assert!(staged(&short).is_none());
    }
}
