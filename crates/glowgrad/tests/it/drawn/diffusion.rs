//! Denoiser, made in glowgrad's studio.

use glowgrad::bind::call;
use glowgrad::nn::{Embedding, EmbeddingOptions, Linear, LinearOptions, Module};
use glowgrad::{Engine, Result, Tensor, args};

/// A linear layer that adds to what it read.
pub struct Step {
    pub fc: Linear,
}
glowgrad::parts!(Step: fc);

impl Step {
    /// With weights drawn anew.
    pub fn new(engine: &Engine, width: usize) -> Result<Step> {
        Ok(Step {
            fc: LinearOptions::new(width, width).build(engine)?,
        })
    }
}

impl Module for Step {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let silu = call(x.engine(), "silu", args![x], vec![])?;
        let fc = self.fc.forward(&silu)?;
        let add = x.add(&fc)?;
        Ok(add)
    }
}

/// Predicts the noise in points of the plane after t of 100 steps (Ho and others, 2020).
pub struct Denoiser {
    pub enter: Linear,
    pub time: Embedding,
    pub middle: Vec<Step>,
    pub leave: Linear,
}
glowgrad::parts!(Denoiser: enter, time, middle, leave);

impl Denoiser {
    /// With weights drawn anew.
    pub fn new(engine: &Engine) -> Result<Denoiser> {
        Ok(Denoiser {
            enter: LinearOptions::new(2usize, 128usize).build(engine)?,
            time: EmbeddingOptions::new(100usize, 128usize).build(engine)?,
            middle: (0..3).map(|_| Step::new(engine, 128)).collect::<Result<_>>()?,
            leave: LinearOptions::new(128usize, 2usize).build(engine)?,
        })
    }

    /// What it computes.
    pub fn run(&self, x: &Tensor, t: &Tensor) -> Result<Tensor> {
        let enter = self.enter.forward(x)?;
        let time = self.time.forward(t)?;
        let add = enter.add(&time)?;
        let mut middle = add.clone();
        for layer in &self.middle {
            middle = layer.forward(&middle)?;
        }
        let silu = call(middle.engine(), "silu", args![middle], vec![])?;
        let leave = self.leave.forward(&silu)?;
        Ok(leave)
    }
}
