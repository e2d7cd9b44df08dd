//! Slices of a dimension added, copied or filled at a list of indices: `index_add`, `index_copy`, `index_fill`.

use smallvec::{SmallVec, smallvec};

use crate::dtype::{DType, Scalar};
use crate::graph::{GraphValue, Operand};
use crate::node::NodeRef;
use crate::op::ParamKind::{Float, Int, Tensor};
use crate::op::{
    Attr, Attrs, Backprop, Infinities, Kind, Meta, Op, Out, SAVE_B, SAVE_C, Vjp, attr_scalar,
    example, optional, param, samples,
};
use crate::ops::gather::{expect_index, wrapped};
use crate::ops::index_select::{INDEX_SELECT, add_rows};
use crate::ops::shared::check_value;
use crate::ops::{BASE, dim_of};
use crate::{Error, ErrorKind, Result, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&INDEX_ADD, &INDEX_COPY, &INDEX_FILL];

/// The first value of an index that does not lie in a range.
pub(in crate::ops) fn outside(
    index: &Operand,
    allowed: std::ops::Range<i64>,
) -> Result<Option<i64>> {
    let values = index.to_check()?;
    Ok(values
        .into_iter()
        .map(Scalar::as_i64)
        .find(|i| !allowed.contains(i)))
}

/// Refuses indices outside a dimension; those below zero too, unless they count from the end.
fn check(op: &Op, src: &[Operand], attrs: &Attrs, kind: ErrorKind, wraps: bool) -> Result<()> {
    let shape = src[0].shape();
    let dim = dim_of(op, &shape, &attrs[0])?;
    let n = shape.get(dim).copied().unwrap_or(1) as i64;
    match outside(&src[1], if wraps { -n..n } else { 0..n })? {
        // PyTorch's kernel of sums checks the two ends in two places.
        Some(i) => Err(Error::new(
            if i >= n { ErrorKind::Index } else { kind },
            format!(
                "{}: index {i} is out of bounds for dimension {dim} with size {n}",
                op.name
            ),
        )),
        None => Ok(()),
    }
}

/// A vector of indices, or one.
fn expect_vector(op: &Op, index: &NodeRef) -> Result<()> {
    expect_index(op, index)?;
    if index.shape.len() > 1 {
        return Err(Error::index(format!(
            "{}(): Index is supposed to be a vector, but got dim: {} with type: Long and size: {}",
            op.name,
            index.shape.len(),
            shape::show(&index.shape)
        )));
    }
    Ok(())
}

/// The source has the operand's shape, but for as many slices as there are indices.
fn infer(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    expect_vector(op, &src[1])?;
    let dim = dim_of(op, &src[0].shape, &attrs[0])?;
    let (x, index, source) = (&src[0], &src[1], &src[2]);
    if x.dtype != source.dtype {
        return Err(Error::runtime(format!(
            "{}(): self ({}) and source ({}) must have the same scalar type; convert source with .to({})",
            op.name,
            x.dtype.scalar_name(),
            source.dtype.scalar_name(),
            x.dtype
        )));
    }
    let mut expected = if x.shape.is_empty() {
        smallvec![1]
    } else {
        x.shape.clone()
    };
    if let Some(n) = expected.get_mut(dim) {
        *n = index.numel();
    }
    let one = source.shape.is_empty() && shape::numel(&expected) == 1;
    if source.shape != expected && !one {
        let message = format!(
            "{}(): got source of shape {} for {} indices along dimension {dim} of shape {}: expected {}; Number of indices should be equal to source.size(dim), the other sizes those of the tensor",
            op.name,
            shape::show(&source.shape),
            index.numel(),
            shape::show(&x.shape),
            shape::show(&expected)
        );
        let counts = source.shape.get(dim) != expected.get(dim);
        return Err(if counts && std::ptr::eq(op, &INDEX_COPY) {
            Error::index(message)
        } else {
            Error::runtime(message)
        });
    }
    Ok(Meta {
        shape: x.shape.clone(),
        dtype: x.dtype,
    })
}

/// An operand of no dimensions as a row of one.
fn row_of_one(x: &GraphValue) -> GraphValue {
    if x.shape().is_empty() {
        x.reshape(&[1])
    } else {
        x.clone()
    }
}

