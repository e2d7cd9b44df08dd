//! Linear algebra beyond the golden files: errors in PyTorch's words, every dtype, einsum's notation,
//! and gradients where a matrix may not be just any (symmetric, singular, large).
#![cfg(not(target_arch = "wasm32"))]

use glowgrad::autograd::WalkOptions;
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

#[test]
fn einsum_reads_what_pytorch_reads() -> Result<()> {
    let engine = glowgrad::cpu();
    let one = |shape: &[usize]| ones(&engine, shape, DType::F32);
    let shape = |equation: &str, operands: &[Tensor]| -> Result<Vec<usize>> {
        let y = Tensor::einsum(&engine, equation, operands)?;
        y.realize()?;
        Ok(y.shape().to_vec())
    };
    assert_eq!(shape("...ij", &[one(&[4, 2, 3])])?, [4, 2, 3]);
    // Capitals come first.
    assert_eq!(shape("aB", &[one(&[2, 3])])?, [3, 2]);
    assert_eq!(shape("i...->...i", &[one(&[2, 3, 4])])?, [3, 4, 2]);
    assert_eq!(shape("i...j->j", &[one(&[2, 3, 4])])?, [4]);
    assert_eq!(shape("ij->...", &[one(&[2, 3])])?, [0; 0]);
    assert_eq!(shape("i j,", &[one(&[2, 3]), one(&[])])?, [2, 3]);
    assert_eq!(shape("iii->i", &[one(&[3, 3, 3])])?, [3]);
    assert_eq!(shape("...ii->...i", &[one(&[2, 3, 3])])?, [2, 3]);
    // Size 1 meets any size, also where it is summed.
    let y = Tensor::einsum(&engine, "ij,jk", &[one(&[1, 1]), one(&[2, 2])])?;
    assert_eq!((&y.shape()[..], y.to_f64()?), (&[1, 2][..], vec![2.0, 2.0]));
    let y = Tensor::einsum(&engine, "ij,j->i", &[one(&[2, 3]), one(&[1])])?;
    assert_eq!(y.to_f64()?, [3.0, 3.0]);
    let y = Tensor::einsum(&engine, "i,i,i->", &[one(&[3]), one(&[1]), one(&[3])])?;
    assert_eq!(y.to_f64()?, [3.0]);
    // Dtypes: integers summed alone are int64, contracted ones stay, a bare product promotes.
    let ints = |shape: &[usize]| ones(&engine, shape, DType::I32);
    let dtype = |equation: &str, operands: &[Tensor]| -> Result<DType> {
        let y = Tensor::einsum(&engine, equation, operands)?;
        y.realize()?;
        Ok(y.dtype())
    };
    assert_eq!(dtype("ij->i", &[ints(&[2, 3])])?, DType::I64);
    assert_eq!(dtype("ij->ji", &[ints(&[2, 3])])?, DType::I32);
    assert_eq!(dtype("ij,j", &[ints(&[2, 3]), ints(&[3])])?, DType::I32);
    assert_eq!(dtype("ij,k->k", &[ints(&[2, 3]), ints(&[3])])?, DType::I64);
    assert_eq!(
        dtype("ij,ij->ij", &[ints(&[2, 3]), one(&[2, 3])])?,
        DType::F32
    );
    assert_eq!(
        dtype("ij->i", &[ones(&engine, &[2, 3], DType::Bool)])?,
        DType::I64
    );
    raises(
        Tensor::einsum(&engine, "ij,j", &[ints(&[2, 3]), one(&[3])]),
        ErrorKind::Runtime,
        "expected scalar type Int but found Float",
    );
    raises(
        Tensor::einsum(&engine, "ij,j->", &[ints(&[2, 3]), ints(&[3])]),
        ErrorKind::Runtime,
        "expected scalar type Long but found Int",
    );
    Ok(())
}

