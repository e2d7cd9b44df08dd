//! Values moved to mean 0 and variance 1.

use std::cell::Cell;

use glowgrad_tensor::bind::{Arg, ToArg, call};
use glowgrad_tensor::{DType, Engine, Error, Result, Scalar, Tensor, args, shape};

use super::options::Sizes;
use super::{Module, Part, Parts, init, no_grad};

fn ones(engine: &Engine, shape: &[usize], wanted: bool) -> Result<Option<Tensor>> {
    if !wanted {
        return Ok(None);
    }
    let weight = init::parameter(engine, shape)?;
    init::ones_(&weight)?;
    Ok(Some(weight))
}

fn zeros(engine: &Engine, shape: &[usize], wanted: bool) -> Result<Option<Tensor>> {
    wanted.then(|| init::parameter(engine, shape)).transpose()
}

/// Weight and bias as far as they are given.
fn affine(given: &mut Vec<Arg>, weight: Option<&Tensor>, bias: Option<&Tensor>) {
    given.extend(weight.map(ToArg::arg));
    given.extend(bias.map(ToArg::arg));
}

options! {
    /// Arguments of [`LayerNorm`].
    LayerNormOptions of "LayerNorm" (normalized_shape: Sizes) { eps: f64 = 1e-5, elementwise_affine: bool = true, bias: bool = true }
    /// Arguments of [`RMSNorm`].
    RMSNormOptions of "RMSNorm" (normalized_shape: Sizes) { eps: Option<f64> = None, elementwise_affine: bool = true }
    /// Arguments of [`GroupNorm`].
    GroupNormOptions of "GroupNorm" (num_groups: usize, num_channels: usize) { eps: f64 = 1e-5, affine: bool = true, bias: bool = true }
}

/// Each row moved to mean 0 and variance 1, then scaled and shifted: `[*, *normalized_shape]`.
///
/// ```
/// use glowgrad_nn::nn::{LayerNorm, Module};
/// # use glowgrad_tensor::{Engine, Tensor};
/// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
/// let x = Tensor::from_f32(&engine, &[1.0, 3.0], &[1, 2])?;
/// let y = LayerNorm::new(&engine, 2)?.forward(&x)?.to_f64()?;
/// assert!((y[0] + 1.0).abs() < 1e-4 && (y[1] - 1.0).abs() < 1e-4);
/// # Ok::<(), glowgrad_tensor::Error>(())
/// ```
#[derive(Debug)]
pub struct LayerNorm {
    /// `normalized_shape`.
    pub weight: Option<Tensor>,
    /// `normalized_shape`.
    pub bias: Option<Tensor>,
    options: LayerNormOptions,
}
crate::parts!(LayerNorm: weight, bias);

impl LayerNorm {
    /// With weight and bias.
    ///
    /// # Errors
    /// When they are too large.
    pub fn new(engine: &Engine, normalized_shape: impl Into<Sizes>) -> Result<LayerNorm> {
        LayerNormOptions::new(normalized_shape).build(engine)
    }
}

impl LayerNormOptions {
    /// The layer.
    ///
    /// # Errors
    /// When its parameters are too large.
    pub fn build(&self, engine: &Engine) -> Result<LayerNorm> {
        let sizes = self.normalized_shape.as_slice();
        Ok(LayerNorm {
            weight: ones(engine, sizes, self.elementwise_affine)?,
            bias: zeros(engine, sizes, self.elementwise_affine && self.bias)?,
            options: self.clone(),
        })
    }
}

impl Module for LayerNorm {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut given = args![x, self.options.normalized_shape.list()];
        affine(&mut given, self.weight.as_ref(), self.bias.as_ref());
        let eps = vec![("eps", self.options.eps.arg())];
        call(x.engine(), "layer_norm", given, eps)
    }
}

/// Each row divided by the root of its mean square: `[*, *normalized_shape]`.
#[derive(Debug)]
pub struct RMSNorm {
    /// `normalized_shape`.
    pub weight: Option<Tensor>,
    options: RMSNormOptions,
}
crate::parts!(RMSNorm: weight);

