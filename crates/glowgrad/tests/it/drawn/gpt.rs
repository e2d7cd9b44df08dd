//! GPT, made in glowgrad's studio.

use glowgrad::bind::{ToArg, call};
use glowgrad::nn::{
    Embedding,
    EmbeddingOptions,
    LayerNorm,
    LayerNormOptions,
    Linear,
    LinearOptions,
    Module,
};
use glowgrad::{DType, Engine, Result, Scalar, Tensor, args};

/// Each position looks at those before it, with several heads.
pub struct Attention {
    pub c_attn: Linear,
    pub c_proj: Linear,
    heads: usize,
}
glowgrad::parts!(Attention: c_attn, c_proj);

impl Attention {
    /// With weights drawn anew.
    pub fn new(engine: &Engine, width: usize, heads: usize) -> Result<Attention> {
        Ok(Attention {
            c_attn: LinearOptions::new(width, 3 * width).bias(false).build(engine)?,
            c_proj: LinearOptions::new(width, width).bias(false).build(engine)?,
            heads,
        })
    }
}

impl Module for Attention {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let heads = self.heads;
        let c_attn = self.c_attn.forward(x)?;
        let unflatten = call(
            c_attn.engine(),
            "unflatten",
            args![c_attn, -1i64, vec![3, (heads) as i64, -1]],
            vec![],
        )?;
        let permute = call(
            unflatten.engine(),
            "permute",
            args![unflatten, vec![2, 0, 3, 1, 4]],
            vec![],
        )?;
        let query = permute.select(0, 0)?;
        let key = permute.select(0, 1)?;
        let value = permute.select(0, 2)?;
        let scaled_dot_product_attention = call(
            query.engine(),
            "scaled_dot_product_attention",
            args![query, key, value],
            vec![("is_causal", true.arg())],
        )?;
        let transpose = scaled_dot_product_attention.transpose(1, 2)?;
        let flatten = call(
            transpose.engine(),
            "flatten",
            args![transpose],
            vec![("start_dim", 2i64.arg())],
        )?;
        let c_proj = self.c_proj.forward(&flatten)?;
        Ok(c_proj)
    }
}

/// Two linear layers that work on each position by itself.
pub struct FeedForward {
    pub c_fc: Linear,
    pub c_proj: Linear,
}
glowgrad::parts!(FeedForward: c_fc, c_proj);

impl FeedForward {
    /// With weights drawn anew.
    pub fn new(engine: &Engine, width: usize) -> Result<FeedForward> {
        Ok(FeedForward {
            c_fc: LinearOptions::new(width, 4 * width).bias(false).build(engine)?,
            c_proj: LinearOptions::new(4 * width, width).bias(false).build(engine)?,
        })
    }
}

impl Module for FeedForward {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let c_fc = self.c_fc.forward(x)?;
        let gelu = call(c_fc.engine(), "gelu", args![c_fc], vec![])?;
        let c_proj = self.c_proj.forward(&gelu)?;
        Ok(c_proj)
    }
}

/// Attention, then a network for each position; both add to what they read.
pub struct Block {
    pub ln_1: LayerNorm,
    pub attn: Attention,
    pub ln_2: LayerNorm,
    pub mlp: FeedForward,
}
glowgrad::parts!(Block: ln_1, attn, ln_2, mlp);

impl Block {
    /// With weights drawn anew.
    pub fn new(engine: &Engine, width: usize, heads: usize) -> Result<Block> {
        Ok(Block {
            ln_1: LayerNormOptions::new(width).bias(false).build(engine)?,
            attn: Attention::new(engine, width, heads)?,
            ln_2: LayerNormOptions::new(width).bias(false).build(engine)?,
            mlp: FeedForward::new(engine, width)?,
        })
    }
}

impl Module for Block {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let ln_1 = self.ln_1.forward(x)?;
        let attn = self.attn.forward(&ln_1)?;
        let add = x.add(&attn)?;
        let ln_2 = self.ln_2.forward(&add)?;
        let mlp = self.mlp.forward(&ln_2)?;
        let add_2 = add.add(&mlp)?;
        Ok(add_2)
    }
}

/// A decoder of Transformer blocks that scores the next character, with nanoGPT's sizes for a CPU.
pub struct GPT {
    pub wte: Embedding,
    pub wpe: Embedding,
    pub h: Vec<Block>,
    pub ln_f: LayerNorm,
    pub lm_head: Linear,
}
glowgrad::parts!(GPT: wte, wpe, h, ln_f, lm_head);

impl GPT {
    /// With weights drawn anew.
    pub fn new(engine: &Engine) -> Result<GPT> {
        Ok(GPT {
            wte: EmbeddingOptions::new(65usize, 128usize).build(engine)?,
            wpe: EmbeddingOptions::new(64usize, 128usize).build(engine)?,
            h: (0..4).map(|_| Block::new(engine, 128, 4)).collect::<Result<_>>()?,
            ln_f: LayerNormOptions::new(128).bias(false).build(engine)?,
            lm_head: LinearOptions::new(128usize, 65usize).bias(false).build(engine)?,
        })
    }
}

impl Module for GPT {
    fn forward(&self, tokens: &Tensor) -> Result<Tensor> {
        let wte = self.wte.forward(tokens)?;
        let n = Scalar::Int(tokens.shape()[1] as i64);
        let positions = Tensor::arange(
            tokens.engine(),
            Scalar::Int(0),
            n,
            Scalar::Int(1),
            Some(DType::I64),
        )?;
        let wpe = self.wpe.forward(&positions)?;
        let add = wte.add(&wpe)?;
        let mut h = add.clone();
        for layer in &self.h {
            h = layer.forward(&h)?;
        }
        let ln_f = self.ln_f.forward(&h)?;
        let lm_head = self.lm_head.forward(&ln_f)?;
        Ok(lm_head)
    }
}
