//! ViT, made in glowgrad's studio.

use glowgrad::bind::{ToArg, call};
use glowgrad::nn::{
    Conv2d,
    Conv2dOptions,
    LayerNorm,
    LayerNormOptions,
    Linear,
    LinearOptions,
    Module,
    TransformerEncoderLayer,
    TransformerEncoderLayerOptions,
    init,
};
use glowgrad::{DType, Engine, Result, Scalar, Tensor, args};

/// Patches of an image as a sequence, a class token before them, and a Transformer encoder (Dosovitskiy and others, 2020).
pub struct ViT {
    pub patches: Conv2d,
    pub class_token: Tensor,
    pub positions_: Tensor,
    pub encoder: Vec<TransformerEncoderLayer>,
    pub norm: LayerNorm,
    pub head: Linear,
}
glowgrad::parts!(ViT: patches, class_token, positions_, encoder, norm, head);

impl ViT {
    /// With weights drawn anew.
    pub fn new(engine: &Engine) -> Result<ViT> {
        Ok(ViT {
            patches: Conv2dOptions::new(3usize, 64usize, 4).stride(4).build(engine)?,
            class_token: {
                let parameter = Tensor::full(engine, &[1, 1, 64], Scalar::Float(0.0), DType::F32)?;
                parameter.set_requires_grad(true)?;
                parameter
            },
            positions_: {
                let parameter = Tensor::full(engine, &[1, 65, 64], Scalar::Float(0.0), DType::F32)?;
                init::normal_(&parameter, 0.0, 0.02)?;
                parameter.set_requires_grad(true)?;
                parameter
            },
            encoder: (0..4)
                .map(
                    |_| TransformerEncoderLayerOptions::new(64usize, 4usize)
                        .dim_feedforward(128usize)
                        .dropout(0.0)
                        .activation("gelu")
                        .batch_first(true)
                        .norm_first(true)
                        .build(engine),
                )
                .collect::<Result<_>>()?,
            norm: LayerNormOptions::new(64).build(engine)?,
            head: LinearOptions::new(64usize, 10usize).build(engine)?,
        })
    }
}

impl Module for ViT {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let patches = self.patches.forward(x)?;
        let flatten = call(
            patches.engine(),
            "flatten",
            args![patches],
            vec![("start_dim", 2i64.arg())],
        )?;
        let transpose = flatten.transpose(1, 2)?;
        let class_token = &self.class_token;
        let mut shape: Vec<i64> = class_token.shape().iter().map(|&n| n as i64).collect();
        shape[0] = transpose.shape()[0] as i64;
        let expand_batch = class_token.expand(&shape)?;
        let cat = call(
            expand_batch.engine(),
            "cat",
            args![[expand_batch.clone(), transpose.clone()][..]],
            vec![("dim", 1i64.arg())],
        )?;
        let positions_ = &self.positions_;
        let add = cat.add(positions_)?;
        let mut encoder = add.clone();
        for layer in &self.encoder {
            encoder = layer.forward(&encoder)?;
        }
        let norm = self.norm.forward(&encoder)?;
        let select = norm.select(1, 0)?;
        let head = self.head.forward(&select)?;
        Ok(head)
    }
}
