//! Determinants, inverses, systems and factorisations: errors, and gradients where a matrix may not be
//! just any.

use glowgrad::autograd::BackwardOptions;
use glowgrad::op::Attr;
use glowgrad::{DType, ErrorKind, Result, Tensor};

use super::{apply, drawn, ones, raises, tensor};

#[test]
fn matrices_that_cannot_be_factored_raise_on_their_line() -> Result<()> {
    let engine = glowgrad::cpu();
    let singular = tensor(&engine, &[1.0, 2.0, 2.0, 4.0], &[2, 2]);
    let lower = [Attr::Bool(false)];
    let left = [Attr::Bool(true)];
    raises(
        apply("inv", std::slice::from_ref(&singular), &[]),
        ErrorKind::LinAlg,
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
        ErrorKind::LinAlg,
        "linalg.inv: (Batch element 1): The diagonal element 2 is zero",
    );
    let b = ones(&engine, &[2], DType::F64);
    raises(
        apply("solve", &[singular.clone(), b.clone()], &left),
        ErrorKind::LinAlg,
        "torch.linalg.solve: The solver failed because the input matrix is singular.",
    );
    raises(
        apply("solve", &[batch.clone(), b], &left),
        ErrorKind::LinAlg,
        "torch.linalg.solve: (Batch element 1): The solver failed",
    );
    raises(
        apply("cholesky", &[singular.neg()?], &lower),
        ErrorKind::LinAlg,
        "linalg.cholesky: The factorization could not be completed because the input is not positive-definite (the leading minor of order 1 is not positive-definite).",
    );
    // What cancels in float32 is singular there, as it is for PyTorch; not in float64.
    let nine: Vec<f64> = (1..10).map(f64::from).collect();
    let near = tensor(&engine, &nine, &[3, 3]);
    raises(
        apply("inv", &[near.to(DType::F32)?], &[]),
        ErrorKind::LinAlg,
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
        ErrorKind::LinAlg,
        "linalg.cholesky",
    );
    Ok(())
}

/// Compares the gradient of a function of one float64 tensor with differences.
fn differs(x: &Tensor, f: &dyn Fn(&Tensor) -> Result<Tensor>) -> Result<()> {
    let leaf = x.detach();
    leaf.set_requires_grad(true)?;
    f(&leaf)?.backward(None, BackwardOptions::default())?;
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
    let options = BackwardOptions {
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
