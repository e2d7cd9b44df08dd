//! Networks of the studio as ONNX models and back: what comes back gives the same numbers.

use glowgrad::network::Network;
use glowgrad::nn::Parts;
use glowgrad::{DType, Engine, Tensor};
use glowgrad_architecture::model::Size;
use glowgrad_architecture::{Architecture, presets, python};
use glowgrad_onnx::{Drawn, Export};

/// The numbers of a weight or an input, as `tests/golden/make_networks.py` has them.
fn filled(shape: &[usize], k: u64) -> Vec<f32> {
    let n: usize = shape.iter().product();
    let one = |i: u64| (((i * 7919 + 104_729 * (k + 1)) % 1009) as f64 / 1009.0 - 0.5) as f32;
    (0..n as u64).map(one).collect()
}

fn random() -> Vec<(Architecture, Vec<f64>)> {
    let text = include_str!("../../../../tests/golden/networks.json");
    let read: serde_json::Value = serde_json::from_str(text).expect("the golden file is JSON");
    let each = read["cases"].as_array().expect("it has cases").iter();
    each.map(|case| {
        let net = Architecture::parse(&case["net"].to_string()).expect("a case is a network");
        let output = case["output"].as_array().into_iter().flatten();
        (net, output.filter_map(serde_json::Value::as_f64).collect())
    })
    .collect()
}

fn inputs(engine: &Engine, net: &Architecture, open: usize) -> Vec<Tensor> {
    let one = |input: &glowgrad_architecture::model::Input| {
        let size = |size: &Size| match size {
            Size::Number(n) => *n as usize,
            Size::Open(_) => open,
        };
        let shape: Vec<usize> = input.shape.iter().map(size).collect();
        let values = filled(&shape, 1000);
        match input.dtype.as_str() {
            "int64" => {
                let whole: Vec<i64> = (values.iter())
                    .map(|x| (((x + 0.5) * 11.0) as i64).clamp(0, 10))
                    .collect();
                Tensor::from_i64(engine, &whole, &shape).expect("an input")
            }
            _ => Tensor::from_f32(engine, &values, &shape).expect("an input"),
        }
    };
    net.inputs.iter().map(one).collect()
}

/// A model of a network with the numbers of the golden file.
fn model(engine: &Engine, net: &Architecture) -> Network {
    let model = Network::new(engine, net).unwrap_or_else(|error| panic!("{}: {error}", net.name));
    model.eval();
    let state: Vec<(String, Tensor)> = (model.state_dict().into_iter().enumerate())
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
                .map(|x| x + shift)
                .collect();
            let filled = Tensor::from_f32(engine, &values, &tensor.shape()).expect("a weight");
            (name, filled)
        })
        .collect();
    model
        .load_state_dict(&state)
        .expect("the state is the model's");
    model
}

/// The network as an ONNX file; `is_open` leaves its batch open.
fn exported(engine: &Engine, net: &Architecture, model: &Network, is_open: bool) -> Vec<u8> {
    let once = |open: usize| {
        let given = inputs(engine, net, open);
        let mut export = Export::new();
        for (input, x) in net.inputs.iter().zip(&given) {
            export.input(&input.name, x);
        }
        for (name, weight) in model.state_dict() {
            export.weight(&name, &weight);
        }
        let results = export.trace(engine, || model.run(&given)).expect("it runs");
        for (i, y) in results.iter().enumerate() {
            export.output(&format!("y{i}"), y);
        }
        export
    };
    let first = once(2);
    let bytes = match is_open {
        true => first.to_bytes_of_sizes(&[("N", &once(4))]),
        false => first.to_bytes(),
    };
    bytes.unwrap_or_else(|error| panic!("{}: {error}", net.name))
}

/// What a network gives that has these weights.
fn given(engine: &Engine, drawn: &Drawn, inputs: &[Tensor]) -> Vec<Vec<f64>> {
    let net = &drawn.net;
    let model = Network::new(engine, net)
        .unwrap_or_else(|error| panic!("{}: {error}\n{}", net.name, net.to_json()));
    model.eval();
    let of = |weight: &Tensor| {
        let values = weight.to_f64().expect("numbers");
        match weight.dtype() {
            DType::I64 => Tensor::from_i64(
                engine,
                &values.iter().map(|&x| x as i64).collect::<Vec<_>>(),
                &weight.shape(),
            ),
            _ => Tensor::from_f32(
                engine,
                &values.iter().map(|&x| x as f32).collect::<Vec<_>>(),
                &weight.shape(),
            ),
        }
        .expect("a weight")
    };
    let state: Vec<(String, Tensor)> = drawn
        .weights
        .iter()
        .map(|(name, weight)| (name.clone(), of(weight)))
        .collect();
    model
        .load_state_dict(&state)
        .unwrap_or_else(|error| panic!("{}: {error}\n{}", net.name, net.to_json()));
    let results = model
        .run(inputs)
        .unwrap_or_else(|error| panic!("{}: {error}\n{}", net.name, net.to_json()));
    results
        .iter()
        .map(|y| y.to_f64().expect("numbers"))
        .collect()
}

fn same(name: &str, got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{name}");
    for (i, (a, b)) in got.iter().zip(want).enumerate() {
        let is_close = (a - b).abs() <= tolerance * (1.0 + b.abs());
        assert!(is_close, "{name}: element {i} is {a}, and was {b}");
    }
}

/// A network goes out as a file, comes back as a network, and both give the same; the picture can be written as code and
/// read again.
fn there_and_back(
    engine: &Engine,
    net: &Architecture,
    is_open: bool,
) -> (Architecture, Vec<Vec<f64>>) {
    let model = model(engine, net);
    let bytes = exported(engine, net, &model, is_open);
    let drawn = Drawn::read(&bytes).unwrap_or_else(|error| panic!("{}: {error}", net.name));
    let own = inputs(engine, net, if is_open { 3 } else { 2 });
    let wanted: Vec<Vec<f64>> = (model.run(&own).expect("it runs").iter())
        .map(|y| y.to_f64().expect("numbers"))
        .collect();
    let got = given(engine, &drawn, &own);
    assert_eq!(got.len(), wanted.len(), "{}", net.name);
    for (a, b) in got.iter().zip(&wanted) {
        same(&net.name, a, b, 2e-5);
    }
    let code = python::write(&drawn.net).text;
    let again = python::read(&code, Some(&drawn.net))
        .unwrap_or_else(|error| panic!("{}: {error}\n{code}", net.name));
    assert_eq!(again.net, drawn.net, "{code}");
    (drawn.net, got)
}

#[test]
fn presets_come_back() {
    let engine = glowgrad::cpu();
    for (name, _) in presets::names() {
        let net = presets::preset(name).expect("a preset");
        // Numbers that were drawn at random are constants of the file, of that run's size.
        let is_random = net.nodes.iter().any(|node| node.kind == "randn_like");
        if is_random {
            continue;
        }
        for is_open in [false, true] {
            let (back, _) = there_and_back(&engine, &net, is_open);
            println!("{name} {is_open}: {} nodes", back.nodes.len());
        }
    }
}

#[test]
fn random_networks_come_back() {
    let engine = glowgrad::cpu();
    let cases = random();
    assert_eq!(cases.len(), 100);
    for (net, pytorch) in cases {
        let (_, got) = there_and_back(&engine, &net, false);
        // The golden file has the first numbers.
        same(&net.name, &got[0][..pytorch.len()], &pytorch, 2e-5);
        there_and_back(&engine, &net, true);
    }
}
