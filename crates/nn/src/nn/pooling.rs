//! The largest element or the mean of each window.

use super::options::Sizes;

one_op! {
    /// The largest element of each window of signals: `[N, C, L]`.
    MaxPool1d of "MaxPool1d" "max_pool1d" (kernel_size: Sizes) { stride: Option<Sizes> = None, padding: Sizes = Sizes::from(0), dilation: Sizes = Sizes::from(1), ceil_mode: bool = false }
    /// The largest element of each window of images: `[N, C, H, W]`.
    ///
    /// ```
    /// use glowgrad_nn::nn::{MaxPool2d, Module};
    /// # use glowgrad_tensor::{Engine, Tensor};
    /// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
    /// let x = Tensor::from_f32(&engine, &[1.0, 2.0, 3.0, 4.0], &[1, 1, 2, 2])?;
    /// assert_eq!(MaxPool2d::new(2).forward(&x)?.to_f64()?, [4.0]);
    /// # Ok::<(), glowgrad_tensor::Error>(())
    /// ```
    MaxPool2d of "MaxPool2d" "max_pool2d" (kernel_size: Sizes) { stride: Option<Sizes> = None, padding: Sizes = Sizes::from(0), dilation: Sizes = Sizes::from(1), ceil_mode: bool = false }
    /// The largest element of each window of volumes: `[N, C, D, H, W]`.
    MaxPool3d of "MaxPool3d" "max_pool3d" (kernel_size: Sizes) { stride: Option<Sizes> = None, padding: Sizes = Sizes::from(0), dilation: Sizes = Sizes::from(1), ceil_mode: bool = false }
    /// The mean of each window of signals.
    AvgPool1d of "AvgPool1d" "avg_pool1d" (kernel_size: Sizes) { stride: Option<Sizes> = None, padding: Sizes = Sizes::from(0), ceil_mode: bool = false, count_include_pad: bool = true }
    /// The mean of each window of images.
    AvgPool2d of "AvgPool2d" "avg_pool2d" (kernel_size: Sizes) { stride: Option<Sizes> = None, padding: Sizes = Sizes::from(0), ceil_mode: bool = false, count_include_pad: bool = true, divisor_override: Option<i64> = None }
    /// The mean of each window of volumes.
    AvgPool3d of "AvgPool3d" "avg_pool3d" (kernel_size: Sizes) { stride: Option<Sizes> = None, padding: Sizes = Sizes::from(0), ceil_mode: bool = false, count_include_pad: bool = true, divisor_override: Option<i64> = None }
    /// Means of so many windows, however large they have to be.
    AdaptiveAvgPool1d of "AdaptiveAvgPool1d" "adaptive_avg_pool1d" (output_size: Sizes) {}
    /// Means of so many windows, however large they have to be.
    AdaptiveAvgPool2d of "AdaptiveAvgPool2d" "adaptive_avg_pool2d" (output_size: Sizes) {}
    /// The largest elements of so many windows, however large they have to be.
    AdaptiveMaxPool1d of "AdaptiveMaxPool1d" "adaptive_max_pool1d" (output_size: Sizes) {}
    /// The largest elements of so many windows, however large they have to be.
    AdaptiveMaxPool2d of "AdaptiveMaxPool2d" "adaptive_max_pool2d" (output_size: Sizes) {}
}
