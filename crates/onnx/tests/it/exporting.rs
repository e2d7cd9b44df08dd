//! Calls that are exported, read again and run: what the model gives must be what the engine gave.

use glowgrad::{DType, Engine, Result, Tensor};
use glowgrad_files::Array;
use glowgrad_files::onnx::{TensorProto, encode};
use glowgrad_onnx::{Export, Model, Refused, from_array, to_array};

use crate::suite::is_close;

/// A model with the numbers that went in and came out.
pub(crate) struct Exported {
    pub(crate) name: String,
    pub(crate) model: Vec<u8>,
    pub(crate) inputs: Vec<(String, Array<'static>)>,
    pub(crate) outputs: Vec<(String, Array<'static>)>,
}

/// How an export ended.
pub(crate) enum Ended {
    Written(Exported),
    Refused(Vec<Refused>),
}

/// Exports what `run` makes of its inputs.
pub(crate) fn export(
    engine: &Engine,
    name: &str,
    opset: i64,
    inputs: &[Tensor],
    run: impl FnOnce(&[Tensor]) -> Result<Vec<Tensor>>,
) -> Result<Ended> {
    let mut export = Export::new();
    export.opset(opset);
    let mut given = Vec::new();
    for (i, x) in inputs.iter().enumerate() {
        // A number of Python is part of the call.
        if x.node().is_python_number {
            continue;
        }
        let name = format!("x{i}");
        export.input(&name, x);
        given.push((name, to_array(x)?));
    }
    let results = export.trace(engine, || run(inputs))?;
    for (i, y) in results.iter().enumerate() {
        export.output(&format!("y{i}"), y);
    }
    let refused = export.refused()?;
    if !refused.is_empty() {
        return Ok(Ended::Refused(refused));
    }
    let model = export.to_bytes()?;
    let mut outputs = Vec::new();
    for (i, y) in results.iter().enumerate() {
        outputs.push((format!("y{i}"), to_array(y)?));
    }
    Ok(Ended::Written(Exported {
        name: name.to_owned(),
        model,
        inputs: given,
        outputs,
    }))
}

/// What an export writes that is set up already, with what goes in and what must come out.
pub(crate) fn export_with(
    name: &str,
    export: &Export,
    inputs: &[(&str, &Tensor)],
    outputs: &[(&str, &Tensor)],
) -> Exported {
    let arrays = |list: &[(&str, &Tensor)]| {
        let array =
            |(name, x): &(&str, &Tensor)| ((*name).to_owned(), to_array(x).expect("is computed"));
        list.iter().map(array).collect()
    };
    Exported {
        name: name.to_owned(),
        model: export.to_bytes().expect("is written"),
        inputs: arrays(inputs),
        outputs: arrays(outputs),
    }
}

/// What numbers of a dtype may differ by, as a share and as such: a model may round where the engine does not.
pub(crate) fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e-9,
        DType::F16 => 4e-3,
        DType::BF16 => 3e-2,
        _ => 2e-5,
    }
}

impl Exported {
    /// Reads the model and runs it: the outputs must be the engine's.
    pub(crate) fn check(&self) -> std::result::Result<(), String> {
        let engine = glowgrad::cpu();
        let told = |error: glowgrad::Error| error.to_string();
        let model = Model::read(&self.model).map_err(told)?;
        let mut inputs = Vec::new();
        for (name, array) in &self.inputs {
            inputs.push((name.clone(), from_array(&engine, array).map_err(told)?));
        }
        let outputs = model.run(&engine, inputs).map_err(told)?;
        if outputs.len() != self.outputs.len() {
            return Err(format!("{} outputs", outputs.len()));
        }
        for ((name, got), (wanted, want)) in outputs.iter().zip(&self.outputs) {
            if name != wanted {
                return Err(format!("the output {name}, expected {wanted}"));
            }
            let got = to_array(got).map_err(told)?;
            let within = tolerance(want.dtype());
            is_close(&got, want, within, within).map_err(|why| format!("{name}: {why}"))?;
        }
        Ok(())
    }

    /// The case in the format of `make_cases.py`.
    pub(crate) fn packed(&self) -> Vec<u8> {
        let part = |bytes: &[u8]| [&(bytes.len() as u32).to_le_bytes()[..], bytes].concat();
        let tensors = |list: &[(String, Array<'static>)]| {
            let mut bytes = (list.len() as u32).to_le_bytes().to_vec();
            for (name, array) in list {
                bytes.extend(part(&encode(&TensorProto::of_array(name.clone(), array))));
            }
            bytes
        };
        let mut bytes = part(self.name.as_bytes());
        bytes.extend(part(&self.model));
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(tensors(&self.inputs));
        bytes.extend(tensors(&self.outputs));
        bytes
    }
}
