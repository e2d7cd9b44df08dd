//! A whole tensor of random numbers: what is asked for and the elements' bytes, in every dtype.
//!
//! Which draws an element takes depends on its dtype: a float16 uniform is a float32 uniform that is
//! rounded, an exponential of any dtype is a float64 one.
//!
//! Invariant: a call is checked before the first draw, so that a refused one leaves the generator
//! where it was.
//!
//! Left to others: what is allowed (`check.rs`), shapes and tensors (`tensor/draws.rs`), draws whose
//! parameters are tensors (`choice.rs`).

use half::{bf16, f16};

use super::check::{digits, integer_bounds, range};
use super::{Generator, NORMAL_BLOCK, PER_NORMAL, PER_WORD, box_muller};
use crate::shape::reserve;
use crate::{DType, Result, interrupt};

/// The numbers to draw, with the parameters that all elements share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Draw {
    /// `uniform_(from, to)`; `rand` from 0 to 1.
    Uniform {
        /// The least number.
        from: f64,
        /// The bound that is never reached.
        to: f64,
    },
    /// `normal_(mean, std)`; `randn` with 0 and 1.
    Normal {
        /// The middle.
        mean: f64,
        /// The spread, not negative.
        std: f64,
    },
    /// `log_normal_(mean, std)`: `exp` of a normal.
    LogNormal {
        /// The logarithm's middle.
        mean: f64,
        /// The logarithm's spread, positive.
        std: f64,
    },
    /// `nn.init.trunc_normal_`: a normal that is drawn again until it lies within `[a, b]`.
    TruncatedNormal {
        /// The middle before the cut.
        mean: f64,
        /// The spread before the cut.
        std: f64,
        /// The least number.
        a: f64,
        /// The largest number.
        b: f64,
    },
    /// `exponential_(lambd)`.
    Exponential {
        /// The rate, positive.
        lambd: f64,
    },
    /// `cauchy_(median, sigma)`.
    Cauchy {
        /// The middle.
        median: f64,
        /// The spread, positive.
        sigma: f64,
    },
    /// `geometric_(p)`: tries up to the first success.
    Geometric {
        /// The probability of a success, strictly between 0 and 1.
        p: f64,
    },
    /// `bernoulli_(p)`: 1 with probability `p`, else 0.
    Bernoulli {
        /// The probability of a 1.
        p: f64,
    },
    /// `randint(low, high)` and `random_(low, high)`; without `high`, up to the dtype's largest.
    Integers {
        /// The least integer.
        low: i64,
        /// The bound that is never reached.
        high: Option<i64>,
    },
    /// `random_()`: every integer that the dtype holds exactly, from 0 on.
    AnyInteger,
    /// `randperm`: each of `0..n` once.
    Permutation,
}

/// Numbers before they are stored: in the precision in which their dtype computes.
pub(super) enum Numbers {
    F32(Vec<f32>),
    F64(Vec<f64>),
    I64(Vec<i64>),
}

impl Numbers {
    /// As elements of a dtype; float16 and bfloat16 round once more, integers wrap.
    pub(super) fn into_bytes(self, dtype: DType) -> Result<Vec<u8>> {
        let n = match &self {
            Numbers::F32(list) => list.len(),
            Numbers::F64(list) => list.len(),
            Numbers::I64(list) => list.len(),
        };
        let mut bytes = reserve("rand", n * dtype.size())?;
        match self {
            Numbers::F32(list) => list
                .into_iter()
                .for_each(|x| put_f64(f64::from(x), dtype, &mut bytes)),
            Numbers::F64(list) => list.into_iter().for_each(|x| put_f64(x, dtype, &mut bytes)),
            Numbers::I64(list) => list.into_iter().for_each(|x| put_i64(x, dtype, &mut bytes)),
        }
        Ok(bytes)
    }

    /// As float64, rounded to a float dtype.
    pub(super) fn into_f64(self, dtype: DType) -> Vec<f64> {
        match self {
            Numbers::F32(list) => list
                .into_iter()
                .map(|x| round(f64::from(x), dtype))
                .collect(),
            Numbers::F64(list) => list.into_iter().map(|x| round(x, dtype)).collect(),
            Numbers::I64(list) => list.into_iter().map(|x| x as f64).collect(),
        }
    }
}

