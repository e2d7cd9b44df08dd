//! The tape from Python: `backward`, `autograd.grad`, `grad_fn`, and a learner's own function.
//!
//! A Python exception raised inside a learner's `backward` travels through the engine as an error
//! and comes out as the exception it was.

use std::rc::Rc;

use glowgrad::autograd::BackwardOptions;
use glowgrad::node::NodeRef;
use glowgrad::op::{SAVE_A, SAVE_Y};
use glowgrad::tensor::CustomVjp;
use glowgrad::{Error, Tensor};
use rustpython_vm::builtins::{PyBaseExceptionRef, PyType};
use rustpython_vm::class::StaticType;
use rustpython_vm::common::hash::PyHash;
use rustpython_vm::function::PyComparisonValue;
use rustpython_vm::types::{Comparable, Hashable, PyComparisonOp, Representable};
use rustpython_vm::vm::thread::with_current_vm;
use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass,
};

use super::{OrRaise, args, expect_tensor, unwrap, wrap};
use crate::runtime::Runtime;
use crate::{span, tick};

/// A node of the tape, as `grad_fn` shows it: an instance of a class with the node's name, `MulBackward0`.
#[pyclass(module = "torch.autograd", name = "Node")]
#[derive(PyPayload)]
pub(crate) struct GradFn {
    name: String,
    node: NodeRef,
}

impl std::fmt::Debug for GradFn {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.name)
    }
}

#[pyclass(with(Comparable, Hashable, Representable))]
impl GradFn {
    #[pymethod]
    fn name(zelf: &Py<Self>) -> String {
        zelf.name.clone()
    }

    /// What the rule reads of its first operand; None if nothing.
    #[pygetset]
    fn _saved_self(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        zelf.saved(vm, "_saved_self", Some(0))
    }

    /// What the rule reads of its second operand.
    #[pygetset]
    fn _saved_other(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        zelf.saved(vm, "_saved_other", Some(1))
    }

    /// The second operand again, as PyTorch names it for products of matrices.
    #[pygetset]
    fn _saved_mat2(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        zelf.saved(vm, "_saved_mat2", Some(1))
    }

    /// What the rule reads of its own result.
    #[pygetset]
    fn _saved_result(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        zelf.saved(vm, "_saved_result", None)
    }

    /// The nodes this one sends gradients to, with the number of their result (always 0).
    #[pygetset]
    fn next_functions(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        let is_alias = std::ptr::eq(zelf.node.op, &glowgrad::ops::CUSTOM);
        let mut sources = zelf.node.src();
        if is_alias {
            // The last source of a learner's own function is its value.
            sources.pop();
        }
        let next = sources
            .iter()
            .filter(|source| source.number.is_none())
            .map(|source| {
                let function = match GradFn::of(source) {
                    Some(function) => function.into_object(vm)?,
                    None => vm.ctx.none(),
                };
                let pair = vec![function, vm.ctx.new_int(0).into()];
                Ok(vm.ctx.new_tuple(pair).into())
            })
            .collect::<PyResult<_>>()?;
        Ok(vm.ctx.new_tuple(next).into())
    }
}

/// Two objects are the same note if they stand for the same node: each access makes a new object.
impl Comparable for GradFn {
    fn cmp(
        zelf: &Py<Self>,
        other: &PyObject,
        op: PyComparisonOp,
        _vm: &VirtualMachine,
    ) -> PyResult<PyComparisonValue> {
        op.eq_only(|| {
            let other = other.downcast_ref::<GradFn>();
            Ok(PyComparisonValue::from_option(
                other.map(|other| zelf.node.id == other.node.id),
            ))
        })
    }
}

impl Hashable for GradFn {
    fn hash(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<PyHash> {
        Ok(zelf.node.id as PyHash)
    }
}

impl Representable for GradFn {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("<{} object>", zelf.name))
    }
}

