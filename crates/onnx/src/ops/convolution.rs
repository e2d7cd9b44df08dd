//! Convolutions and transposed ones.
//!
//! A transposed convolution is made without padding and then cut or extended, so that any padding fits.

use glowgrad::{DType, Error, Result, Scalar, Tensor};

use super::one;
use super::padding::with_border;
use crate::call::{Methods, args, beside, integers, listed, sizes};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    one("Conv", 1, |c| {
        let windows = Windows::of(c, c.x(0)?, Some(c.x(1)?))?;
        conv(c, c.x(0)?, c.x(1)?, c.get(2), &windows)
    }),
    one("ConvTranspose", 1, conv_transpose),
    one("ConvInteger", 10, conv_integer),
    one("Col2Im", 18, col2im),
];

/// Where windows lie over an image, one number for each of its dimensions.
#[derive(Debug, Clone)]
pub(super) struct Windows {
    pub(super) kernel: Vec<usize>,
    pub(super) stride: Vec<usize>,
    pub(super) dilation: Vec<usize>,
    pub(super) before: Vec<i64>,
    pub(super) after: Vec<i64>,
    /// The sizes of the image.
    pub(super) space: Vec<usize>,
}

/// Positive numbers, one for each dimension of an image.
fn positive(c: &Call, name: &str, dims: usize) -> Result<Vec<usize>> {
    let Some(list) = c.ints(name) else {
        return Ok(vec![1; dims]);
    };
    let each: Option<Vec<usize>> = (list.iter())
        .map(|&n| usize::try_from(n).ok().filter(|&n| n > 0 && n < 1 << 31))
        .collect();
    each.filter(|each| each.len() == dims).ok_or_else(|| {
        Error::value(format!(
            "the attribute {name:?} is {list:?}; expected {dims} positive numbers, one for each dimension of the image"
        ))
    })
}

/// Numbers before and after, for each dimension of an image.
fn pads(c: &Call, dims: usize) -> Result<(Vec<i64>, Vec<i64>)> {
    let list = c.ints("pads").unwrap_or_else(|| vec![0; 2 * dims]);
    if list.len() != 2 * dims || list.iter().any(|n| !(0..1 << 31).contains(n)) {
        return Err(Error::value(format!(
            "the attribute \"pads\" is {list:?}; expected {} numbers, none negative",
            2 * dims
        )));
    }
    Ok((list[..dims].to_vec(), list[dims..].to_vec()))
}

impl Windows {
    /// From a node's attributes; a convolution has a weight, with sizes that its windows may take.
    pub(super) fn of(c: &Call, x: &Tensor, weight: Option<&Tensor>) -> Result<Windows> {
        let shape = x.shape();
        if !(3..=5).contains(&shape.len()) {
            return Err(Error::value(format!(
                "the input has shape {}; expected [N, C, …] with one to three further dimensions",
                glowgrad::shape::show(&shape)
            )));
        }
        let dims = shape.len() - 2;
        let weight = weight.map(Tensor::shape);
        if let Some(weight) = &weight
            && (weight.len() != dims + 2 || weight.contains(&0))
        {
            return Err(Error::value(format!(
                "a weight of shape {} came; expected {} dimensions, none of them empty",
                glowgrad::shape::show(weight),
                dims + 2
            )));
        }
        let kernel = match (c.ints("kernel_shape"), &weight) {
            (_, Some(weight)) => weight[2..].to_vec(),
            (Some(_), None) => positive(c, "kernel_shape", dims)?,
            (None, None) => return Err(c.lacks("kernel_shape")),
        };
        let (before, after) = pads(c, dims)?;
        let mut windows = Windows {
            kernel,
            stride: positive(c, "strides", dims)?,
            dilation: positive(c, "dilations", dims)?,
            before,
            after,
            space: shape[2..].to_vec(),
        };
        match c.text_or("auto_pad", "NOTSET") {
            "NOTSET" | "" => {}
            "VALID" => {
                windows.before = vec![0; dims];
                windows.after = vec![0; dims];
            }
            mode @ ("SAME_UPPER" | "SAME_LOWER") => windows.pad_same(mode == "SAME_UPPER"),
            other => {
                return Err(c.unknown(
                    "auto_pad",
                    other,
                    "NOTSET, VALID, SAME_UPPER or SAME_LOWER",
                ));
            }
        }
        Ok(windows)
    }

    /// Padding with which there are as many windows as strides fit into the image.
    fn pad_same(&mut self, more_after: bool) {
        for d in 0..self.dims() {
            let count = self.space[d].div_ceil(self.stride[d]);
            let needed = count.saturating_sub(1) * self.stride[d] + self.extent(d);
            let total = needed.saturating_sub(self.space[d]) as i64;
            let (less, more) = (total / 2, total - total / 2);
            (self.before[d], self.after[d]) = match more_after {
                true => (less, more),
                false => (more, less),
            };
        }
    }

