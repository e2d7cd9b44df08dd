//! Graphs that are odd, and exports that must be refused: an error says what came, what was expected and what to do.

use glowgrad::{DType, Engine, Index, Result, Scalar, Tensor, ops};
use glowgrad_files::onnx::ModelProto;
use glowgrad_onnx::{Export, Model};

use crate::exporting::export_with;

fn row(engine: &Engine, numbers: &[f32]) -> Tensor {
    Tensor::from_f32(engine, numbers, &[numbers.len()]).expect("fits")
}

fn number(engine: &Engine, x: f64) -> Tensor {
    Tensor::number(engine, Scalar::Float(x))
}

/// Exports and runs again.
fn same(export: &Export, inputs: &[(&str, &Tensor)], outputs: &[(&str, &Tensor)]) -> ModelProto {
    // Outputs that were computed do not know any more of what.
    let model = export.to_model().expect("is written");
    let exported = export_with("hostile", export, inputs, outputs);
    let checked = exported.check();
    assert!(checked.is_ok(), "{checked:?}");
    model
}

fn told(export: &Export) -> String {
    export.to_bytes().expect_err("is refused").to_string()
}

#[test]
fn names_that_clash_are_refused_or_step_aside() {
    let engine = glowgrad::cpu();
    let (x, w) = (row(&engine, &[1.0, -2.0]), row(&engine, &[0.5, 3.0]));
    let mut export = Export::new();
    let y = x.mul(&w).and_then(|y| y.relu()).expect("runs");
    // The names that the nodes would get.
    export
        .input("mul", &x)
        .weight("relu", &w)
        .output("constant", &y);
    let model = same(&export, &[("mul", &x)], &[("constant", &y)]);
    let graph = model.graph.expect("a graph");
    assert_eq!(graph.node[0].output, ["mul_1"]);
    for (again, name) in [("mul", "mul"), ("relu", "relu")] {
        let mut export = Export::new();
        export.input("mul", &x).weight("relu", &w).output(again, &y);
        let text = told(&export);
        assert!(text.contains(&format!("{name:?} is given twice")), "{text}");
    }
    let mut export = Export::new();
    export.input("", &x).output("y", &y);
    assert!(told(&export).contains("empty name"));
}

#[test]
fn an_output_may_be_an_input_a_weight_or_another_output() {
    let engine = glowgrad::cpu();
    let (x, w) = (row(&engine, &[1.0, -2.0]), row(&engine, &[0.5, 3.0]));
    let y = x.add(&w).expect("runs");
    let mut export = Export::new();
    export.input("x", &x).weight("w", &w);
    let outputs = [
        ("same", &x),
        ("weight", &w),
        ("y", &y),
        ("again", &y),
        ("twice", &x),
    ];
    for (name, tensor) in outputs {
        export.output(name, tensor);
    }
    let model = same(&export, &[("x", &x)], &outputs);
    let graph = model.graph.expect("a graph");
    let n = graph
        .node
        .iter()
        .filter(|n| n.op_type() == "Identity")
        .count();
    assert_eq!(n, 4);
}

#[test]
fn there_must_be_an_output_and_need_not_be_an_input() {
    let engine = glowgrad::cpu();
    let x = row(&engine, &[1.0]);
    let mut export = Export::new();
    assert!(told(&export).contains("no output"));
    export.input("x", &x);
    assert!(told(&export).contains("no output"));
    let mut export = Export::new();
    let y = x.exp().expect("runs");
    export.output("y", &y);
    let model = same(&export, &[], &[("y", &y)]);
    // All of it is a constant.
    assert_eq!(model.graph.expect("a graph").node.len(), 1);
}

#[test]
fn an_unused_input_stays_and_an_unused_weight_goes() {
    let engine = glowgrad::cpu();
    let (x, other, w) = (
        row(&engine, &[1.0]),
        row(&engine, &[2.0]),
        row(&engine, &[3.0]),
    );
    let y = x.exp().expect("runs");
    let mut export = Export::new();
    export
        .input("x", &x)
        .input("other", &other)
        .weight("w", &w)
        .output("y", &y);
    let model = same(&export, &[("x", &x), ("other", &other)], &[("y", &y)]);
    let graph = model.graph.expect("a graph");
    assert_eq!(graph.input.len(), 2);
    assert!(graph.initializer.is_empty());
}