impl GradFn {
    fn saved(&self, vm: &VirtualMachine, name: &str, operand: Option<usize>) -> PyResult {
        let op = self.node.op;
        let is_matrix_product = matches!(self.name.as_str(), "MmBackward0" | "BmmBackward0");
        let bit = operand.map_or(SAVE_Y, |i| SAVE_A << i);
        let is_named_so = operand != Some(1) || (name == "_saved_mat2") == is_matrix_product;
        if op.saved() & bit == 0 || !is_named_so {
            return Err(
                vm.new_attribute_error(format!("'{}' object has no attribute '{name}'", self.name))
            );
        }
        let saved = Runtime::current().engine.saved(&self.node, operand);
        match saved.or_raise(vm)? {
            Some(tensor) => wrap(vm, tensor),
            None => Ok(vm.ctx.none()),
        }
    }

    fn into_object(self, vm: &VirtualMachine) -> PyResult {
        let runtime = Runtime::current();
        let known = runtime.grad_fn_types.borrow().get(&self.name).cloned();
        let class = match known {
            Some(class) => class,
            None => {
                let node = GradFn::static_type();
                let class = PyType::new_simple_heap(&self.name, node, &vm.ctx)
                    .map_err(|why| vm.new_type_error(why))?;
                let module = vm.ctx.new_str("builtins").into();
                class.set_attr(vm.ctx.intern_str("__module__"), module);
                let mut types = runtime.grad_fn_types.borrow_mut();
                types.insert(self.name.clone(), class.clone());
                class
            }
        };
        Ok(self.into_ref_with_type(vm, class)?.into())
    }

    fn of(node: &NodeRef) -> Option<GradFn> {
        let name = match node.grad_fn() {
            Some(name) => name.to_owned(),
            None if node.needs_grad => "AccumulateGrad".to_owned(),
            None => return None,
        };
        Some(GradFn {
            name,
            node: node.clone(),
        })
    }
}

/// `x.grad_fn`: none for a leaf.
pub(crate) fn grad_fn(vm: &VirtualMachine, tensor: &Tensor) -> PyResult {
    let node = tensor.node();
    match (node.is_leaf(), GradFn::of(&node)) {
        (false, Some(function)) => function.into_object(vm),
        _ => Ok(vm.ctx.none()),
    }
}

/// `x.backward(…)`.
pub(crate) fn backward(
    vm: &VirtualMachine,
    tensor: &Tensor,
    gradient: Option<Tensor>,
    inputs: Option<Vec<PyObjectRef>>,
    options: BackwardOptions,
) -> PyResult<()> {
    span::mark(&Runtime::current());
    tick::look_soon();
    let Some(inputs) = inputs else {
        return tensor.backward(gradient.as_ref(), options).or_raise(vm);
    };
    // Only these leaves' gradients are filled.
    let inputs = inputs
        .iter()
        .map(|input| expect_tensor(vm, input, "backward(): argument 'inputs'"))
        .collect::<PyResult<Vec<Tensor>>>()?;
    tensor
        .backward_to(gradient.as_ref(), &inputs, options)
        .or_raise(vm)
}

/// `torch.autograd.backward(…)`: one walk from several tensors.
pub(crate) fn backward_all(
    vm: &VirtualMachine,
    outputs: Vec<PyObjectRef>,
    gradients: Vec<PyObjectRef>,
    options: BackwardOptions,
) -> PyResult<()> {
    let outputs = outputs
        .iter()
        .map(|output| expect_tensor(vm, output, "backward"))
        .collect::<PyResult<Vec<Tensor>>>()?;
    let gradients: Vec<Option<Tensor>> =
        gradients.iter().map(|gradient| unwrap(gradient)).collect();
    span::mark(&Runtime::current());
    tick::look_soon();
    Tensor::backward_all(&outputs, &gradients, options).or_raise(vm)?;
    Runtime::current().host.backward_ended();
    Ok(())
}

/// `x.register_post_accumulate_grad_hook(…)`: the hook sees the leaf after its gradient grew.
pub(crate) fn register_post_accumulate_hook(
    vm: &VirtualMachine,
    object: PyObjectRef,
    hook: PyObjectRef,
) -> PyResult<u64> {
    let tensor = expect_tensor(vm, &object, "register_post_accumulate_grad_hook")?;
    let hook = move |leaf: &Tensor| {
        with_current_vm(|vm| {
            wrap(vm, leaf.clone())
                .and_then(|leaf| hook.call((leaf,), vm))
                .map(drop)
                .map_err(|exception| pass(vm, exception))
        })
    };
    tensor.register_post_accumulate_grad_hook(hook).or_raise(vm)
}

