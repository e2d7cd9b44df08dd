//! Tensors from nothing: constants, shapes, ranges, windows, random numbers.

use glowgrad::random::Draw;
use glowgrad::{DType, Error, Result, Scalar, Tensor};

use super::elementwise::dtype;
use super::{many, one};
use crate::call::{Methods, full, integers, listed};
use crate::graph::{Call, Row};
use glowgrad_files::tensor::{from_array, of_file};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    one("Constant", 1, constant),
    one("ConstantOfShape", 9, constant_of_shape),
    one("Shape", 1, shape),
    one("Size", 1, |c| {
        Tensor::from_i64(c.engine, &[c.x(0)?.numel() as i64], &[])
    }),
    one("Range", 11, range),
    one("EyeLike", 9, eye_like),
    one("RandomNormal", 1, |c| drawn(c, None, normal(c))),
    one("RandomNormalLike", 1, |c| drawn(c, c.get(0), normal(c))),
    one("RandomUniform", 1, |c| drawn(c, None, uniform(c))),
    one("RandomUniformLike", 1, |c| drawn(c, c.get(0), uniform(c))),
    one("Bernoulli", 15, |c| {
        let x = c.x(0)?;
        let to = dtype(c, "dtype")?.unwrap_or(x.dtype());
        x.draw_bernoulli(&mut c.engine.generator(), to)
    }),
    many("HannWindow", 17, |c| window(c, &[0.5, 0.5])),
    many("HammingWindow", 17, |c| {
        window(c, &[25.0 / 46.0, 1.0 - 25.0 / 46.0])
    }),
    many("BlackmanWindow", 17, |c| window(c, &[0.42, 0.5, 0.08])),
];

fn constant(c: &Call) -> Result<Tensor> {
    if let Some(proto) = c.proto("value") {
        return from_array(c.engine, &proto.to_array().map_err(of_file)?);
    }
    let floats = |list: &[f64], shape: &[usize]| {
        let list: Vec<f32> = list.iter().map(|&x| x as f32).collect();
        Tensor::from_f32(c.engine, &list, shape)
    };
    if let Some(x) = c.float("value_float") {
        return floats(&[x], &[]);
    }
    if let Some(list) = c.floats("value_floats") {
        return floats(&list, &[list.len()]);
    }
    if let Some(i) = c.int("value_int") {
        return Tensor::from_i64(c.engine, &[i], &[]);
    }
    if let Some(list) = c.ints("value_ints") {
        return Tensor::from_i64(c.engine, &list, &[list.len()]);
    }
    Err(Error::not_implemented(
        "the constant is text, or sparse, or missing; expected value, value_float, value_floats, value_int or value_ints",
    ))
}

/// Sizes that a model computed.
fn sizes_of(list: &[i64]) -> Result<Vec<usize>> {
    (list.iter())
        .map(|&n| glowgrad::shape::size("shape", n))
        .collect()
}

fn constant_of_shape(c: &Call) -> Result<Tensor> {
    let shape = sizes_of(&integers(c.x(0)?)?)?;
    let Some(proto) = c.proto("value") else {
        return full(c.engine, &shape, 0.0, DType::F32);
    };
    let array = proto.to_array().map_err(of_file)?;
    let value = Scalar::of_bytes(array.bytes(), array.dtype());
    let value = value.first().copied().ok_or_else(|| c.lacks("value"))?;
    Tensor::full(c.engine, &shape, value, array.dtype())
}

fn shape(c: &Call) -> Result<Tensor> {
    let shape = c.x(0)?.shape();
    let rank = shape.len() as i64;
    let at = |i: i64| (if i < 0 { i.saturating_add(rank) } else { i }).clamp(0, rank);
    let start = at(c.int_or("start", 0));
    let end = at(c.int_or("end", rank)).max(start);
    let list: Vec<i64> = (shape[start as usize..end as usize].iter())
        .map(|&n| n as i64)
        .collect();
    Tensor::from_i64(c.engine, &list, &[list.len()])
}

fn range(c: &Call) -> Result<Tensor> {
    let [start, end, step] = [c.x(0)?.item()?, c.x(1)?.item()?, c.x(2)?.item()?];
    let dtype = c.x(0)?.dtype();
    let (from, to, by) = (start.as_f64(), end.as_f64(), step.as_f64());
    if (to - from) * by < 0.0 {
        return full(c.engine, &[0], 0.0, dtype);
    }
    Tensor::arange(c.engine, start, end, step, Some(dtype))
}

fn eye_like(c: &Call) -> Result<Tensor> {
    let x = c.x(0)?;
    let &[rows, columns] = &x.shape()[..] else {
        return Err(Error::value(format!(
            "the input has {} dimensions; expected a matrix",
            x.rank()
        )));
    };
    let to = dtype(c, "dtype")?.unwrap_or(x.dtype());
    let k = c.int_or("k", 0);
    let number =
        |n: usize, shape: &[usize]| Tensor::from_i64(c.engine, &listed(n, |i| i as i64)?, shape);
    let down = number(rows, &[rows, 1])?;
    let across = number(columns, &[1, columns])?;
    across.sub(&down)?.eq(&c.whole(k))?.to(to)
}

fn normal(c: &Call) -> Draw {
    Draw::Normal {
        mean: c.float_or("mean", 0.0),
        std: c.float_or("scale", 1.0),
    }
}

fn uniform(c: &Call) -> Draw {
    Draw::Uniform {
        from: c.float_or("low", 0.0),
        to: c.float_or("high", 1.0),
    }
}

/// Random numbers from the engine's generator: a model's own seed is not followed.
fn drawn(c: &Call, like: Option<&Tensor>, draw: Draw) -> Result<Tensor> {
    let shape = match like {
        Some(x) => x.shape().to_vec(),
        None => sizes_of(&c.ints("shape").ok_or_else(|| c.lacks("shape"))?)?,
    };
    let default = like.map_or(DType::F32, Tensor::dtype);
    let to = dtype(c, "dtype")?.unwrap_or(default);
    Tensor::draw(c.engine, &mut c.engine.generator(), draw, &shape, to)
}

/// Σ ± weightₖ · cos(2 π k i / n)
fn window(c: &Call, weights: &[f64]) -> Result<Vec<Tensor>> {
    let size = integers(c.x(0)?)?.first().copied().unwrap_or(0);
    let n = glowgrad::shape::size(&c.node.op, size)?;
    let periodic = c.int_or("periodic", 1) != 0;
    let over = if periodic { n } else { n.saturating_sub(1) }.max(1) as f64;
    let at = |i: usize| -> f64 {
        let angle = 2.0 * std::f64::consts::PI * i as f64 / over;
        let terms = weights.iter().enumerate().map(|(k, weight)| {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            sign * weight * (k as f64 * angle).cos()
        });
        terms.sum()
    };
    let values = listed(n, at)?;
    let to = dtype(c, "output_datatype")?.unwrap_or(DType::F32);
    Ok(vec![Tensor::from_f64(c.engine, &values, &[n])?.to(to)?])
}
