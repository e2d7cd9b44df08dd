//! The whole step in words, one line an event: the outline of the stage, for a terminal or a file.
//!
//! The same events in the same order as the page's outline; an event has exactly one line. The sentences
//! are the page's too (`glowgrad_session::sentences`), but of a local rule this says more: the rule itself
//! and where it goes. Plain text: a screen reader walks it, `grep` finds in it.

use std::collections::HashMap;
use std::fmt::Write;

use glowgrad_session::protocol::{
    Finding, GraphNode, NodeKind, NonFinite, Preview, StageGraph, TraceEvent,
};
use glowgrad_session::sentences::{self, fill};

use crate::plot::number;

/// The step as text.
pub(crate) fn text(graph: &StageGraph) -> String {
    let story = Story::new(graph);
    let mut out = format!(
        "step {}: {} nodes, {} events\n",
        graph.step,
        graph.nodes.len(),
        graph.events.len()
    );
    let width = graph.events.len().to_string().len();
    let mut part = "";
    // The gradient that rests at each node.
    let mut held = HashMap::new();
    for (index, event) in graph.events.iter().enumerate() {
        let now = part_of(event);
        if now != part {
            part = now;
            _ = writeln!(out, "\n{part}");
        }
        let (what, numbers) = story.line(event, &held);
        let numbers = if numbers.is_empty() {
            numbers
        } else {
            format!("  {numbers}")
        };
        _ = writeln!(out, "{:>width$}  {what}{numbers}", index + 1);
        rest(event, graph, &mut held);
    }
    if let Some(NonFinite { findings, .. }) = &graph.non_finite
        && !findings.is_empty()
    {
        out += "\nnot finite\n";
        for finding in findings {
            _ = writeln!(
                out,
                "{:>width$}  {}",
                finding.event + 1,
                story.culprit(finding)
            );
        }
    }
    out
}

fn part_of(event: &TraceEvent) -> &'static str {
    match event {
        TraceEvent::Made { .. } => sentences::FORWARD,
        TraceEvent::Write { .. } => sentences::UPDATE,
        _ => sentences::BACKWARD,
    }
}

/// Notes where a gradient came to rest.
fn rest(event: &TraceEvent, graph: &StageGraph, held: &mut HashMap<u32, u32>) {
    match event {
        TraceEvent::Backward { root, gradient } => {
            held.clear();
            held.insert(*root, *gradient);
        }
        TraceEvent::Vjp { node, grads, .. } => {
            let src = graph.nodes.iter().find(|each| each.id == *node);
            let src = src.map_or(&[][..], |each| &each.src[..]);
            for (source, gradient) in src.iter().zip(grads) {
                if let Some(gradient) = gradient {
                    // A second one rests only after the addition that the next event tells.
                    held.entry(*source).or_insert(*gradient);
                }
            }
        }
        TraceEvent::Accumulate { node, sum, .. } => {
            held.insert(*node, *sum);
        }
        _ => {}
    }
}

struct Story<'a> {
    nodes: HashMap<u32, &'a GraphNode>,
    previews: HashMap<u32, &'a Preview>,
    /// Why the last node failed, where it did.
    failure: Option<&'a str>,
}

impl<'a> Story<'a> {
    fn new(graph: &'a StageGraph) -> Self {
        Self {
            nodes: graph.nodes.iter().map(|node| (node.id, node)).collect(),
            previews: graph.previews.iter().map(|p| (p.id, p)).collect(),
            failure: graph.failure.as_deref(),
        }
    }

    fn title(&self, id: u32) -> String {
        match self.nodes.get(&id) {
            Some(node) => node.name.as_ref().unwrap_or(&node.op).clone(),
            None => format!("node {id}"),
        }
    }

    /// Where numbers first went wrong.
    fn culprit(&self, finding: &Finding) -> String {
        let pass = if finding.backward {
            "backward"
        } else {
            "forward"
        };
        let line = self.nodes.get(&finding.node).and_then(|node| node.line);
        let line = line.map_or_else(String::new, |line| format!(", line {line}"));
        format!("{pass}{line}: {}", finding.text)
    }