/// `torch.autograd.grad(…)`: none for an input that was not used.
pub(crate) fn grad(
    vm: &VirtualMachine,
    outputs: Vec<PyObjectRef>,
    inputs: Vec<PyObjectRef>,
    gradients: Vec<PyObjectRef>,
    options: BackwardOptions,
    (allow_unused, materialize): (Option<bool>, bool),
) -> PyResult<Vec<PyObjectRef>> {
    let tensors = |objects: &[PyObjectRef]| -> PyResult<Vec<Tensor>> {
        objects
            .iter()
            .map(|object| expect_tensor(vm, object, "grad"))
            .collect()
    };
    let (outputs, inputs) = (tensors(&outputs)?, tensors(&inputs)?);
    let gradients: Vec<Option<Tensor>> =
        gradients.iter().map(|gradient| unwrap(gradient)).collect();
    span::mark(&Runtime::current());
    tick::look_soon();
    Tensor::autograd_grad(
        &outputs,
        &inputs,
        &gradients,
        options,
        allow_unused,
        materialize,
    )
    .or_raise(vm)?
    .into_iter()
    .map(|grad| match grad {
        Some(grad) => wrap(vm, grad),
        None => Ok(vm.ctx.none()),
    })
    .collect()
}

/// `x.register_hook(…)`: the hook sees each gradient that arrives.
pub(crate) fn register_hook(
    vm: &VirtualMachine,
    tensor: &Tensor,
    hook: PyObjectRef,
) -> PyResult<u64> {
    let hook = move |gradient: &Tensor| {
        with_current_vm(|vm| {
            let result = wrap(vm, gradient.clone())
                .and_then(|gradient| hook.call((gradient,), vm))
                .map_err(|exception| pass(vm, exception))?;
            if vm.is_none(&result) {
                return Ok(None);
            }
            unwrap(&result)
                .map(Some)
                .ok_or_else(|| Error::type_("a hook must return a tensor or None"))
        })
    };
    tensor.register_hook(Rc::new(hook)).or_raise(vm)
}

/// The gradient of a learner's `autograd.Function`.
struct PythonVjp {
    name: String,
    /// Takes the gradient, gives a tuple of gradients.
    backward: PyObjectRef,
}

impl CustomVjp for PythonVjp {
    fn name(&self) -> &str {
        &self.name
    }

    fn backward(&self, gradient: Tensor) -> glowgrad::Result<Vec<Option<Tensor>>> {
        with_current_vm(|vm| {
            self.call(vm, gradient)
                .map_err(|exception| pass(vm, exception))
        })
    }
}

impl PythonVjp {
    fn call(&self, vm: &VirtualMachine, gradient: Tensor) -> PyResult<Vec<Option<Tensor>>> {
        let result = self.backward.call((wrap(vm, gradient)?,), vm)?;
        let grads = args::elements(&result).unwrap_or_else(|| vec![result]);
        grads
            .iter()
            .map(|grad| {
                if vm.is_none(grad) {
                    return Ok(None);
                }
                args::operand(vm, grad)?.map(Some).ok_or_else(|| {
                    vm.new_runtime_error(format!(
                        "function {}: backward returned {}, expected a tensor or None for each input",
                        self.name,
                        grad.class().name()
                    ))
                })
            })
            .collect()
    }
}

/// Sends a Python exception through the engine.
fn pass(_vm: &VirtualMachine, exception: PyBaseExceptionRef) -> Error {
    *Runtime::current().passing.borrow_mut() = Some(exception);
    Error::runtime("an exception was raised in Python")
}

/// The result of a learner's own function: `value` with `backward` as its gradient.
pub(crate) fn custom(
    vm: &VirtualMachine,
    name: String,
    backward: PyObjectRef,
    inputs: &[Tensor],
    value: &Tensor,
) -> PyResult {
    let runtime = Runtime::current();
    span::mark(&runtime);
    let vjp = Rc::new(PythonVjp { name, backward });
    let result = Tensor::custom(&runtime.engine, inputs, value, vjp).or_raise(vm)?;
    wrap(vm, result)
}
