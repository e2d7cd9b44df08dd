//! What a model may ask for, and what is said when it does not fit.

use glowgrad::{DType, Engine, Scalar, Tensor};
use glowgrad_files::Array;
use glowgrad_files::onnx::{
    AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto,
    TensorProto, TensorShapeProto, TensorType, TypeProto, TypeValue, ValueInfoProto, encode,
};
use glowgrad_files::onnx::{DataType, Dimension, DimensionValue};
use glowgrad_onnx::Model;

pub(crate) fn node(op: &str, inputs: &[&str], outputs: &[&str]) -> NodeProto {
    let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect();
    NodeProto {
        op_type: Some(op.to_owned()),
        name: Some(format!("the {op}")),
        input: names(inputs),
        output: names(outputs),
        ..NodeProto::default()
    }
}

pub(crate) fn value(name: &str) -> ValueInfoProto {
    ValueInfoProto {
        name: Some(name.to_owned()),
        ..ValueInfoProto::default()
    }
}

pub(crate) fn typed(name: &str, dtype: DataType, sizes: &[i64]) -> ValueInfoProto {
    let dim = |&size: &i64| Dimension {
        value: Some(match size {
            -1 => DimensionValue::Param("batch".to_owned()),
            size => DimensionValue::Value(size),
        }),
        ..Dimension::default()
    };
    let tensor = TensorType {
        elem_type: Some(dtype as i32),
        shape: Some(TensorShapeProto {
            dim: sizes.iter().map(dim).collect(),
        }),
    };
    ValueInfoProto {
        r#type: Some(TypeProto {
            value: Some(TypeValue::Tensor(tensor)),
            denotation: None,
        }),
        ..value(name)
    }
}

pub(crate) fn model(opset: i64, graph: GraphProto) -> ModelProto {
    ModelProto {
        ir_version: Some(8),
        opset_import: vec![OperatorSetIdProto {
            domain: None,
            version: Some(opset),
        }],
        graph: Some(graph),
        ..ModelProto::default()
    }
}

fn graph(nodes: Vec<NodeProto>) -> GraphProto {
    GraphProto {
        node: nodes,
        input: vec![typed("x", DataType::Float, &[-1, 2])],
        output: vec![value("y")],
        ..GraphProto::default()
    }
}

fn refused(model: &ModelProto) -> String {
    let error = Model::read(&encode(model)).expect_err("is refused");
    error.to_string()
}

fn numbers(engine: &Engine, list: &[f32], shape: &[usize]) -> Tensor {
    Tensor::from_f32(engine, list, shape).expect("fits")
}

#[test]
fn every_unsupported_node_is_named() {
    let own = NodeProto {
        domain: Some("com.microsoft".to_owned()),
        ..node("FusedMatMul", &["x", "x"], &["a"])
    };
    let nodes = vec![
        own,
        node("StringSplit", &["a"], &["y"]),
        node("Relu", &["x"], &["z"]),
    ];
    let told = refused(&model(20, graph(nodes)));
    let parts = [
        "2 of the model's nodes",
        "FusedMatMul (com.microsoft 0, node \"the FusedMatMul\")",
        "StringSplit (ai.onnx 20, node \"the StringSplit\")",
    ];
    for part in parts {
        assert!(told.contains(part), "{told}");
    }
    assert!(!told.contains("Relu"), "{told}");
}

#[test]
fn versions_that_are_not_read_are_named() {
    let relu = || graph(vec![node("Relu", &["x"], &["y"])]);
    assert!(refused(&model(6, relu())).contains("version 6"));
    assert!(refused(&model(99, relu())).contains("version 99"));
    let future = ModelProto {
        ir_version: Some(77),
        ..model(17, relu())
    };
    assert!(refused(&future).contains("IR version 77"));
    let none = ModelProto {
        opset_import: Vec::new(),
        ..model(17, relu())
    };
    assert!(refused(&none).contains("imports no version"));
    // Gelu is an operator from version 20 on.
    let gelu = graph(vec![node("Gelu", &["x"], &["y"])]);
    assert!(refused(&model(19, gelu.clone())).contains("Gelu (ai.onnx 19"));
    assert!(Model::read(&encode(&model(20, gelu))).is_ok());
}

#[test]
fn a_name_that_nothing_makes_is_refused() {
    let told = refused(&model(17, graph(vec![node("Relu", &["w"], &["y"])])));
    assert!(
        told.contains("reads \"w\", which nothing before it makes"),
        "{told}"
    );
    let told = refused(&model(17, graph(vec![node("Relu", &["x"], &["z"])])));
    assert!(told.contains("the output \"y\""), "{told}");
}

#[test]
fn inputs_are_checked_by_name_type_and_size() {
    let relu = model(17, graph(vec![node("Relu", &["x"], &["y"])]));
    let model = Model::read(&encode(&relu)).expect("reads");
    let engine = glowgrad::cpu();
    let x = numbers(&engine, &[1.0, -1.0], &[1, 2]);
    let told = |inputs: Vec<(&str, Tensor)>| {
        let outcome = model.run(&engine, inputs);
        outcome.expect_err("is refused").to_string()
    };
    assert!(told(vec![]).contains("the input \"x\" is missing"));
    let unknown = told(vec![("input", x.clone())]);
    assert!(
        unknown.contains("no input \"input\"; it has: x"),
        "{unknown}"
    );
    let wide = told(vec![("x", numbers(&engine, &[0.0; 3], &[1, 3]))]);
    assert!(
        wide.contains("float32 [1, 3], and the model expects x float32 [batch, 2]"),
        "{wide}"
    );
    let whole = told(vec![("x", x.to(DType::I64).expect("converts"))]);
    assert!(whole.contains("int64"), "{whole}");
    let outputs = model.run(&engine, [("x", x)]).expect("runs");
    assert_eq!(outputs[0].1.to_f64().expect("is computed"), [1.0, 0.0]);
}

