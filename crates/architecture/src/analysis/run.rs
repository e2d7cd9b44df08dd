//! One computation of shapes and dtypes, with a number for each open size.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::rc::Rc;

use crate::arguments;
use crate::catalog::{self, Row};
use crate::check::sorted;
use crate::expression::{Scope, Value};
use crate::functions::{FUNCTIONS, Function, Shape, function};
use crate::model::{Architecture, Args, Block, Graph, Node, Source};
use crate::shapes;

/// What a node is.
pub(crate) enum Kind<'a> {
    Layer(&'static Row),
    Function(&'static Function),
    Block(&'a Block),
    Sequential,
}

/// What a node's type names.
pub(crate) fn kind<'a>(net: &'a Architecture, name: &str) -> Result<Kind<'a>, String> {
    if let Some(block) = net.block(name) {
        return Ok(Kind::Block(block));
    }
    if name == "Sequential" {
        return Ok(Kind::Sequential);
    }
    if let Some(function) = function(name) {
        return Ok(Kind::Function(function));
    }
    if let Some(row) = catalog::row(name) {
        return match row.kind.as_str() {
            "layer" => Ok(Kind::Layer(row)),
            kind => Err(format!("{name} is a {kind}, which is no node of a graph")),
        };
    }
    let layers = catalog::rows()
        .iter()
        .filter(|row| row.kind == "layer")
        .map(Row::short);
    let names = layers
        .chain(FUNCTIONS.iter().map(|one| one.name))
        .chain(net.blocks.iter().map(|one| one.name.as_str()));
    Err(match catalog::nearest(name, names).first() {
        Some(near) => format!("there is no layer, function or block {name}; did you mean {near}?"),
        None => format!("there is no layer, function or block {name}"),
    })
}

/// Results of layers that give several.
pub(super) fn result_names(kind: &str, n: usize) -> Vec<String> {
    let names: &[&str] = match kind {
        _ if n < 2 => &[],
        "LSTM" => &["output", "h_n", "c_n"],
        "RNN" | "GRU" => &["output", "h_n"],
        "LSTMCell" => &["h", "c"],
        "MultiheadAttention" => &["output", "weights"],
        _ => &[],
    };
    (0..n)
        .map(|i| {
            names
                .get(i)
                .map_or_else(|| i.to_string(), |name| (*name).to_owned())
        })
        .filter(|_| n > 1)
        .collect()
}

#[derive(Debug, Clone)]
pub(super) struct Tensor {
    pub(super) shape: Shape,
    pub(super) dtype: &'static str,
}

/// What a node gives, with the number of its parameters; otherwise its fault.
type Made = Result<(Vec<Tensor>, u64), String>;

/// The most nodes that one computation goes through, those of blocks counted for each setting: blocks in blocks can
/// double them forty times over.
const MOST_STEPS: u32 = 50_000;

/// What the computations of a network and of its blocks have in common.
#[derive(Default)]
struct Shared {
    /// Of each use of a block, by its name, its parameters and what it takes.
    blocks: RefCell<HashMap<String, Made>>,
    steps: Cell<u32>,
}

/// One computation, with a number for each letter.
pub(super) struct Run<'a> {
    net: &'a Architecture,
    pub(super) found: BTreeMap<String, Found>,
    shared: Rc<Shared>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    pub(super) results: Vec<Tensor>,
    pub(super) parameters: u64,
    pub(super) fault: Option<String>,
    pub(super) is_waiting: bool,
}

