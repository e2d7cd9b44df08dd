//! An operand as a convolution's windows read it: with its zeros around it, and so that neighbouring windows read
//! neighbouring elements.
//!
//! The elements of a plane that lie `stride` apart follow each other in a [`Source`] (a plane is cut into `stride`
//! phases in each dimension), so an element under every window is a run of neighbours at one offset.

use glowgrad_tensor::fused_op::{Convolution, Wanted};

use super::{count, places};
use crate::layout::copy;

/// How planes of some spatial sizes lie in a padded copy.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source {
    /// Spatial sizes of a plane where it comes from.
    from: [usize; 3],
    /// Phases by dimension.
    phases: [usize; 3],
    /// Sizes of a phase.
    pub(super) size: [usize; 3],
    /// Zeros in front.
    front: [usize; 3],
    /// Whether planes are read where they lie.
    pub(super) in_place: bool,
}

/// The last step of `n`, in elements.
fn reach(step: usize, n: usize) -> Option<usize> {
    step.checked_mul(n.saturating_sub(1))
}

/// Elements of a padded plane times its channels, if they can be counted.
pub(super) fn padded(sizes: &Convolution) -> Option<usize> {
    let mut n = sizes.groups * sizes.channels_in.max(sizes.channels_out);
    for d in 0..3 {
        let all = reach(sizes.stride[d], sizes.result[d])?
            .checked_add(reach(sizes.dilation[d], sizes.kernel[d])?)?
            .checked_add(sizes.stride[d])?
            .max(sizes.input[d].checked_add(sizes.before[d])?);
        n = n.checked_mul(all)?;
    }
    // Everything below counts in less than that.
    n.checked_mul(8).map(|n| n / 8)
}

impl Source {
    /// x, as windows read it.
    pub(super) fn of_input(sizes: &Convolution) -> Source {
        let size = std::array::from_fn(|d| {
            let last = sizes.stride[d] * (sizes.result[d] - 1);
            (last + sizes.dilation[d] * (sizes.kernel[d] - 1)) / sizes.stride[d] + 1
        });
        Source::new(sizes.input, sizes.stride, size, sizes.before)
    }

    /// y, as the windows of its transposed convolution read it.
    pub(super) fn of_result(sizes: &Convolution) -> Source {
        let mut front = [0; 3];
        let size = std::array::from_fn(|d| {
            let (stride, before) = (sizes.stride[d], sizes.before[d]);
            let reach = sizes.dilation[d] * (sizes.kernel[d] - 1);
            front[d] = reach.saturating_sub(before).div_ceil(stride);
            let last = (sizes.input[d] - 1) / stride + before.div_ceil(stride);
            front[d] + last + 1
        });
        Source::new(sizes.result, [1; 3], size, front)
    }

    fn new(from: [usize; 3], phases: [usize; 3], size: [usize; 3], front: [usize; 3]) -> Source {
        let in_place = phases == [1; 3] && front == [0; 3] && (0..3).all(|d| size[d] <= from[d]);
        let size = if in_place { from } else { size };
        Source {
            from,
            phases,
            size,
            front,
            in_place,
        }
    }

    /// Elements of a plane here.
    pub(super) fn plane(&self) -> usize {
        count(self.phases) * count(self.size)
    }

    /// From one element of a phase to the next, by dimension.
    pub(super) fn strides(&self) -> [usize; 3] {
        [self.size[1] * self.size[2], self.size[2], 1]
    }

    /// Where the padded element `u` lies.
    pub(super) fn offset(&self, u: [usize; 3]) -> usize {
        let (phases, strides) = (self.phases, self.strides());
        let phase: [usize; 3] = std::array::from_fn(|d| u[d] % phases[d]);
        let phase = (phase[0] * phases[1] + phase[1]) * phases[2] + phase[2];
        let within = (0..3).map(|d| u[d] / phases[d] * strides[d]);
        phase * count(self.size) + within.sum::<usize>()
    }