#[test]
fn einsum_says_which_letter_does_not_fit() {
    let engine = glowgrad::cpu();
    let one = |shape: &[usize]| ones(&engine, shape, DType::F32);
    let two = [one(&[2, 3]), one(&[3, 2])];
    let three = one(&[2, 3]);
    let cases: &[(&str, &[Tensor], &str)] = &[
        (
            "ij,jk",
            &[one(&[2, 3]), one(&[4, 2])],
            "subscript j has size 4 for operand 1 which does not broadcast with previously seen size 3",
        ),
        (
            "ij,jk->il",
            &two,
            "output subscript l does not appear in the equation for any input operand",
        ),
        (
            "ij,jk->ii",
            &two,
            "output subscript i appears more than once in the output",
        ),
        (
            "ij",
            &two,
            "more operands were provided than specified in the equation",
        ),
        (
            "ij,jk,kl",
            &two,
            "fewer operands were provided than specified in the equation",
        ),
        (
            "ijk",
            &two[..1],
            "the number of subscripts in the equation (3) does not match the number of dimensions (2) for operand 0 and no ellipsis was given",
        ),
        (
            "...ijk",
            &two[..1],
            "the number of subscripts in the equation (3) is more than the number of dimensions (2) for operand 0",
        ),
        (
            "ii",
            &two[..1],
            "subscript i is repeated for operand 0 but the sizes don't match, 3 != 2",
        ),
        (
            "i1",
            &two[..1],
            "invalid subscript given at index 1 in the equation string, subscripts must be in [a-zA-Z]",
        ),
        (
            "ij->i->j",
            &two[..1],
            "invalid subscript given at index 5 in the equation string",
        ),
        (
            "ij->i,j",
            &two[..1],
            "invalid subscript given at index 5 in the equation string",
        ),
        (
            "..i",
            &two[..1],
            "found '.' for operand 0 that is not part of any ellipsis",
        ),
        (
            "...i...",
            &two[..1],
            "found '.' for operand 0 for which an ellipsis was already found",
        ),
        (
            "...i->......i",
            &two[..1],
            "found '.' for output but an ellipsis (...) was already found",
        ),
        (
            "...i,...i->...",
            &[one(&[4, 3]), three],
            "dimension 0 covered by ellipsis in operand 1 has size 2 which does not broadcast with previously seen ellipsis with size 4 for the respective dimension",
        ),
    ];
    for (equation, operands, words) in cases {
        let words = format!("einsum(): {words}");
        raises(
            Tensor::einsum(&engine, equation, operands),
            ErrorKind::Runtime,
            &words,
        );
    }
    raises(
        Tensor::einsum(&engine, "ij", &[]),
        ErrorKind::Value,
        "einsum(): must specify the equation string and at least one operand",
    );
    for odd in ["é", "->", "-", ">", "i->>", ",", "...", "i,,", " "] {
        // Whatever it says, it neither panics nor hangs.
        let _ = Tensor::einsum(&engine, odd, &two[..1]);
    }
}

