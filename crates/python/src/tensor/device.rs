//! Where tensors are: opening devices, and moving between them.

use glowgrad::Device;
use glowgrad::device::Opened;
use rustpython_vm::builtins::PyStrRef;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

use super::{OrRaise, expect_tensor, wrap};
use crate::runtime::Runtime;
use crate::span;

/// The GPU that wgpu has, as the page calls it and as the terminal does. Either name is understood in
/// both.
const WEBGPU: [&str; 2] = ["webgpu", "wgpu"];

/// A device by its name, opened if it has not been.
fn find(vm: &VirtualMachine, kind: &str) -> PyResult<Device> {
    let runtime = Runtime::current();
    let engine = &runtime.engine;
    let names = match WEBGPU.contains(&kind) {
        true => WEBGPU.to_vec(),
        false => vec![kind],
    };
    if let Some(device) = names.iter().find_map(|name| engine.find_device(name)) {
        return Ok(device);
    }
    for name in names {
        if let Some(backend) = runtime.host.open_device(name) {
            return match backend.or_raise(vm)? {
                Opened::Device(backend) => engine.add_device(backend).or_raise(vm),
                Opened::Instead(why) => {
                    runtime.say_once(&why);
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
pub(super) fn open_device(kind: PyStrRef, vm: &VirtualMachine) -> PyResult<String> {
    let device = find(vm, &kind.as_wtf8().to_string_lossy())?;
    Ok(Runtime::current().engine.device_kind(device).to_string())
}

/// Where tensors are made: `cpu`, `wgpu`.
pub(super) fn device_type() -> String {
    let engine = &Runtime::current().engine;
    engine.device_kind(engine.device()).to_string()
}

/// Sets where tensors are made; gives where they were.
pub(super) fn set_device(kind: PyStrRef, vm: &VirtualMachine) -> PyResult<String> {
    let device = find(vm, &kind.as_wtf8().to_string_lossy())?;
    let engine = &Runtime::current().engine;
    Ok(engine.device_kind(engine.set_device(device)).to_string())
}

/// Whether what a device cannot do is an error from now on, or done by the processor.
pub(super) fn set_strict(on: bool) {
    Runtime::current().engine.set_strict(on);
}

/// Where a tensor is.
pub(super) fn device_of(tensor: PyObjectRef, vm: &VirtualMachine) -> PyResult<String> {
    let tensor = expect_tensor(vm, &tensor, "device")?;
    Ok(tensor.engine().device_kind(tensor.device()).to_string())
}

/// A tensor on another device.
pub(super) fn to_device(tensor: PyObjectRef, kind: PyStrRef, vm: &VirtualMachine) -> PyResult {
    let moved = expect_tensor(vm, &tensor, "device")?;
    let device = find(vm, &kind.as_wtf8().to_string_lossy())?;
    if moved.device() == device {
        return Ok(tensor);
    }
    span::mark(&Runtime::current(), vm);
    wrap(vm, moved.to_device(device).or_raise(vm)?)
}
