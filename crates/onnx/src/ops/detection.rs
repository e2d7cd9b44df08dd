//! Boxes: `NonMaxSuppression`.
//!
//! Boxes and scores are read, for what is kept depends on them one by one.

use glowgrad::{Error, Result, Tensor};

use super::one;
use crate::call::integers;
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[one("NonMaxSuppression", 10, suppress)];

/// Two opposite corners.
type Box = [f64; 4];

/// The first number of an optional input.
fn number(c: &Call, i: usize, default: f64) -> Result<f64> {
    match c.get(i) {
        Some(x) => Ok(x.to_f64()?.first().copied().unwrap_or(default)),
        None => Ok(default),
    }
}

/// Of boxes that overlap, the one with the best score stays.
fn suppress(c: &Call) -> Result<Tensor> {
    let (boxes, scores) = (c.x(0)?, c.x(1)?);
    let (box_shape, score_shape) = (boxes.shape(), scores.shape());
    let (&[batches, n, 4], &[b, classes, m]) = (&box_shape[..], &score_shape[..]) else {
        return Err(Error::value(format!(
            "boxes of shape {} and scores of shape {} came; expected [N, boxes, 4] and [N, classes, boxes]",
            glowgrad::shape::show(&box_shape),
            glowgrad::shape::show(&score_shape)
        )));
    };
    if b != batches || m != n {
        return Err(Error::value(format!(
            "{batches} × {n} boxes and scores for {b} × {m} came; expected as many"
        )));
    }
    let most = match c.get(2) {
        Some(most) => integers(most)?.first().copied().unwrap_or(0),
        None => 0,
    };
    let overlap = number(c, 3, 0.0)?;
    let least = c.get(4).map(|_| number(c, 4, 0.0)).transpose()?;
    let centred = c.int_or("center_point_box", 0) != 0;
    let corners = |list: &[f64]| -> Box {
        let &[a, b, c, d] = list else { return [0.0; 4] };
        match centred {
            true => [b - d / 2.0, a - c / 2.0, b + d / 2.0, a + c / 2.0],
            false => [a.min(c), b.min(d), a.max(c), b.max(d)],
        }
    };
    let (box_list, score_list) = (boxes.to_f64()?, scores.to_f64()?);
    let all: Vec<Box> = box_list.chunks(4).map(corners).collect();
    let mut found: Vec<i64> = Vec::new();
    for batch in 0..batches {
        let here = &all[batch * n..(batch + 1) * n];
        for class in 0..classes {
            let start = (batch * classes + class) * n;
            let score = &score_list[start..start + n];
            let mut order: Vec<usize> = (0..n)
                .filter(|&i| least.is_none_or(|least| score[i] > least))
                .collect();
            order.sort_by(|&i, &j| score[j].total_cmp(&score[i]));
            let mut kept: Vec<usize> = Vec::new();
            for i in order {
                if kept.len() as i64 >= most {
                    break;
                }
                if kept.iter().all(|&k| shared(here[k], here[i]) <= overlap) {
                    kept.push(i);
                    found.extend([batch as i64, class as i64, i as i64]);
                }
            }
        }
    }
    Tensor::from_i64(c.engine, &found, &[found.len() / 3, 3])
}

/// The area of two boxes' intersection over that of their union.
fn shared(a: Box, b: Box) -> f64 {
    let area = |[y, x, end_y, end_x]: Box| (end_y - y).max(0.0) * (end_x - x).max(0.0);
    let both = area([
        a[0].max(b[0]),
        a[1].max(b[1]),
        a[2].min(b[2]),
        a[3].min(b[3]),
    ]);
    let either = area(a) + area(b) - both;
    if either > 0.0 { both / either } else { 0.0 }
}
