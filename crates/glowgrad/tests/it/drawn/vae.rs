//! VAE, made in glowgrad's studio.

use glowgrad::bind::call;
use glowgrad::nn::{Linear, LinearOptions, Module, init};
use glowgrad::{Engine, Result, Scalar, Tensor, args};

/// An autoencoder whose bottleneck is drawn from a normal distribution; it gives the image, the mean and the log of the variance.
pub struct VAE {
    pub fc1: Linear,
    pub mean: Linear,
    pub log_variance: Linear,
    pub fc3: Linear,
    pub fc4: Linear,
}
glowgrad::parts!(VAE: fc1, mean, log_variance, fc3, fc4);

impl VAE {
    /// With weights drawn anew.
    pub fn new(engine: &Engine) -> Result<VAE> {
        Ok(VAE {
            fc1: LinearOptions::new(784usize, 400usize).build(engine)?,
            mean: LinearOptions::new(400usize, 20usize).build(engine)?,
            log_variance: LinearOptions::new(400usize, 20usize).build(engine)?,
            fc3: LinearOptions::new(20usize, 400usize).build(engine)?,
            fc4: LinearOptions::new(400usize, 784usize).build(engine)?,
        })
    }

    /// What it computes.
    pub fn run(&self, x: &Tensor) -> Result<(Tensor, Tensor, Tensor)> {
        let fc1 = self.fc1.forward(x)?;
        let h = fc1.relu()?;
        let mean = self.mean.forward(&h)?;
        let log_variance = self.log_variance.forward(&h)?;
        let scale = call(log_variance.engine(), "mul", args![log_variance, 0.5], vec![])?;
        let std = scale.exp()?;
        let noise = Tensor::full(std.engine(), &std.shape(), Scalar::Float(0.0), std.dtype())?;
        init::normal_(&noise, 0.0, 1.0)?;
        let mul = std.mul(&noise)?;
        let code = mean.add(&mul)?;
        let fc3 = self.fc3.forward(&code)?;
        let relu_2 = fc3.relu()?;
        let fc4 = self.fc4.forward(&relu_2)?;
        let sigmoid = fc4.sigmoid()?;
        Ok((sigmoid, mean, log_variance))
    }
}
