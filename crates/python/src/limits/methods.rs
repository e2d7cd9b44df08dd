//! Methods of the built-in types whose result has a size that an argument names: `'a'.zfill(10**14)`.
//!
//! Each is replaced in its type by one that estimates the result's size first, and raises
//! `MemoryError` for more than an object may have. The operators (`*`, `+`, `%`, `**`) are slots, which
//! `limits` guards; here their methods (`'a'.__mul__`) are led through the same check.
//! `tests/it/hostile_calls.rs` calls every method of every built-in type with absurd sizes under an
//! address limit, so that a method that is missing here shows.

pub(super) mod formats;

use num_traits::ToPrimitive;
use rustpython_vm::builtins::{
    PyByteArray, PyBytes, PyDict, PyInt, PyList, PyRange, PyStr, PyTuple, PyType,
};
use rustpython_vm::common::wtf8::{Wtf8, Wtf8Buf};
use rustpython_vm::function::{Callee, FuncArgs, PyMethodDef, PyMethodFlags};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyResult, VirtualMachine};

use self::formats::{by_spec, formatted};
use super::{check_bytes, check_source, sort};
use crate::tick;

/// Looks at the arguments of a call, the object itself first, and may make numbers of objects that stand
/// for one, so that they are asked once.
type Check = fn(&str, &mut FuncArgs, &VirtualMachine) -> PyResult<()>;

/// Bytes that an object of Python takes beside its contents.
const OBJECT: usize = 64;

const OF_TEXT: &[(&str, Check)] = &[
    ("center", padded),
    ("ljust", padded),
    ("rjust", padded),
    ("zfill", padded),
    ("expandtabs", with_tabs),
    ("join", joined),
    ("replace", replaced),
    ("translate", translated),
    ("casefold", unchecked),
    ("isprintable", unchecked),
    ("swapcase", unchecked),
    ("title", unchecked),
    ("split", split),
    ("rsplit", split),
    ("splitlines", split_lines),
    ("format", formatted),
    ("format_map", formatted),
    ("__format__", by_spec),
    ("__mul__", repeated),
    ("__rmul__", repeated),
    ("__imul__", repeated),
    ("__mod__", formats::by_percent),
    ("__add__", added),
    ("__iadd__", added),
    ("extend", from_source),
    ("__init__", sized),
];

const OF_INTEGERS: &[(&str, Check)] = &[
    ("__format__", by_spec),
    ("__round__", rounded),
    ("to_bytes", to_bytes),
    ("__pow__", |_, args, vm| power(args, [0, 1], vm)),
    ("__rpow__", |_, args, vm| power(args, [1, 0], vm)),
    ("__lshift__", |_, args, vm| shifted(args, [0, 1], vm)),
    ("__rlshift__", |_, args, vm| shifted(args, [1, 0], vm)),
    ("__mul__", multiplied),
    ("__rmul__", multiplied),
    ("__floordiv__", divided),
    ("__rfloordiv__", divided),
    ("__mod__", divided),
    ("__rmod__", divided),
    ("__divmod__", divided),
    ("__rdivmod__", divided),
];

const OF_LISTS: &[(&str, Check)] = &[
    ("__mul__", repeated),
    ("__rmul__", repeated),
    ("__imul__", repeated),
    ("__add__", added),
    ("__iadd__", added),
    ("extend", from_source),
    ("__init__", from_source),
    ("update", from_source),
];

/// Guards the methods of the built-in types, and the functions of `builtins` that make a list.
pub(super) fn install(vm: &VirtualMachine) -> PyResult<()> {
    let types = &vm.ctx.types;
    for class in [types.str_type, types.bytes_type, types.bytearray_type] {
        guard(class, OF_TEXT, vm);
    }
    guard(types.int_type, OF_INTEGERS, vm);
    for class in [types.float_type, types.complex_type, types.bool_type] {
        guard(class, &[("__format__", by_spec)], vm);
    }
    for class in [types.list_type, types.tuple_type, types.set_type] {
        guard(class, OF_LISTS, vm);
    }
    sort::install(vm)
}

fn guard(class: &'static Py<PyType>, methods: &[(&'static str, Check)], vm: &VirtualMachine) {
    for (name, check) in methods {
        let interned = vm.ctx.intern_str(*name);
        let Some(original) = class.get_direct_attr(interned) else {
            continue;
        };
        class.set_attr(interned, guarded(class, name, *check, original, vm));
    }
}

