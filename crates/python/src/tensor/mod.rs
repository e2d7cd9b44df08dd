//! `_glowgrad`: the engine as Python sees it.
//!
//! The module holds the base class of `torch.Tensor`, every op of the registry as a function, what
//! makes tensors, and the tape. The names and classes learners see are written in Python on top
//! (`lib/glowgrad/`). No op is named here but where Python's own syntax names it.

mod args;
mod autograd;
mod captured_step;
mod class;
mod create;
mod device;
mod dtype;
mod export;
mod filling;
mod indexing;
mod module;
mod operators;
mod ops;
mod out;
mod profile;
mod random;
mod show;

pub(crate) use class::TensorBase;
pub(crate) use create::from_data;
pub(crate) use module::module_def;

use glowgrad::{Error, ErrorKind, Tensor};
use rustpython_vm::builtins::{PyBaseExceptionRef, PyTypeRef};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};

use crate::runtime::Runtime;

/// The Python exception for an engine error: PyTorch's type, the engine's words. An exception that
/// came from Python and passed through the engine is raised as it was.
pub(crate) fn raise(vm: &VirtualMachine, error: Error) -> PyBaseExceptionRef {
    if let Some(exception) = Runtime::current().passing.take() {
        return exception;
    }
    let exceptions = &vm.ctx.exceptions;
    if error.kind == ErrorKind::LinAlg
        && let Some(classes) = Runtime::current().classes.get()
    {
        let exception = vm.new_exception_msg(classes.linalg_error.clone(), error.message.into());
        return with_failure(vm, exception, error.failure);
    }
    let class = match error.kind {
        ErrorKind::Runtime | ErrorKind::LinAlg => exceptions.runtime_error,
        ErrorKind::Index => exceptions.index_error,
        ErrorKind::Type => exceptions.type_error,
        ErrorKind::Value => exceptions.value_error,
        ErrorKind::NotImplemented => exceptions.not_implemented_error,
        ErrorKind::Interrupted => exceptions.keyboard_interrupt,
    };
    let exception = vm.new_exception_msg(class.to_owned(), error.message.into());
    with_failure(vm, exception, error.failure)
}

/// Where an exception keeps the number of the call that an op refused.
const FAILURE: &str = "_glowgrad_failure";

fn with_failure(
    vm: &VirtualMachine,
    exception: PyBaseExceptionRef,
    failure: Option<u32>,
) -> PyBaseExceptionRef {
    if let Some(number) = failure {
        // Without it the picture does not show the op; the exception is the same.
        let _ = exception
            .as_object()
            .set_attr(FAILURE, vm.ctx.new_int(number), vm);
    }
    exception
}

/// The number of the call that an op refused with this exception.
pub(crate) fn failure_of(vm: &VirtualMachine, exception: &PyBaseExceptionRef) -> Option<u32> {
    let number = vm
        .get_attribute_opt(exception.as_object(), FAILURE)
        .ok()??;
    number.try_into_value(vm).ok()
}

/// Shorthand for engine results in native functions.
pub(crate) trait OrRaise<T> {
    fn or_raise(self, vm: &VirtualMachine) -> PyResult<T>;
}

impl<T> OrRaise<T> for glowgrad::Result<T> {
    fn or_raise(self, vm: &VirtualMachine) -> PyResult<T> {
        self.map_err(|error| raise(vm, error))
    }
}

/// A tensor as a Python object of class `torch.Tensor`.
pub(crate) fn wrap(vm: &VirtualMachine, tensor: Tensor) -> PyResult {
    let runtime = Runtime::current();
    match runtime.classes.get() {
        Some(classes) => wrap_as(vm, tensor, classes.tensor.clone()),
        None => Ok(TensorBase::from(tensor).into_ref(&vm.ctx).into()),
    }
}

pub(crate) fn wrap_as(vm: &VirtualMachine, tensor: Tensor, class: PyTypeRef) -> PyResult {
    Ok(TensorBase::from(tensor)
        .into_ref_with_type(vm, class)?
        .into())
}

/// The class of a result of these operands: a learner's subclass of `Tensor` stays what it is, a
/// parameter becomes a tensor.
pub(crate) fn class_of_result(operands: &[&PyObject]) -> Option<PyTypeRef> {
    let runtime = Runtime::current();
    let classes = runtime.classes.get()?;
    let own = operands.iter().find(|operand| {
        operand.downcastable::<TensorBase>()
            && !operand.class().is(&classes.tensor)
            && !operand.class().fast_issubclass(&classes.parameter)
    });
    Some(own.map_or_else(
        || classes.tensor.clone(),
        |operand| operand.class().to_owned(),
    ))
}

/// The tensor inside a Python object.
pub(crate) fn unwrap(object: &PyObject) -> Option<Tensor> {
    object
        .downcast_ref::<TensorBase>()
        .map(|base| base.tensor())
}

/// The tensor inside a Python object, or a `TypeError` that names what wanted it.
pub(crate) fn expect_tensor(
    vm: &VirtualMachine,
    object: &PyObject,
    what: &str,
) -> PyResult<Tensor> {
    unwrap(object).ok_or_else(|| {
        vm.new_type_error(format!(
            "{what} must be Tensor, not {}",
            object.class().name()
        ))
    })
}

/// A tuple of the learner's `torch.Size`.
pub(crate) fn size(vm: &VirtualMachine, sizes: impl IntoIterator<Item = usize>) -> PyResult {
    let items: Vec<PyObjectRef> = sizes
        .into_iter()
        .map(|n| vm.ctx.new_int(n).into())
        .collect();
    match Runtime::current().classes.get() {
        Some(classes) => {
            let tuple = rustpython_vm::builtins::PyTuple::new_unchecked(items.into_boxed_slice());
            Ok(tuple.into_ref_with_type(vm, classes.size.clone())?.into())
        }
        None => Ok(vm.ctx.new_tuple(items).into()),
    }
}
