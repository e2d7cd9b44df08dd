//! Functions between layers: each element, or along a dimension.

use glowgrad_tensor::bind::call;
use glowgrad_tensor::{Engine, Result, Tensor, args};

use super::options::Word;
use super::{Module, Part, Parts, init};

one_op! {
    /// Negative elements become 0.
    ///
    /// ```
    /// use glowgrad_nn::nn::{Module, ReLU};
    /// # use glowgrad_tensor::{Engine, Tensor};
    /// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
    /// let x = Tensor::from_f32(&engine, &[-1.0, 2.0], &[2])?;
    /// assert_eq!(ReLU::new().forward(&x)?.to_f64()?, [0.0, 2.0]);
    /// # Ok::<(), glowgrad_tensor::Error>(())
    /// ```
    ReLU of "ReLU" "relu" () {}
    /// Elements are kept between 0 and 6.
    ReLU6 of "ReLU6" "relu6" () {}
    /// The hyperbolic tangent of each element, between -1 and 1.
    Tanh of "Tanh" "tanh" () {}
    /// 1 / (1 + e⁻ˣ) of each element, between 0 and 1.
    Sigmoid of "Sigmoid" "sigmoid" () {}
    /// The logarithm of [`Sigmoid`].
    LogSigmoid of "LogSigmoid" "logsigmoid" () {}
    /// x · sigmoid(x): smooth where ReLU has a corner.
    SiLU of "SiLU" "silu" () {}
    /// x · tanh(softplus(x)): smooth where ReLU has a corner.
    Mish of "Mish" "mish" () {}
    /// ELU with the scale that keeps mean 0 and variance 1 from layer to layer.
    SELU of "SELU" "selu" () {}
    /// x, or α(eˣ − 1) where x is negative.
    ELU of "ELU" "elu" () { alpha: f64 = 1.0 }
    /// As [`ELU`], with a gradient that does not jump at 0.
    CELU of "CELU" "celu" () { alpha: f64 = 1.0 }
    /// x, or a small part of it where x is negative.
    ///
    /// ```
    /// use glowgrad_nn::nn::{LeakyReLU, Module};
    /// # use glowgrad_tensor::{Engine, Tensor};
    /// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
    /// let x = Tensor::from_f32(&engine, &[-4.0, 2.0], &[2])?;
    /// assert_eq!(LeakyReLU::new().negative_slope(0.5).forward(&x)?.to_f64()?, [-2.0, 2.0]);
    /// # Ok::<(), glowgrad_tensor::Error>(())
    /// ```
    LeakyReLU of "LeakyReLU" "leaky_relu" () { negative_slope: f64 = 0.01 }
    /// Elements are kept between two bounds.
    Hardtanh of "Hardtanh" "hardtanh" () { min_val: f64 = -1.0, max_val: f64 = 1.0 }
    /// log(1 + eˣ): a smooth ReLU.
    Softplus of "Softplus" "softplus" () { beta: f64 = 1.0, threshold: f64 = 20.0 }
    /// x / (1 + |x|).
    Softsign of "Softsign" "softsign" () {}
    /// x times the probability that a normal number is smaller than x.
    GELU of "GELU" "gelu" () { approximate: Word = Word::from("none") }
    /// A sigmoid made of three lines.
    Hardsigmoid of "Hardsigmoid" "hardsigmoid" () {}
    /// x times a sigmoid made of three lines.
    Hardswish of "Hardswish" "hardswish" () {}
    /// x where it is larger than a threshold, a value elsewhere.
    Threshold of "Threshold" "threshold" (threshold: f64, value: f64) {}
    /// x moved towards 0, and 0 where it is nearer than that.
    Softshrink of "Softshrink" "softshrink" () { lambd: f64 = 0.5 }
    /// x, and 0 where it is near 0.
    Hardshrink of "Hardshrink" "hardshrink" () { lambd: f64 = 0.5 }
    /// Half of a dimension times the sigmoid of the other half.
    GLU of "GLU" "glu" () { dim: i64 = -1 }
    /// Exponentials that sum to 1 along a dimension.
    Softmax of "Softmax" "softmax" (dim: i64) {}
    /// The logarithm of [`Softmax`].
    LogSoftmax of "LogSoftmax" "log_softmax" (dim: i64) {}
    /// [`Softmax`] of the negative elements.
    Softmin of "Softmin" "softmin" (dim: i64) {}
}

options! {
    /// Arguments of [`PReLU`].
    PReLUOptions of "PReLU" () { num_parameters: usize = 1, init: f64 = 0.25 }
}

/// x, or a learned part of it where x is negative.
///
/// ```
/// use glowgrad_nn::nn::{Module, PReLUOptions};
/// # use glowgrad_tensor::{Engine, Tensor};
/// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
/// let x = Tensor::from_f32(&engine, &[-4.0, 2.0], &[2])?;
/// assert_eq!(PReLUOptions::new().build(&engine)?.forward(&x)?.to_f64()?, [-1.0, 2.0]);
/// # Ok::<(), glowgrad_tensor::Error>(())
/// ```
#[derive(Debug)]
pub struct PReLU {
    /// `[num_parameters]`: one for all channels, or one each.
    pub weight: Tensor,
}
crate::parts!(PReLU: weight);

impl PReLUOptions {
    /// The layer.
    ///
    /// # Errors
    /// When the weight is too large.
    pub fn build(&self, engine: &Engine) -> Result<PReLU> {
        let weight = init::parameter(engine, &[self.num_parameters])?;
        init::constant_(&weight, self.init)?;
        Ok(PReLU { weight })
    }
}

impl Module for PReLU {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        call(x.engine(), "prelu", args![x, self.weight], vec![])
    }
}

options! {
    /// x − tanh(x).
    Tanhshrink of "Tanhshrink" () {}
}

impl Parts for Tanhshrink {
    fn parts<'a>(&'a self, _: &mut dyn FnMut(&str, Part<'a>)) {}
}

impl Module for Tanhshrink {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.sub(&x.tanh()?)
    }
}
