//! Networks of the studio as ONNX models and back: what comes back gives the same numbers.

use glowgrad::network::Network;
use glowgrad::nn::Parts;
use glowgrad::{DType, Engine, Tensor};
use glowgrad_architecture::model::Size;
use glowgrad_architecture::{Architecture, presets, python};
use glowgrad_files::onnx::{
    GraphProto, ModelProto, StringStringEntryProto, TensorProto, decode, encode,
};
use glowgrad_onnx::{Drawn, Export, from_array};

use crate::models::{model as onnx_model, node, typed};
use crate::suite::{Case, array, is_close};

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

/// The bytes of a model with entries of metadata behind them, as the studio appends them.
fn with_entries(bytes: &[u8], entries: &[(&str, String)]) -> Vec<u8> {
    let of = |(key, value): &(&str, String)| StringStringEntryProto {
        key: Some((*key).to_owned()),
        value: Some(value.clone()),
    };
    let proto = ModelProto {
        metadata_props: entries.iter().map(of).collect(),
        ..ModelProto::default()
    };
    [bytes, &encode(&proto)].concat()
}

/// A file of the studio gives the document that it was written of, with blocks and recurrent layers; one that was changed
/// since is read as its graph.
#[test]
fn a_file_of_the_studio_gives_its_document() {
    let engine = glowgrad::cpu();
    for name in ["char_lstm", "resnet18"] {
        let net = presets::preset(name).expect("a preset");
        let model = model(&engine, &net);
        let bytes = exported(&engine, &net, &model, false);
        let state = model.state_dict();
        let names: Vec<&str> = state.iter().map(|(name, _)| name.as_str()).collect();
        let hash = bytes.iter().fold(0x811c_9dc5_u32, |hash, &byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
        let entries = |document: String, hash: u32| {
            [
                ("glowgrad.architecture", document),
                ("glowgrad.weights", serde_json::json!(names).to_string()),
                ("glowgrad.model", format!("{} {hash:08x}", bytes.len())),
            ]
        };
        let file = with_entries(&bytes, &entries(net.to_json(), hash));
        let drawn = Drawn::read(&file).expect("is read");
        assert_eq!(drawn.net, net, "{name}");
        let own = inputs(&engine, &net, 2);
        let wanted = model.run(&own).expect("it runs");
        let wanted = wanted[0].to_f64().expect("numbers");
        same(name, &given(&engine, &drawn, &own)[0], &wanted, 1e-6);

        let plain = Drawn::read(&bytes).expect("is read").net;
        assert!(plain.blocks.is_empty(), "{name}");
        for other in [
            with_entries(&bytes, &entries(net.to_json(), hash ^ 1)),
            with_entries(&bytes, &entries("{".to_owned(), hash)),
            with_entries(&bytes, &entries(net.to_json(), hash)[..2]),
        ] {
            assert_eq!(Drawn::read(&other).expect("is read").net, plain, "{name}");
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

/// Whether the network that a case's model is gives what the case says; none where the model has no picture.
fn drawn_gives(case: &Case, tolerance: f64) -> Option<Result<(), String>> {
    let engine = glowgrad::cpu();
    let drawn = Drawn::read(&case.model).ok()?;
    let run = || -> Result<(), String> {
        for set in &case.sets {
            let inputs: Result<Vec<Tensor>, String> = (drawn.net.inputs.iter().zip(&set.inputs))
                .map(|(input, bytes)| {
                    let x = from_array(&engine, &array(bytes)?.1).map_err(|e| e.to_string())?;
                    match input.dtype.as_str() {
                        "int64" => x.to(DType::I64).map_err(|e| e.to_string()),
                        _ => Ok(x),
                    }
                })
                .collect();
            // Some layers have no type in Rust.
            if Network::new(&engine, &drawn.net).is_err_and(|e| e.message.contains("here;")) {
                return Ok(());
            }
            let got = given(&engine, &drawn, &inputs?);
            for (values, bytes) in got.iter().zip(&set.outputs) {
                let (_, want) = array(bytes)?;
                let values: Vec<f32> = values.iter().map(|&x| x as f32).collect();
                let bytes = values
                    .iter()
                    .flat_map(|x| x.to_le_bytes())
                    .collect::<Vec<u8>>();
                let got = glowgrad_files::Array::new(DType::F32, want.shape().to_vec(), bytes)
                    .map_err(|e| e.to_string())?;
                is_close(&got, &want, tolerance, tolerance)?;
            }
        }
        Ok(())
    };
    Some(run())
}

#[test]
fn what_pytorch_exports_is_drawn() {
    for case in &crate::exports::exports() {
        let drawn = Drawn::read(&case.model);
        let drawn = drawn.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        println!("{}: {} nodes", case.name, drawn.net.nodes.len());
        let outcome = drawn_gives(case, 1e-4).expect("it is drawn");
        assert!(outcome.is_ok(), "{}: {outcome:?}", case.name);
    }
}

/// The case with all of its inputs but the first as weights.
fn with_weights(case: &Case) -> Option<Case> {
    let mut proto: ModelProto = decode(&case.model).ok()?;
    let graph = proto.graph.as_mut()?;
    let names: Vec<String> = graph
        .input
        .iter()
        .map(|input| input.name().to_owned())
        .collect();
    for (name, bytes) in names.iter().zip(&case.sets.first()?.inputs).skip(1) {
        let mut weight: TensorProto = decode(bytes).ok()?;
        weight.name = Some(name.clone());
        graph.initializer.push(weight);
    }
    graph.input.truncate(1);
    Some(Case {
        name: case.name.clone(),
        model: encode(&proto),
        sets: Vec::new(),
    })
}

/// ONNX's own cases, each as a model with weights: what is drawn computes what ONNX says.
#[test]
fn cases_of_onnx_are_right_or_refused() {
    let (mut n_drawn, mut wrong) = (0, Vec::new());
    for mut case in crate::backend::committed() {
        let Some(mut own) = with_weights(&case) else {
            continue;
        };
        own.sets = std::mem::take(&mut case.sets);
        let all_floats = own
            .sets
            .iter()
            .flat_map(|set| &set.outputs)
            .all(|bytes| array(bytes).is_ok_and(|(_, want)| want.dtype() == DType::F32));
        if !all_floats {
            continue;
        }
        match drawn_gives(&own, 1e-3) {
            Some(Ok(())) => n_drawn += 1,
            Some(Err(why)) => wrong.push(format!("{}: {why}", own.name)),
            None => {}
        }
    }
    println!("{n_drawn} cases are drawn");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_drawn >= 60, "{n_drawn} cases");
}

fn one_node(op: &str, shape: &[i64]) -> Vec<u8> {
    let float = glowgrad_files::onnx::DataType::Float;
    encode(&onnx_model(
        17,
        GraphProto {
            node: vec![node(op, &["x"], &["y"])],
            input: vec![typed("x", float, shape)],
            output: vec![typed("y", float, shape)],
            ..GraphProto::default()
        },
    ))
}

#[test]
fn what_has_no_picture_is_named() {
    let fault = Drawn::read(&one_node("Cos", &[-1, 4])).expect_err("it has none");
    assert!(
        fault
            .message
            .starts_with("1 node of the model has no picture in the studio: \"the Cos\" (Cos)"),
        "{fault}"
    );
    let drawn = Drawn::read(&one_node("Relu", &[-1, 4])).expect("it has one");
    assert_eq!(drawn.net.inputs[0].shape[0], Size::Open("batch".to_owned()));
    assert_eq!(drawn.net.nodes[0].kind, "relu");
    let fault = Drawn::read(b"no model").expect_err("these bytes are no model");
    assert!(!fault.message.is_empty());
}

/// Files that were damaged are refused, or are networks: none panics.
#[test]
fn damaged_models_do_not_panic() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let mut n_drawn = 0;
    for case in crate::exports::exports() {
        for _ in 0..150 {
            let mut bytes = case.model.clone();
            // The graph's nodes stand before its weights.
            let head = bytes.len().min(6_000);
            for _ in 0..1 + below(3) {
                let at = below(head);
                bytes[at] = below(256) as u8;
            }
            n_drawn += usize::from(Drawn::read(&bytes).is_ok());
        }
    }
    println!("{n_drawn} of 750 damaged models are networks");
    assert!(n_drawn < 750);
}
