//! Images in other sizes: `Resize`, `Upsample`.
//!
//! Axes are resized one after another: by index where each element is one of the input's, by a matrix with a row of
//! weights for each element otherwise (ONNX's specification of Resize; Keys 1981 for cubic weights).

use glowgrad::{DType, Error, Result, Tensor};

use super::one;
use crate::call::{Methods, args, axes, listed};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    one("Upsample", 7, upsample).until(9),
    one("Resize", 10, |c| {
        let plan = ResizeOptions {
            coordinates: "asymmetric".to_owned(),
            nearest: "floor".to_owned(),
            ..ResizeOptions::of(c)
        };
        let scales = c.x(1)?.to_f64()?;
        by_scales(c.x(0)?, &plan, &scales, None)
    })
    .until(10),
    one("Resize", 11, resize),
];

/// How places of the result become places of the input.
struct ResizeOptions {
    mode: String,
    coordinates: String,
    nearest: String,
    cubic: f64,
    exclude_outside: bool,
    antialias: bool,
    /// What lies beyond the input, for `tf_crop_and_resize`.
    beyond: f64,
}

impl ResizeOptions {
    fn of(c: &Call) -> ResizeOptions {
        ResizeOptions {
            mode: c.text_or("mode", "nearest").to_owned(),
            coordinates: (c.text_or("coordinate_transformation_mode", "half_pixel")).to_owned(),
            nearest: c.text_or("nearest_mode", "round_prefer_floor").to_owned(),
            cubic: c.float_or("cubic_coeff_a", -0.75),
            exclude_outside: c.flag("exclude_outside"),
            antialias: c.flag("antialias"),
            beyond: c.float_or("extrapolation_value", 0.0),
        }
    }
}

/// One axis: its old and new size, the scale between them, the part of it that is meant.
struct Axis {
    at: usize,
    from: usize,
    to: usize,
    scale: f64,
    part: (f64, f64),
}

fn upsample(c: &Call) -> Result<Tensor> {
    let scales = match c.get(1) {
        Some(scales) => scales.to_f64()?,
        None => c.floats("scales").ok_or_else(|| c.lacks("scales"))?,
    };
    let plan = ResizeOptions {
        coordinates: "asymmetric".to_owned(),
        nearest: "floor".to_owned(),
        ..ResizeOptions::of(c)
    };
    by_scales(c.x(0)?, &plan, &scales, None)
}

fn resize(c: &Call) -> Result<Tensor> {
    let x = c.x(0)?;
    let plan = ResizeOptions::of(c);
    let rank = x.rank();
    let along = match c.ints("axes") {
        Some(list) => axes(&list, rank)?,
        None => (0..rank).collect(),
    };
    let parts = match c
        .get(1)
        .filter(|_| plan.coordinates == "tf_crop_and_resize")
    {
        Some(roi) => {
            let roi = roi.to_f64()?;
            if roi.len() != 2 * along.len() {
                return Err(Error::value(format!(
                    "the region has {} numbers; expected {}, two for each axis",
                    roi.len(),
                    2 * along.len()
                )));
            }
            let mut parts = vec![(0.0, 1.0); rank];
            for (i, &at) in along.iter().enumerate() {
                parts[at] = (roi[i], roi[along.len() + i]);
            }
            Some(parts)
        }
        None => None,
    };
    let given = |i: usize| c.get(i).filter(|t| t.numel() > 0);
    if let Some(scales) = given(2) {
        let scales = scales.to_f64()?;
        if scales.len() != along.len() {
            return Err(Error::value(format!(
                "{} scales came for {} axes; expected one for each",
                scales.len(),
                along.len()
            )));
        }
        let mut all = vec![1.0; rank];
        for (&at, &scale) in along.iter().zip(&scales) {
            all[at] = scale;
        }
        return by_scales(x, &plan, &all, parts);
    }
    let Some(sizes) = given(3) else {
        return Err(Error::value(
            "neither scales nor sizes came; expected one of them",
        ));
    };
    let sizes = crate::call::integers(sizes)?;
    if sizes.len() != along.len() {
        return Err(Error::value(format!(
            "{} sizes came for {} axes; expected one for each",
            sizes.len(),
            along.len()
        )));
    }
    let shape = x.shape();
    let factor = |(&at, &size): (&usize, &i64)| size as f64 / shape[at].max(1) as f64;
    let factors = || along.iter().zip(&sizes).map(factor);
    let shared = match c.text_or("keep_aspect_ratio_policy", "stretch") {
        "stretch" => None,
        "not_larger" => Some(factors().fold(f64::INFINITY, f64::min)),
        "not_smaller" => Some(factors().fold(0.0, f64::max)),
        other => {
            return Err(c.unknown(
                "keep_aspect_ratio_policy",
                other,
                "stretch, not_larger or not_smaller",
            ));
        }
    };
    let mut list = Vec::new();
    for (&at, &size) in along.iter().zip(&sizes) {
        let from = shape[at];
        let scale = shared.unwrap_or(size as f64 / from.max(1) as f64);
        let to = match shared {
            Some(scale) => (scale * from as f64 + 0.5) as i64,
            None => size,
        };
        list.push(Axis {
            at,
            from,
            to: glowgrad::shape::size("Resize", to)?,
            scale,
            part: parts.as_ref().map_or((0.0, 1.0), |parts| parts[at]),
        });
    }
    resized(x, &plan, &list)
}

