//! Pictures as inputs: PNG or JPEG to `[1, C, H, W]`.
//!
//! Grey or RGB as C asks (the grey of RGB is 0.299 R + 0.587 G + 0.114 B, alpha is left out, both as PIL's `convert`), then
//! H × W by a bilinear filter that averages where it shrinks, as PIL's and torchvision's `resize`; then 0 to 1, less the
//! mean and by the standard deviation where the server was given them. A model of uint8 gets 0 to 255 and nothing else.

use std::borrow::Cow;

use axum::http::StatusCode;
use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::{U8, U8x3};
use fast_image_resize::{FilterType, PixelTrait, ResizeAlg, ResizeOptions, Resizer};
use glowgrad::DType;
use glowgrad_files::Array;
use glowgrad_files::image::{Layout, read as decode};

use crate::Problem;
use crate::model::{Size, Value};

/// What is taken off the pixels, which are 0 to 1, and what they are divided by then: a number for each channel, or one.
///
/// ```
/// let scale = glowgrad_serve::Picture { mean: vec![0.1307], std: vec![0.3081] };
/// assert!(scale.check(1).is_ok());
/// assert!(glowgrad_serve::Picture { std: vec![0.0], ..scale }.check(1).is_err());
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Picture {
    /// Taken off first; nothing if empty.
    pub mean: Vec<f32>,
    /// What the rest is divided by; nothing if empty.
    pub std: Vec<f32>,
}

impl Picture {
    /// Whether the numbers fit so many channels.
    ///
    /// # Errors
    /// A sentence for another count, and for a standard deviation that divides by nothing.
    pub fn check(&self, n_channels: usize) -> Result<(), String> {
        for (name, numbers) in [("--mean", &self.mean), ("--std", &self.std)] {
            if ![0, 1, n_channels].contains(&numbers.len()) {
                return Err(format!(
                    "{name} has {} numbers, and the model's pictures have {n_channels} channels; give one number or {n_channels}",
                    numbers.len()
                ));
            }
            if numbers.iter().any(|x| !x.is_finite()) {
                return Err(format!("{name} has a number that is not finite"));
            }
        }
        match self.std.iter().any(|&x| x <= 0.0) {
            true => Err("--std has a number that is not above 0".to_owned()),
            false => Ok(()),
        }
    }
}

/// The channels, height and width of pictures that an input takes; height and width may be open.
pub(crate) fn picture(input: &Value) -> Option<(usize, Option<usize>, Option<usize>)> {
    let [n, Size::Fixed(c @ (1 | 3)), height, width] = input.shape.as_deref()? else {
        return None;
    };
    let takes = input.dtype.is_none_or(|d| d.is_float() || d == DType::U8);
    let one = !matches!(n, Size::Fixed(n) if *n != 1);
    let fixed = |size: &Size| match size {
        Size::Fixed(n) => Some(*n),
        _ => None,
    };
    (takes && one).then(|| (*c, fixed(height), fixed(width)))
}

/// The picture of a file as an input.
pub(super) fn read(body: &[u8], input: &Value, scale: &Picture) -> Result<Array<'static>, Problem> {
    let unread = |error: String| {
        let remedy = "send a whole PNG or JPEG file as the body";
        Problem::new(StatusCode::BAD_REQUEST, error, remedy)
    };
    let Some((n_channels, height, width)) = picture(input) else {
        return Err(unread("the model takes no pictures".to_owned()));
    };
    let file = decode(body, Layout::Hwc).map_err(|error| unread(error.to_string()))?;
    let &[h, w, file_channels] = file.shape() else {
        return Err(unread("the picture has no pixels".to_owned()));
    };
    let pixels = channels(file.bytes(), file_channels, n_channels);
    let (height, width) = (height.unwrap_or(h), width.unwrap_or(w));
    let pixels = match (h, w) == (height, width) {
        true => pixels,
        false => Cow::Owned(resized(&pixels, n_channels, (h, w), (height, width)).map_err(unread)?),
    };
    let dtype = input.dtype.unwrap_or(DType::F32);
    let mut bytes = Vec::with_capacity(pixels.len() * dtype.size());
    for channel in 0..n_channels {
        let of = |numbers: &[f32], none: f32| {
            let own = numbers.get(channel).or(numbers.first());
            own.copied().unwrap_or(none)
        };
        let (mean, std) = (of(&scale.mean, 0.0), of(&scale.std, 1.0));
        for &pixel in pixels.iter().skip(channel).step_by(n_channels) {
            let x = (f32::from(pixel) / 255.0 - mean) / std;
            match dtype {
                DType::U8 => bytes.push(pixel),
                DType::F16 => bytes.extend(half::f16::from_f32(x).to_le_bytes()),
                DType::BF16 => bytes.extend(half::bf16::from_f32(x).to_le_bytes()),
                DType::F64 => bytes.extend(f64::from(x).to_le_bytes()),
                _ => bytes.extend(x.to_le_bytes()),
            }
        }
    }
    Array::new(dtype, vec![1, n_channels, height, width], bytes)
        .map_err(|error| unread(error.to_string()))
}

