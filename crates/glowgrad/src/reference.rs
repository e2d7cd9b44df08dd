//! The op reference: what the registry says of every op, and what ops do when their samples run.
//!
//! Nothing here is written by hand that a definition holds already: an op that joins the registry is
//! in the reference. What an example prints is left to who can run Python (`glow reference`).

mod backends;
mod example;
mod names;

use std::collections::HashSet;

use crate::bind::signature;
use crate::op::{MultiOutputOp, Op, Param, ParamKind, PythonFace, Vjp};
use crate::samples::{Numbers, Sample, arguments, sample, texts};
use crate::{DType, Engine, Error, Result, Scalar, Tensor, ops};

use backends::Engines;

pub use backends::Backend;
pub use example::imports;

/// Every dtype, floats first: in the order of the page.
const DTYPES: [DType; 13] = [
    DType::F16,
    DType::BF16,
    DType::F32,
    DType::F64,
    DType::U8,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::Bool,
];

/// A chapter.
#[derive(Debug, Clone)]
pub struct Family {
    /// Its name in an address.
    pub slug: &'static str,
    /// Its name for a reader.
    pub title: &'static str,
    /// Its ops.
    pub ops: Vec<Entry>,
}

/// One op.
#[derive(Debug, Clone)]
pub struct Entry {
    /// As in PyTorch: `softmax`.
    pub name: String,
    /// `softmax(input, dim)`; of an op with two forms both, with a comma between.
    pub signature: String,
    /// Other names: PyTorch's, and those that the graph shows.
    pub aliases: Vec<String>,
    /// One sentence.
    pub doc: String,
    /// `y = tanh a`, with `a`, `b` and `c` for the operands; empty where it has none.
    pub formula: String,
    /// How the gradient reaches each operand.
    pub gradients: Vec<Gradient>,
    /// `TanhBackward0`; none where there is no gradient to track.
    pub grad_fn: Option<String>,
    /// Why it has no gradient, without a full stop.
    pub not_differentiable: Option<String>,
    /// Whether it is a method of tensors.
    pub method: bool,
    /// Whether PyTorch has it as a function of `torch`, and not of `torch.nn.functional` alone.
    pub of_torch: bool,
    /// Whether it has a twin that writes into its tensor.
    pub in_place: bool,
    /// `(2, 3), (3) → (2, 3)`.
    pub shapes: Vec<String>,
    /// From which dtype to which.
    pub dtypes: Vec<(DType, DType)>,
    /// What it does not take.
    pub dtypes_refused: Vec<DType>,
    /// Python that shows it.
    pub example: String,
    /// What computes it, and in which dtypes a backend leaves it to the CPU.
    pub backends: Vec<Backend>,
}

/// The gradient of one operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gradient {
    /// As the signature calls it.
    pub operand: String,
    /// `gy · (1 − y²)`; `gy` is the gradient that arrives at the result.
    pub rule: String,
}

/// Every public op, by family.
///
/// # Errors
/// When a sample cannot be read or run; the message names the op.
pub fn build(engine: &Engine) -> Result<Vec<Family>> {
    let mut families = Vec::new();
    let engines = Engines::new();
    for family in ops::families() {
        let entries = definitions(family).map(|definition| entry(engine, &engines, &definition));
        let entries = entries.collect::<Result<Vec<Entry>>>()?;
        if !entries.is_empty() {
            families.push(Family {
                slug: family.slug,
                title: family.title,
                ops: entries,
            });
        }
    }
    Ok(families)
}

/// Runs a call, its operands being there; whether it ran.
pub type Run<'a> = &'a mut dyn FnMut() -> bool;

/// Hands every sample of every entry, in every dtype, to `watch`, with the entry's name and the dtype. Operands are
/// there beforehand, so that what the engine does within a `Run` is the op's own work.
pub fn each_call(engine: &Engine, watch: &mut dyn FnMut(&str, DType, Run<'_>)) {
    for family in ops::families() {
        for definition in definitions(family) {
            let name = names::shown(&definition);
            for dtype in DTYPES {
                calls(engine, &definition, dtype, &mut |run| {
                    watch(name, dtype, run)
                });
            }
        }
    }
}

/// The public ops of a family. An op that is part of a call with several results has that call's name or is hidden.
fn definitions(family: &'static ops::Family) -> impl Iterator<Item = Definition> {
    let singles = family.ops.iter().map(|op| Definition::from(*op));
    let calls = family.calls.iter().map(|call| Definition::from(*call));
    let is_public =
        |definition: &Definition| definition.python.part_of.is_empty() && !definition.is_twin();
    singles.chain(calls).filter(is_public)
}

/// What ops and calls with several results have in common.
struct Definition {
    name: &'static str,
    doc: &'static str,
    params: &'static [Param],
    samples: &'static [&'static str],
    domain: (f64, f64),
    example: &'static str,
    method: bool,
    python: &'static PythonFace,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Op(&'static Op),
    MultiOutputOp(&'static MultiOutputOp),
}