fn by_scales(
    x: &Tensor,
    plan: &ResizeOptions,
    scales: &[f64],
    parts: Option<Vec<(f64, f64)>>,
) -> Result<Tensor> {
    let shape = x.shape();
    let fits = scales.len() == shape.len() && scales.iter().all(|s| s.is_finite() && *s > 0.0);
    if !fits {
        return Err(Error::value(format!(
            "the scales are {scales:?} for an input of shape {}; expected a positive number for each dimension",
            glowgrad::shape::show(&shape)
        )));
    }
    let mut list = Vec::new();
    for (at, &scale) in scales.iter().enumerate() {
        let (from, part) = (
            shape[at],
            parts.as_ref().map_or((0.0, 1.0), |parts| parts[at]),
        );
        list.push(Axis {
            at,
            from,
            to: glowgrad::shape::size("Resize", (scale * from as f64) as i64)?,
            scale,
            part,
        });
    }
    resized(x, plan, &list)
}

fn resized(x: &Tensor, plan: &ResizeOptions, list: &[Axis]) -> Result<Tensor> {
    let mut y = x.clone();
    for axis in list {
        if axis.from == axis.to && axis.scale == 1.0 && axis.part == (0.0, 1.0) {
            continue;
        }
        if axis.from == 0 {
            return Err(Error::value(format!(
                "axis {} is empty and cannot be resized",
                axis.at
            )));
        }
        y = along(&y, plan, axis)?;
    }
    y.to(x.dtype())
}

fn along(x: &Tensor, plan: &ResizeOptions, axis: &Axis) -> Result<Tensor> {
    let n = axis.from;
    let crops = plan.coordinates == "tf_crop_and_resize";
    let places = listed(axis.to, |i| plan.place(axis, i as f64))?;
    let places = places.into_iter().collect::<Result<Vec<f64>>>()?;
    let is_outside = |place: f64| crops && !(0.0..=(n - 1) as f64).contains(&place);
    let any_outside = places.iter().any(|&place| is_outside(place));
    if plan.mode == "nearest" && !any_outside {
        let nearest: Result<Vec<i64>> = (places.iter())
            .map(|&place| Ok(plan.nearest(place)?.clamp(0, n as i64 - 1)))
            .collect();
        let nearest = Tensor::from_i64(x.engine(), &nearest?, &[axis.to])?;
        return x.with("index_select", args![axis.at as i64, nearest]);
    }
    let mut weights = listed(axis.to.saturating_mul(n), |_| 0.0)?;
    let mut beyond = vec![0.0; axis.to];
    for (i, &place) in places.iter().enumerate() {
        if is_outside(place) {
            beyond[i] = plan.beyond;
            continue;
        }
        let row = &mut weights[i * n..(i + 1) * n];
        for (at, weight) in plan.weights(place, axis)? {
            let inside = (0..n as i64).contains(&at);
            if inside || !plan.exclude_outside {
                row[at.clamp(0, n as i64 - 1) as usize] += weight;
            }
        }
        let total: f64 = row.iter().sum();
        if plan.exclude_outside && total != 0.0 {
            row.iter_mut().for_each(|weight| *weight /= total);
        }
    }
    let engine = x.engine();
    let dtype = match x.dtype() {
        DType::F64 => DType::F64,
        _ => DType::F32,
    };
    let weights = Tensor::from_f64(engine, &weights, &[axis.to, n])?.to(dtype)?;
    let last = x.rank() as i64 - 1;
    let moved = x.to(dtype)?.transpose(axis.at as i64, last)?;
    let mut y = moved.matmul(&weights.transpose(0, 1)?)?;
    if any_outside {
        y = y.add(&Tensor::from_f64(engine, &beyond, &[axis.to])?.to(dtype)?)?;
    }
    y.transpose(axis.at as i64, last)
}

