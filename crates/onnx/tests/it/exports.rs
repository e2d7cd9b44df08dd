//! Networks as PyTorch exports them, with what PyTorch computed (`tests/make_exports.py`).

use glowgrad::Tensor;
use glowgrad_onnx::{Info, Model, from_array, to_array};

use crate::suite::{Case, array, is_close, unpack};

pub(crate) fn exports() -> Vec<Case> {
    unpack(include_bytes!("../data/exports.bin"))
}

#[test]
fn networks_give_what_pytorch_gives() {
    let exports = exports();
    let names: Vec<&str> = exports.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["mlp", "lenet", "lstm", "gru", "gpt"]);
    for case in &exports {
        let engine = glowgrad::cpu();
        let model = Model::read(&case.model).expect("reads");
        let loaded = model.load(&engine).expect("loads");
        for set in &case.sets {
            let x = from_array(&engine, &array(&set.inputs[0]).expect("an array").1);
            let outputs = loaded.run([("x", x.expect("fits"))]).expect("runs");
            let got = to_array(&outputs[0].1).expect("is computed");
            let (_, want) = array(&set.outputs[0]).expect("an array");
            let close = is_close(&got, &want, 1e-4, 1e-4);
            assert!(close.is_ok(), "{}: {close:?}", case.name);
        }
    }
}

#[test]
fn a_weight_that_is_off_is_caught() {
    for case in &exports() {
        let engine = glowgrad::cpu();
        let model = Model::read(&case.model).expect("reads");
        let loaded = model.load(&engine).expect("loads");
        let floats =
            |(_, weight): &(&str, &Tensor)| weight.dtype().is_float() && weight.numel() > 9;
        let (_, weight) = loaded.weights().find(floats).expect("a weight");
        let wrong = weight.mul(weight).expect("a product");
        weight.assign(&wrong).expect("is written");
        let set = &case.sets[0];
        let x = from_array(&engine, &array(&set.inputs[0]).expect("an array").1);
        let outputs = loaded.run([("x", x.expect("fits"))]).expect("runs");
        let got = to_array(&outputs[0].1).expect("is computed");
        let (_, want) = array(&set.outputs[0]).expect("an array");
        assert!(is_close(&got, &want, 1e-4, 1e-4).is_err(), "{}", case.name);
    }
}

#[test]
fn weights_learn() {
    let case = &exports()[0];
    let engine = glowgrad::cpu();
    let model = Model::read(&case.model).expect("reads");
    let loaded = model.load(&engine).expect("loads");
    for (_, weight) in loaded.weights() {
        weight.set_requires_grad(true).expect("a leaf");
    }
    let x = from_array(
        &engine,
        &array(&case.sets[0].inputs[0]).expect("an array").1,
    );
    let outputs = loaded.run([("x", x.expect("fits"))]).expect("runs");
    let loss = outputs[0].1.sum().expect("a sum");
    loss.backward(None, Default::default()).expect("walks back");
    for (name, weight) in loaded.weights() {
        let grad = weight
            .grad()
            .unwrap_or_else(|| panic!("{name} has no gradient"));
        assert_eq!(grad.shape(), weight.shape(), "{name}");
    }
}

#[test]
fn what_a_model_is_made_of_is_told() {
    let case = &exports()[0];
    let info = Info::read(&case.model).expect("reads");
    assert_eq!(info.opsets, [("ai.onnx".to_owned(), 17)]);
    assert_eq!(info.n_parameters, 6 * 12 + 12 + 12 * 8 + 8 + 8 * 3 + 3);
    assert_eq!(info.inputs[0].to_string(), "x float32 [batch, 6]");
    assert_eq!(info.outputs[0].to_string(), "y float32 [batch, 3]");
    let gemm = info
        .operators
        .iter()
        .find(|operator| operator.name == "Gemm");
    assert_eq!(gemm.map(|operator| operator.n_nodes), Some(3));
    assert!(info.producer.starts_with("pytorch"), "{}", info.producer);
    assert_eq!(info.unsupported, []);
}
