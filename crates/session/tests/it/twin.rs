//! The landing page's Rust twin draws the graph that its eight lines of Python draw.

#![cfg(feature = "python")]

use glowgrad_session::landing::CELL;
use glowgrad_session::protocol::{Command, Event, StageGraph};
use glowgrad_session::spawn;

fn graph_of(command: Command) -> StageGraph {
    let session = spawn().expect("a thread");
    assert!(session.send(command));
    let mut graph = None;
    for event in session.events.iter() {
        match event {
            Event::Graph { graph: drawn, .. } => graph = Some(drawn),
            Event::Error { error, .. } => panic!("{}", error.traceback),
            Event::Done { .. } => break,
            _ => {}
        }
    }
    let mut graph = graph.expect("a graph");
    graph.step = 0;
    graph
}

#[test]
fn the_twin_and_the_eight_lines_draw_the_same() {
    let source = include_str!("../../../../www/src/landing/landing.py").to_owned();
    let twin = graph_of(Command::Landing { id: 1 });
    let python = graph_of(Command::RunCell {
        id: 1,
        cell: CELL.to_owned(),
        source,
        until: None,
    });
    assert_eq!(twin.nodes, python.nodes);
    assert_eq!(twin.edges, python.edges);
    assert_eq!(twin.events, python.events);
    assert_eq!(twin.previews, python.previews);
}
