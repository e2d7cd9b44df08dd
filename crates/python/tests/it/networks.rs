//! Networks of the studio: their Python runs here and under PyTorch, their descriptions run in Rust, and all three give
//! the same. `tests/golden/make_networks.py` recorded PyTorch's results.

use glowgrad::network::Network;
use glowgrad::nn::{Module, Parts};
use glowgrad::{DType, Engine, Tensor};
use glowgrad_architecture::model::Size;
use glowgrad_architecture::{Architecture, analyse, presets, python, training};
use serde_json::Value;

use crate::common::lab;

/// As `filled` of `make_networks.py`.
const FILLED: &str = "
import json
import torch


def filled(shape, k):
    n = 1
    for size in shape:
        n *= size
    numbers = torch.arange(n, dtype=torch.float64)
    return ((numbers * 7919 + 104729 * (k + 1)) % 1009 / 1009 - 0.5).float().reshape(shape)


def result(model, shape, dtype):
    model.eval()
    with torch.no_grad():
        for k, (name, tensor) in enumerate(model.state_dict().items()):
            if tensor.is_floating_point():
                tensor.copy_(filled(tensor.shape, k) + (1.0 if name.endswith('running_var') else 0.0))
        x = filled(shape, 1000)
        if dtype == 'int64':
            x = ((x + 0.5) * 11).long().clamp(0, 10)
        y = model(x)
        print(json.dumps([list(y.shape), y.flatten().tolist()]))
";

fn filled(shape: &[usize], k: u64) -> Vec<f64> {
    let n: usize = shape.iter().product();
    let one =
        |i: u64| f64::from((((i * 7919 + 104_729 * (k + 1)) % 1009) as f64 / 1009.0 - 0.5) as f32);
    (0..n as u64).map(one).collect()
}

fn cases() -> Vec<(Architecture, Vec<usize>, Vec<f64>)> {
    let text = include_str!("../../../../tests/golden/networks.json");
    let read: Value = serde_json::from_str(text).expect("the golden file is JSON");
    let numbers = |value: &Value| {
        value
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_f64)
            .collect::<Vec<_>>()
    };
    let each = read["cases"]
        .as_array()
        .expect("it has cases")
        .iter()
        .map(|case| {
            let net = Architecture::parse(&case["net"].to_string()).expect("a case is a network");
            let shape = numbers(&case["shape"])
                .iter()
                .map(|&n| n as usize)
                .collect();
            (net, shape, numbers(&case["output"]))
        });
    each.collect()
}

fn input_shape(net: &Architecture) -> (Vec<usize>, &str) {
    let input = &net.inputs[0];
    let size = |size: &Size| match size {
        Size::Number(n) => *n as usize,
        Size::Open(_) => 2,
    };
    (input.shape.iter().map(size).collect(), &input.dtype)
}

/// What the description gives in Rust.
fn in_rust(engine: &Engine, net: &Architecture) -> Vec<f64> {
    let model = Network::new(engine, net).unwrap_or_else(|error| panic!("{}: {error}", net.name));
    model.eval();
    let state = (model.state_dict().into_iter().enumerate())
        .map(|(k, (name, tensor))| {
            if !tensor.dtype().is_float() {
                return (name, tensor);
            }
            let shift = if name.ends_with("running_var") {
                1.0
            } else {
                0.0
            };
            let values: Vec<f32> = filled(&tensor.shape(), k as u64)
                .iter()
                .map(|x| *x as f32 + shift)
                .collect();
            let filled = Tensor::from_f32(engine, &values, &tensor.shape()).expect("a weight");
            (name, filled)
        })
        .collect::<Vec<_>>();
    model
        .load_state_dict(&state)
        .expect("the state is the model's");
    let (shape, dtype) = input_shape(net);
    let values = filled(&shape, 1000);
    let x = match dtype {
        "int64" => {
            let whole: Vec<i64> = values
                .iter()
                .map(|x| (((*x as f32 + 0.5) * 11.0) as i64).clamp(0, 10))
                .collect();
            Tensor::from_i64(engine, &whole, &shape)
        }
        _ => Tensor::from_f32(
            engine,
            &values.iter().map(|x| *x as f32).collect::<Vec<_>>(),
            &shape,
        ),
    };
    let x = x.expect("an input");
    assert_eq!(x.dtype() == DType::I64, dtype == "int64");
    model
        .forward(&x)
        .and_then(|y| y.to_f64())
        .unwrap_or_else(|error| panic!("{}: {error}", net.name))
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + b.abs())
}

#[test]
fn random_networks_give_what_pytorch_gives() {
    let cases = cases();
    assert_eq!(cases.len(), 100);
    lab(move |lab| {
        lab.output(FILLED);
        let engine = glowgrad::cpu();
        for (net, shape, expected) in &cases {
            let found = analyse(net);
            assert!(
                found.nodes.values().all(|facts| facts.fault.is_none()),
                "{}",
                net.name
            );
            let code = python::write(net).text;
            let again = python::read(&code, Some(net))
                .unwrap_or_else(|error| panic!("{}: {error}\n{code}", net.name));
            assert_eq!(again.net, *net, "{code}");
            let (input, dtype) = input_shape(net);
            let printed = lab.output(&format!(
                "{code}\n\nresult({}(), {input:?}, {dtype:?})\n",
                net.name
            ));
            let read: Value = serde_json::from_str(printed.lines().last().unwrap_or(""))
                .unwrap_or_else(|_| panic!("{}: {printed}\n{code}", net.name));
            let numbers: Vec<f64> = read[1]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_f64)
                .collect();
            let own: Vec<usize> = read[0]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|n| n.as_u64().map(|n| n as usize))
                .collect();
            assert_eq!(own, *shape, "{}", net.name);
            for (i, (a, b)) in numbers.iter().zip(expected).enumerate() {
                assert!(
                    close(*a, *b, 2e-5),
                    "{}: element {i} is {a}, and PyTorch's {b}\n{code}",
                    net.name
                );
            }
            let rust = in_rust(&engine, net);
            assert_eq!(rust.len(), numbers.len(), "{}", net.name);
            for (i, (a, b)) in rust.iter().zip(&numbers).enumerate() {
                assert!(
                    close(*a, *b, 1e-6),
                    "{}: element {i} is {a} in Rust and {b} in Python",
                    net.name
                );
            }
        }
    });
}

/// The programs of data that comes with glowgrad train.
#[test]
fn programs_train() {
    let mut nets = Vec::new();
    for (name, data) in [
        ("mlp", "digits"),
        ("discriminator", "noise"),
        ("autoencoder", "noise"),
        ("gpt", "noise"),
    ] {
        let mut net = presets::preset(name).expect("a preset");
        let settings = net.training.get_or_insert_default();
        settings.data = data.to_owned();
        settings.epochs = 1;
        settings.batch_size = 64;
        if name == "discriminator" {
            settings.loss = "BCEWithLogitsLoss".to_owned();
        }
        if name == "mlp" {
            settings.schedule = "CosineAnnealingLR".to_owned();
        }
        nets.push(net);
    }
    for net in nets {
        let program =
            training::program(&net).unwrap_or_else(|error| panic!("{}: {error}", net.name));
        let run = program.clone();
        let printed = lab(move |lab| lab.output(&run));
        assert!(
            printed.contains("epoch 1 of 1: loss "),
            "{}: {printed}\n{program}",
            net.name
        );
    }
}
