//! Tensors of random numbers: leaves whose elements come from a generator.
//!
//! The generator is an argument: `engine.generator()` is the one that `torch.manual_seed` seeds, a
//! `torch.Generator` is another. Sizes are checked before anything is drawn.
//!
//! Left to others: the numbers (`random/`), filling an existing tensor ([`Tensor::assign`]).

use crate::random::{Draw, Generator};
use crate::shape;
use crate::{DType, Engine, Error, Result, Tensor};

impl Tensor {
    /// A new tensor of random numbers, in row-major order.
    ///
    /// # Errors
    /// For a shape that is too large, and those of [`Draw::check`].
    pub fn draw(
        engine: &Engine,
        generator: &mut Generator,
        draw: Draw,
        shape: &[usize],
        dtype: DType,
    ) -> Result<Tensor> {
        shape::check_bytes("rand", shape, dtype)?;
        let bytes = generator.draw(draw, shape::numel(shape), dtype)?;
        Ok(Tensor::from_node(
            engine,
            engine.leaf_bytes(&bytes, shape, dtype)?,
        ))
    }

    /// `torch.bernoulli(self)` in a dtype: ones with the probabilities of this tensor's elements.
    ///
    /// # Errors
    /// As [`Generator::bernoulli_each`]; what running the graph says.
    pub fn draw_bernoulli(&self, generator: &mut Generator, dtype: DType) -> Result<Tensor> {
        let drawn = generator.bernoulli_each(&self.to_f64()?, self.dtype())?;
        let ones: Vec<crate::Scalar> = drawn.into_iter().map(crate::Scalar::Bool).collect();
        let engine = self.engine();
        engine.on_device(self.device(), || {
            Tensor::from_scalars(engine, &ones, &self.shape(), dtype)
        })
    }

    /// `torch.multinomial(self, num_samples, replacement)`: int64 indices by the weights in this
    /// tensor, or in each of its rows.
    ///
    /// # Errors
    /// For other than 1 or 2 dimensions, and as [`Generator::multinomial`]; what running the graph
    /// says.
    pub fn draw_multinomial(
        &self,
        generator: &mut Generator,
        num_samples: i64,
        replacement: bool,
    ) -> Result<Tensor> {
        let shape = self.shape();
        let (rows, categories) = match shape[..] {
            [categories] => (1, categories),
            [rows, categories] => (rows, categories),
            _ => {
                return Err(Error::runtime(format!(
                    "multinomial: prob_dist must be 1 or 2 dim, got shape {}",
                    shape::show(&shape)
                )));
            }
        };
        let drawn = generator.multinomial(
            &self.to_f64()?,
            rows,
            categories,
            self.dtype(),
            num_samples,
            replacement,
        )?;
        let count = num_samples as usize;
        let sizes = [rows, count];
        let shape = if shape.len() == 1 {
            &sizes[1..]
        } else {
            &sizes[..]
        };
        let engine = self.engine();
        engine.on_device(self.device(), || Tensor::from_i64(engine, &drawn, shape))
    }
}
