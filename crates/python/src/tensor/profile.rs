//! `_glowgrad.profile_…`: what `torch.profiler` asks the engine for.

use rustpython_vm::builtins::PyModule;
use rustpython_vm::{Py, PyObjectRef, PyResult, VirtualMachine};

use super::OrRaise;
use crate::profile::Ran;
use crate::runtime::Runtime;

/// Puts the functions of this file into `_glowgrad`.
pub(super) fn install(vm: &VirtualMachine, module: &Py<PyModule>) -> PyResult<()> {
    macro_rules! functions {
        ($($name:ident),+ $(,)?) => {
            $(module.set_attr(stringify!($name), vm.new_function(stringify!($name), $name), vm)?;)+
        };
    }
    functions!(
        profile_begin,
        profile_compute,
        profile_end,
        profile_events,
        profile_now,
    );
    Ok(())
}

/// Begins a profile; whether none is on.
fn profile_begin() -> bool {
    let runtime = Runtime::current();
    runtime.profile.begin(&runtime.engine)
}

/// Ends it.
fn profile_end() {
    let runtime = Runtime::current();
    runtime.profile.end(&runtime.engine);
}

/// Computes what nothing has asked for yet.
fn profile_compute(vm: &VirtualMachine) -> PyResult<()> {
    let runtime = Runtime::current();
    runtime.profile.compute(&runtime.engine).or_raise(vm)
}

/// Nanoseconds by the engine's clock.
fn profile_now() -> u64 {
    Runtime::current().engine.now().unwrap_or(0)
}

/// How many kernels were too many to be kept, and of each other one since the last call: its ops, when it began and how
/// long it took in nanoseconds, the shapes that it read, and the bytes that it wrote.
fn profile_events(vm: &VirtualMachine) -> PyObjectRef {
    let (n_dropped, ran) = Runtime::current().profile.take();
    let events = ran.iter().map(|kernel| event(kernel, vm)).collect();
    let parts = vec![
        vm.ctx.new_int(n_dropped).into(),
        vm.ctx.new_list(events).into(),
    ];
    vm.ctx.new_tuple(parts).into()
}

fn event(kernel: &Ran, vm: &VirtualMachine) -> PyObjectRef {
    let ops = kernel.ops().map(|name| vm.ctx.new_str(name).into());
    let shape = |sizes: &[usize]| -> PyObjectRef {
        let sizes = sizes.iter().map(|&size| vm.ctx.new_int(size).into());
        vm.ctx.new_list(sizes.collect()).into()
    };
    let shapes = kernel.item.inputs.iter().map(|node| shape(&node.shape));
    let parts = vec![
        vm.ctx.new_tuple(ops.collect()).into(),
        vm.ctx.new_int(kernel.began).into(),
        vm.ctx.new_int(kernel.nanos()).into(),
        vm.ctx.new_list(shapes.collect()).into(),
        vm.ctx.new_int(kernel.item.written).into(),
    ];
    vm.ctx.new_tuple(parts).into()
}
