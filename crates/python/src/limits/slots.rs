//! The slots of the built-in types that are guarded: operators, construction and iteration.
//!
//! A slot is replaced once for each thread, whose interpreters share their types, so that every other
//! operation pays nothing.

use std::cell::Cell;

use rustpython_vm::builtins::{PyInt, PyStr, PyType, PyTypeRef};
use rustpython_vm::common::hash::PyHash;
use rustpython_vm::common::wtf8::Wtf8;
use rustpython_vm::function::{Either, FuncArgs, PyComparisonValue};
use rustpython_vm::protocol::{PyIterReturn, PySequence};
use rustpython_vm::types::PyComparisonOp;
use rustpython_vm::{PyObject, PyObjectRef, PyRef, PyResult, VirtualMachine};

use super::{check_bytes, check_concat, check_repeat, check_source, integers, methods};
use crate::tick;

type Binary = fn(&PyObject, &PyObject, &VirtualMachine) -> PyResult;
type Ternary = fn(&PyObject, &PyObject, &PyObject, &VirtualMachine) -> PyResult;
type Repeat = fn(PySequence<'_>, isize, &VirtualMachine) -> PyResult;
type Concat = fn(PySequence<'_>, &PyObject, &VirtualMachine) -> PyResult;
type Next = fn(&PyObject, &VirtualMachine) -> PyResult<PyIterReturn>;
type New = fn(PyTypeRef, FuncArgs, &VirtualMachine) -> PyResult;
type Repr = fn(&PyObject, &VirtualMachine) -> PyResult<PyRef<PyStr>>;
type Hash = fn(&PyObject, &VirtualMachine) -> PyResult<PyHash>;
type Compare = fn(
    &PyObject,
    &PyObject,
    PyComparisonOp,
    &VirtualMachine,
) -> PyResult<Either<PyObjectRef, PyComparisonValue>>;
type Vectorcall =
    fn(&PyObject, Vec<PyObjectRef>, usize, Option<&[PyObjectRef]>, &VirtualMachine) -> PyResult;

/// Puts a guard in a slot and keeps what was there.
macro_rules! guard {
    ($slot:expr, $kind:ty, |$inner:ident, $($arg:ident: $type:ty),+| -> $out:ty $body:block) => {{
        thread_local! {
            static INNER: Cell<Option<$kind>> = const { Cell::new(None) };
        }
        fn guarded($($arg: $type),+) -> $out {
            let $inner = INNER.get().expect("a guarded slot keeps what it guards");
            $body
        }
        if INNER.get().is_none() && let Some(inner) = $slot.load() {
            INNER.set(Some(inner));
            $slot.store(Some(guarded));
        }
    }};
}

pub(super) fn install(vm: &VirtualMachine) -> PyResult<()> {
    guard_integers(vm);
    guard_sequences(vm)?;
    guard_construction(vm);
    guard_walks(vm);
    guard_iteration(vm)
}

thread_local! {
    /// How deep the `repr` of containers is, and how many bytes it has by now.
    static SHOWN: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    /// How many containers native code is in.
    static NESTED: Cell<usize> = const { Cell::new(0) };
}

/// Goes one container deeper, as deep as calls may go. RustPython measures the native stack where it can, which
/// is nowhere in a page.
pub(super) fn nested<R>(vm: &VirtualMachine, go: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    let depth = NESTED.get();
    if depth + vm.current_recursion_depth() >= vm.recursion_limit.get() {
        return Err(vm.new_recursion_error("maximum recursion depth exceeded"));
    }
    NESTED.set(depth + 1);
    let result = go();
    NESTED.set(depth);
    result
}

/// Counts what a container's `repr` grows by.
fn shown(bytes: usize, vm: &VirtualMachine) -> PyResult<()> {
    tick::tick(vm)?;
    let (depth, total) = SHOWN.get();
    if depth == 0 {
        return Ok(());
    }
    SHOWN.set((depth, total.saturating_add(bytes)));
    check_bytes("repr", total.saturating_add(bytes), vm)
}

/// What goes through containers and all that they hold: a few that hold each other twice stand for any
/// number of elements.
fn guard_walks(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    macro_rules! guard_containers {
        ($($type:ident),+) => {$(
            guard!(types.$type.slots.repr, Repr, |inner, object: &PyObject, vm: &VirtualMachine| -> PyResult<PyRef<PyStr>> {
                let (depth, total) = SHOWN.get();
                SHOWN.set((depth + 1, if depth == 0 { 0 } else { total }));
                let text = shown(2, vm).and_then(|()| nested(vm, || inner(object, vm)));
                SHOWN.set((depth, SHOWN.get().1));
                text
            });
            guard!(types.$type.slots.richcompare, Compare,
                |inner, a: &PyObject, b: &PyObject, op: PyComparisonOp, vm: &VirtualMachine|
                 -> PyResult<Either<PyObjectRef, PyComparisonValue>> {
                    tick::tick(vm)?;
                    nested(vm, || inner(a, b, op, vm))
                });
        )+};
    }
    guard_containers!(list_type, tuple_type, dict_type, set_type, frozenset_type);
    macro_rules! guard_elements {
        ($($type:ident),+) => {$(
            guard!(types.$type.slots.repr, Repr, |inner, object: &PyObject, vm: &VirtualMachine| -> PyResult<PyRef<PyStr>> {
                let text = inner(object, vm)?;
                shown(text.byte_len(), vm)?;
                Ok(text)
            });
        )+};
    }
    guard_elements!(int_type, float_type, str_type, bytes_type, bytearray_type);
    guard!(types.tuple_type.slots.hash, Hash, |inner,
                                               object: &PyObject,
                                               vm: &VirtualMachine|
     -> PyResult<PyHash> {
        tick::tick(vm)?;
        nested(vm, || inner(object, vm))
    });
}

fn guard_integers(vm: &VirtualMachine) {
    let number = &vm.ctx.types.int_type.slots.as_number;
    guard!(number.power, Ternary, |inner,
                                   a: &PyObject,
                                   b: &PyObject,
                                   m: &PyObject,
                                   vm: &VirtualMachine|
     -> PyResult {
        integers::check_pow(a, b, Some(m), vm)?;
        inner(a, b, m, vm)
    });
    guard!(number.lshift, Binary, |inner,
                                   a: &PyObject,
                                   b: &PyObject,
                                   vm: &VirtualMachine|
     -> PyResult {
        integers::check_shift(a, b, vm)?;
        inner(a, b, vm)
    });
    guard!(number.multiply, Binary, |inner,
                                     a: &PyObject,
                                     b: &PyObject,
                                     vm: &VirtualMachine|
     -> PyResult {
        integers::check_product(a, b, vm)?;
        inner(a, b, vm)
    });
    macro_rules! guard_division {
        ($($slot:ident),+) => {$(
            guard!(number.$slot, Binary, |inner, a: &PyObject, b: &PyObject, vm: &VirtualMachine| -> PyResult {
                integers::check_division(a, b, vm)?;
                inner(a, b, vm)
            });
        )+};
    }
    guard_division!(floor_divide, remainder, divmod);
}

fn guard_sequences(vm: &VirtualMachine) -> PyResult<()> {
    let types = &vm.ctx.types;
    let deque = class("_collections", "deque", vm)?;
    macro_rules! guard_sequence {
        ($($class:expr),+ $(,)?) => {$(
            let sequence = &$class.slots.as_sequence;
            guard!(sequence.repeat, Repeat, |inner, seq: PySequence<'_>, n: isize, vm: &VirtualMachine| -> PyResult {
                check_repeat("*", seq.obj, usize::try_from(n).unwrap_or(0), vm)?;
                inner(seq, n, vm)
            });
            guard!(sequence.inplace_repeat, Repeat, |inner, seq: PySequence<'_>, n: isize, vm: &VirtualMachine| -> PyResult {
                check_repeat("*=", seq.obj, usize::try_from(n).unwrap_or(0), vm)?;
                inner(seq, n, vm)
            });
            guard!(sequence.concat, Concat, |inner, seq: PySequence<'_>, other: &PyObject, vm: &VirtualMachine| -> PyResult {
                check_concat("+", seq.obj, other, vm)?;
                inner(seq, other, vm)
            });
            guard!(sequence.inplace_concat, Concat, |inner, seq: PySequence<'_>, other: &PyObject, vm: &VirtualMachine| -> PyResult {
                check_concat("+=", seq.obj, other, vm)?;
                inner(seq, other, vm)
            });
        )+};
    }
    guard_sequence!(
        types.list_type,
        types.tuple_type,
        types.str_type,
        types.bytes_type,
        types.bytearray_type,
        deque
    );
    // RustPython adds texts as numbers are added.
    macro_rules! guard_addition {
        ($($slot:expr),+ $(,)?) => {$(
            guard!($slot, Binary, |inner, a: &PyObject, b: &PyObject, vm: &VirtualMachine| -> PyResult {
                check_concat("+", a, b, vm)?;
                inner(a, b, vm)
            });
        )+};
    }
    guard_addition!(
        types.str_type.slots.as_number.add,
        types.bytes_type.slots.as_number.add,
        types.bytearray_type.slots.as_number.add,
        types.list_type.slots.as_number.add,
        types.tuple_type.slots.as_number.add,
    );
    macro_rules! guard_percent {
        ($($type:ident),+) => {$(
            guard!(types.$type.slots.as_number.remainder, Binary, |inner, a: &PyObject, b: &PyObject, vm: &VirtualMachine| -> PyResult {
                methods::formats::check_percent("%", a, b, vm)?;
                inner(a, b, vm)
            });
        )+};
    }
    guard_percent!(str_type, bytes_type, bytearray_type);
    Ok(())
}