fn put_f64(x: f64, dtype: DType, bytes: &mut Vec<u8>) {
    match dtype {
        DType::F64 => bytes.extend(x.to_le_bytes()),
        DType::F32 => bytes.extend((x as f32).to_le_bytes()),
        DType::F16 => bytes.extend(f16::from_f32(x as f32).to_le_bytes()),
        DType::BF16 => bytes.extend(bf16::from_f32(x as f32).to_le_bytes()),
        _ => put_i64(x as i64, dtype, bytes),
    }
}

fn put_i64(x: i64, dtype: DType, bytes: &mut Vec<u8>) {
    match dtype {
        DType::F64 => bytes.extend((x as f64).to_le_bytes()),
        // By way of float32, as ATen's half types convert.
        DType::F32 | DType::F16 | DType::BF16 => put_f64(f64::from(x as f32), dtype, bytes),
        DType::Bool => bytes.push(u8::from(x != 0)),
        // Two's complement, little-endian: the low bytes are the narrow integer.
        _ => bytes.extend(&x.to_le_bytes()[..dtype.size()]),
    }
}

/// The nearest number of a float dtype; halves round by way of float32, as in ATen.
pub(super) fn round(x: f64, dtype: DType) -> f64 {
    match dtype {
        DType::F32 => f64::from(x as f32),
        DType::F16 => f16::from_f32(x as f32).to_f64(),
        DType::BF16 => bf16::from_f32(x as f32).to_f64(),
        _ => x,
    }
}

impl Draw {
    /// The PyTorch call that it is, for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Draw::Uniform { .. } => "uniform_",
            Draw::Normal { .. } => "normal_",
            Draw::LogNormal { .. } => "log_normal_",
            Draw::TruncatedNormal { .. } => "trunc_normal_",
            Draw::Exponential { .. } => "exponential_",
            Draw::Cauchy { .. } => "cauchy_",
            Draw::Geometric { .. } => "geometric_",
            Draw::Bernoulli { .. } => "bernoulli_",
            Draw::Integers { .. } | Draw::AnyInteger => "random_",
            Draw::Permutation => "randperm",
        }
    }
}

impl Generator {
    /// The bytes of `n` random elements of a dtype, little-endian: exactly what PyTorch's CPU kernel
    /// stores in a contiguous tensor.
    ///
    /// # Errors
    /// Those of [`Draw::check`], before anything is drawn; too little memory.
    pub fn draw(&mut self, draw: Draw, n: usize, dtype: DType) -> Result<Vec<u8>> {
        draw.check(n, dtype)?;
        self.numbers(draw, n, dtype)?.into_bytes(dtype)
    }

    /// The numbers of a draw that was checked, before they are stored.
    pub(super) fn numbers(&mut self, draw: Draw, n: usize, dtype: DType) -> Result<Numbers> {
        let numbers = self.drawn(draw, n, dtype);
        interrupt::check().and(numbers)
    }

