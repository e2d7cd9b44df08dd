//! A network that is described in JSON, with the weights of its parameters in a safetensors file: what the studio and
//! `torch.save_file` of a `state_dict` write.

use glowgrad::{DType, Engine, Error, Result, Tensor};
use glowgrad_architecture::model::Size as Described;
use glowgrad_architecture::{Architecture, Dim, analyse};
use glowgrad_files::safetensors;
use glowgrad_files::tensor::{from_array, of_file};
use glowgrad_nn::network::Network;
use glowgrad_nn::nn::Parts;

use super::{Loaded, Served, Size, Value};

/// A description and the bytes of its weights.
struct Net {
    net: Architecture,
    weights: Vec<u8>,
    inputs: Vec<Value>,
    outputs: Vec<Value>,
}

/// Reads both files. The weights are compared with the description when they are loaded.
pub(super) fn read(description: &str, weights: Vec<u8>) -> Result<impl Served + use<>> {
    let net = Architecture::parse(description).map_err(|error| Error::value(error.message))?;
    safetensors::read(&weights).map_err(of_file)?;
    let found = analyse(&net);
    let faults = found.nodes.iter().filter(|(_, facts)| !facts.is_waiting);
    let fault =
        faults.filter_map(|(path, facts)| Some(format!("{path}: {}", facts.fault.as_ref()?)));
    if let Some(fault) = fault.chain(found.faults.iter().cloned()).next() {
        return Err(Error::value(format!("the network cannot run: {fault}")));
    }
    let mut inputs = Vec::new();
    for input in &net.inputs {
        let size = |size: &Described| match size {
            Described::Number(n) => usize::try_from(*n).map_or(Size::Open, Size::Fixed),
            Described::Open(name) => Size::Named(name.clone()),
        };
        inputs.push(Value {
            name: input.name.clone(),
            dtype: Some(DType::parse(&input.dtype)?),
            shape: Some(input.shape.iter().map(size).collect()),
        });
    }
    let mut outputs: Vec<Value> = Vec::new();
    for (source, fact) in net.outputs.iter().zip(&found.outputs) {
        let size = |dim: &Dim| match dim {
            Dim::Number(n) => usize::try_from(*n).map_or(Size::Open, Size::Fixed),
            Dim::Open(text) => Size::Named(text.clone()),
        };
        // A source may be given twice.
        let n_before = net.outputs[..outputs.len()]
            .iter()
            .filter(|other| *other == source);
        let name = match n_before.count() {
            0 => source.clone(),
            n => format!("{source}_{n}"),
        };
        outputs.push(Value {
            name,
            dtype: Some(DType::parse(fact.dtype)?),
            shape: Some(fact.shape.iter().map(size).collect()),
        });
    }
    Ok(Net {
        net,
        weights,
        inputs,
        outputs,
    })
}

impl Served for Net {
    fn format(&self) -> String {
        format!(
            "{} described in JSON, weights in safetensors",
            self.net.name
        )
    }

    fn inputs(&self) -> &[Value] {
        &self.inputs
    }

    fn outputs(&self) -> &[Value] {
        &self.outputs
    }

    fn load<'a>(&'a self, engine: &Engine) -> Result<Box<dyn Loaded + 'a>> {
        let network = Network::new(engine, &self.net)?;
        let file = safetensors::read(&self.weights).map_err(of_file)?;
        let tensors = file.tensors.iter();
        let state = tensors.map(|(name, array)| Ok((name.clone(), from_array(engine, array)?)));
        network.load_state_dict(&state.collect::<Result<Vec<_>>>()?)?;
        // Dropout draws nothing, and a batch norm uses what it has learned.
        network.eval();
        Ok(Box::new(Running { net: self, network }))
    }
}

/// The network on an engine.
struct Running<'a> {
    net: &'a Net,
    network: Network,
}

impl Loaded for Running<'_> {
    fn run(&self, mut inputs: Vec<(String, Tensor)>) -> Result<Vec<(String, Tensor)>> {
        let mut ordered = Vec::new();
        for input in &self.net.inputs {
            let at = inputs.iter().position(|(name, _)| *name == input.name);
            let missing = || Error::value(format!("the input {:?} is missing", input.name));
            ordered.push(inputs.swap_remove(at.ok_or_else(missing)?).1);
        }
        let names = self.net.outputs.iter().map(|output| output.name.clone());
        Ok(names.zip(self.network.run(&ordered)?).collect())
    }
}
