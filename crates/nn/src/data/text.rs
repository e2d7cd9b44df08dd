//! Text as numbers.

use glowgrad_tensor::random::Draw;
use glowgrad_tensor::{DType, Engine, Error, Result, Tensor};

use super::Batch;
use crate::nn::functional::stack;

/// The characters of a text in order: the number of each is its token.
///
/// ```
/// use glowgrad_nn::data::Characters;
/// let characters = Characters::of("hello");
/// assert_eq!(characters.encode("hole").unwrap(), [1, 3, 2, 0]);
/// assert_eq!(characters.decode(&[1, 3, 2, 0]), "hole");
/// ```
#[derive(Debug, Clone)]
pub struct Characters(Vec<char>);

impl Characters {
    /// Those of a text.
    pub fn of(text: &str) -> Characters {
        let mut all: Vec<char> = text.chars().collect();
        all.sort_unstable();
        all.dedup();
        Characters(all)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The tokens of a text.
    ///
    /// # Errors
    /// For a character that is not among them.
    pub fn encode(&self, text: &str) -> Result<Vec<i64>> {
        let token = |c: char| {
            let place = self.0.binary_search(&c);
            place.map(|at| at as i64).map_err(|_| {
                Error::value(format!(
                    "{c:?} is not among the {} characters of the text",
                    self.0.len()
                ))
            })
        };
        text.chars().map(token).collect()
    }

    /// The tokens of a text as a tensor.
    ///
    /// # Errors
    /// As [`Characters::encode`].
    pub fn tensor(&self, engine: &Engine, text: &str) -> Result<Tensor> {
        let tokens = self.encode(text)?;
        Tensor::from_i64(engine, &tokens, &[tokens.len()])
    }

    /// The text of some tokens; what is no token is left out.
    pub fn decode(&self, tokens: &[i64]) -> String {
        let character = |token: &i64| self.0.get(usize::try_from(*token).ok()?);
        tokens.iter().filter_map(character).collect()
    }

    /// Random parts of some tokens: inputs and targets `[batch, block]`, the targets one token further, drawn as
    /// nanoGPT draws them.
    ///
    /// # Errors
    /// When there are too few tokens.
    pub fn parts(engine: &Engine, tokens: &Tensor, batch: usize, block: usize) -> Result<Batch> {
        let n = tokens.numel();
        let most = n
            .checked_sub(block)
            .filter(|most| *most > 0)
            .ok_or_else(|| {
                Error::value(format!(
                    "{n} tokens are too few for blocks of {block} and one more"
                ))
            })?;
        let draw = Draw::Integers {
            low: 0,
            high: Some(most as i64),
        };
        let begins = Tensor::draw(engine, &mut engine.generator(), draw, &[batch], DType::I64)?;
        let part = |begin: i64| {
            let given = glowgrad_tensor::args![tokens, 0usize, begin, block];
            glowgrad_tensor::bind::call(engine, "narrow", given, vec![])
        };
        let begins: Vec<i64> = begins
            .to_scalars()?
            .into_iter()
            .map(|begin| begin.as_i64())
            .collect();
        let rows = |by: i64| {
            begins
                .iter()
                .map(|begin| part(begin + by))
                .collect::<Result<Vec<_>>>()
        };
        Ok(vec![stack(&rows(0)?, 0)?, stack(&rows(1)?, 0)?])
    }
}
