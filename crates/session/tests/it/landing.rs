//! The landing graph, drawn without Python.

use glowgrad_session::protocol::{Command, Event, NodeKind, StageGraph, TraceEvent};
use glowgrad_session::spawn;

fn landing() -> StageGraph {
    let session = spawn().expect("a thread");
    assert!(session.send(Command::Landing { id: 7 }));
    let mut graph = None;
    for event in session.events.iter() {
        match event {
            Event::Graph { id, graph: drawn } => {
                assert_eq!(id, 7);
                graph = Some(drawn);
            }
            Event::Error { error, .. } => panic!("{error:?}"),
            Event::Done { ok, .. } => {
                assert!(ok);
                break;
            }
            _ => {}
        }
    }
    graph.expect("a graph")
}

#[test]
fn the_landing_graph_is_whole() {
    let graph = landing();
    let find = |name: &str| {
        graph
            .nodes
            .iter()
            .find(|n| n.name.as_deref() == Some(name))
            .expect(name)
    };
    assert_eq!(find("x").kind, NodeKind::Input);
    assert_eq!(find("w").kind, NodeKind::Parameter);
    assert_eq!(find("loss").kind, NodeKind::Loss);
    assert_eq!(find("h").grad_fn.as_deref(), Some("<TanhBackward0>"));
    assert_eq!(find("h").line, Some(5));
    let symbols: Vec<&str> = graph.nodes.iter().map(|n| n.symbol.as_str()).collect();
    assert_eq!(
        symbols,
        ["", "", "", "@", "+", "tanh", "×", "− 0.3", "^2", "Σ"]
    );
}

#[test]
fn the_wave_runs_from_the_loss_to_both_parameters() {
    let graph = landing();
    let loss = graph
        .nodes
        .iter()
        .find(|n| n.kind == NodeKind::Loss)
        .expect("a loss")
        .id;
    let first = graph
        .events
        .iter()
        .position(|e| matches!(e, TraceEvent::Backward { .. }))
        .expect("backward");
    assert!(
        graph.events[..first]
            .iter()
            .all(|e| matches!(e, TraceEvent::Made { .. }))
    );
    assert_eq!(first, graph.nodes.len());
    let TraceEvent::Vjp { node, .. } = &graph.events[first + 1] else {
        panic!("{:?}", graph.events[first + 1])
    };
    assert_eq!(*node, loss);
    let filled = graph
        .events
        .iter()
        .filter(|e| matches!(e, TraceEvent::Grad { .. }))
        .count();
    assert_eq!(filled, 2);
    // w is read twice: by `@` and by `×`.
    let sums = graph
        .events
        .iter()
        .filter(|e| matches!(e, TraceEvent::Accumulate { .. }))
        .count();
    assert_eq!(sums, 1, "only w is read twice: by @ and by ×");
}

#[test]
fn previews_carry_the_numbers() {
    let graph = landing();
    let w = graph
        .nodes
        .iter()
        .find(|n| n.name.as_deref() == Some("w"))
        .expect("w")
        .id;
    let Some(TraceEvent::Grad { gradient, .. }) = graph
        .events
        .iter()
        .rfind(|e| matches!(e, TraceEvent::Grad { node, .. } if *node == w))
    else {
        panic!("w has no gradient")
    };
    let preview = graph
        .previews
        .iter()
        .find(|p| p.id == *gradient)
        .expect("its preview");
    assert_eq!(preview.shape, [3, 1]);
    assert!(preview.norm > 0.0 && preview.non_finite == 0);
}