impl From<&'static Op> for Definition {
    fn from(op: &'static Op) -> Definition {
        Definition {
            name: op.name,
            doc: op.doc,
            params: op.params,
            samples: op.samples,
            domain: op.domain,
            example: op.example,
            method: op.method,
            python: op.python,
            what: What::Op(op),
        }
    }
}

impl From<&'static MultiOutputOp> for Definition {
    fn from(call: &'static MultiOutputOp) -> Definition {
        Definition {
            name: call.name,
            doc: call.doc,
            params: call.params,
            samples: call.samples,
            domain: call.domain,
            example: call.example,
            method: call.method,
            python: call.python,
            what: What::MultiOutputOp(call),
        }
    }
}

impl Definition {
    /// Whether it is an op under the name of a call with several results, which makes it.
    fn is_twin(&self) -> bool {
        matches!(self.what, What::Op(_)) && ops::multi_output().any(|call| call.name == self.name)
    }

    /// Whether it is a function of `torch.nn.functional` alone.
    fn is_functional_alone(&self) -> bool {
        matches!(self.what, What::Op(op) if op.functional && !op.method)
    }

    /// The calls that show it.
    fn texts(&self) -> Result<&'static [&'static str]> {
        match self.what {
            What::Op(op) => texts(op),
            What::MultiOutputOp(call) => Ok(call.samples),
        }
    }

    fn sample(&self, engine: &Engine, dtype: DType, text: &str) -> Result<Sample> {
        let callee = match self.what {
            What::Op(op) => op.into(),
            What::MultiOutputOp(call) => call.into(),
        };
        sample(
            engine,
            callee,
            self.domain,
            dtype,
            &mut Numbers::new(7),
            text,
        )
    }

    fn run(&self, engine: &Engine, sample: &Sample) -> Result<Vec<Tensor>> {
        match self.what {
            What::Op(op) => {
                let result = Tensor::apply(engine, op, &sample.operands, sample.attrs.clone())?;
                Ok(vec![result])
            }
            What::MultiOutputOp(call) => {
                Tensor::apply_multi(engine, call, &sample.operands, &sample.attrs)
            }
        }
    }
}

fn entry(engine: &Engine, engines: &Engines, definition: &Definition) -> Result<Entry> {
    let texts = definition.texts()?;
    let [first, ..] = texts else {
        return Err(Error::value(format!(
            "{} gives several tensors: give it samples in its definition",
            definition.name
        )));
    };
    let name = names::shown(definition);
    let mut signatures = vec![match definition.python.signature {
        "" => signature(definition.params),
        written => written.to_owned(),
    }];
    let mut shapes = shapes(engine, definition, texts)?;
    // The other form, as in `max(input)` and `max(input, dim)`.
    for form in names::forms_of(definition.name) {
        let form = form_named(form)?;
        signatures.push(signature(form.params));
        shapes.extend(self::shapes(engine, &form, form.texts()?)?);
    }
    let mut seen = HashSet::new();
    shapes.retain(|line| seen.insert(line.clone()));
    let signature: Vec<String> = signatures.iter().map(|s| format!("{name}{s}")).collect();
    let (dtypes, dtypes_refused) = dtypes(engine, definition, first);
    let taken: Vec<DType> = dtypes.iter().map(|&(from, _)| from).collect();
    let tape = tape(engine, definition, first)?;
    let in_place = matches!(definition.what, What::Op(op) if ops::has_in_place(op));
    Ok(Entry {
        name: name.to_owned(),
        signature: signature.join(", "),
        aliases: aliases(definition),
        doc: definition.doc.to_owned(),
        formula: match definition.what {
            What::Op(op) => bare(op.formula),
            What::MultiOutputOp(_) => String::new(),
        },
        gradients: tape.gradients,
        grad_fn: tape.grad_fn,
        not_differentiable: tape.not_differentiable,
        method: definition.method || definition.python.has_method,
        of_torch: !definition.python.method_alone && !definition.is_functional_alone(),
        in_place,
        shapes,
        dtypes,
        dtypes_refused,
        example: example::of(definition, texts)?,
        backends: engines.backends(definition, &taken),
    })
}

fn form_named(name: &str) -> Result<Definition> {
    let call = ops::multi_output().find(|call| call.name == name);
    call.map(Definition::from)
        .ok_or_else(|| Error::value(format!("no call with several results is named {name}")))
}

/// PyTorch's other names, then those under which the graph or the registry knows it.
fn aliases(definition: &Definition) -> Vec<String> {
    let name = definition.name;
    let alias = |&(alias, of): &(&'static str, &'static str)| (of == name).then_some(alias);
    let torch = ops::aliases().iter().filter_map(alias);
    let own = (names::shown(definition) != name).then_some(name);
    let mut all: Vec<String> = Vec::new();
    for other in torch.chain(own).chain(names::parts_of(name)) {
        if !all.iter().any(|known| known == other) {
            all.push(other.to_owned());
        }
    }
    all
}

