//! Limits that keep a slip of the learner's from ending the process.
//!
//! Recursion ends in a `RecursionError` well before the stack does. A request for an absurd amount
//! of memory (`[0] * 10**10`, `10**10**9`, `list(range(10**12))`) raises `MemoryError` before it
//! allocates, and endless native iteration (`sum(itertools.count())`) ticks: slots of the built-in
//! types are replaced by guarded ones, so that every other operation pays nothing. What remains
//! unguarded: widths in format strings and one native call on data that is already huge.

use std::cell::Cell;

use num_traits::ToPrimitive;
use rustpython_vm::builtins::{PyInt, PyRange, PyType};
use rustpython_vm::protocol::{PyIterReturn, PySequence};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyResult, VirtualMachine};

use crate::runtime::Runtime;
use crate::tick;

/// The most bytes one Python object may ask for at once.
const MOST_BYTES: usize = 1 << 30;
/// The most elements of a list or tuple made at once.
const MOST_ELEMENTS: usize = MOST_BYTES / 16;
/// The most bits of an integer: `10**10_000` is fine, `10**10**9` is not.
const MOST_BITS: u64 = 1 << 26;
/// wasm memory grows and never shrinks, and ends at 4 GiB: stop before.
#[cfg(target_arch = "wasm32")]
const MOST_PAGES: usize = (7 << 29) / (64 << 10);

type Binary = fn(&PyObject, &PyObject, &VirtualMachine) -> PyResult;
type Ternary = fn(&PyObject, &PyObject, &PyObject, &VirtualMachine) -> PyResult;
type Repeat = fn(PySequence<'_>, isize, &VirtualMachine) -> PyResult;
type Next = fn(&PyObject, &VirtualMachine) -> PyResult<PyIterReturn>;
type Vectorcall =
    fn(&PyObject, Vec<PyObjectRef>, usize, Option<&[PyObjectRef]>, &VirtualMachine) -> PyResult;

/// Puts a guard in a slot and keeps what was there. Types are shared by the interpreters of a
/// thread, so a slot that is guarded already is left alone.
macro_rules! guard {
    ($slot:expr, $kind:ty, |$inner:ident, $($arg:ident: $type:ty),+| $body:expr) => {{
        thread_local! {
            static INNER: Cell<Option<$kind>> = const { Cell::new(None) };
        }
        fn guarded($($arg: $type),+) -> <$kind as Returns>::Out {
            let $inner = INNER.get().expect("a guarded slot keeps what it guards");
            $body
        }
        if INNER.get().is_none() && let Some(inner) = $slot.load() {
            INNER.set(Some(inner));
            $slot.store(Some(guarded));
        }
    }};
}

/// The return type of a slot function, for `guard!`.
trait Returns {
    type Out;
}
impl Returns for Binary {
    type Out = PyResult;
}
impl Returns for Ternary {
    type Out = PyResult;
}
impl Returns for Repeat {
    type Out = PyResult;
}
impl Returns for Next {
    type Out = PyResult<PyIterReturn>;
}
impl Returns for Vectorcall {
    type Out = PyResult;
}

/// Guards the built-in types of this thread.
pub(crate) fn install(vm: &VirtualMachine) -> PyResult<()> {
    let types = &vm.ctx.types;
    guard_integers(types.int_type);

    macro_rules! guard_repeat {
        ($($slots:expr),+) => {$(
            guard!($slots.as_sequence.repeat, Repeat,
                |inner, seq: PySequence<'_>, n: isize, vm: &VirtualMachine| {
                    check_repeat(&seq, n, vm)?;
                    inner(seq, n, vm)
                });
            guard!($slots.as_sequence.inplace_repeat, Repeat,
                |inner, seq: PySequence<'_>, n: isize, vm: &VirtualMachine| {
                    check_repeat(&seq, n, vm)?;
                    inner(seq, n, vm)
                });
        )+};
    }
    guard_repeat!(
        types.list_type.slots,
        types.tuple_type.slots,
        types.str_type.slots,
        types.bytes_type.slots,
        types.bytearray_type.slots
    );

    macro_rules! guard_construction {
        ($($slots:expr),+) => {$(
            guard!($slots.vectorcall, Vectorcall,
                |inner, class: &PyObject, args: Vec<PyObjectRef>, count: usize,
                 names: Option<&[PyObjectRef]>, vm: &VirtualMachine| {
                    check_source(args.first(), vm)?;
                    inner(class, args, count, names, vm)
                });
        )+};
    }
    guard_construction!(
        types.list_type.slots,
        types.tuple_type.slots,
        types.set_type.slots,
        types.frozenset_type.slots
    );

    macro_rules! guard_next {
        ($($slots:expr),+) => {$(
            guard!($slots.iternext, Next, |inner, iterator: &PyObject, vm: &VirtualMachine| {
                tick::tick(vm)?;
                inner(iterator, vm)
            });
        )+};
    }
    guard_next!(
        types.range_iterator_type.slots,
        types.long_range_iterator_type.slots,
        types.callable_iterator.slots
    );
    let itertools = vm.import("itertools", 0)?;
    let endless = |name: &'static str| -> PyResult<_> {
        itertools
            .get_attr(name, vm)?
            .downcast::<PyType>()
            .map_err(|_| vm.new_type_error(format!("itertools.{name} is not a type")))
    };
    let (count, repeat, cycle) = (endless("count")?, endless("repeat")?, endless("cycle")?);
    guard_next!(count.slots, repeat.slots, cycle.slots);
    Ok(())
}

