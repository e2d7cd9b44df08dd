//! Discriminator, made in glowgrad's studio.

use glowgrad::bind::{ToArg, call};
use glowgrad::nn::{Conv2d, Conv2dOptions, LeakyReLU, Linear, LinearOptions, Module};
use glowgrad::{Engine, Result, Tensor, args};

/// The half of a GAN that tells real 8 by 8 images from made ones.
pub struct Discriminator {
    pub conv1: Conv2d,
    pub act: LeakyReLU,
    pub conv2: Conv2d,
    pub fc: Linear,
}
glowgrad::parts!(Discriminator: conv1, act, conv2, fc);

impl Discriminator {
    /// With weights drawn anew.
    pub fn new(engine: &Engine) -> Result<Discriminator> {
        Ok(Discriminator {
            conv1: Conv2dOptions::new(1usize, 16usize, 3).stride(2).padding(1usize).build(engine)?,
            act: LeakyReLU::new().negative_slope(0.2),
            conv2: Conv2dOptions::new(16usize, 32usize, 3).stride(2).padding(1usize).build(engine)?,
            fc: LinearOptions::new(128usize, 1usize).build(engine)?,
        })
    }
}

impl Module for Discriminator {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let conv1 = self.conv1.forward(x)?;
        let act = self.act.forward(&conv1)?;
        let conv2 = self.conv2.forward(&act)?;
        let act_2 = self.act.forward(&conv2)?;
        let flatten = call(
            act_2.engine(),
            "flatten",
            args![act_2],
            vec![("start_dim", 1i64.arg())],
        )?;
        let fc = self.fc.forward(&flatten)?;
        Ok(fc)
    }
}
