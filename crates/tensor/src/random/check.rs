//! Which draws PyTorch allows in which dtype, with its words for what it refuses.
//!
//! The bounds are those of ATen's `native/DistributionTemplates.h`. Its dtype names are C++'s; here
//! they are the learner's.
//!
//! Left to others: the draws themselves (`draw.rs`).

use half::{bf16, f16};

use super::draw::{Draw, round};
use crate::{DType, Error, Result};

/// Bits of a float dtype's significand.
pub(super) fn digits(dtype: DType) -> u32 {
    match dtype {
        DType::F64 => f64::MANTISSA_DIGITS,
        DType::F32 => f32::MANTISSA_DIGITS,
        DType::F16 => f16::MANTISSA_DIGITS,
        _ => bf16::MANTISSA_DIGITS,
    }
}

/// The least and the largest finite number of a dtype.
fn bounds(dtype: DType) -> (f64, f64) {
    let largest = match dtype {
        DType::F64 => f64::MAX,
        DType::F32 => f64::from(f32::MAX),
        DType::F16 => f16::MAX.to_f64(),
        _ => bf16::MAX.to_f64(),
    };
    (-largest, largest)
}

/// The least and the largest integer that `random_` gives an integer dtype.
pub(super) fn integer_bounds(dtype: DType) -> (i64, i64) {
    match dtype {
        DType::Bool => (0, 1),
        DType::I64 => (i64::MIN, i64::MAX),
        DType::U64 => (0, i64::MAX),
        _ => {
            let bits = 8 * dtype.size() as u32;
            if dtype.is_signed() {
                (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
            } else {
                (0, (1 << bits) - 1)
            }
        }
    }
}

fn not_implemented(name: &str, kernel: &str, dtype: DType) -> Error {
    Error::not_implemented(format!(
        "{name}: \"{kernel}\" not implemented for '{}': draw in another dtype, such as float32, and convert with .to(torch.{dtype})",
        dtype.scalar_name()
    ))
}

fn wide_unsigned(dtype: DType) -> bool {
    matches!(dtype, DType::U16 | DType::U32 | DType::U64)
}

impl Draw {
    /// Whether PyTorch draws this for `n` elements of a dtype.
    ///
    /// # Errors
    /// PyTorch's, for parameters out of range and dtypes that do not hold such numbers.
    pub fn check(self, n: usize, dtype: DType) -> Result<()> {
        let (name, float) = (self.name(), dtype.is_float());
        match self {
            Draw::Uniform { .. } if !float => {
                Err(not_implemented(name, "check_uniform_bounds", dtype))
            }
            Draw::Uniform { from, to } => check_uniform(from, to, dtype),
            Draw::Normal { std, .. } => match std >= 0.0 {
                true if float => Ok(()),
                true => Err(not_implemented(name, "normal_kernel_cpu", dtype)),
                false => Err(Error::runtime(format!(
                    "normal expects std >= 0.0, but found std {std}"
                ))),
            },
            Draw::LogNormal { std, .. } => match std > 0.0 {
                true if float => Ok(()),
                true => Err(not_implemented(name, "log_normal_cpu", dtype)),
                false => Err(Error::runtime(format!(
                    "log_normal_ expects std > 0.0, but found std={std}"
                ))),
            },
            Draw::TruncatedNormal { .. } if !float => {
                Err(not_implemented(name, "normal_kernel_cpu", dtype))
            }
            Draw::TruncatedNormal { std: 0.0, .. } => Err(Error::runtime(
                "trunc_normal_ expects std other than 0: float division by zero; use fill_(mean) for a constant",
            )),
            // The bounds count only where uniforms are drawn between them.
            Draw::TruncatedNormal { .. } => Ok(()),
            Draw::Exponential { lambd } => match lambd > 0.0 {
                true if float => Ok(()),
                true => Err(continuous("Exponential", dtype)),
                false => Err(Error::runtime(format!(
                    "exponential_ expects lambda > 0.0, but found lambda={lambd}"
                ))),
            },
            Draw::Cauchy { sigma, .. } => match sigma > 0.0 {
                true if float => Ok(()),
                true => Err(continuous("Cauchy", dtype)),
                false => Err(Error::runtime(format!(
                    "cauchy_ expects sigma > 0.0, but found sigma={sigma}"
                ))),
            },
            Draw::Geometric { p } => match p > 0.0 && p < 1.0 {
                true if dtype == DType::Bool || wide_unsigned(dtype) => {
                    Err(not_implemented(name, "geometric_cpu", dtype))
                }
                true => Ok(()),
                false => Err(Error::runtime(format!(
                    "geometric_ expects p to be in (0, 1), but got p={p}"
                ))),
            },
            Draw::Bernoulli { p } => match (0.0..=1.0).contains(&p) {
                true if wide_unsigned(dtype) => {
                    Err(not_implemented(name, "bernoulli_scalar_cpu_", dtype))
                }
                true => Ok(()),
                false => Err(Error::runtime(format!(
                    "bernoulli_ expects p to be in [0, 1], but got p={p}"
                ))),
            },
            Draw::Integers { low, high } => range(low, high, dtype).map(|_| ()),
            Draw::AnyInteger if wide_unsigned(dtype) => {
                Err(not_implemented(name, "random_kernel_cpu", dtype))
            }
            Draw::AnyInteger => Ok(()),
            Draw::Permutation => check_permutation(n, dtype),
        }
    }
}

fn continuous(distribution: &str, dtype: DType) -> Error {
    Error::runtime(format!(
        "{distribution} distribution is a continuous probability distribution. dtype must be a floating point but you specified {dtype}"
    ))
}

fn check_uniform(from: f64, to: f64, dtype: DType) -> Result<()> {
    let (least, largest) = bounds(dtype);
    for (name, value) in [("from", from), ("to", to)] {
        if !(least..=largest).contains(&value) {
            return Err(Error::runtime(format!(
                "uniform_: {name} is out of bounds for {dtype}: got {value}, expected {least:e} to {largest:e}"
            )));
        }
    }
    if from > to {
        return Err(Error::runtime(format!(
            "uniform_ expects to return a [from, to) range, but found from={from} > to={to}"
        )));
    }
    if to - from > largest {
        return Err(Error::runtime(format!(
            "uniform_ expects to-from <= std::numeric_limits<{}>::max(), but found to={to} and from={from} which result in to-from to exceed the limit",
            dtype.scalar_name()
        )));
    }
    Ok(())
}

fn check_permutation(n: usize, dtype: DType) -> Result<()> {
    if dtype == DType::Bool || wide_unsigned(dtype) {
        return Err(not_implemented("randperm", "randperm", dtype));
    }
    if dtype.is_float() {
        // ATen does not look at bfloat16, whose larger numbers come rounded.
        let most = (1_u64 << digits(dtype)) + 1;
        if dtype != DType::BF16 && n as u64 > most {
            return Err(Error::runtime(format!(
                "randperm: n cannot be greater than {most} for {} type, got {n}",
                dtype.scalar_name()
            )));
        }
    } else if n > 0 && (n - 1) as u64 > integer_bounds(dtype).1 as u64 {
        return Err(Error::runtime(format!(
            "randperm: value cannot be converted to type {dtype} without overflow: got n={n}, expected at most {}",
            integer_bounds(dtype).1.saturating_add(1)
        )));
    }
    Ok(())
}

/// How many integers there are from which one on; `None` where all of 64 bits count.
pub(super) fn range(low: i64, high: Option<i64>, dtype: DType) -> Result<(i64, Option<u64>)> {
    let float = dtype.is_float();
    let low_given = low;
    let low = if float { next_float(low, dtype) } else { low };
    let last = match high {
        Some(high) if low_given >= high => {
            return Err(Error::runtime(format!(
                "random_ expects 'from' to be less than 'to', but got from={low_given} >= to={high}"
            )));
        }
        Some(high) => {
            let high = if float {
                previous_float(high, dtype)
            } else {
                high
            };
            if low >= high {
                return Err(Error::runtime(format!(
                    "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got from={low} >= to={high}"
                )));
            }
            high - 1
        }
        None if low_given == i64::MIN => {
            return match dtype {
                DType::I64 | DType::F64 | DType::F32 | DType::BF16 => Ok((low_given, None)),
                _ => Err(Error::runtime(format!(
                    "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16, got {dtype}"
                ))),
            };
        }
        None if float => {
            let last = 1_i64 << digits(dtype);
            if low >= last {
                return Err(Error::runtime(format!(
                    "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got from={low} > to_inc={last}"
                )));
            }
            last
        }
        None if dtype == DType::U64 => i64::MAX,
        None => integer_bounds(dtype).1,
    };
    for (name, value) in [("from", low), ("to - 1", last)] {
        let inside = if float {
            let (least, largest) = bounds(dtype);
            (least..=largest).contains(&(value as f64))
        } else {
            let (least, largest) = integer_bounds(dtype);
            (least..=largest).contains(&value)
        };
        if !inside {
            return Err(Error::runtime(format!(
                "random_: {name} is out of bounds for {dtype}: got {value}; choose a narrower range or a wider dtype"
            )));
        }
    }
    let span = (last as u64).wrapping_sub(low as u64).wrapping_add(1);
    Ok((low, Some(span)))
}

/// A float dtype's nearest number to an integer, as an integer; what does not fit is the least, as
/// x86 converts.
fn through_float(x: i64, dtype: DType) -> i64 {
    let nearest = match dtype {
        DType::F64 => x as f64,
        _ => round(f64::from(x as f32), dtype),
    };
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&nearest) {
        nearest as i64
    } else {
        i64::MIN
    }
}

/// The gap between neighbouring floats near an integer.
fn gap(x: i64, dtype: DType) -> i64 {
    let exponent = x.unsigned_abs().checked_ilog2().unwrap_or(0);
    1_i64 << (exponent + 1).saturating_sub(digits(dtype))
}

/// Moves a least integer up to where no number rounds below it (ATen's `update_from`).
fn next_float(low: i64, dtype: DType) -> i64 {
    let after = low.wrapping_add(1);
    let rounded = through_float(after, dtype);
    if rounded < low {
        rounded.wrapping_add(gap(after, dtype))
    } else {
        low
    }
}

/// Moves a bound down to where no number rounds up to it (ATen's `update_to`).
fn previous_float(high: i64, dtype: DType) -> i64 {
    let before = high.wrapping_sub(1);
    let rounded = through_float(before, dtype);
    if rounded >= high {
        rounded.wrapping_sub(gap(before, dtype))
    } else {
        high
    }
}
