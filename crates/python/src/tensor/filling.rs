//! Writes of one number over a whole tensor.

use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};

use super::{OrRaise, args, create, expect_tensor};
use crate::runtime::Runtime;
use crate::span;

pub(super) fn fill_with(
    tensor: PyObjectRef,
    value: PyObjectRef,
    vm: &VirtualMachine,
) -> PyResult<PyObjectRef> {
    let value = args::operand(vm, &value)?.ok_or_else(|| {
        vm.new_type_error(format!(
            "fill_(): argument 'value' must be a number or a Tensor, not {}",
            value.class().name()
        ))
    })?;
    let target = expect_tensor(vm, &tensor, "tensor")?;
    if let Some(number) = value.node().number {
        create::fits(vm, "fill_", number, target.dtype())?;
    }
    span::mark(&Runtime::current());
    target.fill(&value).or_raise(vm)?;
    Ok(tensor)
}

pub(super) fn fill_with_zeros(tensor: PyObjectRef, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
    span::mark(&Runtime::current());
    expect_tensor(vm, &tensor, "tensor")?.zero().or_raise(vm)?;
    Ok(tensor)
}
