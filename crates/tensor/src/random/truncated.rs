//! Normals within bounds, as `torch.nn.init.trunc_normal_` draws them: by rejection.
//!
//! PyTorch writes this in Python over whole tensors: every round draws all elements anew and keeps
//! those that are still missing. Each step below is one of those tensor operations, rounded to the
//! tensor's dtype, so that the rounds, and with them the draws, are the same.
//!
//! Left to others: the warning about a mean far outside the bounds (`nn.init`).

use super::Generator;
use super::draw::{Draw, Numbers, round};
use crate::{DType, Error, Result};

/// Rounds after which the bounds count as out of reach; PyTorch would go on without end.
const MOST_ROUNDS: usize = 10_000;
/// Where this share of a normal's numbers lies between the bounds, normals are drawn; else uniforms.
const LIKELY: f64 = 0.3;

fn normal_cdf(x: f64) -> f64 {
    (1.0 + libm::erf(x / std::f64::consts::SQRT_2)) / 2.0
}

impl Generator {
    /// `n` numbers around `mean`, `std` apart, within `[a, b]`.
    pub(super) fn truncated_normal(
        &mut self,
        n: usize,
        dtype: DType,
        [mean, std, a, b]: [f64; 4],
    ) -> Result<Numbers> {
        let likely = normal_cdf((b - mean) / std) - normal_cdf((a - mean) / std) > LIKELY;
        if likely {
            self.redraw_normals(n, dtype, [mean, std, a, b])
        } else {
            self.accept_uniforms(n, dtype, [mean, std, a, b])
        }
    }

    fn checked(&mut self, draw: Draw, n: usize, dtype: DType) -> Result<Vec<f64>> {
        draw.check(n, dtype)?;
        Ok(self.numbers(draw, n, dtype)?.into_f64(dtype))
    }

    fn redraw_normals(
        &mut self,
        n: usize,
        dtype: DType,
        [mean, std, a, b]: [f64; 4],
    ) -> Result<Numbers> {
        let (low, high) = (round(a, dtype), round(b, dtype));
        let outside = |x: f64| x < low || x > high;
        let draw = Draw::Normal { mean, std };
        let mut kept = self.checked(draw, n, dtype)?;
        for _ in 0..MOST_ROUNDS {
            if !kept.iter().any(|&x| outside(x)) {
                return Ok(Numbers::F64(kept));
            }
            let drawn = self.checked(draw, n, dtype)?;
            for (x, new) in kept.iter_mut().zip(drawn) {
                if outside(*x) {
                    *x = new;
                }
            }
        }
        Err(out_of_reach(dtype, [mean, std, a, b]))
    }

    fn accept_uniforms(
        &mut self,
        n: usize,
        dtype: DType,
        [mean, std, a, b]: [f64; 4],
    ) -> Result<Numbers> {
        let between = Draw::Uniform { from: a, to: b };
        let unit = Draw::Uniform { from: 0.0, to: 1.0 };
        // Python numbers meet a tensor in the precision in which its dtype computes.
        let number = |x: f64| match dtype {
            DType::F64 => x,
            _ => f64::from(x as f32),
        };
        let mode = a.max(mean.min(b));
        let from_peak = (mode - mean) / std;
        let log_peak = number(-0.5 * (from_peak * from_peak));
        let refused = |x: f64, unit: f64| {
            let x = round(round(x - number(mean), dtype) / number(std), dtype);
            let log_density = round(round(x * x, dtype) * -0.5, dtype);
            round(libm::log(unit), dtype) > round(log_density - log_peak, dtype)
        };
        let mut kept = self.checked(between, n, dtype)?;
        let units = self.checked(unit, n, dtype)?;
        let mut pending: Vec<bool> = kept
            .iter()
            .zip(units)
            .map(|(&x, unit)| refused(x, unit))
            .collect();
        for _ in 0..MOST_ROUNDS {
            if !pending.contains(&true) {
                return Ok(Numbers::F64(kept));
            }
            let drawn = self.checked(between, n, dtype)?;
            let units = self.checked(unit, n, dtype)?;
            for (index, pending) in pending.iter_mut().enumerate() {
                if *pending {
                    kept[index] = drawn[index];
                    *pending = refused(drawn[index], units[index]);
                }
            }
        }
        Err(out_of_reach(dtype, [mean, std, a, b]))
    }
}

fn out_of_reach(dtype: DType, [mean, std, a, b]: [f64; 4]) -> Error {
    Error::runtime(format!(
        "trunc_normal_: hardly a number of {dtype} with mean={mean} and std={std} lies between a={a} and b={b}: gave up after {MOST_ROUNDS} rounds; choose bounds nearer to the mean"
    ))
}
