//! `TensorBase`: what every tensor can do in Python that Python's own syntax or state demands.
//!
//! Operators, indexing, truth, `grad`, `requires_grad` and the like. Ops come from the registry
//! (`ops`), arithmetic and comparison from `operators`, conveniences written in other methods from `lib/glowgrad/_tensor.py`.

use std::cell::RefCell;

use glowgrad::alu::Value;
use glowgrad::autograd::BackwardOptions;
use glowgrad::{DType, Scalar, Tensor};
use rustpython_vm::builtins::{PyList, PyStrRef, PyType, PyTypeRef};
use rustpython_vm::common::hash::PyHash;
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::function::{FuncArgs, OptionalArg, PySetterValue};
use rustpython_vm::protocol::PyMappingMethods;
use rustpython_vm::types::{
    AsMapping, AsNumber, Comparable, Constructor, Hashable, Iterable, Representable,
};
use rustpython_vm::{
    AsObject, Py, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass,
};

use super::{
    OrRaise, args, autograd, create, dtype, expect_tensor, indexing, size, unwrap, wrap, wrap_as,
};
use crate::limits::check_elements;
use crate::runtime::Runtime;
use crate::{print, span, tick};

/// The base class of `torch.Tensor`.
#[pyclass(module = "_glowgrad", name = "TensorBase")]
#[derive(PyPayload)]
pub(crate) struct TensorBase {
    tensor: RefCell<Tensor>,
    /// The object `.grad` gave last, so that it gives the same again.
    grad: RefCell<Option<(Tensor, PyObjectRef)>>,
}

impl std::fmt::Debug for TensorBase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Tensor")
    }
}

impl From<Tensor> for TensorBase {
    fn from(tensor: Tensor) -> TensorBase {
        TensorBase {
            tensor: RefCell::new(tensor),
            grad: RefCell::default(),
        }
    }
}

impl TensorBase {
    pub(crate) fn tensor(&self) -> Tensor {
        self.tensor.borrow().clone()
    }

    /// Makes the object another tensor.
    pub(super) fn replace(&self, tensor: Tensor) {
        *self.tensor.borrow_mut() = tensor;
    }

    pub(super) fn item_of(&self, vm: &VirtualMachine) -> PyResult<Scalar> {
        tick::look_soon();
        self.tensor().item().or_raise(vm)
    }

    /// As [`TensorBase::item_of`], with the exception that `float()` and `int()` raise.
    pub(super) fn number(&self, vm: &VirtualMachine) -> PyResult<Scalar> {
        if self.tensor().numel() != 1 {
            return Err(
                vm.new_value_error("only one element tensors can be converted to Python scalars")
            );
        }
        self.item_of(vm)
    }

    pub(super) fn truth(&self, vm: &VirtualMachine) -> PyResult<bool> {
        match self.tensor().numel() {
            1 => Ok(self.item_of(vm)?.as_f64() != 0.0),
            0 => Err(vm.new_runtime_error("Boolean value of Tensor with no values is ambiguous")),
            _ => Err(vm.new_runtime_error(
                "Boolean value of Tensor with more than one value is ambiguous; \
                 use .any() or .all()",
            )),
        }
    }
}

/// A number's decimal digits as a number.
fn shortest(digits: String, x: f64) -> f64 {
    digits.parse().unwrap_or(x)
}

/// The fewest digits that name a float16.
fn shortest_half(x: f64) -> f64 {
    let half = |x: f64| {
        Value::from_scalar(Scalar::Float(x), DType::F16)
            .scalar()
            .as_f64()
    };
    (0..5)
        .map(|digits| shortest(format!("{x:.digits$e}"), x))
        .find(|&short| half(short).to_bits() == x.to_bits())
        .unwrap_or(x)
}

#[derive(rustpython_vm::FromArgs)]
struct BackwardArgs {
    #[pyarg(any, default)]
    gradient: Option<PyObjectRef>,
    #[pyarg(any, default)]
    retain_graph: Option<bool>,
    #[pyarg(any, default)]
    create_graph: bool,
    #[pyarg(any, default)]
    inputs: Option<PyObjectRef>,
}

