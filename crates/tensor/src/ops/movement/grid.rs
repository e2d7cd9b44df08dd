//! Grids made from vectors: `meshgrid`, `cartesian_prod`.

use smallvec::{SmallVec, smallvec};

use crate::Error;
use crate::graph::{GraphValue, Operand};
use crate::op::ParamKind::{Tensors, Word};
use crate::op::{
    Attr, Infinities, Kind, Meta, MultiOutputOp, Op, Out, Vjp, example, optional, param, samples,
};
use crate::ops::BASE;
use crate::ops::cat::STACK;
use crate::ops::expand::EXPAND;
use crate::ops::formula::shape_attr;
use crate::ops::multi_output::MULTI_OUTPUT;
use crate::ops::reshape::RESHAPE;
use crate::shape::{self, Shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&CARTESIAN_PROD];

/// The calls of this family that give several tensors.
pub static CALLS: &[&MultiOutputOp] = &[&MESHGRID];

/// Coordinates of a grid.
pub static MESHGRID: MultiOutputOp = MultiOutputOp {
    name: "meshgrid",
    doc: "The coordinates of a grid, one tensor for each vector: the vectors stretched over it.",
    params: &[
        param("tensors", Tensors),
        optional("indexing", Word(&["ij", "xy"]), Attr::Str("ij")),
    ],
    call: |engine, src, attrs| {
        let mut shape = Shape::new();
        for vector in src {
            if vector.shape().len() > 1 {
                return Err(Error::runtime(format!(
                    "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got shape {}",
                    shape::show(&vector.shape())
                )));
            }
            if vector.dtype() != src[0].dtype() {
                return Err(Error::runtime(format!(
                    "torch.meshgrid expects all tensors to have the same dtype, got {} and {}",
                    src[0].dtype(),
                    vector.dtype()
                )));
            }
            shape.push(vector.numel());
        }
        let swaps = attrs[0].as_str() == "xy" && src.len() > 1;
        if swaps {
            shape.swap(0, 1);
        }
        shape::check_size("meshgrid", &shape)?;
        (src.iter().enumerate())
            .map(|(i, vector)| {
                let dim = if swaps && i < 2 { 1 - i } else { i };
                let mut along: Shape = SmallVec::from_elem(1, shape.len());
                along[dim] = vector.numel();
                let line = Operand::apply(
                    engine,
                    &RESHAPE,
                    std::slice::from_ref(vector),
                    smallvec![shape_attr(&along)],
                )?;
                Operand::apply(engine, &EXPAND, &[line], smallvec![shape_attr(&shape)])
            })
            .collect()
    },
    samples: samples(&["{[2] [3]}", "{[2] [3] []} indexing='xy'"]),
    example: example("torch.meshgrid(torch.arange(2.0), torch.arange(3.0), indexing='ij')"),
    method: false,
    ..MULTI_OUTPUT
};

/// Every combination.
pub static CARTESIAN_PROD: Op = Op {
    name: "cartesian_prod",
    grad_fn: "StackBackward0",
    symbol: "×",
    formula: "y = every (a, b, …)",
    rules: &["{gy}, summed over what the others are"],
    doc: "Every combination of the elements of vectors, one row each; one vector stays as it is.",
    params: &[param("tensors", Tensors)],
    infer: |op, src, _| {
        let mut n = 1usize;
        for vector in src {
            if vector.shape.len() != 1 {
                return Err(Error::runtime(format!(
                    "cartesian_prod: Expect a 1D vector, but got shape {}",
                    shape::show(&vector.shape)
                )));
            }
            if vector.dtype != src[0].dtype {
                return Err(Error::runtime(format!(
                    "cartesian_prod: expects all tensors to have the same dtype, got {} and {}",
                    src[0].dtype, vector.dtype
                )));
            }
            n = n.saturating_mul(vector.numel());
        }
        let shape: Shape = match src.len() {
            1 => Shape::from_slice(&[n]),
            many => Shape::from_slice(&[n, many]),
        };
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let sizes: Shape = c.src.iter().map(|vector| vector.node().numel()).collect();
        let columns: Vec<GraphValue> = (c.src.iter().enumerate())
            .map(|(i, vector)| {
                let mut along = Shape::from_elem(1, sizes.len());
                along[i] = sizes[i];
                let n = shape::numel(&sizes);
                vector.reshape(&along).expand(&sizes).reshape(&[n])
            })
            .collect();
        if columns.len() == 1 {
            return Ok(columns[0].clone());
        }
        let others: Vec<&GraphValue> = columns[1..].iter().collect();
        Ok(columns[0].call(&STACK, &others, [Attr::Int(1)].into_iter().collect()))
    }),
    vjp: Vjp::Lowered,
    exact: true,
    samples: samples(&["{[2] [3]}", "{[2]}", "{[2] [1] [2]}"]),
    example: example("torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))"),
    method: false,
    out: Out::None,
    infinities: Infinities::Chooses,
    ..BASE
};
