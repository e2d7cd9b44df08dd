//! Linear algebra beyond the golden files: errors in PyTorch's words, every dtype, einsum's notation,
//! and gradients where a matrix may not be just any (symmetric, singular, large).
#![cfg(not(target_arch = "wasm32"))]

mod einsum;
mod factors;

use glowgrad::op::Attr;
use glowgrad::{DType, Engine, ErrorKind, Result, Scalar, Tensor, ops};

fn tensor(engine: &Engine, values: &[f64], shape: &[usize]) -> Tensor {
    Tensor::from_f64(engine, values, shape).expect("values fill the shape")
}

fn ones(engine: &Engine, shape: &[usize], dtype: DType) -> Tensor {
    Tensor::full(engine, shape, Scalar::Float(1.0), dtype).expect("a small shape")
}

/// Numbers between −1 and 1, drawn (Knuth's MMIX generator): steps of one size would make matrices of
/// low rank.
fn drawn(engine: &Engine, shape: &[usize], seed: u64) -> Tensor {
    let mut state = seed;
    let mut next = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1u32 << 30) - 1.0
    };
    let values: Vec<f64> = (0..shape.iter().product()).map(&mut next).collect();
    tensor(engine, &values, shape)
}

fn apply(name: &str, operands: &[Tensor], attrs: &[Attr]) -> Result<Tensor> {
    let op = ops::find(name).expect("an op of the registry");
    let attrs = attrs.iter().cloned().collect();
    Tensor::apply(operands[0].engine(), op, operands, attrs)
}

fn raises<T>(result: Result<T>, kind: ErrorKind, words: &str) {
    let Err(error) = result else {
        panic!("should raise: {words}")
    };
    assert_eq!(error.kind, kind, "{error}");
    assert!(error.message.starts_with(words), "{error}\nnot {words}");
}

#[test]
fn products_refuse_in_pytorchs_words() {
    let engine = glowgrad::cpu();
    let one = |shape: &[usize]| ones(&engine, shape, DType::F32);
    let of = |shape: &[usize], dtype| ones(&engine, shape, dtype);
    let cases: &[(&str, &[Tensor], &str)] = &[
        (
            "mm",
            &[one(&[2, 3]), one(&[2, 3])],
            "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
        ),
        (
            "mm",
            &[one(&[2]), one(&[2, 3])],
            "mm: self must be a matrix, got 1-D tensor",
        ),
        (
            "mm",
            &[one(&[2, 3]), one(&[3])],
            "mm: mat2 must be a matrix, got 1-D tensor",
        ),
        (
            "mm",
            &[of(&[2, 3], DType::I32), of(&[3, 2], DType::I64)],
            "expected m1 and m2 to have the same dtype, but got: int != long int",
        ),
        (
            "matmul",
            &[one(&[2, 3]), of(&[3, 2], DType::F64)],
            "expected m1 and m2 to have the same dtype, but got: float != double",
        ),
        (
            "matmul",
            &[one(&[]), one(&[5, 2])],
            "both arguments to matmul need to be at least 1D, but they are 0D and 2D",
        ),
        (
            "bmm",
            &[one(&[2, 3]), one(&[3, 2])],
            "batch1 must be a 3D tensor",
        ),
        (
            "bmm",
            &[one(&[2, 3, 4]), one(&[3, 4, 2])],
            "Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [3, 4].",
        ),
        (
            "bmm",
            &[one(&[2, 3, 4]), of(&[2, 4, 2], DType::F64)],
            "expected scalar type Float but found Double",
        ),
        (
            "mv",
            &[one(&[2, 3]), one(&[2])],
            "size mismatch, got input (2), mat (2x3), vec (2)",
        ),
        (
            "mv",
            &[one(&[2, 3, 2]), one(&[2])],
            "vector + matrix @ vector expected, got 1, 3, 1",
        ),
        (
            "dot",
            &[one(&[2]), one(&[3])],
            "inconsistent tensor size, expected tensor [2] and src [3] to have the same number of elements, but got 2 and 3 elements respectively",
        ),
        (
            "vdot",
            &[one(&[2, 2]), one(&[2])],
            "1D tensors expected, but got 2D and 1D tensors",
        ),
        (
            "dot",
            &[one(&[2]), of(&[2], DType::F64)],
            "dot : expected both vectors to have same dtype, but found Float and Double",
        ),
        (
            "outer",
            &[one(&[2, 2]), one(&[3])],
            "outer: Expected 1-D argument self, but got 2-D",
        ),
        (
            "inner",
            &[one(&[2, 3]), one(&[4, 2])],
            "inner() the last dimension must match on both input tensors but got shapes [2, 3] and [4, 2]",
        ),
        (
            "trace",
            &[one(&[2])],
            "trace: expected a matrix, but got tensor with dim 1",
        ),
    ];
    for (name, operands, words) in cases {
        raises(apply(name, operands, &[]), ErrorKind::Runtime, words);
    }
    let scales = [Attr::Int(1), Attr::Int(1)];
    let sums: &[(&str, [Tensor; 3], &str)] = &[
        (
            "addmm",
            [one(&[2, 2]), one(&[2, 3]), one(&[2, 3])],
            "addmm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
        ),
        (
            "addmm",
            [one(&[2]), one(&[2, 3]), of(&[3, 2], DType::F64)],
            "self and mat2 must have the same dtype, but got Float and Double",
        ),
        (
            "addmm",
            [one(&[3, 2]), one(&[2, 3]), one(&[3, 2])],
            "addmm: The expanded size of the tensor",
        ),
        (
            "addmm",
            [one(&[1, 2, 2]), one(&[2, 3]), one(&[3, 2])],
            "addmm: The expanded size of the tensor",
        ),
        (
            "addmv",
            [one(&[2, 1]), one(&[2, 3]), one(&[3])],
            "vector + matrix @ vector expected, got 2, 2, 1",
        ),
        (
            "baddbmm",
            [one(&[2]), one(&[2, 2, 3]), one(&[3, 3, 2])],
            "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [3, 3].",
        ),
        (
            "addr",
            [one(&[2, 3]), one(&[2, 2]), one(&[3])],
            "addr: Expected 1-D argument vec1, but got 2-D",
        ),
    ];
    for (name, operands, words) in sums {
        raises(apply(name, operands, &scales), ErrorKind::Runtime, words);
    }
    for dtype in [DType::Bool, DType::U16, DType::U64] {
        let x = of(&[2, 2], dtype);
        let words = format!(
            "\"addmm_impl_cpu_\" not implemented for '{}'",
            dtype.scalar_name()
        );
        raises(
            apply("mm", &[x.clone(), x.clone()], &[]),
            ErrorKind::NotImplemented,
            &words,
        );
        raises(
            apply("matmul", &[x.clone(), x], &[]),
            ErrorKind::NotImplemented,
            &words,
        );
    }
    let cross = |a: &[usize], b: &[usize], dim: Attr| apply("cross", &[one(a), one(b)], &[dim]);
    raises(
        cross(&[2, 2], &[2, 2], Attr::None),
        ErrorKind::Runtime,
        "no dimension of size 3 in input",
    );
    raises(
        cross(&[3], &[2, 3], Attr::Int(-1)),
        ErrorKind::Runtime,
        "linalg.cross: inputs must have the same number of dimensions",
    );
    raises(
        cross(&[2], &[2], Attr::Int(-1)),
        ErrorKind::Runtime,
        "linalg.cross: inputs dimension -1 must have length 3. Got 2 and 2",
    );
    let (a, b) = (one(&[2, 3]), one(&[2, 3]));
    raises(
        a.tensordot(&b, 3),
        ErrorKind::Runtime,
        "tensordot expects dims < ndim_a or ndim_b, but got dims=3",
    );
    raises(
        a.tensordot(&b, -1),
        ErrorKind::Runtime,
        "tensordot expects dims >= 0, but got dims=-1",
    );
    raises(
        a.tensordot_along(&b, &[0], &[1]),
        ErrorKind::Runtime,
        "contracted dimensions need to match, but first has size 2 in dim 0 and second has size 3 in dim 1",
    );
    raises(
        a.tensordot_along(&b, &[0], &[0, 1]),
        ErrorKind::Runtime,
        "both dimension lists should have same length",
    );
    raises(
        a.tensordot_along(&b, &[5], &[0]),
        ErrorKind::Index,
        "tensordot: Dimension out of range",
    );
}

