//! Elements by index.
//!
//! ONNX counts negative indices from the end; the engine's ops of dimensions do not, so indices are wrapped first.

use glowgrad::{DType, Error, Result, Tensor};

use super::one;
use crate::call::{Methods, args, axis, integers, listed};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    one("Gather", 1, gather),
    one("GatherElements", 11, |c| {
        let x = c.x(0)?;
        let at = axis(c.int_or("axis", 0), x.rank())?;
        let index = wrapped(c.x(1)?, x.shape()[at])?;
        x.with("gather", args![at as i64, index])
    }),
    one("GatherND", 11, gather_nd),
    one("OneHot", 9, one_hot),
    one("NonZero", 9, |c| c.x(0)?.one("nonzero")?.transpose(0, 1)),
    one("Compress", 9, compress),
];

/// Indices of a dimension of size `n` as int64, negative ones counted from the end.
pub(super) fn wrapped(index: &Tensor, n: usize) -> Result<Tensor> {
    let index = index.to(DType::I64)?;
    let zero = Tensor::number(index.engine(), glowgrad::Scalar::Int(0));
    let n = Tensor::number(index.engine(), glowgrad::Scalar::Int(n as i64));
    index.add(&n)?.where_(&index.pair("lt", &zero)?, &index)
}

fn gather(c: &Call) -> Result<Tensor> {
    let (x, index) = (c.x(0)?, c.x(1)?);
    let shape = x.shape();
    let at = axis(c.int_or("axis", 0), shape.len())?;
    let n = index.numel();
    let flat = wrapped(&index.shaped(&[n])?, shape[at])?;
    let taken = x.with("index_select", args![at as i64, flat])?;
    let mut result = shape[..at].to_vec();
    result.extend_from_slice(&index.shape());
    result.extend_from_slice(&shape[at + 1..]);
    taken.shaped(&result)
}

/// Rows of a matrix that index tuples name: the numbers of the rows, and how many rows there are and how long each is.
pub(super) struct Rows {
    pub(super) places: Tensor,
    pub(super) n_rows: usize,
    pub(super) row_len: usize,
}

/// What the last dimension of `indices` chooses from `x` after `batch` shared dimensions.
pub(super) fn rows_of(x: &Tensor, indices: &Tensor, batch: usize) -> Result<Rows> {
    let (shape, given) = (x.shape(), indices.shape());
    let width = given.last().copied().unwrap_or(0);
    let fits = !given.is_empty()
        && batch < given.len()
        && batch + width <= shape.len()
        && shape[..batch] == given[..batch];
    if !fits {
        return Err(Error::value(format!(
            "indices of shape {} do not fit an input of shape {} with {batch} shared dimensions; expected a last dimension of at most the input's others",
            glowgrad::shape::show(&given),
            glowgrad::shape::show(&shape)
        )));
    }
    let engine = x.engine();
    let last = given.len() - 1;
    let n: usize = given[..last].iter().product();
    let tuples = indices.to(DType::I64)?.shaped(&[n, width])?;
    let chosen = &shape[batch..batch + width];
    let batches: usize = shape[..batch].iter().product();
    let per_batch: usize = chosen.iter().product();
    let number = |i: usize| Tensor::number(engine, glowgrad::Scalar::Int(i as i64));
    let each = n.checked_div(batches).unwrap_or(0);
    let of_batch = listed(n, |i| (i / each.max(1) * per_batch) as i64)?;
    let mut places = Tensor::from_i64(engine, &of_batch, &[n])?;
    let mut stride = per_batch;
    for (i, &size) in chosen.iter().enumerate() {
        stride = stride.checked_div(size).unwrap_or(0);
        let index = wrapped(&tuples.select(1, i as i64)?, size)?;
        // An index out of range in one dimension must not land in another row.
        let outside = index
            .pair("lt", &number(0))?
            .pair("logical_or", &index.pair("ge", &number(size))?)?;
        if n > 0 && outside.one("any")?.item()?.as_f64() != 0.0 {
            return Err(Error::index(format!(
                "an index is out of range for dimension {} of size {size}",
                batch + i
            )));
        }
        places = places.add(&index.mul(&number(stride))?)?;
    }
    Ok(Rows {
        places,
        n_rows: batches * per_batch,
        row_len: shape[batch + width..].iter().product(),
    })
}

fn gather_nd(c: &Call) -> Result<Tensor> {
    let (x, indices) = (c.x(0)?, c.x(1)?);
    let batch = usize::try_from(c.int_or("batch_dims", 0)).unwrap_or(usize::MAX >> 1);
    let rows = rows_of(x, indices, batch)?;
    let given = indices.shape();
    let (width, lead) = (given[given.len() - 1], &given[..given.len() - 1]);
    let flat = x.shaped(&[rows.n_rows, rows.row_len])?;
    let taken = flat.with("index_select", args![0i64, rows.places])?;
    let mut shape = lead.to_vec();
    shape.extend_from_slice(&x.shape()[batch + width..]);
    taken.shaped(&shape)
}

fn one_hot(c: &Call) -> Result<Tensor> {
    let (index, values) = (c.x(0)?, c.x(2)?);
    let depth = integers(c.x(1)?)?.first().copied().unwrap_or(0);
    let n = glowgrad::shape::size("OneHot", depth)?;
    let rank = index.rank() + 1;
    let at = axis(c.int_or("axis", -1), rank)?;
    let index = wrapped(index, n)?.unsqueeze(at as i64)?;
    let mut line = vec![1; rank];
    line[at] = n;
    let classes = listed(n, |i| i as i64)?;
    let hot = Tensor::from_i64(c.engine, &classes, &line)?.eq(&index)?;
    values.select(0, 1)?.where_(&hot, &values.select(0, 0)?)
}

fn compress(c: &Call) -> Result<Tensor> {
    let (x, kept) = (c.x(0)?, integers(c.x(1)?)?);
    let places: Vec<i64> = (0i64..)
        .zip(&kept)
        .filter(|(_, keep)| **keep != 0)
        .map(|(i, _)| i)
        .collect();
    let places = Tensor::from_i64(c.engine, &places, &[places.len()])?;
    let (x, at) = match c.int("axis") {
        Some(at) => (x.clone(), at),
        None => (x.shaped(&[x.numel()])?, 0),
    };
    x.with("index_select", args![at, places])
}
