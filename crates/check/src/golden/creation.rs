//! Golden cases of tensors made from numbers: they have no operands, and are functions of the engine
//! with the defaults that the Python module gives them.

use glowgrad::{DType, Engine, Result, Scalar, Tensor};
use serde_json::Value as Json;

use super::json;

/// The tensor that a creation call makes; none where the name is of no such call.
pub(super) fn make(engine: &Engine, name: &str, attrs: &Json) -> Option<Result<Tensor>> {
    let given = |key: &str| Some(&attrs[key]).filter(|value| !value.is_null());
    let number = |key: &str| given(key).map(json::scalar);
    let float = |key: &str| json::scalar(&attrs[key]).as_f64();
    let int = |key: &str| attrs[key].as_i64().expect("an int");
    let dtype = given("dtype").map(json::dtype);
    let floats = dtype.unwrap_or(DType::F32);
    Some(match name {
        "arange" => {
            let start = number("start").unwrap_or(Scalar::Int(0));
            let end = number("end").expect("an end");
            let step = number("step").unwrap_or(Scalar::Int(1));
            Tensor::arange(engine, start, end, step, dtype)
        }
        "linspace" => Tensor::linspace(engine, float("start"), float("end"), int("steps"), floats),
        "logspace" => {
            let base = number("base").map_or(10.0, Scalar::as_f64);
            let ends = (float("start"), float("end"));
            Tensor::logspace(engine, ends, int("steps"), base, floats)
        }
        "eye" => {
            let columns = attrs["m"].as_i64().unwrap_or(int("n"));
            Tensor::eye(engine, int("n"), columns, floats)
        }
        "full" => {
            let value = number("fill_value").expect("a number");
            let dtype = dtype.unwrap_or(match value {
                Scalar::Bool(_) => DType::Bool,
                Scalar::Int(_) | Scalar::UInt(_) => DType::I64,
                Scalar::Float(_) => DType::F32,
            });
            Tensor::full(engine, &json::sizes(&attrs["size"]), value, dtype)
        }
        "tril_indices" => Tensor::tril_indices(engine, int("row"), int("col"), int("offset")),
        "triu_indices" => Tensor::triu_indices(engine, int("row"), int("col"), int("offset")),
        _ => return None,
    })
}
