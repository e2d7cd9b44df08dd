//! How often values occur: `bincount`, `histc`.
//!
//! How many results `bincount` has depends on the data, and so does the range of `histc`: such a call computes its
//! operand first.

use smallvec::smallvec;

use crate::dtype::{DType, Scalar};
use crate::graph::Operand;
use crate::op::ParamKind::{Float, Int, Tensor};
use crate::op::{Attr, Attrs, Kind, Meta, Op, Out, Vjp, example, optional, param, samples};
use crate::ops::BASE;
use crate::{Error, Result, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&BINCOUNT, &HISTC];

/// `minlength` as the number of results.
fn bincount_attrs(x: &Operand, attrs: Attrs) -> Result<Attrs> {
    let asked = attrs[0].as_int();
    if asked < 0 {
        return Err(Error::runtime(format!(
            "bincount: minlength should be >= 0, got {asked}"
        )));
    }
    // What is refused in any case need not be read.
    if !x.dtype().is_int() || x.shape().len() != 1 {
        return Ok(attrs);
    }
    let values = x.to_scalars()?;
    if let Some(negative) = values.iter().map(|v| v.as_f64()).find(|&v| v < 0.0) {
        return Err(Error::runtime(format!(
            "bincount only supports 1-d non-negative integral inputs, got {negative}"
        )));
    }
    let largest = values.iter().map(|v| v.as_i64()).max();
    let length = largest.map_or(0, |largest| largest.saturating_add(1));
    Ok(smallvec![Attr::Int(length.max(asked))])
}

