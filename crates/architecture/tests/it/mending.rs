//! What mends a fault: each is offered under its title, and the network is whole behind it.

use glowgrad_architecture::{Architecture, analyse, mending};
use serde_json::{Value, json};

/// A network of two inputs and these nodes.
fn net(inputs: Value, nodes: Value) -> Architecture {
    let last = nodes.as_array().and_then(|all| all.last()?["id"].as_str());
    let text = json!({
        "format": "glowgrad.architecture", "version": 1, "name": "Net",
        "inputs": inputs, "outputs": [last], "nodes": nodes,
    });
    Architecture::parse(&text.to_string()).expect("a network")
}

#[test]
fn faults_have_what_mends_them() {
    let x = |shape: Value| json!([{"name": "x", "shape": shape}]);
    let sequence = || x(json!(["N", 10, 24]));
    let image = || x(json!(["N", 3, 4, 4]));
    for (inputs, node, title) in [
        (
            sequence(),
            json!({"type": "relu", "inputs": []}),
            "Wire x to it",
        ),
        (
            sequence(),
            json!({"type": "add", "inputs": ["x"]}),
            "Wire before to it",
        ),
        (
            x(json!(["N", 10])),
            json!({"type": "Embedding", "args": {"num_embeddings": 10, "embedding_dim": 4}, "inputs": ["x"]}),
            "Make x int64",
        ),
        (
            image(),
            json!({"type": "Conv2d", "args": {"in_channels": 3, "out_channels": 2, "kernel_size": 5}, "inputs": ["x"]}),
            "Set padding=2",
        ),
        (
            sequence(),
            json!({"type": "softmax", "args": {"dim": 3}, "inputs": ["x"]}),
            "Set dim=-1",
        ),
        (
            sequence(),
            json!({"type": "unflatten", "args": {"dim": 2, "sizes": [5, 5]}, "inputs": ["x"]}),
            "",
        ),
        (
            sequence(),
            json!({"type": "unflatten", "args": {"dim": 2, "sizes": [4, 5]}, "inputs": ["x"]}),
            "Set sizes=[4,-1]",
        ),
        (
            sequence(),
            json!({"type": "matmul", "inputs": ["x", "before"]}),
            "Exchange the last two dimensions of before before it",
        ),
        (
            image(),
            json!({"type": "MaxPool2d", "inputs": ["x"]}),
            "Set kernel_size=3",
        ),
        (
            image(),
            json!({"type": "Conv2d", "args": {"in_channels": 3, "out_channels": 6, "kernel_size": 3, "groups": 2}, "inputs": ["x"]}),
            "Set groups=1",
        ),
        (
            sequence(),
            json!({"type": "MultiheadAttention", "args": {"embed_dim": 24, "num_heads": 5, "batch_first": true}, "inputs": ["x", "x", "x"]}),
            "Set num_heads=4",
        ),
    ] {
        let mut node = node;
        node["id"] = "it".into();
        let before = json!({"id": "before", "type": "tanh", "inputs": ["x"]});
        let net = net(inputs, json!([before, node]));
        let fault = analyse(&net).nodes["it"].fault.clone();
        assert!(fault.is_some(), "{node} has no fault");
        let fixes = mending::fixes(&net, "it");
        let titles: Vec<&str> = fixes.iter().map(|fix| fix.title.as_str()).collect();
        if title.is_empty() {
            assert!(
                titles.iter().all(|title| !title.starts_with("Set sizes")),
                "{titles:?}"
            );
            continue;
        }
        let fix = fixes.iter().find(|fix| fix.title == title);
        let fix = fix.unwrap_or_else(|| panic!("{node}: {fault:?} has {titles:?}"));
        assert_eq!(analyse(&fix.net).nodes["it"].fault, None, "{title}");
    }
}
