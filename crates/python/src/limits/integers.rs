//! How large integers may become, and how long one operation on them may take.
//!
//! No operation on integers ticks, so that Stop waits for its end: limits are set where one takes some
//! 0.2 s. Products and powers grow with the bits of the result to the power of 1.5; division, roots, and powers
//! by a modulus, cost more.

use num_traits::ToPrimitive;
use rustpython_vm::builtins::{PyInt, PyTypeRef};
use rustpython_vm::{AsObject, PyObject, PyPayload, PyResult, TryFromObject, VirtualMachine};

/// The most bits of an integer: `10**10_000` is fine, `10**10**9` is not.
pub(crate) const MOST_BITS: u64 = if cfg!(target_arch = "wasm32") {
    1 << 21
} else {
    1 << 22
};
/// The most bits of an integer that is divided by one of more than a few words.
pub(crate) const MOST_DIVIDED: u64 = MOST_BITS >> 2;
/// The most steps of `pow(a, b, m)`, in products of two words: bits of the exponent × (words of the
/// modulus)².
const MOST_STEPS: u64 = if cfg!(target_arch = "wasm32") {
    1 << 24
} else {
    1 << 26
};

pub(super) fn bits(object: &PyObject) -> Option<u64> {
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
            "{operator}: the result would be an integer of {} digits, and the most is {}; \
             a float or a smaller number will do",
            bits.saturating_mul(3) / 10,
            MOST_BITS * 3 / 10
        )));
    }
    Ok(())
}

/// A power of a base with that many bits.
pub(super) fn check_power(
    base_bits: u64,
    exponent: u64,
    operator: &str,
    vm: &VirtualMachine,
) -> PyResult<()> {
    if base_bits <= 1 {
        return Ok(());
    }
    check_bits((base_bits - 1).saturating_mul(exponent), operator, vm)
}

/// `base ** exponent`, or `pow(base, exponent, modulus)`.
pub(super) fn check_pow(
    base: &PyObject,
    exponent: &PyObject,
    modulus: Option<&PyObject>,
    vm: &VirtualMachine,
) -> PyResult<()> {
    let Some(base_bits) = bits(base) else {
        return Ok(());
    };
    let Some(modulus) = modulus.filter(|modulus| !vm.is_none(modulus)) else {
        return match value(exponent) {
            Some(exponent) => check_power(base_bits, exponent, "**", vm),
            None => Ok(()),
        };
    };
    let (Some(modulus), Some(exponent)) = (bits(modulus), bits(exponent)) else {
        return Ok(());
    };
    let words = |bits: u64| bits.div_ceil(64).max(1);
    let most = words(modulus);
    let steps = exponent
        .max(1)
        .saturating_mul(most)
        .saturating_mul(most)
        .saturating_add(words(base_bits).saturating_mul(most));
    if steps > MOST_STEPS {
        return Err(vm.new_memory_error(format!(
            "pow: an exponent of {exponent} bits with a modulus of {modulus} bits takes too long in one call; \
             use smaller numbers"
        )));
    }
    Ok(())
}

pub(super) fn check_shift(base: &PyObject, shift: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    match (bits(base), value(shift)) {
        (Some(base), Some(shift)) if base > 0 => check_bits(base.saturating_add(shift), "<<", vm),
        _ => Ok(()),
    }
}

pub(super) fn check_product(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    match (bits(a), bits(b)) {
        (Some(a), Some(b)) => check_bits(a.saturating_add(b), "*", vm),
        _ => Ok(()),
    }
}

/// The most bits of a factor that any integer may be multiplied by: such products grow slowly, and take little
/// longer than a sum.
const MOST_FACTOR_BITS: u64 = 1 << 12;

/// A subclass of `int`, for [`factor`]: it inherits the guarded slots.
pub(crate) fn subclass(vm: &VirtualMachine) -> PyResult<PyTypeRef> {
    let types = &vm.ctx.types;
    let bases = vm.ctx.new_tuple(vec![types.int_type.to_owned().into()]);
    let class = types.type_type.to_owned();
    let class = class
        .as_object()
        .call(("int", bases, vm.ctx.new_dict()), vm)?;
    PyTypeRef::try_from_object(vm, class)
}

/// The right operand of a product as it is multiplied: RustPython multiplies two objects of exactly the type
/// `int` past the slot that [`check_product`] guards, so that a large one becomes one of a subclass.
pub(crate) fn factor(object: &PyObject, large_int: &PyTypeRef, vm: &VirtualMachine) -> PyResult {
    match object.downcast_ref_if_exact::<PyInt>(vm) {
        Some(int) if int.as_bigint().bits() > MOST_FACTOR_BITS => {
            let int = PyInt::from(int.as_bigint().clone());
            Ok(int.into_ref_with_type(vm, large_int.clone())?.into())
        }
        _ => Ok(object.to_owned()),
    }
}

/// `a // b`, `a % b`, `divmod(a, b)`.
pub(super) fn check_division(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    match (bits(a), bits(b)) {
        (Some(a), Some(b)) if a.max(b) > MOST_DIVIDED && a.min(b) > 64 => {
            Err(vm.new_memory_error(format!(
                "division: an integer of {} digits by one of {} takes too long in one call; use smaller numbers",
                a.saturating_mul(3) / 10,
                b.saturating_mul(3) / 10
            )))
        }
        _ => Ok(()),
    }
}
