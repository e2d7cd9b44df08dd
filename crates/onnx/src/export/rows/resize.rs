//! Images in other sizes.

use glowgrad::DType;
use glowgrad::op::Attr;

use super::{Row, row};
use crate::export::call::{Call, Outcome, Result1, sizes};

pub(super) static ROWS: &[Row] = &[row("upsample", upsample)];

/// What has a factor of its own, or rounds to the nearest element between two, is written by the elements it takes: so
/// that no rounding of a runtime takes another one.
fn upsample(c: &mut Call) -> Result1 {
    let n = c.shape(0).len();
    let dims = n - 2;
    let has_factor = (3..6).any(|i| *c.attr(i) != Attr::None);
    let whole = (2..n).all(|d| c.node.shape[d].is_multiple_of(c.shape(0)[d]));
    let (mode, corners) = (c.attr(1).as_str(), c.attr(2).as_bool());
    let (onnx, place) = match mode {
        "nearest" if whole => ("nearest", "asymmetric"),
        "linear" | "bilinear" if corners => ("linear", "align_corners"),
        "linear" | "bilinear" => ("linear", "half_pixel"),
        _ => return Ok(Outcome::Lower),
    };
    if has_factor || c.node.dtype != DType::F32 || dims > 2 {
        return Ok(Outcome::Lower);
    }
    let x = c.x(0)?;
    let shape = sizes(&c.node.shape);
    let shape = c.ints(&shape);
    let resize = c.make("Resize").on(&[x]).or_none(None).or_none(None);
    let resize = resize.on(&[shape]).text("mode", onnx);
    let resize = resize.text("coordinate_transformation_mode", place);
    let resize = match onnx {
        "nearest" => resize.text("nearest_mode", "floor"),
        _ => resize,
    };
    Ok(resize.one(DType::F32).into())
}
