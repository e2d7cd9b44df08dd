//! Limits that keep a slip of the learner's from ending the process.
//!
//! Recursion ends in a `RecursionError` well before the stack does. A request for an absurd amount
//! of memory (`[0] * 10**10`, `bytes(10**14)`, `'a'.zfill(10**14)`) raises `MemoryError` with the size
//! before it allocates: RustPython's own allocations cannot fail, they end the process. Native
//! iteration ticks, so that Stop is heard and memory is looked at while `sorted(x)` or `list(x)` runs.
//!
//! `slots` guards operators, construction and iteration; `methods` the methods with sizes; `integers` says how
//! large an integer may become; `sort` sorts long lists with ticks. `tests/it/hostile_calls.rs` holds all
//! of it to the promise, under an address limit.

mod classes;
pub(crate) mod integers;
mod methods;
mod slots;
mod sort;

use std::cell::Cell;

use rustpython_vm::builtins::{PyList, PyRange, PyTuple};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};

pub(crate) use integers::{MOST_DIVIDED, check_bits};

use crate::memory::there_is;

/// The most bytes of one text, and of one object that is no tensor: the slowest method of a text takes half a
/// second for so many, and does not hear Stop.
const MOST_BYTES: usize = if cfg!(target_arch = "wasm32") {
    1 << 25
} else {
    1 << 26
};
/// The most elements of a list or tuple made at once.
pub(crate) const MOST_ELEMENTS: usize = if cfg!(target_arch = "wasm32") {
    1 << 24
} else {
    1 << 25
};
/// A request for less is not checked against what there is.
const SMALL: usize = 1 << 20;

/// Guards the built-in types of this thread.
pub(crate) fn install(vm: &VirtualMachine) -> PyResult<()> {
    thread_local! {
        static INSTALLED: Cell<bool> = const { Cell::new(false) };
    }
    slots::install(vm)?;
    classes::install(vm)?;
    if INSTALLED.replace(true) {
        return sort::install(vm);
    }
    methods::install(vm)
}

/// Refuses an object of that many bytes.
pub(crate) fn check_bytes(what: &str, bytes: usize, vm: &VirtualMachine) -> PyResult<()> {
    if bytes > MOST_BYTES {
        return Err(vm.new_memory_error(format!(
            "{what}: the result would have {bytes} bytes, and an object has at most {MOST_BYTES}"
        )));
    }
    if bytes >= SMALL && !there_is(bytes.saturating_mul(2)) {
        return Err(vm.new_memory_error(format!(
            "{what}: there is no memory for {bytes} more bytes; keep fewer values, or smaller ones"
        )));
    }
    Ok(())
}

/// Refuses a list, or anything else of Python objects, of that many elements.
pub(crate) fn check_elements(what: &str, n: usize, vm: &VirtualMachine) -> PyResult<()> {
    if n > MOST_ELEMENTS {
        return Err(vm.new_memory_error(format!(
            "{what}: {n} elements do not fit here (at most {MOST_ELEMENTS})"
        )));
    }
    let bytes = n.saturating_mul(size_of::<PyObjectRef>());
    if bytes >= SMALL && !there_is(bytes.saturating_mul(2)) {
        return Err(vm.new_memory_error(format!(
            "{what}: there is no memory for {n} more elements; keep fewer values, or smaller ones"
        )));
    }
    Ok(())
}

/// `x * n` for a sequence.
fn check_repeat(operator: &str, own: &PyObject, n: usize, vm: &VirtualMachine) -> PyResult<()> {
    let length = match methods::text_bytes(own) {
        Some(bytes) => return check_bytes(operator, bytes.saturating_mul(n), vm),
        None => own.length(vm)?,
    };
    check_elements(operator, length.saturating_mul(n), vm)?;
    crate::tick::work(length.saturating_mul(n), vm)
}

/// `a + b` for sequences.
fn check_concat(
    operator: &str,
    own: &PyObject,
    other: &PyObject,
    vm: &VirtualMachine,
) -> PyResult<()> {
    if let (Some(a), Some(b)) = (methods::text_bytes(own), methods::text_bytes(other)) {
        check_bytes(operator, a.saturating_add(b), vm)?;
        return crate::tick::work((a + b) / 16, vm);
    }
    if other.downcastable::<PyRange>() {
        return check_source(Some(&other.to_owned()), vm);
    }
    let elements = |object: &PyObject| {
        if let Some(list) = object.downcast_ref::<PyList>() {
            return list.borrow_vec().len();
        }
        object
            .downcast_ref::<PyTuple>()
            .map_or(0, |it| it.as_slice().len())
    };
    let n = elements(own).saturating_add(elements(other));
    check_elements(operator, n, vm)?;
    crate::tick::work(n, vm)
}

/// Refuses a range that is too long to become a list.
fn check_source(source: Option<&PyObjectRef>, vm: &VirtualMachine) -> PyResult<()> {
    let Some(range) = source.and_then(|source| source.downcast_ref::<PyRange>()) else {
        return Ok(());
    };
    match range.as_object().length(vm) {
        Ok(length) if length <= MOST_ELEMENTS => Ok(()),
        _ => Err(vm.new_memory_error(format!(
            "{} has too many elements to hold at once (at most {MOST_ELEMENTS}); \
             a for loop can walk it",
            range.as_object().repr(vm)?
        ))),
    }
}
