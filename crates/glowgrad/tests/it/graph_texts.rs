//! A graph as text, read on another engine: the same ops with the same numbers, for every call of the registry.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeSet;

use glowgrad::graph_text::{self, Given, alias, same_as};
use glowgrad::node::NodeRef;
use glowgrad::op::{Kind, Op};
use glowgrad::trace::NodeId;
use glowgrad::{DType, Engine, Result, Tensor, ops};

use crate::suite::samples::{Sample, samples, samples_of_multi_output};

/// The ops from a node back to what is given, each before its operands.
fn calls(root: &NodeRef, given: &BTreeSet<NodeId>) -> Vec<&'static Op> {
    let mut found = Vec::new();
    let mut stack = vec![root.clone()];
    while let Some(node) = stack.pop() {
        if given.contains(&node.id) {
            continue;
        }
        if let Some(same) = alias(&node) {
            stack.push(same);
        } else if node.number.is_none() && !matches!(node.op.kind, Kind::Leaf) {
            found.push(node.op);
            stack.extend(node.src());
        }
    }
    found
}

fn ids(tensors: &[Tensor]) -> BTreeSet<NodeId> {
    let nodes = tensors.iter().flat_map(|tensor| same_as(&tensor.node()));
    nodes.map(|node| node.id).collect()
}

/// Writes the results of a call, reads them, and says how they differ.
fn there_and_back(engine: &Engine, operands: &[Tensor], results: &[Tensor]) -> Result<String> {
    let is_given = |x: &&Tensor| !x.node().is_python_number;
    let operands: Vec<Tensor> = operands.iter().filter(is_given).cloned().collect();
    let given = |(i, x): (usize, &Tensor)| Given {
        kind: "input",
        name: format!("x{i}"),
        node: x.node(),
        is_here: true,
    };
    let given: Vec<Given> = operands.iter().enumerate().map(given).collect();
    let outputs: Vec<(String, NodeRef)> = results
        .iter()
        .map(|y| (String::from("y"), y.node()))
        .collect();
    let written = graph_text::write(engine, &given, &outputs, &[])?;
    let other = glowgrad::cpu();
    other.set_retain_sources(true);
    let mut theirs = Vec::new();
    let read = graph_text::read(&other, &written.text, &written.bytes, |_, _, _, _, here| {
        let here = here.expect("it travels along");
        theirs.push(here.clone());
        Ok(here)
    })?;
    let (mine, theirs) = (ids(&operands), ids(&theirs));
    for (y, (_, z)) in results.iter().zip(&read.outputs) {
        let (here, there) = (calls(&y.node(), &mine), calls(&z.node(), &theirs));
        let is_same =
            here.len() == there.len() && here.iter().zip(&there).all(|(a, b)| std::ptr::eq(*a, *b));
        if !is_same {
            return Ok(format!("{here:?} became {there:?}"));
        }
        // What travels is row-major, and sums of other strides may end in another last bit.
        let is_close =
            |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= 1e-6 || a.is_nan() && b.is_nan();
        if y.shape() != z.shape() || !y.to_f64()?.iter().zip(&z.to_f64()?).all(is_close) {
            return Ok("other numbers".to_owned());
        }
    }
    Ok(String::new())
}

/// What makes the results of a call.
type Run<'a> = dyn Fn(&Engine, &Sample) -> Result<Vec<Tensor>> + 'a;

/// The calls of one name that are refused or come back as others.
fn failures(engine: &Engine, name: &str, samples: &[Sample], run: &Run) -> Vec<String> {
    let mut failures = Vec::new();
    for (i, sample) in samples.iter().enumerate() {
        let results = run(engine, sample).expect("a sample runs");
        match there_and_back(engine, &sample.operands, &results) {
            Ok(difference) if difference.is_empty() => {}
            Ok(difference) => failures.push(format!("{name}, sample {i}: {difference}")),
            Err(error) => failures.push(format!("{name}, sample {i}: {error}")),
        }
    }
    failures
}

#[test]
fn calls_of_several_results_come_back_as_the_same_ops() {
    let engine = glowgrad::cpu();
    engine.set_retain_sources(true);
    let mut all = Vec::new();
    for call in ops::multi_output() {
        let run = |engine: &Engine, sample: &Sample| {
            Tensor::apply_multi(engine, call, &sample.operands, &sample.attrs)
        };
        let samples = samples_of_multi_output(&engine, call, DType::F32);
        all.extend(failures(&engine, call.name, &samples, &run));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn ops_come_back_as_the_same_ops() {
    let engine = glowgrad::cpu();
    engine.set_retain_sources(true);
    let mut all = Vec::new();
    for op in ops::all() {
        let run = |engine: &Engine, sample: &Sample| {
            let attrs = sample.attrs.clone();
            Ok(vec![Tensor::apply(engine, op, &sample.operands, attrs)?])
        };
        let samples = samples(&engine, op, DType::F32);
        all.extend(failures(&engine, op.name, &samples, &run));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
