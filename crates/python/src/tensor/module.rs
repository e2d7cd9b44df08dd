//! The functions of `_glowgrad` that are not ops: making tensors, randomness, the tape's switches,
//! module scopes and data sets.

use glowgrad::autograd::{Anomaly, BackwardOptions};
use glowgrad::{DType, Scalar, Tensor, shape};
use rustpython_vm::builtins::{PyModule, PyStrRef};
use rustpython_vm::function::OptionalArg;
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::autograd::GradFn;
use super::captured_step::{
    CapturedStep, captured_step, fed_number, feed, is_capturing, n_unseen, replayed, stop_capturing,
};
use super::create;
use super::device;
use super::dtype::{self, PyDType};
use super::export::{export_onnx, run_graph};
use super::filling::{fill_with, fill_with_zeros};
use super::out::write_out;
use super::random::{
    PyGenerator, bernoulli, bernoulli_, cauchy_, draw_seed, exponential_, geometric_,
    get_rng_state, initial_seed, keep, log_normal_, manual_seed, multinomial, normal_, rand,
    randint, randn, random_, randperm, set_rng_state, trunc_normal_, uniform_,
};
use super::show::{chart, element_bytes, figure, look, metric};
use super::{OrRaise, TensorBase, args, autograd, expect_tensor, ops, profile, wrap};
use crate::print::PrintOptions;
use crate::runtime::{Runtime, register};
use crate::{span, tick};

pub(crate) use _glowgrad::module_def;

#[rustpython_vm::pymodule]
mod _glowgrad {
    use rustpython_vm::builtins::PyModule;
    use rustpython_vm::{Py, PyResult, VirtualMachine};

    pub(crate) fn module_exec(vm: &VirtualMachine, module: &Py<PyModule>) -> PyResult<()> {
        __module_exec(vm, module);
        super::fill(vm, module)
    }
}

fn fill(vm: &VirtualMachine, module: &Py<PyModule>) -> PyResult<()> {
    use rustpython_vm::class::PyClassImpl;
    module.set_attr("TensorBase", TensorBase::make_static_type(), vm)?;
    module.set_attr("dtype", PyDType::make_static_type(), vm)?;
    module.set_attr("Node", GradFn::make_static_type(), vm)?;
    module.set_attr("CapturedStep", CapturedStep::make_static_type(), vm)?;
    module.set_attr("Generator", PyGenerator::make_static_type(), vm)?;
    for dtype in DType::ALL {
        for name in std::iter::once(dtype.name()).chain(dtype.aliases().iter().copied()) {
            module.set_attr(name, dtype::object(vm, dtype), vm)?;
        }
    }
    ops::install(vm, module)?;
    device::install(vm, module)?;
    profile::install(vm, module)?;
    macro_rules! functions {
        ($($name:ident),+ $(,)?) => {
            $(module.set_attr(stringify!($name), vm.new_function(stringify!($name), $name), vm)?;)+
        };
    }
    functions!(
        register,
        write_out,
        from_data,
        frombuffer,
        full,
        fill_with,
        fill_with_zeros,
        arange,
        linspace,
        logspace,
        triangle_indices,
        einsum,
        contract,
        eye,
        rand,
        randn,
        randint,
        randperm,
        uniform_,
        normal_,
        log_normal_,
        trunc_normal_,
        exponential_,
        cauchy_,
        geometric_,
        random_,
        bernoulli_,
        bernoulli,
        keep,
        multinomial,
        manual_seed,
        initial_seed,
        is_grad_enabled,
        set_grad_enabled,
        set_inference_mode,
        set_anomaly,
        backward_all,
        grad,
        custom,
        push_scope,
        pop_scope,
        variable_name,
        digits,
        metric,
        figure,
        chart,
        look,
        element_bytes,
        record,
        set_eager,
        memory,
        quietly,
        replayed,
        n_unseen,
        draw_seed,
        captured_step,
        export_onnx,
        run_graph,
        is_capturing,
        stop_capturing,
        fed_number,
        feed,
        set_printoptions,
        get_rng_state,
        set_rng_state,
    );
    Ok(())
}