#[test]
fn matrices_that_cannot_be_factored_raise_on_their_line() -> Result<()> {
    let engine = glowgrad::cpu();
    let singular = tensor(&engine, &[1.0, 2.0, 2.0, 4.0], &[2, 2]);
    let lower = [Attr::Bool(false)];
    let left = [Attr::Bool(true)];
    raises(
        apply("inv", std::slice::from_ref(&singular), &[]),
        ErrorKind::Runtime,
        "linalg.inv: The diagonal element 2 is zero, the inversion could not be completed because the input matrix is singular.",
    );
    let batch = apply(
        "stack",
        &[
            tensor(&engine, &[1.0, 0.0, 0.0, 1.0], &[2, 2]),
            singular.clone(),
        ],
        &[Attr::Int(0)],
    )?;
    raises(
        apply("inv", std::slice::from_ref(&batch), &[]),
        ErrorKind::Runtime,
        "linalg.inv: (Batch element 1): The diagonal element 2 is zero",
    );
    let b = ones(&engine, &[2], DType::F64);
    raises(
        apply("solve", &[singular.clone(), b.clone()], &left),
        ErrorKind::Runtime,
        "torch.linalg.solve: The solver failed because the input matrix is singular.",
    );
    raises(
        apply("solve", &[batch.clone(), b], &left),
        ErrorKind::Runtime,
        "torch.linalg.solve: (Batch element 1): The solver failed",
    );
    raises(
        apply("cholesky", &[singular.neg()?], &lower),
        ErrorKind::Runtime,
        "linalg.cholesky: The factorization could not be completed because the input is not positive-definite (the leading minor of order 1 is not positive-definite).",
    );
    // What cancels in float32 is singular there, as it is for PyTorch; not in float64.
    let nine: Vec<f64> = (1..10).map(f64::from).collect();
    let near = tensor(&engine, &nine, &[3, 3]);
    raises(
        apply("inv", &[near.to(DType::F32)?], &[]),
        ErrorKind::Runtime,
        "linalg.inv: The diagonal element 3 is zero",
    );
    assert!(apply("inv", std::slice::from_ref(&near), &[])?.to_f64()?[0].abs() > 1e15);
    assert_eq!(apply("det", &[near.to(DType::F32)?], &[])?.to_f64()?, [0.0]);
    let wide = ones(&engine, &[2, 3], DType::F32);
    for name in ["det", "inv", "cholesky"] {
        let attrs = if name == "cholesky" { &lower[..] } else { &[] };
        raises(
            apply(name, std::slice::from_ref(&wide), attrs),
            ErrorKind::Runtime,
            &format!(
                "linalg.{name}: A must be batches of square matrices, but they are 2 by 3 matrices"
            ),
        );
        raises(
            apply(name, &[ones(&engine, &[2], DType::F32)], attrs),
            ErrorKind::Runtime,
            &format!("linalg.{name}: The input tensor A must have at least 2 dimensions."),
        );
        raises(
            apply(name, &[ones(&engine, &[2, 2], DType::I32)], attrs),
            ErrorKind::NotImplemented,
            &format!(
                "linalg.{name}: Expected a floating point or complex tensor as input. Got Int"
            ),
        );
    }
    raises(
        apply(
            "solve",
            &[
                ones(&engine, &[2, 2], DType::F32),
                ones(&engine, &[3, 2], DType::F32),
            ],
            &left,
        ),
        ErrorKind::Runtime,
        "linalg.solve: Incompatible shapes of A and B for the equation AX = B (2x2 and 3x2)",
    );
    // NaN is no error of its own, but positive it is not.
    let nan = tensor(&engine, &[f64::NAN, 1.0, 1.0, 2.0], &[2, 2]);
    assert!(
        apply("inv", std::slice::from_ref(&nan), &[])?
            .to_f64()?
            .iter()
            .all(|x| x.is_nan())
    );
    raises(
        apply("cholesky", &[nan], &lower),
        ErrorKind::Runtime,
        "linalg.cholesky",
    );
    Ok(())
}

/// Compares the gradient of a function of one float64 tensor with differences.
fn differs(x: &Tensor, f: &dyn Fn(&Tensor) -> Result<Tensor>) -> Result<()> {
    let leaf = x.detach();
    leaf.set_requires_grad(true)?;
    f(&leaf)?.backward(None, WalkOptions::default())?;
    let grad = leaf.grad().expect("a gradient").to_f64()?;
    let values = x.to_f64()?;
    for at in 0..values.len() {
        let near = |by: f64| -> Result<f64> {
            let mut moved = values.clone();
            moved[at] += by;
            Ok(f(&tensor(x.engine(), &moved, &x.shape()))?.item()?.as_f64())
        };
        let difference = (near(1e-5)? - near(-1e-5)?) / 2e-5;
        let close = (grad[at] - difference).abs() <= 2e-6 * (1.0 + difference.abs());
        assert!(
            close,
            "element {at}: gradient {}, difference {difference}",
            grad[at]
        );
    }
    Ok(())
}

