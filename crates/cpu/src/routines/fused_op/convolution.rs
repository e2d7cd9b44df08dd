//! Convolutions and their gradients as products of matrices whose columns are never written down.
//!
//! The packer of the product reads the windows where they lie (implicit im2col). Zeros around an input are a copy of
//! one image at a time ([`source`]). `product` computes the result and the gradient of the input, `weight` the
//! gradient of the weight, `direct` all three where a group has a channel or two.

mod direct;
mod product;
mod source;
mod weight;

use std::ops::Range;

use glowgrad_tensor::fused_op::{Convolution, FusedOp, Wanted};
use glowgrad_tensor::{Error, Result};

use crate::gemm::with_kernel;
use crate::pool::Block;
use crate::{Level, Pool};

/// Products of a group's channels up to which no matrix is made of it.
const FEW_CHANNELS: usize = 2;

/// A padded input may have as many times the elements of its operands; a larger one is computed element by element.
const MOST_PADDING: usize = 64;

pub(super) fn count(sizes: [usize; 3]) -> usize {
    sizes.iter().product()
}

/// Row-major places of so many, with their numbers by dimension.
fn places(sizes: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..count(sizes)).map(move |i| {
        [
            i / (sizes[1] * sizes[2]),
            i / sizes[2] % sizes[1],
            i % sizes[2],
        ]
    })
}

/// Blocks of a pool, given back when the work is done, whatever its result.
struct Scratch<'a> {
    pool: &'a Pool,
    block: Option<Block>,
}

impl<'a> Scratch<'a> {
    /// At least `n` elements of unspecified value.
    fn new(pool: &'a Pool, n: usize) -> Result<Scratch<'a>> {
        let bytes = n.max(1).saturating_mul(size_of::<f32>());
        Ok(Scratch {
            pool,
            block: Some(pool.take(bytes)?),
        })
    }

    fn floats(&mut self) -> &mut [f32] {
        self.block
            .as_deref_mut()
            .map_or(&mut [], bytemuck::cast_slice_mut)
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.pool.give(block);
        }
    }
}

/// A part of every sum, computed as a product.
struct Part<'a> {
    level: Level,
    pool: &'a Pool,
    sizes: &'a Convolution,
    /// As [`run`] takes them.
    operands: (&'a [f32], &'a [f32]),
    /// Which terms of each sum, of `depth()` many.
    terms: Range<usize>,
    out: &'a mut [f32],
}

/// The terms of a sum that a part takes.
fn terms(sizes: &Convolution, at: usize) -> Range<usize> {
    let start = (at * sizes.part()).min(sizes.depth());
    start..(start + sizes.part()).min(sizes.depth())
}

/// Computes one of the three; inputs as `Wanted` names them.
///
/// # Errors
/// Slices of other lengths than the sizes say; no memory for packed operands.
pub(super) fn run(
    level: Level,
    pool: &Pool,
    sizes: &Convolution,
    inputs: &[&[f32]],
    output: &mut [f32],
) -> Result<()> {
    let x = sizes.batch * sizes.groups * sizes.channels_in * count(sizes.input);
    let w = sizes.groups * sizes.channels_out * sizes.channels_in * count(sizes.kernel);
    let y = sizes.batch * sizes.groups * sizes.channels_out * count(sizes.result);
    let [first, second, out] = match sizes.wanted {
        Wanted::Result => [x, w, y],
        Wanted::Input => [y, w, x],
        Wanted::Weight => [x, y, w],
    };
    let &[a, b] = inputs else {
        return Err(Error::runtime("convolution: a layer takes two operands"));
    };
    if [a.len(), b.len(), output.len()] != [first, second, out * sizes.parts] {
        return Err(Error::runtime(format!(
            "convolution: operands of {} and {} elements and a result of {}, where its sizes ask for {first}, {second} and {}",
            a.len(),
            b.len(),
            output.len(),
            out * sizes.parts
        )));
    }
    if out == 0 {
        return Ok(());
    }
    if first == 0 || second == 0 {
        output.fill(0.0);
        return Ok(());
    }
    if source::padded(sizes).is_none_or(|n| n / MOST_PADDING > x + w + y) {
        FusedOp::Convolution(*sizes).compute(inputs, output);
        return Ok(());
    }
    if sizes.channels_in * sizes.channels_out <= FEW_CHANNELS && sizes.parts == 1 {
        return direct::run(level, pool, sizes, (a, b), output);
    }
    for (at, out) in output.chunks_exact_mut(out).enumerate() {
        let part = Part {
            level,
            pool,
            sizes,
            operands: (a, b),
            terms: terms(sizes, at),
            out,
        };
        match sizes.wanted {
            Wanted::Weight => with_kernel(level, weight::Weight(part))?,
            Wanted::Result | Wanted::Input => with_kernel(level, product::Product(part))?,
        }
    }
    Ok(())
}
