//! Descent along the gradient, with momentum.

use glowgrad_tensor::{Result, Tensor};
use serde_json::{Map, Value, json};

use super::groups::{Groups, Rule, Slots, decayed, number, plus};

/// Stochastic gradient descent: each parameter moves by lr times its gradient or momentum.
pub type SGD = Groups<SGDOptions>;

/// Options of [`SGD`], with PyTorch's defaults.
#[derive(Debug, Clone)]
pub struct SGDOptions {
    /// The learning rate.
    pub lr: f64,
    /// The part of the last step that a step goes on with.
    pub momentum: f64,
    /// The part of the gradient that momentum leaves out.
    pub dampening: f64,
    /// How much of the parameter is added to its gradient.
    pub weight_decay: f64,
    /// Whether a step looks ahead along the momentum.
    pub nesterov: bool,
    /// Whether a step goes up the gradient.
    pub maximize: bool,
}

impl Default for SGDOptions {
    fn default() -> SGDOptions {
        SGDOptions {
            lr: 1e-3,
            momentum: 0.0,
            dampening: 0.0,
            weight_decay: 0.0,
            nesterov: false,
            maximize: false,
        }
    }
}

impl Rule for SGDOptions {
    const SLOTS: &'static [&'static str] = &["momentum_buffer"];

    fn lr(&self) -> f64 {
        self.lr
    }

    fn set_lr(&mut self, lr: f64) {
        self.lr = lr;
    }

    fn update(&self, parameter: &Tensor, grad: &Tensor, slots: &mut Slots) -> Result<()> {
        let grad = if self.maximize {
            grad.neg()?
        } else {
            grad.clone()
        };
        let mut grad = decayed(&grad, parameter, self.weight_decay)?;
        if self.momentum != 0.0 {
            let is_first = !slots.has("momentum_buffer");
            let buffer = slots.get("momentum_buffer", || grad.detach().clone_data())?;
            if !is_first {
                let kept = buffer.mul(&number(parameter, self.momentum))?;
                buffer.assign(&plus(&kept, &grad, 1.0 - self.dampening)?)?;
            }
            grad = match self.nesterov {
                true => plus(&grad, &buffer, self.momentum)?,
                false => buffer,
            };
        }
        parameter.assign(&plus(parameter, &grad, -self.lr)?)
    }

    fn options(&self) -> Map<String, Value> {
        let options = json!({
            "lr": self.lr, "momentum": self.momentum, "dampening": self.dampening,
            "weight_decay": self.weight_decay, "nesterov": self.nesterov, "maximize": self.maximize,
            "foreach": null, "differentiable": false, "fused": null,
        });
        options.as_object().cloned().unwrap_or_default()
    }

    fn load(&mut self, options: &Map<String, Value>) -> Option<()> {
        let float = |name: &str| options.get(name)?.as_f64();
        let flag = |name: &str| options.get(name)?.as_bool();
        *self = SGDOptions {
            lr: float("lr")?,
            momentum: float("momentum")?,
            dampening: float("dampening")?,
            weight_decay: float("weight_decay")?,
            nesterov: flag("nesterov")?,
            maximize: flag("maximize")?,
        };
        Some(())
    }
}
