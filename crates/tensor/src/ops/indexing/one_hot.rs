//! Indices as rows of zeros and a one.

use smallvec::smallvec;

use crate::dtype::DType;
use crate::graph::Operand;
use crate::op::ParamKind::{Int, Tensor};
use crate::op::{Attr, Attrs, Kind, Meta, Op, Vjp, optional, param, samples};
use crate::ops::BASE;
use crate::shape;
use crate::{Error, Result};

/// The attributes of a `one_hot` call once its indices are known: they decide the number of classes
/// if it is left out, and PyTorch checks them at once. Reads the tensor.
fn one_hot_attrs(index: &Operand, attrs: &Attrs) -> Result<Attrs> {
    if index.dtype() != DType::I64 {
        return Err(Error::runtime(format!(
            "one_hot is only applicable to index tensor of type int64, got {}; convert it with .long()",
            index.dtype()
        )));
    }
    let values = index.to_scalars()?;
    let asked = attrs[0].as_int();
    let largest = values.iter().map(|v| v.as_i64()).max();
    if values.iter().any(|v| v.as_i64() < 0) {
        return Err(Error::runtime("one_hot: class values must be non-negative"));
    }
    match largest {
        None if asked <= 0 => Err(Error::runtime(
            "one_hot: cannot infer the number of classes from an empty tensor; give num_classes",
        )),
        Some(largest) if asked == -1 => Ok(smallvec![Attr::Int(largest + 1)]),
        Some(largest) if largest >= asked => Err(Error::runtime(format!(
            "one_hot: class values must be smaller than num_classes: got {largest}, num_classes is {asked}"
        ))),
        _ => Ok(attrs.clone()),
    }
}

/// 1 at the index, 0 elsewhere.
pub static ONE_HOT: Op = Op {
    name: "one_hot",
    symbol: "one-hot",
    formula: "y[i, j] = 1 where a[i] = j, else 0",
    doc: "A row of zeros with a 1 at each index.",
    params: &[
        param("tensor", Tensor),
        optional("num_classes", Int, Attr::Int(-1)),
    ],
    prepare: Some(|_, src, attrs| {
        *attrs = one_hot_attrs(&src[0], attrs)?;
        Ok(())
    }),
    infer: |op, src, attrs| {
        if attrs[0].as_int() < 1 {
            return Err(Error::runtime("one_hot: num_classes must be at least 1"));
        }
        let mut shape = src[0].shape.clone();
        shape.push(shape::size(op.name, attrs[0].as_int())?);
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: DType::I64,
        })
    },
    kind: Kind::Composite(|c| {
        let n_dims = c.node.shape.len();
        // Of no indices there are no rows, however many classes: their numbers take no memory.
        if c.src[0].node().numel() == 0 {
            let nothing = c.src[0].unsqueeze(n_dims - 1).expand(&c.node.shape);
            return Ok(nothing.to(DType::I64));
        }
        let classes = c.src[0].positions_along(n_dims - 1, c.node.shape[n_dims - 1], n_dims)?;
        Ok(c.src[0].unsqueeze(n_dims - 1).eq(&classes).to(DType::I64))
    }),
    vjp: Vjp::None("its operand is an index"),
    samples: samples(&["[3]<4 4"]),
    method: false,
    ..BASE
};
