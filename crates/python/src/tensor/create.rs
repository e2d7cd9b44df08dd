//! Tensors from Python's data, and their elements as Python's data.

use glowgrad::dtype::{Rank, promote};
use glowgrad::{DType, Scalar, Tensor};
use rustpython_vm::builtins::PyRange;
use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::{OrRaise, args, unwrap};
use crate::limits::check_elements;
use crate::runtime::Runtime;
use crate::tick;

/// As deep as nested lists may be.
const MOST_DIMS: usize = 64;

/// A tensor from a number, a tensor, or (nested) lists of them.
pub(crate) fn from_data(
    vm: &VirtualMachine,
    data: &PyObject,
    dtype: Option<DType>,
) -> PyResult<Tensor> {
    let engine = Runtime::current().engine.clone();
    if let Some(tensor) = unwrap(data) {
        // A copy, off the tape, that the graph shows as data.
        let dtype = dtype.unwrap_or(tensor.dtype());
        check_elements("tensor", tensor.numel(), vm)?;
        let values = tensor.to_scalars().or_raise(vm)?;
        return Tensor::from_scalars(&engine, &values, &tensor.shape(), dtype).or_raise(vm);
    }
    let mut collected = Collected::default();
    collect(vm, data, 0, &mut collected)?;
    let dtype = dtype.unwrap_or_else(|| collected.dtype());
    for value in &collected.values {
        tick::tick(vm)?;
        fits(vm, "tensor", *value, dtype)?;
    }
    Tensor::from_scalars(&engine, &collected.values, &collected.shape, dtype).or_raise(vm)
}

/// Refuses a Python number that a dtype of integers cannot hold.
pub(crate) fn fits(vm: &VirtualMachine, what: &str, value: Scalar, dtype: DType) -> PyResult<()> {
    if !dtype.is_int() {
        return Ok(());
    }
    value.check_fits(what, dtype).or_raise(vm)
}

pub(crate) fn from_bools(
    vm: &VirtualMachine,
    values: &[bool],
    shape: &[usize],
) -> PyResult<Tensor> {
    let values: Vec<Scalar> = values.iter().map(|&value| Scalar::Bool(value)).collect();
    let engine = Runtime::current().engine.clone();
    Tensor::from_scalars(&engine, &values, shape, DType::Bool).or_raise(vm)
}

/// Numbers in row-major order and the sizes found so far.
#[derive(Default)]
struct Collected {
    values: Vec<Scalar>,
    shape: Vec<usize>,
    /// Whether the depth of the data is known: a number or an empty list was seen.
    settled: bool,
    dtype: Option<DType>,
}

impl Collected {
    /// The widest kind among the numbers; float32 for no numbers, as in PyTorch.
    fn dtype(&self) -> DType {
        self.dtype.unwrap_or(DType::F32)
    }

    fn see(&mut self, dtype: DType) {
        let widest = |seen: DType| {
            let pair = [seen, dtype].map(|dtype| (dtype, Rank::Tensor));
            promote(pair.into_iter()).unwrap_or(seen.max(dtype))
        };
        self.dtype = Some(self.dtype.map_or(dtype, widest));
    }
}

