//! `torch.onnx`: a model that Python runs, written by the host, and a graph that was read from a model.

use glowgrad::graph_text::{self, Given, GraphText};
use glowgrad::{Error, ErrorKind, Tensor};
use rustpython_vm::builtins::PyStrRef;
use rustpython_vm::function::ArgBytesLike;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

use super::{OrRaise, expect_tensor, wrap};
use crate::host::{Host, OnnxFile, OnnxJob, OnnxRun};
use crate::runtime::Runtime;

/// The bytes of the file, and sentences of what is fixed in it. `names` are those of the inputs, then of the weights;
/// `inputs` those of the run that is written, then those of a run for each of `sizes`, which stay open; `run` takes a
/// run's number and gives its results, each after its name.
pub(super) fn export_onnx(
    names: Vec<PyStrRef>,
    inputs: Vec<PyObjectRef>,
    weights: Vec<PyObjectRef>,
    sizes: Vec<PyStrRef>,
    run: PyObjectRef,
    opset: i64,
    vm: &VirtualMachine,
) -> PyResult {
    let runtime = Runtime::current();
    let text = |name: &PyStrRef| name.as_wtf8().to_string_lossy().into_owned();
    let named = |(name, tensor): (&PyStrRef, &PyObjectRef)| {
        let tensor = expect_tensor(vm, tensor, "export(): an input or weight")?;
        Ok((text(name), tensor))
    };
    let (of_inputs, of_weights) = names.split_at(names.len().saturating_sub(weights.len()));
    let weights = of_weights.iter().zip(&weights).map(named);
    let weights = weights.collect::<PyResult<Vec<_>>>()?;
    let mut runs = Vec::new();
    for (at, size) in [String::new()]
        .into_iter()
        .chain(sizes.iter().map(text))
        .enumerate()
    {
        let own = inputs.iter().skip(at * of_inputs.len());
        let inputs = of_inputs
            .iter()
            .zip(own)
            .map(named)
            .collect::<PyResult<_>>()?;
        runs.push(OnnxRun { size, inputs });
    }
    // What Python raised while the model ran.
    let mut raised = None;
    let mut call = |at: usize| {
        outputs(&run, at, vm).map_err(|exception| {
            raised = Some(exception);
            Error::new(ErrorKind::Runtime, "the model raised an exception")
        })
    };
    let mut job = OnnxJob {
        engine: &runtime.engine,
        runs: &runs,
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
fn outputs(run: &PyObjectRef, at: usize, vm: &VirtualMachine) -> PyResult<Vec<(String, Tensor)>> {
    let flat: Vec<PyObjectRef> = run.call((at,), vm)?.try_into_value(vm)?;
    let pairs = flat.as_chunks().0.iter().map(|[name, tensor]| {
        let name: PyStrRef = name.clone().try_into_value(vm)?;
        let name = name.as_wtf8().to_string_lossy().into_owned();
        Ok((name, expect_tensor(vm, tensor, "export(): an output")?))
    });
    pairs.collect()
}

/// Hands the graphs over as text.
fn by_text(host: &dyn Host, job: &mut OnnxJob<'_>) -> Result<OnnxFile, String> {
    let mut request = String::new();
    glowgrad::lines::push(&mut request, ["onnx-write", &job.opset.to_string()]);
    let mut elements = Vec::new();
    for (at, run) in job.runs.iter().enumerate() {
        if at > 0 {
            let start = elements.len().to_string();
            glowgrad::lines::push(&mut request, ["size", &run.size, &start]);
        }
        let graph = graph_of(job, at).map_err(|error| error.message)?;
        request += &graph.text;
        match at {
            0 => elements = graph.bytes,
            _ => elements.extend(graph.bytes),
        }
    }
    let (text, bytes) = host.codec(&request, &elements)?;
    let warnings = text
        .lines()
        .map(|line| glowgrad::lines::fields(line).concat());
    Ok(OnnxFile {
        bytes,
        warnings: warnings.collect(),
    })
}

/// The graph of a run. Weights travel with the first.
fn graph_of(job: &mut OnnxJob<'_>, at: usize) -> glowgrad::Result<GraphText> {
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
    let mut all = given("input", false, &job.runs[at].inputs);
    all.extend(given("weight", at == 0, job.weights));
    // Values that are computed on the way keep what they were made of, and what is looked at is noted.
    let (keeps, notes) = (engine.set_retain_sources(true), engine.note_looks(true));
    let written = (job.run)(at).and_then(|outputs| {
        let outputs: Vec<_> = (outputs.into_iter())
            .map(|(name, tensor)| (name, tensor.node()))
            .collect();
        graph_text::write(engine, &all, &outputs, &engine.take_looks())
    });
    engine.take_looks();
    engine.set_retain_sources(keeps);
    engine.note_looks(notes);
    written
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