/// A method that checks its arguments and then is the original one.
fn guarded(
    class: &'static Py<PyType>,
    name: &'static str,
    check: Check,
    original: PyObjectRef,
    vm: &VirtualMachine,
) -> PyObjectRef {
    let call = move |vm: &VirtualMachine, mut args: FuncArgs, _: Callee| -> PyResult {
        check(name, &mut args, vm)?;
        match name {
            "translate" | "casefold" | "isprintable" | "swapcase" | "title" => {
                in_parts(name, &original, args, vm)
            }
            _ => original.call(args, vm),
        }
    };
    // Types live as long as their thread; so does this, once for each of their methods.
    let definition: &'static PyMethodDef = Box::leak(Box::new(PyMethodDef {
        name,
        func: Box::leak(Box::new(call)),
        flags: PyMethodFlags::METHOD,
        doc: None,
    }));
    definition.build_method(&vm.ctx, class).into()
}

/// The result is no larger than the object by more than a small factor; the method is slow.
fn unchecked(_: &str, _: &mut FuncArgs, _: &VirtualMachine) -> PyResult<()> {
    Ok(())
}

/// Methods that look into a table for each character: a long text goes through them in parts, with a tick
/// after each. `title` is cut behind a space alone, where its words end too.
fn in_parts(name: &str, original: &PyObject, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    const PART: usize = 1 << 12;
    let text = match (&args.args[..], args.kwargs.is_empty()) {
        ([text, ..], true) => text
            .downcast_ref::<PyStr>()
            .filter(|it| it.byte_len() > PART),
        _ => None,
    };
    let Some(text) = text else {
        return original.call(args, vm);
    };
    let others = &args.args[1..];
    let mut result = Wtf8Buf::new();
    let mut rest = text.as_wtf8().code_points().peekable();
    while rest.peek().is_some() {
        tick::tick(vm)?;
        let mut n = 0;
        let mut ended = false;
        let part: Wtf8Buf = std::iter::from_fn(|| {
            let c = if ended { None } else { rest.next() };
            n += 1;
            let may_end = name != "title" || c.is_some_and(|c| c.to_u32() == u32::from(' '));
            ended = n >= PART && may_end;
            c
        })
        .collect();
        let mut all: Vec<PyObjectRef> = vec![vm.ctx.new_str(part).into()];
        all.extend(others.iter().cloned());
        let part = original.call(FuncArgs::from(all), vm)?;
        match part.downcast_ref::<PyStr>() {
            Some(part) => {
                check_bytes(name, result.len() + part.byte_len(), vm)?;
                result.push_wtf8(part.as_wtf8());
            }
            // `isprintable`: one that is not decides.
            None if !part.clone().try_to_bool(vm)? => return Ok(part),
            None => {}
        }
    }
    match name {
        "isprintable" => Ok(vm.ctx.new_bool(true).into()),
        _ => Ok(vm.ctx.new_str(result).into()),
    }
}

/// The argument at a place (the object itself is at 0) or of a name.
fn argument<'a>(args: &'a mut FuncArgs, place: usize, name: &str) -> Option<&'a mut PyObjectRef> {
    if args.args.len() > place {
        return args.args.get_mut(place);
    }
    args.kwargs.get_mut(Wtf8::new(name))
}

