//! Broken and hostile models: an error, and neither a panic nor memory that the file does not justify.

use glowgrad::{DType, Tensor};
use glowgrad_files::Array;
use glowgrad_files::onnx::{GraphProto, ModelProto, TensorProto, decode, encode};
use glowgrad_onnx::{Info, Model, from_array};

use crate::models::{model, node, value};
use crate::suite::{Case, array, unpack};

/// Reads and runs a model that may be anything; what comes of it does not matter.
fn try_out(bytes: &[u8], case: &Case) {
    let _ = Info::read(bytes);
    let Ok(model) = Model::read(bytes) else {
        return;
    };
    let engine = glowgrad::cpu();
    let mut inputs = Vec::new();
    for (info, bytes) in model.inputs().iter().zip(&case.sets[0].inputs) {
        let (_, array) = array(bytes).expect("an array");
        inputs.push((
            info.name.clone(),
            from_array(&engine, &array).expect("fits"),
        ));
    }
    if let Ok(outputs) = model.run(&engine, inputs) {
        for (_, output) in outputs {
            let _ = output.to_bytes();
        }
    }
}

/// Marsaglia's xorshift.
fn next(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 16) as usize
}

fn cases() -> Vec<Case> {
    let cases = unpack(include_bytes!("../data/cases.bin"));
    // A loop with another count may run very long, and only Stop would end it.
    let ends = |case: &Case| !case.name.contains("loop") && case.model.len() < 4096;
    cases.into_iter().filter(ends).collect()
}

#[test]
fn models_that_are_cut_off_do_not_panic() {
    for case in cases().iter().step_by(7) {
        for end in (0..case.model.len()).step_by(11) {
            try_out(&case.model[..end], case);
        }
    }
}

#[test]
fn models_with_changed_bytes_do_not_panic() {
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let n = std::env::var("GLOW_ONNX_CHANGES").map_or(12, |n| n.parse().expect("a number"));
    for case in &cases() {
        for _ in 0..n {
            let mut bytes = case.model.clone();
            for _ in 0..=next(&mut state) % 3 {
                let at = next(&mut state) % bytes.len();
                bytes[at] = match next(&mut state) % 4 {
                    0 => next(&mut state) as u8,
                    1 => bytes[at].wrapping_add(1),
                    2 => 0xff,
                    _ => 0,
                };
            }
            try_out(&bytes, case);
        }
    }
}

/// Numbers that sizes, axes and counts are seldom made for.
const EXTREMES: [i64; 12] = [
    0,
    1,
    -1,
    2,
    3,
    -7,
    100,
    1 << 31,
    1 << 40,
    i64::MAX,
    i64::MIN,
    i64::MIN + 1,
];

