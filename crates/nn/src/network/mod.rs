//! Models made of a description: the network that a studio drew, run without its code.

mod functions;

use glowgrad_architecture::expression::{Scope, Value};
use glowgrad_architecture::functions::{Settings, function};
use glowgrad_architecture::model::{Args, Block, Graph, Node, Source};
use glowgrad_architecture::{Architecture, analyse, arguments};
use glowgrad_tensor::bind::Arg;
use glowgrad_tensor::{Engine, Error, Result, Scalar, Tensor};

use crate::nn::{self, GRU, LSTM, Module, MultiheadAttention, Part, Parts, RNN, init};
use crate::nn::{MultiheadAttentionOptions, RecurrentOptions};

/// A model of a description.
///
/// Its parameters have the names that its Python class gives them, so that a checkpoint of either loads in the other.
///
/// ```
/// use glowgrad_architecture::presets::preset;
/// use glowgrad_nn::network::Network;
/// use glowgrad_nn::nn::{Module, Parts};
/// use glowgrad_tensor::{Engine, Tensor};
/// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
///
/// let net = preset("lenet").expect("there is one");
/// let model = Network::new(&engine, &net)?;
/// assert_eq!(model.n_parameters(), 61_706);
/// let x = Tensor::from_f32(&engine, &[0.5; 784], &[1, 1, 28, 28])?;
/// assert_eq!(model.forward(&x)?.shape()[..], [1, 10]);
/// # Ok::<(), glowgrad_tensor::Error>(())
/// ```
pub struct Network {
    n_inputs: usize,
    body: Body,
}

/// A graph with its modules made.
struct Body {
    steps: Vec<NetworkStep>,
    outputs: Vec<Read>,
}

/// Where a value comes from: an input, or a result of a step.
#[derive(Clone, Copy)]
enum Read {
    Input(usize),
    Step(usize, usize),
}

struct NetworkStep {
    /// The name of what it makes; empty where it makes nothing of its own.
    name: String,
    does: Does,
    reads: Vec<Read>,
}

enum Does {
    Item(Item),
    /// The item of an earlier step once more.
    Again(usize),
    Function(&'static str, Settings),
}

/// What has parameters.
enum Item {
    Layer(Box<dyn Module>),
    Rnn(RNN),
    Gru(GRU),
    Lstm(LSTM),
    Attention(MultiheadAttention),
    Block(Body),
    Row(Vec<Item>),
    Parameter(Tensor),
}

impl Network {
    /// A model with weights drawn anew.
    ///
    /// # Errors
    /// When the description has a fault, or a layer that has no type in Rust; both are named.
    pub fn new(engine: &Engine, net: &Architecture) -> Result<Network> {
        let found = analyse(net);
        let fault = (found.nodes.iter())
            .filter(|(_, facts)| !facts.is_waiting)
            .find_map(|(path, facts)| Some(format!("{path}: {}", facts.fault.as_ref()?)));
        if let Some(fault) = fault.or_else(|| found.faults.first().cloned()) {
            return Err(Error::value(format!("the network cannot run: {fault}")));
        }
        let net = net
            .clone()
            .sorted()
            .map_err(|error| Error::value(error.message))?;
        let names = net.input_names();
        let maker = Maker { engine, net: &net };
        Ok(Network {
            n_inputs: names.len(),
            body: maker.body(&net.graph(&names), &Scope::default())?,
        })
    }

    /// Its results for tensors in the order of its inputs.
    ///
    /// # Errors
    /// When their number, a shape or a dtype does not fit.
    pub fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        if inputs.len() != self.n_inputs {
            return Err(Error::value(format!(
                "the network takes {} inputs, and {} came",
                self.n_inputs,
                inputs.len()
            )));
        }
        self.body.run(inputs)
    }
}

impl Parts for Network {
    fn parts<'a>(&'a self, visit: &mut dyn FnMut(&str, Part<'a>)) {
        self.body.parts(visit);
    }
}

impl Module for Network {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let mut results = self.run(std::slice::from_ref(input))?;
        match results.len() {
            0 => Err(Error::value("the network has no result")),
            _ => Ok(results.swap_remove(0)),
        }
    }
}