/// Refuses a size that stands for itself, such as that of `bytes(n)`.
pub(super) fn check_size(
    name: &str,
    argument: &mut PyObjectRef,
    vm: &VirtualMachine,
) -> PyResult<()> {
    if argument.downcastable::<PyStr>() || text_bytes(argument).is_some() {
        return Ok(());
    }
    match size(Some(argument), vm) {
        Ok(wanted) => check_bytes(name, wanted, vm),
        // No number after all, but something to go through.
        Err(error) if error.class().fast_issubclass(vm.ctx.exceptions.type_error) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A size that an argument names, saturated; negative ones count as 0.
pub(super) fn size(argument: Option<&mut PyObjectRef>, vm: &VirtualMachine) -> PyResult<usize> {
    let Some(object) = argument else { return Ok(0) };
    if !object.downcastable::<PyInt>() {
        let Some(index) = object.try_index_opt(vm) else {
            return Ok(0);
        };
        *object = index?.into();
    }
    let Some(int) = object.downcast_ref::<PyInt>() else {
        return Ok(0);
    };
    let int = int.as_bigint();
    let negative = int.sign() == malachite_bigint::Sign::Minus;
    Ok(if negative {
        0
    } else {
        int.to_usize().unwrap_or(usize::MAX)
    })
}

/// The bytes of a text or of bytes.
pub(super) fn text_bytes(object: &PyObject) -> Option<usize> {
    if let Some(text) = object.downcast_ref::<PyStr>() {
        return Some(text.as_wtf8().len());
    }
    if let Some(bytes) = object.downcast_ref::<PyBytes>() {
        return Some(bytes.as_bytes().len());
    }
    object
        .downcast_ref::<PyByteArray>()
        .map(|bytes| bytes.borrow_buf().len())
}

fn own_bytes(args: &FuncArgs) -> usize {
    args.args.first().and_then(|it| text_bytes(it)).unwrap_or(0)
}

fn padded(name: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let width = size(argument(args, 1, "width"), vm)?;
    let fill = args.args.get(2).and_then(|fill| text_bytes(fill));
    check_bytes(
        name,
        width.saturating_mul(fill.unwrap_or(1).clamp(1, 4)),
        vm,
    )
}

fn with_tabs(name: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let width = match argument(args, 1, "tabsize") {
        None => 8,
        given => size(given, vm)?,
    };
    let tabs = match args.args.first() {
        Some(own) => count(own, b"\t"),
        None => 0,
    };
    check_bytes(
        name,
        own_bytes(args).saturating_add(tabs.saturating_mul(width)),
        vm,
    )
}

/// How often some bytes occur in a text.
fn count(text: &PyObject, wanted: &[u8]) -> usize {
    let occurrences = |bytes: &[u8]| match wanted {
        [] => bytes.len() + 1,
        [one] => bytes.iter().filter(|byte| *byte == one).count(),
        _ => bytes
            .windows(wanted.len())
            .filter(|it| *it == wanted)
            .count(),
    };
    if let Some(text) = text.downcast_ref::<PyStr>() {
        return occurrences(text.as_wtf8().as_bytes());
    }
    if let Some(bytes) = text.downcast_ref::<PyBytes>() {
        return occurrences(bytes.as_bytes());
    }
    text.downcast_ref::<PyByteArray>()
        .map_or(0, |bytes| occurrences(&bytes.borrow_buf()))
}

fn joined(name: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let between = own_bytes(args);
    let total = |parts: &[PyObjectRef]| {
        parts.iter().fold(0usize, |sum, part| {
            sum.saturating_add(text_bytes(part).unwrap_or(0))
                .saturating_add(between)
        })
    };
    let wanted = match args.args.get(1) {
        Some(parts) => {
            if let Some(list) = parts.downcast_ref::<PyList>() {
                total(&list.borrow_vec())
            } else if let Some(tuple) = parts.downcast_ref::<PyTuple>() {
                total(tuple.as_slice())
            } else if let Some(length) = text_bytes(parts) {
                length.saturating_mul(between.saturating_add(1))
            } else {
                // What an iterator gives is not known before: it is gathered, and counted then.
                let parts: Vec<PyObjectRef> = parts.try_to_value(vm)?;
                let wanted = total(&parts);
                args.args[1] = vm.ctx.new_list(parts).into();
                wanted
            }
        }
        None => 0,
    };
    check_bytes(name, wanted, vm)
}

fn replaced(name: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let [own, old, new, ..] = &args.args[..] else {
        return Ok(());
    };
    let (own_bytes, new_bytes) = (own_bytes(args), text_bytes(new).unwrap_or(0));
    let times = match text_bytes(old) {
        Some(length) if new_bytes > length => {
            if let Some(old) = old.downcast_ref::<PyStr>() {
                count(own, old.as_wtf8().as_bytes())
            } else if let Some(old) = old.downcast_ref::<PyBytes>() {
                count(own, old.as_bytes())
            } else {
                own_bytes / length.max(1) + 1
            }
        }
        _ => 0,
    };
    check_bytes(
        name,
        own_bytes.saturating_add(times.saturating_mul(new_bytes)),
        vm,
    )
}

fn translated(name: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let longest = args
        .args
        .get(1)
        .and_then(|table| table.downcast_ref::<PyDict>().map(|it| it.values_vec()))
        .and_then(|values| values.iter().filter_map(|it| text_bytes(it)).max());
    let own = own_bytes(args);
    check_bytes(name, own.saturating_mul(longest.unwrap_or(1).max(1)), vm)
}

fn split(name: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let most = argument(args, 2, "maxsplit").map(|most| size(Some(most), vm));
    let most = match most {
        Some(most) if args_maxsplit_is_set(args) => most?,
        _ => usize::MAX,
    };
    let separator = argument(args, 1, "sep").map(|it| it.clone());
    let Some(own) = args.args.first() else {
        return Ok(());
    };
    let parts = match separator {
        Some(separator) if text_bytes(&separator).is_some() => {
            if let Some(text) = separator.downcast_ref::<PyStr>() {
                count(own, text.as_wtf8().as_bytes())
            } else if let Some(bytes) = separator.downcast_ref::<PyBytes>() {
                count(own, bytes.as_bytes())
            } else {
                own_bytes(args)
            }
        }
        _ => [b" ", b"\n", b"\t"].iter().map(|it| count(own, *it)).sum(),
    };
    let objects = parts.min(most).saturating_add(1).saturating_mul(OBJECT);
    check_bytes(name, own_bytes(args).saturating_add(objects), vm)
}

/// Whether the number of cuts is given and not negative, which stands for all of them.
fn args_maxsplit_is_set(args: &mut FuncArgs) -> bool {
    argument(args, 2, "maxsplit")
        .and_then(|most| most.downcast_ref::<PyInt>().map(|it| it.as_bigint().sign()))
        .is_some_and(|sign| sign != malachite_bigint::Sign::Minus)
}

fn split_lines(name: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let lines = match args.args.first() {
        Some(own) => count(own, b"\n") + count(own, b"\r"),
        None => 0,
    };
    let objects = (lines + 1).saturating_mul(OBJECT);
    check_bytes(name, own_bytes(args).saturating_add(objects), vm)
}

fn repeated(name: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let times = size(argument(args, 1, "value"), vm)?;
    match args.args.first() {
        Some(own) => super::check_repeat(name, own, times, vm),
        None => Ok(()),
    }
}

fn added(name: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    match &args.args[..] {
        [own, other] => super::check_concat(name, own, other, vm),
        _ => Ok(()),
    }
}

fn from_source(_: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    match args.args.get(1) {
        Some(source) if source.downcastable::<PyRange>() => check_source(Some(source), vm),
        _ => Ok(()),
    }
}

fn sized(_: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    match argument(args, 1, "source") {
        Some(source) => {
            check_source(Some(source), vm)?;
            check_size("bytes", source, vm)
        }
        None => Ok(()),
    }
}

/// `round(5, -10**9)` would compute a power of ten of a billion digits to find 0.
fn rounded(_: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let Some(digits) = args.args.get(1).and_then(|it| it.downcast_ref::<PyInt>()) else {
        return Ok(());
    };
    let digits = digits.as_bigint();
    if digits.sign() == malachite_bigint::Sign::Minus {
        let digits = digits.to_i64().map_or(u64::MAX, i64::unsigned_abs);
        return super::integers::check_power(4, digits, "round", vm);
    }
    Ok(())
}

fn to_bytes(name: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    check_bytes(name, size(argument(args, 1, "length"), vm)?, vm)
}

fn power(args: &FuncArgs, [base, exponent]: [usize; 2], vm: &VirtualMachine) -> PyResult<()> {
    match (args.args.get(base), args.args.get(exponent)) {
        (Some(base), Some(exponent)) => {
            super::integers::check_pow(base, exponent, args.args.get(2).map(|it| &**it), vm)
        }
        _ => Ok(()),
    }
}

fn shifted(args: &FuncArgs, [base, shift]: [usize; 2], vm: &VirtualMachine) -> PyResult<()> {
    match (args.args.get(base), args.args.get(shift)) {
        (Some(base), Some(shift)) => super::integers::check_shift(base, shift, vm),
        _ => Ok(()),
    }
}

fn multiplied(_: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    match &args.args[..] {
        [a, b] => super::integers::check_product(a, b, vm),
        _ => Ok(()),
    }
}

fn divided(_: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    match &args.args[..] {
        [a, b] => super::integers::check_division(a, b, vm),
        _ => Ok(()),
    }
}