impl RMSNormOptions {
    /// The layer.
    ///
    /// # Errors
    /// When its weight is too large.
    pub fn build(&self, engine: &Engine) -> Result<RMSNorm> {
        let weight = ones(
            engine,
            self.normalized_shape.as_slice(),
            self.elementwise_affine,
        )?;
        Ok(RMSNorm {
            weight,
            options: self.clone(),
        })
    }
}

impl Module for RMSNorm {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let o = &self.options;
        let given = args![x, o.normalized_shape.list(), self.weight, o.eps];
        call(x.engine(), "rms_norm", given, vec![])
    }
}

/// Groups of each sample's channels moved to mean 0 and variance 1: `[N, num_channels, *]`.
#[derive(Debug)]
pub struct GroupNorm {
    /// `[num_channels]`.
    pub weight: Option<Tensor>,
    /// `[num_channels]`.
    pub bias: Option<Tensor>,
    options: GroupNormOptions,
}
crate::parts!(GroupNorm: weight, bias);

impl GroupNormOptions {
    /// The layer.
    ///
    /// # Errors
    /// When the channels are no multiple of the groups.
    pub fn build(&self, engine: &Engine) -> Result<GroupNorm> {
        let (groups, channels) = (self.num_groups, self.num_channels);
        if groups == 0 || channels % groups != 0 {
            return Err(Error::value(format!(
                "num_channels ({channels}) must be divisible by num_groups ({groups})"
            )));
        }
        Ok(GroupNorm {
            weight: ones(engine, &[channels], self.affine)?,
            bias: zeros(engine, &[channels], self.affine && self.bias)?,
            options: self.clone(),
        })
    }
}

impl Module for GroupNorm {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut given = args![x, self.options.num_groups];
        affine(&mut given, self.weight.as_ref(), self.bias.as_ref());
        let eps = vec![("eps", self.options.eps.arg())];
        call(x.engine(), "group_norm", given, eps)
    }
}

/// What a batch norm remembers of the batches it saw.
#[derive(Debug)]
struct Running {
    mean: Tensor,
    var: Tensor,
    batches: Tensor,
}

