//! `x[…]`, `x[…] = v`, `len(x)` and iteration.

use glowgrad::{DType, Index, Tensor};
use rustpython_vm::builtins::{PyInt, PyList, PyRange, PySlice, PyTuple};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::{OrRaise, args, class_of_result, create, expect_tensor, wrap, wrap_as};
use crate::runtime::Runtime;
use crate::{span, tick};

/// `x[key]`.
pub(crate) fn get(vm: &VirtualMachine, object: &PyObject, key: &PyObject) -> PyResult {
    let tensor = expect_tensor(vm, object, "index")?;
    if let Some(slice) = key.downcast_ref::<PySlice>()
        && let Some(taken) = drawn_slice(vm, &tensor, slice)?
    {
        return wrap(vm, taken);
    }
    let parts = beside(&tensor, || parts(vm, key))?;
    span::mark(&Runtime::current());
    tick::age(2);
    let result = tensor.get(&parts).or_raise(vm)?;
    match class_of_result(&[object]) {
        Some(class) => wrap_as(vm, result, class),
        None => wrap(vm, result),
    }
}

/// `x[i:i + n]` in a step that `lab.train` notes, where `i` was drawn in it.
fn drawn_slice(vm: &VirtualMachine, tensor: &Tensor, slice: &PySlice) -> PyResult<Option<Tensor>> {
    let runtime = Runtime::current();
    let has_step = slice.step.as_ref().is_some_and(|step| !vm.is_none(step));
    if has_step || !runtime.engine.is_capturing() {
        return Ok(None);
    }
    let start = slice.start.as_deref().and_then(super::unwrap);
    let (Some(start), Some(stop)) = (start, super::unwrap(&slice.stop)) else {
        return Ok(None);
    };
    span::mark(&runtime);
    let taken = glowgrad::replay::drawn_slice(tensor, &start, &stop);
    taken.transpose().or_raise(vm)
}

/// `x[key] = value`.
pub(crate) fn set(
    vm: &VirtualMachine,
    object: &PyObject,
    key: &PyObject,
    value: Option<PyObjectRef>,
) -> PyResult<()> {
    let Some(value) = value else {
        return Err(vm.new_type_error("Tensor does not support deleting items"));
    };
    let tensor = expect_tensor(vm, object, "index")?;
    let parts = beside(&tensor, || parts(vm, key))?;
    span::mark(&Runtime::current());
    let value = match args::operand(vm, &value)? {
        Some(value) => value,
        None => {
            if args::elements(&value).is_none() {
                return Err(vm.new_type_error(format!(
                    "can't assign a {} to a torch.{}Tensor",
                    value.class().name(),
                    tensor.dtype().scalar_name()
                )));
            }
            let dtype = Some(tensor.dtype());
            let value = beside(&tensor, || create::from_data(vm, &value, dtype))?;
            let at = tensor.get(&parts).or_raise(vm)?.shape();
            if glowgrad::shape::broadcast("", &at, &value.shape())
                .ok()
                .as_ref()
                != Some(&at)
            {
                return Err(vm.new_type_error(format!(
                    "can't assign a list of shape {:?} to a torch.{} of shape {:?}",
                    &value.shape()[..],
                    tensor.dtype(),
                    &at[..]
                )));
            }
            value
        }
    };
    if let Some(number) = value.node().number {
        create::fits(vm, "index", number, tensor.dtype())?;
    }
    tensor.set(&parts, &value).or_raise(vm)
}

/// `x.index_put(indices, values, accumulate)` for integer and bool tensors; in place, or a new one.
pub(crate) fn put(
    vm: &VirtualMachine,
    object: &PyObject,
    indices: &PyObject,
    values: &PyObject,
    accumulate: bool,
    in_place: bool,
) -> PyResult {
    let tensor = expect_tensor(vm, object, "index_put")?;
    let Some(indices) = args::elements(indices) else {
        return Err(vm.new_type_error(format!(
            "index_put(): argument 'indices' must be tuple of Tensors, not {}",
            indices.class().name()
        )));
    };
    let parts = indices
        .iter()
        .map(|part| index(vm, part))
        .collect::<PyResult<Vec<Index>>>()?;
    let values = expect_tensor(vm, values, "index_put")?;
    span::mark(&Runtime::current());
    if in_place {
        tensor
            .index_put_(&parts, &values, accumulate)
            .or_raise(vm)?;
        return Ok(object.to_owned());
    }
    wrap(
        vm,
        tensor.index_put(&parts, &values, accumulate).or_raise(vm)?,
    )
}

