//! `x[i, j] = v` where integer tensors choose: the values are put where the indices point, or added
//! up there. `indexing.rs` brings a call into this form.

use smallvec::{SmallVec, smallvec};

use crate::graph::GraphValue;
use crate::op::{Attr, Call, Kind, Meta, Op, SAVE_A, SAVE_B, SAVE_OPERANDS, Vjp};
use crate::ops::BASE;
use crate::ops::index::{expect_index, leading_index};
use crate::shape;
use crate::{Error, Result};

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
                front.back(&front.rows_of(&b.gy).put(&front.flat, &zeros, "set"))
            }
        };
        let read = || {
            let rows = front.rows_of(&b.gy).take(&front.flat);
            rows.reshape(b.src[1].shape())
        };
        Ok(smallvec![b.needs(0).then(kept), b.needs(1).then(read)])
    }),
    saves: [SAVE_OPERANDS & !(SAVE_A | SAVE_B); 3],
    method: false,
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
        true => rows + front.values.put_add(&front.flat, front.rows),
        false => rows.put(&front.flat, &front.values, "set"),
    };
    Ok(front.back(&put))
}
