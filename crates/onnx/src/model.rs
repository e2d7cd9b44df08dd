//! A model that was read, and one whose weights are on an engine.

use std::collections::HashMap;

use glowgrad::{Engine, Error, Result, Tensor};
use glowgrad_files::onnx::{ModelProto, ValueInfoProto, decode};

use crate::graph::{Graph, Unsupported};
use crate::resolve::{Resolver, versions};
use crate::run::run;
use crate::scope::Scope;
use crate::value::Value;
use glowgrad_files::tensor::{from_array, of_file};

/// The versions of the format that are read.
const IR_VERSIONS: std::ops::RangeInclusive<i64> = 3..=13;

/// The versions of ONNX's own operator set that are read.
const OPSETS: std::ops::RangeInclusive<i64> = 7..=25;

/// A model, ready to run on any engine.
///
/// See the crate's example.
#[derive(Debug)]
pub struct Model {
    graph: Graph,
    inputs: Vec<Value>,
    outputs: Vec<Value>,
    opset: i64,
}

/// What is known of a model before it is known that it runs.
pub(crate) struct Resolved {
    pub(crate) proto: ModelProto,
    pub(crate) graph: Graph,
    pub(crate) versions: HashMap<String, i64>,
    pub(crate) unsupported: Vec<Unsupported>,
}

/// Decodes a model and resolves its nodes.
pub(crate) fn resolve(bytes: &[u8]) -> Result<Resolved> {
    let proto: ModelProto = decode(bytes).map_err(of_file)?;
    let ir = proto.ir_version();
    if !IR_VERSIONS.contains(&ir) {
        return Err(Error::not_implemented(format!(
            "the model has IR version {ir}; expected {} to {}: check that the file is an ONNX model, or save it with a version among them",
            IR_VERSIONS.start(),
            IR_VERSIONS.end()
        )));
    }
    let versions = versions(&proto.opset_import);
    let Some(&opset) = versions.get("") else {
        return Err(Error::value(
            "the model imports no version of ONNX's operator set (ai.onnx); export it again with opset_version=17",
        ));
    };
    if !OPSETS.contains(&opset) {
        return Err(Error::not_implemented(format!(
            "the model uses version {opset} of ONNX's operator set; expected {} to {}: export it again with opset_version=17",
            OPSETS.start(),
            OPSETS.end()
        )));
    }
    let Some(graph) = &proto.graph else {
        return Err(Error::value(
            "the model has no graph; check that the file is an ONNX model",
        ));
    };
    let mut resolver = Resolver::new(&proto);
    let graph = resolver.main(graph, &versions)?;
    Ok(Resolved {
        unsupported: resolver.unsupported,
        graph,
        versions,
        proto,
    })
}

/// The inputs that a caller gives: an initializer is none, though old models list it.
pub(crate) fn own_inputs(graph: &Graph) -> Result<Vec<Value>> {
    let constants: std::collections::HashSet<&str> =
        graph.constants.iter().map(|c| c.name()).collect();
    let given = |info: &&ValueInfoProto| !constants.contains(info.name());
    graph.inputs.iter().filter(given).map(Value::of).collect()
}

impl Model {
    /// A model from the bytes of a `.onnx` file.
    ///
    /// # Errors
    /// For bytes that are no model, versions that are not read, and nodes that are not supported: all of them are named.
    pub fn read(bytes: &[u8]) -> Result<Model> {
        let resolved = resolve(bytes)?;
        let unsupported = &resolved.unsupported;
        if !unsupported.is_empty() {
            let each: Vec<String> = unsupported.iter().map(Unsupported::to_string).collect();
            return Err(Error::not_implemented(format!(
                "{} of the model's nodes are not supported: {}; export the model without these operators",
                unsupported.len(),
                each.join(", ")
            )));
        }
        let graph = resolved.graph;
        for constant in &graph.constants {
            constant.to_array().map_err(of_file)?;
        }
        Ok(Model {
            inputs: own_inputs(&graph)?,
            outputs: graph.outputs.iter().map(Value::of).collect::<Result<_>>()?,
            opset: resolved.versions.get("").copied().unwrap_or(0),
            graph,
        })
    }

    /// What a caller must give.
    pub fn inputs(&self) -> &[Value] {
        &self.inputs
    }

    /// What a caller gets.
    pub fn outputs(&self) -> &[Value] {
        &self.outputs
    }

    /// The version of ONNX's operator set that it uses.
    pub fn opset(&self) -> i64 {
        self.opset
    }

    /// Puts the weights on an engine, for many runs.
    ///
    /// # Errors
    /// When memory is short.
    pub fn load(&self, engine: &Engine) -> Result<Loaded<'_>> {
        let mut weights = Vec::new();
        for proto in &self.graph.constants {
            let array = proto.to_array().map_err(of_file)?;
            weights.push((proto.name(), from_array(engine, &array)?));
        }
        Ok(Loaded {
            model: self,
            engine: engine.clone(),
            weights,
        })
    }

    /// Runs it once: inputs by name to outputs by name, in the model's order.
    ///
    /// # Errors
    /// As [`Model::load`] and [`Loaded::run`].
    pub fn run<N: AsRef<str>>(
        &self,
        engine: &Engine,
        inputs: impl IntoIterator<Item = (N, Tensor)>,
    ) -> Result<Vec<(String, Tensor)>> {
        self.load(engine)?.run(inputs)
    }
}

/// A model whose weights are on an engine.
pub struct Loaded<'a> {
    model: &'a Model,
    engine: Engine,
    weights: Vec<(&'a str, Tensor)>,
}

impl Loaded<'_> {
    /// The weights by name: tensors that may be written, or ask for a gradient.
    pub fn weights(&self) -> impl Iterator<Item = (&str, &Tensor)> {
        self.weights.iter().map(|(name, tensor)| (*name, tensor))
    }

    /// Inputs by name to outputs by name, in the model's order. An input that has a default may be left out. Outputs are
    /// computed when they are read.
    ///
    /// # Errors
    /// For inputs that are missing, unknown or of another type than the model says; what a node says of its operands.
    pub fn run<N: AsRef<str>>(
        &self,
        inputs: impl IntoIterator<Item = (N, Tensor)>,
    ) -> Result<Vec<(String, Tensor)>> {
        let graph = &self.model.graph;
        let scope = Scope::new(None);
        for (name, weight) in &self.weights {
            scope.set(name, weight.clone());
        }
        let names = || {
            let names: Vec<&str> = self.model.inputs.iter().map(|i| i.name.as_str()).collect();
            names.join(", ")
        };
        for (name, tensor) in inputs {
            let name = name.as_ref();
            let Some(info) = graph.inputs.iter().find(|info| info.name() == name) else {
                return Err(Error::value(format!(
                    "the model has no input {name:?}; it has: {}",
                    names()
                )));
            };
            Value::of(info)?.check(&tensor)?;
            scope.set(name, tensor);
        }
        if let Some(missing) = (self.model.inputs.iter()).find(|i| scope.get(&i.name).is_none()) {
            return Err(Error::value(format!(
                "the input {:?} is missing; the model needs: {}",
                missing.name,
                names()
            )));
        }
        let tensors = run(&self.engine, graph, &scope)?;
        let names = self.model.outputs.iter().map(|output| output.name.clone());
        Ok(names.zip(tensors).collect())
    }
}
