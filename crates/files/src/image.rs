//! Pictures in PNG and JPEG as uint8, and PNG written.
//!
//! PNG by the crate `png`, JPEG by `zune-jpeg`, both without other decoders; `image` would bring the same `png` and more
//! traits. Invariant: width × height × channels is compared with a [`Limit`] after the header and before anything is
//! allocated, since a few bytes of a picture may rightly say thousands of pixels. A picture that ends early is refused,
//! not filled with grey. Palettes are resolved and 16 bits become 8; alpha stays. Of JPEG come one channel or three:
//! YCbCr, CMYK and YCCK become RGB. Colour profiles and orientation are not applied.
//!
//! ```
//! use glowgrad_files::image::{self, Layout};
//! use glowgrad_files::Array;
//! use glowgrad_tensor::DType;
//!
//! # fn main() -> glowgrad_files::Result<()> {
//! let pixels = Array::new(DType::U8, vec![1, 2, 3], vec![255, 0, 0, 0, 0, 255])?;
//! let file = image::write_png(&pixels, Layout::Hwc)?;
//! assert_eq!(image::read(&file, Layout::Hwc)?, pixels);
//! assert_eq!(image::read(&file, Layout::Chw)?.shape(), [3, 1, 2]);
//! # Ok(())
//! # }
//! ```

use std::borrow::Cow;
use std::io::Cursor;

use glowgrad_tensor::DType;
use png::{BitDepth, ColorType, Transformations};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::limit::Limit;
use crate::{Array, Error, Kind, Result, strided};

/// The order of an image's dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// [channels, height, width], as layers of networks take it.
    Chw,
    /// [height, width, channels], as files have it.
    Hwc,
}

/// The picture in the bytes of a PNG or JPEG file: uint8, with 1 channel (grey), 2 (grey and alpha), 3 (RGB) or
/// 4 (RGB and alpha), as the file has them.
///
/// # Errors
/// When the file is damaged or neither PNG nor JPEG, or its pixels take more than [`Limit::of`] the file.
pub fn read(bytes: &[u8], layout: Layout) -> Result<Array<'static>> {
    read_within(bytes, layout, Limit::of(bytes))
}

/// The same within another limit.
///
/// # Errors
/// As [`read`].
pub fn read_within(bytes: &[u8], layout: Layout, limit: Limit) -> Result<Array<'static>> {
    let (shape, pixels) = match Kind::of(bytes) {
        Some(Kind::Png) => read_png(bytes, limit),
        Some(Kind::Jpeg) => read_jpeg(bytes, limit),
        _ => Err(refuse(format!(
            "these {} bytes begin neither a PNG nor a JPEG; convert the picture to one of them",
            bytes.len()
        ))),
    }?;
    let [height, width, channels] = shape;
    match layout {
        Layout::Hwc => Array::new(DType::U8, shape.to_vec(), pixels),
        Layout::Chw => {
            let shape = [channels, height, width];
            let planes = strided::row_major(&pixels, 1, &shape, &[1, width * channels, channels]);
            Array::new(DType::U8, shape.to_vec(), planes)
        }
    }
}

/// The bytes of a PNG file with this picture: uint8 of 1 to 4 channels, in this layout.
///
/// # Errors
/// For another dtype, another number of dimensions or channels, and a side of 0 or of 2³¹ or more.
pub fn write_png(array: &Array<'_>, layout: Layout) -> Result<Vec<u8>> {
    let wrong = || {
        refuse(format!(
            "a picture is uint8 of shape {} with 1 to 4 channels and sides from 1 to 2**31 - 1, and the array is {} of shape {:?}; convert it first",
            match layout {
                Layout::Chw => "[C, H, W]",
                Layout::Hwc => "[H, W, C]",
            },
            array.dtype().name(),
            array.shape()
        ))
    };
    let (&[a, b, c], DType::U8) = (array.shape(), array.dtype()) else {
        return Err(wrong());
    };
    let (channels, height, width) = match layout {
        Layout::Chw => (a, b, c),
        Layout::Hwc => (c, a, b),
    };
    let color = match channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        4 => ColorType::Rgba,
        _ => return Err(wrong()),
    };
    let side = |n: usize| u32::try_from(n).ok().filter(|n| (1..1 << 31).contains(n));
    let (Some(columns), Some(rows)) = (side(width), side(height)) else {
        return Err(wrong());
    };
    let pixels = match layout {
        Layout::Hwc => Cow::Borrowed(array.bytes()),
        Layout::Chw => {
            let shape = [height, width, channels];
            let strides = [width, 1, height * width];
            Cow::Owned(strided::row_major(array.bytes(), 1, &shape, &strides))
        }
    };
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, columns, rows);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&pixels)?;
        writer.finish()
    });
    written.map_err(|error| refuse(format!("the PNG cannot be written: {error}")))?;
    Ok(file)
}

