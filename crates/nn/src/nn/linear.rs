//! Products with learned weights, and tables of learned rows.

use glowgrad_tensor::bind::call;
use glowgrad_tensor::{Engine, Error, Result, Tensor, args};

use super::{Module, init};

options! {
    /// Arguments of [`Linear`].
    LinearOptions of "Linear" (in_features: usize, out_features: usize) { bias: bool = true }
    /// Arguments of [`Bilinear`].
    BilinearOptions of "Bilinear" (in1_features: usize, in2_features: usize, out_features: usize) { bias: bool = true }
    /// Arguments of [`Embedding`].
    EmbeddingOptions of "Embedding" (num_embeddings: usize, embedding_dim: usize) { padding_idx: Option<i64> = None }
}

/// y = x Wᵀ + b: each output is a weighted sum of all inputs, and a bias. It reads `[*, in_features]` and gives
/// `[*, out_features]`.
///
/// ```
/// use glowgrad_nn::nn::{Linear, LinearOptions, Module, Parts};
/// # use glowgrad_tensor::{Engine, Tensor};
/// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
/// let layer = Linear::new(&engine, 3, 2)?;
/// assert_eq!(layer.n_parameters(), 8);
/// let plain = LinearOptions::new(3usize, 2usize).bias(false).build(&engine)?;
/// assert_eq!(plain.n_parameters(), 6);
/// let x = Tensor::from_f32(&engine, &[1.0; 12], &[4, 3])?;
/// assert_eq!(layer.forward(&x)?.shape()[..], [4, 2]);
/// # Ok::<(), glowgrad_tensor::Error>(())
/// ```
#[derive(Debug)]
pub struct Linear {
    /// `[out_features, in_features]`.
    pub weight: Tensor,
    /// `[out_features]`.
    pub bias: Option<Tensor>,
}
crate::parts!(Linear: weight, bias);

impl Linear {
    /// With a bias.
    ///
    /// # Errors
    /// When the weight is too large.
    pub fn new(engine: &Engine, in_features: usize, out_features: usize) -> Result<Linear> {
        LinearOptions::new(in_features, out_features).build(engine)
    }
}

impl LinearOptions {
    /// The layer, with weights drawn as PyTorch draws them.
    ///
    /// # Errors
    /// When the weight is too large.
    pub fn build(&self, engine: &Engine) -> Result<Linear> {
        let weight = init::parameter(engine, &[self.out_features, self.in_features])?;
        let bias = match self.bias {
            true => Some(init::parameter(engine, &[self.out_features])?),
            false => None,
        };
        init::of_product(&weight, bias.as_ref())?;
        Ok(Linear { weight, bias })
    }
}

impl Module for Linear {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.linear(&self.weight, self.bias.as_ref())
    }
}

/// yₖ = x₁ᵀ Wₖ x₂ + bₖ: products of two inputs' elements, weighed.
///
/// ```
/// use glowgrad_nn::nn::BilinearOptions;
/// # use glowgrad_tensor::{Engine, Tensor};
/// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
/// let layer = BilinearOptions::new(2usize, 3usize, 4usize).build(&engine)?;
/// let (a, b) = (Tensor::from_f32(&engine, &[1.0; 2], &[2])?, Tensor::from_f32(&engine, &[1.0; 3], &[3])?);
/// assert_eq!(layer.forward(&a, &b)?.shape()[..], [4]);
/// # Ok::<(), glowgrad_tensor::Error>(())
/// ```
#[derive(Debug)]
pub struct Bilinear {
    /// `[out_features, in1_features, in2_features]`.
    pub weight: Tensor,
    /// `[out_features]`.
    pub bias: Option<Tensor>,
}
crate::parts!(Bilinear: weight, bias);

impl BilinearOptions {
    /// The layer.
    ///
    /// # Errors
    /// When there are no first features, or the weight is too large.
    pub fn build(&self, engine: &Engine) -> Result<Bilinear> {
        if self.in1_features == 0 {
            return Err(Error::value(
                "in1_features must be > 0, but got (in1_features=0)",
            ));
        }
        let shape = [self.out_features, self.in1_features, self.in2_features];
        let weight = init::parameter(engine, &shape)?;
        let bound = 1.0 / (self.in1_features as f64).sqrt();
        init::uniform_(&weight, -bound, bound)?;
        let mut bias = None;
        if self.bias {
            let drawn = init::parameter(engine, &[self.out_features])?;
            init::uniform_(&drawn, -bound, bound)?;
            bias = Some(drawn);
        }
        Ok(Bilinear { weight, bias })
    }
}

impl Bilinear {
    /// What it computes of `[*, in1_features]` and `[*, in2_features]`: `[*, out_features]`.
    ///
    /// # Errors
    /// When shapes do not fit.
    pub fn forward(&self, a: &Tensor, b: &Tensor) -> Result<Tensor> {
        let left = a.unsqueeze(-2)?.unsqueeze(-2)?.matmul(&self.weight)?;
        let y = left.matmul(&b.unsqueeze(-2)?.unsqueeze(-1)?)?;
        let y = y.select(-1, 0)?.select(-1, 0)?;
        match &self.bias {
            Some(bias) => y.add(bias),
            None => Ok(y),
        }
    }
}

/// Rows of a learned table, chosen by integers: it reads `[*]` and gives `[*, embedding_dim]`.
///
/// ```
/// use glowgrad_nn::nn::{Embedding, Module};
/// # use glowgrad_tensor::{Engine, Tensor};
/// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
/// let table = Embedding::new(&engine, 10, 4)?;
/// let rows = Tensor::from_i64(&engine, &[1, 7, 1], &[3])?;
/// assert_eq!(table.forward(&rows)?.shape()[..], [3, 4]);
/// # Ok::<(), glowgrad_tensor::Error>(())
/// ```
#[derive(Debug)]
pub struct Embedding {
    /// `[num_embeddings, embedding_dim]`.
    pub weight: Tensor,
    padding_idx: Option<i64>,
}
crate::parts!(Embedding: weight);

impl Embedding {
    /// A table of normal numbers.
    ///
    /// # Errors
    /// When it is too large.
    pub fn new(engine: &Engine, num_embeddings: usize, embedding_dim: usize) -> Result<Embedding> {
        EmbeddingOptions::new(num_embeddings, embedding_dim).build(engine)
    }
}

impl EmbeddingOptions {
    /// The layer; the row at `padding_idx` is zero and is not trained.
    ///
    /// # Errors
    /// When `padding_idx` is no row, or the table is too large.
    pub fn build(&self, engine: &Engine) -> Result<Embedding> {
        let rows = self.num_embeddings as i64;
        let padding_idx = match self.padding_idx {
            Some(at) if !(-rows..rows).contains(&at) => {
                return Err(Error::value(format!(
                    "Embedding: padding_idx is {at}, and there are {rows} rows; pass one of them"
                )));
            }
            at => at.map(|at| if at < 0 { at + rows } else { at }),
        };
        let weight = init::parameter(engine, &[self.num_embeddings, self.embedding_dim])?;
        init::normal_(&weight, 0.0, 1.0)?;
        if let Some(at) = padding_idx {
            init::zeros_(&weight.detach().select(0, at)?)?;
        }
        Ok(Embedding {
            weight,
            padding_idx,
        })
    }
}

impl Module for Embedding {
    fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        let padding = self.padding_idx.map_or_else(Vec::new, |at| {
            vec![("padding_idx", glowgrad_tensor::bind::ToArg::arg(&at))]
        });
        call(
            rows.engine(),
            "embedding",
            args![rows, self.weight],
            padding,
        )
    }
}
