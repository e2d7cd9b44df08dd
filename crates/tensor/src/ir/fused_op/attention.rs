//! Attention without the table of its weights.

/// `softmax(q kᵀ · scale) v`: inputs are q `[batch, queries, width]`, k `[batch, keys, width]` and
/// v `[batch, keys, v_width]`; the result is `[batch, queries, v_width]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Attention {
    /// How many are independent: sequences times heads.
    pub batch: usize,
    /// Rows of q.
    pub queries: usize,
    /// Rows of k and v; at least one.
    pub keys: usize,
    /// Elements a row of q and k.
    pub width: usize,
    /// Elements a row of v.
    pub v_width: usize,
    /// Whether query i sees the keys up to i alone.
    pub causal: bool,
    scale: u64,
}

impl Attention {
    /// Of sizes batch, queries, keys, width, v_width, with what multiplies the scores.
    pub fn new(sizes: [usize; 5], causal: bool, scale: f64) -> Attention {
        let [batch, queries, keys, width, v_width] = sizes;
        Attention {
            batch,
            queries,
            keys,
            width,
            v_width,
            causal,
            scale: scale.to_bits(),
        }
    }

    /// What multiplies the scores.
    pub fn scale(&self) -> f64 {
        f64::from_bits(self.scale)
    }

    pub(super) fn compute(&self, inputs: &[&[f32]], out: &mut [f32]) {
        let row = |input: usize, row: usize, width: usize| &inputs[input][row * width..][..width];
        for query in 0..self.batch * self.queries {
            let (batch, at) = (query / self.queries, query % self.queries);
            let seen = if self.causal {
                self.keys.min(at + 1)
            } else {
                self.keys
            };
            let q = row(0, query, self.width);
            let score = |key: usize| {
                let k = row(1, batch * self.keys + key, self.width);
                let products = q.iter().zip(k).map(|(&a, &b)| f64::from(a) * f64::from(b));
                products.sum::<f64>() * self.scale()
            };
            let scores: Vec<f64> = (0..seen).map(score).collect();
            let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let weights: Vec<f64> = scores
                .iter()
                .map(|score| libm::exp(score - largest))
                .collect();
            let total: f64 = weights.iter().sum();
            for i in 0..self.v_width {
                let v = |key: usize| f64::from(row(2, batch * self.keys + key, self.v_width)[i]);
                let sum: f64 = weights.iter().enumerate().map(|(key, w)| w * v(key)).sum();
                out[query * self.v_width + i] = (sum / total) as f32;
            }
        }
    }
}
