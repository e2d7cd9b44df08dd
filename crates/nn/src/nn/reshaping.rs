//! The same elements in other shapes.

use glowgrad_tensor::bind::call;
use glowgrad_tensor::{Result, Tensor, args};

use super::options::{Integers, Sizes};
use super::{Module, Part, Parts};

one_op! {
    /// Some dimensions as one: `[N, C, H, W]` becomes `[N, C · H · W]`.
    ///
    /// ```
    /// use glowgrad_nn::nn::{Flatten, Module};
    /// # use glowgrad_tensor::{Engine, Tensor};
    /// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
    /// let x = Tensor::from_f32(&engine, &[1.0; 12], &[2, 3, 2])?;
    /// assert_eq!(Flatten::new().forward(&x)?.shape()[..], [2, 6]);
    /// # Ok::<(), glowgrad_tensor::Error>(())
    /// ```
    Flatten of "Flatten" "flatten" () { start_dim: i64 = 1, end_dim: i64 = -1 }
    /// Channels as pixels of a larger image.
    PixelShuffle of "PixelShuffle" "pixel_shuffle" (upscale_factor: usize) {}
    /// Pixels as channels of a smaller image.
    PixelUnshuffle of "PixelUnshuffle" "pixel_unshuffle" (downscale_factor: usize) {}
    /// Windows of images as columns: `[N, C, H, W]` becomes `[N, C · window, windows]`.
    Unfold of "Unfold" "im2col" (kernel_size: Sizes) { dilation: Sizes = Sizes::from(1), padding: Sizes = Sizes::from(0), stride: Sizes = Sizes::from(1) }
    /// Columns added up where their windows lie in an image.
    Fold of "Fold" "col2im" (output_size: Sizes, kernel_size: Sizes) { dilation: Sizes = Sizes::from(1), padding: Sizes = Sizes::from(0), stride: Sizes = Sizes::from(1) }
}

options! {
    /// The input as it is.
    Identity of "Identity" () {}
    /// One dimension as several: `[N, C · H]` becomes `[N, C, H]`; one of the sizes may be −1, as many as fit.
    Unflatten of "Unflatten" (dim: i64, unflattened_size: Integers) {}
}

impl Parts for Identity {
    fn parts<'a>(&'a self, _: &mut dyn FnMut(&str, Part<'a>)) {}
}

impl Module for Identity {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        Ok(x.clone())
    }
}

impl Parts for Unflatten {
    fn parts<'a>(&'a self, _: &mut dyn FnMut(&str, Part<'a>)) {}
}

impl Module for Unflatten {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let given = args![x, self.dim, self.unflattened_size.list()];
        call(x.engine(), "unflatten", given, vec![])
    }
}
