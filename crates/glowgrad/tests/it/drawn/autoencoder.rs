//! Autoencoder, made in glowgrad's studio.

use glowgrad::nn::{LinearOptions, Module, ReLU, Sequential, Sigmoid};
use glowgrad::{Engine, Result, Tensor};

/// An image through a bottleneck of two numbers and back.
pub struct Autoencoder {
    pub encoder: Sequential,
    pub decoder: Sequential,
}
glowgrad::parts!(Autoencoder: encoder, decoder);

impl Autoencoder {
    /// With weights drawn anew.
    pub fn new(engine: &Engine) -> Result<Autoencoder> {
        Ok(Autoencoder {
            encoder: Sequential::new()
                .then(LinearOptions::new(784usize, 128usize).build(engine)?)
                .then(ReLU::new())
                .then(LinearOptions::new(128usize, 32usize).build(engine)?)
                .then(ReLU::new())
                .then(LinearOptions::new(32usize, 2usize).build(engine)?),
            decoder: Sequential::new()
                .then(LinearOptions::new(2usize, 32usize).build(engine)?)
                .then(ReLU::new())
                .then(LinearOptions::new(32usize, 128usize).build(engine)?)
                .then(ReLU::new())
                .then(LinearOptions::new(128usize, 784usize).build(engine)?)
                .then(Sigmoid::new()),
        })
    }
}

impl Module for Autoencoder {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let encoder = self.encoder.forward(x)?;
        let decoder = self.decoder.forward(&encoder)?;
        Ok(decoder)
    }
}
