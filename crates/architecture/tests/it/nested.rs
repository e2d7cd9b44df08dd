//! Blocks in blocks: each level may use the level below twice, so forty levels are a million million nodes.

use glowgrad_architecture::{Architecture, analyse};
use serde_json::{Value, json};

/// Levels of blocks, each of which uses the one below twice; with `first` and `second` as the parameter `n`.
fn doubled(levels: usize, first: &Value, second: &Value) -> Architecture {
    let one = |id: &str, kind: String, args: Value, source: &str| json!({"id": id, "type": kind, "args": args, "inputs": [source]});
    let mut blocks = vec![json!({
        "name": "B0", "inputs": ["x"], "outputs": ["fc"], "parameters": [{"name": "n", "default": 1}],
        "nodes": [one("fc", "Linear".to_owned(), json!({"in_features": 4, "out_features": 4}), "x")],
    })];
    for level in 1..levels {
        let below = format!("B{}", level - 1);
        blocks.push(json!({
            "name": format!("B{level}"), "inputs": ["x"], "outputs": ["b"], "parameters": [{"name": "n", "default": 1}],
            "nodes": [
                one("a", below.clone(), json!({"n": first}), "x"),
                one("b", below, json!({"n": second}), "a"),
            ],
        }));
    }
    let net = json!({
        "format": "glowgrad.architecture", "version": 1, "name": "Net", "inputs": [{"name": "x", "shape": ["N", 4]}],
        "nodes": [{"id": "all", "type": format!("B{}", levels - 1), "inputs": ["x"]}], "outputs": ["all"], "blocks": blocks,
    });
    Architecture::parse(&net.to_string()).expect("its form is that of a network")
}

#[test]
fn equal_uses_of_a_block_are_computed_once() {
    let found = analyse(&doubled(30, &json!(1), &json!(1)));
    assert_eq!(found.nodes["all"].fault, None);
    assert_eq!(found.parameters, 20 << 29);
    assert_eq!(found.outputs[0].to_string(), "[N, 4]");
}

#[test]
fn uses_that_differ_on_forty_levels_are_a_fault() {
    let found = analyse(&doubled(40, &json!("=2 * n"), &json!("=2 * n + 1")));
    let fault = found.nodes["all"].fault.as_deref().unwrap_or_default();
    assert!(fault.contains("more than 50000 nodes"), "{fault}");
    assert!(found.outputs.is_empty());
}
