//! Random tensors: the learner's generators, seeds and draws, with PyTorch's numbers.

use glowgrad::random::Generator;
use glowgrad::{DType, Tensor};
use rustpython_vm::function::OptionalOption;
use rustpython_vm::{Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::create::{self, Draw, draw};
use super::module::finish;
use super::{OrRaise, args, expect_tensor, wrap};
use crate::runtime::Runtime;
use crate::span;

/// A random generator of the learner's own: `torch.Generator()`.
#[pyclass(module = "torch", name = "Generator")]
#[derive(PyPayload)]
pub(crate) struct PyGenerator {
    generator: std::cell::RefCell<Generator>,
}

impl std::fmt::Debug for PyGenerator {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Generator")
    }
}

impl rustpython_vm::types::Constructor for PyGenerator {
    type Args = rustpython_vm::function::FuncArgs;

    fn py_new(
        _class: &Py<rustpython_vm::builtins::PyType>,
        _args: Self::Args,
        _vm: &VirtualMachine,
    ) -> PyResult<Self> {
        // PyTorch's default seed.
        Ok(PyGenerator {
            generator: std::cell::RefCell::new(Generator::new(67_280_421_310_721)),
        })
    }
}

#[pyclass(with(rustpython_vm::types::Constructor))]
impl PyGenerator {
    #[pymethod]
    fn manual_seed(
        zelf: rustpython_vm::PyRef<Self>,
        seed: PyObjectRef,
        vm: &VirtualMachine,
    ) -> PyResult<rustpython_vm::PyRef<Self>> {
        let seed = seed_of(vm, &seed)?;
        zelf.generator.borrow_mut().manual_seed(seed);
        Ok(zelf)
    }

    #[pymethod]
    fn initial_seed(&self) -> u64 {
        self.generator.borrow().seed()
    }
}

/// A seed: negative ones count from the end of 64 bits, as in PyTorch.
fn seed_of(vm: &VirtualMachine, seed: &PyObject) -> PyResult<u64> {
    use num_traits::ToPrimitive;
    let int = seed.try_index(vm)?;
    let int = int.as_bigint();
    int.to_u64()
        .or_else(|| int.to_i64().map(|seed| seed as u64))
        .ok_or_else(|| vm.new_runtime_error("manual_seed: the seed must fit into 64 bits"))
}

/// Uses the given generator, or the engine's.
fn with_generator<R>(
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
    run: impl FnOnce(&mut Generator) -> PyResult<R>,
) -> PyResult<R> {
    match generator.flatten() {
        Some(object) if !vm.is_none(&object) => {
            let Some(own) = object.downcast_ref::<PyGenerator>() else {
                return Err(vm.new_type_error(format!(
                    "generator must be torch.Generator, not {}",
                    object.class().name()
                )));
            };
            run(&mut own.generator.borrow_mut())
        }
        _ => {
            // Drawn on a copy: the engine is used while the numbers become a tensor.
            let engine = Runtime::current().engine.clone();
            let mut copy = engine.generator().clone();
            let result = run(&mut copy);
            *engine.generator() = copy;
            result
        }
    }
}

/// Tells native code the classes written in Python.
pub(super) fn drawn(
    vm: &VirtualMachine,
    what: Draw,
    shape: &[usize],
    dtype: DType,
    generator: OptionalOption<PyObjectRef>,
) -> PyResult<Tensor> {
    span::mark(&Runtime::current(), vm);
    with_generator(generator, vm, |generator| {
        draw(vm, generator, what, shape, dtype)
    })
}

pub(super) fn rand(
    shape: PyObjectRef,
    dtype: Option<PyObjectRef>,
    requires_grad: bool,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    let shape = create::sizes(vm, "rand", &shape)?;
    let dtype = args::optional_dtype(vm, dtype)?.unwrap_or(DType::F32);
    let tensor = drawn(vm, Draw::Uniform(0.0, 1.0), &shape, dtype, generator)?;
    finish(vm, tensor, requires_grad)
}

pub(super) fn randn(
    shape: PyObjectRef,
    dtype: Option<PyObjectRef>,
    requires_grad: bool,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    let shape = create::sizes(vm, "randn", &shape)?;
    let dtype = args::optional_dtype(vm, dtype)?.unwrap_or(DType::F32);
    let tensor = drawn(vm, Draw::Normal(0.0, 1.0), &shape, dtype, generator)?;
    finish(vm, tensor, requires_grad)
}

pub(super) fn randint(
    low: i64,
    high: i64,
    shape: PyObjectRef,
    dtype: Option<PyObjectRef>,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    if low >= high {
        return Err(vm.new_runtime_error(format!(
            "random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )));
    }
    let shape = create::sizes(vm, "randint", &shape)?;
    let dtype = args::optional_dtype(vm, dtype)?.unwrap_or(DType::I64);
    wrap(
        vm,
        drawn(vm, Draw::Integers(low, high), &shape, dtype, generator)?,
    )
}

pub(super) fn randperm(
    n: usize,
    dtype: Option<PyObjectRef>,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    let dtype = args::optional_dtype(vm, dtype)?.unwrap_or(DType::I64);
    wrap(vm, drawn(vm, Draw::Permutation, &[n], dtype, generator)?)
}

fn refill(
    tensor: &PyObject,
    what: Draw,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult<()> {
    let tensor = expect_tensor(vm, tensor, "tensor")?;
    let values = drawn(vm, what, &tensor.shape(), tensor.dtype(), generator)?;
    tensor.assign(&values).or_raise(vm)
}

pub(super) fn uniform_(
    tensor: PyObjectRef,
    from: f64,
    to: f64,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    refill(&tensor, Draw::Uniform(from, to), generator, vm)?;
    Ok(tensor)
}

pub(super) fn normal_(
    tensor: PyObjectRef,
    mean: f64,
    std: f64,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    if std < 0.0 {
        return Err(vm.new_runtime_error(format!("normal expects std >= 0.0, but found std {std}")));
    }
    refill(&tensor, Draw::Normal(mean, std), generator, vm)?;
    Ok(tensor)
}

pub(super) fn manual_seed(seed: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
    let seed = seed_of(vm, &seed)?;
    Runtime::current().engine.generator().manual_seed(seed);
    Ok(())
}

/// 63 random bits, as PyTorch seeds its workers and samplers.
pub(super) fn draw_seed(
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult<u64> {
    with_generator(generator, vm, |generator| {
        Ok(generator.next_u64() & (u64::MAX >> 1))
    })
}

/// The generator's state. PyTorch gives bytes as uint8; here they are int64.
pub(super) fn get_rng_state(vm: &VirtualMachine) -> PyResult {
    let engine = Runtime::current().engine.clone();
    let state = engine.generator().state();
    let values: Vec<i64> = state.into_iter().map(i64::from).collect();
    wrap(
        vm,
        Tensor::from_i64(&engine, &values, &[values.len()]).or_raise(vm)?,
    )
}

pub(super) fn set_rng_state(state: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
    let state = expect_tensor(vm, &state, "set_rng_state(): argument 'new_state'")?;
    let bytes: Vec<u8> = state
        .to_scalars()
        .or_raise(vm)?
        .into_iter()
        .map(|byte| byte.as_i64() as u8)
        .collect();
    Runtime::current()
        .engine
        .generator()
        .set_state(&bytes)
        .map_err(|message| vm.new_runtime_error(message))
}

pub(super) fn initial_seed() -> u64 {
    Runtime::current().engine.generator().seed()
}
