//! A model that the studio wrote: the network's document stands in the file's metadata, beside the graph that it became.
//!
//! | Key | Value |
//! |---|---|
//! | `glowgrad.architecture` | the document, as JSON |
//! | `glowgrad.weights` | the names of the network's `state_dict()`, a JSON list; initializers have them too |
//! | `glowgrad.model` | the bytes that stand before these entries: how many, and their FNV-1a hash in hexadecimal |
//!
//! Invariant: the document is taken where the graph is, to the byte, the one that was written with it, and each weight of
//! the document is an initializer. Anything else is read as the graph of another program.

use glowgrad::{DType, Engine, Result, Scalar, Tensor};
use glowgrad_architecture::Architecture;
use glowgrad_files::onnx::ModelProto;
use glowgrad_files::tensor::{from_array, of_file};

use super::Drawn;

/// The network of a model that has its document.
pub(super) fn written(engine: &Engine, bytes: &[u8], model: &ModelProto) -> Result<Option<Drawn>> {
    let value = |key: &str| {
        let entry = (model.metadata_props.iter()).find(|entry| entry.key.as_deref() == Some(key));
        entry.and_then(|entry| entry.value.as_deref())
    };
    let found = (
        value("glowgrad.architecture"),
        value("glowgrad.weights"),
        value("glowgrad.model"),
    );
    let (Some(document), Some(names), Some(model_bytes)) = found else {
        return Ok(None);
    };
    if !is_of(model_bytes, bytes) {
        return Ok(None);
    }
    let names = serde_json::from_str::<Vec<String>>(names);
    let (Ok(net), Ok(names)) = (Architecture::parse(document), names) else {
        return Ok(None);
    };
    let initializers = model.graph.iter().flat_map(|graph| &graph.initializer);
    let mut weights = Vec::new();
    for name in names {
        let proto = (initializers.clone()).find(|proto| proto.name.as_deref() == Some(&name));
        let tensor = match proto {
            Some(proto) => from_array(engine, &proto.to_array().map_err(of_file)?)?,
            // A network that is used counts no batches, so the graph has no count.
            None if name.ends_with(".num_batches_tracked") => {
                Tensor::full(engine, &[], Scalar::Int(0), DType::I64)?
            }
            None => return Ok(None),
        };
        weights.push((name, tensor));
    }
    Ok(Some(Drawn { net, weights }))
}

/// Whether a length and a hash are those of what a file begins with.
fn is_of(text: &str, bytes: &[u8]) -> bool {
    let Some((length, hash)) = text.split_once(' ') else {
        return false;
    };
    let start = length.parse().ok().and_then(|n: usize| bytes.get(..n));
    start.is_some_and(|start| format!("{:08x}", hash_of(start)) == hash)
}

/// FNV-1a of 32 bits.
fn hash_of(bytes: &[u8]) -> u32 {
    (bytes.iter()).fold(0x811c_9dc5, |hash, &byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}