/// Slices put at indices: as rows of a matrix with the dimension in front.
fn put_slices(x: &GraphValue, dim: usize, index: &GraphValue, values: &GraphValue) -> GraphValue {
    let order: SmallVec<[usize; 6]> = std::iter::once(dim)
        .chain((0..x.shape().len()).filter(|&d| d != dim))
        .collect();
    let mut back: SmallVec<[usize; 6]> = smallvec![0; order.len()];
    order.iter().enumerate().for_each(|(i, &d)| back[d] = i);
    let front = x.permute(&order);
    let (rows, inner) = (x.shape()[dim], shape::numel(&front.shape()[1..]));
    let n = index.node().numel();
    let values = values.permute(&order).reshape(&[n, inner]);
    let index = index.to(DType::I64).reshape(&[n]);
    let put = front
        .reshape(&[rows, inner])
        .scatter_rows(&index, &values, "set");
    put.reshape(front.shape()).permute(&back)
}

fn selected(b: &Backprop) -> GraphValue {
    let attrs = smallvec![b.attr(0).clone()];
    let rows = row_of_one(&b.gy).call(&INDEX_SELECT, &[&b.src[1]], attrs);
    rows.reshape(b.src[2].shape())
}

const BY_INDEX: Op = Op {
    params: &[
        param("input", Tensor),
        param("dim", Int),
        param("index", Tensor),
        param("source", Tensor),
    ],
    infer,
    saves: [SAVE_B; 3],
    exact: true,
    ..BASE
};

