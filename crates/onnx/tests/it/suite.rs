//! A case of ONNX's backend tests: a model, what goes in, what must come out.

use glowgrad::{DType, Engine, Scalar};
use glowgrad_files::Array;
use glowgrad_files::onnx::{
    DataType, GraphProto, ModelProto, TensorProto, TypeValue, ValueInfoProto, decode,
};
use glowgrad_onnx::{Info, Model, from_array, to_array};

/// What onnx's own runner allows.
pub(crate) const RELATIVE: f64 = 1e-3;
pub(crate) const ABSOLUTE: f64 = 1e-5;

/// One set of inputs and outputs, each a `TensorProto`.
pub(crate) struct DataSet {
    pub(crate) inputs: Vec<Vec<u8>>,
    pub(crate) outputs: Vec<Vec<u8>>,
}

/// A model with its data.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) model: Vec<u8>,
    pub(crate) sets: Vec<DataSet>,
}

/// How a case ended.
#[derive(Debug, PartialEq)]
pub(crate) enum Verdict {
    Passed,
    Failed(String),
    /// Its operators or types are not among those that are supported.
    Out(String),
}

/// Reads a file of cases: each part is its length, as four bytes, and its bytes.
struct Parts<'a>(&'a [u8]);

impl<'a> Parts<'a> {
    fn count(&mut self) -> usize {
        let (head, rest) = self.0.split_first_chunk::<4>().expect("a whole number");
        self.0 = rest;
        u32::from_le_bytes(*head) as usize
    }

    fn part(&mut self) -> &'a [u8] {
        let n = self.count();
        let (part, rest) = self.0.split_at(n);
        self.0 = rest;
        part
    }

    fn parts(&mut self) -> Vec<Vec<u8>> {
        (0..self.count()).map(|_| self.part().to_vec()).collect()
    }
}

/// The cases of a file that `make_cases.py` or `make_exports.py` wrote.
pub(crate) fn unpack(file: &[u8]) -> Vec<Case> {
    let mut parts = Parts(file);
    let n = parts.count();
    let mut case = || Case {
        name: String::from_utf8(parts.part().to_vec()).expect("a name"),
        model: parts.part().to_vec(),
        sets: (0..parts.count())
            .map(|_| DataSet {
                inputs: parts.parts(),
                outputs: parts.parts(),
            })
            .collect(),
    };
    (0..n).map(|_| case()).collect()
}

impl Case {
    pub(crate) fn run(&self, engine: &Engine) -> Verdict {
        let proto: ModelProto = match decode(&self.model) {
            Ok(proto) => proto,
            Err(error) => return Verdict::Failed(error.to_string()),
        };
        if let Some(kind) = proto.graph.as_ref().and_then(foreign) {
            return Verdict::Out(format!("type {kind}"));
        }
        match Info::read(&self.model) {
            Ok(info) if !info.unsupported.is_empty() => {
                return Verdict::Out(format!("op {}", info.unsupported[0].op));
            }
            Ok(_) => {}
            Err(error) if error.message.contains("of ONNX's operator set") => {
                return Verdict::Out("other operator sets, or opset below 7".to_owned());
            }
            Err(error) => return Verdict::Failed(error.to_string()),
        }
        match self.compare(engine) {
            Ok(()) => Verdict::Passed,
            Err(reason) => Verdict::Failed(reason),
        }
    }

    fn compare(&self, engine: &Engine) -> Result<(), String> {
        let told = |error: glowgrad::Error| error.to_string();
        let model = Model::read(&self.model).map_err(told)?;
        for set in &self.sets {
            let mut inputs = Vec::new();
            for (info, bytes) in model.inputs().iter().zip(&set.inputs) {
                let array = from_array(engine, &array(bytes)?.1).map_err(told)?;
                inputs.push((info.name.clone(), array));
            }
            let outputs = model.run(engine, inputs).map_err(told)?;
            if outputs.len() != set.outputs.len() {
                return Err(format!(
                    "{} outputs, expected {}",
                    outputs.len(),
                    set.outputs.len()
                ));
            }
            for ((name, tensor), bytes) in outputs.iter().zip(&set.outputs) {
                let got = to_array(tensor).map_err(|error| format!("{name}: {error}"))?;
                let (_, want) = array(bytes)?;
                is_close(&got, &want, RELATIVE, ABSOLUTE)
                    .map_err(|why| format!("{name}: {why}"))?;
            }
        }
        Ok(())
    }
}