    /// A sentence about a node.
    fn say(&self, sentence: &str, id: u32) -> String {
        let op = self.nodes.get(&id).map_or("", |node| &node.op);
        fill(sentence, &[("title", &self.title(id)), ("op", op)])
    }

    /// A single number as it is, a tensor by its norm; what is not finite is said.
    fn numbers(&self, id: u32) -> String {
        let Some(preview) = self.previews.get(&id) else {
            return "?".to_owned();
        };
        if preview.shape.iter().product::<usize>() == 1
            && let Some(value) = preview.values.first()
        {
            return number(*value);
        }
        let broken = match preview.non_finite {
            0 => String::new(),
            count => format!(" ({count} not finite)"),
        };
        format!("norm {}{broken}", number(preview.norm))
    }

    /// What an event did, and the numbers that go with it.
    fn line(&self, event: &TraceEvent, held: &HashMap<u32, u32>) -> (String, String) {
        match event {
            TraceEvent::Made { node } => match self.nodes.get(node) {
                Some(made) => (
                    self.made(made),
                    format!("shape {:?}, {}", made.shape, self.numbers(*node)),
                ),
                None => (self.say(sentences::MADE, *node), String::new()),
            },
            TraceEvent::Backward { root, gradient } => {
                (self.say(sentences::BEGINS, *root), self.numbers(*gradient))
            }
            TraceEvent::Vjp {
                node,
                gradient,
                grads,
            } => self.rule(*node, *gradient, grads),
            TraceEvent::Accumulate { node, added, sum } => {
                let before = held
                    .get(node)
                    .map_or("?".to_owned(), |id| self.numbers(*id));
                (
                    self.say(sentences::ACCUMULATES, *node),
                    format!(
                        "before {before}, added {}, sum {}",
                        self.numbers(*added),
                        self.numbers(*sum)
                    ),
                )
            }
            TraceEvent::Grad {
                node,
                gradient,
                accumulated,
            } => (
                match accumulated {
                    true => self.say(sentences::GRAD_ADDED, *node),
                    false => self.say(sentences::GRAD_FILLED, *node),
                },
                self.numbers(*gradient),
            ),
            TraceEvent::BackwardEnd { root } => (self.say(sentences::ENDS, *root), String::new()),
            TraceEvent::Write { node, value } => {
                (self.say(sentences::WRITTEN, *node), self.numbers(*value))
            }
        }
    }

    fn made(&self, node: &GraphNode) -> String {
        let line = node.line.map_or(String::new(), |line| {
            fill(sentences::LINE, &[("line", &line.to_string())])
        });
        if node.kind == NodeKind::Failed {
            let why = self.failure.unwrap_or_default();
            // Most messages begin with the op, which the sentence names.
            let why = why.strip_prefix(&format!("{}: ", node.op)).unwrap_or(why);
            let title = node.name.as_deref().unwrap_or_default();
            let sentence = match node.name {
                Some(_) => sentences::REFUSED_IN,
                None => sentences::REFUSED,
            };
            return line
                + &fill(
                    sentence,
                    &[("op", &node.op), ("title", title), ("why", why)],
                );
        }
        let sentence = match (&node.name, node.src.is_empty()) {
            (_, true) if node.requires_grad => sentences::WANTS_GRADIENT,
            (_, true) => sentences::WANTS_NO_GRADIENT,
            (Some(_), false) => sentences::MADE_BY,
            (None, false) => sentences::RUNS,
        };
        line + &self.say(sentence, node.id)
    }

