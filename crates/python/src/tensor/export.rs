//! `torch.onnx.export`: a model that Python runs, written by the host.

use glowgrad::{Error, ErrorKind, Tensor};
use rustpython_vm::builtins::PyStrRef;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

use super::expect_tensor;
use crate::host::OnnxJob;
use crate::runtime::Runtime;

/// The bytes of the file, and sentences of what is fixed in it. `names` are those of the inputs, then of the weights;
/// `run` gives the results, each after its name.
pub(super) fn export_onnx(
    names: Vec<PyStrRef>,
    inputs: Vec<PyObjectRef>,
    weights: Vec<PyObjectRef>,
    run: PyObjectRef,
    opset: i64,
    vm: &VirtualMachine,
) -> PyResult {
    let runtime = Runtime::current();
    let mut named = Vec::new();
    for (name, tensor) in names.iter().zip(inputs.iter().chain(&weights)) {
        let tensor = expect_tensor(vm, tensor, "export(): an input or weight")?;
        named.push((name.as_wtf8().to_string_lossy().into_owned(), tensor));
    }
    let weights = named.split_off(inputs.len().min(named.len()));
    // What Python raised while the model ran.
    let mut raised = None;
    let mut call = || {
        outputs(&run, vm).map_err(|exception| {
            raised = Some(exception);
            Error::new(ErrorKind::Runtime, "the model raised an exception")
        })
    };
    let written = runtime.host.export_onnx(OnnxJob {
        engine: &runtime.engine,
        inputs: &named,
        weights: &weights,
        opset,
        run: &mut call,
    });
    if let Some(exception) = raised {
        return Err(exception);
    }
    let file = written.map_err(|why| vm.new_runtime_error(why))?;
    let warnings = file
        .warnings
        .into_iter()
        .map(|text| vm.ctx.new_str(text).into());
    let warnings = vm.ctx.new_list(warnings.collect());
    let bytes = vm.ctx.new_bytes(file.bytes);
    Ok(vm.ctx.new_tuple(vec![bytes.into(), warnings.into()]).into())
}

/// What `run` gives: a name, its tensor, the next name, and so on.
fn outputs(run: &PyObjectRef, vm: &VirtualMachine) -> PyResult<Vec<(String, Tensor)>> {
    let flat: Vec<PyObjectRef> = run.call((), vm)?.try_into_value(vm)?;
    let pairs = flat.as_chunks().0.iter().map(|[name, tensor]| {
        let name: PyStrRef = name.clone().try_into_value(vm)?;
        let name = name.as_wtf8().to_string_lossy().into_owned();
        Ok((name, expect_tensor(vm, tensor, "export(): an output")?))
    });
    pairs.collect()
}
