//! `sorted(x)` and `x.sort()` of long lists, which Stop can end.
//!
//! RustPython sorts without a tick. A list of more than some ten thousand elements is sorted here, by a merge sort
//! from the bottom up that ticks at every comparison; it is stable, and asks `<` alone, as Python's is.

use rustpython_vm::builtins::{PyBaseExceptionRef, PyFloat, PyInt, PyList, PyStrInterned};
use rustpython_vm::function::{Callee, FuncArgs, PyMethodDef, PyMethodFlags};
use rustpython_vm::types::PyComparisonOp;
use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};

use crate::tick;

/// A shorter list is sorted by RustPython.
const LONG: usize = 1 << 15;

/// Leads `sorted` and `list.sort` here.
pub(super) fn install(vm: &VirtualMachine) -> PyResult<()> {
    let class = vm.ctx.types.list_type;
    let name: &'static PyStrInterned = vm.ctx.intern_str("sort");
    let sort = match class.get_direct_attr(name) {
        Some(sort) => sort,
        None => return Ok(()),
    };
    thread_local! {
        static LED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    }
    let sort = if LED.replace(true) {
        sort
    } else {
        let original = sort;
        let call = move |vm: &VirtualMachine, args: FuncArgs, _: Callee| -> PyResult {
            match args.args.first().and_then(|it| it.downcast_ref::<PyList>()) {
                Some(list) if args.args.len() == 1 && list.borrow_vec().len() > LONG => {
                    let (key, reverse) = options(&args, vm)?;
                    sort_list(list, key, reverse, vm)?;
                    Ok(vm.ctx.none())
                }
                _ => original.call(args, vm),
            }
        };
        let definition: &'static PyMethodDef = Box::leak(Box::new(PyMethodDef {
            name: "sort",
            func: Box::leak(Box::new(call)),
            flags: PyMethodFlags::METHOD,
            doc: Some("Sort the list in ascending order and return None."),
        }));
        let sort: PyObjectRef = definition.build_method(&vm.ctx, class).into();
        class.set_attr(name, sort.clone());
        sort
    };
    let sorted = move |mut args: FuncArgs, vm: &VirtualMachine| -> PyResult {
        if args.args.len() != 1 {
            return Err(vm.new_type_error(format!(
                "sorted expected 1 argument, got {}",
                args.args.len()
            )));
        }
        super::check_source(args.args.first(), vm)?;
        let elements: Vec<PyObjectRef> = args.args[0].try_to_value(vm)?;
        let list: PyObjectRef = vm.ctx.new_list(elements).into();
        args.args[0] = list.clone();
        sort.call(args, vm)?;
        Ok(list)
    };
    let sorted = vm.new_function("sorted", sorted);
    vm.builtins.set_attr("sorted", sorted, vm)
}

fn options(args: &FuncArgs, vm: &VirtualMachine) -> PyResult<(Option<PyObjectRef>, bool)> {
    let (mut key, mut reverse) = (None, false);
    for (name, value) in &args.kwargs {
        match name.as_str() {
            Ok("key") => key = Some(value.clone()).filter(|key| !vm.is_none(key)),
            Ok("reverse") => reverse = value.clone().try_to_bool(vm)?,
            _ => {
                return Err(vm.new_type_error(format!(
                    "sort() got an unexpected keyword argument '{name}'"
                )));
            }
        }
    }
    Ok((key, reverse))
}

/// Sorts in place. As in CPython the list is empty while it is sorted, and a change to it meanwhile is
/// an error.
fn sort_list(
    list: &PyList,
    key: Option<PyObjectRef>,
    reverse: bool,
    vm: &VirtualMachine,
) -> PyResult<()> {
    let mut elements = std::mem::take(&mut *list.borrow_vec_mut());
    // Equal elements keep their order in reverse too: turned before and after.
    if reverse {
        elements.reverse();
    }
    let result = sort(&mut elements, key, vm);
    if reverse {
        elements.reverse();
    }
    let meanwhile = std::mem::replace(&mut *list.borrow_vec_mut(), elements);
    result?;
    if !meanwhile.is_empty() {
        return Err(vm.new_value_error("list modified during sort"));
    }
    Ok(())
}

fn sort(
    elements: &mut Vec<PyObjectRef>,
    key: Option<PyObjectRef>,
    vm: &VirtualMachine,
) -> Result<(), PyBaseExceptionRef> {
    let keys: Option<Vec<PyObjectRef>> = match key {
        Some(key) => {
            let keys = elements.iter().map(|element| {
                tick::tick(vm)?;
                key.call((element.clone(),), vm)
            });
            Some(keys.collect::<PyResult<_>>()?)
        }
        None => None,
    };
    let compared = keys.as_deref().unwrap_or(elements);
    let mut order: Vec<u32> = (0..elements.len() as u32).collect();
    let mut merged: Vec<u32> = Vec::with_capacity(order.len());
    let mut width = 1;
    while width < order.len() {
        merged.clear();
        for pair in order.chunks(2 * width) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            merge(left, right, compared, &mut merged, vm)?;
        }
        std::mem::swap(&mut order, &mut merged);
        width *= 2;
    }
    let sorted = order
        .iter()
        .map(|&i| elements[i as usize].clone())
        .collect();
    *elements = sorted;
    Ok(())
}

/// `a < b`, without a call for numbers.
fn less(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult<bool> {
    tick::tick(vm)?;
    if let (Some(a), Some(b)) = (
        a.downcast_ref_if_exact::<PyInt>(vm),
        b.downcast_ref_if_exact::<PyInt>(vm),
    ) {
        return Ok(a.as_bigint() < b.as_bigint());
    }
    if let (Some(a), Some(b)) = (
        a.downcast_ref_if_exact::<PyFloat>(vm),
        b.downcast_ref_if_exact::<PyFloat>(vm),
    ) {
        return Ok(a.to_f64() < b.to_f64());
    }
    a.rich_compare_bool(b, PyComparisonOp::Lt, vm)
}

/// Takes from the right only what is less.
fn merge(
    left: &[u32],
    right: &[u32],
    compared: &[PyObjectRef],
    merged: &mut Vec<u32>,
    vm: &VirtualMachine,
) -> PyResult<()> {
    let less = |a: u32, b: u32| less(&compared[a as usize], &compared[b as usize], vm);
    let (mut i, mut j) = (0, 0);
    // Runs that are in order already are taken whole.
    if let (Some(&last), Some(&first)) = (left.last(), right.first())
        && !less(first, last)?
    {
        merged.extend_from_slice(left);
        merged.extend_from_slice(right);
        return Ok(());
    }
    while i < left.len() && j < right.len() {
        if less(right[j], left[i])? {
            merged.push(right[j]);
            j += 1;
        } else {
            merged.push(left[i]);
            i += 1;
        }
    }
    merged.extend_from_slice(&left[i..]);
    merged.extend_from_slice(&right[j..]);
    Ok(())
}
