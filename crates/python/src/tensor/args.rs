//! How Python's objects are read as arguments: tensors, numbers, lists, dtypes. The engine's binder
//! (`glowgrad::bind`) matches them to an op's parameters.

use glowgrad::bind::{Callee, Caller};
use glowgrad::op::{Attr, Attrs};
use glowgrad::{DType, Scalar, Tensor};
use num_traits::ToPrimitive;
use rustpython_vm::builtins::{PyBaseExceptionRef, PyFloat, PyInt, PyList, PyStr, PyTuple};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::{OrRaise, dtype, raise, unwrap};
use crate::runtime::Runtime;

/// A Python number as the engine takes it; none for anything else.
pub(crate) fn scalar(vm: &VirtualMachine, object: &PyObject) -> PyResult<Option<Scalar>> {
    if let Some(float) = object.downcast_ref::<PyFloat>() {
        return Ok(Some(Scalar::Float(float.to_f64())));
    }
    let Some(int) = object.downcast_ref::<PyInt>() else {
        return Ok(None);
    };
    if object.class().is(vm.ctx.types.bool_type) {
        return Ok(Some(Scalar::Bool(
            int.as_bigint().to_i64().is_some_and(|value| value != 0),
        )));
    }
    let int = int.as_bigint();
    match (int.to_i64(), int.to_u64()) {
        (Some(value), _) => Ok(Some(Scalar::Int(value))),
        (None, Some(value)) => Ok(Some(Scalar::UInt(value))),
        _ => Err(vm.new_overflow_error(format!(
            "{} does not fit into int64 or uint64; write it as a float",
            object.repr(vm)?
        ))),
    }
}

/// A tensor, or a number as one; none for anything else.
pub(crate) fn operand(vm: &VirtualMachine, object: &PyObject) -> PyResult<Option<Tensor>> {
    if let Some(tensor) = unwrap(object) {
        return Ok(Some(tensor));
    }
    Ok(scalar(vm, object)?.map(|scalar| Tensor::number(&Runtime::current().engine, scalar)))
}

/// An integer, also from a tensor of one integer.
pub(crate) fn integer(vm: &VirtualMachine, object: &PyObject) -> PyResult<Option<i64>> {
    if let Some(int) = object.downcast_ref::<PyInt>() {
        return match int.as_bigint().to_i64() {
            Some(value) => Ok(Some(value)),
            None => Err(vm.new_overflow_error(format!("{} is too large", object.repr(vm)?))),
        };
    }
    match unwrap(object) {
        Some(tensor) if tensor.numel() == 1 && !tensor.dtype().is_float() => {
            Ok(Some(tensor.item().or_raise(vm)?.as_i64()))
        }
        _ => Ok(None),
    }
}

/// A number, also from a tensor of one element.
pub(crate) fn number(vm: &VirtualMachine, object: &PyObject) -> PyResult<Option<f64>> {
    if let Some(tensor) = unwrap(object) {
        return match tensor.numel() {
            1 => Ok(Some(tensor.item().or_raise(vm)?.as_f64())),
            _ => Ok(None),
        };
    }
    if let Some(int) = object.downcast_ref::<PyInt>() {
        return Ok(int.as_bigint().to_f64());
    }
    Ok(object.downcast_ref::<PyFloat>().map(|float| float.to_f64()))
}

/// A number as an attribute that keeps whether it is whole, also from a tensor of one element.
pub(crate) fn number_attr(vm: &VirtualMachine, object: &PyObject) -> PyResult<Option<Attr>> {
    let scalar = match unwrap(object) {
        Some(tensor) if tensor.numel() == 1 => Some(tensor.item().or_raise(vm)?),
        Some(_) => None,
        None => scalar(vm, object)?,
    };
    Ok(scalar.map(|scalar| match scalar {
        Scalar::Bool(value) => Attr::Bool(value),
        Scalar::Int(value) => Attr::Int(value),
        Scalar::UInt(value) => Attr::Float(value as f64),
        Scalar::Float(value) => Attr::Float(value),
    }))
}

