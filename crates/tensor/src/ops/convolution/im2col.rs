//! How the three ops of `factors` are computed: a matrix product over columns of windows (im2col), or one kernel where
//! the device has layers.

use smallvec::{SmallVec, smallvec};

use crate::fused_op::{Convolution, Family, Wanted};
use crate::graph::GraphValue;
use crate::op::{Attr, Attrs};
use crate::ops::factors::{
    FUSED_CONVOLUTION, FUSED_CONVOLUTION_TRANSPOSE, FUSED_CONVOLUTION_WEIGHT,
};
use crate::ops::formula::shape_attr;
use crate::ops::reduce::REDUCE_SUM;
use crate::ops::windows::Window;
use crate::ops::{fused, sizes};
use crate::shape::{self, Shape};
use crate::view::View;

/// Most bytes of columns made at once, where a batch can be taken in parts: columns repeat each
/// element of the input for every place of the kernel, and are most of what a convolution needs.
const COLUMNS: usize = 1 << 20;

/// Most parts of a batch.
const MOST_PARTS: usize = 8;

/// Starts and lengths of the parts in which a batch of `n` goes, with `each` bytes of columns.
fn batches(n: usize, each: usize) -> impl Iterator<Item = (usize, usize)> {
    let parts = n
        .saturating_mul(each)
        .div_ceil(COLUMNS)
        .clamp(1, MOST_PARTS);
    let size = n.div_ceil(parts).max(1);
    let rest = (1..n.div_ceil(size)).map(move |part| part * size);
    std::iter::once(0)
        .chain(rest)
        .map(move |start| (start, size.min(n - start)))
}

/// How a kernel moves over an input of some spatial dimensions.
pub(in crate::ops) struct Motion {
    pub(in crate::ops) stride: Shape,
    /// Zeros in front of the input; how many come after it follows from the result's size.
    pub(in crate::ops) before: Shape,
    pub(in crate::ops) dilation: Shape,
    pub(in crate::ops) groups: usize,
}

impl Motion {
    /// From the attributes of the three ops: stride, zeros in front, dilation, groups, and the
    /// result's spatial sizes.
    pub(in crate::ops) fn of(attrs: &Attrs) -> Motion {
        Motion {
            stride: sizes(&attrs[0]),
            before: sizes(&attrs[1]),
            dilation: sizes(&attrs[2]),
            groups: attrs[3].as_int() as usize,
        }
    }

    /// As attributes, for a result of these spatial sizes.
    pub(in crate::ops) fn attrs(&self, result: &[usize]) -> Attrs {
        smallvec![
            shape_attr(&self.stride),
            shape_attr(&self.before),
            shape_attr(&self.dilation),
            Attr::Int(self.groups as i64),
            shape_attr(result),
        ]
    }

    /// Distance between the first and the last element that a kernel of this size covers.
    pub(in crate::ops) fn reach(&self, d: usize, kernel: usize) -> usize {
        self.dilation[d] * (kernel - 1)
    }

    /// The input under each place of the kernel: `[N, C, *count, *kernel]`.
    pub(in crate::ops) fn windows(
        &self,
        x: &GraphValue,
        kernel: &[usize],
        count: &[usize],
    ) -> GraphValue {
        let spatial = &x.shape()[2..];
        let around: SmallVec<[(usize, usize); 3]> = (0..kernel.len())
            .map(|d| {
                let end =
                    count[d].saturating_sub(1) * self.stride[d] + self.reach(d, kernel[d]) + 1;
                (
                    self.before[d],
                    end.saturating_sub(spatial[d] + self.before[d]),
                )
            })
            .collect();
        let windows: SmallVec<[Window; 3]> = (0..kernel.len())
            .map(|d| Window {
                dim: 0,
                size: kernel[d],
                step: self.stride[d],
                dilation: self.dilation[d],
                count: count[d],
            })
            .collect();
        x.padded(&around, &x.number(0.0)).windows_of_last(&windows)
    }