impl Parts for Body {
    fn parts<'a>(&'a self, visit: &mut dyn FnMut(&str, Part<'a>)) {
        for step in &self.steps {
            match &step.does {
                Does::Item(Item::Parameter(tensor)) => visit(&step.name, Part::Parameter(tensor)),
                Does::Item(item) => visit(&step.name, Part::Module(item)),
                Does::Again(_) | Does::Function(..) => {}
            }
        }
    }
}

impl Parts for Item {
    fn parts<'a>(&'a self, visit: &mut dyn FnMut(&str, Part<'a>)) {
        match self {
            Item::Layer(layer) => layer.parts(visit),
            Item::Rnn(layer) => layer.parts(visit),
            Item::Gru(layer) => layer.parts(visit),
            Item::Lstm(layer) => layer.parts(visit),
            Item::Attention(layer) => layer.parts(visit),
            Item::Block(body) => body.parts(visit),
            Item::Row(items) => items.parts(visit),
            Item::Parameter(tensor) => visit("", Part::Parameter(tensor)),
        }
    }
}

impl Body {
    fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let mut values: Vec<Vec<Tensor>> = Vec::with_capacity(self.steps.len());
        let read = |values: &[Vec<Tensor>], from: &Read| -> Result<Tensor> {
            let found = match *from {
                Read::Input(at) => inputs.get(at),
                Read::Step(step, result) => values.get(step).and_then(|all| all.get(result)),
            };
            found
                .cloned()
                .ok_or_else(|| Error::runtime("a result is missing in the network"))
        };
        for step in &self.steps {
            let operands: Result<Vec<Tensor>> =
                step.reads.iter().map(|from| read(&values, from)).collect();
            let operands = operands?;
            let results = match &step.does {
                Does::Function(name, settings) => functions::run(name, settings, &operands),
                Does::Item(item) => item.run(&operands),
                Does::Again(at) => match &self.steps[*at].does {
                    Does::Item(item) => item.run(&operands),
                    _ => Err(Error::runtime("only a layer is used once more")),
                },
            };
            values.push(results.map_err(|error| {
                Error::new(error.kind, format!("{}: {}", step.name, error.message))
            })?);
        }
        self.outputs
            .iter()
            .map(|from| read(&values, from))
            .collect()
    }
}

impl Item {
    fn run(&self, operands: &[Tensor]) -> Result<Vec<Tensor>> {
        let one = || match operands {
            [one] => Ok(one),
            _ => Err(Error::value(format!(
                "one input is expected, and {} came",
                operands.len()
            ))),
        };
        let with_states = |(output, states): (Tensor, Vec<Tensor>)| {
            std::iter::once(output).chain(states).collect()
        };
        match self {
            Item::Layer(layer) => Ok(vec![layer.forward(one()?)?]),
            Item::Rnn(layer) => Ok(with_states(layer.run(one()?, None)?)),
            Item::Gru(layer) => Ok(with_states(layer.run(one()?, None)?)),
            Item::Lstm(layer) => Ok(with_states(layer.run(one()?, None)?)),
            Item::Attention(layer) => match operands {
                [q, k, v] if q.is(k) && k.is(v) => Ok(vec![layer.attend(q, false)?]),
                _ => Err(Error::not_implemented(
                    "MultiheadAttention in Rust is of a sequence to itself; query, key and value have to be one tensor",
                )),
            },
            Item::Block(body) => body.run(operands),
            Item::Row(items) => {
                let mut values = operands.to_vec();
                for item in items {
                    values = item.run(&values)?;
                }
                Ok(values)
            }
            Item::Parameter(tensor) => Ok(vec![tensor.clone()]),
        }
    }
}

/// Makes modules of nodes.
struct Maker<'a> {
    engine: &'a Engine,
    net: &'a Architecture,
}