    pub(super) fn dims(&self) -> usize {
        self.kernel.len()
    }

    /// How far a window reaches.
    pub(super) fn extent(&self, d: usize) -> usize {
        self.dilation[d].saturating_mul(self.kernel[d] - 1) + 1
    }

    /// Widths of a border as [`with_border`] takes them.
    pub(super) fn border(&self) -> Vec<(i64, i64)> {
        let each = self.before.iter().copied().zip(self.after.iter().copied());
        [(0, 0); 2].into_iter().chain(each).collect()
    }
}

/// The engine's convolution for a number of dimensions.
fn conv_name(dims: usize) -> &'static str {
    ["conv1d", "conv2d", "conv3d"][dims.clamp(1, 3) - 1]
}

/// A convolution with a node's groups.
pub(super) fn conv(
    c: &Call,
    x: &Tensor,
    w: &Tensor,
    bias: Option<&Tensor>,
    windows: &Windows,
) -> Result<Tensor> {
    let sides: Vec<i64> = windows
        .before
        .iter()
        .chain(&windows.after)
        .copied()
        .collect();
    let group = c.int_or("group", 1);
    x.with(
        conv_name(windows.dims()),
        args![
            w,
            bias,
            sizes(&windows.stride),
            sides,
            sizes(&windows.dilation),
            group
        ],
    )
}

fn conv_integer(c: &Call) -> Result<Tensor> {
    let less = |i: usize| -> Result<Tensor> {
        let x = c.x(i)?.to(DType::F64)?;
        match c.get(i + 2) {
            Some(zero) if zero.numel() == 1 => x.plus(-zero.item()?.as_f64()),
            Some(zero) => x.sub(&beside(&zero.to(DType::F64)?, x.rank(), 0)?),
            None => Ok(x),
        }
    };
    let (x, w) = (less(0)?, less(1)?);
    let windows = Windows::of(c, &x, Some(&w))?;
    conv(c, &x, &w, None, &windows)?.to(DType::I32)
}

fn conv_transpose(c: &Call) -> Result<Tensor> {
    let (x, w) = (c.x(0)?, c.x(1)?);
    let group = c.int_or("group", 1);
    let mut windows = Windows::of(c, x, Some(w))?;
    let dims = windows.dims();
    let more = c.ints("output_padding").unwrap_or_else(|| vec![0; dims]);
    if more.len() != dims || more.iter().any(|n| !(0..1 << 31).contains(n)) {
        return Err(Error::value(format!(
            "the attribute \"output_padding\" is {more:?}; expected {dims} numbers, none negative"
        )));
    }
    (windows.before, windows.after) = pads(c, dims)?;
    let auto = c.text_or("auto_pad", "NOTSET").to_owned();
    let wanted = c.ints("output_shape");
    let same = auto.starts_with("SAME");
    if wanted.is_some() || same {
        for (d, &more) in more.iter().enumerate() {
            // The whole of what the windows write, and how much of it goes.
            let whole = windows.stride[d] as i64 * (windows.space[d] as i64 - 1)
                + windows.extent(d) as i64
                + more;
            let target = match &wanted {
                Some(list) => *list.get(d).ok_or_else(|| c.lacks("output_shape"))?,
                None => windows.space[d] as i64 * windows.stride[d] as i64,
            };
            let total = whole - target;
            let (less, rest) = (total.div_euclid(2), total - total.div_euclid(2));
            (windows.before[d], windows.after[d]) = match auto.as_str() {
                "SAME_UPPER" => (less, rest),
                _ => (rest, less),
            };
        }
    }
    let full = match dims {
        3 => spread(x, w, &windows, group)?,
        _ => x.with(
            ["conv_transpose1d", "conv_transpose2d"][dims - 1],
            args![
                w,
                (),
                sizes(&windows.stride),
                0i64,
                0i64,
                group,
                sizes(&windows.dilation)
            ],
        )?,
    };
    let mut widths = vec![(0, 0); 2];
    for (d, &more) in more.iter().enumerate() {
        widths.push((-windows.before[d], more - windows.after[d]));
    }
    let y = with_border(&full, &widths, Scalar::Float(0.0))?;
    match c.get(2) {
        None => Ok(y),
        Some(bias) => y.add(&beside(bias, dims + 2, 1)?),
    }
}

