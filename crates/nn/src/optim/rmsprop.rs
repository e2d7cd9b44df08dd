//! Steps divided by the root of the gradients' mean square.

use glowgrad_tensor::bind::{ToArg, call};
use glowgrad_tensor::{Result, Tensor, args};
use serde_json::{Map, Value, json};

use super::groups::{Groups, Rule, Slots, decayed, number, plus, zeros};

/// Steps divided by the root of the gradients' mean square (Hinton, 2012).
pub type RMSprop = Groups<RMSpropOptions>;

/// Options of [`RMSprop`], with PyTorch's defaults.
#[derive(Debug, Clone)]
pub struct RMSpropOptions {
    /// The learning rate.
    pub lr: f64,
    /// How much of the mean square stays with each step.
    pub alpha: f64,
    /// What is added to the scale.
    pub eps: f64,
    /// How much of the parameter is added to its gradient.
    pub weight_decay: f64,
    /// The part of the last step that a step goes on with.
    pub momentum: f64,
    /// Whether the square of the mean is taken off the mean square.
    pub centered: bool,
    /// Whether a step goes up the gradient.
    pub maximize: bool,
}

impl Default for RMSpropOptions {
    fn default() -> RMSpropOptions {
        RMSpropOptions {
            lr: 1e-2,
            alpha: 0.99,
            eps: 1e-8,
            weight_decay: 0.0,
            momentum: 0.0,
            centered: false,
            maximize: false,
        }
    }
}

impl Rule for RMSpropOptions {
    const SLOTS: &'static [&'static str] = &["step", "square_avg", "momentum_buffer", "grad_avg"];

    fn lr(&self) -> f64 {
        self.lr
    }

    fn set_lr(&mut self, lr: f64) {
        self.lr = lr;
    }

    fn update(&self, parameter: &Tensor, grad: &Tensor, slots: &mut Slots) -> Result<()> {
        let engine = parameter.engine();
        super::groups::count(parameter, slots)?;
        let grad = if self.maximize {
            grad.neg()?
        } else {
            grad.clone()
        };
        let grad = decayed(&grad, parameter, self.weight_decay)?;
        let square = slots.get("square_avg", || zeros(parameter))?;
        let kept = square.mul(&number(parameter, self.alpha))?;
        let value = vec![("value", (1.0 - self.alpha).arg())];
        square.assign(&call(engine, "addcmul", args![kept, grad, grad], value)?)?;
        let mut scale = square;
        if self.centered {
            let mean = slots.get("grad_avg", || zeros(parameter))?;
            mean.assign(&call(
                engine,
                "lerp",
                args![mean, grad, 1.0 - self.alpha],
                vec![],
            )?)?;
            let value = vec![("value", (-1.0).arg())];
            scale = call(engine, "addcmul", args![scale, mean, mean], value)?;
        }
        let root = call(engine, "sqrt", args![scale], vec![])?;
        let scale = root.add(&number(parameter, self.eps))?;
        if self.momentum > 0.0 {
            let buffer = slots.get("momentum_buffer", || zeros(parameter))?;
            let kept = buffer.mul(&number(parameter, self.momentum))?;
            buffer.assign(&call(engine, "addcdiv", args![kept, grad, scale], vec![])?)?;
            return parameter.assign(&plus(parameter, &buffer, -self.lr)?);
        }
        let move_by = grad.mul(&number(parameter, -self.lr))?.div(&scale)?;
        parameter.assign(&parameter.add(&move_by)?)
    }

    fn options(&self) -> Map<String, Value> {
        let options = json!({
            "lr": self.lr, "momentum": self.momentum, "alpha": self.alpha, "eps": self.eps, "centered": self.centered,
            "weight_decay": self.weight_decay, "capturable": false, "foreach": null, "maximize": self.maximize,
            "differentiable": false,
        });
        options.as_object().cloned().unwrap_or_default()
    }

    fn load(&mut self, options: &Map<String, Value>) -> Option<()> {
        let float = |name: &str| options.get(name)?.as_f64();
        let flag = |name: &str| options.get(name)?.as_bool();
        *self = RMSpropOptions {
            lr: float("lr")?,
            alpha: float("alpha")?,
            eps: float("eps")?,
            weight_decay: float("weight_decay")?,
            momentum: float("momentum")?,
            centered: flag("centered")?,
            maximize: flag("maximize")?,
        };
        Some(())
    }
}
