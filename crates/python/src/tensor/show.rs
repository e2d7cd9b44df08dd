//! The functions of `_glowgrad` behind `glowgrad.lab`: points of a plot, pictures of a tensor, its bytes, and the wish to
//! see it in an instrument of the page.
//!
//! Leaves names, defaults and what is wrong with a call to `lib/glowgrad/lab.py`.

use rustpython_vm::builtins::PyStrRef;
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};

use glowgrad::Scalar;

use super::{OrRaise, args, create, expect_tensor};
use crate::figure::{self, FigureKind, FigureOptions, Look};
use crate::runtime::Runtime;
use crate::tick;

/// One point of a live plot.
pub(super) fn metric(series: PyStrRef, y: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
    let Some(value) = args::number(vm, &y)? else {
        return Err(vm.new_type_error(format!(
            "plot: {series} must be a number or a tensor of one element, not {}",
            y.class().name()
        )));
    };
    Runtime::current().metric(&series.as_wtf8().to_string_lossy(), value);
    tick::look_soon();
    Ok(())
}

/// A picture of a tensor; false when there are too many in this run. `kind` is the place of the
/// figure's kind: histogram, image, heat-map.
pub(super) fn figure(
    kind: usize,
    tensor: PyObjectRef,
    name: Option<String>,
    label: String,
    bins: usize,
    range: Option<Vec<f64>>,
    vm: &VirtualMachine,
) -> PyResult<bool> {
    let runtime = Runtime::current();
    let tensor = expect_tensor(vm, &tensor, "the tensor to draw")?;
    crate::limits::check_elements("the tensor to draw", tensor.numel(), vm)?;
    let numbers: Vec<f64> = tensor
        .to_scalars()
        .or_raise(vm)?
        .iter()
        .map(|x| x.as_f64())
        .collect();
    let options = FigureOptions {
        kind: [
            FigureKind::Histogram,
            FigureKind::Image,
            FigureKind::Heatmap,
        ][kind.min(2)],
        name: name.clone().unwrap_or(label),
        bins,
        range: range.and_then(|ends| Some((*ends.first()?, *ends.last()?))),
    };
    tick::look_soon();
    Ok(runtime.figure(figure::figure(&tensor, &numbers, options), name.is_some()))
}

/// The most bytes of a chart's text.
const LARGEST_CHART: usize = 8 << 20;

/// A figure of Matplotlib's as JSON; false when there are too many in this run. One with the key of an earlier one
/// replaces it.
pub(super) fn chart(key: u64, text: String, vm: &VirtualMachine) -> PyResult<bool> {
    if text.len() > LARGEST_CHART {
        return Err(vm.new_value_error(format!(
            "the figure takes {} MB to be drawn, at most {} MB: draw fewer points, such as every tenth, `x[::10]`",
            text.len() >> 20,
            LARGEST_CHART >> 20
        )));
    }
    tick::look_soon();
    Ok(Runtime::current().chart(key, text))
}

/// Asks the page to show a tensor in one of its instruments.
pub(super) fn look(
    instrument: String,
    tensor: PyObjectRef,
    name: Option<String>,
    vm: &VirtualMachine,
) -> PyResult<()> {
    let node = expect_tensor(vm, &tensor, "the tensor to show")?.node().id;
    Runtime::current().host.look(Look {
        instrument,
        name,
        node,
    });
    Ok(())
}

/// The first elements, row by row: the bytes of each as hexadecimal text, and its number.
pub(super) fn element_bytes(tensor: PyObjectRef, count: usize, vm: &VirtualMachine) -> PyResult {
    let tensor = expect_tensor(vm, &tensor, "the tensor to show")?;
    let engine = &Runtime::current().engine;
    // Looking is no event of the learner's step.
    let recording = engine.trace().set_recording(false);
    let bytes = engine.read_first(&tensor.node(), count);
    engine.trace().set_recording(recording);
    let bytes = bytes.or_raise(vm)?;
    let numbers = glowgrad::Scalar::of_bytes(&bytes, tensor.dtype());
    let row = |(element, number): (&[u8], Scalar)| {
        let pairs: Vec<String> = element.iter().map(|byte| format!("{byte:02x}")).collect();
        let pairs = vm.ctx.new_str(pairs.join(" ")).into();
        let number = create::python_number(vm, number);
        vm.ctx.new_tuple(vec![pairs, number]).into()
    };
    let elements = bytes.chunks(tensor.dtype().size());
    let rows = elements.zip(numbers).map(row).collect();
    Ok(vm.ctx.new_list(rows).into())
}
