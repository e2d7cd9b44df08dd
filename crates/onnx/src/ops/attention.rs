//! Attention, and the rotation of places that goes before it.
//!
//! It is written out as the specification has it, because a node may ask for the scores between.

use glowgrad::{DType, Error, Result, Tensor};

use super::elementwise::dtype;
use super::{many, one};
use crate::call::{Methods, args, full, listed, sizes};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    many("Attention", 23, attention),
    one("RotaryEmbedding", 23, rotary),
];

/// [B, T, heads · size] or [B, heads, T, size] as [B, heads, T, size].
fn by_heads(c: &Call, x: &Tensor, attribute: &str) -> Result<Tensor> {
    let shape = x.shape();
    match shape[..] {
        [_, _, _, _] => Ok(x.clone()),
        [b, t, wide] => {
            let heads = c.int(attribute).ok_or_else(|| c.lacks(attribute))?;
            let fits = |&n: &usize| n > 0 && wide % n == 0;
            let heads = usize::try_from(heads).ok().filter(fits).ok_or_else(|| {
                Error::value(format!("{wide} features do not divide into {heads} heads"))
            })?;
            x.shaped(&[b, t, heads, wide / heads])?.transpose(1, 2)
        }
        _ => Err(Error::value(format!(
            "an operand has shape {}; expected three or four dimensions",
            glowgrad::shape::show(&shape)
        ))),
    }
}

fn attention(c: &Call) -> Result<Vec<Tensor>> {
    let is_flat = c.x(0)?.rank() == 3;
    let q = by_heads(c, c.x(0)?, "q_num_heads")?;
    let k = by_heads(c, c.x(1)?, "kv_num_heads")?;
    let v = by_heads(c, c.x(2)?, "kv_num_heads")?;
    let kept = |past: usize, new: Tensor| match c.get(past) {
        Some(past) => c.op("cat", args![[past.clone(), new].as_slice(), 2i64]),
        None => Ok(new),
    };
    let (k, v) = (kept(4, k)?, kept(5, v)?);
    let (q_shape, k_shape) = (q.shape(), k.shape());
    let (steps, total) = (q_shape[2], k_shape[2]);
    let groups = q_shape[1].checked_div(k_shape[1]).unwrap_or(0);
    if groups * k_shape[1] != q_shape[1] || q_shape[0] != k_shape[0] {
        return Err(Error::value(format!(
            "queries have shape {} and keys {}; expected one batch, and heads of queries that those of keys divide",
            glowgrad::shape::show(&q_shape),
            glowgrad::shape::show(&k_shape)
        )));
    }
    let repeated = |x: &Tensor| match groups {
        1 => Ok(x.clone()),
        _ => x.with("repeat_interleave", args![groups as i64, 1i64]),
    };
    let (all_k, all_v) = (repeated(&k)?, repeated(&v)?);
    let size = q_shape[3].max(1) as f64;
    let scale = c.float("scale").unwrap_or(1.0 / size.sqrt()).sqrt();
    let scores = q
        .times(scale)?
        .matmul(&all_k.times(scale)?.transpose(2, 3)?)?;
    let mut biased = scores.clone();
    for bias in biases(c, steps, total, q.dtype())? {
        biased = biased.add(&bias)?;
    }
    let capped = match c.float_or("softcap", 0.0) {
        cap if cap > 0.0 => biased.times(1.0 / cap)?.tanh()?.times(cap)?,
        _ => biased.clone(),
    };
    let precision = dtype(c, "softmax_precision")?.unwrap_or(capped.dtype());
    let weights = capped.to(precision)?.softmax(-1)?;
    let mut y = weights.matmul(&all_v.to(precision)?)?.to(q.dtype())?;
    if is_flat {
        let shape = y.shape();
        y = y
            .transpose(1, 2)?
            .shaped(&[shape[0], shape[2], shape[1] * shape[3]])?;
    }
    let shown = match c.int_or("qk_matmul_output_mode", 0) {
        0 => scores,
        1 => biased,
        2 => capped,
        3 => weights,
        other => return Err(c.unknown("qk_matmul_output_mode", other, "0 to 3")),
    };
    Ok(vec![y, k, v, shown.to(q.dtype())?])
}

