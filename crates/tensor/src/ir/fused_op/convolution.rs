//! Convolutions and their two gradients.
//!
//! All three are factors of `Σ x[n, c, i] · w[o, c, k] · y[n, o, j]` with `i = stride · j + dilation · k − before`:
//! from two of x, w and y comes the third.

/// Which of the three is computed, and from what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// y from x and w: a convolution.
    Result,
    /// x from y and w: the gradient of the input, a transposed convolution.
    Input,
    /// w from x and y: the gradient of the weight.
    Weight,
}

/// One of the three. x is `[batch, groups · channels_in, *input]`, w is
/// `[groups · channels_out, channels_in, *kernel]`, y is `[batch, groups · channels_out, *result]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Convolution {
    /// What is computed.
    pub wanted: Wanted,
    /// Samples.
    pub batch: usize,
    /// Groups of channels that do not see each other.
    pub groups: usize,
    /// Channels of x in a group.
    pub channels_in: usize,
    /// Channels of y in a group.
    pub channels_out: usize,
    /// Spatial sizes of x; here and below, dimensions in front that a tensor has not are 1.
    pub input: [usize; 3],
    /// Spatial sizes of w.
    pub kernel: [usize; 3],
    /// Spatial sizes of y.
    pub result: [usize; 3],
    /// From one place of the kernel to the next.
    pub stride: [usize; 3],
    /// Zeros in front of x.
    pub before: [usize; 3],
    /// From one element of the kernel to the next.
    pub dilation: [usize; 3],
    /// How many results there are, each the sum over a part of [`Convolution::depth`]; they are added up elsewhere.
    pub parts: usize,
}

/// A device with fewer results than this to compute has idle units: long sums are then taken in parts.
const MANY_RESULTS: usize = 1 << 18;

/// Least terms of a part.
const LONG_SUM: usize = 512;

fn count(size: [usize; 3]) -> usize {
    size.iter().product()
}

/// The i-th place of so many, row-major.
fn place(i: usize, [_, y, z]: [usize; 3]) -> [usize; 3] {
    [i / (y * z), i / z % y, i % z]
}

impl Convolution {
    pub(super) fn name(&self) -> &'static str {
        match self.wanted {
            Wanted::Result => "convolution",
            Wanted::Input => "convolution input gradient",
            Wanted::Weight => "convolution weight gradient",
        }
    }

    /// Rows and columns of a group's result as a matrix: channels, and everything else.
    pub fn sides(&self) -> [usize; 2] {
        match self.wanted {
            Wanted::Result => [self.channels_out, self.batch * count(self.result)],
            Wanted::Input => [self.channels_in, self.batch * count(self.input)],
            Wanted::Weight => [self.channels_out, self.channels_in * count(self.kernel)],
        }
    }

    /// How many products a sum has, those with zeros outside included.
    pub fn depth(&self) -> usize {
        match self.wanted {
            Wanted::Result => self.channels_in * count(self.kernel),
            Wanted::Input => self.channels_out * count(self.kernel),
            Wanted::Weight => self.batch * count(self.result),
        }
    }

    /// The products of a part; the last part may have fewer.
    pub fn part(&self) -> usize {
        self.depth().div_ceil(self.parts)
    }

    /// Into how many parts its sums are best taken.
    pub fn best_parts(&self) -> usize {
        let results = self.groups * self.sides().iter().product::<usize>();
        let parts = (MANY_RESULTS / results.max(1)).min(self.depth() / LONG_SUM);
        // None of them is empty.
        self.depth().div_ceil(self.depth().div_ceil(parts.max(1)))
    }

    /// How far the last element under the kernel is from the first zero, in one dimension.
    pub fn reach(&self, d: usize) -> usize {
        let steps = |step: usize, n: usize| step.saturating_mul(n.saturating_sub(1));
        let last = steps(self.stride[d], self.result[d]);
        last.saturating_add(steps(self.dilation[d], self.kernel[d]))
    }

    /// The element of x under element `k` of the kernel at place `j`.
    fn under(&self, j: usize, k: usize) -> Option<usize> {
        let (j, k) = (place(j, self.result), place(k, self.kernel));
        let mut at = 0;
        for d in 0..3 {
            let moved = self.stride[d].saturating_mul(j[d]);
            let moved = moved.saturating_add(self.dilation[d].saturating_mul(k[d]));
            let i = moved.checked_sub(self.before[d])?;
            if i >= self.input[d] {
                return None;
            }
            at = at * self.input[d] + i;
        }
        Some(at)
    }

    pub(super) fn compute(&self, inputs: &[&[f32]], out: &mut [f32]) {
        let (first, second) = (inputs[0], inputs[1]);
        let [n_input, n_kernel, n_result] = [self.input, self.kernel, self.result].map(count);
        let (channels_in, channels_out) = (self.channels_in, self.channels_out);
        let (part, n_out) = (self.part(), out.len() / self.parts);
        let mut total = vec![0.0; out.len()];
        for (n, g) in pairs(self.batch, self.groups) {
            let in_batch = n * self.groups + g;
            for (j, k) in pairs(n_result, n_kernel) {
                let Some(i) = self.under(j, k) else {
                    continue;
                };
                for (o, c) in pairs(channels_out, channels_in) {
                    let x = (in_batch * channels_in + c) * n_input + i;
                    let w = ((g * channels_out + o) * channels_in + c) * n_kernel + k;
                    let y = (in_batch * channels_out + o) * n_result + j;
                    let (to, a, b, depth) = match self.wanted {
                        Wanted::Result => (y, first[x], second[w], c * n_kernel + k),
                        Wanted::Input => (x, first[y], second[w], o * n_kernel + k),
                        Wanted::Weight => (w, first[x], second[y], n * n_result + j),
                    };
                    let part = if self.parts == 1 { 0 } else { depth / part };
                    total[part * n_out + to] += f64::from(a) * f64::from(b);
                }
            }
        }
        for (out, total) in out.iter_mut().zip(total) {
            *out = total as f32;
        }
    }
}

fn pairs(n: usize, m: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |i| (0..m).map(move |j| (i, j)))
}