/// Pixels of as many channels as the model takes: 1 or 3.
fn channels(pixels: &[u8], from: usize, to: usize) -> Cow<'_, [u8]> {
    match (from, to) {
        (1, 1) | (3, 3) => Cow::Borrowed(pixels),
        (2, 1) => pixels.iter().step_by(from).copied().collect(),
        (1 | 2, _) => (pixels.iter().step_by(from))
            .flat_map(|&grey| [grey; 3])
            .collect(),
        (_, 1) => pixels.chunks_exact(from).map(grey).collect(),
        _ => (pixels.chunks_exact(from))
            .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])
            .collect(),
    }
}

/// As PIL rounds it: weights of 16 bits.
fn grey(pixel: &[u8]) -> u8 {
    let [r, g, b] = [0, 1, 2].map(|i| u32::from(pixel[i]));
    ((r * 19595 + g * 38470 + b * 7471 + 0x8000) >> 16) as u8
}

fn resized(
    pixels: &[u8],
    n_channels: usize,
    from: (usize, usize),
    to: (usize, usize),
) -> Result<Vec<u8>, String> {
    match n_channels {
        1 => resized_as::<U8>(pixels, from, to),
        _ => resized_as::<U8x3>(pixels, from, to),
    }
}

/// By the kind of a pixel: the library's own choice among its seventeen kinds takes a minute to compile.
fn resized_as<P: PixelTrait>(
    pixels: &[u8],
    (h, w): (usize, usize),
    (height, width): (usize, usize),
) -> Result<Vec<u8>, String> {
    let side = |n: usize| u32::try_from(n).map_err(|_| format!("a side of {n} pixels"));
    let source = TypedImageRef::<P>::from_buffer(side(w)?, side(h)?, pixels);
    let source = source.map_err(|error| error.to_string())?;
    let mut bytes = vec![0; height * width * P::size()];
    let target = TypedImage::<P>::from_buffer(side(width)?, side(height)?, &mut bytes);
    let mut target = target.map_err(|error| error.to_string())?;
    let algorithm = ResizeAlg::Convolution(FilterType::Bilinear);
    let options = ResizeOptions::new().resize_alg(algorithm);
    let done = Resizer::new().resize_typed(&source, &mut target, &options);
    done.map_err(|error| error.to_string())?;
    drop(target);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_those_of_pil() {
        // Image.new("RGB", (1, 1), (200, 100, 50)).convert("L") is 124.
        assert_eq!(channels(&[200, 100, 50], 3, 1)[..], [124]);
        assert_eq!(channels(&[200, 100, 50, 0], 4, 1)[..], [124]);
        assert_eq!(channels(&[7, 255, 8, 0], 2, 3)[..], [7, 7, 7, 8, 8, 8]);
        assert_eq!(channels(&[1, 2, 3, 4], 4, 3)[..], [1, 2, 3]);
    }

    #[test]
    fn shrinking_averages() {
        let halved = resized(&[0, 100, 200, 100], 1, (2, 2), (1, 1)).unwrap();
        assert_eq!(halved, [100]);
    }
}