/// What is added to the scores: a mask, what comes later, what is only padding.
fn biases(c: &Call, steps: usize, total: usize, like: DType) -> Result<Vec<Tensor>> {
    let engine = c.engine;
    let zero = full(engine, &[], 0.0, like)?;
    let least = full(engine, &[], f64::NEG_INFINITY, like)?;
    let hidden = |seen: &Tensor| zero.where_(seen, &least);
    let line =
        |n: usize, shape: &[usize]| Tensor::from_i64(engine, &listed(n, |i| i as i64)?, shape);
    let mut list = Vec::new();
    if let Some(mask) = c.get(3) {
        let mask = match mask.dtype() {
            DType::Bool => hidden(mask)?,
            _ => mask.clone(),
        };
        // A mask may end before the keys do: what is beyond it is not seen.
        let mut shape = mask.shape();
        let n = shape.last().copied().unwrap_or(0);
        list.push(if n < total && !shape.is_empty() {
            let last = shape.len() - 1;
            shape[last] = total - n;
            let rest = full(engine, &shape, f64::NEG_INFINITY, mask.dtype())?;
            c.op("cat", args![[mask, rest].as_slice(), -1i64])?
        } else {
            mask
        });
    }
    if c.flag("is_causal") {
        let past = c
            .get(4)
            .map_or(0, |past| past.shape().get(2).copied().unwrap_or(0));
        let at = line(steps, &[steps, 1])?.add(&c.whole(past as i64))?;
        list.push(hidden(&line(total, &[1, total])?.pair("le", &at)?)?);
    }
    if let Some(lengths) = c.get(6) {
        let lengths = lengths.shaped(&[lengths.numel(), 1, 1, 1])?;
        let places = line(total, &[1, 1, 1, total])?;
        list.push(hidden(&places.pair("lt", &lengths)?)?);
    }
    Ok(list)
}

/// Pairs of features turned by an angle that grows with the place (Su et al. 2021).
fn rotary(c: &Call) -> Result<Tensor> {
    let x = c.x(0)?;
    let heads = by_heads(c, x, "num_heads")?;
    let shape = heads.shape();
    let size = shape[3];
    let turned = match c.int_or("rotary_embedding_dim", 0) {
        0 => size,
        n => usize::try_from(n).unwrap_or(usize::MAX),
    };
    if turned > size || !turned.is_multiple_of(2) {
        return Err(Error::value(format!(
            "{turned} of {size} features are to be turned; expected an even number of them"
        )));
    }
    let half = turned / 2;
    // [B, T, half] or, without places, the cache as it is.
    let angles = |cache: &Tensor| -> Result<Tensor> {
        let cache = match c.get(3) {
            Some(places) => {
                let flat = places.to(DType::I64)?.shaped(&[places.numel()])?;
                let mut shape = places.shape().to_vec();
                shape.push(cache.shape().last().copied().unwrap_or(0));
                cache
                    .with("index_select", args![0i64, flat])?
                    .shaped(&shape)?
            }
            None => cache.clone(),
        };
        cache.unsqueeze(1)
    };
    let (cos, sin) = (angles(c.x(1)?)?, angles(c.x(2)?)?);
    let interleaved = c.flag("interleaved");
    let part = heads.narrow(3, 0, turned)?;
    let pairs = match interleaved {
        true => part.shaped(&[shape[0], shape[1], shape[2], half, 2])?,
        false => part
            .shaped(&[shape[0], shape[1], shape[2], 2, half])?
            .transpose(3, 4)?,
    };
    let (a, b) = (pairs.select(4, 0)?, pairs.select(4, 1)?);
    let real = a.mul(&cos)?.sub(&b.mul(&sin)?)?;
    let imaginary = a.mul(&sin)?.add(&b.mul(&cos)?)?;
    let at = if interleaved { 4 } else { 3 };
    let each = [real.unsqueeze(at)?, imaginary.unsqueeze(at)?];
    let both = c.op("cat", args![each.as_slice(), at])?;
    let both = both.shaped(&[shape[0], shape[1], shape[2], turned])?;
    let rest = heads.narrow(3, turned, size - turned)?;
    let y = c.op("cat", args![[both, rest].as_slice(), 3i64])?;
    match x.rank() {
        3 => y.transpose(1, 2)?.reshape(&sizes(&x.shape())),
        _ => Ok(y),
    }
}
