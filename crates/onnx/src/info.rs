//! What a model is made of, whether it runs or not.

use std::collections::BTreeMap;

use glowgrad::Result;

use crate::graph::Unsupported;
use crate::model::{own_inputs, resolve};
use crate::value::Value;

/// An operator of a model, and how many nodes call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// Its name, with its set where that is not ONNX's own.
    pub name: String,
    /// How many nodes call it, those in branches, loops and functions included.
    pub n_nodes: usize,
}

/// What `glow onnx info` prints.
#[derive(Debug, Clone)]
pub struct Info {
    /// The version of the format.
    pub ir_version: i64,
    /// The program that wrote the file, with its version.
    pub producer: String,
    /// Operator sets with their versions; ONNX's own is `ai.onnx`.
    pub opsets: Vec<(String, i64)>,
    /// What a caller gives.
    pub inputs: Vec<Value>,
    /// What a caller gets.
    pub outputs: Vec<Value>,
    /// Operators, the most frequent first.
    pub operators: Vec<Operator>,
    /// How many numbers the weights have together.
    pub n_parameters: usize,
    /// The nodes that the engine cannot run.
    pub unsupported: Vec<Unsupported>,
}

impl Info {
    /// Reads a model and runs nothing.
    ///
    /// # Errors
    /// For bytes that are no model, and versions that are not read.
    pub fn read(bytes: &[u8]) -> Result<Info> {
        let resolved = resolve(bytes)?;
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        resolved.graph.each_node(&mut |node| {
            let name = match node.domain.as_str() {
                "" => node.op.clone(),
                domain => format!("{domain}.{}", node.op),
            };
            *counts.entry(name).or_default() += 1;
        });
        let mut operators: Vec<Operator> = (counts.into_iter())
            .map(|(name, n_nodes)| Operator { name, n_nodes })
            .collect();
        operators.sort_by_key(|operator| std::cmp::Reverse(operator.n_nodes));
        let mut opsets: Vec<(String, i64)> = (resolved.versions.iter())
            .map(|(name, &version)| match name.as_str() {
                "" => ("ai.onnx".to_owned(), version),
                name => (name.to_owned(), version),
            })
            .collect();
        opsets.sort();
        let mut n_parameters = 0usize;
        for constant in &resolved.graph.constants {
            let array = constant
                .to_array()
                .map_err(glowgrad_files::tensor::of_file)?;
            n_parameters += array.shape().iter().product::<usize>();
        }
        let proto = &resolved.proto;
        let producer = format!("{} {}", proto.producer_name(), proto.producer_version());
        Ok(Info {
            ir_version: proto.ir_version(),
            producer: producer.trim().to_owned(),
            opsets,
            inputs: own_inputs(&resolved.graph)?,
            outputs: (resolved.graph.outputs.iter())
                .map(Value::of)
                .collect::<Result<_>>()?,
            operators,
            n_parameters,
            unsupported: resolved.unsupported,
        })
    }
}
