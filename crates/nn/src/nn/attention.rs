//! Attention with several heads, and the Transformer's encoder.

use std::cell::Cell;

use glowgrad_tensor::bind::call;
use glowgrad_tensor::{DType, Engine, Error, Result, Tensor, args, shape};

use super::dropout::{Dropout, dropped};
use super::functional::scaled_dot_product_attention;
use super::normalization::LayerNormOptions;
use super::options::Word;
use super::{LayerNorm, Linear, LinearOptions, Module, Parts, init};

options! {
    /// Arguments of [`MultiheadAttention`].
    MultiheadAttentionOptions of "MultiheadAttention" (embed_dim: usize, num_heads: usize) {
        dropout: f64 = 0.0,
        bias: bool = true,
        batch_first: bool = false,
    }
    /// Arguments of [`TransformerEncoderLayer`].
    TransformerEncoderLayerOptions of "TransformerEncoderLayer" (d_model: usize, nhead: usize) {
        dim_feedforward: usize = 2048,
        dropout: f64 = 0.1,
        activation: Word = Word::from("relu"),
        layer_norm_eps: f64 = 1e-5,
        batch_first: bool = false,
        norm_first: bool = false,
        bias: bool = true,
    }
}

/// Several attentions side by side, each on a part of the features: `[L, N, embed_dim]`, or with `batch_first`
/// `[N, L, embed_dim]`.
///
/// ```
/// use glowgrad_nn::nn::{Module, MultiheadAttentionOptions};
/// # use glowgrad_tensor::{Engine, Tensor};
/// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
/// let layer = MultiheadAttentionOptions::new(8usize, 2usize).batch_first(true).build(&engine)?;
/// let x = Tensor::from_f32(&engine, &[0.1; 40], &[1, 5, 8])?;
/// assert_eq!(layer.forward(&x)?.shape()[..], [1, 5, 8]);
/// # Ok::<(), glowgrad_tensor::Error>(())
/// ```
#[derive(Debug)]
pub struct MultiheadAttention {
    /// `[3 · embed_dim, embed_dim]`: of queries, keys and values.
    pub in_proj_weight: Tensor,
    /// `[3 · embed_dim]`.
    pub in_proj_bias: Option<Tensor>,
    /// The product after the heads.
    pub out_proj: Linear,
    training: Cell<bool>,
    options: MultiheadAttentionOptions,
}
crate::parts!(MultiheadAttention: in_proj_weight, in_proj_bias, out_proj, training);

impl MultiheadAttentionOptions {
    /// The layer, with weights drawn as PyTorch draws them.
    ///
    /// # Errors
    /// When the features are no multiple of the heads.
    pub fn build(&self, engine: &Engine) -> Result<MultiheadAttention> {
        let (size, heads) = (self.embed_dim, self.num_heads);
        if heads == 0 || size == 0 || size % heads != 0 {
            return Err(Error::value(format!(
                "embed_dim must be divisible by num_heads, both greater than 0: {size} and {heads} came"
            )));
        }
        let in_proj_weight = init::parameter(engine, &[3 * size, size])?;
        let in_proj_bias = match self.bias {
            true => Some(init::parameter(engine, &[3 * size])?),
            false => None,
        };
        let out_proj = LinearOptions::new(size, size)
            .bias(self.bias)
            .build(engine)?;
        init::xavier_uniform_(&in_proj_weight, 1.0)?;
        if let Some(bias) = &out_proj.bias {
            init::zeros_(bias)?;
        }
        Ok(MultiheadAttention {
            in_proj_weight,
            in_proj_bias,
            out_proj,
            training: Cell::new(true),
            options: self.clone(),
        })
    }
}

/// Attention of a sequence to itself.
impl Module for MultiheadAttention {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.attend(x, false)
    }
}

