//! From Python's arguments to an op's operands and attributes, by the op's own parameter list.
//!
//! Positional and keyword arguments, PyTorch's other spellings (`axis`, `keepdims`), sizes given
//! one by one (`x.reshape(2, 3)`), numbers where tensors are expected. Every refusal names the op,
//! the argument, what came and what was expected.

use glowgrad::op::{Attr, Attrs, MultiOutputOp, Op, Param, ParamKind, Promote};
use glowgrad::{DType, Scalar, Tensor};
use num_traits::ToPrimitive;
use rustpython_vm::builtins::{PyFloat, PyInt, PyList, PyStr, PyTuple};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::{OrRaise, dtype, unwrap};
use crate::runtime::Runtime;

/// What an op is applied to.
pub(crate) struct Bound {
    pub(crate) operands: Vec<Tensor>,
    pub(crate) attrs: Attrs,
}

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

/// What is called: an op, or a call with several results.
#[derive(Clone, Copy)]
pub(crate) struct Callee {
    pub(crate) name: &'static str,
    pub(crate) params: &'static [Param],
    promote: Promote,
    /// Parameters that take a number in a tensor's place, as bits.
    numbers: u8,
}

impl From<&'static Op> for Callee {
    fn from(op: &'static Op) -> Callee {
        Callee {
            name: op.name,
            params: op.params,
            promote: op.promote,
            numbers: op.numbers,
        }
    }
}

impl From<&'static MultiOutputOp> for Callee {
    fn from(several: &'static MultiOutputOp) -> Callee {
        Callee {
            name: several.name,
            params: several.params,
            promote: Promote::Keep,
            numbers: 0,
        }
    }
}

/// Fills a callee's parameters from a call's arguments.
pub(crate) fn bind(vm: &VirtualMachine, op: Callee, args: FuncArgs) -> PyResult<Bound> {
    let FuncArgs { mut args, kwargs } = args;
    let params = op.params;
    let mut given: Vec<Option<PyObjectRef>> = vec![None; params.len()];

    if let Some(last) = params.last()
        && matches!(last.kind, ParamKind::Ints)
        && args.len() >= params.len()
        && args[params.len() - 1].downcastable::<PyInt>()
    {
        // Sizes one by one: x.reshape(2, 3).
        let sizes = args.split_off(params.len() - 1);
        args.push(vm.ctx.new_list(sizes).into());
    }
    if args.len() > params.len() {
        return Err(vm.new_type_error(format!(
            "{}() takes {} arguments, got {}: {}",
            op.name,
            params.len(),
            args.len(),
            signature(op)
        )));
    }
    for (slot, value) in given.iter_mut().zip(args) {
        *slot = Some(value);
    }
    let mut cast = None;
    for (name, value) in kwargs {
        let name = name.to_string_lossy();
        let position = params.iter().position(|param| is_named(param, &name));
        match position {
            Some(position) if given[position].is_some() => {
                return Err(vm.new_type_error(format!(
                    "{}() got multiple values for argument '{name}'",
                    op.name
                )));
            }
            Some(position) => given[position] = Some(value),
            None if name == "dtype" => {
                if !vm.is_none(&value) {
                    cast = Some(dtype::from_object(vm, &value)?);
                }
            }
            None => {
                return Err(vm.new_type_error(format!(
                    "{}() got an unexpected keyword argument '{name}': {}",
                    op.name,
                    signature(op)
                )));
            }
        }
    }

    let mut bound = Bound {
        operands: Vec::with_capacity(3),
        attrs: Attrs::new(),
    };
    for (position, (param, value)) in params.iter().zip(given).enumerate() {
        let value = match value {
            Some(value) if vm.is_none(&value) && param.default == Some(Attr::None) => None,
            value => value,
        };
        match (param.kind, value) {
            (ParamKind::Tensor, Some(value)) => {
                bound
                    .operands
                    .push(tensor_argument(vm, op, position, param, &value)?);
            }
            (ParamKind::Tensors, Some(value)) => {
                tensors_argument(vm, op, param, &value, &mut bound.operands)?;
            }
            (ParamKind::Tensor | ParamKind::Tensors, None) if param.default.is_some() => {}
            (_, Some(value)) => bound.attrs.push(attribute(vm, op, param, &value)?),
            (_, None) => match &param.default {
                Some(default) => bound.attrs.push(default.clone()),
                None => {
                    return Err(vm.new_type_error(format!(
                        "{}() missing argument '{}': {}",
                        op.name,
                        param.name,
                        signature(op)
                    )));
                }
            },
        }
    }
    if let Some(dtype) = cast {
        for operand in &mut bound.operands {
            *operand = operand.to(dtype).or_raise(vm)?;
        }
    }
    Ok(bound)
}

