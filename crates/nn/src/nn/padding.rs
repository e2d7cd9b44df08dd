//! Elements put around signals, images and volumes.

use glowgrad_tensor::bind::{Arg, ToArg, call};
use glowgrad_tensor::{Error, Result, Tensor, args};

use super::{FromArg, Module, Part, Parts};

/// Elements before and after each dimension, the last one first: one number for all, or two for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pads(Vec<i64>);

impl From<i64> for Pads {
    fn from(n: i64) -> Pads {
        Pads(vec![n])
    }
}

impl<const N: usize> From<[i64; N]> for Pads {
    fn from(each: [i64; N]) -> Pads {
        Pads(each.to_vec())
    }
}

impl ToArg for Pads {
    fn arg(&self) -> Arg {
        match self.0[..] {
            [one] => one.arg(),
            _ => self.0.arg(),
        }
    }
}

impl FromArg for Pads {
    const WANTED: &'static str = "an integer or a list of integers";
    fn from_arg(arg: &Arg) -> Option<Pads> {
        match arg {
            Arg::List(list) => list
                .iter()
                .map(i64::from_arg)
                .collect::<Option<_>>()
                .map(Pads),
            arg => i64::from_arg(arg).map(Pads::from),
        }
    }
}

impl Pads {
    fn around(&self, layer: &str, n: usize) -> Result<Vec<i64>> {
        match self.0[..] {
            [one] => Ok(vec![one; 2 * n]),
            _ if self.0.len() == 2 * n => Ok(self.0.clone()),
            _ => Err(Error::value(format!(
                "{layer}: padding has {} numbers {:?}, expected 1 or {}",
                self.0.len(),
                self.0,
                2 * n
            ))),
        }
    }
}

macro_rules! pads {
    ($($(#[$doc:meta])* $name:ident $layer:literal $n:literal $mode:literal ($($value:ident)?);)*) => {$(
        options! {
            $(#[$doc])*
            $name of $layer (padding: Pads $(, $value: f64)?) {}
        }

        impl Parts for $name {
            fn parts<'a>(&'a self, _: &mut dyn FnMut(&str, Part<'a>)) {}
        }

        impl Module for $name {
            fn forward(&self, x: &Tensor) -> Result<Tensor> {
                let around = self.padding.around($layer, $n)?;
                #[allow(unused_mut, reason = "a constant has its value besides")]
                let mut given = args![x, around, $mode];
                $(given.push(self.$value.arg());)?
                call(x.engine(), "pad", given, vec![])
            }
        }
    )*};
}
pads! {
    /// One number around signals.
    ConstantPad1d "ConstantPad1d" 1 "constant" (value);
    /// One number around images.
    ConstantPad2d "ConstantPad2d" 2 "constant" (value);
    /// One number around volumes.
    ConstantPad3d "ConstantPad3d" 3 "constant" (value);
    /// Zeros around signals.
    ZeroPad1d "ZeroPad1d" 1 "constant" ();
    /// Zeros around images.
    ///
    /// ```
    /// use glowgrad_nn::nn::{Module, ZeroPad2d};
    /// # use glowgrad_tensor::{Engine, Tensor};
    /// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
    /// let x = Tensor::from_f32(&engine, &[1.0; 4], &[1, 1, 2, 2])?;
    /// assert_eq!(ZeroPad2d::new(1).forward(&x)?.shape()[..], [1, 1, 4, 4]);
    /// # Ok::<(), glowgrad_tensor::Error>(())
    /// ```
    ZeroPad2d "ZeroPad2d" 2 "constant" ();
    /// Zeros around volumes.
    ZeroPad3d "ZeroPad3d" 3 "constant" ();
    /// Signals mirrored at their ends.
    ReflectionPad1d "ReflectionPad1d" 1 "reflect" ();
    /// Images mirrored at their edges.
    ReflectionPad2d "ReflectionPad2d" 2 "reflect" ();
    /// Volumes mirrored at their faces.
    ReflectionPad3d "ReflectionPad3d" 3 "reflect" ();
    /// The last elements of signals repeated.
    ReplicationPad1d "ReplicationPad1d" 1 "replicate" ();
    /// The edges of images repeated.
    ReplicationPad2d "ReplicationPad2d" 2 "replicate" ();
    /// The faces of volumes repeated.
    ReplicationPad3d "ReplicationPad3d" 3 "replicate" ();
    /// Signals that go on at their other end.
    CircularPad1d "CircularPad1d" 1 "circular" ();
    /// Images that go on at their other edge.
    CircularPad2d "CircularPad2d" 2 "circular" ();
    /// Volumes that go on at their other face.
    CircularPad3d "CircularPad3d" 3 "circular" ();
}
