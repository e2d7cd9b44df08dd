//! The model that is served, whatever file it came from.
//!
//! A new kind of file is a new module beside `onnx`, a type that implements [`Served`], and an arm of [`read`]; no other
//! part of this crate knows the kind.

mod onnx;

use std::path::Path;
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

/// The model of a file, by the end of the file's name.
///
/// # Errors
/// For a file that cannot be read, is of another kind, or whose operators the engine lacks.
///
/// ```
/// let error = glowgrad_serve::model::read("weights.txt".as_ref()).err().unwrap();
/// assert!(error.to_string().contains("expected a .onnx file"));
/// ```
pub fn read(file: &Path) -> anyhow::Result<Arc<dyn Served>> {
    let name = file.display();
    let end = file.extension().and_then(|end| end.to_str()).unwrap_or("");
    match end.to_ascii_lowercase().as_str() {
        "onnx" => {
            let bytes = std::fs::read(file).with_context(|| format!("cannot read {name}"))?;
            of_onnx(&bytes).with_context(|| name.to_string())
        }
        "json" | "safetensors" => bail!(
            "{name}: a JSON architecture with safetensors weights cannot be served yet; write the model as ONNX with torch.onnx.export and serve the .onnx file"
        ),
        _ => bail!("{name} is no model that can be served; expected a .onnx file"),
    }
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
