//! Optimizers: what changes parameters along their gradients, with PyTorch's arithmetic in its order.
//!
//! ```
//! use glowgrad_nn::nn::{Linear, Module, Parts, functional::mse_loss};
//! use glowgrad_nn::optim::{Optimizer, SGD, SGDOptions};
//! # use glowgrad_tensor::{Engine, Tensor};
//! # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
//! # engine.generator().manual_seed(0);
//! let layer = Linear::new(&engine, 1, 1)?;
//! let x = Tensor::from_f32(&engine, &[1.0, 2.0, 3.0], &[3, 1])?;
//! let y = Tensor::from_f32(&engine, &[2.0, 4.0, 6.0], &[3, 1])?;
//! let mut optimizer = SGD::new(layer.parameters(), SGDOptions { lr: 0.1, ..Default::default() });
//! let mut losses = Vec::new();
//! for _ in 0..20 {
//!     optimizer.zero_grad()?;
//!     let loss = mse_loss(&layer.forward(&x)?, &y)?;
//!     loss.backward(None, Default::default())?;
//!     optimizer.step()?;
//!     losses.push(loss.item()?.as_f64());
//! }
//! assert!(losses[19] < 0.1 * losses[0]);
//! # Ok::<(), glowgrad_tensor::Error>(())
//! ```

mod adam;
mod clip;
mod groups;
mod rmsprop;
pub mod schedule;
mod sgd;

pub use adam::{Adam, AdamOptions, AdamW, AdamWOptions};
pub use clip::{clip_grad_norm_, grad_norm};
pub use groups::{Group, Groups, Rule, Slots};
pub use rmsprop::{RMSprop, RMSpropOptions};
pub use sgd::{SGD, SGDOptions};

use glowgrad_tensor::{Result, Tensor};
use serde_json::Value;

/// What changes parameters along their gradients.
pub trait Optimizer {
    /// Its parameters, group after group.
    fn parameters(&self) -> Vec<Tensor>;

    /// Moves each parameter that has a gradient, once.
    ///
    /// # Errors
    /// What computing the new values meets.
    fn step(&mut self) -> Result<()>;

    /// Forgets the gradients.
    ///
    /// # Errors
    /// None for gradients that `backward` made.
    fn zero_grad(&mut self) -> Result<()> {
        self.parameters().iter().try_for_each(|p| p.set_grad(None))
    }

    /// The learning rate of each group.
    fn rates(&self) -> Vec<f64>;

    /// Sets the learning rate of each group.
    fn set_rates(&mut self, rates: &[f64]);

    /// What it remembers: tensors by `INDEX.NAME`, the parameter's index first, as in PyTorch's `state_dict()`.
    fn state(&self) -> Vec<(String, Tensor)>;

    /// Its groups as PyTorch's `param_groups`, with the indices of parameters.
    fn groups(&self) -> Value;

    /// Goes on from a state and from groups.
    ///
    /// # Errors
    /// When they are of another optimizer, or of other parameters.
    fn load(&mut self, state: &[(String, Tensor)], groups: &Value) -> Result<()>;
}
