//! `isinstance(x, t)` and `issubclass(c, t)` where t is a tuple of tuples.
//!
//! RustPython goes through nested tuples without a tick and counts on measuring the native stack, which a page
//! does not let it. Here they are gone through with both; a class, or a union of classes, is RustPython's.

use rustpython_vm::builtins::PyTuple;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::slots::nested;
use crate::tick;

/// Replaces both functions in an interpreter's builtins.
pub(super) fn install(vm: &VirtualMachine) -> PyResult<()> {
    for name in ["isinstance", "issubclass"] {
        let name = vm.ctx.intern_str(name);
        let original = vm.builtins.get_attr(name, vm)?;
        let guarded = move |args: FuncArgs, vm: &VirtualMachine| -> PyResult {
            match &args.args[..] {
                [object, classes] if classes.downcastable::<PyTuple>() => Ok(vm
                    .ctx
                    .new_bool(is_any(&original, object, classes, vm)?)
                    .into()),
                _ => original.call(args, vm),
            }
        };
        vm.builtins
            .set_attr(name, vm.new_function(name.as_str(), guarded), vm)?;
    }
    Ok(())
}

/// Whether the check holds for any class in a tuple.
fn is_any(
    check: &PyObject,
    object: &PyObjectRef,
    classes: &PyObjectRef,
    vm: &VirtualMachine,
) -> PyResult<bool> {
    tick::tick(vm)?;
    let Some(tuple) = classes.downcast_ref::<PyTuple>() else {
        let answer = check.call((object.clone(), classes.clone()), vm)?;
        return answer.try_to_bool(vm);
    };
    for class in tuple {
        if nested(vm, || is_any(check, object, class, vm))? {
            return Ok(true);
        }
    }
    Ok(false)
}
