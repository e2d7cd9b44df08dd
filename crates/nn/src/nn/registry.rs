//! Layers by name: what a row of arguments builds.

use glowgrad_tensor::bind::Arg;
use glowgrad_tensor::{Engine, Error, Result};

use super::*;

type Build = fn(&Engine, &[Argument]) -> Result<Box<dyn Module>>;
type Arguments = Vec<(&'static str, Arg)>;

/// How a layer is made of its arguments, and what it takes.
struct Layer {
    name: &'static str,
    build: Build,
    arguments: fn(&[Argument]) -> Result<Arguments>,
}

macro_rules! layers {
    (plain { $($plain:ident),* $(,)? } built { $($name:literal $options:ident $build:ident),* $(,)? }) => {
        static LAYERS: &[Layer] = &[
            $(Layer {
                name: stringify!($plain),
                build: |_, given| Ok(Box::new($plain::from_arguments(given)?)),
                arguments: |given| Ok($plain::from_arguments(given)?.arguments()),
            },)*
            $(Layer {
                name: $name,
                build: |engine, given| Ok(Box::new($options::from_arguments(given)?.$build(engine)?)),
                arguments: |given| Ok($options::from_arguments(given)?.arguments()),
            },)*
        ];
    };
}
layers! {
    plain {
        ReLU, ReLU6, Tanh, Sigmoid, LogSigmoid, SiLU, Mish, SELU, ELU, CELU, LeakyReLU, Hardtanh, Softplus, Softsign,
        GELU, Tanhshrink, Hardsigmoid, Hardswish, Threshold, Softshrink, Hardshrink, GLU, Softmax, LogSoftmax, Softmin,
        Identity, Flatten, Unflatten, PixelShuffle, PixelUnshuffle, Unfold, Fold,
        MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d,
        AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveMaxPool1d, AdaptiveMaxPool2d,
        ConstantPad1d, ConstantPad2d, ConstantPad3d, ZeroPad1d, ZeroPad2d, ZeroPad3d,
        ReflectionPad1d, ReflectionPad2d, ReflectionPad3d, ReplicationPad1d, ReplicationPad2d, ReplicationPad3d,
        CircularPad1d, CircularPad2d, CircularPad3d,
    }
    built {
        "PReLU" PReLUOptions build, "Linear" LinearOptions build, "Embedding" EmbeddingOptions build,
        "Conv1d" Conv1dOptions build, "Conv2d" Conv2dOptions build, "Conv3d" Conv3dOptions build,
        "ConvTranspose1d" ConvTranspose1dOptions build, "ConvTranspose2d" ConvTranspose2dOptions build,
        "LayerNorm" LayerNormOptions build, "RMSNorm" RMSNormOptions build, "GroupNorm" GroupNormOptions build,
        "BatchNorm1d" BatchNorm1dOptions build, "BatchNorm2d" BatchNorm2dOptions build,
        "BatchNorm3d" BatchNorm3dOptions build,
        "Dropout" DropoutOptions build, "Dropout1d" Dropout1dOptions build, "Dropout2d" Dropout2dOptions build,
        "Dropout3d" Dropout3dOptions build,
        "RNN" RecurrentOptions elman, "LSTM" RecurrentOptions lstm, "GRU" RecurrentOptions gru,
        "MultiheadAttention" MultiheadAttentionOptions build,
        "TransformerEncoderLayer" TransformerEncoderLayerOptions build,
    }
}

fn find(name: &str) -> Result<&'static Layer> {
    LAYERS.iter().find(|layer| layer.name == name).ok_or_else(|| {
        Error::not_implemented(format!(
            "there is no layer {name} of one input here; glowgrad_nn::nn::layers() names those there are"
        ))
    })
}

/// A layer of one input by PyTorch's name, made of arguments by name.
///
/// ```
/// use glowgrad_nn::nn::{self, Parts};
/// use glowgrad_tensor::bind::ToArg;
/// # let engine = glowgrad_tensor::Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
/// let given = [("in_features".to_owned(), 3usize.arg()), ("out_features".to_owned(), 2usize.arg())];
/// assert_eq!(nn::build(&engine, "Linear", &given)?.n_parameters(), 8);
/// # Ok::<(), glowgrad_tensor::Error>(())
/// ```
///
/// # Errors
/// When there is no such layer, or an argument is missing, unknown or of another kind.
pub fn build(engine: &Engine, name: &str, given: &[Argument]) -> Result<Box<dyn Module>> {
    (find(name)?.build)(engine, given)
}

/// All arguments of a layer, of which some are given.
///
/// # Errors
/// As [`build`].
pub fn defaults(name: &str, given: &[Argument]) -> Result<Arguments> {
    (find(name)?.arguments)(given)
}

/// The names of all layers that [`build`] makes.
pub fn layers() -> impl Iterator<Item = &'static str> {
    LAYERS.iter().map(|layer| layer.name)
}
