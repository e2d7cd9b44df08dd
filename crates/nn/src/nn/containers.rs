//! Modules one after another.

use glowgrad_tensor::{Result, Tensor};

use super::{Module, Part, Parts};

/// Modules one after another: each reads what the one before gives.
///
/// ```
/// use glowgrad_nn::nn::{Linear, Module, Parts, ReLU, Sequential};
/// # use glowgrad_tensor::{Engine, Tensor};
/// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
/// let net = Sequential::new()
///     .then(Linear::new(&engine, 4, 8)?)
///     .then(ReLU::new())
///     .then(Linear::new(&engine, 8, 2)?);
/// assert_eq!(net.named_parameters()[2].0, "2.weight");
/// let x = Tensor::from_f32(&engine, &[0.5; 12], &[3, 4])?;
/// assert_eq!(net.forward(&x)?.shape()[..], [3, 2]);
/// # Ok::<(), glowgrad_tensor::Error>(())
/// ```
#[derive(Default)]
pub struct Sequential {
    modules: Vec<Box<dyn Module>>,
}

impl Sequential {
    /// Without a module: it gives what it reads.
    pub fn new() -> Sequential {
        Sequential::default()
    }

    /// With one more module at the end.
    #[must_use]
    pub fn then(mut self, module: impl Module + 'static) -> Sequential {
        self.modules.push(Box::new(module));
        self
    }
}

impl Parts for Sequential {
    fn parts<'a>(&'a self, visit: &mut dyn FnMut(&str, Part<'a>)) {
        self.modules.parts(visit);
    }
}

impl Module for Sequential {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = x.clone();
        for module in &self.modules {
            x = module.forward(&x)?;
        }
        Ok(x)
    }
}
