//! Networks as Rust; that the code compiles and computes is tested in `crates/glowgrad/tests/it/drawn`.

use glowgrad_architecture::{presets, rust};

#[test]
fn what_rust_lacks_is_named() {
    let mut net = presets::preset("mlp").expect("a preset");
    net.nodes[1].kind = "RReLU".to_owned();
    let fault = rust::write(&net)
        .expect_err("Rust has no such type")
        .message;
    assert!(
        fault.starts_with("RReLU has no type in Rust yet"),
        "{fault}"
    );
    let mut net = presets::preset("mlp").expect("a preset");
    net.nodes[0].id = "loop".to_owned();
    net.nodes[1].inputs = vec!["loop".to_owned()];
    let fault = rust::write(&net).expect_err("a word of Rust").message;
    assert!(fault.contains("loop is a word of Rust"), "{fault}");
    net.nodes[0].args.insert("in_features".to_owned(), 3.into());
    let fault = rust::write(&net).expect_err("it does not fit").message;
    assert!(fault.contains("loop: Linear takes"), "{fault}");
}

#[test]
fn no_line_is_too_long() {
    for (name, _) in presets::names() {
        let code = rust::write(&presets::preset(name).expect("a preset")).expect("is written");
        for line in code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            assert!(line.len() <= 100, "{name}: {line}");
        }
    }
}
