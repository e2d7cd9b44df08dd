//! Branches and loops: `If`, `Loop`, `Scan`; and whether an input is there.
//!
//! A condition is read when its node runs, so what it depends on is computed then.

use glowgrad::{DType, Error, Result, Scalar, Tensor};

use super::{many, one};
use crate::call::{Methods, args, axis, full, heard};
use crate::graph::{Call, Graph, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    many("If", 1, branch),
    many("Loop", 1, repeat),
    many("Scan", 9, scan),
    one("OptionalHasElement", 15, |c| {
        let is_there = Scalar::Bool(c.get(0).is_some());
        Tensor::full(c.engine, &[], is_there, DType::Bool)
    }),
    one("OptionalGetElement", 15, |c| Ok(c.x(0)?.clone())),
];

fn is_true(tensor: &Tensor) -> Result<bool> {
    Ok(tensor.item()?.as_f64() != 0.0)
}

fn branch(c: &Call) -> Result<Vec<Tensor>> {
    let name = match is_true(c.x(0)?)? {
        true => "then_branch",
        false => "else_branch",
    };
    c.run(c.body(name)?, Vec::new())
}

/// Values of all rounds along a new axis.
fn stacked(c: &Call, rounds: &[Tensor], body: &Graph, output: usize, at: i64) -> Result<Tensor> {
    if rounds.is_empty() {
        // No round told the shape: what the body says of it, with unknown sizes as 0.
        let info = &body.outputs[output];
        let value = crate::value::Value::of(info)?;
        let mut shape = vec![0];
        for size in value.shape.unwrap_or_default() {
            shape.push(match size {
                crate::value::Size::Fixed(n) => n,
                _ => 0,
            });
        }
        return full(c.engine, &shape, 0.0, value.dtype.unwrap_or(DType::F32));
    }
    let each: Result<Vec<Tensor>> = rounds.iter().map(|value| value.unsqueeze(at)).collect();
    c.op("cat", args![each?.as_slice(), at])
}

fn repeat(c: &Call) -> Result<Vec<Tensor>> {
    let body = c.body("body")?;
    let most = match c.get(0) {
        Some(n) => n.item()?.as_i64(),
        None => i64::MAX,
    };
    let mut goes_on = match c.get(1) {
        Some(condition) => is_true(condition)?,
        None => true,
    };
    let mut carried: Vec<Tensor> = c.inputs.iter().skip(2).flatten().cloned().collect();
    let n_carried = carried.len();
    if body.outputs.len() <= n_carried || body.inputs.len() != n_carried + 2 {
        return Err(Error::value(format!(
            "the loop carries {n_carried} values, and its body has {} inputs and {} outputs; expected two inputs more, and one output more or more than one",
            body.inputs.len(),
            body.outputs.len()
        )));
    }
    let mut rounds: Vec<Vec<Tensor>> = vec![Vec::new(); body.outputs.len() - 1 - n_carried];
    let around = c.around(body)?;
    let mut round = 0;
    while goes_on && round < most {
        heard()?;
        let mut inputs = vec![
            Some(Tensor::from_i64(c.engine, &[round], &[])?),
            Some(Tensor::full(
                c.engine,
                &[],
                Scalar::Bool(true),
                DType::Bool,
            )?),
        ];
        inputs.extend(carried.into_iter().map(Some));
        let mut made = c.run_within(body, inputs, &around)?.into_iter();
        goes_on = match made.next() {
            Some(condition) => is_true(&condition)?,
            None => false,
        };
        carried = made.by_ref().take(n_carried).collect();
        for (all, value) in rounds.iter_mut().zip(made) {
            all.push(value);
        }
        round += 1;
    }
    let mut results = carried;
    for (i, all) in rounds.iter().enumerate() {
        results.push(stacked(c, all, body, 1 + n_carried + i, 0)?);
    }
    Ok(results)
}

fn scan(c: &Call) -> Result<Vec<Tensor>> {
    let body = c.body("body")?;
    let n_scanned = c.int_or("num_scan_inputs", 0);
    let inputs = c.all();
    let fits = |&n: &usize| n >= 1 && n <= inputs.len() && body.inputs.len() == inputs.len();
    let n_scanned = usize::try_from(n_scanned).ok().filter(fits).ok_or_else(|| {
        Error::value(format!(
            "{n_scanned} of {} inputs are scanned, and the body has {} inputs; expected at least one and as many inputs of the body",
            inputs.len(),
            body.inputs.len()
        ))
    })?;
    let (states, scanned) = inputs.split_at(inputs.len() - n_scanned);
    let mut states = states.to_vec();
    let n_states = states.len();
    if body.outputs.len() < n_states {
        return Err(Error::value(format!(
            "the body has {} outputs; expected at least one for each of {n_states} states",
            body.outputs.len()
        )));
    }
    let at = |name: &str, i: usize| -> i64 {
        c.ints(name)
            .and_then(|list| list.get(i).copied())
            .unwrap_or(0)
    };
    let mut axes = Vec::new();
    let mut steps = None;
    for (i, x) in scanned.iter().enumerate() {
        let along = axis(at("scan_input_axes", i), x.rank())?;
        let n = x.shape()[along];
        if steps.is_some_and(|steps| steps != n) {
            return Err(Error::value(format!(
                "scanned inputs have {} and {n} steps; expected as many of each",
                steps.unwrap_or(0)
            )));
        }
        steps = Some(n);
        axes.push(along as i64);
    }
    let steps = steps.unwrap_or(0) as i64;
    let mut rounds: Vec<Vec<Tensor>> = vec![Vec::new(); body.outputs.len() - n_states];
    let around = c.around(body)?;
    for round in 0..steps {
        heard()?;
        let mut inputs: Vec<Option<Tensor>> = states.into_iter().map(Some).collect();
        for (i, x) in scanned.iter().enumerate() {
            let place = match at("scan_input_directions", i) {
                0 => round,
                _ => steps - 1 - round,
            };
            inputs.push(Some(x.select(axes[i], place)?));
        }
        let mut made = c.run_within(body, inputs, &around)?.into_iter();
        states = made.by_ref().take(n_states).collect();
        for (all, value) in rounds.iter_mut().zip(made) {
            all.push(value);
        }
    }
    let mut results = states;
    for (i, mut all) in rounds.into_iter().enumerate() {
        if at("scan_output_directions", i) != 0 {
            all.reverse();
        }
        let along = at("scan_output_axes", i);
        results.push(stacked(c, &all, body, n_states + i, along)?);
    }
    Ok(results)
}
