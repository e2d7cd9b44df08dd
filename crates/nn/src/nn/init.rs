//! Initial values: the same numbers as PyTorch's under the same seed.
//!
//! ```
//! use glowgrad_nn::nn::init;
//! # let engine = glowgrad_tensor::Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
//! engine.generator().manual_seed(0);
//! let weight = init::parameter(&engine, &[2, 3])?;
//! init::normal_(&weight, 0.0, 0.02)?;
//! assert!(weight.to_f64()?.iter().all(|x| x.abs() < 0.2));
//! # Ok::<(), glowgrad_tensor::Error>(())
//! ```

use glowgrad_tensor::random::Draw;
use glowgrad_tensor::{DType, Engine, Error, Result, Scalar, Tensor, shape};

use super::no_grad;

/// A tensor of zeros that is trained.
///
/// # Errors
/// When the shape is too large.
pub fn parameter(engine: &Engine, shape: &[usize]) -> Result<Tensor> {
    let tensor = Tensor::full(engine, shape, Scalar::Float(0.0), DType::F32)?;
    tensor.set_requires_grad(true)?;
    Ok(tensor)
}

/// Draws elements anew; a tensor without elements draws nothing.
fn draw(tensor: &Tensor, draw: Draw) -> Result<()> {
    if tensor.numel() == 0 {
        return Ok(());
    }
    let engine = tensor.engine();
    let drawn = Tensor::draw(
        engine,
        &mut engine.generator(),
        draw,
        &tensor.shape(),
        tensor.dtype(),
    )?;
    no_grad(engine, || tensor.assign(&drawn))
}

/// Uniform numbers from `from` to `to`.
///
/// # Errors
/// When the bounds are no bounds.
pub fn uniform_(tensor: &Tensor, from: f64, to: f64) -> Result<()> {
    draw(tensor, Draw::Uniform { from, to })
}

/// Normal numbers.
///
/// # Errors
/// For a negative spread.
pub fn normal_(tensor: &Tensor, mean: f64, std: f64) -> Result<()> {
    draw(tensor, Draw::Normal { mean, std })
}

/// One number everywhere.
///
/// # Errors
/// When memory is short.
pub fn constant_(tensor: &Tensor, value: f64) -> Result<()> {
    let number = Tensor::number(tensor.engine(), Scalar::Float(value));
    no_grad(tensor.engine(), || tensor.assign(&number))
}

/// Zeros.
///
/// # Errors
/// When memory is short.
pub fn zeros_(tensor: &Tensor) -> Result<()> {
    constant_(tensor, 0.0)
}

/// Ones.
///
/// # Errors
/// When memory is short.
pub fn ones_(tensor: &Tensor) -> Result<()> {
    constant_(tensor, 1.0)
}

/// Inputs and outputs of one element of a weight's result.
fn fans(tensor: &Tensor) -> Result<(f64, f64)> {
    let shape = tensor.shape();
    let [n_out, n_in, field @ ..] = &shape[..] else {
        return Err(Error::value(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions",
        ));
    };
    let field = shape::numel(field);
    Ok(((n_in * field) as f64, (n_out * field) as f64))
}

/// Which side's variance is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fan {
    /// That of the outputs.
    In,
    /// That of the gradients.
    Out,
}

fn kaiming(tensor: &Tensor, fan: Fan, gain: f64) -> Result<f64> {
    let (fan_in, fan_out) = fans(tensor)?;
    let fan = match fan {
        Fan::In => fan_in,
        Fan::Out => fan_out,
    };
    Ok(gain / fan.sqrt())
}

/// The gain of a leaky ReLU with this slope; that of a ReLU with 0.
fn leaky(slope: f64) -> f64 {
    (2.0 / (1.0 + slope.powi(2))).sqrt()
}

/// Uniform numbers whose spread keeps the variance through (leaky) ReLUs (He and others, 2015).
///
/// # Errors
/// For fewer than two dimensions.
pub fn kaiming_uniform_(tensor: &Tensor, slope: f64, fan: Fan) -> Result<()> {
    if tensor.numel() == 0 {
        return Ok(());
    }
    let bound = 3f64.sqrt() * kaiming(tensor, fan, leaky(slope))?;
    uniform_(tensor, -bound, bound)
}

/// Normal numbers whose spread keeps the variance through (leaky) ReLUs (He and others, 2015).
///
/// # Errors
/// For fewer than two dimensions.
pub fn kaiming_normal_(tensor: &Tensor, slope: f64, fan: Fan) -> Result<()> {
    if tensor.numel() == 0 {
        return Ok(());
    }
    normal_(tensor, 0.0, kaiming(tensor, fan, leaky(slope))?)
}

/// Uniform numbers whose spread keeps the variance both ways (Glorot and Bengio, 2010).
///
/// # Errors
/// For fewer than two dimensions.
pub fn xavier_uniform_(tensor: &Tensor, gain: f64) -> Result<()> {
    let (fan_in, fan_out) = fans(tensor)?;
    let bound = 3f64.sqrt() * gain * (2.0 / (fan_in + fan_out)).sqrt();
    uniform_(tensor, -bound, bound)
}

/// Normal numbers whose spread keeps the variance both ways (Glorot and Bengio, 2010).
///
/// # Errors
/// For fewer than two dimensions.
pub fn xavier_normal_(tensor: &Tensor, gain: f64) -> Result<()> {
    let (fan_in, fan_out) = fans(tensor)?;
    normal_(tensor, 0.0, gain * (2.0 / (fan_in + fan_out)).sqrt())
}

/// The weight and bias of a product, drawn as PyTorch draws those of `Linear` and of convolutions.
pub(crate) fn of_product(weight: &Tensor, bias: Option<&Tensor>) -> Result<()> {
    kaiming_uniform_(weight, 5f64.sqrt(), Fan::In)?;
    let Some(bias) = bias else {
        return Ok(());
    };
    let (fan_in, _) = fans(weight)?;
    let bound = if fan_in > 0.0 {
        1.0 / fan_in.sqrt()
    } else {
        0.0
    };
    uniform_(bias, -bound, bound)
}