/// The elements of a list or tuple (`torch.Size` is one).
pub(crate) fn elements(object: &PyObject) -> Option<Vec<PyObjectRef>> {
    if let Some(list) = object.downcast_ref::<PyList>() {
        return Some(list.borrow_vec().to_vec());
    }
    object
        .downcast_ref::<PyTuple>()
        .map(|tuple| tuple.as_slice().to_vec())
}

/// Sizes or dimensions: a list, a tuple or one integer.
pub(crate) fn integers(vm: &VirtualMachine, object: &PyObject) -> PyResult<Option<Vec<i64>>> {
    if let Some(value) = integer(vm, object)? {
        return Ok(Some(vec![value]));
    }
    let Some(elements) = elements(object) else {
        return Ok(None);
    };
    elements
        .iter()
        .map(|element| integer(vm, element))
        .collect::<PyResult<Option<Vec<i64>>>>()
}

/// The values of a call from Python.
struct Python<'a>(&'a VirtualMachine);

impl Caller for Python<'_> {
    type Value = PyObjectRef;
    type Error = PyBaseExceptionRef;

    fn error(&self, error: glowgrad::Error) -> PyBaseExceptionRef {
        raise(self.0, error)
    }

    fn is_none(&self, value: &PyObjectRef) -> bool {
        self.0.is_none(value)
    }

    fn is_int(&self, value: &PyObjectRef) -> bool {
        value.downcastable::<PyInt>()
    }

    fn tensor(&self, value: &PyObjectRef) -> Option<Tensor> {
        unwrap(value)
    }

    fn number_tensor(&self, value: &PyObjectRef) -> PyResult<Option<Tensor>> {
        operand(self.0, value)
    }

    fn int(&self, value: &PyObjectRef) -> PyResult<Option<i64>> {
        integer(self.0, value)
    }

    fn number(&self, value: &PyObjectRef) -> PyResult<Option<Attr>> {
        number_attr(self.0, value)
    }

    fn bool(&self, value: &PyObjectRef) -> Option<bool> {
        value
            .class()
            .is(self.0.ctx.types.bool_type)
            .then(|| value.is(&self.0.ctx.true_value))
    }

    fn dtype(&self, value: &PyObjectRef) -> PyResult<DType> {
        dtype::from_object(self.0, value)
    }

    fn word<R>(&self, value: &PyObjectRef, read: impl FnOnce(&str) -> R) -> Option<R> {
        let text = value.downcast_ref::<PyStr>()?;
        text.to_str().map(read)
    }

    fn elements(&self, value: &PyObjectRef) -> Option<Vec<PyObjectRef>> {
        elements(value)
    }

    fn list(&self, elements: Vec<PyObjectRef>) -> PyObjectRef {
        self.0.ctx.new_list(elements).into()
    }

    fn type_name(&self, value: &PyObjectRef) -> String {
        value.class().name().to_string()
    }
}

/// An op's operands and attributes, from a call's arguments.
pub(crate) fn bind(
    vm: &VirtualMachine,
    op: impl Into<Callee>,
    args: FuncArgs,
) -> PyResult<(Vec<Tensor>, Attrs)> {
    let keywords = args.kwargs.into_iter();
    let keywords = keywords.map(|(name, value)| (name.to_string_lossy().into_owned(), value));
    glowgrad::bind::bind(&Python(vm), op, args.args, keywords.collect())
}

/// The dtype that a keyword argument names; none if it is None or left out.
pub(crate) fn optional_dtype(
    vm: &VirtualMachine,
    value: Option<PyObjectRef>,
) -> PyResult<Option<DType>> {
    match value {
        Some(value) if !vm.is_none(&value) => dtype::from_object(vm, &value).map(Some),
        _ => Ok(None),
    }
}
