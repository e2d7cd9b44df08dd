//! Layer norm and its gradient.

/// `(x − mean) / √(variance + eps) · weight + bias` of each row of `[rows, n]`, or the gradient for x from that of
/// the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Norm {
    /// Rows of x.
    pub rows: usize,
    /// Elements a row.
    pub n: usize,
    eps: u64,
    /// Whether there is a weight `[n]`.
    pub weight: bool,
    /// Whether there is a bias `[n]`.
    pub bias: bool,
    /// Whether it is the gradient: inputs are the result's gradient, x and the weight. Otherwise x, weight, bias.
    pub gradient: bool,
}

impl Norm {
    /// Of rows with this added to their variance; without weight and bias.
    pub fn new([rows, n]: [usize; 2], eps: f64) -> Norm {
        Norm {
            rows,
            n,
            eps: eps.to_bits(),
            weight: false,
            bias: false,
            gradient: false,
        }
    }

    /// What is added to the variance.
    pub fn eps(&self) -> f64 {
        f64::from_bits(self.eps)
    }

    pub(super) fn name(&self) -> &'static str {
        match self.gradient {
            false => "layer_norm",
            true => "layer_norm gradient",
        }
    }

    pub(super) fn compute(&self, inputs: &[&[f32]], out: &mut [f32]) {
        let x = inputs[usize::from(self.gradient)];
        let weight = |i: usize| match self.weight {
            true => f64::from(inputs[1 + usize::from(self.gradient)][i]),
            false => 1.0,
        };
        let bias = |i: usize| match self.bias {
            true => f64::from(inputs[1 + usize::from(self.weight)][i]),
            false => 0.0,
        };
        let mean = |term: &dyn Fn(usize) -> f64| (0..self.n).map(term).sum::<f64>() / self.n as f64;
        for start in (0..self.rows).map(|row| row * self.n) {
            let x = |i: usize| f64::from(x[start + i]);
            let middle = mean(&x);
            let variance = mean(&|i| (x(i) - middle) * (x(i) - middle));
            let scale = 1.0 / libm::sqrt(variance + self.eps());
            let normal = |i: usize| (x(i) - middle) * scale;
            let gy = |i: usize| f64::from(inputs[0][start + i]) * weight(i);
            if self.gradient {
                let (level, along) = (mean(&gy), mean(&|i| gy(i) * normal(i)));
                for i in 0..self.n {
                    out[start + i] = ((gy(i) - level - normal(i) * along) * scale) as f32;
                }
            } else {
                for i in 0..self.n {
                    out[start + i] = (normal(i) * weight(i) + bias(i)) as f32;
                }
            }
        }
    }
}
