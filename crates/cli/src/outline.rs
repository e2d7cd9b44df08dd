//! The lit graph in words: what `backward()` did, one line an event, with the gradients' norms.
//!
//! Reads the same events that the page draws, so both tell the same story.

use std::collections::HashMap;
use std::io;

use glowgrad_session::protocol::{GraphNode, StageGraph, TraceEvent};

use crate::plot::number;
use crate::terminal::{Role, Terminal};

/// A step with more events than this is cut: the page is the place for it.
const LONGEST: usize = 48;

/// Writes the outline of the backward pass, if there was one.
pub(crate) fn write(
    terminal: &mut Terminal<'_>,
    indent: usize,
    graph: &StageGraph,
) -> io::Result<()> {
    let lines = lines(graph);
    let margin = " ".repeat(indent);
    for line in lines.iter().take(LONGEST) {
        let mark = terminal.paint(Role::Glow, line.mark);
        let what = format!("{:<width$}", line.what, width = 30);
        let norm = terminal.paint(Role::Glow, &line.norm);
        terminal.line(&format!("{margin}{mark} {what} {norm}"))?;
    }
    if lines.len() > LONGEST {
        let rest = format!("… and {} more", lines.len() - LONGEST);
        let rest = terminal.paint(Role::Quiet, &rest);
        terminal.line(&format!("{margin}{rest}"))?;
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
struct Line {
    mark: &'static str,
    what: String,
    norm: String,
}

fn lines(graph: &StageGraph) -> Vec<Line> {
    let nodes: HashMap<u32, &GraphNode> = graph.nodes.iter().map(|node| (node.id, node)).collect();
    let norms: HashMap<u32, f64> = graph.previews.iter().map(|p| (p.id, p.norm)).collect();
    let title = |id: u32| match nodes.get(&id) {
        Some(node) => node.name.clone().unwrap_or_else(|| node.symbol.clone()),
        None => format!("node {id}"),
    };
    let norm = |id: u32| norms.get(&id).map_or("?".to_string(), |norm| number(*norm));
    let mut lines = Vec::new();
    for event in &graph.events {
        let line = match event {
            TraceEvent::Backward { root, gradient } => Line {
                mark: "◉",
                what: format!("backward() from {}", title(*root)),
                norm: format!("norm {}", norm(*gradient)),
            },
            TraceEvent::Vjp { node, grads, .. } => {
                let sources = nodes.get(node).map_or(&[][..], |node| &node.src[..]);
                let sent: Vec<String> = sources
                    .iter()
                    .zip(grads)
                    .filter_map(|(source, gradient)| {
                        Some(format!("{} {}", title(*source), norm((*gradient)?)))
                    })
                    .collect();
                let op = nodes.get(node).map_or("?", |node| node.op.as_str());
                Line {
                    mark: "│",
                    what: match nodes.get(node).and_then(|node| node.name.as_ref()) {
                        Some(name) => format!("{op} ({name})"),
                        None => op.to_string(),
                    },
                    norm: format!("→ {}", sent.join(", ")),
                }
            }
            TraceEvent::Accumulate { node, added, sum } => Line {
                mark: "+",
                what: format!("{} += a second gradient", title(*node)),
                norm: format!("{} makes {}", norm(*added), norm(*sum)),
            },
            TraceEvent::Grad {
                node,
                gradient,
                accumulated,
            } => Line {
                mark: "■",
                what: if *accumulated {
                    format!("{}.grad, added to the old one", title(*node))
                } else {
                    format!("{}.grad", title(*node))
                },
                norm: format!("norm {}", norm(*gradient)),
            },
            TraceEvent::Made { .. } | TraceEvent::BackwardEnd { .. } | TraceEvent::Write { .. } => {
                continue;
            }
        };
        lines.push(line);
    }
    lines
}

#[cfg(test)]
pub(crate) mod tests {
    use glowgrad_session::protocol::{GraphEdge, NodeKind, Preview};

    use super::*;

    fn node(id: u32, kind: NodeKind, op: &str, name: Option<&str>, src: &[u32]) -> GraphNode {
        GraphNode {
            id,
            kind,
            op: op.to_string(),
            symbol: match op {
                "mul" => "*".to_string(),
                other => other.to_string(),
            },
            name: name.map(str::to_string),
            grad_fn: None,
            src: src.to_vec(),
            shape: vec![2],
            dtype: "float32".to_string(),
            requires_grad: kind != NodeKind::Input,
            cell: None,
            line: None,
            scope: None,
            formula: String::new(),
            rules: Vec::new(),
            elementwise: true,
            saved: Vec::new(),
            x: 60.0 + 90.0 * id as f32,
            y: 40.0 + 50.0 * (id % 2) as f32,
        }
    }

    fn preview(id: u32, norm: f64) -> Preview {
        Preview {
            id,
            shape: vec![2],
            dtype: "float32".to_string(),
            norm,
            min: 0.0,
            max: 0.0,
            mean: 0.0,
            read: 2,
            non_finite: 0,
            values: Vec::new(),
        }
    }

    /// `total = (x * x * data).sum()`, walked back.
    pub(crate) fn example() -> StageGraph {
        let edge = |from, to, operand| GraphEdge {
            from,
            to,
            operand,
            points: Vec::new(),
        };
        StageGraph {
            step: 1,
            flow: Default::default(),
            nodes: vec![
                node(0, NodeKind::Parameter, "leaf", Some("x"), &[]),
                node(1, NodeKind::Input, "leaf", Some("<data>"), &[]),
                node(2, NodeKind::Op, "mul", None, &[0, 0]),
                node(3, NodeKind::Op, "mul", Some("z"), &[2, 1]),
                node(4, NodeKind::Loss, "sum", Some("total"), &[3]),
            ],
            edges: vec![
                edge(0, 2, 0),
                edge(0, 2, 1),
                edge(2, 3, 0),
                edge(1, 3, 1),
                edge(3, 4, 0),
            ],
            events: vec![
                TraceEvent::Made { node: 2 },
                TraceEvent::Backward {
                    root: 4,
                    gradient: 10,
                },
                TraceEvent::Vjp {
                    node: 4,
                    gradient: 10,
                    grads: vec![Some(11)],
                },
                TraceEvent::Vjp {
                    node: 3,
                    gradient: 11,
                    grads: vec![Some(12), None],
                },
                TraceEvent::Vjp {
                    node: 2,
                    gradient: 12,
                    grads: vec![Some(13), Some(14)],
                },
                TraceEvent::Accumulate {
                    node: 0,
                    added: 14,
                    sum: 15,
                },
                TraceEvent::Grad {
                    node: 0,
                    gradient: 15,
                    accumulated: false,
                },
                TraceEvent::BackwardEnd { root: 4 },
            ],
            previews: vec![
                preview(10, 1.0),
                preview(11, 1.5),
                preview(12, 3.0),
                preview(13, 2.0),
                preview(14, 2.0),
                preview(15, 4.0),
            ],
            dropped: 0,
            failure: None,
            non_finite: None,
            width: 500.0,
            height: 140.0,
        }
    }

    #[test]
    fn the_backward_pass_is_told_in_order() {
        let mut bytes = Vec::new();
        write(&mut Terminal::plain(&mut bytes, 80), 2, &example()).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "  ◉ backward() from total          norm 1",
                "  │ sum (total)                    → z 1.5",
                "  │ mul (z)                        → * 3",
                "  │ mul                            → x 2, x 2",
                "  + x += a second gradient         2 makes 4",
                "  ■ x.grad                         norm 4",
            ]
        );
    }

    #[test]
    fn no_backward_pass_is_no_line() {
        let graph = StageGraph {
            events: vec![TraceEvent::Made { node: 2 }],
            ..example()
        };
        assert_eq!(lines(&graph), []);
    }
}
