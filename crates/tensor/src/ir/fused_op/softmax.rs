//! Softmax, its logarithm, and their gradients.

/// Lines along the middle of row-major `[outer, n, inner]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lines {
    /// Product of the dimensions before.
    pub outer: usize,
    /// Length of a line.
    pub n: usize,
    /// Product of the dimensions after.
    pub inner: usize,
}

impl Lines {
    /// How many lines.
    pub fn count(&self) -> usize {
        self.outer * self.inner
    }

    /// The positions of a line's elements.
    fn line(self, line: usize) -> impl Iterator<Item = usize> + Clone {
        let start = line / self.inner * self.n * self.inner + line % self.inner;
        (0..self.n).map(move |i| start + i * self.inner)
    }
}

/// `eˣ / Σ eˣ` along each line, or its gradient from that of the result and the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Softmax {
    /// Whether it is the logarithm, `x − ln Σ eˣ`.
    pub log: bool,
    /// Whether it is the gradient: inputs are the result's gradient and the result. Otherwise the one input is x.
    pub gradient: bool,
    /// What sums to 1.
    pub lines: Lines,
}

impl Softmax {
    pub(super) fn name(&self) -> &'static str {
        match (self.log, self.gradient) {
            (false, false) => "softmax",
            (false, true) => "softmax gradient",
            (true, false) => "log_softmax",
            (true, true) => "log_softmax gradient",
        }
    }

    pub(super) fn compute(&self, inputs: &[&[f32]], out: &mut [f32]) {
        for line in 0..self.lines.count() {
            let places = self.lines.line(line);
            let sum = |term: &dyn Fn(usize) -> f64| places.clone().map(term).sum::<f64>();
            if self.gradient {
                let (gy, y) = (
                    |at: usize| f64::from(inputs[0][at]),
                    |at: usize| f64::from(inputs[1][at]),
                );
                let total = match self.log {
                    true => sum(&gy),
                    false => sum(&|at| gy(at) * y(at)),
                };
                for at in places.clone() {
                    out[at] = match self.log {
                        true => gy(at) - libm::exp(y(at)) * total,
                        false => (gy(at) - total) * y(at),
                    } as f32;
                }
                continue;
            }
            let x = |at: usize| f64::from(inputs[0][at]);
            // NaN in a line makes all of it NaN, by the sum.
            let largest = places.clone().map(x).fold(f64::NEG_INFINITY, f64::max);
            let total = sum(&|at| libm::exp(x(at) - largest));
            for at in places.clone() {
                out[at] = match self.log {
                    true => x(at) - largest - libm::log(total),
                    false => libm::exp(x(at) - largest) / total,
                } as f32;
            }
        }
    }
}