/// A function's result and its gradient as one number, so that its gradient is the second one.
fn slope(x: &Tensor, f: &dyn Fn(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
    let leaf = match x.requires_grad() {
        true => x.clone(),
        false => {
            let leaf = x.detach();
            leaf.set_requires_grad(true)?;
            leaf
        }
    };
    let options = WalkOptions {
        retain_graph: true,
        create_graph: true,
    };
    let grads = Tensor::grad_of(&[f(&leaf)?], std::slice::from_ref(&leaf), &[], options)?;
    let grad = grads[0].clone().expect("used");
    grad.mul(&drawn(x.engine(), &grad.shape(), 9))?.sum()
}

#[test]
fn gradients_of_matrices_that_are_not_just_any() -> Result<()> {
    let engine = glowgrad::cpu();
    let weighted =
        |y: Tensor| -> Result<Tensor> { y.mul(&drawn(y.engine(), &y.shape(), 3))?.sum() };
    // Symmetric and positive-definite: of any matrix, M Mᵀ + 1.
    for upper in [false, true] {
        let cholesky = |m: &Tensor| -> Result<Tensor> {
            let one = Tensor::einsum(m.engine(), "ij,kj->ik", &[m.clone(), m.clone()])?;
            let eye = tensor(
                m.engine(),
                &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
                &[3, 3],
            );
            weighted(apply("cholesky", &[one.add(&eye)?], &[Attr::Bool(upper)])?)
        };
        let m = drawn(&engine, &[3, 3], 1);
        differs(&m, &cholesky)?;
        differs(&m, &|m| slope(m, &cholesky))?;
    }
    // A singular matrix has cofactors all the same.
    let singular = tensor(
        &engine,
        &[1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 1.0, 0.0, 1.0],
        &[3, 3],
    );
    let det = |x: &Tensor| apply("det", std::slice::from_ref(x), &[]);
    differs(&singular, &det)?;
    differs(&singular, &|x| slope(x, &det))?;
    // Beyond the size of cofactors the inverse takes over.
    differs(&drawn(&engine, &[9, 9], 4), &det)?;
    // Wide, and both results at once.
    for shape in [&[2, 4][..], &[4, 2], &[2, 3, 3]] {
        let qr = |x: &Tensor| -> Result<Tensor> {
            let mode = [Attr::Str("reduced")];
            let q = apply("qr_q", std::slice::from_ref(x), &mode)?;
            let r = apply("qr_r", std::slice::from_ref(x), &mode)?;
            weighted(q)?.add(&weighted(r)?)
        };
        let x = drawn(&engine, shape, 5);
        differs(&x, &qr)?;
        differs(&x, &|x| slope(x, &qr))?;
    }
    let solve = |left: bool| {
        move |a: &Tensor| -> Result<Tensor> {
            let b = drawn(a.engine(), if left { &[3, 2] } else { &[4, 3] }, 6);
            let y = apply("solve", &[a.clone(), b], &[Attr::Bool(left)])?;
            y.mul(&drawn(y.engine(), &y.shape(), 3))?.sum()
        }
    };
    let a = drawn(&engine, &[2, 3, 3], 7).add(&tensor(
        &engine,
        &[3.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 3.0],
        &[3, 3],
    ))?;
    for left in [true, false] {
        differs(&a, &solve(left))?;
        differs(&a, &|a| slope(a, &solve(left)))?;
    }
    // Letters repeated, summed, broadcast; three operands.
    for (equation, shape) in [
        ("iij,jk,k->i", &[3, 3, 2][..]),
        ("...i,ij,j", &[2, 2, 2]),
        ("ab,bc,c->", &[1, 2]),
    ] {
        let f = |x: &Tensor| -> Result<Tensor> {
            let others = [drawn(x.engine(), &[2, 2], 8), drawn(x.engine(), &[2], 2)];
            let operands = [x.clone(), others[0].clone(), others[1].clone()];
            let y = Tensor::einsum(x.engine(), equation, &operands)?;
            weighted(y.mul(&y)?)
        };
        differs(&drawn(&engine, shape, 1), &f)?;
        differs(&drawn(&engine, shape, 1), &|x| slope(x, &f))?;
    }
    Ok(())
}
