//! `torch.onnx`: a model that Python runs, written by the host, and a graph that was read from a model.

use glowgrad::graph_text::{self, Given};
use glowgrad::{Error, ErrorKind, Tensor};
use rustpython_vm::builtins::PyStrRef;
use rustpython_vm::function::ArgBytesLike;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

use super::{OrRaise, expect_tensor, wrap};
use crate::host::{Host, OnnxFile, OnnxJob};
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
    let mut job = OnnxJob {
        engine: &runtime.engine,
        inputs: &named,
        weights: &weights,
        opset,
        run: &mut call,
    };
    let written = match runtime.host.export_onnx(&mut job) {
        Some(written) => written,
        None => by_text(&*runtime.host, &mut job),
    };
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

/// Hands the graph over as text.
fn by_text(host: &dyn Host, job: &mut OnnxJob<'_>) -> Result<OnnxFile, String> {
    let engine = job.engine;
    let given = |kind, is_here, named: &[(String, Tensor)]| -> Vec<Given> {
        let each = named.iter().map(|(name, tensor)| Given {
            kind,
            name: name.clone(),
            node: tensor.node(),
            is_here,
        });
        each.collect()
    };
    let mut all = given("input", false, job.inputs);
    all.extend(given("weight", true, job.weights));
    // Values that are computed on the way keep what they were made of, and what is looked at is noted.
    let (keeps, notes) = (engine.set_keeping(true), engine.note_looks(true));
    let written = (job.run)().and_then(|outputs| {
        let outputs: Vec<_> = (outputs.into_iter())
            .map(|(name, tensor)| (name, tensor.node()))
            .collect();
        graph_text::write(engine, &all, &outputs, &engine.take_looks())
    });
    engine.take_looks();
    engine.set_keeping(keeps);
    engine.note_looks(notes);
    let graph = written.map_err(|error| error.message)?;
    let request = format!("onnx-write\t{}\n{}", job.opset, graph.text);
    let (text, bytes) = host.codec(&request, &graph.bytes)?;
    let warnings = text
        .lines()
        .map(|line| glowgrad::lines::fields(line).concat());
    Ok(OnnxFile {
        bytes,
        warnings: warnings.collect(),
    })
}

/// Makes the calls of a graph anew: results of the tensors that are given by name.
pub(super) fn run_graph(
    graph: PyStrRef,
    bytes: ArgBytesLike,
    names: Vec<PyStrRef>,
    tensors: Vec<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    let runtime = Runtime::current();
    let mut given = Vec::new();
    for (name, tensor) in names.iter().zip(&tensors) {
        let tensor = expect_tensor(vm, tensor, "run_graph(): a tensor")?;
        given.push((name.as_wtf8().to_string_lossy().into_owned(), tensor));
    }
    let text = graph.as_wtf8().to_string_lossy();
    let read = bytes.with_ref(|bytes| {
        graph_text::read(
            &runtime.engine,
            &text,
            bytes,
            |kind, name, dtype, shape, _| {
                let found = given.iter().find(|(other, _)| other == name);
                let fits =
                    |tensor: &Tensor| tensor.dtype() == dtype && tensor.shape()[..] == *shape;
                match found {
                    Some((_, tensor)) if fits(tensor) => Ok(tensor.clone()),
                    _ => Err(Error::value(format!(
                        "the {kind} {name:?} is {}, expected {} of shape {}",
                        found.map_or("missing", |_| "of another dtype or shape"),
                        dtype.name(),
                        glowgrad::shape::show(shape)
                    ))),
                }
            },
        )
    });
    let read = read.or_raise(vm)?;
    let tensors = read.outputs.into_iter().map(|(_, tensor)| wrap(vm, tensor));
    let tensors = tensors.collect::<PyResult<Vec<_>>>()?;
    Ok(vm.ctx.new_list(tensors).into())
}
