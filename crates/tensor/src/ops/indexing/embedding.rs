//! Class numbers as rows: `embedding`, and `one_hot`, rows of zeros and a one.

use smallvec::smallvec;

use crate::dtype::DType;
use crate::graph::Operand;
use crate::op::ParamKind::{Bool, Int, Tensor};
use crate::op::{
    Attr, Attrs, Infinities, Kind, Meta, Op, Out, SAVE_A, Vjp, example, optional, param, samples,
};
use crate::ops::BASE;
use crate::ops::gather::expect_index;
use crate::ops::index_select::select_rows;
use crate::{Error, Result, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&EMBEDDING, &ONE_HOT];

/// Rows of a table.
pub static EMBEDDING: Op = Op {
    name: "embedding",
    grad_fn: "EmbeddingBackward0",
    symbol: "embed",
    formula: "y[i] = b[a[i]]",
    rules: &["", "{gy} added up row by row"],
    doc: "Rows of a table, one for each index.",
    params: &[
        param("input", Tensor),
        param("weight", Tensor),
        optional("padding_idx", Int, Attr::None),
        optional("scale_grad_by_freq", Bool, Attr::Bool(false)),
    ],
    infer: |op, src, attrs| {
        if src[0].dtype != DType::I32 {
            expect_index(op, &src[0])?;
        }
        if src[1].shape.len() != 2 {
            return Err(Error::runtime(format!(
                "embedding: 'weight' must be 2-D, got shape {}",
                shape::show(&src[1].shape)
            )));
        }
        let rows = src[1].shape[0] as i64;
        let padding = attrs.first().filter(|a| **a != Attr::None);
        if let Some(padding) = padding
            .map(Attr::as_int)
            .filter(|i| *i < -rows || *i >= rows)
        {
            return Err(Error::value(format!(
                "Padding_idx must be within num_embeddings: got {padding} for {rows} rows"
            )));
        }
        let mut shape = src[0].shape.clone();
        shape.push(src[1].shape[1]);
        Ok(Meta {
            shape,
            dtype: src[1].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let index = c.src[0].to(DType::I64).reshape(&[c.src[0].node().numel()]);
        Ok(select_rows(&c.src[1], 0, &index).reshape(&c.node.shape))
    }),
    vjp: Vjp::Rule(|b| {
        let (n, rows) = (b.src[0].node().numel(), b.src[1].shape()[0]);
        let index = b.src[0].to(DType::I64).reshape(&[n]);
        let mut gy = b.gy.contiguous().reshape(&[n, b.src[1].shape()[1]]);
        // Calls made before there were options have no attributes.
        if let Some(padding) = b.node.attrs.first().filter(|a| **a != Attr::None) {
            let padding = match padding.as_int() {
                i if i < 0 => i + rows as i64,
                i => i,
            };
            let fixed = index.eq(&index.integer(padding)).reshape(&[n, 1]);
            gy = fixed.select(&gy.number(0.0), &gy);
        }
        if b.node.attrs.get(1).is_some_and(Attr::as_bool) {
            let ones = gy.number(1.0).expand(&[n, 1]);
            gy = gy / ones.scatter_add_rows(&index, rows).gather_rows(&index);
        }
        Ok(smallvec![None, Some(gy.scatter_add_rows(&index, rows))])
    }),
    saves: [SAVE_A; 3],
    // The options change the gradient, not the value: golden numbers check them, differences cannot.
    samples: samples(&["[2,3]<4 [4,3]"]),
    example: example("F.embedding(torch.tensor([1, 0]), torch.eye(2))"),
    method: false,
    out: Out::None,
    functional: true,
    infinities: Infinities::Chooses,
    ..BASE
};

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
    functional: true,
    ..BASE
};
