//! The functions of a description, as calls of the engine.

use glowgrad_architecture::expression::Value;
use glowgrad_architecture::functions::Settings;
use glowgrad_tensor::bind::{Arg, ToArg, call, call_multi};
use glowgrad_tensor::{DType, Engine, Error, Result, Scalar, Tensor, args};

/// The results of a function.
pub(super) fn run(name: &str, settings: &Settings, operands: &[Tensor]) -> Result<Vec<Tensor>> {
    let x = operands
        .first()
        .ok_or_else(|| Error::value(format!("{name} takes a tensor")))?;
    let engine = x.engine();
    let arg = |name: &str| settings.get(name).map_or(Arg::None, super::arg);
    let whole = |name: &str| settings.get(name).and_then(Value::int).unwrap_or(0);
    let one = |positional: Vec<Arg>, names: &[&'static str]| {
        let keywords = names.iter().map(|name| (*name, arg(name))).collect();
        Ok(vec![call(engine, name, positional, keywords)?])
    };
    let second = || {
        operands
            .get(1)
            .ok_or_else(|| Error::value(format!("{name} takes two tensors")))
    };
    match name {
        "add" => Ok(vec![x.add(second()?)?]),
        "sub" => Ok(vec![x.sub(second()?)?]),
        "mul" => Ok(vec![x.mul(second()?)?]),
        "div" => Ok(vec![x.div(second()?)?]),
        "matmul" => Ok(vec![x.matmul(second()?)?]),
        "scale" => Ok(vec![call(
            engine,
            "mul",
            vec![x.arg(), arg("factor")],
            Vec::new(),
        )?]),
        "relu" | "gelu" | "silu" | "tanh" | "sigmoid" | "exp" => one(args![x], &[]),
        "softmax" | "log_softmax" => one(args![x, whole("dim")], &[]),
        "cat" | "stack" => one(vec![Arg::tensors(operands.iter().cloned())], &["dim"]),
        "chunk" => call_multi(engine, "chunk", args![x, whole("chunks"), whole("dim")]),
        "flatten" => one(args![x], &["start_dim", "end_dim"]),
        "unflatten" => one(vec![x.arg(), arg("dim"), listed(settings, "sizes")], &[]),
        "reshape" => one(vec![x.arg(), listed(settings, "shape")], &[]),
        "permute" => one(vec![x.arg(), listed(settings, "dims")], &[]),
        "transpose" => Ok(vec![x.transpose(whole("dim0"), whole("dim1"))?]),
        "squeeze" => one(args![x, whole("dim")], &[]),
        "unsqueeze" => Ok(vec![x.unsqueeze(whole("dim"))?]),
        "select" => Ok(vec![x.select(whole("dim"), whole("index"))?]),
        "narrow" => one(args![x, whole("dim"), whole("start"), whole("length")], &[]),
        "mean" | "sum" | "amax" => one(vec![x.arg(), listed(settings, "dim")], &["keepdim"]),
        "scaled_dot_product_attention" => {
            one(operands.iter().map(ToArg::arg).collect(), &["is_causal"])
        }
        "positions" => {
            let dims = x.shape();
            let dim = whole("dim");
            let at = if dim < 0 {
                dim + dims.len() as i64
            } else {
                dim
            };
            let n = usize::try_from(at)
                .ok()
                .and_then(|at| dims.get(at))
                .copied();
            let n =
                n.ok_or_else(|| Error::value(format!("positions: there is no dimension {dim}")))?;
            let end = Scalar::Int(n as i64);
            Ok(vec![Tensor::arange(
                engine,
                Scalar::Int(0),
                end,
                Scalar::Int(1),
                Some(DType::I64),
            )?])
        }
        "expand_batch" => {
            let mut shape: Vec<i64> = x.shape().iter().map(|&n| n as i64).collect();
            if let (Some(first), Some(&n)) = (shape.first_mut(), second()?.shape().first()) {
                *first = n as i64;
            }
            Ok(vec![x.expand(&shape)?])
        }
        "randn_like" => {
            let noise = Tensor::full(engine, &x.shape(), Scalar::Float(0.0), x.dtype())?;
            super::drawn(&noise, 1.0)?;
            Ok(vec![noise])
        }
        _ => Err(Error::not_implemented(format!(
            "there is no function {name} here"
        ))),
    }
}

/// A list, also of one number.
fn listed(settings: &Settings, name: &str) -> Arg {
    match settings.get(name) {
        Some(Value::Int(n)) => Arg::ints(&[*n]),
        Some(value) => super::arg(value),
        None => Arg::None,
    }
}

/// A parameter of the network's own.
pub(super) fn parameter(engine: &Engine, settings: &Settings) -> Result<Tensor> {
    let shape = settings
        .get("shape")
        .and_then(|shape| shape.int().map(|n| vec![n]).or_else(|| shape.sizes()));
    let shape: Option<Vec<usize>> =
        shape.and_then(|sizes| sizes.into_iter().map(|n| usize::try_from(n).ok()).collect());
    let shape = shape.ok_or_else(|| Error::value("a parameter needs a shape"))?;
    let text = |name: &str| match settings.get(name) {
        Some(Value::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let fill = if text("init") == "ones" { 1.0 } else { 0.0 };
    let tensor = Tensor::full(engine, &shape, Scalar::Float(fill), DType::F32)?;
    if text("init") == "normal" {
        let std = match settings.get("std") {
            Some(Value::Float(x)) => *x,
            Some(value) => value.int().unwrap_or(0) as f64,
            None => 0.02,
        };
        super::drawn(&tensor, std)?;
    }
    tensor.set_requires_grad(true)?;
    Ok(tensor)
}