#[test]
fn an_error_names_its_node() {
    let nodes = vec![node("MatMul", &["x", "x"], &["y"])];
    let model = Model::read(&encode(&model(17, graph(nodes)))).expect("reads");
    let engine = glowgrad::cpu();
    let x = numbers(&engine, &[0.0; 6], &[3, 2]);
    let error = model.run(&engine, [("x", x)]).expect_err("is refused");
    assert!(
        error.message.starts_with("node \"the MatMul\" (MatMul): "),
        "{error}"
    );
}

#[test]
fn an_initializer_may_be_given_in_its_place() {
    let engine = glowgrad::cpu();
    let bytes: Vec<u8> = 3f32.to_le_bytes().to_vec();
    let array = Array::new(DType::F32, vec![], bytes).expect("fits");
    let graph = GraphProto {
        initializer: vec![TensorProto::of_array("w", &array)],
        input: vec![typed("x", DataType::Float, &[-1, 2]), value("w")],
        ..graph(vec![node("Mul", &["x", "w"], &["y"])])
    };
    let model = Model::read(&encode(&model(17, graph))).expect("reads");
    assert_eq!(model.inputs().len(), 1);
    let x = || numbers(&engine, &[1.0, 2.0], &[1, 2]);
    let default = model.run(&engine, [("x", x())]).expect("runs");
    assert_eq!(default[0].1.to_f64().expect("is computed"), [3.0, 6.0]);
    let w = numbers(&engine, &[5.0], &[]);
    let given = model.run(&engine, [("x", x()), ("w", w)]).expect("runs");
    assert_eq!(given[0].1.to_f64().expect("is computed"), [5.0, 10.0]);
}

#[test]
fn a_models_own_function_takes_its_attributes() {
    let alpha = |name: &str, referred: &str, f: Option<f32>| AttributeProto {
        name: Some(name.to_owned()),
        ref_attr_name: Some(referred.to_owned()).filter(|name| !name.is_empty()),
        f,
        ..AttributeProto::default()
    };
    let function = |alphas: Vec<AttributeProto>, inner: &str| FunctionProto {
        name: Some("Twice".to_owned()),
        domain: Some("mine".to_owned()),
        input: vec!["a".to_owned()],
        output: vec!["b".to_owned()],
        attribute_proto: alphas,
        node: vec![NodeProto {
            attribute: vec![alpha("alpha", "slope", None)],
            domain: (inner == "Twice").then(|| "mine".to_owned()),
            ..node(inner, &["a"], &["b"])
        }],
        opset_import: vec![OperatorSetIdProto {
            domain: None,
            version: Some(17),
        }],
        ..FunctionProto::default()
    };
    let call = |attribute: Vec<AttributeProto>| {
        vec![NodeProto {
            domain: Some("mine".to_owned()),
            attribute,
            ..node("Twice", &["x"], &["y"])
        }]
    };
    let engine = glowgrad::cpu();
    let run = |attribute: Vec<AttributeProto>| {
        let model = ModelProto {
            functions: vec![function(vec![alpha("slope", "", Some(0.5))], "LeakyRelu")],
            ..model(17, graph(call(attribute)))
        };
        let model = Model::read(&encode(&model)).expect("reads");
        let x = numbers(&engine, &[-1.0, 2.0], &[1, 2]);
        let outputs = model.run(&engine, [("x", x)]).expect("runs");
        outputs[0].1.to_f64().expect("is computed")
    };
    assert_eq!(run(vec![]), [-0.5, 2.0]);
    assert_eq!(run(vec![alpha("slope", "", Some(0.25))]), [-0.25, 2.0]);
    // A function that calls itself would have no end.
    let endless = ModelProto {
        functions: vec![function(vec![], "Twice")],
        ..model(17, graph(call(vec![])))
    };
    assert!(refused(&endless).contains("a function may not call itself"));
}

#[test]
fn a_branch_sees_the_values_around_it() {
    let branch = |name: &str, op: &str| AttributeProto {
        name: Some(name.to_owned()),
        g: Some(Box::new(GraphProto {
            node: vec![node(op, &["x"], &["inner"])],
            output: vec![value("inner")],
            ..GraphProto::default()
        })),
        ..AttributeProto::default()
    };
    let choice = NodeProto {
        attribute: vec![branch("then_branch", "Abs"), branch("else_branch", "Neg")],
        ..node("If", &["condition"], &["y"])
    };
    let graph = GraphProto {
        input: vec![typed("x", DataType::Float, &[-1, 2]), value("condition")],
        ..graph(vec![choice])
    };
    let model = Model::read(&encode(&model(17, graph))).expect("reads");
    let engine = glowgrad::cpu();
    for (which, want) in [(true, [1.0, 2.0]), (false, [1.0, -2.0])] {
        let x = numbers(&engine, &[-1.0, 2.0], &[1, 2]);
        let condition = Tensor::full(&engine, &[], Scalar::Bool(which), DType::Bool);
        let inputs = [("x", x), ("condition", condition.expect("fits"))];
        let outputs = model.run(&engine, inputs).expect("runs");
        assert_eq!(outputs[0].1.to_f64().expect("is computed"), want);
    }
}