fn from_data(
    data: PyObjectRef,
    dtype: Option<PyObjectRef>,
    requires_grad: bool,
    vm: &VirtualMachine,
) -> PyResult {
    let dtype = args::optional_dtype(vm, dtype)?;
    span::mark(&Runtime::current());
    let tensor = create::from_data(vm, &data, dtype)?;
    finish(vm, tensor, requires_grad)
}

/// A tensor with a copy of some bytes: of `bytes`, `bytearray` or `memoryview`.
fn frombuffer(
    buffer: PyObjectRef,
    dtype: PyObjectRef,
    count: i64,
    offset: i64,
    vm: &VirtualMachine,
) -> PyResult {
    let dtype = dtype::from_object(vm, &dtype)?;
    let size = dtype.size();
    let bytes = buffer
        .try_bytes_like(vm, |bytes| {
            let len = bytes.len();
            if len == 0 || count == 0 {
                return Err(format!(
                    "both buffer length ({len}) and count ({count}) must not be 0"
                ));
            }
            let start = usize::try_from(offset).ok().filter(|&start| start < len);
            let Some(start) = start else {
                return Err(format!(
                    "offset ({offset} bytes) must be non-negative and no greater than buffer length ({len} bytes) minus 1"
                ));
            };
            let rest = &bytes[start..];
            let Ok(count) = usize::try_from(count) else {
                if rest.len() % size != 0 {
                    return Err(format!(
                        "buffer length ({len} bytes) after offset ({offset} bytes) must be a multiple of element size ({size})"
                    ));
                }
                return Ok(rest.to_vec());
            };
            match count.checked_mul(size).and_then(|n| rest.get(..n)) {
                Some(part) => Ok(part.to_vec()),
                None => Err(format!(
                    "requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be greater than actual buffer length ({len} bytes)"
                )),
            }
        })
        .map_err(|_| {
            vm.new_value_error(format!(
                "object does not implement Python buffer protocol. frombuffer takes bytes, bytearray or memoryview, got {}",
                buffer.class().name()
            ))
        })?
        .map_err(|message| vm.new_value_error(message))?;
    span::mark(&Runtime::current());
    let engine = Runtime::current().engine.clone();
    let values = glowgrad::Scalar::of_bytes(&bytes, dtype);
    let n = values.len();
    wrap(
        vm,
        Tensor::from_scalars(&engine, &values, &[n], dtype).or_raise(vm)?,
    )
}

pub(super) fn finish(vm: &VirtualMachine, tensor: Tensor, requires_grad: bool) -> PyResult {
    if requires_grad {
        if !tensor.dtype().is_float() {
            return Err(vm.new_runtime_error(format!(
                "Only Tensors of floating point and complex dtype can require gradients. This one is {}; give dtype=torch.float32",
                tensor.dtype()
            )));
        }
        tensor.set_requires_grad(true).or_raise(vm)?;
    }
    wrap(vm, tensor)
}

/// One number everywhere. Python's functions of other names that fill tensors give theirs, for messages.
fn full(
    shape: PyObjectRef,
    value: PyObjectRef,
    dtype: Option<PyObjectRef>,
    requires_grad: bool,
    called: OptionalArg<PyStrRef>,
    vm: &VirtualMachine,
) -> PyResult {
    let runtime = Runtime::current();
    let called = called.map_or_else(
        || "full".to_owned(),
        |name| name.as_wtf8().to_string_lossy().into_owned(),
    );
    let shape = create::sizes(vm, &called, &shape)?;
    let Some(value) = args::scalar(vm, &value)? else {
        return Err(vm.new_type_error(format!(
            "{called}(): argument 'fill_value' must be a number, not {}",
            value.class().name()
        )));
    };
    let dtype = args::optional_dtype(vm, dtype)?.unwrap_or(value.dtype());
    shape::check_bytes(&called, &shape, dtype).or_raise(vm)?;
    value.check_fits_or_half(&called, dtype).or_raise(vm)?;
    span::mark(&runtime);
    let tensor = Tensor::full(&runtime.engine, &shape, value, dtype).or_raise(vm)?;
    finish(vm, tensor, requires_grad)
}