    /// Those windows as columns: `[N, C · kernel, count]`, or `[groups, C/groups · kernel, N · count]`.
    pub(in crate::ops) fn columns(
        &self,
        x: &GraphValue,
        kernel: &[usize],
        count: &[usize],
    ) -> GraphValue {
        let (n, c) = (x.shape()[0], x.shape()[1]);
        let (size, places) = (shape::numel(kernel), shape::numel(count));
        let windows = self.windows(x, kernel, count);
        let dims = kernel.len();
        let counts = 2..2 + dims;
        let kernels = 2 + dims..2 + 2 * dims;
        if self.groups == 1 {
            let order: SmallVec<[usize; 6]> =
                [0, 1].into_iter().chain(kernels).chain(counts).collect();
            return windows.permute(&order).reshape(&[n, c * size, places]);
        }
        let order: SmallVec<[usize; 6]> = std::iter::once(1)
            .chain(kernels)
            .chain(std::iter::once(0))
            .chain(counts)
            .collect();
        let rows = c / self.groups * size;
        windows
            .permute(&order)
            .reshape(&[self.groups, rows, n * places])
    }

    /// `[N, O, count]` from `[N, C, *]` and a weight `[O, C/groups, *kernel]`.
    pub(in crate::ops) fn convolve(
        &self,
        x: &GraphValue,
        w: &GraphValue,
        count: &[usize],
    ) -> GraphValue {
        let (n, out) = (x.shape()[0], w.shape()[0]);
        let kernel = &w.shape()[2..];
        let places = shape::numel(count);
        let mut shape: Shape = smallvec![n, out];
        shape.extend_from_slice(count);
        if let Some(y) = self.layer(Wanted::Result, x, w, &shape) {
            return y;
        }
        if self.groups == 1 {
            let rows = x.shape()[1] * shape::numel(kernel);
            let w = w.reshape(&[1, out, rows]);
            let part = |(start, n): (usize, usize)| {
                let columns = self.columns(&x.slice(0, start, n, 1), kernel, count);
                w.expand(&[n, out, rows]).bmm(&columns)
            };
            let sizes: Vec<_> = batches(n, rows * places * x.dtype().size()).collect();
            let parts: Vec<GraphValue> = sizes.iter().copied().map(part).collect();
            if let [whole] = &parts[..] {
                return whole.reshape(&shape);
            }
            let whole = View::contiguous(&[n, out, places]);
            let at = sizes.iter().map(|&(start, n)| whole.slice(0, start, n, 1));
            let at: Vec<View> = at.collect();
            return GraphValue::write_parts(&parts, &at, &whole.shape).reshape(&shape);
        }
        let columns = self.columns(x, kernel, count);
        let rows = columns.shape()[1];
        let each = out / self.groups;
        let y = w.reshape(&[self.groups, each, rows]).bmm(&columns);
        y.reshape(&[out, n, places])
            .permute(&[1, 0, 2])
            .reshape(&shape)
    }

    /// `[N, C, *size]` from `[N, O, *]` and a weight `[O, C/groups, *kernel]`: a convolution of y,
    /// its elements `stride` apart, by the kernel turned round.
    pub(in crate::ops) fn spread(
        &self,
        y: &GraphValue,
        w: &GraphValue,
        size: &[usize],
    ) -> GraphValue {
        let mut shape: Shape = smallvec![y.shape()[0], w.shape()[1] * self.groups];
        shape.extend_from_slice(size);
        if let Some(x) = self.layer(Wanted::Input, y, w, &shape) {
            return x;
        }
        let kernel = Shape::from_slice(&w.shape()[2..]);
        let mut apart = Shape::from_slice(&y.shape()[..2]);
        for (d, &n) in size.iter().enumerate() {
            apart.push(n + self.reach(d, kernel[d]));
        }
        let mut part = y.clone();
        let mut at = View::contiguous(&apart);
        for d in 0..kernel.len() {
            let reach = self.reach(d, kernel[d]);
            let (stride, before) = (self.stride[d], self.before[d]);
            // Element j belongs at reach + stride · j − before; some may lie outside.
            let first = before.saturating_sub(reach).div_ceil(stride);
            let end = (size[d] + before).div_ceil(stride).min(y.shape()[2 + d]);
            let len = end.saturating_sub(first);
            if len == 0 {
                return y.number(0.0).expand(&shape);
            }
            part = part.slice(2 + d, first, len, 1);
            at = at.slice(2 + d, reach + stride * first - before, len, stride as isize);
        }
        let covers = at == View::contiguous(&apart);
        let apart = match covers {
            true => part,
            false => GraphValue::write_parts(&[part], &[at], &apart),
        };
        let (out, each) = (w.shape()[0], w.shape()[1]);
        let mut turned = (0..kernel.len()).fold(w.clone(), |w, d| {
            w.slice(2 + d, kernel[d] - 1, kernel[d], -1)
        });
        let inside = shape::numel(&kernel);
        turned = turned
            .reshape(&[self.groups, out / self.groups, each, inside])
            .permute(&[0, 2, 1, 3]);
        let mut shape: Shape = smallvec![self.groups * each, out / self.groups];
        shape.extend_from_slice(&kernel);
        let one = Motion {
            stride: Shape::from_elem(1, kernel.len()),
            before: Shape::from_elem(0, kernel.len()),
            dilation: self.dilation.clone(),
            groups: self.groups,
        };
        one.convolve(&apart, &turned.reshape(&shape), size)
    }

