//! Calls with arguments as Python passes them, of ops and of calls that give several tensors.

use glowgrad::bind::{Arg, bind};
use glowgrad::{DType, Engine, Result, Scalar, Tensor, ops};

pub fn int(i: i64) -> Arg {
    Arg::Number(Scalar::Int(i))
}

pub fn ints(list: &[i64]) -> Arg {
    Arg::ints(list)
}

pub fn t(tensor: &Tensor) -> Arg {
    Arg::Tensor(tensor.clone())
}

/// The results of a call, with arguments as Python passes them.
pub fn call(engine: &Engine, name: &str, arguments: &[Arg]) -> Result<Vec<Tensor>> {
    if let Some(several) = ops::multi_output().find(|several| several.name == name) {
        let (operands, attrs) = bind(engine, several, arguments.to_vec(), Vec::new())?;
        return Tensor::apply_multi(engine, several, &operands, &attrs);
    }
    let op = ops::find(name).unwrap_or_else(|| panic!("{name} is in the registry"));
    let (operands, attrs) = bind(engine, op, arguments.to_vec(), Vec::new())?;
    Ok(vec![Tensor::apply(engine, op, &operands, attrs)?])
}

pub fn arange(engine: &Engine, shape: &[usize], dtype: DType) -> Tensor {
    let n = shape.iter().product::<usize>() as i64;
    let values: Vec<Scalar> = (0..n).map(Scalar::Int).collect();
    Tensor::from_scalars(engine, &values, shape, dtype).expect("a small shape")
}
