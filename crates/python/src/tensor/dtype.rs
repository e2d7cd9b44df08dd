//! `torch.float32` and its like: one object each, compared by identity.

use glowgrad::DType;
use rustpython_vm::types::Representable;
use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass,
};

use crate::runtime::Runtime;

/// An element type.
#[pyclass(module = "torch", name = "dtype")]
#[derive(Debug, PyPayload)]
pub(crate) struct PyDType {
    pub(crate) dtype: DType,
}

#[pyclass(with(Representable))]
impl PyDType {
    #[pygetset]
    fn is_floating_point(zelf: &Py<Self>) -> bool {
        zelf.dtype.is_float()
    }

    #[pygetset]
    fn itemsize(zelf: &Py<Self>) -> usize {
        zelf.dtype.size()
    }

    #[pygetset]
    fn scalar_name(zelf: &Py<Self>) -> &'static str {
        zelf.dtype.scalar_name()
    }

    #[pygetset]
    fn is_signed(zelf: &Py<Self>) -> bool {
        zelf.dtype.is_signed()
    }

    #[pygetset]
    fn name(zelf: &Py<Self>) -> &'static str {
        zelf.dtype.name()
    }
}

impl Representable for PyDType {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("torch.{}", zelf.dtype.name()))
    }
}

/// The Python object for a dtype.
pub(crate) fn object(vm: &VirtualMachine, dtype: DType) -> PyObjectRef {
    let runtime = Runtime::current();
    let objects = runtime.dtypes.get_or_init(|| {
        DType::ALL
            .iter()
            .map(|&dtype| PyDType { dtype }.into_ref(&vm.ctx).into())
            .collect()
    });
    let index = DType::ALL
        .iter()
        .position(|&other| other == dtype)
        .expect("every dtype is in DType::ALL");
    objects[index].clone()
}

/// The dtype of a Python object: one of ours, or one of Python's own number types.
pub(crate) fn from_object(vm: &VirtualMachine, object: &PyObject) -> PyResult<DType> {
    if let Some(dtype) = object.downcast_ref::<PyDType>() {
        return Ok(dtype.dtype);
    }
    let types = &vm.ctx.types;
    if object.is(types.float_type) {
        return Ok(DType::F32);
    }
    if object.is(types.int_type) {
        return Ok(DType::I64);
    }
    if object.is(types.bool_type) {
        return Ok(DType::Bool);
    }
    Err(vm.new_type_error(format!(
        "dtype: got {}, expected a dtype such as torch.float32",
        object.repr(vm)?
    )))
}