    /// `[O, C/groups, *kernel]` from `[N, C, *]` and `[N, O, *]`.
    pub(in crate::ops) fn correlate(
        &self,
        x: &GraphValue,
        y: &GraphValue,
        kernel: &[usize],
    ) -> GraphValue {
        let (n, out) = (y.shape()[0], y.shape()[1]);
        let count = &y.shape()[2..];
        let places = shape::numel(count);
        let mut shape: Shape = smallvec![out, x.shape()[1] / self.groups];
        shape.extend_from_slice(kernel);
        if let Some(w) = self.layer(Wanted::Weight, x, y, &shape) {
            return w;
        }
        if self.groups == 1 {
            let y = y.reshape(&[n, out, places]);
            let part = |(start, n): (usize, usize)| {
                let columns = self.columns(&x.slice(0, start, n, 1), kernel, count).t();
                let each = y.slice(0, start, n, 1).bmm(&columns);
                each.reduce(&REDUCE_SUM, &[0])
            };
            let each = x.shape()[1] * shape::numel(kernel) * places * x.dtype().size();
            let sum = batches(n, each).map(part).reduce(|sum, part| sum + part);
            return sum.unwrap_or_else(|| x.number(0.0)).reshape(&shape);
        }
        let columns = self.columns(x, kernel, count).t();
        let y = y.reshape(&[n, out, places]).permute(&[1, 0, 2]).reshape(&[
            self.groups,
            out / self.groups,
            n * places,
        ]);
        y.bmm(&columns).reshape(&shape)
    }

    /// The factor of this shape from the other two as one kernel, if the device has it. Sums that are taken in
    /// parts are added up by a second one.
    pub(in crate::ops) fn layer(
        &self,
        wanted: Wanted,
        a: &GraphValue,
        b: &GraphValue,
        shape: &[usize],
    ) -> Option<GraphValue> {
        let is_empty = b.node().numel() == 0 || shape::numel(shape) == 0;
        if is_empty || !fused::offered_unwalked(a, Family::Convolution) {
            return None;
        }
        let parts = match a.engine().backend(a.node().device).splits_long_sums() {
            true => self
                .layer_sizes(wanted, a.shape(), b.shape(), shape)
                .best_parts(),
            false => 1,
        };
        let mut attrs = self.attrs(shape);
        attrs.push(Attr::Int(parts as i64));
        let op = match wanted {
            Wanted::Result => &FUSED_CONVOLUTION,
            Wanted::Input => &FUSED_CONVOLUTION_TRANSPOSE,
            Wanted::Weight => &FUSED_CONVOLUTION_WEIGHT,
        };
        let each = a.call(op, &[b], attrs);
        Some(match parts {
            1 => each.reshape(shape),
            _ => each.reduce(&REDUCE_SUM, &[0]).reshape(shape),
        })
    }

    /// What a layer knows of two factors and the one that is wanted.
    pub(in crate::ops) fn layer_sizes(
        &self,
        wanted: Wanted,
        a: &[usize],
        b: &[usize],
        shape: &[usize],
    ) -> Convolution {
        let [x, w, y] = match wanted {
            Wanted::Result => [a, b, shape],
            Wanted::Input => [shape, b, a],
            Wanted::Weight => [a, shape, b],
        };
        let in_front = |sizes: &[usize], fill: usize| {
            let mut all = [fill; 3];
            all[3 - sizes.len()..].copy_from_slice(sizes);
            all
        };
        let result = in_front(&y[2..], 1);
        let mut stride = in_front(&self.stride, 1);
        for d in 0..3 {
            // To the next place, if there is one: however far it would be, a device can count it.
            if result[d] == 1 {
                stride[d] = 1;
            }
        }
        Convolution {
            wanted,
            batch: x[0],
            groups: self.groups,
            channels_in: w[1],
            channels_out: w[0] / self.groups,
            input: in_front(&x[2..], 1),
            kernel: in_front(&w[2..], 1),
            result,
            stride,
            before: in_front(&self.before, 0),
            dilation: in_front(&self.dilation, 1),
            parts: 1,
        }
    }
}
