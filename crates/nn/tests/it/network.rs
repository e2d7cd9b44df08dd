//! Models made of descriptions give what the descriptions' shapes say.

use glowgrad_architecture::edit::with_examples;
use glowgrad_architecture::functions::FUNCTIONS;
use glowgrad_architecture::model::{Input, Node, Size};
use glowgrad_architecture::{Architecture, Args, Dim, Fact, analyse, presets};
use glowgrad_nn::network::Network;
use glowgrad_nn::nn::Parts;
use glowgrad_tensor::{DType, Engine, Scalar, Tensor};

fn engine() -> Engine {
    Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()))
}

/// Sizes with `n` for every open one.
fn sizes(fact: &Fact, n: usize) -> Vec<usize> {
    let size = |dim: &Dim| match dim {
        Dim::Number(size) => *size as usize,
        Dim::Open(letter) if letter.chars().all(char::is_alphabetic) => n,
        Dim::Open(text) => panic!("{text} is no letter"),
    };
    fact.shape.iter().map(size).collect()
}

fn input(engine: &Engine, input: &Input, n: usize) -> Tensor {
    let size = |size: &Size| match size {
        Size::Number(size) => *size as usize,
        Size::Open(_) => n,
    };
    let shape: Vec<usize> = input.shape.iter().map(size).collect();
    let (fill, dtype) = match input.dtype.as_str() {
        "int64" => (Scalar::Int(1), DType::I64),
        _ => (Scalar::Float(0.25), DType::F32),
    };
    Tensor::full(engine, &shape, fill, dtype).expect("an input")
}

fn check(name: &str, net: &Architecture) {
    let engine = engine();
    let found = analyse(net);
    let model = Network::new(&engine, net).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(model.n_parameters() as u64, found.parameters, "{name}");
    let inputs: Vec<Tensor> = net
        .inputs
        .iter()
        .map(|one| input(&engine, one, 2))
        .collect();
    let results = model
        .run(&inputs)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(results.len(), found.outputs.len(), "{name}");
    for (result, said) in results.iter().zip(&found.outputs) {
        assert_eq!(result.shape().to_vec(), sizes(said, 2), "{name}");
        assert_eq!(result.dtype().name(), said.dtype, "{name}");
        let values = result.to_f64().expect("is computed");
        assert!(values.iter().all(|x| x.is_finite()), "{name}");
    }
}

#[test]
fn presets_run() {
    for (name, _) in presets::names() {
        check(name, &presets::preset(name).expect("a preset"));
    }
}

/// Each function in a network of its own, with the arguments that a new node gets.
#[test]
fn every_function_runs() {
    for function in FUNCTIONS {
        let mut net = Architecture::empty("Net");
        let shapes: &[&[u64]] = match function.name {
            "matmul" => &[&[3, 4], &[4, 5]],
            "expand_batch" => &[&[1, 4, 6], &[2, 4, 6]],
            "scaled_dot_product_attention" => &[&[2, 4, 6], &[2, 4, 6], &[2, 4, 6]],
            _ => &[&[2, 4, 6], &[2, 4, 6]],
        };
        net.inputs = (function.operands.iter().zip(shapes))
            .map(|(name, shape)| Input {
                name: format!("{name}_in"),
                shape: shape.iter().map(|&n| Size::Number(n)).collect(),
                dtype: "float32".to_owned(),
                at: None,
            })
            .collect();
        let mut args = with_examples(function.name, &Args::new());
        if function.name == "reshape" {
            args.insert("shape".to_owned(), serde_json::json!([4, -1]));
        }
        net.nodes.push(Node {
            id: "node".to_owned(),
            kind: function.name.to_owned(),
            args,
            inputs: net.input_names(),
            ..Node::default()
        });
        net.outputs = match function.name {
            "chunk" => vec!["node".to_owned(), "node.1".to_owned()],
            _ => vec!["node".to_owned()],
        };
        check(function.name, &net);
    }
}

#[test]
fn a_network_with_a_fault_is_refused_by_name() {
    let mut net = presets::preset("mlp").expect("a preset");
    net.nodes[0]
        .args
        .insert("in_features".to_owned(), 63.into());
    let fault = Network::new(&engine(), &net)
        .err()
        .expect("is refused")
        .message;
    assert!(fault.contains("fc1") && fault.contains("63"), "{fault}");
    let mut net = presets::preset("mlp").expect("a preset");
    net.nodes[1].kind = "GroupedQueryAttention".to_owned();
    assert!(Network::new(&engine(), &net).is_err());
}
