//! Every op of the registry, exported alone.

use std::collections::BTreeMap;

use glowgrad::bind::Callee;
use glowgrad::op::Attrs;
use glowgrad::samples::{Numbers, sample, texts};
use glowgrad::{DType, Engine, Result, Scalar, Tensor, ops};

use crate::exporting::{Ended, Exported, export};

/// What makes the results of a call.
type Run = fn(&Engine, &str, &[Tensor], &Attrs) -> Result<Vec<Tensor>>;

/// One call of an op or of what gives several tensors.
struct Sampled {
    op: &'static str,
    text: &'static str,
    operands: Vec<Tensor>,
    attrs: Attrs,
    run: Run,
}

fn run_op(engine: &Engine, op: &str, x: &[Tensor], attrs: &Attrs) -> Result<Vec<Tensor>> {
    let op = ops::find(op).expect("an op");
    Ok(vec![Tensor::apply(engine, op, x, attrs.clone())?])
}

fn run_several(engine: &Engine, op: &str, x: &[Tensor], attrs: &Attrs) -> Result<Vec<Tensor>> {
    let several = ops::multi_output().find(|several| several.name == op);
    Tensor::apply_multi(engine, several.expect("a call"), x, attrs)
}

/// The samples of the whole registry in a dtype; those that a dtype has not are left out.
fn samples(engine: &Engine, dtype: DType) -> Vec<Sampled> {
    let mut all = Vec::new();
    let mut read = |callee: Callee, domain, texts: &'static [&'static str], run| {
        let mut numbers = Numbers::new(7);
        for text in texts {
            let name = callee.name;
            if let Ok(mut sample) = sample(engine, callee, domain, dtype, &mut numbers, text) {
                sorted(engine, name, &mut sample.operands);
                all.push(Sampled {
                    op: name,
                    text,
                    operands: sample.operands,
                    attrs: sample.attrs,
                    run,
                });
            }
        }
    };
    for op in ops::all() {
        read(
            op.into(),
            op.domain,
            texts(op).expect("samples"),
            run_op as Run,
        );
    }
    for several in ops::multi_output() {
        read(
            several.into(),
            several.domain,
            several.samples,
            run_several as Run,
        );
    }
    all
}

/// Operands that are sorted sequences, or name the order of one.
pub(crate) fn sequences(op: &str) -> &'static [usize] {
    match op {
        "searchsorted" => &[0, 2],
        "bucketize" => &[1],
        _ => &[],
    }
}

/// A sequence that is searched must be sorted; samples are drawn at random. The order in which a sorter names it is
/// then that of its elements.
fn sorted(engine: &Engine, op: &str, operands: &mut [Tensor]) {
    for &at in sequences(op) {
        if let Some(operand) = operands.get_mut(at) {
            let mut values = operand.to_f64().expect("numbers");
            values.sort_by(f64::total_cmp);
            let numbers: Vec<Scalar> = match at {
                2 => (0..values.len() as i64).map(Scalar::Int).collect(),
                _ => values.into_iter().map(Scalar::Float).collect(),
            };
            let (shape, dtype) = (operand.shape(), operand.dtype());
            *operand = Tensor::from_scalars(engine, &numbers, &shape, dtype).expect("fits");
        }
    }
}

/// What became of all samples of a dtype.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) written: Vec<Exported>,
    /// By op: how many calls, and the first reason.
    refused: BTreeMap<String, (usize, String)>,
    /// Calls of each op.
    calls: BTreeMap<String, usize>,
    /// Calls that the engine itself refuses in this dtype.
    no_call: usize,
    failed: Vec<String>,
}

pub(crate) fn all_samples(dtype: DType, opset: i64) -> Tally {
    let mut tally = Tally::default();
    let engine = glowgrad::cpu();
    for call in samples(&engine, dtype) {
        let name = format!("{} {} {dtype} opset {opset}", call.op, call.text);
        // A call that the dtype does not have is no matter of the export.
        if (call.run)(&engine, call.op, &call.operands, &call.attrs)
            .and_then(|results| results.iter().try_for_each(Tensor::realize))
            .is_err()
        {
            tally.no_call += 1;
            continue;
        }
        *tally.calls.entry(call.op.to_owned()).or_default() += 1;
        let run = |x: &[Tensor]| (call.run)(&engine, call.op, x, &call.attrs);
        let fixed = sequences(call.op);
        match export(&engine, &name, opset, &call.operands, fixed, run) {
            Ok(Ended::Written(exported)) => {
                if let Err(why) = exported.check() {
                    tally.failed.push(format!("{name}: {why}"));
                }
                tally.written.push(exported);
            }
            Ok(Ended::Refused(refused)) => {
                let reason = refused[0].reason.clone();
                let entry = tally.refused.entry(call.op.to_owned());
                entry.or_insert((0, reason)).0 += 1;
            }
            Err(error) => tally.failed.push(format!("{name}: {error}")),
        }
    }
    tally
}

fn none(failed: &[String]) {
    assert!(
        failed.is_empty(),
        "{} differ:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

#[test]
fn every_op_is_written_or_refused_by_name() {
    let tally = all_samples(DType::F32, 18);
    let lines: Vec<String> = (tally.refused.iter())
        .map(|(op, (n, reason))| format!("{op} | {n} of {} | {reason}", tally.calls[op]))
        .collect();
    let mut ops: Vec<&str> = (tally.written.iter())
        .map(|e| e.name.split(' ').next().unwrap_or(""))
        .collect();
    ops.dedup();
    println!(
        "{} of {} ops are written ({} calls), of {} ops calls are refused, {} calls are none in float32",
        ops.len(),
        tally.calls.len(),
        tally.written.len(),
        lines.len(),
        tally.no_call
    );
    none(&tally.failed);
    let got = lines.join("\n") + "\n";
    let committed = include_str!("../data/refused.txt");
    if got != committed {
        if let Ok(path) = std::env::var("UPDATE_REFUSED") {
            std::fs::write(path, &got).expect("is written");
        }
        panic!("tests/data/refused.txt is not what is refused now:\n{got}");
    }
}

#[test]
fn other_dtypes_and_operator_sets_are_the_same() {
    for (dtype, opset) in [
        (DType::F64, 18),
        (DType::F16, 18),
        (DType::BF16, 18),
        (DType::I64, 18),
        (DType::I32, 18),
        (DType::U8, 18),
        (DType::Bool, 18),
        (DType::F32, 20),
        (DType::F32, 21),
        (DType::F32, 23),
        (DType::F32, 25),
    ] {
        let tally = all_samples(dtype, opset);
        println!(
            "{dtype}, operator set {opset}: {} calls",
            tally.written.len()
        );
        none(&tally.failed);
    }
}
