//! Every op of the registry as a Python function and, where the op says so, as a method and as an
//! in-place method: one generic binding, so that an op added to the registry appears here.

use glowgrad::op::{MultiOutputOp, Op, Out};
use glowgrad::{Tensor, ops};
use rustpython_vm::builtins::PyModule;
use rustpython_vm::function::{FuncArgs, ItemDoc, PyMethodFlags};
use rustpython_vm::{Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};

use super::{OrRaise, TensorBase, args, class_of_result, expect_tensor, out, wrap, wrap_as};
use crate::runtime::Runtime;
use crate::{span, tick};

/// Puts the ops into the module and onto the tensor class.
pub(crate) fn install(vm: &VirtualMachine, module: &Py<PyModule>) -> PyResult<()> {
    let class = TensorBase::class(&vm.ctx);
    for op in ops::all() {
        let function = vm.new_function(op.name, move |args: FuncArgs, vm: &VirtualMachine| {
            out::call(vm, (op.name, op.out), args, |args| call(vm, op, args))
        });
        module.set_attr(op.name, function, vm)?;
        // Types are shared by the interpreters of a thread: theirs are there already.
        let name = vm.ctx.intern_str(op.name);
        if op.method && class.get_attr(name).is_none() {
            let method = vm.ctx.new_method_def(
                op.name,
                move |args: FuncArgs, vm: &VirtualMachine| call(vm, op, args),
                PyMethodFlags::METHOD,
                ItemDoc::static_text(op.doc),
            );
            class.set_attr(name, method.build_method(class, vm).into());
        }
        if ops::has_in_place(op) {
            let name: &'static str = vm.ctx.intern_str(format!("{}_", op.name)).as_str();
            let interned = vm.ctx.intern_str(name);
            if class.get_attr(interned).is_none() {
                let method = vm.ctx.new_method_def(
                    name,
                    move |args: FuncArgs, vm: &VirtualMachine| call_in_place(vm, op, args),
                    PyMethodFlags::METHOD,
                    ItemDoc::static_text(op.doc),
                );
                class.set_attr(interned, method.build_method(class, vm).into());
            }
        }
    }
    let functional = ops::all().filter(|op| op.functional);
    let names = functional.map(|op| vm.ctx.new_str(op.name).into());
    module.set_attr("_functional_ops", vm.ctx.new_tuple(names.collect()), vm)?;
    for (alias, name) in ops::aliases() {
        let function = module.get_attr(*name, vm)?;
        module.set_attr(*alias, function, vm)?;
        let (alias, name) = (vm.ctx.intern_str(*alias), vm.ctx.intern_str(*name));
        if class.get_attr(alias).is_none()
            && let Some(method) = class.get_attr(name)
        {
            class.set_attr(alias, method);
        }
    }
    for op in ops::multi_output() {
        let function = vm.new_function(op.name, move |args: FuncArgs, vm: &VirtualMachine| {
            // Where PyTorch names the results, there is an `out=` for them.
            let out = match op.fields {
                [] => Out::None,
                _ => Out::Same,
            };
            out::call(vm, (op.name, out), args, |args| {
                call_multi_output(vm, op, args)
            })
        });
        module.set_attr(op.name, function, vm)?;
        let name = vm.ctx.intern_str(op.name);
        if op.method && class.get_attr(name).is_none() {
            let method = vm.ctx.new_method_def(
                op.name,
                move |args: FuncArgs, vm: &VirtualMachine| call_multi_output(vm, op, args),
                PyMethodFlags::METHOD,
                ItemDoc::static_text(op.doc),
            );
            class.set_attr(name, method.build_method(class, vm).into());
        }
    }
    Ok(())
}

/// Applies an op to a call's arguments.
fn call(vm: &VirtualMachine, op: &'static Op, args: FuncArgs) -> PyResult {
    let op = with_number(op, args.args.get(1).map(AsRef::as_ref)).unwrap_or(op);
    let objects: Vec<PyObjectRef> = args.args.clone();
    let (operands, attrs) = args::bind(vm, op, args)?;
    let objects: Vec<&PyObject> = objects.iter().map(AsRef::as_ref).collect();
    apply(vm, op, &operands, attrs, &objects)
}