#[pyclass(
    with(
        Constructor,
        AsNumber,
        AsMapping,
        Comparable,
        Hashable,
        Iterable,
        Representable
    ),
    flags(BASETYPE, HAS_DICT, HAS_WEAKREF)
)]
impl TensorBase {
    #[pygetset]
    fn shape(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        size(vm, zelf.tensor().shape().iter().copied())
    }

    #[pygetset]
    fn ndim(zelf: &Py<Self>) -> usize {
        zelf.tensor().shape().len()
    }

    #[pymethod]
    fn numel(zelf: &Py<Self>) -> usize {
        zelf.tensor().numel()
    }

    #[pygetset]
    fn dtype(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
        dtype::object(vm, zelf.tensor().dtype())
    }

    #[pygetset]
    fn requires_grad(zelf: &Py<Self>) -> bool {
        zelf.tensor().requires_grad()
    }

    #[pygetset(setter)]
    fn set_requires_grad(zelf: &Py<Self>, on: PySetterValue, vm: &VirtualMachine) -> PyResult<()> {
        let on = match on {
            PySetterValue::Assign(on) if on.class().is(vm.ctx.types.bool_type) => on,
            _ => return Err(vm.new_runtime_error("requires_grad must be a bool")),
        };
        let on = on.try_to_bool(vm)?;
        zelf.tensor().set_requires_grad(on).or_raise(vm)
    }

    #[pygetset]
    fn is_leaf(zelf: &Py<Self>) -> bool {
        zelf.tensor().is_leaf()
    }

    #[pygetset]
    fn grad_fn(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        autograd::grad_fn(vm, &zelf.tensor())
    }

    #[pygetset]
    fn grad(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        let Some(grad) = zelf.tensor().grad() else {
            *zelf.grad.borrow_mut() = None;
            return Ok(vm.ctx.none());
        };
        if let Some((held, object)) = &*zelf.grad.borrow()
            && held.is(&grad)
        {
            return Ok(object.clone());
        }
        let object = wrap(vm, grad.clone())?;
        *zelf.grad.borrow_mut() = Some((grad, object.clone()));
        Ok(object)
    }

