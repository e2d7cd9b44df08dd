//! `glow onnx`: what it tells of a model, what it computes, and what it refuses with nothing written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use glowgrad::DType;
use glowgrad_files::onnx::{
    GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, ValueInfoProto, encode,
};
use glowgrad_files::{Array, npy};

fn glow(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_glow"))
        .arg("onnx")
        .args(arguments)
        .output()
        .expect("glow starts")
}

/// An empty folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("onnx-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the build folder is writable");
    path
}

fn floats(numbers: &[f32], shape: &[usize]) -> Array<'static> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    Array::new(DType::F32, shape.to_vec(), bytes).expect("sizes and numbers fit")
}

fn node(op: &str, inputs: &[&str], output: &str) -> NodeProto {
    NodeProto {
        op_type: Some(op.to_owned()),
        name: Some(format!("the {op}")),
        input: inputs.iter().map(|&name| name.to_owned()).collect(),
        output: vec![output.to_owned()],
        ..NodeProto::default()
    }
}

/// A model file: `h = x @ w`, then an operator of `h`.
fn model(path: &Path, last: &str) -> String {
    let value = |name: &str| ValueInfoProto {
        name: Some(name.to_owned()),
        ..ValueInfoProto::default()
    };
    let weight = floats(&[1.0, 0.0, 0.0, -1.0], &[2, 2]);
    let graph = GraphProto {
        node: vec![node("MatMul", &["x", "w"], "h"), node(last, &["h"], "y")],
        initializer: vec![TensorProto::of_array("w", &weight)],
        input: vec![value("x")],
        output: vec![value("y")],
        ..GraphProto::default()
    };
    let proto = ModelProto {
        ir_version: Some(8),
        opset_import: vec![OperatorSetIdProto {
            domain: None,
            version: Some(17),
        }],
        producer_name: Some("a test".to_owned()),
        graph: Some(graph),
        ..ModelProto::default()
    };
    fs::write(path, encode(&proto)).expect("the folder is writable");
    path.display().to_string()
}

fn input(folder: &Path, numbers: &[f32], shape: &[usize]) -> String {
    let file = folder.join("x.npy");
    let bytes = npy::write(&floats(numbers, shape)).expect("an array is written");
    fs::write(&file, bytes).expect("the folder is writable");
    format!("x={}", file.display())
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr)
        .trim_end()
        .to_owned()
}

#[test]
fn a_model_is_told_and_run() {
    let folder = folder("runs");
    let model = model(&folder.join("relu.onnx"), "Relu");
    let told = glow(&["info", &model]);
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.status.success(), "{text}");
    for line in [
        "written by a test",
        "4 parameters",
        "2 nodes",
        "all of them run here",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }

    let input = input(&folder, &[1.0, 2.0, -3.0, -4.0], &[2, 2]);
    let printed = glow(&["run", &model, "--input", &input]);
    let text = String::from_utf8_lossy(&printed.stdout).into_owned();
    assert!(text.starts_with("y = tensor([[1., 0.],"), "{text}");

    let out = folder.join("out");
    let written = glow(&[
        "run",
        &model,
        "--input",
        &input,
        "--output-dir",
        &out.display().to_string(),
    ]);
    assert!(written.status.success(), "{}", said(&written));
    let bytes = fs::read(out.join("y.npy")).expect("the output is a file");
    let expected = floats(&[1.0, 0.0, 0.0, 4.0], &[2, 2]);
    assert_eq!(npy::read(&bytes).expect("it is an array"), expected);
}

#[test]
fn what_cannot_run_is_named_and_nothing_is_written() {
    let folder = folder("refuses");
    let strange = model(&folder.join("strange.onnx"), "Telepathy");
    let told = glow(&["info", &strange]);
    assert_eq!(told.status.code(), Some(1));
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(
        text.contains("1 of them cannot run here") && text.contains("Telepathy"),
        "{text}"
    );

    let good = model(&folder.join("relu.onnx"), "Relu");
    let out = folder.join("out");
    let out = out.display().to_string();
    let x = input(&folder, &[1.0, 2.0, 3.0], &[1, 3]);
    let text_file = folder.join("text.npy");
    fs::write(&text_file, "no array").expect("the folder is writable");
    let no_array = format!("x={}", text_file.display());
    for (model, input, words) in [
        (&strange, x.as_str(), "Telepathy"),
        (&good, x.as_str(), "MatMul"),
        (&good, "x", "is not NAME=FILE.npy"),
        (&good, "x=missing.npy", "cannot read missing.npy"),
        (&good, no_array.as_str(), "text.npy"),
        (
            &text_file.display().to_string(),
            x.as_str(),
            "no ONNX message",
        ),
    ] {
        let refused = glow(&["run", model, "--input", input, "--output-dir", &out]);
        assert_eq!(refused.status.code(), Some(1), "{words}");
        assert!(
            said(&refused).contains(words),
            "{words}: {}",
            said(&refused)
        );
        assert!(said(&refused).lines().count() == 1, "{}", said(&refused));
    }
    let missing = glow(&["run", &good, "--output-dir", &out]);
    assert!(said(&missing).contains("x"), "{}", said(&missing));
    let files = fs::read_dir(&out).map_or(0, Iterator::count);
    assert_eq!(files, 0, "an output was written");
}
