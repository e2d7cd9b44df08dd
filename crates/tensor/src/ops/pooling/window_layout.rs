//! Where a pool's windows lie: evenly spaced ones, and the adaptive ones whose sizes differ.
//!
//! Even windows are views and cost nothing; uneven ones are gathered, and what lies beyond a
//! window's end is filled. Either way a pool is one reduction over the last dimensions.

use smallvec::{SmallVec, smallvec};

use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::op::{Attr, Attrs, Op};
use crate::ops::conv::{dims_of, per_dim};
use crate::ops::windows::Window;
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The windows of one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ops) enum WindowLayout {
    /// Evenly spaced.
    Even {
        count: usize,
        size: usize,
        step: usize,
        before: usize,
        dilation: usize,
    },
    /// From ⌊i · n / count⌋ to ⌈(i + 1) · n / count⌉ of n elements.
    Adaptive { count: usize },
}

pub(in crate::ops) type WindowLayouts = SmallVec<[WindowLayout; 3]>;

impl WindowLayout {
    /// Windows that share `n` elements as fairly as they can.
    pub(in crate::ops) fn adaptive(n: usize, count: usize) -> WindowLayout {
        if count > 0 && n.is_multiple_of(count) {
            return WindowLayout::Even {
                count,
                size: n / count,
                step: n / count,
                before: 0,
                dilation: 1,
            };
        }
        WindowLayout::Adaptive { count }
    }

    pub(in crate::ops) fn count(self) -> usize {
        match self {
            WindowLayout::Even { count, .. } | WindowLayout::Adaptive { count } => count,
        }
    }

    /// First elements and lengths of adaptive windows on `n` elements.
    pub(in crate::ops) fn uneven(n: usize, count: usize) -> Vec<(usize, usize)> {
        let wide = |i: usize| i as u128 * n as u128;
        (0..count)
            .map(|i| {
                let start = (wide(i) / count as u128) as usize;
                let end = wide(i + 1).div_ceil(count as u128) as usize;
                (start, end - start)
            })
            .collect()
    }
}

/// The arguments of windows.
struct Spacing<'a> {
    kernel: &'a Attr,
    stride: &'a Attr,
    padding: &'a Attr,
    dilation: &'a Attr,
    ceil: bool,
}

impl Spacing<'_> {
    /// Where the windows lie on these spatial sizes.
    fn layouts(&self, op: &Op, space: &[usize]) -> Result<WindowLayouts> {
        let dims = space.len();
        let kernel = per_dim(op, "kernel_size", self.kernel, dims, 1)?;
        let stride = match self.stride.as_ints() {
            [] => kernel.clone(),
            _ => per_dim(op, "stride", self.stride, dims, 1)?,
        };
        let padding = per_dim(op, "padding", self.padding, dims, 0)?;
        let dilation = per_dim(op, "dilation", self.dilation, dims, 1)?;
        let layout = |d: usize| {
            let (size, step, before) = (kernel[d] as u64, stride[d] as u64, padding[d] as u64);
            let reach = dilation[d] as u64 * (size - 1) + 1;
            if before > reach / 2 {
                return Err(Error::runtime(format!(
                    "{}: pad should be at most half of effective kernel size, but got pad={before}, kernel_size={size} and dilation={}",
                    op.name, dilation[d]
                )));
            }
            let n = space[d] as u64;
            let padded = n + 2 * before;
            let count = if padded < reach {
                0
            } else {
                let rest = padded - reach;
                let more = if self.ceil {
                    rest.div_ceil(step)
                } else {
                    rest / step
                };
                // The last window must begin inside the input or the padding in front of it.
                let outside = self.ceil && more * step >= n + before;
                more + 1 - u64::from(outside)
            };
            if count < 1 {
                return Err(Error::runtime(format!(
                    "{}: Given input of spatial size {}, kernel_size={:?}, padding={:?}, dilation={:?}. Calculated output size in dimension {d}: 0. Output size is too small; use a smaller kernel or more padding",
                    op.name,
                    shape::show(space),
                    &kernel[..],
                    &padding[..],
                    &dilation[..]
                )));
            }
            Ok(WindowLayout::Even {
                count: count as usize,
                size: kernel[d],
                step: stride[d],
                before: padding[d],
                dilation: dilation[d],
            })
        };
        (0..dims).map(layout).collect()
    }
}

