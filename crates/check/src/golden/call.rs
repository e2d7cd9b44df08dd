//! A golden case's call through the public API: operands by the op's parameters, PyTorch's keywords
//! as attributes.

use glowgrad::bind::{Arg, Callee, bind};
use glowgrad::op::{Param, ParamKind};
use glowgrad::{DType, Engine, Index, Result, Scalar, Tensor, ops};
use serde_json::Value as Json;

use super::json;

/// Runs a case's op on its inputs; more than one tensor for ops such as `max_dim`.
pub fn call(engine: &Engine, name: &str, inputs: &[Tensor], attrs: &Json) -> Result<Vec<Tensor>> {
    call_named(engine, name, inputs, &Json::Null, attrs)
}

/// As [`call`]; `names` says which parameters the inputs are for, where some are left out.
pub fn call_named(
    engine: &Engine,
    name: &str,
    inputs: &[Tensor],
    names: &Json,
    attrs: &Json,
) -> Result<Vec<Tensor>> {
    if let Some(chosen) = super::layers::choose(name, inputs, names, attrs)? {
        return call_named(
            engine,
            &chosen.op,
            &chosen.inputs,
            &chosen.names,
            &chosen.attrs,
        );
    }
    let int = |key: &str| attrs[key].as_i64();
    if let Some(made) = super::creation::make(engine, name, attrs) {
        return Ok(vec![made?]);
    }
    match name {
        "index" => Ok(vec![inputs[0].get(&indices(inputs, &attrs["indices"]))?]),
        "slice" => {
            let dim = int("dim").expect("a dimension");
            let dim = if dim < 0 {
                dim + inputs[0].shape().len() as i64
            } else {
                dim
            };
            let mut parts = vec![Index::Slice(None, None, None); dim as usize];
            parts.push(Index::Slice(int("start"), int("stop"), int("step")));
            Ok(vec![inputs[0].get(&parts)?])
        }
        "setitem" => {
            let (value, x) = (inputs.last().expect("a value"), inputs[0].clone_data()?);
            x.set(&indices(inputs, &attrs["indices"]), value)?;
            Ok(vec![x])
        }
        "index_put" => {
            let (value, rest) = inputs.split_last().expect("a value");
            let parts: Vec<Index> = rest[1..].iter().cloned().map(Index::Tensor).collect();
            let accumulate = attrs["accumulate"] == true;
            Ok(vec![inputs[0].index_put(&parts, value, accumulate)?])
        }
        // Properties of `Tensor`.
        "T" => Ok(vec![inputs[0].reversed()?]),
        "mT" => Ok(vec![inputs[0].transpose(-2, -1)?]),
        "to" => Ok(vec![inputs[0].to(json::dtype(&attrs["dtype"]))?]),
        "einsum" => {
            let equation = attrs["equation"].as_str().expect("an equation");
            Ok(vec![Tensor::einsum(engine, equation, inputs)?])
        }
        "tensordot" => {
            let (a, b) = (&inputs[0], &inputs[1]);
            Ok(vec![match attrs["dims"].as_i64() {
                Some(dims) => a.tensordot(b, dims)?,
                None => {
                    let list = |i: usize| attrs["dims"][i].as_array().expect("dimensions").iter();
                    let [left, right] = [0, 1].map(|i| {
                        list(i)
                            .map(|d| d.as_i64().expect("an int"))
                            .collect::<Vec<_>>()
                    });
                    a.tensordot_along(b, &left, &right)?
                }
            }])
        }
        // What `x ** 2` is: the Python module makes the same choice.
        "pow" if inputs[1].node().is_python_number => {
            let exponent = inputs[1].node().number.expect("a number");
            let op = ops::find("pow_scalar").expect("in the registry");
            let (operands, attrs) = bind(
                engine,
                op,
                vec![Arg::Tensor(inputs[0].clone()), Arg::Number(exponent)],
                Vec::new(),
            )?;
            Ok(vec![Tensor::apply(engine, op, &operands, attrs)?])
        }
        // Bounds that are tensors are ops of their own.
        "clamp" if inputs.len() > 1 => {
            let given = |bound: &str| {
                let names = names.as_array();
                names.is_none_or(|names| names.iter().any(|name| name == bound))
            };
            let op = match (given("min"), given("max")) {
                (true, true) => "clamp_tensor",
                (true, false) => "clamp_min",
                _ => "clamp_max",
            };
            call(engine, op, inputs, &Json::Null)
        }
        _ => {
            // `median` along a dimension gives two tensors: the Python module makes the same choice.
            let along = format!("{name}_dim");
            let name = match attrs["dim"].is_null() || ops::find(name).is_none() {
                false if ops::multi_output().any(|several| several.name == along) => &along,
                _ => name,
            };
            let op = ops::find(name);
            let several = ops::multi_output().find(|several| several.name == name);
            let callee: Callee = match (op, several) {
                (Some(op), _) => op.into(),
                (None, Some(several)) => several.into(),
                (None, None) => panic!("{name} is not in the registry"),
            };
            let keywords = keywords(callee.params, inputs, names, attrs);
            let (operands, attrs) = bind(engine, callee, Vec::new(), keywords)?;
            match (op, several) {
                (None, Some(several)) => Tensor::apply_multi(engine, several, &operands, &attrs),
                (op, _) => {
                    let op = op.expect("found above");
                    Ok(vec![Tensor::apply(engine, op, &operands, attrs)?])
                }
            }
        }
    }
}

