//! The model that is served, whatever file it came from.
//!
//! A new kind of file is a new module beside `onnx` and `described`, a type that implements [`Served`], and an arm of [`read`]; no other
//! part of this crate knows the kind.

mod described;
mod onnx;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use glowgrad::{Engine, Result, Tensor};
use glowgrad_files::Array;
pub use glowgrad_onnx::{Size, Value};

/// Arrays by name, in the model's order.
pub type Arrays = Vec<(String, Array<'static>)>;

/// A model that was read and is on no engine yet: threads share it, and each loads it onto an engine of its own.
pub trait Served: Send + Sync {
    /// The kind of its file, for people: `ONNX, operator set 18`.
    fn format(&self) -> String;

    /// What a request brings.
    fn inputs(&self) -> &[Value];

    /// What an answer has.
    fn outputs(&self) -> &[Value];

    /// Puts the weights on an engine.
    ///
    /// # Errors
    /// When memory is short.
    fn load<'a>(&'a self, engine: &Engine) -> Result<Box<dyn Loaded + 'a>>;
}

/// A model whose weights are on an engine.
pub trait Loaded {
    /// Inputs by name to outputs by name, in the model's order.
    ///
    /// # Errors
    /// What an op says of its operands.
    fn run(&self, inputs: Vec<(String, Tensor)>) -> Result<Vec<(String, Tensor)>>;
}

/// The model of a file, by the end of the file's name: a `.onnx` file, or a network's description in `.json`. The weights
/// of a description are in a safetensors file, which has the same name unless another is given.
///
/// # Errors
/// For a file that cannot be read, is of another kind, or holds what the engine lacks.
///
/// ```
/// let error = glowgrad_serve::model::read("weights.txt".as_ref(), None).err().unwrap();
/// assert!(error.to_string().contains("expected a .onnx file"));
/// ```
pub fn read(file: &Path, weights: Option<&Path>) -> anyhow::Result<Arc<dyn Served>> {
    let name = file.display();
    let bytes = |file: &Path| {
        std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))
    };
    let end = file.extension().and_then(|end| end.to_str()).unwrap_or("");
    match end.to_ascii_lowercase().as_str() {
        "onnx" if weights.is_some() => {
            bail!("an ONNX model has its weights in itself: leave out --weights")
        }
        "onnx" => of_onnx(&bytes(file)?).with_context(|| name.to_string()),
        "json" => {
            let weights = weights_of(file, weights);
            let text = String::from_utf8(bytes(file)?).with_context(|| name.to_string())?;
            of_description(&text, bytes(&weights)?)
                .with_context(|| format!("{name} with {}", weights.display()))
        }
        "safetensors" => bail!(
            "{name} holds weights alone: serve the .json file that describes the network, with --weights {name}"
        ),
        _ => bail!(
            "{name} is no model that can be served; expected a .onnx file, or the .json file of a network beside its .safetensors"
        ),
    }
}

/// The file with the weights of a description.
pub(crate) fn weights_of(description: &Path, weights: Option<&Path>) -> PathBuf {
    weights.map_or_else(|| description.with_extension("safetensors"), Path::to_owned)
}

/// A network from its description in JSON and the bytes of its safetensors file.
///
/// # Errors
/// For a description that has a fault, and bytes that are no safetensors file.
///
/// ```
/// use glowgrad_serve::model::of_description;
///
/// let error = of_description("{}", Vec::new()).err().unwrap();
/// assert!(error.message.contains("format"));
/// ```
pub fn of_description(description: &str, weights: Vec<u8>) -> Result<Arc<dyn Served>> {
    Ok(Arc::new(described::read(description, weights)?))
}

/// An ONNX model from the bytes of its file.
///
/// # Errors
/// For bytes that are no model, and operators that the engine lacks.
///
/// ```
/// assert!(glowgrad_serve::model::of_onnx(b"no model").is_err());
/// ```
pub fn of_onnx(bytes: &[u8]) -> Result<Arc<dyn Served>> {
    Ok(Arc::new(onnx::read(bytes)?))
}

/// Whether rows of several requests may be joined, by what the model says: the first size of every input and output is
/// open, and has one name where it has any.
pub(crate) fn has_open_batch(model: &dyn Served) -> bool {
    let mut names = std::collections::BTreeSet::new();
    let ports = || model.inputs().iter().chain(model.outputs());
    let open = ports().all(|port| match port.shape.as_deref() {
        Some([Size::Named(name), ..]) => {
            names.insert(name);
            true
        }
        Some([Size::Open, ..]) => true,
        _ => false,
    });
    // An output of another name has as many rows as something that is not the batch.
    open && !model.inputs().is_empty() && names.len() <= 1
}
