//! Arrays of files as tensors of an engine, and back.

use glowgrad_tensor::{Engine, Error, Result, Tensor};

use crate::Array;

/// An array as a tensor on the engine's device.
///
/// # Errors
/// When memory is short.
pub fn from_array(engine: &Engine, array: &Array<'_>) -> Result<Tensor> {
    let node = engine.leaf_bytes(array.bytes(), array.shape(), array.dtype())?;
    Ok(Tensor::from_node(engine, node))
}

/// A tensor's numbers as an array.
///
/// # Errors
/// What running the graph says.
pub fn to_array(tensor: &Tensor) -> Result<Array<'static>> {
    let bytes = tensor.to_bytes()?;
    Array::new(tensor.dtype(), tensor.shape().to_vec(), bytes).map_err(of_file)
}

/// A fault of a file as the engine's error.
pub fn of_file(error: crate::Error) -> Error {
    Error::value(error.to_string())
}