#[test]
fn numbers_and_nothing_are_tensors_too() {
    let engine = glowgrad::cpu();
    let x = Tensor::from_f32(&engine, &[2.0], &[]).expect("fits");
    let mut export = Export::new();
    let y = x.exp().and_then(|y| y.sum()).expect("runs");
    export.input("x", &x).output("y", &y);
    same(&export, &[("x", &x)], &[("y", &y)]);

    let none = Tensor::from_f32(&engine, &[], &[0, 3]).expect("fits");
    let w = Tensor::from_f32(&engine, &[1.0; 6], &[3, 2]).expect("fits");
    let mut export = Export::new();
    let y = none.matmul(&w).and_then(|y| y.relu()).expect("runs");
    let flat = y.reshape(&[2, 0]).expect("runs");
    let total = flat.sum().expect("runs");
    export.input("x", &none).weight("w", &w);
    export
        .output("y", &y)
        .output("flat", &flat)
        .output("total", &total);
    same(
        &export,
        &[("x", &none)],
        &[("y", &y), ("flat", &flat), ("total", &total)],
    );
}

#[test]
fn an_input_that_is_a_view_is_read_as_itself() {
    let engine = glowgrad::cpu();
    let base = Tensor::from_f32(&engine, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]).expect("fits");
    let x = base.transpose(0, 1).expect("a view");
    let mut export = Export::new();
    export.input("x", &x);
    let y = x.reshape(&[6]).and_then(|y| y.exp()).expect("runs");
    export.output("y", &y);
    same(&export, &[("x", &x)], &[("y", &y)]);
    // What lies behind the view is not the input.
    let mut export = Export::new();
    export.input("x", &x);
    let y = x.reshape(&[6]).and_then(|y| y.exp()).expect("runs");
    let z = y.add(&base.reshape(&[6]).expect("a view")).expect("runs");
    export.output("z", &z);
    let text = told(&export);
    assert!(
        text.contains("beyond the input \"x\"") && text.contains("x.clone()"),
        "{text}"
    );
}

#[test]
fn what_was_written_in_place_is_what_was_named_before() {
    let engine = glowgrad::cpu();
    let x = row(&engine, &[1.0, 2.0, 3.0]);
    let first = row(&engine, &[1.0, 2.0, 3.0]);
    let mut export = Export::new();
    export.input("x", &x);
    let all = [Index::Slice(Some(1), None, None)];
    x.set(&all, &number(&engine, 7.0)).expect("is written");
    let y = x.mul(&number(&engine, 2.0)).expect("runs");
    export.output("y", &y);
    same(&export, &[("x", &first)], &[("y", &y)]);
}

#[test]
fn parameters_are_found_under_their_state_dict() {
    let engine = glowgrad::cpu();
    let (x, w) = (row(&engine, &[1.0, 2.0]), row(&engine, &[3.0, 4.0]));
    w.set_requires_grad(true).expect("a leaf");
    let y = x.mul(&w).expect("runs");
    let mut export = Export::new();
    // A state dict has detached tensors.
    export
        .input("x", &x)
        .weight("w", &w.detach())
        .output("y", &y);
    let model = same(&export, &[("x", &x)], &[("y", &y)]);
    let graph = model.graph.expect("a graph");
    assert_eq!(graph.node.len(), 1);
    assert_eq!(graph.node[0].input, ["x", "w"]);
}

#[test]
fn a_value_whose_origin_is_gone_is_refused_and_trace_keeps_it() {
    let engine = glowgrad::cpu();
    // A graph that is recorded for a picture keeps what it was made of.
    engine.trace().set_recording(false);
    let x = row(&engine, &[1.0, -2.0]);
    let run = || -> Result<Tensor> {
        let y = x.relu()?;
        y.realize()?;
        y.exp()
    };
    let mut export = Export::new();
    let y = run().expect("runs");
    export.input("x", &x).output("y", &y);
    let text = told(&export);
    assert!(
        text.contains("\"relu\"") && text.contains("Export::trace"),
        "{text}"
    );
    let mut export = Export::new();
    export.input("x", &x);
    let y = export.trace(&engine, run).expect("runs");
    export.output("y", &y);
    same(&export, &[("x", &x)], &[("y", &y)]);
}

#[test]
fn what_the_program_looked_at_is_told() {
    let engine = glowgrad::cpu();
    let x = row(&engine, &[1.0, -2.0, 3.0]);
    let mut export = Export::new();
    export.input("x", &x);
    let y = export.trace(&engine, || {
        let total = x.sum()?;
        match total.item()?.as_f64() > 0.0 {
            true => x.exp(),
            false => x.relu(),
        }
    });
    let y = y.expect("runs");
    export.output("y", &y);
    let told = export.looked_at().expect("walks");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("\"sum\""), "{told:?}");
    same(&export, &[("x", &x)], &[("y", &y)]);
}