/// A rule or formula without the braces around its letters.
fn bare(text: &str) -> String {
    text.replace(['{', '}'], "")
}

/// What an op does on the tape.
struct Tape {
    gradients: Vec<Gradient>,
    grad_fn: Option<String>,
    not_differentiable: Option<String>,
}

/// A call with several results has the gradient of the first of them that has one.
fn tape(engine: &Engine, definition: &Definition, text: &str) -> Result<Tape> {
    let op = match definition.what {
        What::Op(op) => Some(op),
        What::MultiOutputOp(_) => {
            let sample = definition.sample(engine, DType::F32, text)?;
            let results = definition.run(engine, &sample)?;
            results
                .iter()
                .map(|result| result.node().op)
                .find(|op| op.is_differentiable())
        }
    };
    let Some(op) = op else {
        return Ok(Tape {
            gradients: Vec::new(),
            grad_fn: None,
            not_differentiable: Some("its results are indices or counts".to_owned()),
        });
    };
    if let Vjp::None(reason) = op.vjp {
        return Ok(Tape {
            gradients: Vec::new(),
            grad_fn: None,
            not_differentiable: Some(reason.trim_end_matches('.').to_owned()),
        });
    }
    let is_operand = |p: &&Param| matches!(p.kind, ParamKind::Tensor | ParamKind::Tensors);
    let operands = definition.params.iter().filter(is_operand);
    let gradients = operands
        .zip(op.rules)
        .filter(|(_, rule)| !rule.is_empty())
        .map(|(operand, rule)| Gradient {
            operand: operand.name.to_owned(),
            rule: bare(rule),
        })
        .collect();
    Ok(Tape {
        gradients,
        grad_fn: (!op.grad_fn.is_empty()).then(|| op.grad_fn.to_owned()),
        not_differentiable: None,
    })
}

/// `(2, 3), dim=1 → (2)`, for every sample.
fn shapes(engine: &Engine, definition: &Definition, texts: &[&str]) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for text in texts {
        let named = |error: Error| {
            Error::new(
                error.kind,
                format!("{}, sample `{text}`: {error}", definition.name),
            )
        };
        let sample = definition.sample(engine, DType::F32, text)?;
        let results = definition.run(engine, &sample).map_err(named)?;
        let results: Vec<String> = results.iter().map(|t| example::sizes(&t.shape())).collect();
        let given = example::shapes_of(definition, text)?;
        lines.push(format!("{given} → {}", results.join(", ")));
    }
    Ok(lines)
}

/// A sample with operands of a dtype.
fn sample_of(engine: &Engine, definition: &Definition, dtype: DType, text: &str) -> Result<Sample> {
    // A sample of indices alone says nothing of dtypes: they are cast instead.
    let number = |value| Tensor::number(engine, Scalar::Int(value));
    let (zero, one) = (number(0), number(1));
    let draws = arguments(text).any(|(_, token)| example::draws(token));
    let mut sample = definition.sample(engine, dtype, text)?;
    for operand in &mut sample.operands {
        if !draws && !operand.node().is_python_number {
            *operand = operand.to(dtype)?;
        }
        if dtype.is_int() && operand.dtype() == dtype {
            // By 0 no integer is divided, whatever its dtype.
            *operand = operand.mul(&zero)?.add(&one)?;
        }
    }
    Ok(sample)
}

/// The dtypes that the op takes, with what it makes of them, and those it refuses.
fn dtypes(
    engine: &Engine,
    definition: &Definition,
    text: &str,
) -> (Vec<(DType, DType)>, Vec<DType>) {
    let (mut taken, mut refused) = (Vec::new(), Vec::new());
    for dtype in DTYPES {
        let result = sample_of(engine, definition, dtype, text)
            .and_then(|sample| definition.run(engine, &sample));
        match result.as_deref() {
            Ok([first, ..]) => {
                // What is put off would fail under another op's name. A value that cannot be, such
                // as the inverse of a singular matrix, says nothing of dtypes.
                let _ = first.realize();
                taken.push((dtype, first.dtype()));
            }
            _ => refused.push(dtype),
        }
    }
    (taken, refused)
}

/// Hands each sample in a dtype to `watch`, to be run in a recorded step of its own.
fn calls(engine: &Engine, definition: &Definition, dtype: DType, watch: &mut dyn FnMut(Run<'_>)) {
    let recording = engine.trace().set_recording(true);
    for text in definition.texts().unwrap_or_default() {
        let Ok(sample) = sample_of(engine, definition, dtype, text) else {
            continue;
        };
        let mut operands = sample.operands.iter();
        if operands.any(|operand| operand.realize().is_err()) {
            continue;
        }
        engine.begin_step();
        watch(&mut || {
            let results = definition.run(engine, &sample);
            results.is_ok_and(|results| results.iter().all(|result| result.realize().is_ok()))
        });
    }
    engine.begin_step();
    engine.trace().set_recording(recording);
}

#[cfg(test)]
mod tests;