/// Makes the results of a call with several: a tuple, of named fields where PyTorch names them.
fn call_multi_output(vm: &VirtualMachine, op: &'static MultiOutputOp, args: FuncArgs) -> PyResult {
    let runtime = Runtime::current();
    let (operands, attrs) = args::bind(vm, op, args)?;
    span::mark(&runtime);
    tick::age(2);
    let results = Tensor::apply_multi(&runtime.engine, op, &operands, &attrs).or_raise(vm)?;
    let results = results
        .into_iter()
        .map(|tensor| wrap(vm, tensor))
        .collect::<PyResult<Vec<_>>>()?;
    let tuple = vm.ctx.new_tuple(results);
    if op.fields.is_empty() {
        return Ok(tuple.into());
    }
    let Some(classes) = runtime.classes.get() else {
        return Ok(tuple.into());
    };
    let fields = op.fields.iter().map(|f| vm.ctx.new_str(*f).into());
    let fields = vm.ctx.new_tuple(fields.collect());
    let name = op.name.trim_end_matches("_dim");
    classes.named.call((name.to_owned(), fields, tuple), vm)
}

/// The op that a call with this second operand is, if it is a plain number and PyTorch has an op of its own for it.
fn with_number(op: &Op, second: Option<&PyObject>) -> Option<&'static Op> {
    let is_number = second.is_some_and(|second| !second.downcastable::<TensorBase>());
    op.with_number.filter(|_| is_number)
}

pub(crate) fn apply(
    vm: &VirtualMachine,
    op: &'static Op,
    operands: &[Tensor],
    attrs: glowgrad::op::Attrs,
    objects: &[&PyObject],
) -> PyResult {
    let runtime = Runtime::current();
    span::mark(&runtime);
    tick::age(2);
    let result = Tensor::apply(&runtime.engine, op, operands, attrs).or_raise(vm)?;
    match class_of_result(objects) {
        Some(class) => wrap_as(vm, result, class),
        None => wrap(vm, result),
    }
}

fn call_in_place(vm: &VirtualMachine, op: &'static Op, args: FuncArgs) -> PyResult {
    let op = with_number(op, args.args.get(1).map(AsRef::as_ref)).unwrap_or(op);
    let Some(target) = args.args.first().cloned() else {
        return Err(vm.new_type_error(format!("{}_() needs a tensor", op.name)));
    };
    let (operands, attrs) = args::bind(vm, op, args)?;
    apply_in_place(vm, op, &target, &operands[1..], attrs)?;
    Ok(target)
}

pub(crate) fn apply_in_place(
    vm: &VirtualMachine,
    op: &'static Op,
    target: &PyObject,
    others: &[Tensor],
    attrs: glowgrad::op::Attrs,
) -> PyResult<()> {
    let runtime = Runtime::current();
    span::mark(&runtime);
    tick::age(2);
    expect_tensor(vm, target, op.name)?
        .apply_in_place(op, others, attrs)
        .or_raise(vm)
}

/// `a op b` for Python's operators: `NotImplemented` unless both are tensors or numbers.
pub(crate) fn binary(vm: &VirtualMachine, op: &'static Op, a: &PyObject, b: &PyObject) -> PyResult {
    if let Some(op) = with_number(op, Some(b)) {
        return match args::number_attr(vm, b)? {
            Some(number) => apply(
                vm,
                op,
                &[expect_tensor(vm, a, op.name)?],
                [number].into_iter().collect(),
                &[a, b],
            ),
            None => Ok(vm.ctx.not_implemented()),
        };
    }
    match (args::operand(vm, a)?, args::operand(vm, b)?) {
        (Some(x), Some(y)) => apply(vm, op, &[x, y], Default::default(), &[a, b]),
        _ => Ok(vm.ctx.not_implemented()),
    }
}

/// `a op= b`.
pub(crate) fn binary_in_place(
    vm: &VirtualMachine,
    op: &'static Op,
    a: &PyObject,
    b: &PyObject,
) -> PyResult {
    if let Some(op) = with_number(op, Some(b)) {
        return match args::number_attr(vm, b)? {
            Some(number) => {
                let attrs = [number].into_iter().collect();
                apply_in_place(vm, op, a, &[], attrs)?;
                Ok(a.to_owned())
            }
            None => Ok(vm.ctx.not_implemented()),
        };
    }
    match args::operand(vm, b)? {
        Some(y) => {
            apply_in_place(vm, op, a, &[y], Default::default())?;
            Ok(a.to_owned())
        }
        None => Ok(vm.ctx.not_implemented()),
    }
}
