//! What a run at the start shows of a model: whether rows of several requests may be joined.
//!
//! That a first size is open does not say that rows are independent: a model may normalise over its batch, or the size may
//! be a length of time. So a few numbers are run alone and together, and rows are joined only where the results are the
//! same up to rounding.

use glowgrad::{DType, Result, Scalar};
use glowgrad_files::Array;

use crate::model::{Arrays, Served, Size, Value, has_open_batch};
use crate::rows;

/// What stands for another open size: long enough for a kernel of a convolution.
const OPEN_SIZE: usize = 16;

/// No model is run on more numbers than this at the start.
const MOST_NUMBERS: usize = 1 << 24;

/// Whether rows may be joined, and why they may not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) joins: bool,
    pub(crate) reason: String,
}

fn not(reason: impl Into<String>) -> Found {
    Found {
        joins: false,
        reason: reason.into(),
    }
}

/// Runs one request of one row, one of two, and both together.
pub(crate) fn look(model: &dyn Served, run: impl Fn(&Arrays) -> Result<Arrays>) -> Found {
    if !has_open_batch(model) {
        return not("the first sizes of its inputs and outputs are not one open size");
    }
    let (Some(one), Some(two)) = (request(model, 1, 1), request(model, 2, 2)) else {
        return not("its inputs are too large to try it");
    };
    let together = rows::join(&[&one, &two]).map_err(glowgrad_files::tensor::of_file);
    let ran = together.and_then(|both| Ok((run(&one)?, run(&two)?, run(&both)?)));
    let (a, b, both) = match ran {
        Ok(ran) => ran,
        Err(error) => return not(format!("a try of joined rows failed: {}", error.message)),
    };
    match rows::split(&both, &[1, 2]) {
        Ok(split) if is_close(&split[0], &a) && is_close(&split[1], &b) => Found {
            joins: true,
            reason: String::new(),
        },
        Ok(_) => not("a row's result depends on the rows beside it"),
        Err(error) => not(error.to_string()),
    }
}

/// Numbers for every input, others for each seed.
fn request(model: &dyn Served, n_rows: usize, seed: u32) -> Option<Arrays> {
    let mut draw = Draw(seed.wrapping_mul(0x9e37_79b9));
    model
        .inputs()
        .iter()
        .map(|input| Some((input.name.clone(), array(input, n_rows, &mut draw)?)))
        .collect()
}

fn array(input: &Value, n_rows: usize, draw: &mut Draw) -> Option<Array<'static>> {
    let sizes = input.shape.as_deref().unwrap_or_default();
    let shape: Vec<usize> = (sizes.iter().enumerate())
        .map(|(i, size)| match size {
            _ if i == 0 => n_rows,
            Size::Fixed(n) => *n,
            Size::Named(_) | Size::Open => OPEN_SIZE,
        })
        .collect();
    let numel = shape
        .iter()
        .try_fold(1usize, |n, &size| n.checked_mul(size))?;
    if numel > MOST_NUMBERS {
        return None;
    }
    let dtype = input.dtype.unwrap_or(DType::F32);
    let mut bytes = Vec::with_capacity(numel * dtype.size());
    for _ in 0..numel {
        let x = draw.next();
        match dtype {
            DType::F16 => bytes.extend(half::f16::from_f32(x).to_le_bytes()),
            DType::BF16 => bytes.extend(half::bf16::from_f32(x).to_le_bytes()),
            DType::F32 => bytes.extend(x.to_le_bytes()),
            DType::F64 => bytes.extend(f64::from(x).to_le_bytes()),
            // Small, so that they are indices of any table.
            whole => {
                bytes.push(u8::from(x > 0.0));
                bytes.extend(std::iter::repeat_n(0, whole.size() - 1));
            }
        }
    }
    Array::new(dtype, shape, bytes).ok()
}

fn is_close(left: &Arrays, right: &Arrays) -> bool {
    let numbers = |array: &Array<'_>| -> Vec<f64> {
        let scalars = Scalar::of_bytes(array.bytes(), array.dtype());
        scalars.into_iter().map(Scalar::as_f64).collect()
    };
    left.len() == right.len()
        && left.iter().zip(right).all(|((_, x), (_, y))| {
            let (numbers_x, numbers_y) = (numbers(x), numbers(y));
            let largest = numbers_y.iter().filter(|y| y.is_finite());
            let largest = largest.fold(0.0f64, |most, y| most.max(y.abs()));
            let precision = match x.dtype() {
                DType::F64 => 1e-10,
                DType::F16 | DType::BF16 => 3e-2,
                _ => 1e-4,
            };
            let allowed = precision * largest.max(1e-6);
            let near = |(x, y): (&f64, &f64)| {
                x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= allowed
            };
            x.shape() == y.shape() && numbers_x.iter().zip(&numbers_y).all(near)
        })
}

/// Numbers between −1 and 1, the same in every run (xorshift).
struct Draw(u32);

impl Draw {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as f32 / u32::MAX as f32 * 2.0 - 1.0
    }
}