#[test]
fn every_dtype_that_pytorch_multiplies() -> Result<()> {
    let engine = glowgrad::cpu();
    use DType::*;
    for dtype in [U8, I8, I16, I32, I64, F16, BF16, F32, F64] {
        let values: Vec<Scalar> = (1..=6).map(Scalar::Int).collect();
        let a = Tensor::from_scalars(&engine, &values, &[2, 3], dtype)?;
        let b = Tensor::from_scalars(&engine, &values, &[3, 2], dtype)?;
        let c = a.matmul(&b)?;
        assert_eq!(
            (c.dtype(), c.to_f64()?),
            (dtype, vec![22.0, 28.0, 49.0, 64.0])
        );
        let zero = ones(&engine, &[2, 0], dtype).matmul(&ones(&engine, &[0, 3], dtype))?;
        assert_eq!(
            (&zero.shape()[..], zero.to_f64()?),
            (&[2, 3][..], vec![0.0; 6])
        );
        // A factor that is no whole number is cut, as in `beta=0.5` of integers.
        let scales = [Attr::Float(0.5), Attr::Int(2)];
        let sum = apply("addmm", &[ones(&engine, &[2], dtype), a, b], &scales)?;
        let half = if dtype.is_float() { 0.5 } else { 0.0 };
        assert_eq!((sum.dtype(), sum.to_f64()?[0]), (dtype, 44.0 + half));
        let trace = apply("trace", &[c], &[])?;
        assert_eq!(trace.dtype(), dtype.max(I64));
    }
    // Integers wrap where the sum does not fit.
    let big = Tensor::full(&engine, &[2], Scalar::Int(100), U8)?;
    assert_eq!(
        apply("dot", &[big.clone(), big], &[])?.to_f64()?,
        [f64::from(20_000 % 256)]
    );
    // NaN in a summand that counts nothing.
    let nan = Tensor::full(&engine, &[2], Scalar::Float(f64::NAN), F32)?;
    let (a, b) = (ones(&engine, &[2, 3], F32), ones(&engine, &[3, 2], F32));
    let scales = [Attr::Int(0), Attr::Int(1)];
    let sum = apply("addmm", &[nan, a, b], &scales)?;
    assert_eq!(sum.to_f64()?, [3.0; 4]);
    Ok(())
}