fn is_named(param: &Param, name: &str) -> bool {
    param.name == name
        || matches!(
            (param.name, name),
            ("dim" | "dims", "axis" | "dim" | "dims")
                | ("keepdim", "keepdims")
                | ("shape" | "size", "size" | "shape")
                | ("tensor", "input")
        )
}

fn tensor_argument(
    vm: &VirtualMachine,
    op: Callee,
    position: usize,
    param: &Param,
    value: &PyObject,
) -> PyResult<Tensor> {
    if let Some(tensor) = unwrap(value) {
        return Ok(tensor);
    }
    let is_tensor = |param: &&Param| param.kind == ParamKind::Tensor;
    let n_operands = op.params.iter().filter(is_tensor).count();
    let numbers_allowed = match op.promote {
        Promote::Keep => op.numbers & (1 << position) != 0,
        Promote::Common | Promote::Float => n_operands > 1,
        Promote::Rest => true,
    };
    if numbers_allowed
        && position > 0
        && let Some(scalar) = scalar(vm, value)?
    {
        return Ok(Tensor::number(&Runtime::current().engine, scalar));
    }
    Err(vm.new_type_error(format!(
        "{}(): argument '{}' (position {}) must be Tensor, not {}",
        op.name,
        param.name,
        position + 1,
        value.class().name()
    )))
}

fn tensors_argument(
    vm: &VirtualMachine,
    op: Callee,
    param: &Param,
    value: &PyObject,
    operands: &mut Vec<Tensor>,
) -> PyResult<()> {
    let wrong = |got: &PyObject| {
        vm.new_type_error(format!(
            "{}(): argument '{}' (position 1) must be tuple of Tensors, not {}",
            op.name,
            param.name,
            got.class().name()
        ))
    };
    for element in elements(value).ok_or_else(|| wrong(value))? {
        operands.push(unwrap(&element).ok_or_else(|| wrong(&element))?);
    }
    Ok(())
}

fn attribute(vm: &VirtualMachine, op: Callee, param: &Param, value: &PyObject) -> PyResult<Attr> {
    let wrong = |expected: &str| {
        vm.new_type_error(format!(
            "{}(): argument '{}' must be {expected}, not {}",
            op.name,
            param.name,
            value.class().name()
        ))
    };
    Ok(match param.kind {
        ParamKind::Int => Attr::Int(integer(vm, value)?.ok_or_else(|| wrong("int"))?),
        ParamKind::Ints if value.downcastable::<PyInt>() => {
            Attr::Int(integer(vm, value)?.ok_or_else(|| wrong("int or tuple of ints"))?)
        }
        ParamKind::Ints => {
            Attr::ints(&integers(vm, value)?.ok_or_else(|| wrong("int or tuple of ints"))?)
        }
        ParamKind::Float => number_attr(vm, value)?.ok_or_else(|| wrong("a number"))?,
        ParamKind::Bool => {
            if !value.class().is(vm.ctx.types.bool_type) {
                return Err(wrong("bool"));
            }
            Attr::Bool(value.to_owned().try_to_bool(vm)?)
        }
        ParamKind::DType => Attr::DType(dtype::from_object(vm, value)?),
        ParamKind::Word(words) => {
            let given = value
                .downcast_ref::<PyStr>()
                .and_then(|text| text.to_str())
                .ok_or_else(|| wrong("str"))?;
            match words.iter().find(|word| **word == given) {
                Some(word) => Attr::Str(word),
                None => {
                    let message = format!(
                        "{}(): argument '{}' must be one of {}, not '{given}'",
                        op.name,
                        param.name,
                        words.join(", ")
                    );
                    // PyTorch checks reductions in Python, the rest in its kernels.
                    return Err(match param.name {
                        "reduction" => vm.new_value_error(message),
                        _ => vm.new_runtime_error(message),
                    });
                }
            }
        }
        ParamKind::Tensor | ParamKind::Tensors => return Err(wrong("Tensor")),
    })
}

/// How the op is called: `softmax(input, dim)`.
fn signature(op: Callee) -> String {
    let params: Vec<String> = op
        .params
        .iter()
        .map(|param| match &param.default {
            None => param.name.to_owned(),
            Some(default) => format!("{}={}", param.name, show(default)),
        })
        .collect();
    format!("{}({})", op.name, params.join(", "))
}

fn show(attr: &Attr) -> String {
    match attr {
        Attr::None => "None".to_owned(),
        Attr::Bool(true) => "True".to_owned(),
        Attr::Bool(false) => "False".to_owned(),
        Attr::Int(value) => value.to_string(),
        Attr::Float(value) => format!("{value:?}"),
        Attr::Ints(values) => format!("{values:?}"),
        Attr::DType(dtype) => format!("torch.{dtype}"),
        Attr::Str(word) => format!("'{word}'"),
    }
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