/// The spatial sizes of a pool's input.
fn space_of<'a>(op: &Op, input: &'a [usize]) -> Result<&'a [usize]> {
    let dims = dims_of(op);
    let fits = input.len() == dims + 1 || input.len() == dims + 2;
    let channel = input.len().saturating_sub(dims + 1);
    // Adaptive pools take no channels too; the largest of each only where there is no batch.
    let unbatched = input.len() == dims + 1;
    let no_channels =
        op.name.starts_with("adaptive_avg") || unbatched && op.name.starts_with("adaptive");
    let first = channel + usize::from(fits && no_channels);
    if !fits || input[first..].contains(&0) {
        return Err(Error::runtime(format!(
            "{}: non-empty {}D or {}D (batch mode) tensor expected for input, but got shape {}",
            op.name,
            dims + 1,
            dims + 2,
            shape::show(input)
        )));
    }
    Ok(&input[channel + 1..])
}

/// The windows of a call of one of this family's ops.
pub(in crate::ops) fn window_layouts(
    op: &Op,
    attrs: &Attrs,
    input: &[usize],
) -> Result<WindowLayouts> {
    let space = space_of(op, input)?;
    if op.name.starts_with("adaptive") {
        return adaptive_layouts(op, &attrs[0], space);
    }
    let one = Attr::Int(1);
    let max = op.name.starts_with("max");
    let spacing = Spacing {
        kernel: &attrs[0],
        stride: &attrs[1],
        padding: &attrs[2],
        dilation: if max { &attrs[3] } else { &one },
        ceil: attrs[if max { 4 } else { 3 }].as_bool(),
    };
    let layouts = spacing.layouts(op, space)?;
    // The input must fit into memory with its padding.
    let mut padded = Shape::from_slice(input);
    let first = input.len() - space.len();
    for (n, (before, after)) in padded[first..].iter_mut().zip(around(&layouts, space)) {
        *n = n.saturating_add(before).saturating_add(after);
    }
    shape::check_size(op.name, &padded)?;
    Ok(layouts)
}

fn adaptive_layouts(op: &Op, size: &Attr, space: &[usize]) -> Result<WindowLayouts> {
    let list = size.as_ints();
    if list.len() != 1 && list.len() != space.len() {
        return Err(Error::runtime(format!(
            "{}: output_size must be an int or a list of {} ints, got {list:?}",
            op.name,
            space.len()
        )));
    }
    let layout = |d: usize| match list[d.min(list.len() - 1)] {
        // What Python's None becomes: the size stays.
        -1 => Ok(WindowLayout::adaptive(space[d], space[d])),
        n if (0..=i64::from(i32::MAX)).contains(&n) => {
            Ok(WindowLayout::adaptive(space[d], n as usize))
        }
        n => Err(Error::runtime(format!(
            "{}: elements of output_size must be greater than or equal to 0 but received {n}",
            op.name
        ))),
    };
    (0..space.len()).map(layout).collect()
}

/// Layouts as an attribute, for ops that must know them without a pool's own arguments.
pub(in crate::ops) fn layouts_attr(layouts: &[WindowLayout]) -> Attr {
    let mut list: SmallVec<[i64; 6]> = smallvec![];
    for layout in layouts {
        let numbers = match *layout {
            WindowLayout::Even {
                count,
                size,
                step,
                before,
                dilation,
            } => [count, size, step, before, dilation],
            WindowLayout::Adaptive { count } => [count, 0, 0, 0, 0],
        };
        list.extend(numbers.map(|n| n as i64));
    }
    Attr::Ints(list)
}

/// The layouts that [`layouts_attr`] wrote.
pub(in crate::ops) fn layouts_of(attr: &Attr) -> WindowLayouts {
    attr.as_ints()
        .as_chunks::<5>()
        .0
        .iter()
        .map(|part| match [0, 1, 2, 3, 4].map(|i| part[i] as usize) {
            [count, 0, ..] => WindowLayout::Adaptive { count },
            [count, size, step, before, dilation] => WindowLayout::Even {
                count,
                size,
                step,
                before,
                dilation,
            },
        })
        .collect()
}