fn collect(
    vm: &VirtualMachine,
    data: &PyObject,
    depth: usize,
    into: &mut Collected,
) -> PyResult<()> {
    tick::tick(vm)?;
    if let Some(scalar) = args::scalar(vm, data)? {
        number_at(vm, depth, into)?;
        into.see(scalar.dtype());
        into.values.push(scalar);
        return Ok(());
    }
    if let Some(tensor) = unwrap(data) {
        if !tensor.shape().is_empty() && tensor.numel() != 1 {
            return Err(vm.new_value_error(
                "only one element tensors can be converted to Python scalars; \
                 join tensors with torch.stack([a, b])",
            ));
        }
        number_at(vm, depth, into)?;
        into.see(tensor.dtype());
        into.values.push(tensor.item().or_raise(vm)?);
        return Ok(());
    }
    let elements = match args::elements(data) {
        Some(elements) => elements,
        None if data.downcastable::<PyRange>() => {
            check_elements("tensor", data.length(vm).unwrap_or(usize::MAX), vm)?;
            data.to_owned().try_to_value::<Vec<PyObjectRef>>(vm)?
        }
        None => {
            if data.downcastable::<rustpython_vm::builtins::PyStr>() {
                return Err(vm.new_type_error(
                    "tensor: new(): invalid data type 'str'; expected numbers, or lists of numbers",
                ));
            }
            return Err(vm.new_runtime_error(format!(
                "tensor: Could not infer dtype of {}; expected numbers, or lists of numbers",
                data.class().name()
            )));
        }
    };
    if depth == MOST_DIMS {
        return Err(vm.new_value_error("tensor: the lists nest too deeply"));
    }
    match into.shape.get(depth) {
        Some(&expected) if expected != elements.len() => {
            return Err(vm.new_value_error(format!(
                "expected sequence of length {expected} at dim {depth} (got {})",
                elements.len()
            )));
        }
        Some(_) => {}
        None if into.settled => {
            return Err(vm.new_value_error(format!(
                "expected a number at dim {} (got a sequence of length {})",
                depth.saturating_sub(1),
                elements.len()
            )));
        }
        None => into.shape.push(elements.len()),
    }
    if elements.is_empty() {
        into.settled = true;
    }
    for element in elements {
        collect(vm, &element, depth + 1, into)?;
    }
    Ok(())
}

/// A number may stand only where all others do: at the innermost level.
fn number_at(vm: &VirtualMachine, depth: usize, into: &mut Collected) -> PyResult<()> {
    if into.settled && into.shape.len() != depth || !into.settled && into.shape.len() > depth {
        return Err(vm.new_type_error(format!(
            "expected a sequence of length {} at dim {depth} (got a number)",
            into.shape.get(depth).copied().unwrap_or_default()
        )));
    }
    into.settled = true;
    Ok(())
}

/// Sizes from an argument list: `(2, 3)` or one sequence. None may be negative.
pub(crate) fn sizes(vm: &VirtualMachine, what: &str, sizes: &PyObject) -> PyResult<Vec<usize>> {
    let Some(list) = args::integers(vm, sizes)? else {
        return Err(vm.new_type_error(format!(
            "{what}(): argument 'size' must be tuple of ints, not {}",
            sizes.class().name()
        )));
    };
    list.into_iter()
        .map(|n| {
            usize::try_from(n).map_err(|_| {
                vm.new_runtime_error(format!(
                    "{what}: Trying to create tensor with negative dimension {n}"
                ))
            })
        })
        .collect()
}

/// Row-major numbers as nested lists; one number for no dimensions.
///
/// # Errors
/// `KeyboardInterrupt` after a stop.
pub(crate) fn nested(vm: &VirtualMachine, values: &[Scalar], shape: &[usize]) -> PyResult {
    Ok(match shape {
        [] => match values.first() {
            Some(value) => python_number(vm, *value),
            None => vm.ctx.none(),
        },
        [n] => {
            let list = values[..*n].iter().map(|v| {
                tick::tick(vm)?;
                Ok(python_number(vm, *v))
            });
            vm.ctx.new_list(list.collect::<PyResult<_>>()?).into()
        }
        [n, rest @ ..] => {
            let stride: usize = rest.iter().product();
            let rows = (0..*n)
                .map(|row| nested(vm, &values[row * stride..(row + 1) * stride], rest))
                .collect::<PyResult<_>>()?;
            vm.ctx.new_list(rows).into()
        }
    })
}

pub(crate) fn python_number(vm: &VirtualMachine, value: Scalar) -> PyObjectRef {
    match value {
        Scalar::Bool(value) => vm.ctx.new_bool(value).into(),
        Scalar::Int(value) => vm.ctx.new_int(value).into(),
        Scalar::UInt(value) => vm.ctx.new_int(value).into(),
        Scalar::Float(value) => vm.ctx.new_float(value).into(),
    }
}
