//! A small network and its training step in Rust, as a learner would write it: forward, backward,
//! in-place update under no_grad.

use glowgrad::samples::Numbers;
use glowgrad::{DType, Engine, Result, Scalar, Tensor, ops};

/// Sixteen inputs, 32 units, ten classes.
pub struct Network {
    /// What training moves.
    pub parameters: Vec<Tensor>,
    momentum: Vec<Tensor>,
    x: Tensor,
    target: Tensor,
}

impl Network {
    /// With numbers that are the same on every engine.
    ///
    /// # Errors
    /// What making tensors says.
    pub fn new(engine: &Engine, batch: usize, momentum: bool) -> Result<Network> {
        let mut numbers = Numbers::new(1);
        let shapes: [&[usize]; 4] = [&[32, 16], &[32], &[10, 32], &[10]];
        let mut parameters = Vec::new();
        let mut buffers = Vec::new();
        for shape in shapes {
            let parameter = numbers.tensor(engine, shape, (-0.2, 0.2), DType::F32)?;
            parameter.set_requires_grad(true)?;
            if momentum {
                buffers.push(Tensor::full(engine, shape, Scalar::Float(0.0), DType::F32)?);
            }
            parameters.push(parameter);
        }
        Ok(Network {
            parameters,
            momentum: buffers,
            x: numbers.tensor(engine, &[batch, 16], (-1.0, 1.0), DType::F32)?,
            target: numbers.indices(engine, &[batch], 10)?,
        })
    }

    /// One step of gradient descent; the loss before it.
    ///
    /// # Errors
    /// What computing says.
    pub fn step(&self) -> Result<Tensor> {
        let [w1, b1, w2, b2] = &self.parameters[..] else {
            unreachable!("four parameters")
        };
        let loss = self
            .x
            .linear(w1, Some(b1))?
            .relu()?
            .linear(w2, Some(b2))?
            .cross_entropy(&self.target)?;
        descend(&loss, &self.parameters, &self.momentum)?;
        Ok(loss)
    }
}

/// Walks back from a loss and moves the parameters, with momentum where there is some.
///
/// # Errors
/// What computing says.
pub fn descend(loss: &Tensor, parameters: &[Tensor], momentum: &[Tensor]) -> Result<()> {
    for parameter in parameters {
        parameter.set_grad(None)?;
    }
    loss.backward(None, Default::default())?;
    let engine = loss.engine();
    let taping = engine.set_grad_enabled(false);
    let updated = update(engine, parameters, momentum);
    engine.set_grad_enabled(taping);
    updated
}

fn update(engine: &Engine, parameters: &[Tensor], momentum: &[Tensor]) -> Result<()> {
    let (add, mul) = (
        ops::find("add").expect("an op"),
        ops::find("mul").expect("an op"),
    );
    let number = |x: f64| Tensor::number(engine, Scalar::Float(x));
    for (i, parameter) in parameters.iter().enumerate() {
        let Some(grad) = parameter.grad() else {
            continue;
        };
        let grad = match momentum.get(i) {
            Some(momentum) => {
                momentum.apply_in_place(mul, &[number(0.9)], Default::default())?;
                momentum.apply_in_place(add, &[grad], Default::default())?;
                momentum.clone()
            }
            None => grad,
        };
        parameter.apply_in_place(add, &[grad.mul(&number(-0.1))?], Default::default())?;
    }
    Ok(())
}