/// Inputs under the names of the op's tensor parameters, attributes under their own.
fn keywords(params: &[Param], inputs: &[Tensor], names: &Json, attrs: &Json) -> Vec<(String, Arg)> {
    let mut keywords = Vec::new();
    let mut inputs = inputs.iter();
    let named = names.as_array();
    for param in params {
        if named.is_some_and(|names| !names.iter().any(|name| name == param.name)) {
            continue;
        }
        match param.kind {
            ParamKind::Tensors => keywords.push((
                param.name.to_owned(),
                Arg::tensors(inputs.by_ref().cloned()),
            )),
            ParamKind::Tensor => {
                if let Some(input) = inputs.next() {
                    keywords.push((param.name.to_owned(), Arg::Tensor(input.clone())));
                }
            }
            _ => {}
        }
    }
    for (name, value) in attrs.as_object().into_iter().flatten() {
        keywords.push((name.clone(), arg(value)));
    }
    keywords
}

fn arg(value: &Json) -> Arg {
    match value {
        Json::Null => Arg::None,
        Json::Array(list) => Arg::List(
            list.iter()
                .map(|n| Arg::Number(Scalar::Int(n.as_i64().expect("an int"))))
                .collect(),
        ),
        Json::String(word) => match (DType::parse(word), word.parse::<f64>()) {
            (Ok(dtype), _) => Arg::DType(dtype),
            (_, Ok(number)) => Arg::Number(Scalar::Float(number)),
            _ => Arg::Word(word.clone()),
        },
        number => Arg::Number(json::scalar(number)),
    }
}

fn indices(inputs: &[Tensor], list: &Json) -> Vec<Index> {
    let part = |part: &Json| match part {
        Json::String(word) if word == "none" => Index::NewAxis,
        Json::String(_) => Index::Ellipsis,
        part if part["tensor"].is_u64() => {
            Index::Tensor(inputs[part["tensor"].as_u64().expect("an input") as usize].clone())
        }
        part if part["int"].is_i64() => Index::Int(part["int"].as_i64().expect("an int")),
        part => {
            let [start, stop, step] = [0, 1, 2].map(|i| part["slice"][i].as_i64());
            Index::Slice(start, stop, step)
        }
    };
    list.as_array()
        .expect("a list of indices")
        .iter()
        .map(part)
        .collect()
}
