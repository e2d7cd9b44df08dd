//! CharLSTM, made in glowgrad's studio.

use glowgrad::nn::{
    Embedding,
    EmbeddingOptions,
    LSTM,
    Linear,
    LinearOptions,
    Module,
    RecurrentOptions,
};
use glowgrad::{Engine, Result, Tensor};

/// A network with a memory that reads a text character by character and scores the next.
pub struct CharLSTM {
    pub embedding: Embedding,
    pub rnn: LSTM,
    pub head: Linear,
}
glowgrad::parts!(CharLSTM: embedding, rnn, head);

impl CharLSTM {
    /// With weights drawn anew.
    pub fn new(engine: &Engine) -> Result<CharLSTM> {
        Ok(CharLSTM {
            embedding: EmbeddingOptions::new(65usize, 64usize).build(engine)?,
            rnn: RecurrentOptions::new(64usize, 128usize)
                .num_layers(2usize)
                .batch_first(true)
                .lstm(engine)?,
            head: LinearOptions::new(128usize, 65usize).build(engine)?,
        })
    }
}

impl Module for CharLSTM {
    fn forward(&self, tokens: &Tensor) -> Result<Tensor> {
        let embedding = self.embedding.forward(tokens)?;
        let rnn = self.rnn.forward(&embedding)?;
        let head = self.head.forward(&rnn)?;
        Ok(head)
    }
}
