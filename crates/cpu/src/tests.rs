//! Tests that run natively and in a browser alike: `#[test]` is the harness of the target.

use glowgrad_tensor::alu::{Alu, Value};
use glowgrad_tensor::kernel::{Instr, Kernel};
use glowgrad_tensor::{DType, View};

use crate::Level;
use crate::pool::{Block, Pool};

#[cfg(feature = "full")]
mod convolution;
mod gemm;
mod kernels;
mod math;
mod ops;
mod ordered;
mod pools;
mod reduce;
mod routines;
#[cfg(feature = "full")]
mod rows;
#[cfg(not(target_arch = "wasm32"))]
mod threads;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

/// Runs a check at every level this processor has.
fn every_level(check: impl Fn(Level)) {
    Level::available().into_iter().for_each(check);
}

/// A generator good enough to pick cases (xorshift64*).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Below `n`.
    fn below(&mut self, n: usize) -> usize {
        ((self.bits() >> 33) as usize) % n
    }

    /// Between -1 and 1.
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn value(&mut self, dtype: DType) -> Value {
        match dtype {
            DType::Bool => Value::Bool(self.below(2) == 0),
            dtype if dtype.is_float() => Value::F64(4.0 * self.unit()).cast(dtype),
            dtype if dtype.is_signed() => Value::I64(self.below(41) as i64 - 20).cast(dtype),
            dtype => Value::I64(self.below(41) as i64).cast(dtype),
        }
    }
}

/// The dtypes that arithmetic is done in.
const ARITHMETIC: [DType; 5] = [DType::Bool, DType::I64, DType::U64, DType::F32, DType::F64];

/// Values as a buffer of their dtype of arithmetic holds them.
fn encode(values: &[Value]) -> Block {
    encode_as(values.first().map_or(DType::Bool, Alu::dtype), values)
}

/// Values as a buffer of a dtype holds them.
fn encode_as(dtype: DType, values: &[Value]) -> Block {
    let mut bytes = Vec::new();
    for value in values {
        value.write(dtype, &mut bytes);
    }
    let mut block = zeros(bytes.len());
    block[..bytes.len()].copy_from_slice(&bytes);
    block
}

/// Aligned memory with other contents than a result has.
fn zeros(bytes: usize) -> Block {
    let mut block = Pool::default().take(bytes).expect("test buffers are small");
    block.fill(0x5a);
    block
}

/// The first `n` values of a buffer.
fn decode(dtype: DType, bytes: &[u8], n: usize) -> Vec<Value> {
    let bytes = &bytes[..n * dtype.size()];
    if dtype == DType::Bool {
        assert!(bytes.iter().all(|&b| b < 2), "a bool is 0 or 1: {bytes:?}");
    }
    let scalars = glowgrad_tensor::Scalar::of_bytes(bytes, dtype);
    scalars
        .into_iter()
        .map(|scalar| Value::from_scalar(scalar, dtype))
        .collect()
}

/// Equal to the bit, but for the payload of NaN.
fn same(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::F32(a), Value::F32(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
        (Value::F64(a), Value::F64(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
        (a, b) => a == b,
    }
}

/// How far `got` is from `exact`, in units in the last place that a float32 has there.
fn ulps_f32(got: f32, exact: f64) -> f64 {
    if got.is_nan() || exact.is_nan() {
        return if got.is_nan() && exact.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let nearest = exact as f32;
    if nearest.is_infinite() || got.is_infinite() {
        return if nearest == got { 0.0 } else { f64::INFINITY };
    }
    let magnitude = exact.abs().max(f64::from(f32::MIN_POSITIVE));
    let ulp = 2f64.powi(magnitude.log2().floor() as i32 - 23);
    (f64::from(got) - exact).abs() / ulp
}

/// A view of this shape, with any strides, on a buffer of the length returned with it.
fn random_view(random: &mut Random, shape: &[usize]) -> (View, usize) {
    // Some of the time the plain ones, which have paths of their own.
    let plain = random.below(3) == 0;
    let mut order: Vec<usize> = (0..shape.len()).collect();
    let sizes: Vec<(usize, usize, isize, bool)> = shape
        .iter()
        .map(|&n| {
            if plain {
                return (n, 0, 1, random.below(4) == 0);
            }
            let step = 1 + random.below(2);
            let start = random.below(3);
            let backwards = random.below(4) == 0;
            let len = start + n * step;
            let (start, step) = if backwards {
                (len.saturating_sub(1), -(step as isize))
            } else {
                (start, step as isize)
            };
            (len, start, step, random.below(4) == 0)
        })
        .collect();
    if !plain {
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i + 1));
        }
    }
    let size = |d: usize| if sizes[d].3 { 1 } else { sizes[d].0 };
    let base: Vec<usize> = order.iter().map(|&d| size(d)).collect();
    let place: Vec<usize> = (0..order.len())
        .map(|d| order.iter().position(|&o| o == d).unwrap_or(0))
        .collect();
    let mut view = View::contiguous(&base).permute(&place);
    for (d, &(_, start, step, broadcast)) in sizes.iter().enumerate() {
        if !broadcast {
            view = view.slice(d, start, shape[d], step);
        }
    }
    (view.expand(shape), base.iter().product())
}

/// A kernel's instructions at every position of the iteration space, by definition.
fn interpret(kernel: &Kernel, inputs: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let positions: Vec<Vec<usize>> = kernel
        .inputs
        .iter()
        .map(|input| input.view.positions().collect())
        .collect();
    let total = kernel.shape.iter().product::<usize>();
    (0..total)
        .map(|at| {
            let mut values: Vec<Value> = Vec::new();
            for instr in &kernel.code {
                values.push(match *instr {
                    Instr::Load { input } => {
                        inputs[usize::from(input)][positions[usize::from(input)][at]]
                    }
                    Instr::Arg { arg, dtype } => {
                        Value::from_scalar(kernel.args[usize::from(arg)], dtype)
                    }
                    Instr::Cast { src, to } => values[usize::from(src)].cast(to),
                    Instr::Apply { op, src } => {
                        let operands: Vec<&Value> = src[..op.arity()]
                            .iter()
                            .map(|&s| &values[usize::from(s)])
                            .collect();
                        Value::apply(op, &operands)
                    }
                });
            }
            values
        })
        .collect()
}

/// Runs a kernel; the values of each output.
fn run(level: Level, kernel: &Kernel, inputs: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let blocks: Vec<Block> = inputs
        .iter()
        .zip(&kernel.inputs)
        .map(|(values, input)| encode_as(input.dtype, values))
        .collect();
    let slices: Vec<&[u8]> = blocks
        .iter()
        .zip(inputs)
        .zip(&kernel.inputs)
        .map(|((block, values), input)| &block[..values.len() * input.dtype.size()])
        .collect();
    let n: usize = kernel.output_shape().iter().product();
    let mut outputs: Vec<Block> = (0..kernel.outputs.len())
        .map(|i| zeros(n * kernel.output_dtype(i).size() + 1))
        .collect();
    let mut targets: Vec<&mut [u8]> = outputs
        .iter_mut()
        .enumerate()
        .map(|(i, block)| &mut block[..n * kernel.output_dtype(i).size()])
        .collect();
    crate::run_kernel(level, &Pool::default(), kernel, &slices, &mut targets)
        .expect("a valid kernel");
    outputs
        .iter()
        .enumerate()
        .map(|(i, block)| decode(kernel.output_dtype(i), block, n))
        .collect()
}
