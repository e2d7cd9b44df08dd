//! Extreme values through every op: what the device makes of them is what the CPU makes of them,
//! forward and gradient, results and errors.

use std::collections::BTreeMap;

use glowgrad::bind::Callee;
use glowgrad::op::{Attrs, Kind, MultiOutputOp, Op, ParamKind};
use glowgrad::samples::{Numbers, Sample, sample, texts};
use glowgrad::{DType, Engine, Error, Result, Scalar, Tensor, ops};

use crate::tolerance::{BEYOND_32_BITS, Judge};

/// What is put into the operands, in turn.
pub struct Values {
    /// In a report.
    pub name: &'static str,
    fill: Fill,
}

enum Fill {
    Floats(DType, &'static [f32]),
    Integers(&'static [i64]),
    /// No elements: along the first dimension, or the last.
    None {
        last: bool,
    },
}

/// Every kind of extreme values.
pub const VALUES: &[Values] = &[
    Values {
        name: "NaN and infinities",
        fill: Fill::Floats(
            DType::F32,
            &[
                f32::NAN,
                1.0,
                f32::INFINITY,
                -0.5,
                0.0,
                f32::NEG_INFINITY,
                -0.0,
                2.0,
            ],
        ),
    },
    Values {
        name: "one infinity",
        fill: Fill::Floats(
            DType::F32,
            &[0.5, -1.0, 2.0, 0.25, 1.5, f32::INFINITY, -0.75, 3.0, 1.0],
        ),
    },
    Values {
        name: "zeros",
        fill: Fill::Floats(DType::F32, &[0.0, -0.0, 1.0, -0.0, 0.0, -1.0]),
    },
    Values {
        name: "large",
        // Of one sign: whether a sum overflows on its way must not depend on its order.
        fill: Fill::Floats(
            DType::F32,
            &[1e30, 3e36, 100.0, 88.5, 1e10, 1e20, 3e38, 104.0],
        ),
    },
    Values {
        name: "large and negative",
        fill: Fill::Floats(
            DType::F32,
            &[-1e30, -3e36, -100.0, -88.5, -1e10, -1e20, -3e38, -104.0],
        ),
    },
    Values {
        name: "small",
        fill: Fill::Floats(
            DType::F32,
            &[1e-30, -3e-36, 1e-7, -1e-10, 2e-38, 1e-4, -1e-20],
        ),
    },
    Values {
        name: "subnormal",
        fill: Fill::Floats(DType::F32, &[1e-40, -1e-40, 1e-45, 1.0, -1e-45, 0.0]),
    },
    Values {
        name: "float16, NaN and infinities",
        fill: Fill::Floats(
            DType::F16,
            &[
                f32::NAN,
                1.0,
                f32::INFINITY,
                -0.5,
                0.0,
                f32::NEG_INFINITY,
                -0.0,
                2.0,
            ],
        ),
    },
    Values {
        name: "float16, large",
        fill: Fill::Floats(
            DType::F16,
            &[65504.0, 300.0, 10.0, 11.5, 2048.0, 40000.0, 1.0, 12.0],
        ),
    },
    Values {
        name: "float16, subnormal",
        fill: Fill::Floats(DType::F16, &[6e-8, -6e-8, 5e-5, 1.0, -3e-6, 7e-5, 0.0]),
    },
    Values {
        name: "ends of int32",
        fill: Fill::Integers(&[i32::MAX as i64, i32::MIN as i64, -1, 0, 1, 7, -7, 2]),
    },
    Values {
        name: "no rows",
        fill: Fill::None { last: false },
    },
    Values {
        name: "no columns",
        fill: Fill::None { last: true },
    },
];

/// What came of some values.
#[derive(Default)]
pub struct Report {
    /// Calls that agree.
    pub passed: usize,
    /// Calls that are not compared, by reason.
    pub skipped: BTreeMap<String, usize>,
    /// Calls that differ, and how.
    pub failed: Vec<String>,
    /// Calls that were not in the sample.
    pub left_out: usize,
}

/// Runs the ops of the registry on the values at a place of [`VALUES`], one op in `step` of them, other ones for other
/// values; `ran` gets the op of every call that ran.
pub fn run(device: &Engine, at: usize, step: usize, ran: &mut dyn FnMut(&str)) -> Report {
    let (cpu, values) = (glowgrad::cpu(), &VALUES[at]);
    let mut report = Report::default();
    let all = ops::all().map(Call::Op);
    let all = all.chain(ops::multi_output().map(Call::MultiOutputOp));
    for (i, call) in all.enumerate() {
        if !(i + at).is_multiple_of(step) {
            report.left_out += call.texts().len();
            continue;
        }
        let name = call.callee().name;
        for text in call.texts() {
            match call.compare(&cpu, device, values, text) {
                Ok(None) => report.passed += 1,
                Ok(Some(reason)) => *report.skipped.entry(reason).or_default() += 1,
                Err(why) => report
                    .failed
                    .push(format!("{name} `{text}`, {}: {why}", values.name)),
            }
            ran(name);
        }
    }
    report
}

enum Call {
    Op(&'static Op),
    MultiOutputOp(&'static MultiOutputOp),
}

/// Results, then gradients.
type Results = Vec<Tensor>;

impl Call {
    fn callee(&self) -> Callee {
        match self {
            Call::Op(op) => (*op).into(),
            Call::MultiOutputOp(several) => (*several).into(),
        }
    }

    fn texts(&self) -> &'static [&'static str] {
        match self {
            Call::Op(op) => texts(op).expect("an op has samples"),
            Call::MultiOutputOp(several) => several.samples,
        }
    }

    /// Whether every element meets every other when one operand is a column and one a row.
    fn takes_pairs(&self) -> bool {
        let Call::Op(op) = self else { return false };
        let tensors = op.params.iter().filter(|p| p.kind == ParamKind::Tensor);
        matches!(op.kind, Kind::Elementwise(_)) && op.params.len() == 2 && tensors.count() == 2
    }

    /// Makes the call on both; none where they agree, the reason where they need not.
    fn compare(
        &self,
        cpu: &Engine,
        device: &Engine,
        values: &Values,
        text: &str,
    ) -> std::result::Result<Option<String>, String> {
        let name = self.callee().name;
        let domain = match self {
            Call::Op(op) => op.domain,
            Call::MultiOutputOp(several) => several.domain,
        };
        let read = sample(
            cpu,
            self.callee(),
            domain,
            DType::F32,
            &mut Numbers::new(7),
            text,
        );
        let sample = read.map_err(|error| error.to_string())?;
        let run = |engine: &Engine, flush: bool| {
            let operands = self.operands(engine, &sample, &values.fill, flush)?;
            self.results(engine, &operands, &sample.attrs)
        };
        let judge = Judge::new(device, name);
        let (expected, got) = (run(cpu, false), run(device, false));
        // WGSL may take a subnormal number for zero.
        let flushed = judge.runs_wgsl().then(|| run(cpu, true));
        let Err(why) = agree(&judge, &expected, flushed.as_ref(), &got) else {
            return Ok(None);
        };
        let beyond = |t: &Tensor| {
            t.dtype() == DType::I64
                && t.to_f64()
                    .is_ok_and(|all| all.iter().any(|x| x.abs() > f64::from(i32::MAX)))
        };
        if judge.runs_wgsl() && expected.is_ok_and(|all| all.iter().any(beyond)) {
            return Ok(Some(BEYOND_32_BITS.to_owned()));
        }
        match judge.excuse(values.name) {
            Some(reason) => Ok(Some(format!("{name}, {}: {reason}", values.name))),
            None => Err(why),
        }
    }

    /// The operands of a sample on an engine, with other values.
    fn operands(
        &self,
        engine: &Engine,
        sample: &Sample,
        fill: &Fill,
        flush: bool,
    ) -> Result<Vec<Tensor>> {
        let operand = |(at, operand): (usize, &Tensor)| {
            let (mut shape, dtype) = (operand.shape().to_vec(), operand.dtype());
            if let Fill::None { last } = fill {
                let dim = if *last { shape.len() } else { 1 };
                if let Some(size) = shape.get_mut(dim.wrapping_sub(1)) {
                    *size = 0;
                }
                let all = if shape.contains(&0) {
                    Vec::new()
                } else {
                    operand.to_scalars()?
                };
                return Tensor::from_scalars(engine, &all, &shape, dtype);
            }
            // Indices and masks stay.
            if !dtype.is_float() {
                return Tensor::from_scalars(engine, &operand.to_scalars()?, &shape, dtype);
            }
            let (list, dtype): (Vec<Scalar>, DType) = match fill {
                Fill::Floats(dtype, list) => {
                    let normal = match dtype {
                        DType::F16 => 2f32.powi(-14),
                        _ => f32::MIN_POSITIVE,
                    };
                    let kept = |&x: &f32| match flush && x.abs() < normal {
                        true => 0.0f32.copysign(x),
                        false => x,
                    };
                    let list = list.iter().map(kept).map(|x| Scalar::Float(x.into()));
                    (list.collect(), *dtype)
                }
                Fill::Integers(list) => {
                    (list.iter().map(|&i| Scalar::Int(i)).collect(), DType::I32)
                }
                Fill::None { .. } => (Vec::new(), dtype),
            };
            if self.takes_pairs() {
                shape = if at == 0 {
                    vec![list.len(), 1]
                } else {
                    vec![list.len()]
                };
            }
            // The second operand begins elsewhere, so that others meet.
            let n = shape.iter().product::<usize>();
            let all: Vec<Scalar> = (0..n).map(|i| list[(i + 3 * at) % list.len()]).collect();
            Tensor::from_scalars(engine, &all, &shape, dtype)
        };
        sample.operands.iter().enumerate().map(operand).collect()
    }

    /// What the call gives, and the gradients of its first result.
    fn results(&self, engine: &Engine, operands: &[Tensor], attrs: &Attrs) -> Result<Results> {
        let differentiable = match self {
            Call::Op(op) => op.is_differentiable(),
            Call::MultiOutputOp(_) => true,
        };
        for operand in operands {
            if differentiable && operand.dtype().is_float() {
                operand.set_requires_grad(true)?;
            }
        }
        let mut results = match self {
            Call::Op(op) => vec![Tensor::apply(engine, op, operands, attrs.clone())?],
            Call::MultiOutputOp(several) => Tensor::apply_multi(engine, several, operands, attrs)?,
        };
        if let Some(first) = results.first().filter(|first| first.requires_grad()) {
            let weights = Tensor::full(engine, &first.shape(), Scalar::Float(0.75), first.dtype())?;
            first.backward(Some(&weights), Default::default())?;
        }
        results.extend(operands.iter().filter_map(Tensor::grad));
        Ok(results)
    }
}

/// The elements of results: some errors come when they are read.
fn read(results: &Result<Results>) -> Result<Vec<Vec<Scalar>>, Error> {
    let results = results.as_ref().map_err(Clone::clone)?;
    results.iter().map(Tensor::to_scalars).collect()
}

/// Whether a device did what the CPU did, element by element with the numbers it was given or with
/// others that it may take them for; otherwise what differs.
fn agree(
    judge: &Judge,
    expected: &Result<Results>,
    or: Option<&Result<Results>>,
    got: &Result<Results>,
) -> std::result::Result<(), String> {
    let (numbers, others) = match (read(expected), read(got)) {
        (Err(expected), Err(got)) if expected.kind == got.kind => return Ok(()),
        (Err(expected), Err(got)) => return Err(format!("raised {got}, on the CPU {expected}")),
        (Err(_), Ok(_)) if judge.is_checked_on_cpu_alone() => return Ok(()),
        (Err(expected), Ok(_)) => return Err(format!("should raise {expected}")),
        (Ok(_), Err(got)) => return Err(format!("raised {got}")),
        (Ok(numbers), Ok(others)) => (numbers, others),
    };
    let or = or.and_then(|or| read(or).ok()).unwrap_or_default();
    let tensors = expected.iter().flatten().zip(got.iter().flatten());
    for (i, (a, b)) in tensors.enumerate() {
        if a.shape() != b.shape() || a.dtype() != b.dtype() {
            return Err(format!(
                "result {i} is {} {:?}, on the CPU {} {:?}",
                b.dtype(),
                &b.shape()[..],
                a.dtype(),
                &a.shape()[..]
            ));
        }
        let or = or.get(i).map_or(&[][..], Vec::as_slice);
        if let Some(at) = judge.first_far(&others[i], &numbers[i], a.dtype(), or) {
            let (got, expected) = (others[i][at], numbers[i][at]);
            return Err(format!(
                "result {i}, element {at} is {got:?}, expected {expected:?}"
            ));
        }
    }
    Ok(())
}
