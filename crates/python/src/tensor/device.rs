//! Where tensors are: opening devices, and moving between them.

use glowgrad::graph::Opened;
use glowgrad::meta::{META, MetaBackend};
use glowgrad::node::NodeRef;
use glowgrad::{Device, Tensor};
use rustpython_vm::builtins::{PyModule, PyStrRef};
use rustpython_vm::{Py, PyObjectRef, PyResult, VirtualMachine};

use super::{OrRaise, args, create, dtype, expect_tensor, wrap};
use crate::runtime::Runtime;
use crate::span;

/// The GPU that wgpu has, as the page calls it and as the terminal does. Either name is understood in
/// both.
const WEBGPU: [&str; 2] = ["webgpu", "wgpu"];

/// Puts the functions of this file into `_glowgrad`.
pub(super) fn install(vm: &VirtualMachine, module: &Py<PyModule>) -> PyResult<()> {
    macro_rules! functions {
        ($($name:ident),+ $(,)?) => {
            $(module.set_attr(stringify!($name), vm.new_function(stringify!($name), $name), vm)?;)+
        };
    }
    functions!(
        open_device,
        device_type,
        set_device,
        set_strict,
        device_of,
        make_beside,
        to_device,
        run_shader,
        kernel_names,
        next_kernel,
        threads,
        set_threads,
    );
    Ok(())
}

/// How many threads of this process compute large work on the CPU.
fn threads() -> usize {
    glowgrad::threads()
}

/// Sets that number.
fn set_threads(n: usize) {
    glowgrad::set_threads(n);
}

/// A device by its name, opened if it has not been.
pub(super) fn find(vm: &VirtualMachine, kind: &str) -> PyResult<Device> {
    let runtime = Runtime::current();
    let engine = &runtime.engine;
    let names = match WEBGPU.contains(&kind) {
        true => WEBGPU.to_vec(),
        false => vec![kind],
    };
    if let Some(device) = names.iter().find_map(|name| engine.find_device(name)) {
        return Ok(device);
    }
    // Tensors of this session are on the processor in its place already.
    let is_replaced = |name: &&str| runtime.replaced.borrow().contains(*name);
    if names.iter().any(is_replaced) {
        return Ok(Device::FIRST);
    }
    if kind == META {
        return engine.add_device(Box::new(MetaBackend)).or_raise(vm);
    }
    for name in names {
        if let Some(backend) = runtime.host.open_device(name) {
            return match backend.or_raise(vm)? {
                Opened::Device(backend) => engine.add_device(backend).or_raise(vm),
                Opened::Instead(why) => {
                    runtime.say_once(&why);
                    runtime.replaced.borrow_mut().insert(name.to_owned());
                    Ok(Device::FIRST)
                }
            };
        }
    }
    let known: Vec<String> = engine
        .devices()
        .into_iter()
        .map(|d| engine.device_kind(d).to_string())
        .collect();
    Err(vm.new_runtime_error(format!(
        "device: got {kind:?}, which does not compute here; this session has {}",
        known.join(", ")
    )))
}

/// Opens a device; gives its name here.
fn open_device(kind: PyStrRef, vm: &VirtualMachine) -> PyResult<String> {
    let device = find(vm, &kind.as_wtf8().to_string_lossy())?;
    Ok(Runtime::current().engine.device_kind(device).to_string())
}

/// Where tensors are made: `cpu`, `wgpu`.
fn device_type() -> String {
    let engine = &Runtime::current().engine;
    engine.device_kind(engine.device()).to_string()
}

/// Sets where tensors are made; gives where they were.
fn set_device(kind: PyStrRef, vm: &VirtualMachine) -> PyResult<String> {
    let device = find(vm, &kind.as_wtf8().to_string_lossy())?;
    let engine = &Runtime::current().engine;
    Ok(engine.device_kind(engine.set_device(device)).to_string())
}

/// Has tensors made where a tensor is; gives where they were, if that is elsewhere.
fn make_beside(tensor: PyObjectRef) -> Option<String> {
    let tensor = super::unwrap(&tensor)?;
    let engine = tensor.engine();
    let before = engine.device();
    (tensor.device() != before).then(|| {
        engine.set_device(tensor.device());
        engine.device_kind(before).to_string()
    })
}

/// Whether what a device cannot do is an error from now on, or done by the processor.
fn set_strict(on: bool) {
    Runtime::current().engine.set_strict(on);
}

/// Runs a shader of the learner's on tensors: its text, the inputs, the result's shape and dtype, the
/// workgroups in three dimensions.
fn run_shader(
    source: PyStrRef,
    inputs: PyObjectRef,
    shape: PyObjectRef,
    dtype: PyObjectRef,
    groups: PyObjectRef,
    vm: &VirtualMachine,
) -> PyResult {
    super::random::not_again("a shader of your own");
    let runtime = Runtime::current();
    let inputs = args::elements(&inputs)
        .unwrap_or_default()
        .iter()
        .map(|input| Ok(expect_tensor(vm, input, "shader(): each input")?.node()))
        .collect::<PyResult<Vec<NodeRef>>>()?;
    let shape = create::sizes(vm, "shader", &shape)?;
    let dtype = dtype::from_object(vm, &dtype)?;
    span::mark(&runtime);
    let groups = args::integers(vm, &groups)?.unwrap_or_default();
    let mut in_three = [1; 3];
    for (dimension, n) in in_three.iter_mut().zip(groups) {
        // What is no number of workgroups is refused with those that are too many.
        *dimension = u32::try_from(n).unwrap_or(0);
    }
    let engine = &runtime.engine;
    let source = source.as_wtf8().to_string_lossy();
    let written = engine
        .run_shader(&source, &inputs, (&shape, dtype), in_three)
        .or_raise(vm)?;
    wrap(vm, Tensor::from_node(engine, written))
}

/// The number of this step, and the one that its next kernel will have.
fn next_kernel(vm: &VirtualMachine) -> PyObjectRef {
    let engine = &Runtime::current().engine;
    let mark = [engine.with_step(|step| step.number), engine.next_kernel()];
    let mark = mark.map(|number| vm.ctx.new_int(number).into());
    vm.ctx.new_tuple(mark.to_vec()).into()
}

/// The names of the kernels from that number on; of all of this step, if it is another one.
fn kernel_names(step: u32, since: u32, vm: &VirtualMachine) -> PyObjectRef {
    let engine = &Runtime::current().engine;
    let is_same = engine.with_step(|now| now.number) == step;
    let since = if is_same { since } else { 0 };
    let items = engine.scheduled();
    let names = items.iter().filter(|item| item.number >= since);
    let names = names.map(|item| vm.ctx.new_str(item.name).into());
    vm.ctx.new_list(names.collect()).into()
}

/// Where a tensor is.
fn device_of(tensor: PyObjectRef, vm: &VirtualMachine) -> PyResult<String> {
    let tensor = expect_tensor(vm, &tensor, "device")?;
    Ok(tensor.engine().device_kind(tensor.device()).to_string())
}

/// A tensor on another device.
fn to_device(tensor: PyObjectRef, kind: PyStrRef, vm: &VirtualMachine) -> PyResult {
    let moved = expect_tensor(vm, &tensor, "device")?;
    let device = find(vm, &kind.as_wtf8().to_string_lossy())?;
    if moved.device() == device {
        return Ok(tensor);
    }
    if &*moved.engine().device_kind(moved.device()) == META {
        return Err(
            vm.new_not_implemented_error("Cannot copy out of meta tensor; no data!".to_owned())
        );
    }
    span::mark(&Runtime::current());
    wrap(vm, moved.to_device(device).or_raise(vm)?)
}