impl ResizeOptions {
    /// Where an element of the result lies in the input.
    fn place(&self, axis: &Axis, i: f64) -> Result<f64> {
        let (from, scale) = (axis.from as f64, axis.scale);
        let wanted = scale * from;
        let half = (i + 0.5) / scale - 0.5;
        Ok(match self.coordinates.as_str() {
            "half_pixel" => half,
            "asymmetric" => i / scale,
            "align_corners" if wanted == 1.0 => 0.0,
            "align_corners" => i * (from - 1.0) / (wanted - 1.0),
            "pytorch_half_pixel" if wanted == 1.0 => -0.5,
            "pytorch_half_pixel" => half,
            "half_pixel_symmetric" => from / 2.0 * (1.0 - axis.to as f64 / wanted) + half,
            "tf_crop_and_resize" => {
                let (start, end) = axis.part;
                let within = match wanted == 1.0 {
                    true => (end - start) * (from - 1.0) / 2.0,
                    false => i * (end - start) * (from - 1.0) / (wanted - 1.0),
                };
                within + start * (from - 1.0)
            }
            other => {
                return Err(Error::not_implemented(format!(
                    "coordinate_transformation_mode {other:?} is not supported; expected one of half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners, asymmetric, tf_crop_and_resize"
                )));
            }
        })
    }

    fn nearest(&self, place: f64) -> Result<i64> {
        Ok(match self.nearest.as_str() {
            "round_prefer_floor" => (place - 0.5).ceil(),
            "round_prefer_ceil" => (place + 0.5).floor(),
            "floor" => place.floor(),
            "ceil" => place.ceil(),
            other => {
                return Err(Error::not_implemented(format!(
                    "nearest_mode {other:?} is not supported; expected round_prefer_floor, round_prefer_ceil, floor or ceil"
                )));
            }
        } as i64)
    }

    /// Elements around a place with their weights.
    fn weights(&self, place: f64, axis: &Axis) -> Result<Vec<(i64, f64)>> {
        // Towards smaller images, weights reach as much further.
        let stretch = if self.antialias {
            axis.scale.min(1.0)
        } else {
            1.0
        };
        let reach = match self.mode.as_str() {
            "nearest" => return Ok(vec![(self.nearest(place)?, 1.0)]),
            "linear" => 1.0,
            "cubic" => 2.0,
            other => {
                return Err(Error::not_implemented(format!(
                    "the mode {other:?} is not supported; expected nearest, linear or cubic"
                )));
            }
        } / stretch;
        let weight = |distance: f64| {
            let d = distance.abs() * stretch;
            match self.mode == "linear" {
                true => (1.0 - d).max(0.0),
                false => cubic(d, self.cubic),
            }
        };
        let first = (place - reach).floor() as i64 + 1;
        let last = ((place + reach).ceil() as i64 - 1).min(first.saturating_add(1 << 24));
        let mut list: Vec<(i64, f64)> = (first..=last)
            .map(|at| (at, weight(place - at as f64)))
            .collect();
        if self.antialias {
            let total: f64 = list.iter().map(|(_, weight)| weight).sum();
            if total != 0.0 {
                list.iter_mut().for_each(|(_, weight)| *weight /= total);
            }
        }
        Ok(list)
    }
}

/// Keys' kernel at a distance.
fn cubic(d: f64, a: f64) -> f64 {
    if d <= 1.0 {
        ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0
    } else if d < 2.0 {
        ((a * d - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a
    } else {
        0.0
    }
}