impl MultiheadAttention {
    /// Attention of a sequence to itself; with `is_causal` no position looks at later ones.
    ///
    /// # Errors
    /// When the shape does not fit.
    pub fn attend(&self, x: &Tensor, is_causal: bool) -> Result<Tensor> {
        let o = &self.options;
        let shape = x.shape();
        if shape.len() != 3 || shape[2] != o.embed_dim {
            return Err(Error::runtime(format!(
                "MultiheadAttention read shape {}, expected three dimensions, the last of {}",
                shape::show(&shape),
                o.embed_dim
            )));
        }
        let x = if o.batch_first {
            x.transpose(0, 1)?
        } else {
            x.clone()
        };
        let (length, batch, size) = (x.shape()[0], x.shape()[1], o.embed_dim);
        let projected = x.linear(&self.in_proj_weight, self.in_proj_bias.as_ref())?;
        let (heads, each) = (o.num_heads as i64, (size / o.num_heads) as i64);
        let mut parts = Vec::new();
        for part in projected.split(&[size; 3], -1)? {
            let part = part.reshape(&[length as i64, batch as i64, heads, each])?;
            parts.push(call(
                x.engine(),
                "permute",
                args![part, vec![1, 2, 0, 3]],
                vec![],
            )?);
        }
        let [q, k, v] = &parts[..] else {
            return Err(Error::runtime("a part of the projection is missing"));
        };
        let y = match self.training.get() && o.dropout > 0.0 {
            false => scaled_dot_product_attention(q, k, v, None, is_causal)?,
            true => self.attend_with_dropout(q, k, v, is_causal)?,
        };
        let y = call(x.engine(), "permute", args![y, vec![2, 0, 1, 3]], vec![])?;
        let y = y.reshape(&[length as i64, batch as i64, size as i64])?;
        let y = self.out_proj.forward(&y)?;
        if o.batch_first {
            y.transpose(0, 1)
        } else {
            Ok(y)
        }
    }

    fn attend_with_dropout(
        &self,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        is_causal: bool,
    ) -> Result<Tensor> {
        let engine = q.engine();
        let number = |x| Tensor::number(engine, glowgrad_tensor::Scalar::Float(x));
        let each = q.shape().last().copied().unwrap_or(1) as f64;
        let mut scores = q
            .matmul(&k.transpose(-2, -1)?)?
            .mul(&number(1.0 / each.sqrt()))?;
        if is_causal {
            let (shape, yes) = (scores.shape(), glowgrad_tensor::Scalar::Bool(true));
            let ones = Tensor::full(engine, &shape[shape.len() - 2..], yes, DType::Bool)?;
            let seen = call(engine, "tril", args![ones], vec![])?;
            let hidden = call(engine, "logical_not", args![seen], vec![])?;
            let given = args![scores, hidden, f64::NEG_INFINITY];
            scores = call(engine, "masked_fill", given, vec![])?;
        }
        dropped(&scores.softmax(-1)?, self.options.dropout, None)?.matmul(v)
    }
}

/// Self-attention and a network for each step, both added to what goes in.
///
/// ```
/// use glowgrad_nn::nn::{Module, TransformerEncoderLayerOptions};
/// # use glowgrad_tensor::{Engine, Tensor};
/// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
/// let options = TransformerEncoderLayerOptions::new(8usize, 2usize).dim_feedforward(16usize);
/// let layer = options.batch_first(true).build(&engine)?;
/// let x = Tensor::from_f32(&engine, &[0.1; 40], &[1, 5, 8])?;
/// assert_eq!(layer.forward(&x)?.shape()[..], [1, 5, 8]);
/// # Ok::<(), glowgrad_tensor::Error>(())
/// ```
#[derive(Debug)]
pub struct TransformerEncoderLayer {
    self_attn: MultiheadAttention,
    linear1: Linear,
    dropout: Dropout,
    linear2: Linear,
    norm1: LayerNorm,
    norm2: LayerNorm,
    dropout1: Dropout,
    dropout2: Dropout,
    options: TransformerEncoderLayerOptions,
}
crate::parts!(TransformerEncoderLayer: self_attn, linear1, dropout, linear2, norm1, norm2, dropout1, dropout2);

