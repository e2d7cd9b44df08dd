//! Networks that are trained on a device and on the CPU: a perceptron and a small CNN on the digits, a
//! transformer of two layers on a sequence. The same numbers on every engine.

use glowgrad::samples::Numbers;
use glowgrad::{DType, Engine, Result, Scalar, Tensor};
use glowgrad_data::{Digits, digits};
use serde_json::{Value as Json, json};

use crate::golden::call::call;
use crate::training::descend;

/// Batches that training goes around.
const N_BATCHES: usize = 8;

/// Tokens that the transformer knows, numbers a token has, heads, tokens of a sequence, sequences.
const VOCABULARY: usize = 16;
const WIDTH: usize = 32;
const HEADS: i64 = 4;
const LENGTH: usize = 16;
const SEQUENCES: usize = 8;

/// A network with what it learns from.
pub struct Model {
    parameters: Vec<Tensor>,
    batches: Vec<(Tensor, Tensor)>,
    loss: fn(&[Tensor], &Tensor, &Tensor) -> Result<Tensor>,
}

/// Makes a model on an engine.
pub type MakeModel = fn(&Engine) -> Result<Model>;

/// What is trained, by name.
pub const MODELS: &[(&str, MakeModel)] = &[
    ("perceptron", perceptron),
    ("convolutions", convolutions),
    ("transformer", transformer),
];

impl Model {
    /// One step of gradient descent on the next batch; the loss before it.
    ///
    /// # Errors
    /// What computing says.
    pub fn step(&self, at: usize) -> Result<Tensor> {
        let (x, target) = &self.batches[at % self.batches.len()];
        let loss = (self.loss)(&self.parameters, x, target)?;
        descend(&loss, &self.parameters, &[])?;
        Ok(loss)
    }
}

/// Two layers on the digits.
///
/// # Errors
/// What making tensors says.
pub fn perceptron(engine: &Engine) -> Result<Model> {
    let shapes: &[&[usize]] = &[&[64, 64], &[64], &[10, 64], &[10]];
    Ok(Model {
        parameters: parameters(engine, shapes)?,
        batches: images(engine, &[64, 64])?,
        loss: |p, x, target| {
            x.linear(&p[0], Some(&p[1]))?
                .relu()?
                .linear(&p[2], Some(&p[3]))?
                .cross_entropy(target)
        },
    })
}

fn convolutions(engine: &Engine) -> Result<Model> {
    let shapes: &[&[usize]] = &[&[4, 1, 3, 3], &[4], &[8, 4, 3, 3], &[8], &[10, 128], &[10]];
    Ok(Model {
        parameters: parameters(engine, shapes)?,
        batches: images(engine, &[8, 1, 8, 8])?,
        loss: |p, x, target| {
            let x = op("conv2d", &[x, &p[0], &p[1]], json!({ "padding": [1, 1] }))?.relu()?;
            let x = op("max_pool2d", &[&x], json!({ "kernel_size": [2, 2] }))?;
            let x = op("conv2d", &[&x, &p[2], &p[3]], json!({ "padding": [1, 1] }))?.relu()?;
            x.reshape(&[-1, 128])?
                .linear(&p[4], Some(&p[5]))?
                .cross_entropy(target)
        },
    })
}

/// Parameters of one layer of the transformer.
const LAYER: [&[usize]; 12] = [
    &[WIDTH],
    &[WIDTH],
    &[3 * WIDTH, WIDTH],
    &[3 * WIDTH],
    &[WIDTH, WIDTH],
    &[WIDTH],
    &[WIDTH],
    &[WIDTH],
    &[2 * WIDTH, WIDTH],
    &[2 * WIDTH],
    &[WIDTH, 2 * WIDTH],
    &[WIDTH],
];