impl Maker<'_> {
    fn body(&self, graph: &Graph<'_>, scope: &Scope) -> Result<Body> {
        let mut steps: Vec<NetworkStep> = Vec::new();
        let find = |text: &str| -> Result<Read> {
            let source = Source::parse(text);
            let input = graph.inputs.iter().position(|name| name == source.name);
            let step = graph.nodes.iter().position(|node| node.id == source.name);
            match (input, step) {
                (Some(at), _) => Ok(Read::Input(at)),
                (None, Some(at)) => Ok(Read::Step(at, source.result)),
                (None, None) => Err(Error::value(format!("the source {text} does not exist"))),
            }
        };
        for node in graph.nodes {
            let does = match &node.same {
                Some(name) => {
                    let at = graph.nodes.iter().position(|other| other.id == *name);
                    Does::Again(at.ok_or_else(|| Error::value(format!("{name} does not exist")))?)
                }
                None => {
                    match function(&node.kind).filter(|function| function.name != "parameter") {
                        Some(function) => {
                            let settings = arguments::of_function(function, &node.args, scope);
                            Does::Function(function.name, settings.map_err(Error::value)?)
                        }
                        None => Does::Item(self.item(node, scope)?),
                    }
                }
            };
            let reads: Result<Vec<Read>> = node.inputs.iter().map(|text| find(text)).collect();
            steps.push(NetworkStep {
                name: node.id.clone(),
                does,
                reads: reads?,
            });
        }
        let outputs: Result<Vec<Read>> = graph.outputs.iter().map(|text| find(text)).collect();
        Ok(Body {
            steps,
            outputs: outputs?,
        })
    }

    fn item(&self, node: &Node, scope: &Scope) -> Result<Item> {
        match node.repeat {
            None => self.one(node, scope),
            Some(n) => {
                let items: Result<Vec<Item>> = (0..n).map(|_| self.one(node, scope)).collect();
                Ok(Item::Row(items?))
            }
        }
    }

    fn one(&self, node: &Node, scope: &Scope) -> Result<Item> {
        if node.kind == "Sequential" {
            let items: Result<Vec<Item>> = node
                .children
                .iter()
                .map(|child| self.item(child, scope))
                .collect();
            return Ok(Item::Row(items?));
        }
        if let Some(block) = self.net.block(&node.kind) {
            let inner = inner_scope(block, &node.args, scope)?;
            return Ok(Item::Block(self.body(&block.graph(), &inner)?));
        }
        if let Some(function) = function(&node.kind) {
            let settings =
                arguments::of_function(function, &node.args, scope).map_err(Error::value)?;
            return Ok(Item::Parameter(functions::parameter(
                self.engine,
                &settings,
            )?));
        }
        let row = glowgrad_architecture::catalog::layer(&node.kind)
            .ok_or_else(|| Error::value(format!("there is no layer {}", node.kind)))?;
        let settings = arguments::of_layer(row, &node.args, scope).map_err(Error::value)?;
        let mut given: Vec<(String, Arg)> = settings
            .into_iter()
            .map(|(name, value)| (name, arg(&value)))
            .collect();
        given.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(match row.short() {
            "RNN" => Item::Rnn(RecurrentOptions::from_arguments(&given)?.elman(self.engine)?),
            "GRU" => Item::Gru(RecurrentOptions::from_arguments(&given)?.gru(self.engine)?),
            "LSTM" => Item::Lstm(RecurrentOptions::from_arguments(&given)?.lstm(self.engine)?),
            "MultiheadAttention" => Item::Attention(
                MultiheadAttentionOptions::from_arguments(&given)?.build(self.engine)?,
            ),
            name => Item::Layer(nn::build(self.engine, name, &given)?),
        })
    }
}

/// The values of a block's parameters in one use.
fn inner_scope(block: &Block, args: &Args, scope: &Scope) -> Result<Scope> {
    let mut inner = Scope::default();
    for parameter in &block.parameters {
        inner.set(&parameter.name, Value::from_json(&parameter.default));
    }
    for (name, json) in args {
        inner.set(
            name,
            arguments::computed(json, scope).map_err(Error::value)?,
        );
    }
    Ok(inner)
}

/// A value as an argument of a layer.
fn arg(value: &Value) -> Arg {
    match value {
        Value::None => Arg::None,
        Value::Bool(b) => Arg::Number(Scalar::Bool(*b)),
        Value::Int(n) => Arg::Number(Scalar::Int(*n)),
        Value::Float(x) => Arg::Number(Scalar::Float(*x)),
        Value::Text(text) => Arg::Word(text.clone()),
        Value::List(items) | Value::Tuple(items) => Arg::List(items.iter().map(arg).collect()),
    }
}

/// A parameter with random numbers: their spread is `std`.
fn drawn(tensor: &Tensor, std: f64) -> Result<()> {
    init::normal_(tensor, 0.0, std)
}
