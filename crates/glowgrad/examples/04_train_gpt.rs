//! Trains a GPT on the characters of a text and lets it write, with nanoGPT's sizes for a CPU:
//! `cargo run --release -p glowgrad --example 04_train_gpt -- FILE`

use glowgrad::data::{Characters, Drawn};
use glowgrad::nn::{Embedding, LayerNorm, Linear, Module, Parts, functional, init};
use glowgrad::nn::{TransformerEncoder, TransformerEncoderLayerOptions};
use glowgrad::optim::{AdamW, AdamWOptions};
use glowgrad::{Engine, Error, Result, Tensor, training::Trainer};

const BLOCK: usize = 64;
const WIDTH: usize = 128;

struct Gpt {
    wte: Embedding,
    wpe: Embedding,
    decoder: TransformerEncoder,
    lm_head: Linear,
}
glowgrad::parts!(Gpt: wte, wpe, decoder, lm_head);

impl Gpt {
    fn new(engine: &Engine, tokens: usize, layers: usize, heads: usize) -> Result<Gpt> {
        let layer = TransformerEncoderLayerOptions::new(WIDTH, heads)
            .dim_feedforward(4 * WIDTH)
            .activation("gelu")
            .dropout(0.0)
            .norm_first(true)
            .batch_first(true);
        let norm = Some(LayerNorm::new(engine, WIDTH)?);
        let gpt = Gpt {
            wte: Embedding::new(engine, tokens, WIDTH)?,
            wpe: Embedding::new(engine, BLOCK, WIDTH)?,
            decoder: TransformerEncoder::new(engine, &layer, layers, norm)?,
            lm_head: Linear::new(engine, WIDTH, tokens)?,
        };
        for weight in gpt.parameters().iter().filter(|p| p.shape().len() == 2) {
            init::normal_(weight, 0.0, 0.02)?;
        }
        Ok(gpt)
    }
}

impl Module for Gpt {
    fn forward(&self, tokens: &Tensor) -> Result<Tensor> {
        let length = tokens.shape()[1];
        let places: Vec<i64> = (0..length as i64).collect();
        let places = Tensor::from_i64(tokens.engine(), &places, &[length])?;
        let x = self.wte.forward(tokens)?.add(&self.wpe.forward(&places)?)?;
        self.lm_head.forward(&self.decoder.run(&x, true)?)
    }
}

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or_default();
    let text = std::fs::read_to_string(path).map_err(|error| Error::value(error.to_string()))?;
    let engine = glowgrad::cpu();
    engine.generator().manual_seed(1337);
    let characters = Characters::of(&text);
    let tokens = characters.tensor(&engine, &text)?;
    let batches = Drawn::new(250, || Characters::parts(&engine, &tokens, 12, BLOCK));
    let model = Gpt::new(&engine, characters.len(), 4, 4)?;
    let optimizer = AdamW::new(model.parameters(), AdamWOptions::default());
    let loss = |x: &Tensor, target: &Tensor| functional::cross_entropy(&x.transpose(1, 2)?, target);
    let mut trainer = Trainer::new(&model, optimizer, loss)
        .clip(1.0)
        .progress(true);
    trainer.fit(&batches, 8, None)?;
    model.eval();
    let mut written = vec![0];
    for _ in 0..200 {
        let seen = &written[written.len().saturating_sub(BLOCK)..];
        let scores = model.forward(&Tensor::from_i64(&engine, seen, &[1, seen.len()])?)?;
        let odds = scores.select(1, -1)?.softmax(-1)?;
        let next = odds.draw_multinomial(&mut engine.generator(), 1, false)?;
        written.push(next.item()?.as_i64());
    }
    println!("{}", characters.decode(&written));
    Ok(())
}
