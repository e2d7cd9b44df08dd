//! Where numbers first went wrong: the stories of `tests/nonfinite/stories.json`, which the page's test tells too.
#![cfg(feature = "python")]

use std::cell::RefCell;
use std::rc::Rc;

use glowgrad_session::protocol::{Command, Event, Finding, NonFiniteKind, StageGraph};
use glowgrad_session::{Platform, Session};
use serde_json::Value;

const STORIES: &str = include_str!("../../../../tests/nonfinite/stories.json");

struct TestPlatform;

impl Platform for TestPlatform {
    fn now_millis(&self) -> f64 {
        0.0
    }
    fn should_stop(&self) -> bool {
        false
    }
    fn sleep(&self, _: f64) {}
}

/// The graph of a cell in a session of its own.
fn staged(source: &str) -> StageGraph {
    let events = Rc::<RefCell<Vec<Event>>>::default();
    let seen = events.clone();
    let mut session = Session::new(
        Rc::new(TestPlatform),
        Rc::new(move |event| seen.borrow_mut().push(event)),
    );
    session.handle(Command::RunCell {
        id: 1,
        cell: "cell-1".to_owned(),
        source: source.to_owned(),
        until: None,
    });
    let mut graph = None;
    for event in events.take() {
        match event {
            Event::Graph { graph: drawn, .. } => graph = Some(drawn),
            Event::Error { error, .. } => panic!("{}: {source}", error.message),
            _ => {}
        }
    }
    graph.expect("a graph")
}

fn label(kind: NonFiniteKind) -> &'static str {
    match kind {
        NonFiniteKind::Nan => "NaN",
        NonFiniteKind::Inf => "inf",
        NonFiniteKind::MinusInf => "−inf",
    }
}

fn told(graph: &StageGraph, finding: &Finding) -> Value {
    let node = graph.nodes.iter().find(|node| node.id == finding.node);
    serde_json::json!({
        "label": label(finding.kind),
        "pass": if finding.backward { "backward" } else { "forward" },
        "line": node.and_then(|node| node.line),
        "element": finding.element,
        "text": finding.text,
    })
}

