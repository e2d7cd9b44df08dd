//! Where elements are not zero: `nonzero`, `argwhere`.
//!
//! How many there are decides the shape, so these calls read their operand: its positions become an operand of the op.

use smallvec::smallvec;

use crate::Result;
use crate::dtype::DType;
use crate::graph::Operand;
use crate::op::ParamKind::Tensor;
use crate::op::{
    Attrs, Infinities, Kind, Meta, MultiOutputOp, Op, Out, PythonFace, Vjp, example, face, param,
    samples,
};
use crate::ops::BASE;
use crate::ops::multi_output::MULTI_OUTPUT;
use crate::shape::{self, Shape};
use crate::view::View;

/// The ops of this family.
pub static OPS: &[&Op] = &[&NONZERO, &ARGWHERE];

/// The calls of this family that give several tensors.
pub static CALLS: &[&MultiOutputOp] = &[&NONZERO_TUPLE];

/// Row-major places of what is not zero, in a shape that the tensor broadcasts to.
pub(crate) fn places(x: &Operand, shape: &[usize]) -> Result<Vec<i64>> {
    let stretched = View::contiguous(&x.shape()).expand(shape);
    let truth: Vec<bool> = (x.to_scalars()?.into_iter())
        .map(|v| v.as_f64() != 0.0)
        .collect();
    let found = stretched
        .positions()
        .enumerate()
        .filter(|(_, at)| truth[*at]);
    Ok(found.map(|(i, _)| i as i64).collect())
}

pub(in crate::ops) fn push_places(src: &mut Vec<Operand>, places: &[i64]) -> Result<()> {
    let engine = src[0].engine().clone();
    let leaf = engine.leaf_i64(places, &[places.len()])?;
    src.push(Operand::from_node(&engine, leaf));
    Ok(())
}

/// The indices of what is not zero, one row each.
fn prepare_indices(src: &mut Vec<Operand>, _: &mut Attrs) -> Result<()> {
    let shape = src[0].shape();
    let strides = shape::contiguous_strides(&shape);
    let found = places(&src[0], &shape)?;
    let index: Vec<i64> = (found.iter())
        .flat_map(|at| {
            strides
                .iter()
                .zip(&shape)
                .map(move |(&s, &n)| at / s as i64 % n as i64)
        })
        .collect();
    let engine = src[0].engine().clone();
    let leaf = engine.leaf_i64(&index, &[found.len(), shape.len()])?;
    src.push(Operand::from_node(&engine, leaf));
    Ok(())
}

/// Where elements are not zero.
pub static NONZERO: Op = Op {
    name: "nonzero",
    symbol: "≠ 0",
    formula: "y = the indices i with a[i] ≠ 0",
    doc: "The indices of the elements that are not zero, one row each.",
    params: &[param("input", Tensor)],
    prepare: Some(|_, src, attrs| prepare_indices(src, attrs)),
    infer: |_, src, _| {
        Ok(Meta {
            shape: src
                .get(1)
                .map_or_else(|| smallvec![0, 0], |index| index.shape.clone()),
            dtype: DType::I64,
        })
    },
    kind: Kind::Composite(|c| Ok(c.src[1].clone())),
    vjp: Vjp::None("its result is an index"),
    exact: true,
    samples: samples(&["[2,3]", "[]", "[4]"]),
    example: example("torch.nonzero(torch.tensor([0.0, 3.0, 0.0, 4.0]))"),
    infinities: Infinities::Asks,
    ..BASE
};

/// NumPy's name of `nonzero`.
pub static ARGWHERE: Op = Op {
    name: "argwhere",
    doc: "The indices of the elements that are not zero, one row each: NumPy's name of nonzero.",
    example: example("torch.argwhere(torch.tensor([0.0, 3.0, 0.0, 4.0]))"),
    out: Out::None,
    ..NONZERO
};

/// `nonzero(as_tuple=True)`: the Python module chooses it.
pub static NONZERO_TUPLE: MultiOutputOp = MultiOutputOp {
    name: "nonzero_tuple",
    python: face(&PythonFace {
        part_of: "nonzero",
        ..PythonFace::PLAIN
    }),
    doc: "The indices of the elements that are not zero, one tensor for each dimension: nonzero(as_tuple=True).",
    params: &[param("input", Tensor)],
    call: |engine, src, _| {
        // A number counts as a row of one.
        let shape = match &src[0].shape()[..] {
            [] => smallvec![1],
            shape => Shape::from_slice(shape),
        };
        let strides = shape::contiguous_strides(&shape);
        let found = places(&src[0], &shape)?;
        (strides.iter().zip(&shape))
            .map(|(&stride, &n)| {
                let along: Vec<i64> = found
                    .iter()
                    .map(|at| at / stride as i64 % n as i64)
                    .collect();
                Ok(Operand::from_node(
                    engine,
                    engine.leaf_i64(&along, &[along.len()])?,
                ))
            })
            .collect()
    },
    samples: samples(&["[2,3]", "[]"]),
    example: example("torch.nonzero(torch.tensor([[0.0, 3.0], [4.0, 0.0]]), as_tuple=True)"),
    method: false,
    ..MULTI_OUTPUT
};