fn transformer(engine: &Engine) -> Result<Model> {
    let mut shapes: Vec<&[usize]> = vec![&[VOCABULARY, WIDTH], &[LENGTH, WIDTH]];
    shapes.extend(LAYER);
    shapes.extend(LAYER);
    let token = |i: usize| (i * i + i / 3) % VOCABULARY;
    let tokens = |from: usize| {
        let starts = (0..SEQUENCES).map(|s| from + 7 * s);
        let all: Vec<i64> = starts
            .flat_map(|start| (start..start + LENGTH).map(|i| token(i) as i64))
            .collect();
        Tensor::from_i64(engine, &all, &[SEQUENCES, LENGTH])
    };
    let batches = (0..N_BATCHES).map(|batch| Ok((tokens(batch)?, tokens(batch + 1)?)));
    Ok(Model {
        parameters: parameters(engine, &shapes)?,
        batches: batches.collect::<Result<_>>()?,
        loss: |p, x, target| {
            let (embedding, rest) = p.split_at(2);
            let mut x = op("embedding", &[x, &embedding[0]], json!({}))?.add(&embedding[1])?;
            for layer in rest.chunks(LAYER.len()) {
                x = layer_of(layer, &x)?;
            }
            let logits = x.linear(&embedding[0], None)?;
            logits
                .reshape(&[-1, VOCABULARY as i64])?
                .cross_entropy(&target.reshape(&[-1])?)
        },
    })
}

/// Attention and a perceptron, each behind a norm and beside a way around it.
fn layer_of(p: &[Tensor], x: &Tensor) -> Result<Tensor> {
    let normed = |x: &Tensor, scale: &Tensor, shift: &Tensor| {
        let scale = scale.add(&Tensor::full(
            x.engine(),
            &[WIDTH],
            Scalar::Float(1.0),
            DType::F32,
        )?)?;
        op(
            "layer_norm",
            &[x, &scale, shift],
            json!({ "normalized_shape": [WIDTH] }),
        )
    };
    let (batch, length) = (SEQUENCES as i64, LENGTH as i64);
    let mixed = normed(x, &p[0], &p[1])?.linear(&p[2], Some(&p[3]))?;
    let heads = mixed.reshape(&[batch, length, 3, HEADS, -1])?;
    let part = |i: i64| heads.select(2, i)?.transpose(1, 2);
    let attended = op(
        "scaled_dot_product_attention",
        &[&part(0)?, &part(1)?, &part(2)?],
        json!({ "is_causal": true }),
    )?;
    let joined = attended
        .transpose(1, 2)?
        .reshape(&[batch, length, WIDTH as i64])?;
    let x = x.add(&joined.linear(&p[4], Some(&p[5]))?)?;
    let hidden = normed(&x, &p[6], &p[7])?.linear(&p[8], Some(&p[9]))?;
    let hidden = op("gelu", &[&hidden], json!({}))?;
    x.add(&hidden.linear(&p[10], Some(&p[11]))?)
}

fn op(name: &str, operands: &[&Tensor], attrs: Json) -> Result<Tensor> {
    let operands: Vec<Tensor> = operands.iter().map(|&t| t.clone()).collect();
    Ok(call(operands[0].engine(), name, &operands, &attrs)?.swap_remove(0))
}

/// Numbers around 0, smaller where more are added up.
fn parameters(engine: &Engine, shapes: &[&[usize]]) -> Result<Vec<Tensor>> {
    let mut numbers = Numbers::new(1);
    let parameter = |shape: &&[usize]| {
        let n_inputs: usize = shape[1..].iter().product();
        let most = match shape.len() {
            1 => 0.01,
            _ => 1.0 / (n_inputs as f64).sqrt(),
        };
        let parameter = numbers.tensor(engine, shape, (-most, most), DType::F32)?;
        parameter.set_requires_grad(true)?;
        Ok(parameter)
    };
    shapes.iter().map(parameter).collect()
}

/// Batches of the digits from 0 to 1, each of this shape: how many images, and what one is.
fn images(engine: &Engine, shape: &[usize]) -> Result<Vec<(Tensor, Tensor)>> {
    let (digits, n) = (digits(), shape[0]);
    let pixels: Vec<f32> = digits
        .images()
        .take(n * N_BATCHES)
        .flatten()
        .map(|&pixel| f32::from(pixel) / f32::from(Digits::MAX))
        .collect();
    let labels: Vec<i64> = digits.labels().map(i64::from).collect();
    let batches = pixels
        .chunks_exact(n * Digits::SIDE * Digits::SIDE)
        .zip(labels.chunks_exact(n));
    batches
        .map(|(pixels, labels)| {
            let x = Tensor::from_f32(engine, pixels, shape)?;
            Ok((x, Tensor::from_i64(engine, labels, &[n])?))
        })
        .collect()
}
