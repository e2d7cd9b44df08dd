//! Reductions along axes, and running sums.

use glowgrad::{DType, Result, Scalar, Tensor};

use super::one;
use crate::call::{Methods, args, axes, axis, full, integers};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    one("ReduceSum", 1, |c| reduce(c, sum)),
    one("ReduceMean", 1, |c| reduce(c, mean)),
    one("ReduceMax", 1, |c| {
        reduce(c, |x, along| extreme(x, along, "amax"))
    }),
    one("ReduceMin", 1, |c| {
        reduce(c, |x, along| extreme(x, along, "amin"))
    }),
    one("ReduceProd", 1, |c| reduce(c, product)),
    one("ReduceL1", 1, |c| {
        reduce(c, |x, along| sum(&x.one("abs")?, along))
    }),
    one("ReduceL2", 1, |c| {
        reduce(c, |x, along| {
            let squares = sum(&x.mul(x)?, along)?;
            match x.dtype().is_float() {
                true => squares.one("sqrt"),
                false => squares.to(DType::F64)?.one("sqrt")?.to(x.dtype()),
            }
        })
    }),
    one("ReduceSumSquare", 1, |c| {
        reduce(c, |x, along| sum(&x.mul(x)?, along))
    }),
    one("ReduceLogSum", 1, |c| {
        reduce(c, |x, along| sum(x, along)?.log()?.to(x.dtype()))
    }),
    one("ReduceLogSumExp", 1, |c| {
        reduce(c, |x, along| {
            if is_empty(x, along) {
                return lone(x, along, f64::NEG_INFINITY);
            }
            let wide = match x.dtype().is_float() {
                true => x.clone(),
                false => x.to(DType::F64)?,
            };
            wide.with("logsumexp", args![along, true])?.to(x.dtype())
        })
    }),
    one("ArgMax", 1, |c| position(c, "argmax")),
    one("ArgMin", 1, |c| position(c, "argmin")),
    one("CumSum", 11, cumsum),
];

/// Reduces along the axes of an attribute or an input; `of` keeps them with size 1.
fn reduce(c: &Call, of: impl Fn(&Tensor, &[i64]) -> Result<Tensor>) -> Result<Tensor> {
    let x = c.x(0)?;
    let given = c.list_or(1, "axes")?.unwrap_or_default();
    let rank = x.rank();
    let along = match given.is_empty() {
        true if c.flag("noop_with_empty_axes") => Vec::new(),
        true => (0..rank).collect(),
        false => axes(&given, rank)?,
    };
    let dims: Vec<i64> = along.iter().map(|&at| at as i64).collect();
    if dims.is_empty() {
        // Nothing is summed, and what is done to each element is done all the same.
        let one = of(&x.unsqueeze(0)?, &[0])?;
        return one.shaped(&x.shape());
    }
    let kept = of(x, &dims)?.to(x.dtype())?;
    if c.int_or("keepdims", 1) != 0 {
        return Ok(kept);
    }
    let shape = x.shape();
    let left: Vec<usize> = (0..rank)
        .filter(|at| !along.contains(at))
        .map(|at| shape[at])
        .collect();
    kept.shaped(&left)
}

fn is_empty(x: &Tensor, along: &[i64]) -> bool {
    let shape = x.shape();
    along.iter().any(|&at| shape[at as usize] == 0)
}

/// What a reduction over nothing gives.
fn lone(x: &Tensor, along: &[i64], value: f64) -> Result<Tensor> {
    let mut shape = x.shape();
    for &at in along {
        shape[at as usize] = 1;
    }
    full(x.engine(), &shape, value, x.dtype())
}

fn sum(x: &Tensor, along: &[i64]) -> Result<Tensor> {
    x.sum_dim(along, true)?.to(x.dtype())
}

fn mean(x: &Tensor, along: &[i64]) -> Result<Tensor> {
    if x.dtype().is_float() {
        return x.with("mean", args![along, true]);
    }
    let shape = x.shape();
    let n: usize = along.iter().map(|&at| shape[at as usize]).product();
    let total = x.sum_dim(along, true)?;
    let n = Tensor::number(x.engine(), Scalar::Int(n as i64));
    total.with("div", args![n, "trunc"])
}

fn extreme(x: &Tensor, along: &[i64], op: &'static str) -> Result<Tensor> {
    if is_empty(x, along) {
        let is_max = op == "amax";
        if x.dtype().is_float() {
            let infinity = if is_max {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            };
            return lone(x, along, infinity);
        }
        let mut shape = x.shape();
        for &at in along {
            shape[at as usize] = 1;
        }
        let value = match (x.dtype(), is_max) {
            (DType::Bool, _) => Scalar::Bool(!is_max),
            (dtype, true) => Scalar::Int(dtype.int_range().0 as i64),
            (DType::U64, false) => Scalar::UInt(u64::MAX),
            (dtype, false) => Scalar::Int(dtype.int_range().1 as i64),
        };
        return Tensor::full(x.engine(), &shape, value, x.dtype());
    }
    x.with(op, args![along, true])
}

fn product(x: &Tensor, along: &[i64]) -> Result<Tensor> {
    let mut result = x.clone();
    for &at in along {
        result = result.with("prod", args![at, true])?;
    }
    result.to(x.dtype())
}

fn position(c: &Call, op: &'static str) -> Result<Tensor> {
    let x = c.x(0)?;
    let at = axis(c.int_or("axis", 0), x.rank())? as i64;
    let keep = c.int_or("keepdims", 1) != 0;
    if !c.flag("select_last_index") {
        return x.with(op, args![at, keep]);
    }
    let n = x.shape()[at as usize] as f64;
    let turned = x.with("flip", args![[at].as_slice()])?;
    let found = turned.with(op, args![at, keep])?;
    c.whole(n as i64 - 1).sub(&found)
}

fn cumsum(c: &Call) -> Result<Tensor> {
    let x = c.x(0)?;
    let given = integers(c.x(1)?)?.first().copied().unwrap_or(0);
    let at = axis(given, x.rank())?;
    let dims = [at as i64];
    let reverse = c.flag("reverse");
    let turned = |x: &Tensor| x.with("flip", args![dims.as_slice()]);
    let mut x = match reverse {
        true => turned(x)?,
        false => x.clone(),
    };
    let dtype = x.dtype();
    if c.flag("exclusive") {
        let n = x.shape()[at];
        let first = c.full_like(&x.narrow(at, 0, n.min(1))?, 0.0)?;
        let rest = x.narrow(at, 0, n.saturating_sub(1))?;
        x = c.op("cat", args![[first, rest].as_slice(), at as i64])?;
    }
    let sums = x.with("cumsum", args![at as i64])?.to(dtype)?;
    match reverse {
        true => turned(&sums),
        false => Ok(sums),
    }
}