macro_rules! batch_norms {
    ($($(#[$doc:meta])* $name:ident $options:ident $layer:literal $dims:expr;)*) => {$(
        options! {
            #[doc = concat!("Arguments of [`", $layer, "`].")]
            $options of $layer (num_features: usize) {
                eps: f64 = 1e-5,
                momentum: Option<f64> = Some(0.1),
                affine: bool = true,
                track_running_stats: bool = true,
                bias: bool = true,
            }
        }

        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name {
            /// `[num_features]`.
            pub weight: Option<Tensor>,
            /// `[num_features]`.
            pub bias: Option<Tensor>,
            running: Option<Running>,
            training: Cell<bool>,
            options: $options,
        }

        impl Parts for $name {
            fn parts<'a>(&'a self, visit: &mut dyn FnMut(&str, Part<'a>)) {
                show(&self.weight, &self.bias, &self.running, &self.training, visit);
            }
        }

        impl $name {
            /// With PyTorch's defaults.
            ///
            /// # Errors
            /// When there are too many features.
            pub fn new(engine: &Engine, num_features: usize) -> Result<$name> {
                $options::new(num_features).build(engine)
            }
        }

        impl $options {
            /// The layer.
            ///
            /// # Errors
            /// When there are too many features.
            pub fn build(&self, engine: &Engine) -> Result<$name> {
                let sizes = [self.num_features];
                let running = match self.track_running_stats {
                    true => Some(Running {
                        mean: Tensor::full(engine, &sizes, Scalar::Float(0.0), DType::F32)?,
                        var: Tensor::full(engine, &sizes, Scalar::Float(1.0), DType::F32)?,
                        batches: Tensor::full(engine, &[], Scalar::Int(0), DType::I64)?,
                    }),
                    false => None,
                };
                Ok($name {
                    weight: ones(engine, &sizes, self.affine)?,
                    bias: zeros(engine, &sizes, self.affine && self.bias)?,
                    running,
                    training: Cell::new(true),
                    options: self.clone(),
                })
            }
        }

        impl Module for $name {
            fn forward(&self, x: &Tensor) -> Result<Tensor> {
                check_dims($layer, x, $dims)?;
                let eps = vec![("eps", self.options.eps.arg())];
                let (weight, bias) = (self.weight.as_ref(), self.bias.as_ref());
                match &self.running {
                    Some(running) if !self.training.get() => {
                        let mut given = args![x, running.mean, running.var];
                        affine(&mut given, weight, bias);
                        call(x.engine(), "batch_norm_eval", given, eps)
                    }
                    running => {
                        let mut given = args![x];
                        affine(&mut given, weight, bias);
                        let y = call(x.engine(), "batch_norm", given, eps)?;
                        if let Some(running) = running {
                            running.update(x, self.options.momentum)?;
                        }
                        Ok(y)
                    }
                }
            }
        }
    )*};
}
batch_norms! {
    /// Each feature moved to mean 0 and variance 1 over the batch: `[N, C]` or `[N, C, L]`.
    BatchNorm1d BatchNorm1dOptions "BatchNorm1d" 2..=3;
    /// Each channel of images moved to mean 0 and variance 1 over the batch: `[N, C, H, W]`.
    ///
    /// ```
    /// use glowgrad_nn::nn::{BatchNorm2d, Module, Parts};
    /// # use glowgrad_tensor::{Engine, Tensor};
    /// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
    /// let norm = BatchNorm2d::new(&engine, 1)?;
    /// let x = Tensor::from_f32(&engine, &[1.0, 3.0, 5.0, 7.0], &[1, 1, 2, 2])?;
    /// norm.forward(&x)?;
    /// let (name, mean) = &norm.named_buffers()[0];
    /// assert_eq!(name, "running_mean");
    /// assert!((mean.to_f64()?[0] - 0.4).abs() < 1e-6);
    /// # Ok::<(), glowgrad_tensor::Error>(())
    /// ```
    BatchNorm2d BatchNorm2dOptions "BatchNorm2d" 4..=4;
    /// Each channel of volumes moved to mean 0 and variance 1 over the batch: `[N, C, D, H, W]`.
    BatchNorm3d BatchNorm3dOptions "BatchNorm3d" 5..=5;
}

fn show<'a>(
    weight: &'a Option<Tensor>,
    bias: &'a Option<Tensor>,
    running: &'a Option<Running>,
    training: &'a Cell<bool>,
    visit: &mut dyn FnMut(&str, Part<'a>),
) {
    for (name, tensor) in [("weight", weight), ("bias", bias)] {
        if let Some(tensor) = tensor {
            visit(name, Part::Parameter(tensor));
        }
    }
    if let Some(running) = running {
        visit("running_mean", Part::Buffer(&running.mean));
        visit("running_var", Part::Buffer(&running.var));
        visit("num_batches_tracked", Part::Buffer(&running.batches));
    }
    visit("training", Part::Training(training));
}

fn check_dims(layer: &str, x: &Tensor, allowed: std::ops::RangeInclusive<usize>) -> Result<()> {
    let n = x.shape().len();
    if allowed.contains(&n) {
        return Ok(());
    }
    let (least, most) = (allowed.start(), allowed.end());
    let wanted = match least == most {
        true => format!("{least}D"),
        false => format!("{least}D or {most}D"),
    };
    Err(Error::value(format!(
        "{layer}: expected {wanted} input (got {n}D input of shape {})",
        shape::show(&x.shape())
    )))
}

impl Running {
    /// running ← (1 − momentum) · running + momentum · new; without a momentum, the mean of all batches.
    fn update(&self, x: &Tensor, momentum: Option<f64>) -> Result<()> {
        let engine = x.engine();
        no_grad(engine, || {
            let one = Tensor::number(engine, Scalar::Int(1));
            self.batches.assign(&self.batches.add(&one)?)?;
            let momentum = match momentum {
                Some(momentum) => momentum,
                None => 1.0 / self.batches.item()?.as_f64(),
            };
            let dims: Vec<i64> = (0..x.shape().len() as i64)
                .filter(|dim| *dim != 1)
                .collect();
            let x = x.detach();
            let number = |value| Tensor::number(engine, Scalar::Float(value));
            for (statistic, name) in [(&self.mean, "mean"), (&self.var, "var")] {
                let new = call(engine, name, args![x, dims], vec![])?;
                let new = new.to(statistic.dtype())?.mul(&number(momentum))?;
                statistic.assign(&statistic.mul(&number(1.0 - momentum))?.add(&new)?)?;
            }
            Ok(())
        })
    }
}
