//! Golden files as values: cases, tensors and numbers out of JSON text.

use glowgrad::{DType, Engine, Scalar, Tensor};
use serde_json::Value as Json;

/// The cases of a golden file.
pub fn cases(text: &str) -> Vec<Json> {
    let file: Json = serde_json::from_str(text).expect("a golden file is JSON");
    file["cases"]
        .as_array()
        .expect("a golden file has cases")
        .clone()
}

/// A number, a bool, or one of the words `nan`, `inf`, `-inf`.
pub fn scalar(json: &Json) -> Scalar {
    match json {
        Json::Bool(b) => Scalar::Bool(*b),
        Json::Number(n) => n
            .as_i64()
            .filter(|_| n.is_i64())
            .map(Scalar::Int)
            .or_else(|| n.as_u64().map(Scalar::UInt))
            .unwrap_or_else(|| Scalar::Float(n.as_f64().expect("a double"))),
        Json::String(word) => Scalar::Float(word.parse().expect("nan, inf or -inf")),
        other => panic!("not a number: {other}"),
    }
}

/// A list of numbers.
pub fn scalars(json: &Json) -> Vec<Scalar> {
    json.as_array()
        .expect("a list of numbers")
        .iter()
        .map(scalar)
        .collect()
}

/// A list of sizes.
pub fn sizes(json: &Json) -> Vec<usize> {
    json.as_array()
        .expect("a list of sizes")
        .iter()
        .map(|n| n.as_u64().expect("a size") as usize)
        .collect()
}

/// The dtype of a tensor.
pub fn dtype(json: &Json) -> DType {
    DType::parse(json.as_str().expect("a dtype's name")).expect("a dtype of ours")
}

/// `{dtype, shape, data, layout?}` as a tensor without a gradient.
pub fn tensor(engine: &Engine, json: &Json) -> Tensor {
    let (shape, dtype) = (sizes(&json["shape"]), dtype(&json["dtype"]));
    let data = scalars(&json["data"]);
    let plain = |data: &[Scalar], shape: &[usize]| {
        Tensor::from_scalars(engine, data, shape, dtype).expect("the data fills the shape")
    };
    let n_dims = shape.len();
    match json["layout"].as_str() {
        None => plain(&data, &shape),
        Some("transposed") => {
            let mut stored = shape.clone();
            stored.swap(n_dims - 1, n_dims - 2);
            let (rows, columns) = (stored[n_dims - 2], stored[n_dims - 1]);
            let matrix = rows * columns;
            let data: Vec<Scalar> = (0..data.len())
                .map(|at| {
                    let (before, at) = (at / matrix * matrix, at % matrix);
                    data[before + (at % columns) * rows + at / columns]
                })
                .collect();
            plain(&data, &stored)
                .transpose(-1, -2)
                .expect("two dimensions")
        }
        Some("sliced") => {
            let mut wide = shape.clone();
            wide[n_dims - 1] *= 2;
            // What lies between is never read: a value that would be noticed.
            let data: Vec<Scalar> = data.iter().flat_map(|x| [*x, Scalar::Int(99)]).collect();
            let parts = [
                glowgrad::Index::Ellipsis,
                glowgrad::Index::Slice(None, None, Some(2)),
            ];
            plain(&data, &wide)
                .get(&parts)
                .expect("a slice of the last dimension")
        }
        Some(other) => panic!("unknown layout {other}"),
    }
}