impl TransformerEncoderLayerOptions {
    /// The layer.
    ///
    /// # Errors
    /// When the features are no multiple of the heads, or the activation is neither `"relu"` nor `"gelu"`.
    pub fn build(&self, engine: &Engine) -> Result<TransformerEncoderLayer> {
        if !["relu", "gelu"].contains(&self.activation.as_str()) {
            return Err(Error::runtime(format!(
                "activation should be relu/gelu, not {}",
                self.activation.as_str()
            )));
        }
        let (size, inner) = (self.d_model, self.dim_feedforward);
        let linear = |n_in: usize, n_out: usize| {
            LinearOptions::new(n_in, n_out)
                .bias(self.bias)
                .build(engine)
        };
        let norm = || {
            let options = LayerNormOptions::new(size).eps(self.layer_norm_eps);
            options.bias(self.bias).build(engine)
        };
        let attention = MultiheadAttentionOptions::new(size, self.nhead)
            .dropout(self.dropout)
            .bias(self.bias)
            .batch_first(self.batch_first);
        Ok(TransformerEncoderLayer {
            self_attn: attention.build(engine)?,
            linear1: linear(size, inner)?,
            dropout: Dropout::new(self.dropout)?,
            linear2: linear(inner, size)?,
            norm1: norm()?,
            norm2: norm()?,
            dropout1: Dropout::new(self.dropout)?,
            dropout2: Dropout::new(self.dropout)?,
            options: self.clone(),
        })
    }
}

impl TransformerEncoderLayer {
    /// With `is_causal` no position looks at later ones: then it is a layer of a decoder such as GPT's.
    ///
    /// # Errors
    /// When the shape does not fit.
    pub fn run(&self, x: &Tensor, is_causal: bool) -> Result<Tensor> {
        if self.options.norm_first {
            let x = x.add(&self.look(&self.norm1.forward(x)?, is_causal)?)?;
            return x.add(&self.feed(&self.norm2.forward(&x)?)?);
        }
        let x = self.norm1.forward(&x.add(&self.look(x, is_causal)?)?)?;
        self.norm2.forward(&x.add(&self.feed(&x)?)?)
    }

    fn look(&self, x: &Tensor, is_causal: bool) -> Result<Tensor> {
        self.dropout1.forward(&self.self_attn.attend(x, is_causal)?)
    }

    fn feed(&self, x: &Tensor) -> Result<Tensor> {
        let inner = self.linear1.forward(x)?;
        let activation = self.options.activation.as_str();
        let inner = call(x.engine(), activation, args![inner], vec![])?;
        let y = self.linear2.forward(&self.dropout.forward(&inner)?)?;
        self.dropout2.forward(&y)
    }
}

impl Module for TransformerEncoderLayer {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.run(x, false)
    }
}

/// Encoder layers one after another, and a norm.
#[derive(Debug)]
pub struct TransformerEncoder {
    layers: Vec<TransformerEncoderLayer>,
    norm: Option<LayerNorm>,
}
crate::parts!(TransformerEncoder: layers, norm);

impl TransformerEncoder {
    /// As many layers; PyTorch's begin with equal weights, and so do these.
    ///
    /// # Errors
    /// What a layer says of its options.
    pub fn new(
        engine: &Engine,
        layer: &TransformerEncoderLayerOptions,
        num_layers: usize,
        norm: Option<LayerNorm>,
    ) -> Result<TransformerEncoder> {
        let first = layer.build(engine)?;
        let state = first.state_dict();
        let drawn = engine.generator().state();
        let mut layers = vec![first];
        for _ in 1..num_layers {
            let copy = layer.build(engine)?;
            copy.load_state_dict(&state)?;
            layers.push(copy);
        }
        // A copy draws nothing.
        (engine.generator().set_state(&drawn)).map_err(Error::runtime)?;
        layers.truncate(num_layers);
        Ok(TransformerEncoder { layers, norm })
    }
}

impl TransformerEncoder {
    /// With `is_causal` no position looks at later ones.
    ///
    /// # Errors
    /// When the shape does not fit.
    pub fn run(&self, x: &Tensor, is_causal: bool) -> Result<Tensor> {
        let mut x = x.clone();
        for layer in &self.layers {
            x = layer.run(&x, is_causal)?;
        }
        match &self.norm {
            Some(norm) => norm.forward(&x),
            None => Ok(x),
        }
    }
}

impl Module for TransformerEncoder {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.run(x, false)
    }
}