    /// Elements in front of a plane, in dimension `d`.
    pub(super) fn front(&self, d: usize) -> usize {
        self.front[d]
    }

    /// Copies planes with their zeros.
    pub(super) fn fill(&self, x: &[f32], out: &mut [f32]) {
        out.fill(0.0);
        let planes = x.chunks_exact(count(self.from));
        for (x, out) in planes.zip(out.chunks_exact_mut(self.plane())) {
            let [outer, middle, last] = self.from;
            for row in places([outer, middle, 1]) {
                let u: [usize; 3] = std::array::from_fn(|d| row[d] + self.front[d]);
                if (0..2).any(|d| u[d] / self.phases[d] >= self.size[d]) {
                    continue;
                }
                let at = (row[0] * middle + row[1]) * last;
                let row = &x[at..at + last];
                let phases = self.phases[2];
                for first in 0..phases.min(last) {
                    let u2 = self.front[2] + first;
                    let to = u2 / phases;
                    let n = (last - first)
                        .div_ceil(phases)
                        .min(self.size[2].saturating_sub(to));
                    if n == 0 {
                        continue;
                    }
                    let at = self.offset([u[0], u[1], u2]);
                    let out = &mut out[at..at + n];
                    if phases == 1 {
                        copy(&row[..n], out);
                    } else {
                        let from = row[first..].iter().step_by(phases);
                        out.iter_mut().zip(from).for_each(|(out, &x)| *out = x);
                    }
                }
            }
        }
    }
}

/// A rectangle of windows that all read their elements at the same offsets: every result of a convolution, or those
/// elements of its input that lie `stride` apart.
#[derive(Debug)]
pub(super) struct Grid {
    /// How many windows, by dimension.
    pub(super) counts: [usize; 3],
    /// Where the first one's result lies, and how far it is to the next by dimension.
    pub(super) at: usize,
    pub(super) steps: [usize; 3],
    /// The elements of the kernel that these windows have, and where the first window reads each.
    pub(super) taps: Vec<(usize, usize)>,
}

/// The grids that make up a result, or an input's gradient.
pub(super) fn grids(sizes: &Convolution, source: &Source) -> Vec<Grid> {
    let kernel = || places(sizes.kernel).enumerate();
    if sizes.wanted != Wanted::Input {
        let tap = |k: [usize; 3]| source.offset(std::array::from_fn(|d| sizes.dilation[d] * k[d]));
        let [_, b, c] = sizes.result;
        return vec![Grid {
            counts: sizes.result,
            at: 0,
            steps: [b * c, c, 1],
            taps: kernel().map(|(i, k)| (i, tap(k))).collect(),
        }];
    }
    let [_, b, c] = sizes.input;
    let strides = [b * c, c, 1];
    let first = std::array::from_fn(|d| sizes.stride[d].min(sizes.input[d]));
    let grid = |first: [usize; 3]| {
        let tap = |k: [usize; 3]| {
            let mut u = [0; 3];
            for d in 0..3 {
                let (stride, step) = (sizes.stride[d], sizes.dilation[d] * k[d]);
                // Element i has y at (i + before − dilation · k) / stride, where that is whole.
                let at =
                    (first[d] + sizes.before[d] + source.front(d) * stride).checked_sub(step)?;
                if !at.is_multiple_of(stride) {
                    return None;
                }
                u[d] = at / stride;
            }
            Some(source.offset(u))
        };
        Grid {
            counts: std::array::from_fn(|d| (sizes.input[d] - first[d]).div_ceil(sizes.stride[d])),
            at: (0..3).map(|d| first[d] * strides[d]).sum(),
            steps: std::array::from_fn(|d| strides[d] * sizes.stride[d]),
            taps: kernel().filter_map(|(i, k)| Some((i, tap(k)?))).collect(),
        }
    };
    places(first).map(grid).collect()
}