fn guard_integers(int: &Py<PyType>) {
    let number = &int.slots.as_number;
    guard!(
        number.power,
        Ternary,
        |inner, a: &PyObject, b: &PyObject, modulus: &PyObject, vm: &VirtualMachine| {
            if vm.is_none(modulus)
                && let (Some(base), Some(exponent)) = (bits(a), value(b))
                && base > 1
            {
                check_bits((base - 1).saturating_mul(exponent), "**", vm)?;
            }
            inner(a, b, modulus, vm)
        }
    );
    guard!(
        number.lshift,
        Binary,
        |inner, a: &PyObject, b: &PyObject, vm: &VirtualMachine| {
            if let (Some(base), Some(shift)) = (bits(a), value(b))
                && base > 0
            {
                check_bits(base.saturating_add(shift), "<<", vm)?;
            }
            inner(a, b, vm)
        }
    );
    guard!(
        number.multiply,
        Binary,
        |inner, a: &PyObject, b: &PyObject, vm: &VirtualMachine| {
            if let (Some(a), Some(b)) = (bits(a), bits(b)) {
                check_bits(a + b, "*", vm)?;
            }
            inner(a, b, vm)
        }
    );
}

fn bits(object: &PyObject) -> Option<u64> {
    object
        .downcast_ref::<PyInt>()
        .map(|int| int.as_bigint().bits())
}

/// A non-negative integer, saturated.
fn value(object: &PyObject) -> Option<u64> {
    let int = object.downcast_ref::<PyInt>()?.as_bigint();
    if int.sign() == malachite_bigint::Sign::Minus {
        return None;
    }
    Some(int.to_u64().unwrap_or(u64::MAX))
}

/// Refuses an integer of that many bits.
pub(crate) fn check_bits(bits: u64, operator: &str, vm: &VirtualMachine) -> PyResult<()> {
    if bits > MOST_BITS {
        return Err(vm.new_memory_error(format!(
            "{operator}: the result would be an integer of more than {} million digits; \
             a float or a smaller number will do",
            MOST_BITS * 3 / 10 / 1_000_000
        )));
    }
    Ok(())
}

fn check_repeat(seq: &PySequence<'_>, n: isize, vm: &VirtualMachine) -> PyResult<()> {
    let object = seq.obj;
    let length = object.length(vm)?;
    let is_text = object.class().is(vm.ctx.types.str_type)
        || object.class().is(vm.ctx.types.bytes_type)
        || object.class().is(vm.ctx.types.bytearray_type);
    let most = if is_text { MOST_BYTES } else { MOST_ELEMENTS };
    let wanted = length.saturating_mul(n.max(0) as usize);
    if wanted > most {
        return Err(vm.new_memory_error(format!(
            "*: a {} of {wanted} elements does not fit here (at most {most})",
            object.class().name()
        )));
    }
    Ok(())
}

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

/// Raises `MemoryError` while there is still memory to handle it.
pub(crate) fn check_memory(vm: &VirtualMachine) -> PyResult<()> {
    if Runtime::current().host.out_of_memory() || page_memory_is_tight() {
        return Err(vm.new_memory_error(
            "the lab's memory is almost full; keep fewer values, or smaller ones",
        ));
    }
    Ok(())
}

#[cfg(not(target_arch = "wasm32"))]
fn page_memory_is_tight() -> bool {
    false
}

/// Whether memory has grown past the limit since the last time this was said: freed memory is
/// used again, but never given back.
#[cfg(target_arch = "wasm32")]
fn page_memory_is_tight() -> bool {
    thread_local! {
        static SAID_AT: Cell<usize> = const { Cell::new(MOST_PAGES) };
    }
    let pages = core::arch::wasm32::memory_size(0);
    if pages > SAID_AT.get() {
        SAID_AT.set(pages);
        return true;
    }
    false
}
