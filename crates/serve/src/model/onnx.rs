//! An ONNX model as one that is served.

use glowgrad::{Engine, Result, Tensor};
use glowgrad_onnx::{Model, Value};

use super::{Loaded, Served};

/// Reads a model from the bytes of its file.
pub(super) fn read(bytes: &[u8]) -> Result<impl Served + use<>> {
    Model::read(bytes)
}

impl Served for Model {
    fn format(&self) -> String {
        format!("ONNX, operator set {}", self.opset())
    }

    fn inputs(&self) -> &[Value] {
        Model::inputs(self)
    }

    fn outputs(&self) -> &[Value] {
        Model::outputs(self)
    }

    fn load<'a>(&'a self, engine: &Engine) -> Result<Box<dyn Loaded + 'a>> {
        Ok(Box::new(Model::load(self, engine)?))
    }
}

impl Loaded for glowgrad_onnx::Loaded<'_> {
    fn run(&self, inputs: Vec<(String, Tensor)>) -> Result<Vec<(String, Tensor)>> {
        glowgrad_onnx::Loaded::run(self, inputs)
    }
}
