//! Generator, made in glowgrad's studio.

use glowgrad::bind::call;
use glowgrad::nn::{
    Conv2d,
    Conv2dOptions,
    ConvTranspose2d,
    ConvTranspose2dOptions,
    LeakyReLU,
    Linear,
    LinearOptions,
    Module,
    Sigmoid,
};
use glowgrad::{Engine, Result, Tensor, args};

/// The half of a GAN that makes 8 by 8 images of noise.
pub struct Generator {
    pub fc: Linear,
    pub act: LeakyReLU,
    pub up1: ConvTranspose2d,
    pub out: Conv2d,
    pub squash: Sigmoid,
}
glowgrad::parts!(Generator: fc, act, up1, out, squash);

impl Generator {
    /// With weights drawn anew.
    pub fn new(engine: &Engine) -> Result<Generator> {
        Ok(Generator {
            fc: LinearOptions::new(16usize, 256usize).build(engine)?,
            act: LeakyReLU::new().negative_slope(0.2),
            up1: ConvTranspose2dOptions::new(16usize, 8usize, 2).stride(2).build(engine)?,
            out: Conv2dOptions::new(8usize, 1usize, 3).padding(1usize).build(engine)?,
            squash: Sigmoid::new(),
        })
    }
}

impl Module for Generator {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let fc = self.fc.forward(x)?;
        let act = self.act.forward(&fc)?;
        let unflatten = call(act.engine(), "unflatten", args![act, 1i64, vec![16, 4, 4]], vec![])?;
        let up1 = self.up1.forward(&unflatten)?;
        let act_2 = self.act.forward(&up1)?;
        let out = self.out.forward(&act_2)?;
        let squash = self.squash.forward(&out)?;
        Ok(squash)
    }
}