fn number_argument(vm: &VirtualMachine, what: &str, object: &PyObject) -> PyResult<Scalar> {
    args::scalar(vm, object)?.ok_or_else(|| {
        vm.new_type_error(format!(
            "{what}(): expected numbers, got {}",
            object.class().name()
        ))
    })
}

fn arange(
    start: PyObjectRef,
    end: PyObjectRef,
    step: PyObjectRef,
    dtype: Option<PyObjectRef>,
    requires_grad: bool,
    vm: &VirtualMachine,
) -> PyResult {
    let runtime = Runtime::current();
    let [start, end, step] = [&start, &end, &step].map(|n| number_argument(vm, "arange", n));
    let dtype = args::optional_dtype(vm, dtype)?;
    if dtype == Some(DType::Bool) {
        return Err(vm.new_runtime_error(
            "\"arange_cpu\" not implemented for 'Bool'; leave dtype out, or compare the result",
        ));
    }
    span::mark(&runtime);
    let tensor = Tensor::arange(&runtime.engine, start?, end?, step?, dtype).or_raise(vm)?;
    finish(vm, tensor, requires_grad)
}

fn linspace(
    start: PyObjectRef,
    end: PyObjectRef,
    steps: i64,
    dtype: Option<PyObjectRef>,
    requires_grad: bool,
    vm: &VirtualMachine,
) -> PyResult {
    let runtime = Runtime::current();
    let [start, end] = [&start, &end].map(|n| number_argument(vm, "linspace", n));
    let dtype = args::optional_dtype(vm, dtype)?.unwrap_or(DType::F32);
    span::mark(&runtime);
    let tensor = Tensor::linspace(
        &runtime.engine,
        start?.as_f64(),
        end?.as_f64(),
        steps,
        dtype,
    )
    .or_raise(vm)?;
    finish(vm, tensor, requires_grad)
}

fn logspace(
    start: PyObjectRef,
    end: PyObjectRef,
    steps: i64,
    base: f64,
    dtype: Option<PyObjectRef>,
    requires_grad: bool,
    vm: &VirtualMachine,
) -> PyResult {
    let runtime = Runtime::current();
    let [start, end] = [&start, &end].map(|n| number_argument(vm, "logspace", n));
    let dtype = args::optional_dtype(vm, dtype)?.unwrap_or(DType::F32);
    span::mark(&runtime);
    let tensor = Tensor::logspace(
        &runtime.engine,
        (start?.as_f64(), end?.as_f64()),
        steps,
        base,
        dtype,
    )
    .or_raise(vm)?;
    finish(vm, tensor, requires_grad)
}

/// Rows and columns of a triangle: the lower one, or the upper.
fn triangle_indices(
    rows: i64,
    columns: i64,
    offset: i64,
    upper: bool,
    dtype: Option<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    let runtime = Runtime::current();
    span::mark(&runtime);
    let tensor = if upper {
        Tensor::triu_indices(&runtime.engine, rows, columns, offset)
    } else {
        Tensor::tril_indices(&runtime.engine, rows, columns, offset)
    };
    let dtype = args::optional_dtype(vm, dtype)?.unwrap_or(DType::I64);
    wrap(vm, tensor.and_then(|tensor| tensor.to(dtype)).or_raise(vm)?)
}

fn einsum(equation: PyStrRef, operands: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
    let runtime = Runtime::current();
    let operands = operands
        .iter()
        .map(|operand| expect_tensor(vm, operand, "einsum"))
        .collect::<PyResult<Vec<Tensor>>>()?;
    span::mark(&runtime);
    tick::age(2);
    let equation = equation.as_wtf8().to_string_lossy();
    wrap(
        vm,
        Tensor::einsum(&runtime.engine, &equation, &operands).or_raise(vm)?,
    )
}