pub(super) fn dtype_named(name: &str) -> &'static str {
    match name {
        "int64" => "int64",
        "bool" => "bool",
        _ => "float32",
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(net: &'a Architecture) -> Run<'a> {
        Run {
            net,
            found: BTreeMap::new(),
            shared: Rc::default(),
        }
    }

    /// The results of a graph, none where a source has a fault.
    pub(super) fn graph(
        &mut self,
        graph: &Graph<'_>,
        inputs: Vec<Option<Tensor>>,
        scope: &Scope,
        path: &str,
    ) -> Vec<Option<Tensor>> {
        let mut values: HashMap<&str, Vec<Tensor>> = HashMap::new();
        for (name, tensor) in graph.inputs.iter().zip(inputs) {
            values.insert(name, tensor.into_iter().collect());
        }
        let order = sorted(graph.nodes).unwrap_or_default();
        for at in order {
            let node = &graph.nodes[at];
            let mut operands = Vec::new();
            let mut fault = None;
            let mut is_waiting = false;
            for text in &node.inputs {
                let source = Source::parse(text);
                match values.get(source.name) {
                    None => fault = Some(format!("its source {} does not exist", source.name)),
                    Some(found) => match found.get(source.result) {
                        Some(tensor) => operands.push(tensor.clone()),
                        None if found.is_empty() => {
                            is_waiting = fault.is_none();
                            fault
                                .get_or_insert_with(|| format!("{} has no shape yet", source.name));
                        }
                        None => {
                            fault = Some(format!("{} has no result {}", source.name, source.result))
                        }
                    },
                }
            }
            let own = format!("{path}{}", node.id);
            let made = match fault {
                Some(fault) => Err(fault),
                None => self.node(graph, node, &operands, scope, &own),
            };
            let found = match made {
                Ok((results, parameters)) => Found {
                    results,
                    parameters,
                    ..Found::default()
                },
                Err(fault) => Found {
                    fault: Some(fault),
                    is_waiting,
                    ..Found::default()
                },
            };
            values.insert(&node.id, found.results.clone());
            self.found.entry(own).or_insert(found);
        }
        let output = |text: &String| {
            let source = Source::parse(text);
            values.get(source.name)?.get(source.result).cloned()
        };
        graph.outputs.iter().map(output).collect()
    }

    fn node(
        &mut self,
        graph: &Graph<'_>,
        node: &Node,
        operands: &[Tensor],
        scope: &Scope,
        path: &str,
    ) -> Made {
        let steps = self.shared.steps.get() + 1;
        if steps > MOST_STEPS {
            return Err(format!(
                "the network has more than {MOST_STEPS} nodes when its blocks are taken apart; repeat blocks less deep in each other"
            ));
        }
        self.shared.steps.set(steps);
        let times = u64::from(node.repeat.unwrap_or(1));
        let (results, parameters) = match &node.same {
            Some(name) => {
                let other = graph
                    .nodes
                    .iter()
                    .find(|other| other.id == *name && other.same.is_none());
                let other = other
                    .ok_or_else(|| format!("it uses {name} once more, which is no layer here"))?;
                if matches!(kind(self.net, &other.kind)?, Kind::Function(_)) {
                    return Err(format!(
                        "{name} is a function, of which nothing is shared; use another one"
                    ));
                }
                let (results, _) = self.made(
                    &other.kind,
                    &other.args,
                    &other.children,
                    operands,
                    scope,
                    path,
                )?;
                (results, 0)
            }
            None => self.made(
                &node.kind,
                &node.args,
                &node.children,
                operands,
                scope,
                path,
            )?,
        };
        if times > 1 {
            let is_same = results.len() == 1
                && operands.len() == 1
                && results[0].shape == operands[0].shape
                && results[0].dtype == operands[0].dtype;
            if !is_same {
                let shapes: Vec<Shape> = operands.iter().map(|one| one.shape.clone()).collect();
                let after: Vec<Shape> = results.iter().map(|one| one.shape.clone()).collect();
                return Err(format!(
                    "it stands {times} times in a row, and so has to give the shape that it takes; it takes {} and gives {}",
                    shapes::shown(&shapes),
                    shapes::shown(&after)
                ));
            }
        }
        Ok((results, parameters.saturating_mul(times)))
    }

    fn made(
        &mut self,
        name: &str,
        args: &Args,
        children: &[Node],
        operands: &[Tensor],
        scope: &Scope,
        path: &str,
    ) -> Made {
        let operand_shapes: Vec<Shape> = operands.iter().map(|one| one.shape.clone()).collect();
        match kind(self.net, name)? {
            Kind::Layer(row) => {
                let settings = arguments::of_layer(row, args, scope)?;
                let parameters = shapes::parameters(row, &settings)?;
                if operands.is_empty() {
                    return Err("it has no source; draw a wire to it".to_owned());
                }
                let takes_index = matches!(row.short(), "Embedding" | "EmbeddingBag");
                for tensor in operands {
                    if (tensor.dtype == "int64") != takes_index {
                        let wanted = if takes_index {
                            "whole numbers (int64): indices"
                        } else {
                            "numbers with a fraction (float32)"
                        };
                        return Err(format!("{name} takes {wanted}; {} came", tensor.dtype));
                    }
                }
                let found = shapes::results(row, &settings, &operand_shapes)?;
                let tensors = found.into_iter().map(|shape| Tensor {
                    shape,
                    dtype: "float32",
                });
                Ok((tensors.collect(), parameters))
            }
            Kind::Function(function) => {
                let settings = arguments::of_function(function, args, scope)?;
                if operands.is_empty() && !function.operands.is_empty() {
                    return Err("it has no source; draw a wire to it".to_owned());
                }
                let dtype = dtype_of(function, operands)?;
                let found = function.shapes(&operand_shapes, &settings)?;
                let parameters = match function.name {
                    "parameter" => found[0]
                        .iter()
                        .try_fold(1u64, |n, &size| n.checked_mul(size as u64))
                        .unwrap_or(u64::MAX),
                    _ => 0,
                };
                let tensors = found.into_iter().map(|shape| Tensor { shape, dtype });
                Ok((tensors.collect(), parameters))
            }
            Kind::Block(block) => self.block(block, args, operands, scope),
            Kind::Sequential => {
                if children.is_empty() {
                    return Err(
                        "a Sequential without layers changes nothing; put a layer into it"
                            .to_owned(),
                    );
                }
                let (mut tensors, mut parameters) = (operands.to_vec(), 0u64);
                for (i, child) in children.iter().enumerate() {
                    let (found, n) = self
                        .node(
                            &Graph {
                                block: None,
                                inputs: &[],
                                nodes: &[],
                                outputs: &[],
                            },
                            child,
                            &tensors,
                            scope,
                            &format!("{path}.{i}"),
                        )
                        .map_err(|fault| format!("layer {i}, {}: {fault}", child.kind))?;
                    parameters = parameters.saturating_add(n);
                    tensors = found;
                }
                Ok((tensors, parameters))
            }
        }
    }

    /// The use of a block. Uses with the same parameters and operands are computed once.
    fn block(&mut self, block: &Block, args: &Args, operands: &[Tensor], scope: &Scope) -> Made {
        let mut inner = Scope::default();
        for parameter in &block.parameters {
            inner.set(&parameter.name, Value::from_json(&parameter.default));
        }
        let mut use_of = format!("{} {operands:?}", block.name);
        for (name, json) in args {
            if !block.parameters.iter().any(|one| one.name == *name) {
                let known: Vec<&str> = block
                    .parameters
                    .iter()
                    .map(|one| one.name.as_str())
                    .collect();
                return Err(format!(
                    "{} has no parameter {name}; it has {}",
                    block.name,
                    known.join(", ")
                ));
            }
            let value = arguments::computed(json, scope)?;
            let _ = write!(use_of, " {name}={value:?}");
            inner.set(name, value);
        }
        if operands.len() != block.inputs.len() {
            return Err(format!(
                "{} takes {} ({}), not {}",
                block.name,
                block.inputs.len(),
                block.inputs.join(", "),
                operands.len()
            ));
        }
        if let Some(made) = self.shared.blocks.borrow().get(&use_of) {
            return made.clone();
        }
        let made = self.first_use(block, operands, &inner);
        (self.shared.blocks.borrow_mut()).insert(use_of, made.clone());
        made
    }

    fn first_use(&mut self, block: &Block, operands: &[Tensor], scope: &Scope) -> Made {
        let prefix = format!("{}/", block.name);
        // Its nodes are shown as the first use has them; the count is that of this one.
        let mut own = Run {
            net: self.net,
            found: BTreeMap::new(),
            shared: Rc::clone(&self.shared),
        };
        let given = operands.iter().cloned().map(Some).collect();
        let results = own.graph(&block.graph(), given, scope, &prefix);
        let mut parameters = 0u64;
        let mut fault = None;
        for node in &block.nodes {
            if let Some(found) = own.found.get(&format!("{prefix}{}", node.id)) {
                parameters = parameters.saturating_add(found.parameters);
                if fault.is_none() && !found.is_waiting {
                    fault = found
                        .fault
                        .as_ref()
                        .map(|fault| format!("in {}, {}: {fault}", block.name, node.id));
                }
            }
        }
        for (path, found) in own.found {
            self.found.entry(path).or_insert(found);
        }
        if let Some(fault) = fault {
            return Err(fault);
        }
        let results: Option<Vec<Tensor>> = results.into_iter().collect();
        let results = results.filter(|results| !results.is_empty());
        Ok((
            results.ok_or_else(|| format!("the block {} has no result", block.name))?,
            parameters,
        ))
    }
}

fn dtype_of(function: &Function, operands: &[Tensor]) -> Result<&'static str, String> {
    let first = operands.first().map_or("float32", |tensor| tensor.dtype);
    Ok(match (function.name, function.family) {
        ("positions", _) => "int64",
        ("parameter", _) => "float32",
        (_, "activation") | ("mean" | "scaled_dot_product_attention" | "randn_like" | "div", _) => {
            match operands.iter().all(|tensor| tensor.dtype == "float32") {
                true => "float32",
                false => {
                    return Err(format!(
                        "{} takes numbers with a fraction (float32); {first} came",
                        function.name
                    ));
                }
            }
        }
        _ if operands.iter().any(|tensor| tensor.dtype == "float32") => "float32",
        _ => first,
    })
}
