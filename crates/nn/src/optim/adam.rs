//! Steps that are scaled by the gradients so far.

use glowgrad_tensor::bind::{ToArg, call};
use glowgrad_tensor::{Result, Tensor, args};
use serde_json::{Map, Value, json};

use super::groups::{Groups, Rule, Slots, count, decayed, number, zeros};

/// Adaptive moments: each step is scaled by the gradients so far (Kingma and Ba, 2014).
pub type Adam = Groups<AdamOptions>;
/// Adam with decoupled weight decay (Loshchilov and Hutter, 2017).
pub type AdamW = Groups<AdamWOptions>;

/// Options of [`Adam`], with PyTorch's defaults.
#[derive(Debug, Clone)]
pub struct AdamOptions {
    /// The learning rate.
    pub lr: f64,
    /// How much of the mean and of the mean square stays with each step.
    pub betas: (f64, f64),
    /// What is added to the scale.
    pub eps: f64,
    /// How much of the parameter is added to its gradient.
    pub weight_decay: f64,
    /// Whether the scale never shrinks.
    pub amsgrad: bool,
    /// Whether a step goes up the gradient.
    pub maximize: bool,
}

impl Default for AdamOptions {
    fn default() -> AdamOptions {
        AdamOptions {
            lr: 1e-3,
            betas: (0.9, 0.999),
            eps: 1e-8,
            weight_decay: 0.0,
            amsgrad: false,
            maximize: false,
        }
    }
}

/// Options of [`AdamW`], with PyTorch's defaults: those of Adam, whose weight decay shrinks parameters instead.
#[derive(Debug, Clone)]
pub struct AdamWOptions(pub AdamOptions);

impl Default for AdamWOptions {
    fn default() -> AdamWOptions {
        AdamWOptions(AdamOptions {
            weight_decay: 1e-2,
            ..AdamOptions::default()
        })
    }
}

const SLOTS: &[&str] = &["step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"];

impl AdamOptions {
    fn update(
        &self,
        is_decoupled: bool,
        parameter: &Tensor,
        grad: &Tensor,
        slots: &mut Slots,
    ) -> Result<()> {
        let engine = parameter.engine();
        let (beta1, beta2) = self.betas;
        let step = count(parameter, slots)?;
        let rate = -self.lr / (1.0 - beta1.powf(step));
        let correction = (1.0 - beta2.powf(step)).sqrt();
        let mut grad = if self.maximize {
            grad.neg()?
        } else {
            grad.clone()
        };
        if self.weight_decay != 0.0 {
            match is_decoupled {
                true => {
                    let factor = number(parameter, 1.0 - self.lr * self.weight_decay);
                    parameter.assign(&parameter.mul(&factor)?)?;
                }
                false => grad = decayed(&grad, parameter, self.weight_decay)?,
            }
        }
        let mean = slots.get("exp_avg", || zeros(parameter))?;
        mean.assign(&call(
            engine,
            "lerp",
            args![mean, grad, 1.0 - beta1],
            vec![],
        )?)?;
        let square = slots.get("exp_avg_sq", || zeros(parameter))?;
        let kept = square.mul(&number(parameter, beta2))?;
        let value = vec![("value", (1.0 - beta2).arg())];
        square.assign(&call(engine, "addcmul", args![kept, grad, grad], value)?)?;
        let mut scale = square.clone();
        if self.amsgrad {
            let largest = slots.get("max_exp_avg_sq", || zeros(parameter))?;
            largest.assign(&call(engine, "maximum", args![largest, square], vec![])?)?;
            scale = largest;
        }
        let root = call(engine, "sqrt", args![scale], vec![])?;
        let scale = root
            .div(&number(parameter, correction))?
            .add(&number(parameter, self.eps))?;
        let move_by = mean.mul(&number(parameter, rate))?.div(&scale)?;
        parameter.assign(&parameter.add(&move_by)?)
    }

    fn options(&self, is_decoupled: bool) -> Map<String, Value> {
        let options = json!({
            "lr": self.lr, "betas": [self.betas.0, self.betas.1], "eps": self.eps, "weight_decay": self.weight_decay,
            "amsgrad": self.amsgrad, "maximize": self.maximize, "foreach": null, "capturable": false,
            "differentiable": false, "fused": null, "decoupled_weight_decay": is_decoupled,
        });
        options.as_object().cloned().unwrap_or_default()
    }

    fn load(&mut self, options: &Map<String, Value>) -> Option<()> {
        let float = |name: &str| options.get(name)?.as_f64();
        let flag = |name: &str| options.get(name)?.as_bool();
        let betas = options.get("betas")?.as_array()?;
        *self = AdamOptions {
            lr: float("lr")?,
            betas: (betas.first()?.as_f64()?, betas.get(1)?.as_f64()?),
            eps: float("eps")?,
            weight_decay: float("weight_decay")?,
            amsgrad: flag("amsgrad")?,
            maximize: flag("maximize")?,
        };
        Some(())
    }
}

impl Rule for AdamOptions {
    const SLOTS: &'static [&'static str] = SLOTS;

    fn lr(&self) -> f64 {
        self.lr
    }

    fn set_lr(&mut self, lr: f64) {
        self.lr = lr;
    }

    fn update(&self, parameter: &Tensor, grad: &Tensor, slots: &mut Slots) -> Result<()> {
        self.update(false, parameter, grad, slots)
    }

    fn options(&self) -> Map<String, Value> {
        self.options(false)
    }

    fn load(&mut self, options: &Map<String, Value>) -> Option<()> {
        self.load(options)
    }
}

impl Rule for AdamWOptions {
    const SLOTS: &'static [&'static str] = SLOTS;

    fn lr(&self) -> f64 {
        self.0.lr
    }

    fn set_lr(&mut self, lr: f64) {
        self.0.lr = lr;
    }

    fn update(&self, parameter: &Tensor, grad: &Tensor, slots: &mut Slots) -> Result<()> {
        self.0.update(true, parameter, grad, slots)
    }

    fn options(&self) -> Map<String, Value> {
        self.0.options(true)
    }

    fn load(&mut self, options: &Map<String, Value>) -> Option<()> {
        self.0.load(options)
    }
}