/// A tensor's name and numbers.
pub(crate) fn array(bytes: &[u8]) -> Result<(String, Array<'static>), String> {
    let proto: TensorProto = decode(bytes).map_err(|error| error.to_string())?;
    let array = proto.to_array().map_err(|error| error.to_string())?;
    let own = Array::new(
        array.dtype(),
        array.shape().to_vec(),
        array.bytes().to_vec(),
    );
    Ok((
        proto.name().to_owned(),
        own.map_err(|error| error.to_string())?,
    ))
}

/// Whether both have the same type, sizes and, within tolerances, numbers, as NumPy's `assert_allclose` has it:
/// infinities are the same, and NaN is NaN.
pub(crate) fn is_close(
    got: &Array<'_>,
    want: &Array<'_>,
    relative: f64,
    absolute: f64,
) -> Result<(), String> {
    if got.dtype() != want.dtype() || got.shape() != want.shape() {
        return Err(format!(
            "{} {:?}, expected {} {:?}",
            got.dtype(),
            got.shape(),
            want.dtype(),
            want.shape()
        ));
    }
    let numbers = |array: &Array<'_>| Scalar::of_bytes(array.bytes(), array.dtype());
    for (i, (a, b)) in numbers(got).into_iter().zip(numbers(want)).enumerate() {
        let (x, y) = (a.as_f64(), b.as_f64());
        let same = match got.dtype().is_float() {
            true => {
                x == y
                    || (x.is_nan() && y.is_nan())
                    || (y.is_finite() && (x - y).abs() <= absolute + relative * y.abs())
            }
            false => a == b,
        };
        if !same {
            return Err(format!("{x} at {i}, expected {y}"));
        }
    }
    Ok(())
}

/// A type in a graph that is not a tensor of floats, integers or bools of the engine.
fn foreign(graph: &GraphProto) -> Option<String> {
    let known = |number: Option<i32>| -> Option<String> {
        let kind = DataType::of(number);
        let is_known = number.is_none()
            || kind == Some(DataType::Undefined)
            || kind.and_then(DataType::dtype).is_some();
        (!is_known).then(|| kind.map_or("unknown".to_owned(), DataType::name))
    };
    let value = |info: &ValueInfoProto| match info.r#type.as_ref()?.value.as_ref()? {
        TypeValue::Tensor(tensor) => known(tensor.elem_type),
        TypeValue::Sequence(_) => Some("sequence".to_owned()),
        TypeValue::Map(_) => Some("map".to_owned()),
        TypeValue::Optional(_) => Some("optional".to_owned()),
        TypeValue::SparseTensor(_) => Some("sparse".to_owned()),
    };
    let values = (graph.input.iter())
        .chain(&graph.output)
        .chain(&graph.value_info);
    let found = values.filter_map(value).next();
    let found = found.or_else(|| graph.initializer.iter().find_map(|t| known(t.data_type)));
    found.or_else(|| {
        graph.node.iter().find_map(|node| {
            node.attribute.iter().find_map(|attribute| {
                let cast = match (node.op_type(), attribute.name()) {
                    ("Cast", "to") => known(attribute.i.map(|i| i as i32)),
                    _ => None,
                };
                let tensor = attribute.t.as_ref().and_then(|t| known(t.data_type));
                let sparse = attribute
                    .sparse_tensor
                    .as_ref()
                    .map(|_| "sparse".to_owned());
                let texts = attribute.name().starts_with("value_string");
                cast.or(tensor)
                    .or(sparse)
                    .or(texts.then(|| "string".to_owned()))
                    .or_else(|| attribute.g.as_deref().and_then(foreign))
            })
        })
    })
}

#[test]
fn what_is_not_close_is_told() {
    let line = |dtype: DType, bytes: Vec<u8>| {
        let n = bytes.len() / dtype.size();
        Array::new(dtype, vec![n], bytes).expect("fits")
    };
    let floats = |list: &[f32]| {
        line(
            DType::F32,
            list.iter().flat_map(|x| x.to_le_bytes()).collect(),
        )
    };
    let want = floats(&[1.0, f32::NAN, f32::INFINITY]);
    let close = |got: &Array<'_>| is_close(got, &want, RELATIVE, ABSOLUTE);
    assert!(close(&floats(&[1.0009, f32::NAN, f32::INFINITY])).is_ok());
    assert!(close(&floats(&[1.002, f32::NAN, f32::INFINITY])).is_err());
    assert!(close(&floats(&[1.0, 0.0, f32::INFINITY])).is_err());
    assert!(close(&floats(&[1.0, f32::NAN, f32::NEG_INFINITY])).is_err());
    assert!(close(&floats(&[1.0, f32::NAN])).is_err());
    assert!(close(&line(DType::F64, vec![0; 24])).is_err());
}