    #[pygetset(setter)]
    fn set_grad(
        zelf: &Py<Self>,
        value: PySetterValue<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> PyResult<()> {
        let grad = match &value {
            PySetterValue::Assign(value) if !vm.is_none(value) => {
                Some(expect_tensor(vm, value, "assigned grad")?)
            }
            _ => None,
        };
        zelf.tensor().set_grad(grad.clone()).or_raise(vm)?;
        *zelf.grad.borrow_mut() = match (grad, value) {
            (Some(grad), PySetterValue::Assign(object)) => Some((grad, object)),
            _ => None,
        };
        Ok(())
    }

    #[pygetset]
    fn data(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        wrap(vm, zelf.tensor().data())
    }

    #[pygetset(setter)]
    fn set_data(zelf: &Py<Self>, value: PySetterValue, vm: &VirtualMachine) -> PyResult<()> {
        let PySetterValue::Assign(value) = value else {
            return Err(
                vm.new_runtime_error("Deleting tensor data is not allowed. Delete tensor instead!")
            );
        };
        let Some(value) = unwrap(&value) else {
            return Err(vm.new_type_error(format!(
                "Variable data has to be a tensor, but got {}",
                value.class().name()
            )));
        };
        let tensor = zelf.tensor();
        let like = |t: &Tensor| (t.shape(), t.dtype(), t.device());
        if like(&value) == like(&tensor) {
            return tensor.data().assign(&value).or_raise(vm);
        }
        let fresh = value.detach().clone_data().or_raise(vm)?;
        fresh
            .set_requires_grad(tensor.requires_grad())
            .or_raise(vm)?;
        zelf.replace(fresh);
        Ok(())
    }

    #[pygetset]
    fn _version(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<u32> {
        let tensor = zelf.tensor();
        if tensor.is_inference() {
            return Err(vm.new_runtime_error("Inference tensors do not track version counter."));
        }
        Ok(tensor.version())
    }

    #[pygetset]
    fn retains_grad(zelf: &Py<Self>) -> bool {
        zelf.tensor().retains_grad()
    }

    #[pymethod]
    fn is_inference(zelf: &Py<Self>) -> bool {
        zelf.tensor().is_inference()
    }

    #[pymethod]
    fn detach_(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult<PyRef<Self>> {
        zelf.tensor().detach_in_place().or_raise(vm)?;
        Ok(zelf)
    }

    #[pymethod]
    fn _register_post_accumulate_grad_hook(
        zelf: PyRef<Self>,
        hook: PyObjectRef,
        vm: &VirtualMachine,
    ) -> PyResult<u64> {
        autograd::register_post_accumulate_hook(vm, zelf.into(), hook)
    }

    #[pymethod]
    fn backward(zelf: &Py<Self>, args: BackwardArgs, vm: &VirtualMachine) -> PyResult<()> {
        let gradient = match &args.gradient {
            Some(gradient) if !vm.is_none(gradient) => Some(expect_tensor(
                vm,
                gradient,
                "backward(): argument 'gradient'",
            )?),
            _ => None,
        };
        let options = BackwardOptions {
            retain_graph: args.retain_graph.unwrap_or(args.create_graph),
            create_graph: args.create_graph,
        };
        let inputs = match args.inputs {
            Some(inputs) if !vm.is_none(&inputs) => {
                Some(args::elements(&inputs).unwrap_or_else(|| vec![inputs]))
            }
            _ => None,
        };
        autograd::backward(vm, &zelf.tensor(), gradient, inputs, options)?;
        Runtime::current().host.backward_ended();
        Ok(())
    }

    #[pymethod]
    fn detach(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        wrap(vm, zelf.tensor().detach())
    }

    #[pymethod]
    fn _register_hook(zelf: &Py<Self>, hook: PyObjectRef, vm: &VirtualMachine) -> PyResult<u64> {
        autograd::register_hook(vm, &zelf.tensor(), hook)
    }

    #[pymethod]
    fn _remove_hook(zelf: &Py<Self>, number: u64) {
        if let Some(slot) = zelf.tensor().slot() {
            slot.remove_hook(number);
        }
    }

    #[pymethod]
    fn retain_grad(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<()> {
        zelf.tensor().retain_grad().or_raise(vm)
    }

    #[pymethod]
    fn item(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        Ok(create::python_number(vm, zelf.item_of(vm)?))
    }

    #[pymethod]
    fn tolist(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        tick::look_soon();
        let tensor = zelf.tensor();
        check_elements("tolist", tensor.numel(), vm)?;
        let values = tensor.to_scalars().or_raise(vm)?;
        create::nested(vm, &values, &tensor.shape())
    }

    #[pymethod]
    fn realize(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult<PyRef<Self>> {
        zelf.tensor().realize().or_raise(vm)?;
        Ok(zelf)
    }

    #[pymethod]
    fn contiguous(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult {
        let tensor = zelf.tensor();
        if tensor.view().is_contiguous() {
            return Ok(zelf.into());
        }
        span::mark(&Runtime::current());
        wrap(vm, tensor.contiguous().or_raise(vm)?)
    }

    #[pymethod]
    fn is_contiguous(zelf: &Py<Self>) -> bool {
        zelf.tensor().view().is_contiguous()
    }

    #[pymethod]
    fn _to(zelf: PyRef<Self>, dtype: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let dtype = dtype::from_object(vm, &dtype)?;
        let tensor = zelf.tensor();
        if tensor.dtype() == dtype {
            return Ok(zelf.into());
        }
        span::mark(&Runtime::current());
        wrap(vm, tensor.to(dtype).or_raise(vm)?)
    }

    #[pymethod]
    fn _stride(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
        let strides = zelf.tensor().strides();
        let strides = strides.iter().map(|s| vm.ctx.new_int(*s as i64).into());
        vm.ctx.new_tuple(strides.collect()).into()
    }

    /// Takes the place of another tensor's handle: `x.t_()`.
    #[pymethod]
    fn _become(zelf: PyRef<Self>, other: PyRef<Self>) -> PyRef<Self> {
        let tensor = other.tensor();
        zelf.tensor.replace(tensor);
        zelf
    }

    /// Its bytes, row-major and little-endian.
    #[pymethod]
    fn _bytes(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        let tensor = zelf.tensor();
        check_elements("tobytes", tensor.numel(), vm)?;
        let bytes = tensor.to_bytes().or_raise(vm)?;
        Ok(vm.ctx.new_bytes(bytes).into())
    }

    /// Its elements, row-major, as Python numbers; floats as the shortest decimal that reads back as
    /// the same element.
    #[pymethod]
    fn _shortest(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
        let tensor = zelf.tensor();
        let short = |value: Scalar| match (tensor.dtype(), value) {
            (DType::F32, Scalar::Float(x)) => Scalar::Float(shortest((x as f32).to_string(), x)),
            (DType::F16, Scalar::Float(x)) => Scalar::Float(shortest_half(x)),
            _ => value,
        };
        check_elements("save", tensor.numel(), vm)?;
        let scalars = tensor.to_scalars().or_raise(vm)?;
        let objects = scalars.into_iter().map(|s| {
            tick::tick(vm)?;
            Ok(create::python_number(vm, short(s)))
        });
        objects.collect()
    }

    /// `x.view(torch.int32)`; `x.view(2, 3)` is an op.
    #[pymethod]
    fn _view_dtype(zelf: PyRef<Self>, dtype: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let dtype = dtype::from_object(vm, &dtype)?;
        span::mark(&Runtime::current());
        let result = zelf.tensor().view_dtype(dtype).or_raise(vm)?;
        wrap(vm, result)
    }

    #[pymethod]
    fn storage_offset(zelf: &Py<Self>) -> i64 {
        zelf.tensor().view().offset as i64
    }

    /// Equal for tensors that share their memory from the same element on.
    #[pymethod]
    fn data_ptr(zelf: &Py<Self>) -> usize {
        let tensor = zelf.tensor();
        tensor.storage_id() + tensor.view().offset as usize * tensor.dtype().size()
    }

    #[pymethod]
    fn _storage_id(zelf: &Py<Self>) -> usize {
        zelf.tensor().storage_id()
    }

    #[pymethod]
    fn _storage_bytes(zelf: &Py<Self>) -> usize {
        zelf.tensor().storage_bytes()
    }

    /// `x.index_put(indices, values, accumulate)`, or in place.
    #[pymethod]
    fn _index_put(
        zelf: PyRef<Self>,
        indices: PyObjectRef,
        values: PyObjectRef,
        accumulate: bool,
        in_place: bool,
        vm: &VirtualMachine,
    ) -> PyResult {
        indexing::put(
            vm,
            zelf.as_object(),
            &indices,
            &values,
            accumulate,
            in_place,
        )
    }

    #[pymethod]
    fn copy_(zelf: PyRef<Self>, source: PyObjectRef, vm: &VirtualMachine) -> PyResult<PyRef<Self>> {
        let source = args::operand(vm, &source)?
            .ok_or_else(|| vm.new_type_error("copy_(): argument 'src' must be Tensor"))?;
        if let Some(number) = source.node().number {
            create::fits(vm, "fill_", number, zelf.tensor().dtype())?;
        }
        span::mark(&Runtime::current());
        zelf.tensor().assign(&source).or_raise(vm)?;
        Ok(zelf)
    }

    #[pymethod]
    fn as_subclass(zelf: &Py<Self>, class: PyTypeRef, vm: &VirtualMachine) -> PyResult {
        wrap_as(vm, zelf.tensor(), class)
    }

    /// A leaf of a subclass that shares the data's memory.
    #[pystaticmethod]
    fn _make_subclass(
        class: PyTypeRef,
        data: PyObjectRef,
        requires_grad: bool,
        vm: &VirtualMachine,
    ) -> PyResult {
        let leaf = expect_tensor(vm, &data, "data")?.detach();
        if requires_grad {
            leaf.set_requires_grad(true).or_raise(vm)?;
        }
        wrap_as(vm, leaf, class)
    }

    /// The same for data without another reference: the data itself becomes the leaf.
    #[pystaticmethod]
    fn _adopt(class: PyTypeRef, data: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let leaf = expect_tensor(vm, &data, "data")?;
        leaf.set_requires_grad(true).or_raise(vm)?;
        wrap_as(vm, leaf, class)
    }

    #[pymethod]
    fn __format__(zelf: PyRef<Self>, spec: PyStrRef, vm: &VirtualMachine) -> PyResult {
        if zelf.tensor().shape().is_empty() {
            let number = Self::item(&zelf, vm)?;
            return vm.call_method(&number, "__format__", (spec,));
        }
        if spec.as_wtf8().is_empty() {
            return Ok(zelf.as_object().str(vm)?.into());
        }
        Err(vm.new_type_error("unsupported format string passed to Tensor.__format__"))
    }

    #[pymethod]
    fn __round__(
        zelf: &Py<Self>,
        _digits: OptionalArg<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> PyResult {
        let number = create::python_number(vm, zelf.item_of(vm)?);
        match _digits {
            OptionalArg::Present(digits) => vm.call_method(&number, "__round__", (digits,)),
            OptionalArg::Missing => vm.call_method(&number, "__round__", ()),
        }
    }
}

impl Constructor for TensorBase {
    type Args = FuncArgs;

    /// `torch.Tensor([1, 2])` and `torch.Tensor(2, 3)`: float32, as in PyTorch.
    fn py_new(_class: &Py<PyType>, args: FuncArgs, vm: &VirtualMachine) -> PyResult<Self> {
        let engine = Runtime::current().engine.clone();
        let tensor = match &args.args[..] {
            [] => Tensor::from_f32(&engine, &[], &[0]).or_raise(vm)?,
            [data] if !data.downcastable::<rustpython_vm::builtins::PyInt>() => {
                match super::unwrap(data) {
                    Some(tensor) => tensor.detach(),
                    None => create::from_data(vm, data, Some(DType::F32))?,
                }
            }
            sizes => {
                let sizes = vm.ctx.new_list(sizes.to_vec());
                let shape = create::sizes(vm, "Tensor", sizes.as_object())?;
                Tensor::full(&engine, &shape, Scalar::Float(0.0), DType::F32).or_raise(vm)?
            }
        };
        Ok(tensor.into())
    }
}

impl AsMapping for TensorBase {
    fn as_mapping() -> &'static PyMappingMethods {
        static AS_MAPPING: PyMappingMethods = PyMappingMethods {
            length: Some(|mapping, vm| {
                indexing::length(vm, &TensorBase::mapping_downcast(mapping).tensor())
            }),
            subscript: Some(|mapping, key, vm| indexing::get(vm, mapping.obj, key)),
            ass_subscript: Some(|mapping, key, value, vm| {
                indexing::set(vm, mapping.obj, key, value)
            }),
        };
        &AS_MAPPING
    }
}

impl Hashable for TensorBase {
    fn hash(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<PyHash> {
        Ok(zelf.get_id() as PyHash)
    }
}

impl Iterable for TensorBase {
    fn iter(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult {
        let rows = PyList::from(indexing::rows(vm, zelf.as_object())?);
        Ok(rows.to_pyobject(vm).get_iter(vm)?.to_pyobject(vm))
    }
}

impl Representable for TensorBase {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        tick::age(64);
        tick::tick(vm)?;
        let class = zelf.class();
        let plain = Runtime::current().classes.get().is_none_or(|classes| {
            class.is(&classes.tensor) || class.fast_issubclass(&classes.parameter)
        });
        let name = class.name().to_string();
        let shown = if plain { "tensor" } else { name.as_str() };
        let options = Runtime::current().print_options.get();
        print::show(&zelf.tensor(), shown, &options).or_raise(vm)
    }
}
