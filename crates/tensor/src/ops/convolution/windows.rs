//! Overlapping windows along dimensions, and padding: what convolutions, pools and patches read.
//!
//! A window is a view, so nothing is copied until something needs rows. Windows are taken one
//! dimension at a time: their gradient then adds up as many parts as the sum of the kernel's sizes,
//! not the product. `torch.Tensor.unfold` and the modes of `pad` are left to `movement`.

use smallvec::smallvec;

use crate::View;
use crate::graph::GraphValue;
use crate::op::{Attr, Kind, Meta, Op, Vjp};
use crate::ops::{BASE, grad1};
use crate::shape::Shape;

/// Windows of one dimension. `dim` becomes `count` starts, `step` apart; a last dimension of `size`
/// elements, `dilation` apart, is added.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    pub(crate) dim: usize,
    pub(crate) size: usize,
    pub(crate) step: usize,
    pub(crate) dilation: usize,
    pub(crate) count: usize,
}

impl Window {
    fn attr(self) -> Attr {
        let Window {
            dim,
            size,
            step,
            dilation,
            count,
        } = self;
        Attr::Ints(
            [dim, size, step, dilation, count]
                .map(|n| n as i64)
                .into_iter()
                .collect(),
        )
    }

    fn of(attr: &Attr) -> Window {
        let at = |i: usize| attr.as_ints().get(i).map_or(0, |&n| n as usize);
        Window {
            dim: at(0),
            size: at(1),
            step: at(2),
            dilation: at(3),
            count: at(4),
        }
    }
}

/// Windows of one dimension; attribute 0 is a [`Window`].
pub(crate) static WINDOWS: Op = Op {
    name: "windows",
    infer: |_, src, attrs| {
        let window = Window::of(&attrs[0]);
        let mut shape = src[0].shape.clone();
        shape[window.dim] = window.count;
        shape.push(window.size);
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Movement(|view, node| {
        let window = Window::of(&node.attrs[0]);
        let mut view = view.clone();
        let stride = view.strides[window.dim];
        view.shape[window.dim] = window.count;
        view.strides[window.dim] = stride * window.step as isize;
        view.shape.push(window.size);
        view.strides.push(stride * window.dilation as isize);
        Some(view)
    }),
    vjp: Vjp::Rule(|b| {
        let window = b.attr(0).clone();
        let n = b.src[0].shape()[Window::of(&window).dim];
        grad1(b.gy.call(&OVERLAP_ADD, &[], smallvec![window, Attr::Int(n as i64)]))
    }),
    method: false,
    ..BASE
};

/// The inverse of [`WINDOWS`]: windows laid over each other and added up. Attributes: the
/// [`Window`] and the size that its dimension had.
pub(crate) static OVERLAP_ADD: Op = Op {
    name: "overlap_add",
    infer: |_, src, attrs| {
        let mut shape = src[0].shape.clone();
        shape.pop();
        shape[Window::of(&attrs[0]).dim] = attrs[1].as_int() as usize;
        Ok(Meta {
            shape,
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| Ok(overlap_add(&c.src[0], Window::of(c.attr(0)), &c.node.shape))),
    vjp: Vjp::Rule(|b| grad1(b.gy.windows(Window::of(b.attr(0))))),
    method: false,
    ..BASE
};

fn overlap_add(x: &GraphValue, window: Window, shape: &Shape) -> GraphValue {
    let Window {
        dim,
        size,
        step,
        dilation,
        count,
    } = window;
    let zeros = x.number(0.0).expand(shape);
    if count == 0 || size == 0 {
        return zeros;
    }
    let last = x.shape().len() - 1;
    let mut part_shape = x.shape().clone();
    part_shape.pop();
    // Places inside a window meet those of other windows only where their distances are multiples
    // of the step: all others are written together.
    let mut together: Vec<Vec<usize>> = Vec::new();
    for k in 0..size {
        let apart = |other: &usize| !((k - other) * dilation).is_multiple_of(step);
        match together.iter_mut().find(|group| group.iter().all(apart)) {
            Some(group) => group.push(k),
            None => together.push(vec![k]),
        }
    }
    let whole = View::contiguous(shape);
    let written = together.iter().map(|group| {
        let part = |&k: &usize| x.slice(last, k, 1, 1).reshape(&part_shape);
        let at = |&k: &usize| whole.slice(dim, k * dilation, count, step as isize);
        let parts: Vec<GraphValue> = group.iter().map(part).collect();
        let views: Vec<View> = group.iter().map(at).collect();
        GraphValue::write_parts(&parts, &views, shape)
    });
    written.reduce(|sum, part| sum + part).unwrap_or(zeros)
}

impl GraphValue {
    /// Windows of one dimension, as a view.
    pub(crate) fn windows(&self, window: Window) -> GraphValue {
        self.call(&WINDOWS, &[], smallvec![window.attr()])
    }

    /// With `(before, after)` elements of a number put around the last dimensions.
    pub(crate) fn padded(&self, around: &[(usize, usize)], filling: &GraphValue) -> GraphValue {
        if around.iter().all(|&sides| sides == (0, 0)) {
            return self.clone();
        }
        let first = self.shape().len() - around.len();
        let mut shape = self.shape().clone();
        for (i, (before, after)) in around.iter().enumerate() {
            shape[first + i] += before + after;
        }
        let at = around
            .iter()
            .enumerate()
            .fold(View::contiguous(&shape), |view, (i, &(before, _))| {
                view.slice(first + i, before, self.shape()[first + i], 1)
            });
        let is_zero = filling
            .node()
            .number
            .is_some_and(|number| number.as_f64() == 0.0);
        if is_zero {
            return GraphValue::write_parts(std::slice::from_ref(self), &[at], &shape);
        }
        filling.expand(&shape).write_at(&at, self)
    }

    /// Rows of the last dimensions as windows over each: `[…, *counts, *sizes]`.
    pub(crate) fn windows_of_last(&self, windows: &[Window]) -> GraphValue {
        let first = self.shape().len() - windows.len();
        windows
            .iter()
            .enumerate()
            .fold(self.clone(), |x, (i, &window)| {
                x.windows(Window {
                    dim: first + i,
                    ..window
                })
            })
    }

    /// The inverse of [`GraphValue::windows_of_last`]: dimensions from `first` on as they were before, with
    /// these sizes.
    pub(crate) fn overlap_added(
        &self,
        first: usize,
        windows: &[Window],
        sizes: &[usize],
    ) -> GraphValue {
        let each = windows.iter().zip(sizes).enumerate().rev();
        each.fold(self.clone(), |x, (i, (&window, &n))| {
            let window = Window {
                dim: first + i,
                ..window
            };
            let attrs = smallvec![window.attr(), Attr::Int(n as i64)];
            x.call(&OVERLAP_ADD, &[], attrs)
        })
    }
}
