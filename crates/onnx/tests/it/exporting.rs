//! Calls that are exported, read again and run: what the model gives must be what the engine gave.

use glowgrad::{DType, Engine, Result, Tensor};
use glowgrad_files::Array;
use glowgrad_files::onnx::{TensorProto, encode};
use glowgrad_onnx::{Export, Model, Refused, from_array, to_array};

use crate::suite::is_close;

type Arrays = Vec<(String, Array<'static>)>;

/// A model with the numbers that went in and came out: those of the export, and those of other inputs, so that nothing
/// of the first is left in the model.
pub(crate) struct Exported {
    pub(crate) name: String,
    pub(crate) model: Vec<u8>,
    sets: Vec<(Arrays, Arrays)>,
}

/// How an export ended.
pub(crate) enum Ended {
    Written(Exported),
    Refused(Vec<Refused>),
}

/// The elements in the other order: other numbers from the same interval, indices that are as good.
pub(crate) fn reversed(engine: &Engine, x: &Tensor) -> Result<Tensor> {
    let array = to_array(x)?;
    let size = x.dtype().size();
    let bytes: Vec<u8> = array
        .bytes()
        .chunks(size)
        .rev()
        .flatten()
        .copied()
        .collect();
    let array = Array::new(x.dtype(), x.shape().to_vec(), bytes).expect("as many bytes");
    from_array(engine, &array)
}

fn arrays(names: &str, tensors: &[Tensor]) -> Result<Arrays> {
    let array = |(i, x): (usize, &Tensor)| Ok((format!("{names}{i}"), to_array(x)?));
    // A number of Python is part of the call.
    let tensors = tensors.iter().enumerate();
    let given = tensors.filter(|(_, x)| !x.node().is_python_number);
    given.map(array).collect()
}

/// Exports what `run` makes of its inputs; `fixed` are inputs that stay what they are.
pub(crate) fn export(
    engine: &Engine,
    name: &str,
    opset: i64,
    inputs: &[Tensor],
    fixed: &[usize],
    run: impl Fn(&[Tensor]) -> Result<Vec<Tensor>>,
) -> Result<Ended> {
    let mut export = Export::new();
    export.opset(opset);
    for (i, x) in inputs.iter().enumerate() {
        if !x.node().is_python_number {
            export.input(&format!("x{i}"), x);
        }
    }
    let given = arrays("x", inputs)?;
    let results = export.trace(engine, || run(inputs))?;
    for (i, y) in results.iter().enumerate() {
        export.output(&format!("y{i}"), y);
    }
    let refused = export.refused()?;
    if !refused.is_empty() {
        return Ok(Ended::Refused(refused));
    }
    let model = export.to_bytes()?;
    let mut sets = vec![(given, arrays("y", &results)?)];
    let others = inputs.iter().enumerate().map(|(i, x)| {
        match x.node().is_python_number || fixed.contains(&i) {
            true => Ok(x.clone()),
            false => reversed(engine, x),
        }
    });
    let others: Vec<Tensor> = others.collect::<Result<_>>()?;
    // A call that the other numbers do not allow has one set.
    if let Ok(outputs) = run(&others).and_then(|results| arrays("y", &results)) {
        sets.push((arrays("x", &others)?, outputs));
    }
    Ok(Ended::Written(Exported {
        name: name.to_owned(),
        model,
        sets,
    }))
}

/// What an export writes that is set up already, with what goes in and what must come out.
pub(crate) fn export_with(
    name: &str,
    export: &Export,
    inputs: &[(&str, &Tensor)],
    outputs: &[(&str, &Tensor)],
) -> Exported {
    let mut exported = Exported::of(name, export.to_bytes().expect("is written"));
    exported.add(inputs, outputs);
    exported
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
    /// A model without numbers.
    pub(crate) fn of(name: &str, model: Vec<u8>) -> Exported {
        Exported {
            name: name.to_owned(),
            model,
            sets: Vec::new(),
        }
    }

    /// Numbers that it must give, too.
    pub(crate) fn add(&mut self, inputs: &[(&str, &Tensor)], outputs: &[(&str, &Tensor)]) {
        let [inputs, outputs] = [inputs, outputs].map(|list| {
            let array = |(name, x): &(&str, &Tensor)| {
                ((*name).to_owned(), to_array(x).expect("is computed"))
            };
            list.iter().map(array).collect()
        });
        self.sets.push((inputs, outputs));
    }

    /// Reads the model and runs it: the outputs must be the engine's.
    pub(crate) fn check(&self) -> std::result::Result<(), String> {
        let model = Model::read(&self.model).map_err(|error| error.to_string())?;
        for (i, (inputs, outputs)) in self.sets.iter().enumerate() {
            check_set(&model, inputs, outputs).map_err(|why| format!("set {i}: {why}"))?;
        }
        Ok(())
    }

    /// The case in the format of `make_cases.py`.
    pub(crate) fn packed(&self) -> Vec<u8> {
        let part = |bytes: &[u8]| [&(bytes.len() as u32).to_le_bytes()[..], bytes].concat();
        let tensors = |list: &Arrays| {
            let mut bytes = (list.len() as u32).to_le_bytes().to_vec();
            for (name, array) in list {
                bytes.extend(part(&encode(&TensorProto::of_array(name.clone(), array))));
            }
            bytes
        };
        let mut bytes = part(self.name.as_bytes());
        bytes.extend(part(&self.model));
        bytes.extend((self.sets.len() as u32).to_le_bytes());
        for (inputs, outputs) in &self.sets {
            bytes.extend(tensors(inputs));
            bytes.extend(tensors(outputs));
        }
        bytes
    }
}

fn check_set(model: &Model, inputs: &Arrays, outputs: &Arrays) -> std::result::Result<(), String> {
    let engine = glowgrad::cpu();
    let told = |error: glowgrad::Error| error.to_string();
    let mut given = Vec::new();
    for (name, array) in inputs {
        given.push((name.clone(), from_array(&engine, array).map_err(told)?));
    }
    let results = model.run(&engine, given).map_err(told)?;
    if results.len() != outputs.len() {
        return Err(format!("{} outputs", results.len()));
    }
    for ((name, got), (wanted, want)) in results.iter().zip(outputs) {
        if name != wanted {
            return Err(format!("the output {name}, expected {wanted}"));
        }
        let got = to_array(got).map_err(told)?;
        let within = tolerance(want.dtype());
        is_close(&got, want, within, within).map_err(|why| format!("{name}: {why}"))?;
    }
    Ok(())
}