    fn drawn(&mut self, draw: Draw, n: usize, dtype: DType) -> Result<Numbers> {
        let name = draw.name();
        match draw {
            Draw::Uniform { from, to } => {
                if dtype == DType::F64 {
                    let mut list = zeros(name, n)?;
                    self.uniform_f64(&mut list, from, to);
                    return Ok(Numbers::F64(list));
                }
                let mut list = zeros(name, n)?;
                self.uniform_f32(&mut list, from, to);
                if dtype != DType::F32 {
                    // A half that rounds up to the bound becomes the least number.
                    let (low, high) = (round(from, dtype), round(to, dtype));
                    for x in &mut list {
                        if round(f64::from(*x), dtype) == high {
                            *x = low as f32;
                        }
                    }
                }
                Ok(Numbers::F32(list))
            }
            Draw::Normal { mean, std } => match dtype {
                DType::F64 => {
                    let mut list = zeros(name, n)?;
                    self.normal_f64(&mut list, mean, std);
                    Ok(Numbers::F64(list))
                }
                DType::F32 => {
                    let mut list = zeros(name, n)?;
                    self.normal_f32(&mut list, mean, std);
                    Ok(Numbers::F32(list))
                }
                _ => {
                    let mut list = zeros(name, n)?;
                    self.normal_half(&mut list, mean, std);
                    Ok(Numbers::F32(list))
                }
            },
            Draw::TruncatedNormal { mean, std, a, b } => {
                self.truncated_normal(n, dtype, [mean, std, a, b])
            }
            Draw::LogNormal { mean, std } => floats(name, n, || libm::exp(self.normal(mean, std))),
            Draw::Exponential { lambd } => floats(name, n, || self.exponential(lambd)),
            Draw::Cauchy { median, sigma } => floats(name, n, || {
                let turn = std::f64::consts::PI * (self.unit_f64() - 0.5);
                median + sigma * libm::tan(turn)
            }),
            Draw::Geometric { p } => {
                let failure = libm::log1p(-p);
                floats(name, n, || (libm::log(self.unit_f64()) / failure).ceil())
            }
            Draw::Bernoulli { p } => integers(name, n, || i64::from(self.unit_f64() < p)),
            Draw::Integers { low, high } => match range(low, high, dtype)? {
                (low, Some(range)) => integers(name, n, || self.integer(low, range)),
                (_, None) => integers(name, n, || self.next_u64() as i64),
            },
            Draw::AnyInteger => {
                let most = match dtype {
                    _ if dtype.is_float() => 1 << digits(dtype),
                    _ => integer_bounds(dtype).1,
                } as u64;
                let wide = matches!(dtype, DType::I64 | DType::F64);
                integers(name, n, || {
                    let bits = if wide {
                        self.next_u64()
                    } else {
                        u64::from(self.next_u32())
                    };
                    (bits % (most + 1)) as i64
                })
            }
            Draw::Permutation => {
                let mut list = zeros(name, n)?;
                self.randperm(&mut list);
                Ok(Numbers::I64(list))
            }
        }
    }

    /// One exponential, from a float64 uniform.
    pub(super) fn exponential(&mut self, lambd: f64) -> f64 {
        -1.0 / lambd * libm::log1p(-self.unit_f64())
    }

    /// Normals that will be rounded to a half: in blocks through a float32 buffer. Unlike in
    /// [`Generator::normal_f32`], the end that will be drawn anew is not drawn before.
    fn normal_half(&mut self, out: &mut [f32], mean: f64, std: f64) {
        if out.len() < NORMAL_BLOCK {
            out.fill_with(|| self.normal(mean, std) as f32);
            return;
        }
        let block = |generator: &mut Self, block: &mut [f32; NORMAL_BLOCK]| {
            generator.uniform_f32(block, 0.0, 1.0);
            box_muller::block_f32(block, mean as f32, std as f32);
        };
        let (blocks, tail) = out.as_chunks_mut::<NORMAL_BLOCK>();
        for numbers in blocks {
            if interrupt::spend(NORMAL_BLOCK * PER_NORMAL) {
                return;
            }
            block(self, numbers);
        }
        if tail.is_empty() {
            return;
        }
        if let Some(last) = out.last_chunk_mut::<NORMAL_BLOCK>() {
            block(self, last);
        }
    }
}

fn zeros<T: Clone + Default>(name: &str, n: usize) -> Result<Vec<T>> {
    let mut list = reserve(name, n)?;
    list.resize(n, T::default());
    Ok(list)
}

fn floats(name: &str, n: usize, mut next: impl FnMut() -> f64) -> Result<Numbers> {
    let mut list = reserve(name, n)?;
    list.extend((0..n).map_while(|_| (!interrupt::spend(PER_NORMAL)).then(&mut next)));
    Ok(Numbers::F64(list))
}

fn integers(name: &str, n: usize, mut next: impl FnMut() -> i64) -> Result<Numbers> {
    let mut list = reserve(name, n)?;
    list.extend((0..n).map_while(|_| (!interrupt::spend(PER_WORD)).then(&mut next)));
    Ok(Numbers::I64(list))
}