/// A model with other attributes, inputs that are left out or another's, and no word of types.
fn disturbed(proto: &ModelProto, state: &mut u64) -> ModelProto {
    let mut proto = proto.clone();
    let graph = proto.graph.get_or_insert_default();
    graph.input.iter_mut().for_each(|info| info.r#type = None);
    let mut pick = |n: usize| next(state) % n.max(1);
    for node in &mut graph.node {
        for attribute in &mut node.attribute {
            if pick(3) != 0 {
                continue;
            }
            let extreme = EXTREMES[pick(EXTREMES.len())];
            match (
                &mut attribute.i,
                attribute.ints.is_empty(),
                &mut attribute.f,
            ) {
                (Some(i), ..) => *i = extreme,
                (_, false, _) => {
                    let at = pick(attribute.ints.len());
                    match pick(3) {
                        0 => attribute.ints.push(extreme),
                        1 => drop(attribute.ints.remove(at)),
                        _ => attribute.ints[at] = extreme,
                    }
                }
                (.., Some(f)) => *f = [0.0, -1.0, f32::NAN, f32::INFINITY, 1e30][pick(5)],
                _ => {}
            }
        }
        let names = node.input.clone();
        if let (0, false) = (pick(3), names.is_empty()) {
            let (at, other) = (pick(names.len()), pick(names.len() + 1));
            node.input[at] = names.get(other).cloned().unwrap_or_default();
        }
    }
    proto
}

/// An input of other sizes or numbers.
fn other_input(array: &Array<'_>, state: &mut u64) -> Array<'static> {
    let mut pick = |n: usize| next(state) % n.max(1);
    let mut shape = array.shape().to_vec();
    match pick(5) {
        0 => shape.clear(),
        1 => shape.push(1),
        2 if !shape.is_empty() => {
            let at = pick(shape.len());
            shape[at] = pick(4);
        }
        3 if !shape.is_empty() => drop(shape.remove(0)),
        _ => {}
    }
    let n: usize = shape.iter().product();
    let is_ints = array.dtype() == DType::I64;
    let whole = array.bytes();
    let mut bytes = Vec::new();
    for i in 0..n * array.dtype().size() {
        bytes.push(whole.get(i % whole.len().max(1)).copied().unwrap_or(0));
    }
    if is_ints && n > 0 && pick(2) == 0 {
        let at = pick(n) * 8;
        let extreme = EXTREMES[pick(EXTREMES.len())];
        bytes[at..at + 8].copy_from_slice(&extreme.to_le_bytes());
    }
    Array::new(array.dtype(), shape, bytes).expect("as many bytes as the shape takes")
}

#[test]
fn models_with_extreme_attributes_and_inputs_do_not_panic() {
    let mut state = 0x2545_f491_4f6c_dd1d;
    let n = std::env::var("GLOW_ONNX_CHANGES").map_or(12, |n| n.parse().expect("a number"));
    for case in &cases() {
        let proto: ModelProto = decode(&case.model).expect("a model");
        for _ in 0..n {
            let Ok(model) = Model::read(&encode(&disturbed(&proto, &mut state))) else {
                continue;
            };
            let engine = glowgrad::cpu();
            let mut inputs = Vec::new();
            for (info, bytes) in model.inputs().iter().zip(&case.sets[0].inputs) {
                let (_, array) = array(bytes).expect("an array");
                let array = other_input(&array, &mut state);
                inputs.push((
                    info.name.clone(),
                    from_array(&engine, &array).expect("fits"),
                ));
            }
            let Ok(outputs) = model.run(&engine, inputs) else {
                continue;
            };
            for (_, output) in outputs {
                // What is large is a view, or is refused when it is read.
                if output.numel() < 1 << 20 {
                    let _ = output.to_bytes();
                }
            }
        }
    }
}

fn constant(name: &str, list: &[i64]) -> TensorProto {
    let bytes: Vec<u8> = list.iter().flat_map(|i| i.to_le_bytes()).collect();
    let array = Array::new(DType::I64, vec![list.len()], bytes).expect("fits");
    TensorProto::of_array(name, &array)
}

#[test]
fn sizes_beyond_memory_are_refused() {
    let huge = [1 << 40, 1 << 20];
    let calls: [(&str, &[&str]); 6] = [
        ("ConstantOfShape", &["huge"]),
        ("Expand", &["x", "huge"]),
        ("Tile", &["x", "huge"]),
        ("Reshape", &["x", "huge"]),
        ("Pad", &["x", "pads"]),
        ("OneHot", &["places", "depth", "values"]),
    ];
    for (op, inputs) in calls {
        let graph = GraphProto {
            node: vec![node(op, inputs, &["y"])],
            initializer: vec![
                constant("huge", &huge),
                constant("pads", &[0, 0, 1 << 60, 1 << 60]),
                constant("places", &[0]),
                constant("depth", &[i64::MAX]),
                constant("values", &[0, 1]),
            ],
            input: vec![value("x")],
            output: vec![value("y")],
            ..GraphProto::default()
        };
        let model = Model::read(&encode(&model(17, graph))).expect("reads");
        let engine = glowgrad::cpu();
        let x = Tensor::from_f32(&engine, &[1.0], &[1, 1]).expect("fits");
        let outcome = (model.run(&engine, [("x", x)])).and_then(|outputs| outputs[0].1.to_bytes());
        assert!(outcome.is_err(), "{op}");
    }
}

#[test]
fn weights_in_another_file_are_refused_by_name() {
    let weight = TensorProto {
        data_location: Some(1),
        ..constant("weight", &[1])
    };
    let graph = GraphProto {
        node: vec![node("Identity", &["weight"], &["y"])],
        initializer: vec![weight],
        output: vec![value("y")],
        ..GraphProto::default()
    };
    let error = Model::read(&encode(&model(17, graph))).expect_err("is refused");
    assert!(
        error.to_string().contains("\"weight\" has its elements in"),
        "{error}"
    );
}

#[test]
fn what_is_no_model_is_said_to_be_none() {
    let told = |bytes: &[u8]| Model::read(bytes).expect_err("is refused").to_string();
    assert!(told(b"\x89PNG\r\n\x1a\n").contains("no ONNX message"));
    assert!(told(b"").contains("IR version 0"));
    assert!(told(&encode(&ModelProto::default())).contains("IR version 0"));
}
