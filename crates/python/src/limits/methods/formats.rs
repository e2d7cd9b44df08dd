//! What formatting may make: `format`, `format_map`, `format(x, spec)` and `%`, by the widths and precisions that
//! a format names.

use num_traits::ToPrimitive;
use rustpython_vm::builtins::{PyBytes, PyDict, PyInt, PyStr, PyTuple};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::{count, own_bytes, text_bytes};
use crate::limits::check_bytes;

/// The most digits of a float that are written.
const MOST_DIGITS: usize = 65_000;

/// `'{} {}'.format(…)`: what the fields show of texts, and each field once more for its padding.
pub(super) fn formatted(name: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let Some(own) = args.args.first() else {
        return Ok(());
    };
    let fields = count(own, b"{");
    let given = args.args[1..].iter().chain(args.kwargs.values());
    let longest = given.filter_map(|it| text_bytes(it)).max().unwrap_or(0);
    check_bytes(
        name,
        own_bytes(args).saturating_add(fields.saturating_mul(longest)),
        vm,
    )
}

/// `format(x, '>100')`: the numbers in the specification are a width and a precision.
pub(super) fn by_spec(name: &str, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let Some(spec) = args
        .args
        .get(1)
        .and_then(|spec| spec.downcast_ref::<PyStr>())
    else {
        return Ok(());
    };
    let spec = spec.as_wtf8().as_bytes();
    // Half of a surrogate pair is no character of its own, and upstream panics.
    if spec.last() == Some(&b'c')
        && let Some(code) = args.args[0].downcast_ref::<PyInt>()
        && matches!(code.as_bigint().to_u32(), Some(0xD800..=0xDFFF))
    {
        return Err(vm.new_overflow_error(format!(
            "{name}: {} is half of a surrogate pair, no character",
            code.as_bigint()
        )));
    }
    let is_text = text_bytes(&args.args[0]).is_some();
    check_fields(name, spec, |_, _| !is_text, vm)
}

/// `'%100d' % x`, with what the values add.
pub(in crate::limits) fn by_percent(
    name: &str,
    args: &mut FuncArgs,
    vm: &VirtualMachine,
) -> PyResult<()> {
    let [own, values] = &args.args[..] else {
        return Ok(());
    };
    check_percent(name, own, values, vm)
}

pub(in crate::limits) fn check_percent(
    name: &str,
    own: &PyObject,
    values: &PyObject,
    vm: &VirtualMachine,
) -> PyResult<()> {
    let of_values = |values: &[PyObjectRef]| {
        values.iter().fold(0usize, |sum, value| {
            sum.saturating_add(text_bytes(value).unwrap_or(0))
        })
    };
    let shown = match values.downcast_ref::<PyTuple>() {
        Some(tuple) => {
            // A star takes its width from the values.
            if count(own, b"*") > 0 {
                for value in tuple.as_slice() {
                    if let Some(width) = value.downcast_ref::<PyInt>() {
                        let width = width.as_bigint().to_i64().map_or(0, i64::unsigned_abs);
                        check_bytes(name, usize::try_from(width).unwrap_or(usize::MAX), vm)?;
                    }
                }
            }
            of_values(tuple.as_slice())
        }
        None if values.downcastable::<PyDict>() => 0,
        None => text_bytes(values).unwrap_or(0),
    };
    check_bytes(name, text_bytes(own).unwrap_or(0).saturating_add(shown), vm)?;
    if let Some(text) = own.downcast_ref::<PyStr>() {
        return check_fields(name, text.as_wtf8().as_bytes(), is_of_float, vm);
    }
    match own.downcast_ref::<PyBytes>() {
        Some(bytes) => check_fields(name, bytes.as_bytes(), is_of_float, vm),
        None => Ok(()),
    }
}

/// Whether a precision stands in a field for a float, given what stands before its point and behind it:
/// `%-8.3f`.
fn is_of_float(before: &[u8], behind: &[u8]) -> bool {
    let flags = before.iter().rev();
    let field = flags
        .skip_while(|byte| byte.is_ascii_digit())
        .find(|byte| !b"#0- +".contains(byte));
    let kind = behind.iter().find(|byte| !b"hlL".contains(byte));
    matches!(field, Some(b'%' | b')')) && kind.is_some_and(|kind| b"eEfFgG".contains(kind))
}

/// Adds up the numbers in a format: each may be a width. One after a point is a precision, which has a limit of
/// its own where it `is_limited`: for a number.
fn check_fields(
    name: &str,
    format: &[u8],
    is_limited: impl Fn(&[u8], &[u8]) -> bool,
    vm: &VirtualMachine,
) -> PyResult<()> {
    let mut total = 0usize;
    let mut index = 0;
    while index < format.len() {
        if !format[index].is_ascii_digit() {
            index += 1;
            continue;
        }
        let start = index;
        let mut number = 0usize;
        while let Some(digit) = format.get(index).filter(|byte| byte.is_ascii_digit()) {
            number = number
                .saturating_mul(10)
                .saturating_add(usize::from(digit - b'0'));
            index += 1;
        }
        let is_precision = start > 0 && format[start - 1] == b'.';
        if is_precision
            && number > MOST_DIGITS
            && is_limited(&format[..start - 1], &format[index..])
        {
            return Err(vm.new_value_error(format!(
                "{name}: a precision of {number} digits is more than the {MOST_DIGITS} that are written"
            )));
        }
        if !is_precision {
            total = total.saturating_add(number);
        }
    }
    check_bytes(name, total, vm)
}