/// Slices added at indices.
pub static INDEX_ADD: Op = Op {
    name: "index_add",
    grad_fn: "IndexAddBackward0",
    symbol: "[i]+=",
    formula: "y = a; y[b[i]] += α · c[i]",
    rules: &["{gy}", "", "α · {gy}, the slices at {b}"],
    doc: "Slices added into a dimension at indices; those at one place add up.",
    params: &[
        param("input", Tensor),
        param("dim", Int),
        param("index", Tensor),
        param("source", Tensor),
        optional("alpha", Float, Attr::Int(1)),
    ],
    prepare: Some(|op, src, attrs| {
        let alpha = &attrs[1];
        if matches!(alpha, Attr::Float(_)) && !src[0].dtype().is_float() {
            return Err(Error::runtime(format!(
                "index_add: For integral input tensors, argument alpha must not be a floating point number: got {} for {}",
                alpha.as_float(),
                src[0].dtype()
            )));
        }
        check(op, src, attrs, ErrorKind::Runtime, false)
    }),
    kind: Kind::Composite(|c| {
        let x = row_of_one(&c.src[0]);
        let dim = dim_of(c.node.op, x.shape(), c.attr(0))?;
        let mut from = x.shape().clone();
        from[dim] = c.src[1].node().numel();
        let mut values = c.src[2].reshape(&from);
        if let Some(alpha) = attr_scalar(c.attr(1)).filter(|a| a.as_f64() != 1.0) {
            let alpha = GraphValue::new(x.engine(), x.engine().number(alpha, x.dtype()));
            values = values * alpha;
        }
        let sums = add_rows(&values, x.shape(), dim, &c.src[1]);
        Ok(crate::ops::shared::added(&x, &sums).reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let alpha = b.attr(1).as_float();
        Ok(smallvec![
            Some(b.gy.clone()),
            None,
            b.needs(2).then(|| match alpha {
                1.0 => selected(b),
                alpha => selected(b) * alpha,
            })
        ])
    }),
    exact: false,
    samples: samples(&["[3,2] 0 [4]<3 [4,2]", "[2,3]T 1 [2]<3 [2,2] alpha=-2"]),
    example: example(
        "torch.zeros(3).index_add(0, torch.tensor([0, 2, 2]), torch.tensor([1.0, 2.0, 3.0]))",
    ),
    saves: [0, 0, SAVE_B | SAVE_C],
    ..BY_INDEX
};

/// Slices put at indices.
pub static INDEX_COPY: Op = Op {
    name: "index_copy",
    grad_fn: "IndexCopyBackward0",
    symbol: "[i]=",
    formula: "y = a; y[b[i]] = c[i]",
    rules: &["0 at {b}, {gy} elsewhere", "", "the slices of {gy} at {b}"],
    doc: "Slices put into a dimension at indices.",
    prepare: Some(|op, src, attrs| check(op, src, attrs, ErrorKind::Index, false)),
    kind: Kind::Composite(|c| {
        let x = row_of_one(&c.src[0]);
        let dim = dim_of(c.node.op, x.shape(), c.attr(0))?;
        let mut from = x.shape().clone();
        from[dim] = c.src[1].node().numel();
        Ok(put_slices(&x, dim, &c.src[1], &c.src[2].reshape(&from)).reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let kept = || {
            let attrs = smallvec![b.attr(0).clone()];
            b.gy.call(&INDEX_FILL, &[&b.src[1], &b.gy.number(0.0)], attrs)
        };
        Ok(smallvec![
            b.needs(0).then(kept),
            None,
            b.needs(2).then(|| selected(b))
        ])
    }),
    samples: samples(&["[3,2] 0 [1]<3 [1,2]", "[2,3]T 1 [1]<3 [2,1]"]),
    example: example(
        "torch.zeros(3).index_copy(0, torch.tensor([0, 2]), torch.tensor([1.0, 3.0]))",
    ),
    saves: [SAVE_B, 0, SAVE_B | SAVE_C],
    infinities: Infinities::Chooses,
    ..BY_INDEX
};

/// A number put at indices.
pub static INDEX_FILL: Op = Op {
    name: "index_fill",
    grad_fn: "IndexFillBackward0",
    grad_fn_for: |node| {
        (node.src.borrow().get(2)?.number.is_none()).then_some("IndexFillBackward1")
    },
    symbol: "[i]=",
    formula: "y = a; y[b[i]] = value",
    rules: &["0 at {b}, {gy} elsewhere", "", "{gy} at {b}, summed"],
    doc: "A number put into the slices of a dimension at indices.",
    params: &[
        param("input", Tensor),
        param("dim", Int),
        param("index", Tensor),
        param("value", Tensor),
    ],
    prepare: Some(|op, src, attrs| {
        if src[1].shape().len() > 1 {
            return Err(Error::runtime(
                "index_fill: Index has to be a vector/scalar",
            ));
        }
        check_value(op, &src[0], &src[2])?;
        check(op, src, attrs, ErrorKind::Index, true)
    }),
    infer: |op, src, attrs| {
        if src[1].dtype != DType::I64 {
            return Err(Error::index(format!(
                "index_fill_(): Expected dtype int64 for index, got {}; convert it with .long()",
                src[1].dtype
            )));
        }
        expect_vector(op, &src[1])?;
        dim_of(op, &src[0].shape, &attrs[0])?;
        if !src[2].shape.is_empty() {
            return Err(Error::runtime(format!(
                "index_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
                src[2].shape.len()
            )));
        }
        crate::ops::same_as_first(op, src, attrs)
    },
    kind: Kind::Composite(|c| {
        let x = row_of_one(&c.src[0]);
        let dim = dim_of(c.node.op, x.shape(), c.attr(0))?;
        let mut from = x.shape().clone();
        from[dim] = c.src[1].node().numel();
        let index = wrapped(&c.src[1], x.shape()[dim]);
        let values = c.src[2].to(x.dtype()).expand(&from);
        Ok(put_slices(&x, dim, &index, &values).reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let kept = || {
            let attrs = smallvec![b.attr(0).clone()];
            b.gy.call(&INDEX_FILL, &[&b.src[1], &b.gy.number(0.0)], attrs)
        };
        // A slice that several indices name holds the value once.
        let value = || {
            let zeros = b.gy.number(0.0).expand(b.gy.shape());
            let attrs = smallvec![b.attr(0).clone()];
            let filled = zeros.call(&INDEX_FILL, &[&b.src[1], &b.gy.number(1.0)], attrs);
            let dims = crate::ops::formula::all_dims(b.gy.shape());
            let parts = filled.gt(&zeros).select(&b.gy, &zeros);
            parts.sum(&dims, false)
        };
        Ok(smallvec![
            b.needs(0).then(kept),
            None,
            b.needs(2).then(value)
        ])
    }),
    numbers: 0b1000,
    samples: samples(&["[3,2] 0 [2]<3 1.5", "[2,3]T 1 [1]<2 []"]),
    example: example("torch.zeros(3).index_fill(0, torch.tensor([0, 2]), 5.0)"),
    out: Out::None,
    infinities: Infinities::Chooses,
    ..BY_INDEX
};
