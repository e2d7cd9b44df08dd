//! Gradients that are no longer than wanted. The arithmetic is that of PyTorch, in its order.

use glowgrad_tensor::bind::{ToArg, call};
use glowgrad_tensor::{Result, Scalar, Tensor, args};

use crate::nn::{functional::stack, no_grad};

/// The norm of all gradients as if they were one; 0 where there is none.
///
/// # Errors
/// What computing it meets.
pub fn grad_norm(parameters: &[Tensor]) -> Result<f64> {
    match norm_of(parameters)? {
        Some(norm) => Ok(norm.item()?.as_f64()),
        None => Ok(0.0),
    }
}

fn norm_of(parameters: &[Tensor]) -> Result<Option<Tensor>> {
    let grads: Vec<Tensor> = parameters.iter().filter_map(Tensor::grad).collect();
    let Some(first) = grads.first() else {
        return Ok(None);
    };
    let norm = |x: &Tensor| call(x.engine(), "vector_norm", args![x, 2.0], vec![]);
    no_grad(first.engine(), || {
        let norms = grads.iter().map(norm).collect::<Result<Vec<_>>>()?;
        norm(&stack(&norms, 0)?).map(Some)
    })
}

/// Scales gradients so that their norm, taken as one, is `max_norm` at most. Gives the norm that they had.
///
/// ```
/// use glowgrad_nn::optim::{clip_grad_norm_, grad_norm};
/// # use glowgrad_tensor::{Engine, Tensor};
/// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
/// let w = Tensor::from_f32(&engine, &[3.0, 4.0], &[2])?;
/// w.set_requires_grad(true)?;
/// w.mul(&w)?.sum()?.backward(None, Default::default())?;
/// assert_eq!(clip_grad_norm_(&[w.clone()], 1.0)?, 10.0);
/// assert!((grad_norm(&[w])? - 1.0).abs() < 1e-5);
/// # Ok::<(), glowgrad_tensor::Error>(())
/// ```
///
/// # Errors
/// What computing them meets.
pub fn clip_grad_norm_(parameters: &[Tensor], max_norm: f64) -> Result<f64> {
    let Some(norm) = norm_of(parameters)? else {
        return Ok(0.0);
    };
    let engine = norm.engine();
    let number = |value| Tensor::number(engine, Scalar::Float(value));
    no_grad(engine, || {
        let scale = number(max_norm).div(&norm.add(&number(1e-6))?)?;
        let scale = call(engine, "clamp", args![scale], vec![("max", 1.0.arg())])?;
        for grad in parameters.iter().filter_map(Tensor::grad) {
            grad.assign(&grad.mul(&scale)?)?;
        }
        Ok(norm.item()?.as_f64())
    })
}
