//! Draws whose probabilities are given element by element: coins of their own odds, and indices
//! by weight.
//!
//! Weights come as float64 numbers of a float dtype; every intermediate is rounded as that dtype
//! computes, because a last bit decides which index is drawn. The checks and their words are those
//! of ATen's `Distributions.cpp` and `cpu/MultinomialKernel.cpp`.
//!
//! Left to others: tensors and their shapes (`tensor/draws.rs`).

use std::cmp::Ordering;

use super::Generator;
use super::draw::round;
use crate::shape::{check_bytes, reserve};
use crate::{DType, Error, Result};

/// From here on float32 cannot tell neighbouring sums apart.
const MOST_CATEGORIES: usize = 1 << 24;

impl Generator {
    /// `torch.bernoulli(probabilities)`: true with each element's own probability. Probabilities in
    /// float64 are compared with float64 uniforms, all others with float32 ones.
    ///
    /// # Errors
    /// For a dtype that is no float, and probabilities that are not between 0 and 1.
    pub fn bernoulli_each(&mut self, probabilities: &[f64], dtype: DType) -> Result<Vec<bool>> {
        if !dtype.is_float() {
            return Err(Error::not_implemented(format!(
                "\"bernoulli_tensor_cpu_p_\" not implemented for '{}': the probabilities must be floats; convert them with .float()",
                dtype.scalar_name()
            )));
        }
        if let Some(p) = probabilities.iter().find(|p| !(0.0..=1.0).contains(*p)) {
            return Err(Error::runtime(format!(
                "bernoulli: Expected p_in >= 0 && p_in <= 1 to be true, but got false: got the probability {p}; probabilities lie in [0, 1]"
            )));
        }
        let mut drawn = reserve("bernoulli", probabilities.len())?;
        drawn.extend(probabilities.iter().map(|&p| match dtype {
            DType::F64 => self.unit_f64() < p,
            _ => f64::from(self.unit_f32()) < p,
        }));
        Ok(drawn)
    }

    /// `torch.multinomial`: for each row of `categories` weights, `samples` indices, row-major.
    ///
    /// Without replacement, and for a single index, the weights are divided by exponentials and the
    /// largest win; with replacement, a uniform is looked up in the running sum.
    ///
    /// # Errors
    /// For a dtype that is no float, weights that are negative or not finite or all zero, too many
    /// categories, and more indices without replacement than there are categories.
    pub fn multinomial(
        &mut self,
        weights: &[f64],
        rows: usize,
        categories: usize,
        dtype: DType,
        samples: i64,
        replacement: bool,
    ) -> Result<Vec<i64>> {
        if !dtype.is_float() {
            return Err(Error::runtime(format!(
                "multinomial only supports floating-point dtypes for input, got: {}; convert it with .float()",
                dtype.scalar_name()
            )));
        }
        let count = match usize::try_from(samples) {
            Ok(count @ 1..) => count,
            _ => {
                return Err(Error::runtime(format!(
                    "multinomial: cannot sample n_sample <= 0 samples, got num_samples={samples}"
                )));
            }
        };
        if !replacement && count > categories {
            return Err(Error::runtime(format!(
                "multinomial: cannot sample n_sample > prob_dist.size(-1) samples without replacement: got num_samples={samples} of {categories}; pass replacement=True to draw an index more than once"
            )));
        }
        if categories > MOST_CATEGORIES {
            return Err(Error::runtime(format!(
                "multinomial: number of categories cannot exceed 2^24, got {categories}"
            )));
        }
        check_bytes("multinomial", &[rows, count], DType::I64)?;
        let table: Vec<&[f64]> = match categories {
            0 => vec![&[]; rows],
            _ => weights.chunks_exact(categories).take(rows).collect(),
        };
        let largest_win = !replacement || count == 1;
        // All rows are looked at before the first draw.
        for row in &table {
            check_weights(row, largest_win)?;
        }
        let mut drawn = reserve("multinomial", rows * count)?;
        if largest_win {
            for row in &table {
                let shares = self.shares(row, dtype)?;
                drawn.extend(largest(&shares, count)?);
            }
        } else {
            for row in &table {
                let sums = running_shares(row, dtype)?;
                drawn.extend((0..count).map(|_| {
                    let at = self.unit_f64();
                    sums.partition_point(|&sum| sum < at) as i64
                }));
            }
        }
        Ok(drawn)
    }

    /// Weights divided by exponentials.
    fn shares(&mut self, weights: &[f64], dtype: DType) -> Result<Vec<f64>> {
        let mut shares = reserve("multinomial", weights.len())?;
        shares.extend(weights.iter().map(|&weight| {
            let exponential = round(self.exponential(1.0), dtype);
            round(weight / exponential, dtype)
        }));
        Ok(shares)
    }
}

fn check_weights(weights: &[f64], largest_win: bool) -> Result<()> {
    let problem = |words: &str| {
        Err(Error::runtime(format!(
            "multinomial: {words}; weights are finite, not negative, and not all zero"
        )))
    };
    if largest_win {
        if !weights.iter().all(|w| (0.0..f64::INFINITY).contains(w)) {
            return problem("probability tensor contains either `inf`, `nan` or element < 0");
        }
    } else if weights.iter().any(|&w| w.is_nan() || w < 0.0) {
        return problem(
            "invalid multinomial distribution (encountering probability entry < 0 or NaN)",
        );
    } else if weights.iter().any(|w| w.is_infinite()) {
        return problem(
            "invalid multinomial distribution (encountering probability entry = infinity or NaN)",
        );
    }
    if weights.iter().all(|&w| w == 0.0) {
        return problem("invalid multinomial distribution (sum of probabilities <= 0)");
    }
    Ok(())
}

/// The indices of the `count` largest shares, largest first; NaN is the largest, as in `topk`.
fn largest(shares: &[f64], count: usize) -> Result<Vec<i64>> {
    let descending = |&a: &i64, &b: &i64| {
        let (x, y) = (shares[a as usize], shares[b as usize]);
        y.partial_cmp(&x)
            .unwrap_or_else(|| y.is_nan().cmp(&x.is_nan()))
            .then_with(|| a.cmp(&b))
    };
    if count == 1 {
        let first = (0..shares.len() as i64).min_by(|a, b| descending(a, b));
        return Ok(first.into_iter().collect());
    }
    let mut order = reserve("multinomial", shares.len())?;
    order.extend(0..shares.len() as i64);
    if count < order.len() {
        order.select_nth_unstable_by(count, |a, b| -> Ordering { descending(a, b) });
        order.truncate(count);
    }
    order.sort_unstable_by(descending);
    Ok(order)
}

/// The running sum of a row's shares, whose last is 1; in float32 unless the weights are float64.
fn running_shares(weights: &[f64], dtype: DType) -> Result<Vec<f64>> {
    let precision = match dtype {
        DType::F64 => DType::F64,
        _ => DType::F32,
    };
    let mut sums = reserve("multinomial", weights.len())?;
    let mut sum = 0.0;
    for &weight in weights {
        sum = round(sum + weight, precision);
        sums.push(sum);
    }
    for share in &mut sums {
        *share = round(*share / sum, precision);
    }
    if let Some(last) = sums.last_mut() {
        *last = 1.0;
    }
    Ok(sums)
}
