//! The scheduler's ops that move single elements, in which the others are written: rows gathered and scattered by index,
//! and `copy_into`, which an in-place write to a view, `cat` and `stack` become.

use smallvec::{SmallVec, smallvec};

use crate::dtype::DType;
use crate::graph::{GraphValue, routine};
use crate::op::{Attr, Attrs, Infinities, Kind, Meta, Op, RoutineKind, Vjp};
use crate::ops::{BASE, sizes};
use crate::shape;
use crate::view::View;

/// Rows of a `[rows, inner]` source. Attributes, if given: the size the index is checked against
/// and whether negative indices were wrapped, for error messages.
pub static GATHER_ROWS: Op = Op {
    name: "gather_rows",
    infer: |_, src, _| {
        Ok(Meta {
            shape: smallvec![src[1].shape[0], src[0].shape[1]],
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Routine(RoutineKind::Of(routine::gather)),
    vjp: Vjp::Rule(|b| {
        Ok(smallvec![
            b.needs(0)
                .then(|| b.gy.scatter_add_rows(&b.src[1], b.src[0].shape()[0])),
            None
        ])
    }),
    method: false,
    infinities: Infinities::Chooses,
    ..BASE
};

/// Rows added up at their indices; attribute 0 is the number of rows. Operands: index, values.
pub static SCATTER_ADD_ROWS: Op = Op {
    name: "scatter_add_rows",
    infer: |_, src, attrs| {
        let rows = attrs[0].as_int() as usize;
        Ok(Meta {
            shape: smallvec![rows, src[1].shape[1]],
            dtype: src[1].dtype,
        })
    },
    kind: Kind::Routine(RoutineKind::Of(routine::scatter_add)),
    vjp: Vjp::Rule(|b| {
        Ok(smallvec![
            None,
            b.needs(1).then(|| b.gy.gather_rows(&b.src[0]))
        ])
    }),
    method: false,
    ..BASE
};

/// A `[rows, inner]` base with rows put at their indices, in order: attribute 0 says what becomes of
/// the old element and the new, `set`, `prod`, `amax` or `amin`. Operands: base, index, values.
pub static SCATTER_ROWS: Op = Op {
    name: "scatter_rows",
    kind: Kind::Routine(RoutineKind::Of(routine::scatter)),
    vjp: Vjp::Rule(|b| {
        if b.attr(0).as_str() != "set" {
            return Err(crate::Error::runtime(
                "scatter_rows: only what sets elements has a rule; the op that puts otherwise has its own",
            ));
        }
        let (index, values) = (&b.src[1], &b.src[2]);
        let kept = || b.gy.scatter_rows(index, &values.zeros_like(), "set");
        Ok(smallvec![
            b.needs(0).then(kept),
            None,
            b.needs(2).then(|| b.gy.gather_rows(index))
        ])
    }),
    method: false,
    infinities: Infinities::Chooses,
    ..BASE
};

/// A base (attribute 0 says whether there is one; otherwise zeros of the shape in attribute 1) with
/// values written through views: three attributes each, as in `AS_STRIDED`.
pub static COPY_INTO: Op = Op {
    name: "copy_into",
    grad_fn: "CopySlices",
    symbol: "[:]=",
    formula: "y = a, with b written in place",
    rules: &[
        "0 where b was written, {gy} elsewhere",
        "{gy} where b was written",
    ],
    infer: |_, src, attrs| {
        Ok(Meta {
            shape: sizes(&attrs[1]),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Routine(RoutineKind::CopyInto),
    vjp: Vjp::Rule(|b| {
        let has_base = b.attr(0).as_bool();
        let gy = b.gy.contiguous();
        let mut grads: SmallVec<[Option<GraphValue>; 3]> = smallvec![];
        let views = write_views(&b.node.attrs);
        if has_base {
            let keep = || {
                views.iter().fold(b.gy.clone(), |gy, at| {
                    gy.write_at(at, &gy.number(0.0).expand(&at.shape))
                })
            };
            grads.push(b.needs(0).then(keep));
        }
        for at in &views {
            let i = grads.len();
            grads.push(b.needs(i).then(|| gy.through(at)));
        }
        Ok(grads)
    }),
    method: false,
    infinities: Infinities::Chooses,
    ..BASE
};

/// The views that a `COPY_INTO` node writes through.
pub(crate) fn write_views(attrs: &Attrs) -> Vec<View> {
    attrs[2..]
        .as_chunks::<3>()
        .0
        .iter()
        .map(|part| View {
            shape: sizes(&part[0]),
            strides: part[1].as_ints().iter().map(|&s| s as isize).collect(),
            offset: part[2].as_int() as isize,
        })
        .collect()
}

impl GraphValue {
    /// This `[rows, inner]` value with rows put at `index`; see [`PUT`].
    pub(crate) fn scatter_rows(
        &self,
        index: &GraphValue,
        values: &GraphValue,
        how: &'static str,
    ) -> GraphValue {
        // What is only moved keeps its bits; what is combined needs a dtype of arithmetic.
        let wide = match how {
            "set" => self.dtype(),
            _ => self.dtype().compute(),
        };
        let wide = if wide == DType::Bool && how != "set" {
            DType::I64
        } else {
            wide
        };
        let attrs = smallvec![Attr::Str(how)];
        let put = self
            .to(wide)
            .call(&SCATTER_ROWS, &[index, &values.to(wide)], attrs);
        put.to(self.dtype())
    }

    /// Zeros of another shape, in this dtype.
    pub(crate) fn zeros_like_shape(&self, shape: &[usize]) -> GraphValue {
        self.number(0.0).expand(shape)
    }

    /// This value with another written through a view of its row-major elements.
    pub(crate) fn write_at(&self, at: &View, value: &GraphValue) -> GraphValue {
        let mut attrs: Attrs = smallvec![
            Attr::Bool(true),
            crate::ops::formula::shape_attr(self.shape())
        ];
        attrs.extend(crate::ops::strided::view_attrs(at));
        self.call(&COPY_INTO, &[&value.expand(&at.shape)], attrs)
    }

    /// Parts written through views of a new row-major value.
    pub(crate) fn write_parts(parts: &[GraphValue], at: &[View], shape: &[usize]) -> GraphValue {
        let mut attrs: Attrs = smallvec![Attr::Bool(false), crate::ops::formula::shape_attr(shape)];
        for view in at {
            attrs.extend(crate::ops::strided::view_attrs(view));
        }
        let others: Vec<&GraphValue> = parts[1..].iter().collect();
        parts[0].call(&COPY_INTO, &others, attrs)
    }

    /// This row-major value through a view.
    pub(crate) fn through(&self, view: &View) -> GraphValue {
        self.contiguous().call(
            &crate::ops::strided::AS_STRIDED,
            &[],
            crate::ops::strided::view_attrs(view),
        )
    }

    /// This value with another added through a view that may name an element twice.
    pub(crate) fn add_at(&self, at: &View, value: &GraphValue) -> GraphValue {
        if !at.overlaps() {
            return self.write_at(at, value);
        }
        let n = at.numel();
        let index = shape::reserve("index", n).and_then(|mut positions| {
            positions.extend(at.positions().map(|p| p as i64));
            self.engine().leaf_i64(&positions, &[n])
        });
        match index {
            Ok(index) => {
                let index = GraphValue::new(self.engine(), index);
                let sum = value
                    .reshape(&[n, 1])
                    .scatter_add_rows(&index, self.node().numel());
                sum.reshape(self.shape())
            }
            Err(error) => {
                self.engine().poison(error);
                self.clone()
            }
        }
    }
}