#[test]
fn a_mask_as_an_index_is_refused() {
    let engine = glowgrad::cpu();
    let x = row(&engine, &[1.0, -2.0, 3.0]);
    let mut export = Export::new();
    export.input("x", &x);
    let gt = ops::find("gt").expect("an op");
    let y = export.trace(&engine, || {
        let operands = [x.clone(), number(&engine, 0.0)];
        let mask = Tensor::apply(&engine, gt, &operands, Default::default())?;
        x.get(&[Index::Tensor(mask)])
    });
    export.output("y", &y.expect("runs"));
    let text = told(&export);
    assert!(
        text.contains("a mask as an index") && text.contains("torch.where"),
        "{text}"
    );
    // A mask that is the same for every input picks the same.
    let mut export = Export::new();
    export.input("x", &x);
    let y = export.trace(&engine, || {
        let flags = [true, false, true].map(Scalar::Bool);
        let mask = Tensor::from_scalars(&engine, &flags, &[3], DType::Bool)?;
        x.get(&[Index::Tensor(mask)])
    });
    let y = y.expect("runs");
    export.output("y", &y);
    same(&export, &[("x", &x)], &[("y", &y)]);
}

#[test]
fn all_that_cannot_be_written_is_named_at_once() {
    let engine = glowgrad::cpu();
    let x = row(&engine, &[1.5, 2.5]);
    let on = |op: &str, x: &Tensor| {
        Tensor::apply(
            &engine,
            ops::find(op).expect("an op"),
            std::slice::from_ref(x),
            Default::default(),
        )
    };
    engine.push_scope("head");
    let y = on("lgamma", &x).expect("runs");
    engine.pop_scope();
    let y = on("erfinv", &y.exp().expect("runs")).expect("runs");
    let y = on("lgamma", &y).expect("runs");
    let mut export = Export::new();
    export.input("x", &x).output("y", &y);
    let text = told(&export);
    assert!(
        text.starts_with("2 of the graph's ops cannot be written as ONNX"),
        "{text}"
    );
    assert!(
        text.contains("head/lgamma") && text.contains("erfinv"),
        "{text}"
    );
    let refused = export.refused().expect("walks");
    assert_eq!(refused.len(), 2);
}

#[test]
fn versions_that_are_not_written_are_refused() {
    let engine = glowgrad::cpu();
    let x = row(&engine, &[1.0]);
    for version in [i64::MIN, 0, 17, 26, i64::MAX] {
        let mut export = Export::new();
        export.opset(version).input("x", &x).output("y", &x);
        assert!(told(&export).contains("18 to 25"));
    }
}

#[test]
fn a_long_chain_needs_no_recursion() {
    let engine = glowgrad::cpu();
    let x = row(&engine, &[1.0]);
    let mut export = Export::new();
    export.input("x", &x);
    let one = number(&engine, 1.0);
    let y = export.trace(&engine, || {
        (0..50_000).try_fold(x.clone(), |y, _| y.add(&one))
    });
    let y = y.expect("runs");
    export.output("y", &y);
    let model = export.to_model().expect("is written");
    assert_eq!(model.graph.expect("a graph").node.len(), 50_000);
}

#[test]
fn a_large_constant_that_is_stretched_is_written_small() {
    let engine = glowgrad::cpu();
    let x = row(&engine, &[1.0]);
    let mut export = Export::new();
    export.input("x", &x);
    let ones = Tensor::full(&engine, &[1000, 1000], Scalar::Float(1.0), DType::F32).expect("fits");
    let y = x.add(&ones).expect("runs");
    export.output("y", &y);
    let bytes = export.to_bytes().expect("is written");
    assert!(bytes.len() < 2000, "{} bytes", bytes.len());
    let model = Model::read(&bytes).expect("reads");
    assert_eq!(model.outputs()[0].to_string(), "y float32 [1000, 1000]");
}

#[test]
fn a_tensor_that_is_two_inputs_is_refused() {
    let engine = glowgrad::cpu();
    let x = row(&engine, &[1.0]);
    let y = x.exp().expect("runs");
    let mut export = Export::new();
    export.input("a", &x).input("b", &x).output("y", &y);
    assert!(told(&export).contains("are one tensor"));
}