/// A native type of a module.
fn class(module: &'static str, name: &'static str, vm: &VirtualMachine) -> PyResult<PyRef<PyType>> {
    vm.import(module, 0)?
        .get_attr(name, vm)?
        .downcast::<PyType>()
        .map_err(|_| vm.new_type_error(format!("{module}.{name} is not a type")))
}

fn guard_construction(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    macro_rules! guard_vectorcall {
        ($($type:ident),+) => {$(
            guard!(types.$type.slots.vectorcall, Vectorcall,
                |inner, class: &PyObject, args: Vec<PyObjectRef>, count: usize,
                 names: Option<&[PyObjectRef]>, vm: &VirtualMachine| -> PyResult {
                    check_source(args.first(), vm)?;
                    inner(class, args, count, names, vm)
                });
        )+};
    }
    guard_vectorcall!(list_type, tuple_type, set_type, frozenset_type);
    macro_rules! guard_bytes {
        ($($type:ident),+) => {$(
            guard!(types.$type.slots.new, New, |inner, class: PyTypeRef, args: FuncArgs, vm: &VirtualMachine| -> PyResult {
                inner(class, sized_bytes(args, vm)?, vm)
            });
        )+};
    }
    guard_bytes!(bytes_type, bytearray_type);
    // `bytes` has no `__init__` of its own.
    guard!(
        types.bytearray_type.slots.init,
        fn(&PyObject, FuncArgs, &VirtualMachine) -> PyResult<()>,
        |inner, object: &PyObject, args: FuncArgs, vm: &VirtualMachine| -> PyResult<()> {
            inner(object, sized_bytes(args, vm)?, vm)
        }
    );
}

