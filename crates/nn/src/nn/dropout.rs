//! Random zeros while training.

use std::cell::Cell;

use glowgrad_tensor::random::Draw;
use glowgrad_tensor::{Engine, Error, Result, Scalar, Shape, Tensor, args, bind, shape};

use super::Module;

macro_rules! dropouts {
    ($($(#[$doc:meta])* $name:ident $options:ident $layer:literal $n:expr;)*) => {$(
        options! {
            #[doc = concat!("Arguments of [`", $layer, "`].")]
            $options of $layer () { p: f64 = 0.5 }
        }

        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name {
            p: f64,
            training: Cell<bool>,
        }
        crate::parts!($name: training);

        impl $name {
            /// Zeros with probability `p`.
            ///
            /// # Errors
            /// When `p` is no probability.
            pub fn new(p: f64) -> Result<$name> {
                if !(0.0..=1.0).contains(&p) {
                    return Err(Error::value(format!(
                        "dropout probability has to be between 0 and 1, but got {p}"
                    )));
                }
                Ok($name { p, training: Cell::new(true) })
            }
        }

        impl $options {
            /// The layer.
            ///
            /// # Errors
            /// When `p` is no probability.
            pub fn build(&self, _: &Engine) -> Result<$name> {
                $name::new(self.p)
            }
        }

        impl Module for $name {
            fn forward(&self, x: &Tensor) -> Result<Tensor> {
                match self.training.get() {
                    true => dropped(x, self.p, $n),
                    false => Ok(x.clone()),
                }
            }
        }
    )*};
}
dropouts! {
    /// Sets elements to 0 with probability p while training, and scales the rest up.
    ///
    /// ```
    /// use glowgrad_nn::nn::{Dropout, Module, Parts};
    /// # use glowgrad_tensor::{Engine, Tensor};
    /// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
    /// let dropout = Dropout::new(0.5)?;
    /// let x = Tensor::from_f32(&engine, &[1.0; 8], &[8])?;
    /// assert!(dropout.forward(&x)?.to_f64()?.iter().all(|y| [0.0, 2.0].contains(y)));
    /// dropout.eval();
    /// assert_eq!(dropout.forward(&x)?.to_f64()?, [1.0; 8]);
    /// # Ok::<(), glowgrad_tensor::Error>(())
    /// ```
    Dropout DropoutOptions "Dropout" None;
    /// Sets whole channels of signals to 0 with probability p while training.
    Dropout1d Dropout1dOptions "Dropout1d" Some(1);
    /// Sets whole channels of images to 0 with probability p while training.
    Dropout2d Dropout2dOptions "Dropout2d" Some(2);
    /// Sets whole channels of volumes to 0 with probability p while training.
    Dropout3d Dropout3dOptions "Dropout3d" Some(3);
}

/// The shape of a mask of whole channels, of inputs with `n` spatial dimensions. As in PyTorch, the first two dimensions
/// are samples and channels, but for signals and volumes without samples.
fn channels(shape: &[usize], n: usize) -> Result<Shape> {
    let leading = match (n, shape.len()) {
        (2, 2..) => 2,
        (1 | 3, len) if len == n + 2 => 2,
        (1, 2) | (3, 1..) => 1,
        _ => {
            return Err(Error::runtime(format!(
                "dropout of channels over {n} dimensions: expected channels, or samples and channels, before them, got shape {}",
                shape::show(shape)
            )));
        }
    };
    let spatial = shape.len() - leading;
    Ok(shape[..leading]
        .iter()
        .copied()
        .chain([1].repeat(spatial))
        .collect())
}

/// Elements, or with spatial dimensions whole channels, each kept with probability 1 − p and scaled up.
pub(crate) fn dropped(x: &Tensor, p: f64, n_spatial: Option<usize>) -> Result<Tensor> {
    let engine = x.engine();
    if p == 0.0 || x.numel() == 0 {
        return Ok(x.clone());
    }
    if p == 1.0 {
        return x.mul(&Tensor::number(engine, Scalar::Float(0.0)));
    }
    let shape = match n_spatial {
        Some(n) => channels(&x.shape(), n)?,
        None => x.shape(),
    };
    // A mask for each element is drawn in the order in which those lie in memory.
    let mut order: Vec<usize> = (0..shape.len()).collect();
    if n_spatial.is_none() && !x.view().is_contiguous() {
        let strides = x.strides();
        order.sort_by_key(|&at| -strides[at]);
    }
    let drawn: Vec<usize> = order.iter().map(|&at| shape[at]).collect();
    let keep = kept(engine, &drawn, 1.0 - p, x)?;
    let mut back: Vec<i64> = vec![0; order.len()];
    for (i, &at) in order.iter().enumerate() {
        back[at] = i as i64;
    }
    let keep = match order.is_sorted() {
        true => keep,
        false => bind::call(engine, "permute", args![keep, back], vec![])?,
    };
    x.mul(&keep)
}

/// 1 / p with probability p, else 0.
fn kept(engine: &Engine, shape: &[usize], p: f64, like: &Tensor) -> Result<Tensor> {
    let draw = Draw::Bernoulli { p };
    let keep = Tensor::draw(engine, &mut engine.generator(), draw, shape, like.dtype())?;
    keep.div(&Tensor::number(engine, Scalar::Float(p)))
}
