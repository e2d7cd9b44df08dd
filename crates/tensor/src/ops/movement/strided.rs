//! Views given by their strides: `as_strided`, `Tensor.unfold`, and a view of all elements.

use smallvec::smallvec;

use crate::graph::Operand;
use crate::op::ParamKind::{Int, Ints, Tensor};
use crate::op::{
    Attr, Attrs, Kind, Meta, Op, Out, PythonFace, Vjp, example, face, optional, param, samples,
};
use crate::ops::formula::shape_attr;
use crate::ops::movement::PICK;
use crate::ops::{BASE, dim_of, grad1, sizes};
use crate::shape::{self, Shape};
use crate::view::View;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&TENSOR_UNFOLD, &AS_STRIDED];

/// The same elements as a view of their own: `x[:]`.
pub static ALIAS: Op = Op {
    name: "alias",
    grad_fn: "AliasBackward0",
    symbol: "[:]",
    formula: "y = a",
    rules: &["{gy}"],
    doc: "A view of all of its elements.",
    params: &[param("input", Tensor)],
    kind: Kind::Movement(|view, _| Some(view.clone())),
    vjp: Vjp::Rule(|b| grad1(b.gy.clone())),
    same_elements: true,
    out: Out::None,
    ..BASE
};

/// The elements named by a view of the operand's row-major storage: attributes are shape, strides
/// and offset. What a view becomes after a write to its base.
pub static AS_STRIDED: Op = Op {
    name: "as_strided",
    grad_fn: "AsStridedBackward0",
    symbol: "view",
    formula: "y = a through a view",
    rules: &["{gy} in its place, 0 elsewhere"],
    doc: "The storage of a tensor through other sizes and strides: a view.",
    params: &[
        param("input", Tensor),
        param("size", Ints),
        param("stride", Ints),
        optional("storage_offset", Int, Attr::None),
    ],
    prepare: Some(|_, src, attrs| prepare_strided(src, attrs)),
    infer: |_, src, attrs| {
        Ok(Meta {
            shape: sizes(&attrs[0]),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| {
        // The operand is row-major, so positions of the view are positions of its buffer.
        view.is_contiguous().then(|| {
            let mut seen = view_of(node);
            seen.offset += view.offset;
            seen
        })
    }),
    vjp: Vjp::Rule(crate::ops::movement::placed),
    exact: true,
    samples: samples(&["[6] (2,2) (2,1) 1", "[5] (3,3) (1,1)", "[2,3] (4) (0)"]),
    example: example("torch.as_strided(torch.arange(5.0), (3, 3), (1, 1))"),
    out: Out::None,
    ..BASE
};

/// Puts a call of `as_strided` in terms of its operand's row-major elements; where it is not
/// row-major, or the call reaches beyond it, the operand is the storage itself.
pub(crate) fn prepare_strided(src: &mut [Operand], attrs: &mut Attrs) -> Result<()> {
    let x = src[0].clone();
    let (sizes, strides) = (attrs[0].as_ints(), attrs[1].as_ints());
    if sizes.len() != strides.len() {
        return Err(Error::runtime(format!(
            "as_strided: mismatch in length of strides and shape: got size {sizes:?} and stride {strides:?}"
        )));
    }
    if let Some(size) = sizes.iter().find(|&&n| n < 0) {
        return Err(Error::runtime(format!(
            "as_strided: got size {size} in {sizes:?}; sizes may not be negative"
        )));
    }
    if strides.iter().any(|&s| s < 0) {
        return Err(Error::runtime(format!(
            "as_strided: Negative strides are not supported at the moment, got strides: {strides:?}"
        )));
    }
    let view = x.view();
    let offset = match attrs[2] {
        Attr::None => view.offset as i64,
        _ => attrs[2].as_int(),
    };
    if offset < 0 {
        return Err(Error::runtime(format!(
            "as_strided: Tensor: invalid storage offset {offset}"
        )));
    }
    let shape: Shape = sizes
        .iter()
        .map(|&n| shape::size("as_strided", n))
        .collect::<Result<_>>()?;
    shape::check_size("as_strided", &shape)?;
    let stored = x.storage_len() as i128;
    let last = sizes
        .iter()
        .zip(strides)
        .map(|(&n, &s)| (i128::from(n) - 1).saturating_mul(i128::from(s)))
        .fold(i128::from(offset), i128::saturating_add);
    let is_empty = shape::numel(&shape) == 0;
    if !is_empty && last >= stored {
        return Err(Error::runtime(format!(
            "as_strided: sizes {sizes:?}, strides {strides:?}, storage offset {offset} reach element {last}, out of bounds for storage of {stored} elements"
        )));
    }
    let start = view.offset as i64;
    let inside =
        view.is_contiguous() && offset >= start && last < start as i128 + view.numel() as i128;
    attrs[2] = match inside || is_empty {
        true if is_empty => Attr::Int(0),
        true => Attr::Int(offset - start),
        #[cfg(feature = "full")]
        false => {
            src[0] = x.whole_storage()?;
            Attr::Int(offset)
        }
        #[cfg(not(feature = "full"))]
        false => {
            return Err(Error::not_implemented(
                "as_strided: this build reaches no elements beyond the tensor's own",
            ));
        }
    };
    Ok(())
}

/// The view that `AS_STRIDED` and `COPY_INTO` hold in their attributes.
pub(crate) fn view_of(node: &crate::node::Node) -> View {
    View {
        shape: sizes(&node.attrs[0]),
        strides: node.attrs[1]
            .as_ints()
            .iter()
            .map(|&s| s as isize)
            .collect(),
        offset: node.attrs[2].as_int() as isize,
    }
}

/// A view as attributes.
pub(crate) fn view_attrs(view: &View) -> crate::op::Attrs {
    smallvec![
        shape_attr(&view.shape),
        Attr::Ints(view.strides.iter().map(|&s| s as i64).collect()),
        Attr::Int(view.offset as i64),
    ]
}

/// Dimension, size and step of the windows in a shape.
fn windows(op: &Op, from: &[usize], attrs: &Attrs) -> Result<(usize, usize, usize, usize)> {
    let dim = dim_of(op, from, &attrs[0])?;
    let (n, size, step) = (
        from.get(dim).copied().unwrap_or(1),
        attrs[1].as_int(),
        attrs[2].as_int(),
    );
    if size < 0 {
        return Err(Error::runtime(format!(
            "unfold: size is {size} but must be >= 0"
        )));
    }
    if size as u64 > n as u64 {
        return Err(Error::runtime(format!(
            "unfold: maximum size for tensor at dimension {dim} is {n} but size is {size}"
        )));
    }
    if step <= 0 {
        return Err(Error::runtime(format!(
            "unfold: step is {step} but must be > 0"
        )));
    }
    let step = step.min(n as i64 + 1) as usize;
    Ok((dim, size as usize, step, (n - size as usize) / step + 1))
}

/// Windows over a dimension.
pub static TENSOR_UNFOLD: Op = Op {
    name: "tensor_unfold",
    python: face(&PythonFace {
        name: "Tensor.unfold",
        has_method: true,
        method_alone: true,
        ..PythonFace::PLAIN
    }),
    grad_fn: "UnfoldBackward0",
    symbol: "unfold",
    formula: "y[…, i, …, j] = a[…, i · step + j, …]",
    rules: &["{gy} added up where windows overlap"],
    doc: "Windows of a size along a dimension, step by step, as the last dimension: a view, Tensor.unfold.",
    params: &[
        param("input", Tensor),
        param("dimension", Int),
        param("size", Int),
        param("step", Int),
    ],
    infer: |op, src, attrs| {
        let (dim, size, _, n) = windows(op, &src[0].shape, attrs)?;
        let mut shape = src[0].shape.clone();
        if shape.is_empty() {
            // One number is a row of one: its windows hold it or nothing.
            return Ok(Meta {
                shape: smallvec![size],
                dtype: src[0].dtype,
            });
        }
        shape[dim] = n;
        shape.push(size);
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| {
        let (dim, size, step, n) = windows(node.op, &view.shape, &node.attrs).ok()?;
        let mut out = view.clone();
        let stride = view.strides.get(dim).copied().unwrap_or(1);
        if let Some(size) = out.shape.get_mut(dim) {
            *size = n;
            out.strides[dim] = stride * step as isize;
        }
        out.shape.push(size);
        out.strides.push(stride);
        Some(out)
    }),
    samples: samples(&["[6] 0 3 1", "[2,7] -1 2 3", "[4,3]T 0 2 1"]),
    method: false,
    example: example("torch.arange(5.0).unfold(0, 2, 1)"),
    ..PICK
};