/// A transposed convolution without padding as a convolution: zeros between the elements of the input, the weight turned
/// round (Dumoulin and Visin 2016, section 4).
fn spread(x: &Tensor, w: &Tensor, windows: &Windows, group: i64) -> Result<Tensor> {
    let dims = windows.dims();
    let mut x = x.clone();
    for d in 0..dims {
        let (at, stride) = (d + 2, windows.stride[d] as i64);
        if stride == 1 || x.shape()[at] == 0 {
            continue;
        }
        let n = x.shape()[at] as i64;
        let mut shape = sizes(&x.shape());
        let wide = x.unsqueeze(at as i64 + 1)?;
        let mut widths = vec![(0, 0); dims + 3];
        widths[at + 1] = (0, stride - 1);
        shape[at] = n * stride;
        x = with_border(&wide, &widths, Scalar::Float(0.0))?
            .reshape(&shape)?
            .narrow(at, 0, (n * stride - (stride - 1)) as usize)?;
    }
    // [C, M / group, …] to [M, C / group, …].
    let shape = w.shape();
    let groups = usize::try_from(group)
        .ok()
        .filter(|&g| g > 0 && shape[0].is_multiple_of(g));
    let groups = groups.ok_or_else(|| {
        Error::value(format!(
            "{} input channels do not divide into {group} groups",
            shape[0]
        ))
    })?;
    let (inputs, outputs) = (shape[0] / groups, shape[1]);
    let mut split = vec![groups, inputs, outputs];
    split.extend_from_slice(&shape[2..]);
    let mut turned = vec![groups * outputs, inputs];
    turned.extend_from_slice(&shape[2..]);
    let spatial: Vec<i64> = (2..shape.len() as i64).collect();
    let w = (w.shaped(&split)?.transpose(1, 2)?)
        .shaped(&turned)?
        .with("flip", args![spatial])?;
    let sides: Vec<i64> = (0..dims).map(|d| windows.extent(d) as i64 - 1).collect();
    let both: Vec<i64> = sides.iter().chain(&sides).copied().collect();
    x.with(
        conv_name(dims),
        args![w, (), 1i64, both, sizes(&windows.dilation), group],
    )
}

/// Patches added up to an image.
fn col2im(c: &Call) -> Result<Tensor> {
    let (x, image, block) = (c.x(0)?, integers(c.x(1)?)?, integers(c.x(2)?)?);
    let dims = image.len();
    let shape = x.shape();
    let product = |list: &[i64]| list.iter().try_fold(1i64, |a, &b| a.checked_mul(b));
    let patch = product(&block).and_then(|n| usize::try_from(n).ok());
    let (Some(patch @ 1..), &[n, channels, length]) = (patch, &shape[..]) else {
        return Err(Error::value(format!(
            "an input of shape {} and blocks of {block:?} came; expected [N, C · block, L] and positive sizes",
            glowgrad::shape::show(&shape)
        )));
    };
    if !(1..=3).contains(&dims) || block.len() != dims || channels % patch != 0 {
        return Err(Error::value(format!(
            "an image of {image:?}, blocks of {block:?} and {channels} channels do not fit; expected as many sizes of both and channels that the block divides"
        )));
    }
    let (stride, dilation) = (
        positive(c, "strides", dims)?,
        positive(c, "dilations", dims)?,
    );
    let (before, after) = pads(c, dims)?;
    let mut counts = Vec::new();
    let mut padded = Vec::new();
    for d in 0..dims {
        let whole = image[d].saturating_add(before[d] + after[d]);
        let extent = (dilation[d] as i64).saturating_mul(block[d] - 1) + 1;
        counts.push((whole - extent).div_euclid(stride[d] as i64) + 1);
        padded.push(glowgrad::shape::size("Col2Im", whole)?);
    }
    if counts.iter().any(|&n| n < 1) || product(&counts) != Some(length as i64) {
        return Err(Error::value(format!(
            "{length} patches came; the image takes {counts:?} of them"
        )));
    }
    // Each offset in a block writes a grid of places; the places of all are added up at once.
    let area: usize = padded.iter().product();
    let left = channels / patch;
    let places = listed(patch.saturating_mul(length), |i| {
        let (offset, at) = (digits(i / length, &block), digits(i % length, &counts));
        (0..dims).fold(0, |place, d| {
            place * padded[d] as i64 + at[d] * stride[d] as i64 + offset[d] * dilation[d] as i64
        })
    })?;
    let source = x.shaped(&[n * left, patch * length])?;
    let places = Tensor::from_i64(c.engine, &places, &[patch * length])?;
    let empty = crate::call::full(c.engine, &[n * left, area], 0.0, x.dtype())?;
    let sums = empty.with("index_add", args![1i64, places, source])?;
    let mut shape = vec![n, left];
    shape.extend_from_slice(&padded);
    let mut widths = vec![(0, 0); 2];
    widths.extend((0..dims).map(|d| (-before[d], -after[d])));
    with_border(&sums.shaped(&shape)?, &widths, Scalar::Float(0.0))
}

/// A number's digits where each place has a base of its own.
fn digits(mut n: usize, bases: &[i64]) -> Vec<i64> {
    let mut digits = vec![0; bases.len()];
    for (digit, &base) in digits.iter_mut().zip(bases).rev() {
        let base = base.max(1) as usize;
        *digit = (n % base) as i64;
        n /= base;
    }
    digits
}