fn parts(vm: &VirtualMachine, key: &PyObject) -> PyResult<Vec<Index>> {
    match key.downcast_ref::<PyTuple>() {
        Some(tuple) => tuple.iter().map(|part| index(vm, part)).collect(),
        None => Ok(vec![index(vm, key)?]),
    }
}

fn index(vm: &VirtualMachine, part: &PyObject) -> PyResult<Index> {
    if part.class().is(vm.ctx.types.bool_type) {
        let on = part.to_owned().try_to_bool(vm)?;
        let mask = create::from_bools(vm, &[on], &[])?;
        return Ok(Index::Tensor(mask));
    }
    if part.downcastable::<PyInt>() {
        return Ok(Index::Int(args::integer(vm, part)?.unwrap_or_default()));
    }
    if let Some(slice) = part.downcast_ref::<PySlice>() {
        let bound = |bound: Option<&PyObject>| -> PyResult<Option<i64>> {
            match bound {
                Some(bound) if !vm.is_none(bound) => clipped(vm, bound).map(Some),
                _ => Ok(None),
            }
        };
        return Ok(Index::Slice(
            bound(slice.start.as_deref())?,
            bound(Some(&slice.stop))?,
            bound(slice.step.as_deref())?,
        ));
    }
    if vm.is_none(part) {
        return Ok(Index::NewAxis);
    }
    if part.is(&vm.ctx.ellipsis) {
        return Ok(Index::Ellipsis);
    }
    if let Some(tensor) = super::unwrap(part) {
        if tensor.dtype().is_float() {
            return Err(vm.new_index_error(format!(
                "tensors used as indices must be long or bool tensors, got {}; convert with .long()",
                tensor.dtype()
            )));
        }
        return Ok(Index::Tensor(tensor));
    }
    if part.downcastable::<PyList>() || part.downcastable::<PyRange>() {
        let mut tensor = create::from_data(vm, part, None)?;
        // PyTorch cuts the fractions of floats in a list, too.
        if tensor.numel() == 0 || tensor.dtype().is_float() {
            tensor = tensor.to(DType::I64).or_raise(vm)?;
        }
        return Ok(Index::Tensor(tensor));
    }
    Err(vm.new_index_error(format!(
        "index: got {}, expected int, slice, None, Ellipsis, list, integer tensor or bool tensor",
        part.class().name()
    )))
}

/// Makes tensors where one is.
fn beside<T>(tensor: &Tensor, make: impl FnOnce() -> T) -> T {
    let engine = tensor.engine();
    let before = engine.set_device(tensor.device());
    let made = make();
    engine.set_device(before);
    made
}

/// A bound of a slice; what does not fit counts as the end.
fn clipped(vm: &VirtualMachine, bound: &PyObject) -> PyResult<i64> {
    use num_traits::ToPrimitive;
    let int = bound.try_index(vm)?;
    let int = int.as_bigint();
    Ok(int
        .to_i64()
        .unwrap_or(if int.sign() == malachite_bigint::Sign::Minus {
            i64::MIN / 2
        } else {
            i64::MAX / 2
        }))
}

/// `len(x)`.
pub(crate) fn length(vm: &VirtualMachine, tensor: &Tensor) -> PyResult<usize> {
    tensor
        .shape()
        .first()
        .copied()
        .ok_or_else(|| vm.new_type_error("len() of a 0-d tensor"))
}

/// The least that a row takes, in pointers; memory is looked at while rows are made.
const ROW: usize = 4;

/// The elements along the first dimension.
pub(crate) fn rows(vm: &VirtualMachine, object: &PyObject) -> PyResult<Vec<PyObjectRef>> {
    let tensor = expect_tensor(vm, object, "iter")?;
    let Some(&n) = tensor.shape().first() else {
        return Err(vm.new_type_error("iteration over a 0-d tensor"));
    };
    crate::limits::check_elements("iter, at 4 a row", n.saturating_mul(ROW), vm)?;
    span::mark(&Runtime::current());
    let class = class_of_result(&[object]);
    (0..n as i64)
        .map(|i| {
            tick::tick(vm)?;
            let row = tensor.get(&[Index::Int(i)]).or_raise(vm)?;
            match &class {
                Some(class) => wrap_as(vm, row, class.clone()),
                None => wrap(vm, row),
            }
        })
        .collect()
}
