//! Python's operators on tensors: arithmetic, bits, comparison, truth and conversion to numbers.

use glowgrad::ops as registry;
use glowgrad::ops::bits::{
    BITWISE_AND, BITWISE_LEFT_SHIFT, BITWISE_OR, BITWISE_RIGHT_SHIFT, BITWISE_XOR,
};
use rustpython_vm::function::{Either, PyComparisonValue};
use rustpython_vm::protocol::PyNumberMethods;
use rustpython_vm::types::{AsNumber, Comparable, PyComparisonOp};
use rustpython_vm::{Py, PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::class::TensorBase;
use super::{args, create, expect_tensor, ops};

macro_rules! operators {
    ($($slot:ident $in_place:ident $op:path;)+) => {
        PyNumberMethods {
            $(
                $slot: Some(|a, b, vm| ops::binary(vm, &$op, a, b)),
                $in_place: Some(|a, b, vm| ops::binary_in_place(vm, &$op, a, b)),
            )+
            power: Some(|a, b, modulus, vm| {
                refuse_modulus(modulus, vm)?;
                ops::binary(vm, &registry::power::POW, a, b)
            }),
            inplace_power: Some(|a, b, modulus, vm| {
                refuse_modulus(modulus, vm)?;
                ops::binary_in_place(vm, &registry::power::POW, a, b)
            }),
            matrix_multiply: Some(|a, b, vm| {
                if a.downcastable::<TensorBase>() && b.downcastable::<TensorBase>() {
                    return ops::binary(vm, &registry::matmul::MATMUL, a, b);
                }
                Ok(vm.ctx.not_implemented())
            }),
            and: Some(|a, b, vm| ops::binary(vm, &BITWISE_AND, a, b)),
            or: Some(|a, b, vm| ops::binary(vm, &BITWISE_OR, a, b)),
            xor: Some(|a, b, vm| ops::binary(vm, &BITWISE_XOR, a, b)),
            lshift: Some(|a, b, vm| ops::binary(vm, &BITWISE_LEFT_SHIFT, a, b)),
            rshift: Some(|a, b, vm| ops::binary(vm, &BITWISE_RIGHT_SHIFT, a, b)),
            inplace_and: Some(|a, b, vm| ops::binary_in_place(vm, &BITWISE_AND, a, b)),
            inplace_or: Some(|a, b, vm| ops::binary_in_place(vm, &BITWISE_OR, a, b)),
            inplace_xor: Some(|a, b, vm| ops::binary_in_place(vm, &BITWISE_XOR, a, b)),
            inplace_lshift: Some(|a, b, vm| ops::binary_in_place(vm, &BITWISE_LEFT_SHIFT, a, b)),
            inplace_rshift: Some(|a, b, vm| ops::binary_in_place(vm, &BITWISE_RIGHT_SHIFT, a, b)),
            negative: Some(|a, vm| unary(vm, &registry::arithmetic::NEG, a.obj)),
            positive: Some(|a, _vm| Ok(a.obj.to_owned())),
            absolute: Some(|a, vm| unary(vm, &registry::sign::ABS, a.obj)),
            invert: Some(|a, vm| {
                if expect_tensor(vm, a.obj, "~")?.dtype().is_float() {
                    return Err(vm.new_type_error(
                        "~ (operator.invert) is only implemented on integer and Boolean-type tensors",
                    ));
                }
                unary(vm, &registry::bits::BITWISE_NOT, a.obj)
            }),
            boolean: Some(|a, vm| TensorBase::number_downcast(a).truth(vm)),
            int: Some(|a, vm| {
                let number = TensorBase::number_downcast(a).number(vm)?;
                Ok(create::python_number(vm, number).try_int(vm)?.into())
            }),
            float: Some(|a, vm| {
                let number = TensorBase::number_downcast(a).number(vm)?;
                Ok(vm.ctx.new_float(number.as_f64()).into())
            }),
            index: Some(|a, vm| {
                let tensor = TensorBase::number_downcast(a);
                if tensor.tensor().dtype().is_float() || tensor.tensor().numel() != 1 {
                    return Err(vm.new_type_error(
                        "only integer tensors of a single element can be converted to an index",
                    ));
                }
                Ok(vm.ctx.new_int(tensor.item_of(vm)?.as_i64()).into())
            }),
            ..PyNumberMethods::NOT_IMPLEMENTED
        }
    };
}

impl AsNumber for TensorBase {
    fn as_number() -> &'static PyNumberMethods {
        static AS_NUMBER: PyNumberMethods = operators! {
            add inplace_add registry::arithmetic::ADD;
            subtract inplace_subtract registry::arithmetic::SUB;
            multiply inplace_multiply registry::arithmetic::MUL;
            true_divide inplace_true_divide registry::division::DIV;
            floor_divide inplace_floor_divide registry::division::FLOOR_DIVIDE;
            remainder inplace_remainder registry::division::REMAINDER;
        };
        &AS_NUMBER
    }
}

fn refuse_modulus(modulus: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    if vm.is_none(modulus) {
        return Ok(());
    }
    Err(vm.new_type_error("pow(): tensors take no modulus"))
}

fn unary(vm: &VirtualMachine, op: &'static glowgrad::op::Op, object: &PyObject) -> PyResult {
    let tensor = expect_tensor(vm, object, op.name)?;
    ops::apply(vm, op, &[tensor], Default::default(), &[object])
}

impl Comparable for TensorBase {
    fn slot_richcompare(
        zelf: &PyObject,
        other: &PyObject,
        op: PyComparisonOp,
        vm: &VirtualMachine,
    ) -> PyResult<Either<PyObjectRef, PyComparisonValue>> {
        let (Some(x), Some(y)) = (args::operand(vm, zelf)?, args::operand(vm, other)?) else {
            return Ok(Either::B(PyComparisonValue::NotImplemented));
        };
        let op = match op {
            PyComparisonOp::Eq => &registry::compare::EQ,
            PyComparisonOp::Ne => &registry::compare::NE,
            PyComparisonOp::Lt => &registry::compare::LT,
            PyComparisonOp::Le => &registry::compare::LE,
            PyComparisonOp::Gt => &registry::compare::GT,
            PyComparisonOp::Ge => &registry::compare::GE,
        };
        ops::apply(vm, op, &[x, y], Default::default(), &[zelf, other]).map(Either::A)
    }

    fn cmp(
        _zelf: &Py<Self>,
        _other: &PyObject,
        _op: PyComparisonOp,
        _vm: &VirtualMachine,
    ) -> PyResult<PyComparisonValue> {
        Ok(PyComparisonValue::NotImplemented)
    }
}