    /// A local rule: what came in, and what went to each operand, by name.
    fn rule(&self, id: u32, gradient: u32, grads: &[Option<u32>]) -> (String, String) {
        let Some(node) = self.nodes.get(&id) else {
            return (self.say(sentences::RULE_RUNS, id), self.numbers(gradient));
        };
        let mut said = Vec::new();
        let mut numbers = Vec::new();
        for (operand, gradient) in grads.iter().enumerate() {
            let Some(gradient) = gradient else { continue };
            let letter = match node.src.len() {
                1 => 'x',
                _ => char::from(b'a' + operand.min(25) as u8),
            };
            let rule = node.rules.get(operand).map(|rule| letters(rule, node));
            let to = node
                .src
                .get(operand)
                .map_or_else(String::new, |&source| format!(" to {}", self.title(source)));
            said.push(match rule {
                Some(rule) => format!("g{letter} = {rule}{to}"),
                None => format!("g{letter}{to}"),
            });
            numbers.push(format!("g{letter} {}", self.numbers(*gradient)));
        }
        let title = match &node.name {
            Some(name) => format!("{} ({name})", node.op),
            None => node.op.clone(),
        };
        if said.is_empty() {
            return (
                fill(sentences::NO_OPERAND, &[("title", &title)]),
                String::new(),
            );
        }
        (
            format!("{title}: {}.", said.join("; ")),
            format!("gy {} → {}", self.numbers(gradient), numbers.join(", ")),
        )
    }
}

/// A rule with its letters: the only operand is `x`.
fn letters(rule: &str, node: &GraphNode) -> String {
    let first = if node.src.len() == 1 { "x" } else { "a" };
    rule.replace("{a}", first)
        .replace("{b}", "b")
        .replace("{c}", "c")
        .replace("{gy}", "gy")
        .replace("{y}", "y")
}

#[cfg(test)]
mod tests {
    use super::*;
    use glowgrad_session::protocol::NonFiniteKind;

    use crate::outline::tests::example;

    #[test]
    fn every_event_has_one_line_with_its_numbers() {
        let graph = example();
        let told = text(&graph);
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(
            lines,
            [
                "step 1: 5 nodes, 8 events",
                "",
                "Forward",
                "1  mul runs.  shape [2], ?",
                "",
                "Backward",
                "2  backward() begins at total: the gradient of total by itself.  norm 1",
                "3  sum (total): gx to z.  gy norm 1 → gx norm 1.5",
                "4  mul (z): ga to mul.  gy norm 1.5 → ga norm 3",
                "5  mul: ga to x; gb to x.  gy norm 3 → ga norm 2, gb norm 2",
                "6  x has a gradient already: this one is added to it (+=).  \
                 before norm 2, added norm 2, sum norm 4",
                "7  x.grad is filled.  norm 4",
                "8  backward() has ended: every leaf it reached has its gradient.",
            ]
        );
    }

    #[test]
    fn letters_take_their_places_in_a_rule() {
        let mut graph = example();
        graph.nodes[4].rules = vec!["{gy} · {a}².{y}".to_owned()];
        assert!(text(&graph).contains("sum (total): gx = gy · x².y to z."));
    }

    #[test]
    fn the_first_nan_stands_below_the_step() {
        let mut graph = example();
        graph.non_finite = Some(NonFinite {
            findings: vec![Finding {
                kind: NonFiniteKind::Nan,
                backward: false,
                node: 2,
                event: 0,
                element: Some(vec![2]),
                text: "mul: element [2] is NaN: 0 · inf".to_owned(),
                made: Vec::new(),
            }],
            meant: Vec::new(),
        });
        let told = text(&graph);
        let last: Vec<&str> = told.lines().rev().take(2).collect();
        assert!(
            last[0].contains("forward") && last[0].ends_with("mul: element [2] is NaN: 0 · inf"),
            "{told}"
        );
        assert_eq!(last[1], "not finite");
    }

    #[test]
    fn what_is_not_finite_is_said_and_an_unknown_node_is_no_panic() {
        let mut graph = example();
        graph.previews[1].non_finite = 3;
        graph.previews[1].norm = f64::NAN;
        graph.events.push(TraceEvent::Grad {
            node: 99,
            gradient: 98,
            accumulated: true,
        });
        let told = text(&graph);
        assert!(told.contains("gx norm NaN (3 not finite)"), "{told}");
        assert!(told.contains("node 99.grad held a gradient"), "{told}");
    }
}
