//! Learned kernels moved over signals, images and volumes.

use glowgrad_tensor::bind::{Arg, ToArg, call};
use glowgrad_tensor::{Engine, Error, Result, Tensor, args};

use super::options::{FromArg, Sizes, Word};
use super::{Module, init};

macro_rules! convolutions {
    ($($(#[$doc:meta])* $name:ident $options:ident $layer:literal $op:literal $n:literal;)*) => {$(
        options! {
            #[doc = concat!("Arguments of [`", $layer, "`]. `padding` is sizes, `\"same\"` or `\"valid\"`.")]
            $options of $layer (in_channels: usize, out_channels: usize, kernel_size: Sizes) {
                stride: Sizes = Sizes::from(1),
                padding: Padding = Padding::from(0usize),
                dilation: Sizes = Sizes::from(1),
                groups: usize = 1,
                bias: bool = true,
                padding_mode: Word = Word::from("zeros"),
            }
        }

        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name {
            /// `[out_channels, in_channels / groups, *kernel_size]`.
            pub weight: Tensor,
            /// `[out_channels]`.
            pub bias: Option<Tensor>,
            options: $options,
        }
        crate::parts!($name: weight, bias);

        impl $name {
            /// With PyTorch's defaults: a stride of 1, no padding, a bias.
            ///
            /// # Errors
            /// When the weight is too large.
            pub fn new(
                engine: &Engine,
                in_channels: usize,
                out_channels: usize,
                kernel_size: impl Into<Sizes>,
            ) -> Result<$name> {
                $options::new(in_channels, out_channels, kernel_size).build(engine)
            }
        }

        impl $options {
            /// The layer, with weights drawn as PyTorch draws them.
            ///
            /// # Errors
            /// When channels are no multiple of the groups, sizes are too many, or the weight is too large.
            pub fn build(&self, engine: &Engine) -> Result<$name> {
                let kernel = self.kernel_size.expect::<$n>($layer, "kernel_size")?;
                check_groups($layer, self.in_channels, self.out_channels, self.groups)?;
                let mut shape = vec![self.out_channels, self.in_channels / self.groups];
                shape.extend(kernel);
                let (weight, bias) = drawn(engine, &shape, self.out_channels, self.bias)?;
                Ok($name { weight, bias, options: self.clone() })
            }
        }

        impl Module for $name {
            fn forward(&self, x: &Tensor) -> Result<Tensor> {
                let o = &self.options;
                let sides = o.padding.sides::<$n>($layer, &o.kernel_size, &o.dilation)?;
                let is_same = matches!(&o.padding, Padding::Word(word) if word.as_str() == "same");
                if is_same && o.stride.expect::<$n>($layer, "stride")? != [1; $n] {
                    return Err(Error::runtime("padding='same' is not supported for strided convolutions"));
                }
                let (padded, padding) = match o.padding_mode.as_str() {
                    "zeros" => (None, [sides.0, sides.1].concat()),
                    mode => {
                        let given = args![x, around(sides), mode];
                        (Some(call(x.engine(), "pad", given, vec![])?), vec![0; $n])
                    }
                };
                let padding = Arg::List(padding.iter().map(ToArg::arg).collect());
                let x = padded.as_ref().unwrap_or(x);
                let given = args![x, self.weight, self.bias, o.stride, padding, o.dilation, o.groups];
                call(x.engine(), $op, given, vec![])
            }
        }
    )*};
}
convolutions! {
    /// A learned kernel moved over signals: `[N, C, L]`.
    Conv1d Conv1dOptions "Conv1d" "conv1d" 1;
    /// A learned kernel moved over images: `[N, C, H, W]`.
    ///
    /// ```
    /// use glowgrad_nn::nn::{Conv2d, Conv2dOptions, Module};
    /// # use glowgrad_tensor::{Engine, Tensor};
    /// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
    /// let layer = Conv2dOptions::new(1usize, 6usize, 5).padding(2).build(&engine)?;
    /// let x = Tensor::from_f32(&engine, &[0.0; 784], &[1, 1, 28, 28])?;
    /// assert_eq!(layer.forward(&x)?.shape()[..], [1, 6, 28, 28]);
    /// # Ok::<(), glowgrad_tensor::Error>(())
    /// ```
    Conv2d Conv2dOptions "Conv2d" "conv2d" 2;
    /// A learned kernel moved over volumes: `[N, C, D, H, W]`.
    Conv3d Conv3dOptions "Conv3d" "conv3d" 3;
}

macro_rules! transposed {
    ($($(#[$doc:meta])* $name:ident $options:ident $layer:literal $op:literal $n:literal;)*) => {$(
        options! {
            #[doc = concat!("Arguments of [`", $layer, "`].")]
            $options of $layer (in_channels: usize, out_channels: usize, kernel_size: Sizes) {
                stride: Sizes = Sizes::from(1),
                padding: Sizes = Sizes::from(0),
                output_padding: Sizes = Sizes::from(0),
                groups: usize = 1,
                bias: bool = true,
                dilation: Sizes = Sizes::from(1),
                padding_mode: Word = Word::from("zeros"),
            }
        }

        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name {
            /// `[in_channels, out_channels / groups, *kernel_size]`.
            pub weight: Tensor,
            /// `[out_channels]`.
            pub bias: Option<Tensor>,
            options: $options,
        }
        crate::parts!($name: weight, bias);

        impl $options {
            /// The layer, with weights drawn as PyTorch draws them.
            ///
            /// # Errors
            /// When channels are no multiple of the groups, sizes are too many, or the weight is too large.
            pub fn build(&self, engine: &Engine) -> Result<$name> {
                let kernel = self.kernel_size.expect::<$n>($layer, "kernel_size")?;
                check_groups($layer, self.in_channels, self.out_channels, self.groups)?;
                if self.padding_mode.as_str() != "zeros" {
                    return Err(Error::value(format!(
                        "Only \"zeros\" padding mode is supported for {}", $layer
                    )));
                }
                let mut shape = vec![self.in_channels, self.out_channels / self.groups];
                shape.extend(kernel);
                let (weight, bias) = drawn(engine, &shape, self.out_channels, self.bias)?;
                Ok($name { weight, bias, options: self.clone() })
            }
        }

        impl Module for $name {
            fn forward(&self, x: &Tensor) -> Result<Tensor> {
                let o = &self.options;
                let given = args![
                    x, self.weight, self.bias, o.stride, o.padding, o.output_padding, o.groups, o.dilation
                ];
                call(x.engine(), $op, given, vec![])
            }
        }
    )*};
}
transposed! {
    /// The gradient of [`Conv1d`] as a layer: it makes signals longer.
    ConvTranspose1d ConvTranspose1dOptions "ConvTranspose1d" "conv_transpose1d" 1;
    /// The gradient of [`Conv2d`] as a layer: it makes images larger.
    ///
    /// ```
    /// use glowgrad_nn::nn::{ConvTranspose2dOptions, Module};
    /// # use glowgrad_tensor::{Engine, Tensor};
    /// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
    /// let layer = ConvTranspose2dOptions::new(2usize, 1usize, 2).stride(2).build(&engine)?;
    /// let x = Tensor::from_f32(&engine, &[0.0; 32], &[1, 2, 4, 4])?;
    /// assert_eq!(layer.forward(&x)?.shape()[..], [1, 1, 8, 8]);
    /// # Ok::<(), glowgrad_tensor::Error>(())
    /// ```
    ConvTranspose2d ConvTranspose2dOptions "ConvTranspose2d" "conv_transpose2d" 2;
}

/// How a convolution's input is padded: sizes, or `"same"` or `"valid"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Padding {
    /// Zeros on both sides of each dimension.
    Sizes(Sizes),
    /// `"same"`: as many as keep the size; `"valid"`: none.
    Word(Word),
}

impl Padding {
    /// Sizes before and after each dimension.
    fn sides<const N: usize>(
        &self,
        layer: &str,
        kernel: &Sizes,
        dilation: &Sizes,
    ) -> Result<([usize; N], [usize; N])> {
        match self {
            Padding::Sizes(sizes) => {
                let each = sizes.expect::<N>(layer, "padding")?;
                Ok((each, each))
            }
            Padding::Word(word) if word.as_str() == "same" => {
                let kernel = kernel.expect::<N>(layer, "kernel_size")?;
                let dilation = dilation.expect::<N>(layer, "dilation")?;
                let total: [usize; N] =
                    std::array::from_fn(|at| dilation[at] * kernel[at].saturating_sub(1));
                Ok((total.map(|n| n / 2), total.map(|n| n - n / 2)))
            }
            Padding::Word(_) => Ok(([0; N], [0; N])),
        }
    }
}

/// As `F.pad` takes them: the last dimension first, both sides.
fn around<const N: usize>((before, after): ([usize; N], [usize; N])) -> Vec<i64> {
    let pairs = before.into_iter().zip(after).rev();
    pairs
        .flat_map(|(before, after)| [before as i64, after as i64])
        .collect()
}

impl<T: Into<Sizes>> From<T> for Padding {
    fn from(sizes: T) -> Padding {
        Padding::Sizes(sizes.into())
    }
}

impl ToArg for Padding {
    fn arg(&self) -> Arg {
        match self {
            Padding::Sizes(sizes) => sizes.arg(),
            Padding::Word(word) => word.arg(),
        }
    }
}

impl FromArg for Padding {
    const WANTED: &'static str = "a size, a list of sizes, 'same' or 'valid'";
    fn from_arg(arg: &Arg) -> Option<Padding> {
        let word = || Word::from_arg(arg).filter(|word| ["same", "valid"].contains(&word.as_str()));
        Sizes::from_arg(arg)
            .map(Padding::Sizes)
            .or_else(|| word().map(Padding::Word))
    }
}

fn check_groups(layer: &str, n_in: usize, n_out: usize, groups: usize) -> Result<()> {
    if groups == 0 {
        return Err(Error::value("groups must be a positive integer"));
    }
    for (name, n) in [("in_channels", n_in), ("out_channels", n_out)] {
        if n % groups != 0 {
            return Err(Error::value(format!(
                "{name} must be divisible by groups: {layer} has {n} and {groups}"
            )));
        }
    }
    Ok(())
}

fn drawn(
    engine: &Engine,
    shape: &[usize],
    n_out: usize,
    bias: bool,
) -> Result<(Tensor, Option<Tensor>)> {
    let weight = init::parameter(engine, shape)?;
    let bias = match bias {
        true => Some(init::parameter(engine, &[n_out])?),
        false => None,
    };
    init::of_product(&weight, bias.as_ref())?;
    Ok((weight, bias))
}
