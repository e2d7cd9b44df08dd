//! `out=`: the result of a function, written into a tensor that is there already.
//!
//! The result is made first, as without `out=`, and then moved: so every function that PyTorch gives
//! an `out=` takes it in this one way, and computes nothing differently.

use glowgrad::op::Out;
use glowgrad::{DType, Tensor};
use rustpython_vm::builtins::PyTuple;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::{OrRaise, TensorBase, args, expect_tensor};
use crate::runtime::Runtime;

/// Calls a function of this name that may have an `out=`; methods have none.
pub(crate) fn call(
    vm: &VirtualMachine,
    (name, kind): (&str, Out),
    mut args: FuncArgs,
    make: impl FnOnce(FuncArgs) -> PyResult,
) -> PyResult {
    if kind == Out::None {
        return make(args);
    }
    let given = args.kwargs.swap_remove("out");
    let Some(out) = given.filter(|out| !vm.is_none(out)) else {
        return make(args);
    };
    let names_dtype = |args: &FuncArgs| {
        let dtype = args.kwargs.get("dtype");
        dtype.is_some_and(|dtype| !vm.is_none(dtype))
    };
    if kind == Out::Computes && !names_dtype(&args) && out.downcastable::<TensorBase>() {
        let dtype = out.get_attr("dtype", vm)?;
        args.kwargs.insert("dtype".into(), dtype);
    }
    let result = make(args)?;
    give(vm, name, out, result, kind != Out::Same)
}

/// `_C.write_out(name, out, result, casts)`: for functions that are written in Python.
pub(crate) fn write_out(
    name: String,
    out: PyObjectRef,
    result: PyObjectRef,
    casts: bool,
    vm: &VirtualMachine,
) -> PyResult {
    give(vm, &name, out, result, casts)
}

/// Writes a result, or a tuple of results, into `out`, and gives that in its place. A single result may be
/// cast to the dtype of `out`.
fn give(
    vm: &VirtualMachine,
    name: &str,
    out: PyObjectRef,
    result: PyObjectRef,
    casts: bool,
) -> PyResult {
    let name = name.trim_end_matches("_dim");
    let Some(results) = result.downcast_ref::<PyTuple>() else {
        write(vm, name, &out, &expect_tensor(vm, &result, name)?, casts)?;
        return Ok(out);
    };
    let Some(outs) = args::elements(&out) else {
        return Err(vm.new_type_error(format!(
            "{name}(): argument 'out' must be tuple of Tensors, not {}",
            out.class().name()
        )));
    };
    if outs.len() != results.len() {
        return Err(vm.new_type_error(format!(
            "{name}(): expected tuple of {} elements for 'out' but got {}",
            results.len(),
            outs.len()
        )));
    }
    for (out, result) in outs.iter().zip(results.iter()) {
        write(vm, name, out, &expect_tensor(vm, result, name)?, false)?;
    }
    let outs = vm.ctx.new_tuple(outs);
    let runtime = Runtime::current();
    let told = |part| result.get_attr(part, vm);
    match (told("kind"), told("fields"), runtime.classes.get()) {
        (Ok(kind), Ok(fields), Some(classes)) => {
            let kind = format!("{}_out", kind.str(vm)?);
            classes.named.call((kind, fields, outs, true), vm)
        }
        _ => Ok(outs.into()),
    }
}

/// Writes a result into the tensor `out`, which takes its shape.
fn write(
    vm: &VirtualMachine,
    name: &str,
    out: &PyObject,
    result: &Tensor,
    casts: bool,
) -> PyResult<()> {
    let Some(object) = out.downcast_ref::<TensorBase>() else {
        return Err(vm.new_type_error(format!(
            "{name}(): argument 'out' must be Tensor, not {}",
            out.class().name()
        )));
    };
    let target = object.tensor();
    let engine = &Runtime::current().engine;
    if result.requires_grad() || engine.grad_enabled() && target.requires_grad() {
        return Err(vm.new_runtime_error(format!(
            "{name}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad."
        )));
    }
    check_dtype(result.dtype(), target.dtype(), casts)
        .map_err(|message| vm.new_runtime_error(message))?;
    if target.shape() == result.shape() {
        let was_on = engine.set_grad_enabled(false);
        let written = target.assign(result);
        engine.set_grad_enabled(was_on);
        return written.or_raise(vm);
    }
    if target.numel() > 0 {
        warn_of_another_shape(vm, &target, result)?;
    }
    let fresh = (result.detach().to(target.dtype()))
        .and_then(|fresh| fresh.to_device(target.device()))
        .and_then(|fresh| fresh.clone_data());
    object.replace(fresh.or_raise(vm)?);
    Ok(())
}

fn check_dtype(from: DType, to: DType, casts: bool) -> Result<(), String> {
    let (from_name, to_name) = (from.scalar_name(), to.scalar_name());
    if !casts && from != to {
        return Err(format!(
            "Expected out tensor to have dtype {}, but got {} instead",
            from_name.to_lowercase(),
            to_name.to_lowercase()
        ));
    }
    if from.is_float() && !to.is_float() || from != DType::Bool && to == DType::Bool {
        return Err(format!(
            "result type {from_name} can't be cast to the desired output type {to_name}"
        ));
    }
    Ok(())
}

/// PyTorch's warning where `out` had elements already.
fn warn_of_another_shape(vm: &VirtualMachine, out: &Tensor, result: &Tensor) -> PyResult<()> {
    let message = format!(
        "An output with one or more elements was resized since it had shape {:?}, which does not match the required output shape {:?}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they have zero elements.",
        &out.shape()[..],
        &result.shape()[..]
    );
    let warn = vm.import("warnings", 0)?.get_attr("warn", vm)?;
    warn.call((message,), vm).map(drop)
}