/// `bytes(n)`: the size is asked for once, and checked.
fn sized_bytes(mut args: FuncArgs, vm: &VirtualMachine) -> PyResult<FuncArgs> {
    let source = match args.args.first_mut() {
        Some(source) => Some(source),
        None => args.kwargs.get_mut(Wtf8::new("source")),
    };
    if let Some(source) = source {
        check_source(Some(source), vm)?;
        methods::check_size("bytes", source, vm)?;
    }
    Ok(args)
}

fn guard_iteration(vm: &VirtualMachine) -> PyResult<()> {
    let types = &vm.ctx.types;
    macro_rules! guard_next {
        ($($slots:expr),+ $(,)?) => {$(
            guard!($slots.iternext, Next, |inner, iterator: &PyObject, vm: &VirtualMachine| -> PyResult<PyIterReturn> {
                tick::tick(vm)?;
                inner(iterator, vm)
            });
        )+};
    }
    // Iterators that walk what there is.
    guard_next!(
        types.range_iterator_type.slots,
        types.long_range_iterator_type.slots,
        types.callable_iterator.slots,
        types.list_iterator_type.slots,
        types.list_reverseiterator_type.slots,
        types.tuple_iterator_type.slots,
        types.str_iterator_type.slots,
        types.bytes_iterator_type.slots,
        types.bytearray_iterator_type.slots,
        types.set_iterator_type.slots,
        types.dict_keyiterator_type.slots,
        types.dict_valueiterator_type.slots,
        types.dict_itemiterator_type.slots,
        types.reverse_iter_type.slots,
        types.memoryviewiterator_type.slots,
    );
    // Iterators over iterators: these nest, so that each level counts as a frame.
    macro_rules! guard_nested {
        ($($slots:expr),+ $(,)?) => {$(
            guard!($slots.iternext, Next, |inner, iterator: &PyObject, vm: &VirtualMachine| -> PyResult<PyIterReturn> {
                tick::tick(vm)?;
                nested(vm, || inner(iterator, vm))
            });
        )+};
    }
    guard_nested!(
        types.map_type.slots,
        types.filter_type.slots,
        types.zip_type.slots,
        types.enumerate_type.slots,
    );
    let class = |name: &'static str| class("itertools", name, vm);
    guard_next!(class("count")?.slots, class("repeat")?.slots);
    guard_nested!(
        class("cycle")?.slots,
        class("chain")?.slots,
        class("islice")?.slots,
        class("accumulate")?.slots,
        class("starmap")?.slots,
        class("takewhile")?.slots,
        class("dropwhile")?.slots,
        class("filterfalse")?.slots,
        class("zip_longest")?.slots,
        class("compress")?.slots,
        class("pairwise")?.slots,
        class("batched")?.slots,
        class("groupby")?.slots,
        class("product")?.slots,
        class("permutations")?.slots,
        class("combinations")?.slots,
        class("combinations_with_replacement")?.slots,
    );
    macro_rules! guard_chosen {
        ($($name:literal),+) => {$(
            guard!(class($name)?.slots.new, New, |inner, class: PyTypeRef, args: FuncArgs, vm: &VirtualMachine| -> PyResult {
                check_chosen($name, &args, vm)?;
                inner(class, args, vm)
            });
        )+};
    }
    guard_chosen!(
        "product",
        "permutations",
        "combinations",
        "combinations_with_replacement",
        "batched"
    );
    let itertools = vm.import("itertools", 0)?;
    let tee = itertools.get_attr("tee", vm)?;
    let tee = vm.new_function(
        "tee",
        move |args: FuncArgs, vm: &VirtualMachine| -> PyResult {
            check_chosen("tee", &args, vm)?;
            tee.call(args, vm)
        },
    );
    itertools.set_attr("tee", tee, vm)
}

/// `product(x, repeat=n)` and its like hold `n` positions.
fn check_chosen(name: &str, args: &FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    for argument in args.args.iter().chain(args.kwargs.values()) {
        let mut argument = argument.clone();
        if argument.downcastable::<PyInt>() {
            let n = methods::size(Some(&mut argument), vm)?;
            check_bytes(name, n.saturating_mul(64), vm)?;
        }
        check_source(Some(&argument), vm)?;
    }
    Ok(())
}