/// `tensordot` over the last and first `n` dimensions, or over the named ones.
fn contract(
    a: PyObjectRef,
    b: PyObjectRef,
    left: Option<Vec<i64>>,
    right: Vec<i64>,
    vm: &VirtualMachine,
) -> PyResult {
    let (a, b) = (
        expect_tensor(vm, &a, "tensordot")?,
        expect_tensor(vm, &b, "tensordot")?,
    );
    span::mark(&Runtime::current());
    let result = match left {
        Some(left) => a.tensordot_along(&b, &left, &right),
        None => a.tensordot(&b, right.first().copied().unwrap_or(2)),
    };
    wrap(vm, result.or_raise(vm)?)
}

fn eye(
    n: i64,
    m: i64,
    dtype: Option<PyObjectRef>,
    requires_grad: bool,
    vm: &VirtualMachine,
) -> PyResult {
    let runtime = Runtime::current();
    let dtype = args::optional_dtype(vm, dtype)?.unwrap_or(DType::F32);
    span::mark(&runtime);
    let tensor = Tensor::eye(&runtime.engine, n, m, dtype).or_raise(vm)?;
    finish(vm, tensor, requires_grad)
}

#[derive(rustpython_vm::FromArgs)]
struct PrintArgs {
    #[pyarg(any, default)]
    precision: Option<usize>,
    #[pyarg(any, default)]
    threshold: Option<f64>,
    #[pyarg(any, default)]
    edgeitems: Option<usize>,
    #[pyarg(any, default)]
    linewidth: Option<usize>,
    #[pyarg(any, default)]
    profile: Option<String>,
    #[pyarg(any, default)]
    sci_mode: Option<bool>,
}

fn set_printoptions(args: PrintArgs, vm: &VirtualMachine) -> PyResult<()> {
    let default = PrintOptions::default();
    let mut options = Runtime::current().print_options.get();
    match args.profile.as_deref() {
        None => {}
        Some("default") => options = default,
        Some("short") => {
            options = PrintOptions {
                precision: 2,
                threshold: 1000,
                edge_items: 2,
                ..default
            }
        }
        Some("full") => {
            options = PrintOptions {
                threshold: usize::MAX,
                ..default
            }
        }
        Some(profile) => {
            return Err(vm.new_value_error(format!(
                "set_printoptions: profile must be default, short or full, not {profile}"
            )));
        }
    }
    options.precision = args.precision.unwrap_or(options.precision).min(30);
    // `float('inf')` shows everything: the cast saturates.
    options.threshold = args
        .threshold
        .map_or(options.threshold, |threshold| threshold as usize);
    options.edge_items = args.edgeitems.unwrap_or(options.edge_items);
    options.line_width = args.linewidth.unwrap_or(options.line_width);
    // As in PyTorch, each call sets this anew.
    options.scientific = args.sci_mode;
    Runtime::current().print_options.set(options);
    Ok(())
}

fn is_grad_enabled() -> bool {
    Runtime::current().engine.grad_enabled()
}

/// Turns the tape on or off; gives what it was.
fn set_grad_enabled(on: bool) -> bool {
    Runtime::current().engine.set_grad_enabled(on)
}

/// Turns inference mode on or off; gives what it was.
fn set_inference_mode(on: bool) -> bool {
    Runtime::current().engine.set_inference_mode(on)
}

/// Turns anomaly mode on or off; gives what it was: whether it is on, and whether NaN is looked for.
fn set_anomaly(enabled: bool, check_nan: bool) -> (bool, bool) {
    let before = Runtime::current()
        .engine
        .set_anomaly(Anomaly { enabled, check_nan });
    (before.enabled, before.check_nan)
}

fn backward_all(
    outputs: Vec<PyObjectRef>,
    gradients: Vec<PyObjectRef>,
    retain_graph: bool,
    create_graph: bool,
    vm: &VirtualMachine,
) -> PyResult<()> {
    let options = BackwardOptions {
        retain_graph,
        create_graph,
    };
    autograd::backward_all(vm, outputs, gradients, options)
}