/// How often each number occurs.
pub static BINCOUNT: Op = Op {
    name: "bincount",
    prepare: Some(|_, src, attrs| {
        *attrs = bincount_attrs(&src[0], std::mem::take(attrs))?;
        Ok(())
    }),
    symbol: "count",
    formula: "y[i] = how many a are i",
    doc: "How often each non-negative integer occurs, or the sum of its weights.",
    params: &[
        param("input", Tensor),
        optional("weights", Tensor, Attr::None),
        optional("minlength", Int, Attr::Int(0)),
    ],
    infer: |op, src, attrs| {
        let x = &src[0];
        if !x.dtype.is_int() {
            return Err(Error::not_implemented(format!(
                "bincount: expected integers, got {}; convert the tensor with .long()",
                x.dtype
            )));
        }
        if x.shape.len() != 1 {
            return Err(Error::runtime(format!(
                "bincount only supports 1-d non-negative integral inputs, got shape {}; flatten it first",
                shape::show(&x.shape)
            )));
        }
        let weights = src.get(1);
        if let Some(weights) = weights.filter(|weights| weights.shape != x.shape) {
            return Err(Error::runtime(format!(
                "bincount: weights should be 1-d and have the same length as input, got shapes {} and {}",
                shape::show(&weights.shape),
                shape::show(&x.shape)
            )));
        }
        let length = usize::try_from(attrs[0].as_int()).unwrap_or(usize::MAX);
        shape::check_size(op.name, &[length])?;
        let dtype = match weights.filter(|_| x.numel() > 0) {
            None => DType::I64,
            Some(weights) if weights.dtype == DType::F32 => DType::F32,
            Some(_) => DType::F64,
        };
        Ok(Meta {
            shape: smallvec![length],
            dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let n = c.src[0].node().numel();
        let one = c.src[0].integer(1).to(c.node.dtype).expand(&[n]);
        let weights = c.src.get(1).map_or(one, |w| w.to(c.node.dtype));
        let rows = c.node.shape[0];
        let index = c.src[0].to(DType::I64).contiguous();
        let sums = weights
            .contiguous()
            .reshape(&[n, 1])
            .scatter_add_rows(&index, rows);
        Ok(sums.reshape(&[rows]))
    }),
    vjp: Vjp::None("its result is a count"),
    constants: 2,
    samples: samples(&["[7]<4", "[5]<3 minlength=6"]),
    example: example("torch.bincount(torch.tensor([0, 2, 2, 3]))"),
    out: Out::None,
    ..BASE
};

/// `min` and `max` as a range that is not empty: that of the data if none is given.
fn histc_attrs(x: &Operand, attrs: Attrs) -> Result<Attrs> {
    let (mut low, mut high) = (attrs[1].as_float(), attrs[2].as_float());
    if low == high && x.numel() > 0 && x.dtype().is_float() {
        let values: Vec<f64> = x.to_scalars()?.into_iter().map(Scalar::as_f64).collect();
        // NaN wins, as in a reduction.
        let pick = |better: fn(f64, f64) -> bool| {
            let join = |best: f64, v: f64| match best.is_nan() || better(best, v) {
                true => best,
                false => v,
            };
            values.iter().copied().reduce(join).unwrap_or(0.0)
        };
        (low, high) = (pick(|best, v| best <= v), pick(|best, v| best >= v));
    }
    if !low.is_finite() || !high.is_finite() {
        return Err(Error::runtime(format!(
            "torch.histc: range of [{low}, {high}] is not finite; give min and max"
        )));
    }
    if low > high {
        return Err(Error::runtime(format!(
            "torch.histc: max must be larger than min, got min={low}, max={high}"
        )));
    }
    if low == high {
        (low, high) = (low - 1.0, high + 1.0);
    }
    Ok(smallvec![
        attrs[0].clone(),
        Attr::Float(low),
        Attr::Float(high)
    ])
}

/// How many elements fall into each of equal bins.
pub static HISTC: Op = Op {
    name: "histc",
    prepare: Some(|_, src, attrs| {
        *attrs = histc_attrs(&src[0], std::mem::take(attrs))?;
        Ok(())
    }),
    symbol: "hist",
    formula: "y[i] = how many a lie in bin i",
    doc: "How many elements lie in each of equally wide bins; what is outside is not counted.",
    params: &[
        param("input", Tensor),
        optional("bins", Int, Attr::Int(100)),
        optional("min", Float, Attr::Int(0)),
        optional("max", Float, Attr::Int(0)),
    ],
    infer: |op, src, attrs| {
        if !src[0].dtype.is_float() {
            return Err(Error::not_implemented(format!(
                "histc: expected a floating-point tensor, got {}; convert it with .float()",
                src[0].dtype
            )));
        }
        let bins = attrs[0].as_int();
        if bins < 1 {
            return Err(Error::runtime(format!(
                "histc: bins must be > 0, but got {bins}"
            )));
        }
        let shape: shape::Shape = smallvec![usize::try_from(bins).unwrap_or(usize::MAX)];
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let (n, bins) = (c.src[0].node().numel(), c.node.shape[0]);
        let x = c.src[0].to(c.node.dtype.compute()).reshape(&[n]);
        let (low, high) = (
            x.number(c.attr(1).as_float()),
            x.number(c.attr(2).as_float()),
        );
        let inside = x.ge(&low).call(
            &crate::ops::compare::LOGICAL_AND,
            &[&x.le(&high)],
            smallvec![],
        );
        let place = (&x - &low) / (&high - &low) * bins as f64;
        // The last bin holds its upper edge too.
        let place = place.call(
            &crate::ops::maximum::MINIMUM,
            &[&x.number(bins as f64 - 1.0)],
            smallvec![],
        );
        let index = inside.select(&place, &x.number(0.0)).to(DType::I64);
        let counted = inside.to(DType::I64).reshape(&[n, 1]);
        let counts = counted
            .contiguous()
            .scatter_add_rows(&index.contiguous(), bins);
        Ok(counts.reshape(&[bins]).to(c.node.dtype))
    }),
    vjp: Vjp::None("its result is a count"),
    constants: 1,
    exact: true,
    samples: samples(&["[20] 4 -1 1", "[3,4] bins=5 min=-2.0 max=2.0"]),
    example: example("torch.histc(torch.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)"),
    ..BASE
};