#[test]
fn each_story_has_its_culprit_and_a_mask_has_none() {
    let stories: Vec<Value> = serde_json::from_str(STORIES).unwrap();
    assert!(stories.len() >= 12);
    let mut wrong = Vec::new();
    for story in &stories {
        let lines: Vec<&str> = story["source"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| line.as_str().unwrap())
            .collect();
        let graph = staged(&lines.join("\n"));
        let found = graph.non_finite.clone().unwrap_or_default();
        let got: Vec<Value> = found
            .findings
            .iter()
            .map(|finding| told(&graph, finding))
            .collect();
        if Value::from(got.clone()) != story["findings"] {
            wrong.push(format!(
                "{}:\n  got {got:#?}\n  expected {:#}",
                story["name"], story["findings"]
            ));
        }
        for name in story["meant"].as_array().unwrap() {
            let node = graph
                .nodes
                .iter()
                .find(|node| node.name.as_deref() == name.as_str());
            let is_meant = node.is_some_and(|node| found.meant.contains(&node.id));
            if !is_meant {
                wrong.push(format!(
                    "{}: the infinities of {name} are not meant",
                    story["name"]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_finding_names_the_numbers_that_made_it() {
    let graph = staged(
        "import glowgrad as torch\nx = torch.tensor([[1.0, -1.0], [4.0, -4.0]])\ny = torch.log(x)",
    );
    let found = graph.non_finite.unwrap().findings;
    let made: Vec<_> = found[0]
        .made
        .iter()
        .map(|each| {
            (
                each.letter.as_str(),
                each.title.as_str(),
                each.text.as_str(),
            )
        })
        .collect();
    assert_eq!(made, [("x", "x", "−1 at [0, 1]")]);
}

#[test]
fn an_element_beyond_those_that_are_sent_is_found() {
    let source = "import glowgrad as torch\nx = torch.ones(100, 100)\nx[70, 30] = -1\ny = torch.log(x).mean()";
    let found = staged(source).non_finite.unwrap().findings;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].element.as_deref(), Some(&[70, 30][..]));
    assert_eq!(found[0].text, "log: element [70, 30] is NaN: log(−1)");
}

#[test]
fn sums_and_rows_name_what_they_hold() {
    let text = |line: &str| {
        let source = format!(
            "import glowgrad as torch\nx = torch.tensor([[1.0, float('inf')], [float('-inf'), 2.0]])\n{line}"
        );
        let found = staged(&source).non_finite.unwrap().findings;
        found
            .first()
            .map(|each| each.text.clone())
            .unwrap_or_default()
    };
    assert_eq!(
        text("y = x.sum()"),
        "sum: the result is NaN: what it reads holds inf at [0, 1] and −inf at [1, 0]"
    );
    assert_eq!(
        text("y = x.sum(dim=1)"),
        "sum: element [0] is inf: what it reads holds inf at [0, 1]"
    );
    assert_eq!(
        text("y = x.sum(dim=0, keepdim=True)"),
        "sum: element [0, 0] is −inf: what it reads holds −inf at [1, 0]"
    );
    assert_eq!(
        text("y = torch.softmax(x, dim=1)"),
        "softmax: element [0, 0] is NaN: row [0, :] of what it reads holds inf at [0, 1]"
    );
    let large = "y = (torch.ones(3) * 2e38).sum()";
    assert_eq!(
        text(large),
        "sum: the result is inf: the result is beyond 3.4e38, the largest number of float32"
    );
}

#[test]
fn views_and_choices_of_infinities_are_no_fault() {
    for line in [
        "y = x.T.reshape(-1)",
        "y = x[:, 1].clone()",
        "y = torch.cat([x, x])",
        "y = x.max(dim=1).values",
        "y = torch.where(x > 0, x, torch.zeros(2, 2))",
        "y = x.masked_fill(x > 0, 0.0)",
        "y = torch.logsumexp(x, dim=1)",
        "y = x * 2 + 1",
        "y = x.sort().values",
        "x[0, 0] = float('-inf'); y = x + 1",
    ] {
        let source = format!(
            "import glowgrad as torch\nx = torch.tensor([[1.0, 3.0], [float('-inf'), 2.0]])\n{line}"
        );
        let found = staged(&source).non_finite.unwrap_or_default();
        assert_eq!(found.findings, [], "{line}");
    }
}

#[test]
fn reductions_and_rows_are_known_by_their_options() {
    let text = |line: &str| {
        let source = format!(
            "import glowgrad as torch\nx = torch.tensor([[1.0, float('inf')], [2.0, 3.0]])\n{line}"
        );
        let found = staged(&source).non_finite.unwrap().findings;
        let first = found.first().map(|each| each.text.clone());
        first.unwrap_or_default()
    };
    assert_eq!(
        text("y = torch.linalg.vector_norm(x, dim=1)"),
        "vector_norm: element [0] is inf: what it reads holds inf at [0, 1]"
    );
    assert_eq!(
        text("y = torch.nn.functional.softmin(x * float('inf'), dim=0)"),
        "softmin: element [0, 0] is NaN: row [:, 0] of what it reads is all inf, so its shares are 0 / 0"
    );
    assert_eq!(
        text("y = (torch.ones(3, 2) * 2e38).sum(dim=0)"),
        "sum: element [0] is inf: the result is beyond 3.4e38, the largest number of float32"
    );
    assert_eq!(
        text("y = torch.add(torch.tensor([2e38]), torch.tensor([1e38]), alpha=2)"),
        "add: element [0] is inf: (2e38) + 2 · (1e38) is beyond 3.4e38, the largest number of float32"
    );
}

#[test]
fn an_infinity_that_is_left_out_is_no_fault() {
    for line in [
        "y = torch.log(x).topk(2).values",
        "y = torch.log(x).median()",
        "y = torch.nn.functional.hardtanh(torch.log(x))",
        "y = torch.log(x); asks = y > 0; z = y.argmax(); w = y.exp()",
    ] {
        let source = format!("import glowgrad as torch\nx = torch.tensor([1.0, 0.0, 3.0])\n{line}");
        let found = staged(&source).non_finite.unwrap_or_default();
        assert_eq!(found.findings, [], "{line}");
    }
}

#[test]
fn a_graph_of_finite_numbers_says_nothing() {
    let graph = staged(
        "import glowgrad as torch\nx = torch.ones(3, requires_grad=True)\n(x * 2).sum().backward()",
    );
    assert_eq!(graph.non_finite, None);
}

#[test]
fn an_engine_of_ones_own_is_looked_through_too() {
    let source = r#"
from glowgrad import lab
class V:
    def __init__(self, data, prev=(), op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, prev, op
    def backward(self):
        self.grad = 1.0
        for p in self._prev:
            p.grad += float("nan")
a = V(float("inf")); b = V(0.0)
c = V(a.data * b.data, (a, b), "*")
lab.graph(c)
"#;
    let found = staged(source).non_finite.unwrap().findings;
    assert_eq!(
        found[0].text, "mul: the result is NaN: inf · 0",
        "{found:?}"
    );
}
