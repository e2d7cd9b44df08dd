//! The landing page's graph without Python: the Rust twin of its eight lines.
//!
//! A test runs the eight lines in Python and proves both graphs equal, lines included.

use glowgrad::node::Span;
use glowgrad::{Engine, Result, Tensor};

use crate::constants::shared;

shared! {
    "landing.ts":
    /// The cell's name in spans and tracebacks.
    CELL: &str = "landing.py";
}

/// Runs the twin; returns the variables it makes.
pub(crate) fn run(engine: &Engine) -> Result<Vec<(String, Tensor)>> {
    let at = |line| engine.set_span(Span { cell: 0, line });
    // import glowgrad as torch
    // x = torch.tensor([[1.0, 2.0, 3.0]])
    at(2);
    let x = Tensor::from_f32(engine, &[1.0, 2.0, 3.0], &[1, 3])?;
    // w = torch.tensor([[0.5], [-0.25], [0.1]], requires_grad=True)
    at(3);
    let w = Tensor::from_f32(engine, &[0.5, -0.25, 0.1], &[3, 1])?;
    w.set_requires_grad(true)?;
    // b = torch.tensor([0.2], requires_grad=True)
    at(4);
    let b = Tensor::from_f32(engine, &[0.2], &[1])?;
    b.set_requires_grad(true)?;
    // h = torch.tanh(x @ w + b)
    at(5);
    let h = x.matmul(&w)?.add(&b)?.tanh()?;
    // y = h * w
    at(6);
    let y = h.mul(&w)?;
    // loss = (y - 0.3).pow(2).sum()
    at(7);
    let off = y.sub(&Tensor::number(engine, glowgrad::Scalar::Float(0.3)))?;
    let loss = off.pow_scalar(2.0)?.sum()?;
    // loss.backward()
    at(8);
    loss.backward(None, Default::default())?;
    Ok([
        ("x", x),
        ("w", w),
        ("b", b),
        ("h", h),
        ("y", y),
        ("loss", loss),
    ]
    .map(|(name, tensor)| (name.to_owned(), tensor))
    .into())
}