#[derive(rustpython_vm::FromArgs)]
struct GradArgs {
    #[pyarg(positional)]
    outputs: Vec<PyObjectRef>,
    #[pyarg(positional)]
    inputs: Vec<PyObjectRef>,
    #[pyarg(positional)]
    gradients: Vec<PyObjectRef>,
    #[pyarg(positional)]
    retain_graph: bool,
    #[pyarg(positional)]
    create_graph: bool,
    #[pyarg(positional)]
    allow_unused: Option<bool>,
    #[pyarg(positional)]
    materialize: bool,
}

fn grad(args: GradArgs, vm: &VirtualMachine) -> PyResult {
    let options = BackwardOptions {
        retain_graph: args.retain_graph,
        create_graph: args.create_graph,
    };
    let unused = (args.allow_unused, args.materialize);
    let grads = autograd::grad(
        vm,
        args.outputs,
        args.inputs,
        args.gradients,
        options,
        unused,
    )?;
    Ok(vm.ctx.new_tuple(grads).into())
}

fn custom(
    name: String,
    backward: PyObjectRef,
    inputs: Vec<PyObjectRef>,
    value: PyObjectRef,
    vm: &VirtualMachine,
) -> PyResult {
    let value = expect_tensor(vm, &value, "the result of forward")?;
    let inputs = inputs
        .iter()
        .map(|input| expect_tensor(vm, input, "input"))
        .collect::<PyResult<Vec<Tensor>>>()?;
    autograd::custom(vm, name, backward, &inputs, &value)
}

fn push_scope(path: PyStrRef) {
    let path = path.as_wtf8().to_string_lossy();
    Runtime::current().engine.push_scope(&path);
}

fn pop_scope() {
    Runtime::current().engine.pop_scope();
}

/// The learner's variable that holds this object.
fn variable_name(object: PyObjectRef) -> Option<String> {
    let runtime = Runtime::current();
    let globals = runtime.globals.get()?;
    globals.into_iter().find_map(|(name, value)| {
        let name = name.downcast_ref::<rustpython_vm::builtins::PyStr>()?;
        let name = name.to_str()?;
        (value.is(&object) && !name.starts_with('_')).then(|| name.to_owned())
    })
}

/// The 8×8 digits: images in float32 and labels in int64.
fn digits(vm: &VirtualMachine) -> PyResult {
    let engine = Runtime::current().engine.clone();
    let digits = glowgrad_data::digits();
    let pixels: Vec<f32> = digits
        .images()
        .flat_map(|image| image.iter().map(|&pixel| f32::from(pixel)))
        .collect();
    let labels: Vec<i64> = digits.labels().map(i64::from).collect();
    span::mark(&Runtime::current());
    let shape = [labels.len(), pixels.len() / labels.len().max(1)];
    let images = Tensor::from_f32(&engine, &pixels, &shape).or_raise(vm)?;
    let labels = Tensor::from_i64(&engine, &labels, &[shape[0]]).or_raise(vm)?;
    let pair = vec![wrap(vm, images)?, wrap(vm, labels)?];
    Ok(vm.ctx.new_tuple(pair).into())
}

/// Records what runs, for the stage, or does not; gives what it was.
fn record(on: bool) -> bool {
    Runtime::current().engine.trace().set_recording(on)
}

/// Runs every op at once, or when a value is asked for; gives what it was.
fn set_eager(on: bool) -> bool {
    Runtime::current().engine.set_eager(on)
}

/// Bytes held now, and the most held so far.
fn memory() -> (usize, usize) {
    let memory = Runtime::current().engine.trace().memory();
    (memory.live, memory.peak)
}

/// Calls a function whose nodes are not the learner's, such as an optimiser's arithmetic.
fn quietly(
    function: PyObjectRef,
    argument: OptionalArg<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    let trace = Runtime::current().engine.trace().clone();
    let recording = trace.set_recording(false);
    let result = match argument {
        OptionalArg::Present(argument) => function.call((argument,), vm),
        OptionalArg::Missing => function.call((), vm),
    };
    trace.set_recording(recording);
    result
}
