//! The places of the stage's fixtures are the engine's.

use std::fmt::Write as _;

use glowgrad_session::place;
use glowgrad_session::protocol::{Direction, Flow, StageGraph};

/// The stage's tests check that nothing written lies on anything else; the places are the engine's.
#[test]
fn the_pages_copy_of_layouts_is_this_one() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/src/stage/fixtures/");
    let read = |name: &str| -> serde_json::Value {
        let text = std::fs::read_to_string(format!("{fixtures}{name}.json")).expect(name);
        serde_json::from_str(&text).expect(name)
    };
    let engine = read("engine");
    let mut graphs: Vec<(String, StageGraph)> = Vec::new();
    for (name, graph) in engine.as_object().expect("graphs by name") {
        let graph = serde_json::from_value(graph.clone()).expect(name);
        graphs.push((name.clone(), graph));
    }
    for name in ["mlp", "neuron", "sum"] {
        let graph = serde_json::from_value(read(name)).expect(name);
        graphs.push((format!("made-up {name}"), graph));
    }
    let mut out = String::from("[\n");
    for (name, graph) in &mut graphs {
        for (direction, row) in [
            (Direction::Across, 0.0),
            (Direction::Across, 640.0),
            (Direction::Down, 0.0),
        ] {
            let flow = Flow { direction, row };
            place(graph, flow);
            let centres: Vec<[f32; 2]> =
                graph.nodes.iter().map(|n| [n.x, n.y].map(tenth)).collect();
            let points: Vec<Vec<[f32; 2]>> = graph
                .edges
                .iter()
                .map(|edge| edge.points.iter().map(|point| point.map(tenth)).collect())
                .collect();
            let comma = if out.len() > 2 { ",\n" } else { "" };
            let placed = serde_json::json!({
                "graph": name, "flow": flow, "width": tenth(graph.width), "height": tenth(graph.height),
                "centres": centres, "points": points,
            });
            write!(out, "{comma}{placed}").expect("a String");
        }
    }
    out.push_str("\n]\n");
    let path = format!("{fixtures}layouts.json");
    if std::env::var_os("GLOW_BLESS").is_some() {
        std::fs::write(&path, &out).expect("the fixture can be written");
    }
    assert_eq!(
        std::fs::read_to_string(&path).unwrap_or_default(),
        out,
        "run with GLOW_BLESS=1 to write the fixture again"
    );
}

fn tenth(x: f32) -> f32 {
    (x * 10.0).round() / 10.0
}
