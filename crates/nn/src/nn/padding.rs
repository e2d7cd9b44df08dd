//! Elements put around signals, images and volumes.

use glowgrad_tensor::bind::{ToArg, call};
use glowgrad_tensor::{Error, Result, Tensor, args};

use super::options::Integers;
use super::{Module, Part, Parts};

/// Elements before and after each dimension, the last one first: one number for all, or two for each.
fn around(padding: &Integers, layer: &str, n: usize) -> Result<Vec<i64>> {
    match padding.as_slice() {
        [one] => Ok(vec![*one; 2 * n]),
        all if all.len() == 2 * n => Ok(all.to_vec()),
        all => Err(Error::value(format!(
            "{layer}: padding has {} numbers {all:?}, expected 1 or {}",
            all.len(),
            2 * n
        ))),
    }
}

macro_rules! pads {
    ($($(#[$doc:meta])* $name:ident $layer:literal $n:literal $mode:literal ($($value:ident)?);)*) => {$(
        options! {
            $(#[$doc])*
            $name of $layer (padding: Integers $(, $value: f64)?) {}
        }

        impl Parts for $name {
            fn parts<'a>(&'a self, _: &mut dyn FnMut(&str, Part<'a>)) {}
        }

        impl Module for $name {
            fn forward(&self, x: &Tensor) -> Result<Tensor> {
                let around = around(&self.padding, $layer, $n)?;
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
