//! An op that ends a cell is the last node of its picture, with the shapes that came.

#![cfg(feature = "python")]

use glowgrad_session::protocol::{ErrorInfo, GraphNode, NodeKind, StageGraph, TraceEvent};

use crate::record::{Outcome, Sitting};

struct Lab(Sitting);

impl Lab {
    fn new() -> Lab {
        Lab(Sitting::new())
    }

    fn run(&mut self, source: &str) -> (Option<StageGraph>, Option<ErrorInfo>) {
        let Outcome { graph, error, .. } = self.0.run(source);
        (graph, error)
    }

    /// The node that failed, its picture, and what was raised.
    fn fails(&mut self, source: &str) -> (GraphNode, StageGraph, ErrorInfo) {
        let (graph, error) = self.run(source);
        let graph = graph.expect("a picture of what led to the error");
        let node = graph.nodes.last().expect("nodes").clone();
        assert_eq!(node.kind, NodeKind::Failed, "{source}");
        (node, graph, error.expect("an error"))
    }
}

/// What the operands of a node are called, or the op that made them.
fn operands(graph: &StageGraph, node: &GraphNode) -> Vec<String> {
    let title = |id: &u32| {
        let source = graph.nodes.iter().find(|each| each.id == *id);
        let source = source.expect("a node of the picture");
        source.name.clone().unwrap_or_else(|| source.op.clone())
    };
    node.src.iter().map(title).collect()
}

#[test]
fn a_product_of_sizes_that_differ_is_drawn_with_both_operands() {
    let mut lab = Lab::new();
    let (node, graph, error) = lab.fails(
        "import glowgrad as torch\n\
         a = torch.ones(2, 3)\n\
         b = torch.ones(4, 5)\n\
         c = a * 2\n\
         y = c @ b\n",
    );
    assert_eq!((node.op.as_str(), node.symbol.as_str()), ("matmul", "@"));
    assert_eq!(node.formula, "[2, 3] @ [4, 5]");
    assert_eq!(operands(&graph, &node), ["c", "b"]);
    assert_eq!((node.cell.as_deref(), node.line), (Some("cell-1"), Some(5)));
    assert_eq!(node.name, None);
    assert!(!error.traceback.contains("In the module"));
    assert_eq!(graph.failure.as_ref(), Some(&error.message));
    assert!(error.message.contains("[2, 3]"), "{}", error.message);
    // It is the last that happened, it is attached, and it has no value.
    let last = graph.events.last();
    assert_eq!(last, Some(&TraceEvent::Made { node: node.id }));
    let edges = graph.edges.iter().filter(|edge| edge.to == node.id);
    assert_eq!(edges.count(), 2);
    assert!(graph.previews.iter().all(|preview| preview.id != node.id));
    // Every other node has its own.
    for each in &graph.nodes[..graph.nodes.len() - 1] {
        let preview = graph.previews.iter().find(|preview| preview.id == each.id);
        assert_eq!(preview.expect("a value").shape, each.shape, "{}", each.op);
    }
}

#[test]
fn a_layer_is_named_by_its_path() {
    let mut lab = Lab::new();
    let (node, graph, error) = lab.fails(
        "import glowgrad as torch\n\
         import glowgrad.nn as nn\n\
         model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(9, 2))\n\
         y = model(torch.ones(5, 4))\n",
    );
    assert_eq!(node.op, "linear");
    let scope = node.name.clone().expect("the module's path");
    assert!(scope.ends_with('2'), "{scope}");
    assert!(
        error
            .traceback
            .ends_with(&format!("In the module {scope}.\n"))
    );
    assert!(
        node.formula.starts_with("linear([5, 8], [2, 9]"),
        "{}",
        node.formula
    );
    assert!(operands(&graph, &node).contains(&"tanh".to_owned()));
}

#[test]
fn ops_of_several_kinds_are_drawn() {
    for (line, op, formula) in [
        ("a + torch.ones(4)", "add", "[2, 3] + [4]"),
        (
            "torch.cat([a, torch.ones(2, 4)])",
            "cat",
            "cat([2, 3], [2, 4])",
        ),
        ("a.view(7)", "view", "view([2, 3])"),
        ("a.add_(torch.ones(5, 2, 3))", "add", "[2, 3] + [5, 2, 3]"),
    ] {
        let mut lab = Lab::new();
        let source = format!("import glowgrad as torch\na = torch.ones(2, 3)\n{line}\n");
        let (node, ..) = lab.fails(&source);
        assert_eq!((node.op.as_str(), node.formula.as_str()), (op, formula));
    }
}

#[test]
fn an_error_that_was_caught_or_is_another_leaves_no_failed_node() {
    let mut lab = Lab::new();
    let caught = "import glowgrad as torch\n\
                  a = torch.ones(2, 3)\n\
                  try:\n    a @ a\nexcept RuntimeError:\n    b = a * 2\n";
    let (graph, error) = lab.run(caught);
    assert!(error.is_none());
    let graph = graph.expect("a picture");
    assert!(graph.failure.is_none());
    assert!(graph.nodes.iter().all(|node| node.kind != NodeKind::Failed));

    let (graph, error) = lab.run(&format!("{caught}raise ValueError('mine')\n"));
    assert_eq!(error.map(|error| error.kind).as_deref(), Some("ValueError"));
    assert!(graph.is_none_or(|graph| graph.failure.is_none()));
}

#[test]
fn the_next_run_has_no_failed_node() {
    let mut lab = Lab::new();
    lab.fails("import glowgrad as torch\na = torch.ones(2, 3)\nb = a * 2\nb @ b\n");
    let (graph, error) = lab.run("c = (b @ b.T).sum()\n");
    assert!(error.is_none());
    let graph = graph.expect("a picture");
    assert!(graph.failure.is_none());
    assert!(graph.nodes.iter().all(|node| node.kind != NodeKind::Failed));
}
