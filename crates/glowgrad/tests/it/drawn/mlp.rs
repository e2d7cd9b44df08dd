//! MLP, made in glowgrad's studio.

use glowgrad::nn::{Linear, LinearOptions, Module};
use glowgrad::{Engine, Result, Tensor};

/// Two linear layers with a bend between them, for the 8 by 8 digits.
pub struct MLP {
    pub fc1: Linear,
    pub fc2: Linear,
}
glowgrad::parts!(MLP: fc1, fc2);

impl MLP {
    /// With weights drawn anew.
    pub fn new(engine: &Engine) -> Result<MLP> {
        Ok(MLP {
            fc1: LinearOptions::new(64usize, 128usize).build(engine)?,
            fc2: LinearOptions::new(128usize, 10usize).build(engine)?,
        })
    }
}

impl Module for MLP {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let fc1 = self.fc1.forward(x)?;
        let relu = fc1.relu()?;
        let fc2 = self.fc2.forward(&relu)?;
        Ok(fc2)
    }
}
