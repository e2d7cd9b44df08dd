//! Losses and attention: functions of several tensors, with the defaults of PyTorch's `torch.nn.functional`.
//!
//! [`call`](glowgrad_tensor::bind::call) reaches every other function by its name.

use glowgrad_tensor::bind::{ToArg, call};
use glowgrad_tensor::{Result, Tensor, args};

macro_rules! losses {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// When shapes or dtypes do not fit.
        pub fn $name(input: &Tensor, target: &Tensor) -> Result<Tensor> {
            call(input.engine(), stringify!($name), args![input, target], vec![])
        }
    )*};
}
losses! {
    /// The mean cross-entropy, in nats, of scores `[N, C, *]` and class numbers `[N, *]`.
    ///
    /// ```
    /// use glowgrad_nn::nn::functional::cross_entropy;
    /// # use glowgrad_tensor::{Engine, Tensor};
    /// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
    /// let scores = Tensor::from_f32(&engine, &[0.0, 0.0], &[1, 2])?;
    /// let loss = cross_entropy(&scores, &Tensor::from_i64(&engine, &[1], &[1])?)?;
    /// assert!((loss.item()?.as_f64() - 2f64.ln()).abs() < 1e-6);
    /// # Ok::<(), glowgrad_tensor::Error>(())
    /// ```
    cross_entropy;
    /// The mean of the negative scores of the right classes, for logarithms of probabilities.
    nll_loss;
    /// The mean of the squared differences.
    mse_loss;
    /// The mean of the differences' sizes.
    l1_loss;
    /// Squared differences where they are small, their sizes where they are large.
    smooth_l1_loss;
    /// Squared differences where they are small, their sizes where they are large.
    huber_loss;
    /// The mean binary cross-entropy of probabilities.
    binary_cross_entropy;
    /// The mean binary cross-entropy of scores, before a sigmoid.
    binary_cross_entropy_with_logits;
    /// The mean of target · (log target − input), for logarithms of probabilities.
    kl_div;
}

/// softmax(q kᵀ / √d) v: each position looks at the others, or with `is_causal` at those up to itself.
///
/// ```
/// use glowgrad_nn::nn::functional::scaled_dot_product_attention;
/// # use glowgrad_tensor::{Engine, Tensor};
/// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
/// let x = Tensor::from_f32(&engine, &[1.0; 6], &[1, 3, 2])?;
/// assert_eq!(scaled_dot_product_attention(&x, &x, &x, None, true)?.shape()[..], [1, 3, 2]);
/// # Ok::<(), glowgrad_tensor::Error>(())
/// ```
///
/// # Errors
/// When shapes do not fit, or a mask comes with `is_causal`.
pub fn scaled_dot_product_attention(
    query: &Tensor,
    key: &Tensor,
    value: &Tensor,
    attn_mask: Option<&Tensor>,
    is_causal: bool,
) -> Result<Tensor> {
    let given = args![query, key, value, attn_mask.cloned(), 0.0, is_causal];
    call(
        query.engine(),
        "scaled_dot_product_attention",
        given,
        vec![],
    )
}

/// The part of a batch whose largest score, of `[N, C]`, is that of the target's class, of `[N]`.
///
/// # Errors
/// When shapes do not fit.
pub fn accuracy(output: &Tensor, target: &Tensor) -> Result<Tensor> {
    let right = output.argmax(1)?.eq(target)?;
    right.to(glowgrad_tensor::DType::F32)?.mean()
}

/// Tensors joined along a dimension.
///
/// # Errors
/// When their other dimensions differ.
pub fn cat(tensors: &[Tensor], dim: i64) -> Result<Tensor> {
    joined("cat", tensors, dim)
}

/// Tensors of the same shape along a new dimension.
///
/// # Errors
/// When their shapes differ.
pub fn stack(tensors: &[Tensor], dim: i64) -> Result<Tensor> {
    joined("stack", tensors, dim)
}

fn joined(name: &str, tensors: &[Tensor], dim: i64) -> Result<Tensor> {
    let [first, ..] = tensors else {
        return Err(glowgrad_tensor::Error::value(format!(
            "{name}: expected a non-empty list of tensors"
        )));
    };
    call(first.engine(), name, vec![tensors.arg(), dim.arg()], vec![])
}
