//! `x[i, j]` and `x[i, j] = v` where integer tensors choose. `tensor/indexing.rs` brings a call into this form.

use smallvec::{SmallVec, smallvec};

use crate::graph::GraphValue;
use crate::op::{Attr, Call, Infinities, Kind, Meta, Op, SAVE_A, SAVE_B, SAVE_OPERANDS, Vjp};
use crate::ops::BASE;
use crate::ops::gather::{expect_index, take_checked};
use crate::{Error, Result, shape};

/// Indexing by one to several integer tensors, as `x[i]`, `x[i, j]` do: they broadcast together
/// and stand for the leading dimensions. Negative indices count from the end. Attribute 0, if there
/// is one, names the dimensions for error messages.
pub static INDEX: Op = Op {
    name: "index",
    indexes: true,
    grad_fn: "IndexBackward0",
    symbol: "[i]",
    formula: "y[i] = a[b[i]]",
    rules: &["{gy} added up where it was read"],
    doc: "Elements or slices chosen by integer tensors.",
    infer: |op, src, _| {
        let (x, indices) = (&src[0], &src[1..]);
        if indices.len() > x.shape.len() {
            return Err(Error::index(format!(
                "too many indices for tensor of dimension {}",
                x.shape.len()
            )));
        }
        let mut shape = shape::Shape::new();
        for index in indices {
            expect_index(op, index)?;
            shape = shape::broadcast(op.name, &shape, &index.shape)?;
        }
        shape.extend_from_slice(&x.shape[indices.len()..]);
        Ok(Meta {
            shape,
            dtype: x.dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let flat = leading_index(&c.src)?;
        let (rows, inner) = leading(&c.src);
        let taken = c.src[0].contiguous().reshape(&[rows, inner]);
        let n = c.src[0].shape()[0];
        let taken = match c.src.len() {
            2 => take_checked(&taken, &flat, n, true),
            _ => taken.gather_rows(&flat),
        };
        Ok(taken.reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let flat = leading_index(&b.src)?;
        let (rows, inner) = leading(&b.src);
        let gy = b.gy.contiguous().reshape(&[flat.node().numel(), inner]);
        let mut grads: crate::op::Grads = smallvec![Some(
            gy.scatter_add_rows(&flat, rows).reshape(b.src[0].shape())
        )];
        grads.resize(b.src.len(), None);
        Ok(grads)
    }),
    saves: [SAVE_OPERANDS & !SAVE_A; 3],
    method: false,
    infinities: Infinities::Chooses,
    ..BASE
};

/// Rows and row length of a source whose leading dimensions are indexed.
pub(crate) fn leading(src: &[GraphValue]) -> (usize, usize) {
    let (rows, inner) = src[0].shape().split_at(src.len() - 1);
    (shape::numel(rows), shape::numel(inner))
}

/// Flat row numbers for broadcast indices of the leading dimensions.
pub(crate) fn leading_index(src: &[GraphValue]) -> Result<GraphValue> {
    let (x, indices) = (&src[0], &src[1..]);
    let mut shape = shape::Shape::new();
    for index in indices {
        shape = shape::broadcast("index", &shape, index.shape())?;
    }
    let sizes = &x.shape()[..indices.len()];
    let strides = shape::contiguous_strides(sizes);
    let total = shape::numel(sizes) as i64;
    let mut flat: Option<GraphValue> = None;
    let mut outside: Option<GraphValue> = None;
    for ((index, &n), &stride) in indices.iter().zip(sizes).zip(&strides) {
        let n = index.integer(n as i64);
        let zero = index.integer(0);
        let wrapped = index.lt(&zero).select(&(index + &n), index);
        let bad = wrapped.lt(&zero).call(
            &crate::ops::compare::LOGICAL_OR,
            &[&wrapped.ge(&n)],
            smallvec![],
        );
        let step = &wrapped * index.integer(stride as i64);
        flat = Some(flat.map_or_else(|| step.clone(), |sum| sum + &step));
        // Keeps the index as it was given, for the message.
        let report = wrapped
            .lt(&zero)
            .select(&wrapped, &(&wrapped + index.integer(total)));
        outside = Some(match outside {
            None => bad.select(&report, &zero),
            Some(seen) => seen.eq(&zero).select(&bad.select(&report, &zero), &seen),
        });
    }
    let (Some(flat), Some(outside)) = (flat, outside) else {
        return Err(Error::index("index: no index given"));
    };
    let zero = flat.integer(0);
    let flat = outside.eq(&zero).select(&flat, &outside);
    let n = shape::numel(&shape);
    Ok(flat.expand(&shape).contiguous().reshape(&[n]))
}

/// Values at the indices of some dimensions. Operands: the tensor, the values, the indices.
/// Attributes: whether values are added up; the order of dimensions that has the indexed ones in
/// front. The values come in that order too: the dimensions of the indices, then the rest.
pub static INDEX_PUT: Op = Op {
    name: "index_put",
    grad_fn: "IndexPutBackward0",
    symbol: "[i]=",
    formula: "y = a; y[i] = b",
    rules: &[
        "0 where b was written, {gy} elsewhere",
        "{gy} where b was written",
    ],
    doc: "Values written where integer tensors point, or added up there.",
    infer: |op, src, _| {
        src[2..]
            .iter()
            .try_for_each(|index| expect_index(op, index))?;
        if src[0].dtype != src[1].dtype {
            return Err(Error::runtime(format!(
                "Index put requires the source and destination dtypes match, got {} for the destination and {} for the source.",
                src[0].dtype.scalar_name(),
                src[1].dtype.scalar_name()
            )));
        }
        Ok(Meta {
            shape: src[0].shape.clone(),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(put),
    vjp: Vjp::Rule(|b| {
        let accumulates = b.attr(0).as_bool();
        let front = Front::of(&b.src, b.attr(1))?;
        let kept = || match accumulates {
            true => b.gy.clone(),
            false => {
                let zeros = front.values.number(0.0).expand(front.values.shape());
                front.back(
                    &front
                        .rows_of(&b.gy)
                        .scatter_rows(&front.flat, &zeros, "set"),
                )
            }
        };
        let read = || {
            let rows = front.rows_of(&b.gy).gather_rows(&front.flat);
            rows.reshape(b.src[1].shape())
        };
        Ok(smallvec![b.needs(0).then(kept), b.needs(1).then(read)])
    }),
    saves: [SAVE_OPERANDS & !(SAVE_A | SAVE_B); 3],
    method: false,
    infinities: Infinities::Chooses,
    ..BASE
};

/// The indexed dimensions in front, as rows.
struct Front {
    order: SmallVec<[usize; 6]>,
    shape: shape::Shape,
    rows: usize,
    inner: usize,
    flat: GraphValue,
    values: GraphValue,
}

impl Front {
    fn of(src: &[GraphValue], order: &Attr) -> Result<Front> {
        let order: SmallVec<[usize; 6]> = order.as_ints().iter().map(|&d| d as usize).collect();
        let shape: shape::Shape = order.iter().map(|&d| src[0].shape()[d]).collect();
        let n_indices = src.len() - 2;
        let (rows, inner) = shape.split_at(n_indices);
        let (rows, inner) = (shape::numel(rows), shape::numel(inner));
        let mut chosen: Vec<GraphValue> = vec![src[0].permute(&order)];
        chosen.extend(src[2..].iter().map(|index| index.to(crate::DType::I64)));
        let flat = leading_index(&chosen)?;
        let n = flat.node().numel();
        Ok(Front {
            order,
            shape,
            rows,
            inner,
            values: src[1].reshape(&[n, inner]),
            flat,
        })
    }

    fn rows_of(&self, x: &GraphValue) -> GraphValue {
        x.permute(&self.order).reshape(&[self.rows, self.inner])
    }

    fn back(&self, rows: &GraphValue) -> GraphValue {
        let mut inverse: SmallVec<[usize; 6]> = smallvec![0; self.order.len()];
        self.order
            .iter()
            .enumerate()
            .for_each(|(i, &d)| inverse[d] = i);
        rows.reshape(&self.shape).permute(&inverse)
    }
}

fn put(c: &Call) -> Result<GraphValue> {
    let front = Front::of(&c.src, c.attr(1))?;
    let rows = front.rows_of(&c.src[0]);
    let put = match c.attr(0).as_bool() {
        true => rows + front.values.scatter_add_rows(&front.flat, front.rows),
        false => rows.scatter_rows(&front.flat, &front.values, "set"),
    };
    Ok(front.back(&put))
}