fn refuse(what: String) -> Error {
    Error::new(format!("image: {what}"))
}

/// Compares what a picture of this size is allocated for with the limit.
fn check(
    limit: Limit,
    format: &str,
    (width, height): (usize, usize),
    allocated: (usize, usize),
    channels: usize,
) -> Result<()> {
    let size = allocated.0.checked_mul(allocated.1);
    let size = size.and_then(|n| n.checked_mul(channels));
    if size.is_some_and(|size| size <= limit.bytes()) {
        return Ok(());
    }
    Err(refuse(format!(
        "the {format} claims {width} x {height} x {channels} bytes of pixels, and the limit allows {} bytes; if you trust the file, read it with read_within and a larger Limit",
        limit.bytes()
    )))
}

fn read_png(bytes: &[u8], limit: Limit) -> Result<([usize; 3], Vec<u8>)> {
    let damaged = |error: png::DecodingError| {
        refuse(format!(
            "the PNG is damaged or cut short ({error}); fetch it again"
        ))
    };
    let limits = png::Limits {
        bytes: limit.bytes(),
    };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(Transformations::normalize_to_color8());
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let header = decoder.read_header_info().map_err(damaged)?;
    let (width, height) = (header.width as usize, header.height as usize);
    // The decoder's own line of 16-bit pixels is part of what is allocated next.
    let size = (width, height);
    check(limit, "PNG", size, size, header.color_type.samples())?;
    let mut reader = decoder.read_info().map_err(damaged)?;
    let channels = reader.output_color_type().0.samples();
    check(limit, "PNG", size, size, channels)?;
    let mut pixels = vec![0; width * height * channels];
    reader.next_frame(&mut pixels).map_err(damaged)?;
    // The rest of the file, up to its last chunk.
    reader.finish().map_err(damaged)?;
    Ok(([height, width, channels], pixels))
}

fn read_jpeg(bytes: &[u8], limit: Limit) -> Result<([usize; 3], Vec<u8>)> {
    let damaged = |error: &dyn std::fmt::Debug| {
        let error = format!("{error:?}");
        let words: Vec<&str> = error.split_whitespace().collect();
        refuse(format!(
            "the JPEG is damaged or cut short ({}); fetch it again",
            words.join(" ")
        ))
    };
    // The decoder fills what is missing with grey unless it is strict, and the last few bytes of a scan even then. No
    // marker but the end's has its code among the bytes of a scan.
    if !scans_of(bytes)
        .array_windows()
        .any(|pair| *pair == [0xff, 0xd9])
    {
        return Err(damaged(&format_args!("it has no end")));
    }
    let options = DecoderOptions::new_safe()
        .set_strict_mode(true)
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX));
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|error| damaged(&error))?;
    let (Some((width, height)), Some(space)) = (decoder.dimensions(), decoder.input_colorspace())
    else {
        return Err(damaged(&format_args!("it has no frame")));
    };
    let (channels, output) = match space {
        ColorSpace::Luma => (1, ColorSpace::Luma),
        ColorSpace::YCbCr | ColorSpace::RGB | ColorSpace::CMYK | ColorSpace::YCCK => {
            (3, ColorSpace::RGB)
        }
        other => {
            return Err(refuse(format!(
                "the JPEG has colours of kind {other:?}, and grey, RGB, YCbCr, CMYK and YCCK are read; convert the picture"
            )));
        }
    };
    // The decoder's coefficients are those of whole blocks, which are 32 wide and high at most.
    let blocks = (width.next_multiple_of(32), height.next_multiple_of(32));
    check(limit, "JPEG", (width, height), blocks, channels)?;
    decoder.set_options(options.jpeg_set_out_colorspace(output));
    let mut pixels = vec![0; width * height * channels];
    (decoder.decode_into(&mut pixels)).map_err(|error| damaged(&error))?;
    Ok(([height, width, channels], pixels))
}

/// The bytes from the first scan on: segments before it, which may hold a small JPEG, are passed over by their lengths.
fn scans_of(jpeg: &[u8]) -> &[u8] {
    const START_OF_SCAN: u8 = 0xda;
    let mut rest = jpeg.get(2..).unwrap_or_default();
    while let [0xff, marker, length @ ..] = rest {
        rest = match (marker, length.first_chunk()) {
            (&START_OF_SCAN, _) => return length,
            // Filling before a marker.
            (0xff, _) => &rest[1..],
            (_, Some(&size)) => length
                .get(u16::from_be_bytes(size).into()..)
                .unwrap_or_default(),
            (_, None) => &[],
        };
    }
    rest
}
