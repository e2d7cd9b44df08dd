//! Random tensors: the learner's generators, seeds and draws, with PyTorch's numbers.

use glowgrad::random::{Draw, Generator};
use glowgrad::{DType, Tensor, shape};
use rustpython_vm::function::{OptionalArg, OptionalOption};
use rustpython_vm::{Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::create;
use super::module::finish;
use super::{OrRaise, args, expect_tensor, unwrap, wrap};
use crate::runtime::Runtime;
use crate::span;

/// What `randn` draws.
const STANDARD_NORMAL: Draw = Draw::Normal {
    mean: 0.0,
    std: 1.0,
};

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
    fn initial_seed(zelf: &Py<Self>) -> u64 {
        zelf.generator.borrow().seed()
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

/// A new tensor of random numbers.
pub(super) fn drawn(
    vm: &VirtualMachine,
    called: &str,
    what: Draw,
    shape: &[usize],
    dtype: DType,
    generator: OptionalOption<PyObjectRef>,
) -> PyResult<Tensor> {
    shape::check_bytes(called, shape, dtype).or_raise(vm)?;
    span::mark(&Runtime::current());
    let engine = Runtime::current().engine.clone();
    let generator = generator.flatten().filter(|own| !vm.is_none(own));
    let is_engines = generator.is_none();
    if !is_engines {
        not_again("a generator of its own");
    }
    let tensor = with_generator(OptionalArg::Present(generator), vm, |generator| {
        Tensor::draw(&engine, generator, what, shape, dtype).or_raise(vm)
    })?;
    if is_engines {
        engine.drew(&tensor, what);
    }
    Ok(tensor)
}

/// Ones with a probability, zeros otherwise.
pub(super) fn keep(
    shape: PyObjectRef,
    p: f64,
    dtype: PyObjectRef,
    vm: &VirtualMachine,
) -> PyResult {
    let shape = create::sizes(vm, "dropout", &shape)?;
    let dtype = super::dtype::from_object(vm, &dtype)?;
    let what = Draw::Bernoulli { p };
    wrap(
        vm,
        drawn(vm, "dropout", what, &shape, dtype, OptionalArg::Missing)?,
    )
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
    let tensor = drawn(
        vm,
        "rand",
        Draw::Uniform { from: 0.0, to: 1.0 },
        &shape,
        dtype,
        generator,
    )?;
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
    let tensor = drawn(vm, "randn", STANDARD_NORMAL, &shape, dtype, generator)?;
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
    let shape = create::sizes(vm, "randint", &shape)?;
    let dtype = args::optional_dtype(vm, dtype)?.unwrap_or(DType::I64);
    let what = Draw::Integers {
        low,
        high: Some(high),
    };
    wrap(vm, drawn(vm, "randint", what, &shape, dtype, generator)?)
}

pub(super) fn randperm(
    n: usize,
    dtype: Option<PyObjectRef>,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    let dtype = args::optional_dtype(vm, dtype)?.unwrap_or(DType::I64);
    wrap(
        vm,
        drawn(vm, "randperm", Draw::Permutation, &[n], dtype, generator)?,
    )
}

fn refill(
    tensor: &PyObject,
    what: Draw,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult<()> {
    let tensor = expect_tensor(vm, tensor, "tensor")?;
    let values = drawn(
        vm,
        "random_",
        what,
        &tensor.shape(),
        tensor.dtype(),
        generator,
    )?;
    tensor.assign(&values).or_raise(vm)
}

pub(super) fn uniform_(
    tensor: PyObjectRef,
    from: f64,
    to: f64,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    refill(&tensor, Draw::Uniform { from, to }, generator, vm)?;
    Ok(tensor)
}

pub(super) fn normal_(
    tensor: PyObjectRef,
    mean: f64,
    std: f64,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    refill(&tensor, Draw::Normal { mean, std }, generator, vm)?;
    Ok(tensor)
}

pub(super) fn log_normal_(
    tensor: PyObjectRef,
    mean: f64,
    std: f64,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    refill(&tensor, Draw::LogNormal { mean, std }, generator, vm)?;
    Ok(tensor)
}

pub(super) fn trunc_normal_(
    tensor: PyObjectRef,
    mean: f64,
    std: f64,
    a: f64,
    b: f64,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    let what = Draw::TruncatedNormal { mean, std, a, b };
    refill(&tensor, what, generator, vm)?;
    Ok(tensor)
}

pub(super) fn exponential_(
    tensor: PyObjectRef,
    lambd: f64,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    refill(&tensor, Draw::Exponential { lambd }, generator, vm)?;
    Ok(tensor)
}

pub(super) fn cauchy_(
    tensor: PyObjectRef,
    median: f64,
    sigma: f64,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    refill(&tensor, Draw::Cauchy { median, sigma }, generator, vm)?;
    Ok(tensor)
}

pub(super) fn geometric_(
    tensor: PyObjectRef,
    p: f64,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    refill(&tensor, Draw::Geometric { p }, generator, vm)?;
    Ok(tensor)
}

/// `random_()`, `random_(to)` as `(0, to)`, `random_(from, None)` and `random_(from, to)`.
pub(super) fn random_(
    tensor: PyObjectRef,
    low: Option<i64>,
    high: Option<i64>,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    let what = match (low, high) {
        (None, None) => Draw::AnyInteger,
        (low, high) => Draw::Integers {
            low: low.unwrap_or(0),
            high,
        },
    };
    refill(&tensor, what, generator, vm)?;
    Ok(tensor)
}

/// `bernoulli_(p)`: `p` is a number, or a tensor of the same shape.
pub(super) fn bernoulli_(
    tensor: PyObjectRef,
    p: PyObjectRef,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    let Some(odds) = unwrap(&p) else {
        let p = p.try_float(vm)?.to_f64();
        refill(&tensor, Draw::Bernoulli { p }, generator, vm)?;
        return Ok(tensor);
    };
    let target = expect_tensor(vm, &tensor, "tensor")?;
    let shape: Vec<i64> = target.shape().iter().map(|&n| n as i64).collect();
    let odds = odds.expand(&shape).or_raise(vm)?;
    let values = with_generator(generator, vm, |generator| {
        odds.draw_bernoulli(generator, target.dtype()).or_raise(vm)
    })?;
    target.assign(&values).or_raise(vm)?;
    Ok(tensor)
}

/// `torch.bernoulli(input)`.
pub(super) fn bernoulli(
    input: PyObjectRef,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    span::mark(&Runtime::current());
    let odds = expect_tensor(vm, &input, "bernoulli(): argument 'input'")?;
    let values = with_generator(generator, vm, |generator| {
        odds.draw_bernoulli(generator, odds.dtype()).or_raise(vm)
    })?;
    wrap(vm, values)
}

/// `torch.multinomial(input, num_samples, replacement)`.
pub(super) fn multinomial(
    input: PyObjectRef,
    num_samples: i64,
    replacement: bool,
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    span::mark(&Runtime::current());
    let weights = expect_tensor(vm, &input, "multinomial(): argument 'input'")?;
    let indices = with_generator(generator, vm, |generator| {
        weights
            .draw_multinomial(generator, num_samples, replacement)
            .or_raise(vm)
    })?;
    wrap(vm, indices)
}

/// A step that does this is not noted further: it would not be done when the step runs again.
pub(super) fn not_again(function: &str) {
    let engine = Runtime::current().engine.clone();
    engine.stop_capturing(&format!("{function} would not be used again"));
}

pub(super) fn manual_seed(seed: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
    let seed = seed_of(vm, &seed)?;
    not_again("manual_seed");
    Runtime::current().engine.generator().manual_seed(seed);
    Ok(())
}

/// 63 random bits, as PyTorch seeds its workers and samplers.
pub(super) fn draw_seed(
    generator: OptionalOption<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult<u64> {
    not_again("a DataLoader");
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
    not_again("set_rng_state");
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