/// What windows need around planes of these sizes, before and behind.
fn around(layouts: &[WindowLayout], space: &[usize]) -> SmallVec<[(usize, usize); 3]> {
    let sides = |(layout, &n): (&WindowLayout, &usize)| match *layout {
        WindowLayout::Even {
            count,
            size,
            step,
            before,
            dilation,
        } => {
            let steps = |step: usize, n: usize| step.saturating_mul(n.saturating_sub(1));
            let end = steps(step, count).saturating_add(steps(dilation, size));
            (before, end.saturating_add(1).saturating_sub(n + before))
        }
        WindowLayout::Adaptive { .. } => (0, 0),
    };
    layouts.iter().zip(space).map(sides).collect()
}

/// The windows of the last dimensions: `[…, *counts, *sizes]`, filled up with a number.
pub(in crate::ops) fn patches(
    x: &GraphValue,
    layouts: &[WindowLayout],
    filling: &GraphValue,
) -> Result<GraphValue> {
    let first = x.shape().len() - layouts.len();
    let around = around(layouts, &x.shape()[first..]);
    let mut y = x.padded(&around, filling);
    for (i, layout) in layouts.iter().enumerate() {
        let dim = first + i;
        y = match *layout {
            WindowLayout::Even {
                count,
                size,
                step,
                dilation,
                ..
            } => y.windows(Window {
                dim,
                size,
                step,
                dilation,
                count,
            }),
            WindowLayout::Adaptive { count } => gathered(&y, dim, count, filling)?,
        };
    }
    Ok(y)
}

/// A number for each even window, added to every element that the window has of planes of these sizes.
pub(in crate::ops) fn spread(
    numbers: &GraphValue,
    layouts: &[WindowLayout],
    space: &[usize],
) -> GraphValue {
    let first = numbers.shape().len() - layouts.len();
    let window = |layout: &WindowLayout| match *layout {
        WindowLayout::Even {
            count,
            size,
            step,
            dilation,
            ..
        } => Some(Window {
            dim: first,
            size,
            step,
            dilation,
            count,
        }),
        WindowLayout::Adaptive { .. } => None,
    };
    let windows: SmallVec<[Window; 3]> = layouts.iter().filter_map(window).collect();
    let (mut one, mut each) = (numbers.shape().clone(), numbers.shape().clone());
    one.extend(windows.iter().map(|_| 1));
    each.extend(windows.iter().map(|window| window.size));
    let around = around(layouts, space);
    let sides = around.iter().zip(space);
    let padded: Shape = sides.map(|(sides, n)| sides.0 + n + sides.1).collect();
    let added = numbers
        .reshape(&one)
        .expand(&each)
        .overlap_added(first, &windows, &padded);
    let dims = around.iter().zip(space).enumerate();
    dims.fold(added, |y, (i, (sides, &n))| match sides {
        (0, 0) => y,
        (before, _) => y.slice(first + i, *before, n, 1),
    })
}

/// Adaptive windows of one dimension, gathered into a last dimension as long as the longest.
fn gathered(x: &GraphValue, dim: usize, count: usize, filling: &GraphValue) -> Result<GraphValue> {
    let n = x.shape()[dim];
    let windows = WindowLayout::uneven(n, count);
    let size = windows.iter().map(|&(_, len)| len).max().unwrap_or(1);
    let mut index = Vec::with_capacity(count * size);
    let mut inside = Vec::with_capacity(count * size);
    for &(start, len) in &windows {
        for k in 0..size {
            index.push((start + k).min(n - 1) as i64);
            inside.push(u8::from(k < len));
        }
    }
    let engine = x.engine();
    let index = GraphValue::new(engine, engine.leaf_i64(&index, &[count * size])?);
    let taken = x.call(
        &crate::ops::index_select::INDEX_SELECT,
        &[&index],
        smallvec![Attr::Int(dim as i64)],
    );
    let mut apart = Shape::from_slice(&x.shape()[..dim]);
    apart.extend([count, size]);
    apart.extend_from_slice(&x.shape()[dim + 1..]);
    let n_dims = apart.len();
    let order: SmallVec<[usize; 6]> = (0..n_dims)
        .filter(|&d| d != dim + 1)
        .chain(std::iter::once(dim + 1))
        .collect();
    let windows = taken.reshape(&apart).permute(&order);
    if inside.iter().all(|&one| one == 1) {
        return Ok(windows);
    }
    let mut along = Shape::from_elem(1, n_dims);
    along[dim] = count;
    along[n_dims - 1] = size;
    let inside = engine.internal_scope(|| engine.leaf_bytes(&inside, &along, DType::Bool))?;
    Ok(GraphValue::new(engine, inside).select(&windows, filling))
}
