//! Schedules of the learning rate.
//!
//! ```
//! use glowgrad_nn::optim::{Optimizer, SGD, SGDOptions, schedule::Schedule};
//! # use glowgrad_tensor::{Engine, Tensor};
//! # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
//! let w = Tensor::from_f32(&engine, &[1.0], &[1])?;
//! let mut optimizer = SGD::new(vec![w], SGDOptions { lr: 1.0, ..Default::default() });
//! let mut schedule = Schedule::step_lr(&optimizer, 2, 0.1);
//! let mut rates = Vec::new();
//! for _ in 0..4 {
//!     rates.push(optimizer.rates()[0]);
//!     optimizer.step()?;
//!     schedule.step(&mut optimizer);
//! }
//! assert_eq!(rates, [1.0, 1.0, 0.1, 0.1]);
//! # Ok::<(), glowgrad_tensor::Error>(())
//! ```

use super::Optimizer;

/// What a rate becomes: its base, the number of the step, counted from 1, and the rate before it.
type Rate = Box<dyn Fn(f64, usize, f64) -> f64>;

/// A schedule: it changes an optimizer's rates after each step, or each epoch.
pub struct Schedule {
    base: Vec<f64>,
    last: usize,
    rate: Rate,
}

impl Schedule {
    fn new(optimizer: &dyn Optimizer, rate: Rate) -> Schedule {
        Schedule {
            base: optimizer.rates(),
            last: 0,
            rate,
        }
    }

    /// The base rate times a factor of the step's number: PyTorch's `LambdaLR`. The first step has the base rate times
    /// `factor(0)`.
    pub fn lambda_lr(
        optimizer: &mut dyn Optimizer,
        factor: impl Fn(usize) -> f64 + 'static,
    ) -> Schedule {
        let base = optimizer.rates();
        let first: Vec<f64> = base.iter().map(|base| base * factor(0)).collect();
        optimizer.set_rates(&first);
        Schedule {
            base,
            last: 0,
            rate: Box::new(move |base, step, _| base * factor(step)),
        }
    }

    /// The rate times `gamma` after every `step_size` steps: PyTorch's `StepLR`.
    pub fn step_lr(optimizer: &dyn Optimizer, step_size: usize, gamma: f64) -> Schedule {
        let size = step_size.max(1);
        Schedule::new(
            optimizer,
            Box::new(move |_, step, rate| if step % size == 0 { rate * gamma } else { rate }),
        )
    }

    /// The rate times `gamma` after every step: PyTorch's `ExponentialLR`.
    pub fn exponential_lr(optimizer: &dyn Optimizer, gamma: f64) -> Schedule {
        Schedule::new(optimizer, Box::new(move |_, _, rate| rate * gamma))
    }

    /// Half a cosine from the base rate to `eta_min` in `t_max` steps: PyTorch's `CosineAnnealingLR`.
    pub fn cosine_annealing_lr(optimizer: &dyn Optimizer, t_max: usize, eta_min: f64) -> Schedule {
        let turn = move |step: f64| (std::f64::consts::PI * step / t_max.max(1) as f64).cos();
        Schedule::new(
            optimizer,
            Box::new(move |base, step, rate| {
                let t = step as f64;
                if step >= 1 && (step as i64 - 1 - t_max as i64) % (2 * t_max.max(1) as i64) == 0 {
                    let quarter = (std::f64::consts::PI / t_max.max(1) as f64).cos();
                    return rate + (base - eta_min) * (1.0 - quarter) / 2.0;
                }
                (1.0 + turn(t)) / (1.0 + turn(t - 1.0)) * (rate - eta_min) + eta_min
            }),
        )
    }

    /// Sets the rates of the next step.
    pub fn step(&mut self, optimizer: &mut dyn Optimizer) {
        self.last += 1;
        let before = optimizer.rates();
        let rates: Vec<f64> = (self.base.iter().zip(before))
            .map(|(base, rate)| (self.rate)(*base, self.last, rate))
            .collect();
        optimizer.set_rates(&rates);
    }

    /// How many steps were taken.
    pub fn last(&self) -> usize {
        self.last
    }

    /// Goes on after so many steps; the optimizer's rates are kept with the optimizer.
    pub fn set_last(&mut self, last: usize) {
        self.last = last;
    }
}
