//! `linear`: a product with a weight, plus a bias.

use smallvec::smallvec;

use crate::node::Node;
use crate::op::ParamKind::Tensor;
use crate::op::{Kind, Meta, Op, Promote, SAVE_A, SAVE_B, Vjp, param, samples};
use crate::ops::BASE;
use crate::ops::matmul::product;
use crate::ops::shared::wide;
use crate::{Error, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&LINEAR];

/// x Wᵀ + b
pub static LINEAR: Op = Op {
    name: "linear",
    grad_fn: "AddmmBackward0",
    grad_fn_for: linear_name,
    symbol: "linear",
    formula: "y = a @ bᵀ + c",
    rules: &["{gy} @ {b}", "{gy}ᵀ @ {a}", "{gy}, summed over rows"],
    doc: "A matrix product with a transposed weight, plus a bias: what nn.Linear computes.",
    params: &[
        param("input", Tensor),
        param("weight", Tensor),
        crate::op::optional("bias", Tensor, crate::op::Attr::None),
    ],
    promote: Promote::Keep,
    infer: |op, src, _| {
        let (x, w) = (&src[0], &src[1]);
        let fits = w.shape.len() == 2 && x.shape.last() == w.shape.last();
        if !fits {
            let expected = w.shape.last().map_or(String::new(), |n| {
                format!("; the last size of the input must be {n}")
            });
            return Err(Error::runtime(format!(
                "{}: input of shape {} does not fit weight of shape {}{expected}",
                op.name,
                shape::show(&x.shape),
                shape::show(&w.shape)
            )));
        }
        if let Some(other) = src.iter().find(|s| s.dtype != x.dtype) {
            return Err(Error::runtime(format!(
                "mat1 and mat2 must have the same dtype, but got {} and {} (linear); convert one with .to()",
                x.dtype.scalar_name(),
                other.dtype.scalar_name()
            )));
        }
        crate::ops::expect_float(op, x)?;
        if let Some(bias) = src.get(2)
            && bias.shape[..] != w.shape[..1]
        {
            return Err(Error::runtime(format!(
                "linear: bias of shape {} does not fit weight of shape {}",
                shape::show(&bias.shape),
                shape::show(&w.shape)
            )));
        }
        let mut shape = x.shape.clone();
        let last = shape.len() - 1;
        shape[last] = w.shape[0];
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: x.dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let (x, w) = (&c.src[0], c.src[1].t());
        let Some(bias) = c.src.get(2) else {
            return Ok(product(x, &w)?.reshape(&c.node.shape));
        };
        // Of 16-bit floats, product and sum are rounded together, once.
        let y = product(&wide(x), &wide(&w))?.reshape(&c.node.shape) + wide(bias);
        Ok(y.to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let (x, w) = (&b.src[0], &b.src[1]);
        let rows = shape::numel(&x.shape()[..x.shape().len() - 1]);
        let gy = b.gy.reshape(&[rows, w.shape()[0]]);
        let mut grads: crate::op::Grads = smallvec![
            b.needs(0).then(|| gy.matmul(w).reshape(x.shape())),
            b.needs(1)
                .then(|| gy.t().matmul(&x.reshape(&[rows, w.shape()[1]]))),
        ];
        if b.src.len() > 2 {
            grads.push(b.needs(2).then(|| gy.sum(&[0], false)));
        }
        Ok(grads)
    }),
    saves: [SAVE_B, SAVE_A, 0],
    samples: samples(&["[4,3] [2,3] [2]", "[2,2,3] [2,3]", "[3] [2,3] [2]"]),
    method: false,
    functional: true,
    ..BASE
};

/// What PyTorch calls the backward of a linear layer on an input of these dimensions.
fn linear_name(node: &Node) -> Option<&'static str> {
    let src = node.src.borrow();
    Some(match (src.first()?.shape.len(), src.len() > 2) {
        (2, true) => "AddmmBackward0",
        (2, false) => "MmBackward0",
        (1, true) => "AddBackward0",
        (1, false) => "SqueezeBackward4",
        (_, true) => "ViewBackward0",
        (_, false) => "UnsafeViewBackward0",
    })
}
