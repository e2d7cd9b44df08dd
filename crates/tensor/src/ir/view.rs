//! Views: shape, strides and offset over a row of elements. Movement never copies.
//!
//! Strides and offset count elements, not bytes. Every movement op is a function from view to
//! view; only `reshape` can fail (then a copy is needed first). The gradient of a movement op is
//! its inverse, written with the ops in `ops/movement/mod.rs`.

use smallvec::SmallVec;

use crate::shape::{self, Shape};

/// Strides in elements; negative after `flip`, zero after `expand`.
pub type Strides = SmallVec<[isize; 6]>;

/// A window on a buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct View {
    /// Sizes, outermost first.
    pub shape: Shape,
    /// Steps in elements, one a dimension.
    pub strides: Strides,
    /// Index of the first element.
    pub offset: isize,
}

impl View {
    /// The row-major view of a whole buffer.
    pub fn contiguous(shape: &[usize]) -> View {
        View {
            shape: Shape::from_slice(shape),
            strides: shape::contiguous_strides(shape),
            offset: 0,
        }
    }

    /// The number of elements seen.
    pub fn numel(&self) -> usize {
        shape::numel(&self.shape)
    }

    /// Whether the elements lie row-major without gaps, wherever the first one is.
    pub fn is_contiguous(&self) -> bool {
        if self.numel() == 0 {
            return true;
        }
        let mut step = 1;
        for (&size, &stride) in self.shape.iter().zip(&self.strides).rev() {
            if size != 1 {
                if stride != step {
                    return false;
                }
                step *= size as isize;
            }
        }
        true
    }

    /// Dimensions in another order.
    pub fn permute(&self, order: &[usize]) -> View {
        View {
            shape: order.iter().map(|&d| self.shape[d]).collect(),
            strides: order.iter().map(|&d| self.strides[d]).collect(),
            offset: self.offset,
        }
    }

    /// Size-1 dimensions stretched (stride 0), new ones added in front. `shape` must be a
    /// broadcast of this view's.
    pub fn expand(&self, shape: &[usize]) -> View {
        let added = shape.len() - self.shape.len();
        let strides = (0..shape.len())
            .map(|i| match i.checked_sub(added) {
                Some(d) if self.shape[d] == shape[i] => self.strides[d],
                _ => 0,
            })
            .collect();
        View {
            shape: Shape::from_slice(shape),
            strides,
            offset: self.offset,
        }
    }

    /// Elements `start, start + step, …` of one dimension, `len` of them.
    pub fn slice(&self, dim: usize, start: usize, len: usize, step: isize) -> View {
        let mut view = self.clone();
        view.offset += start as isize * view.strides[dim];
        view.strides[dim] *= step;
        view.shape[dim] = len;
        view
    }

    /// Dimensions read backwards.
    pub fn flip(&self, dims: &[usize]) -> View {
        dims.iter().fold(self.clone(), |view, &d| {
            let n = view.shape[d];
            view.slice(d, n.saturating_sub(1), n, -1)
        })
    }

    /// The same elements in another shape, if that needs no copy. Runs of dimensions whose strides
    /// nest are merged, then split again (ATen `computeStride`).
    pub fn reshape(&self, shape: &[usize]) -> Option<View> {
        debug_assert_eq!(shape::numel(shape), self.numel());
        if self.numel() == 0 || self.is_contiguous() {
            return Some(View {
                offset: self.offset,
                ..View::contiguous(shape)
            });
        }
        let mut strides: Strides = SmallVec::from_elem(0, shape.len());
        let mut new_dim = shape.len();
        let (mut chunk, mut covered) = (1usize, 1usize);
        let mut base = *self.strides.last()?;
        for d in (0..self.shape.len()).rev() {
            chunk *= self.shape[d];
            let ends =
                d == 0 || (self.shape[d - 1] != 1 && self.strides[d - 1] != chunk as isize * base);
            if !ends {
                continue;
            }
            while new_dim > 0 && (covered < chunk || shape[new_dim - 1] == 1) {
                new_dim -= 1;
                strides[new_dim] = base * covered as isize;
                covered *= shape[new_dim];
            }
            if covered != chunk {
                return None;
            }
            if d > 0 {
                base = self.strides[d - 1];
                (chunk, covered) = (1, 1);
            }
        }
        (new_dim == 0).then(|| View {
            shape: Shape::from_slice(shape),
            strides,
            offset: self.offset,
        })
    }

    /// A matrix as a batch of one; a batch as it is.
    pub(crate) fn into_batch(mut self) -> View {
        if self.shape.len() == 2 {
            self.shape.insert(0, 1);
            // As that of a contiguous batch.
            self.strides
                .insert(0, (self.shape[1] * self.shape[2]) as isize);
        }
        self
    }

    /// Whether it may name an element twice. Exact where strides nest, as those of slices and
    /// permutations do; else it says yes.
    pub fn overlaps(&self) -> bool {
        if self.numel() == 0 {
            return false;
        }
        let mut steps: SmallVec<[(usize, usize); 6]> = (self.strides.iter().zip(&self.shape))
            .filter(|(_, n)| **n > 1)
            .map(|(&stride, &n)| (stride.unsigned_abs(), n))
            .collect();
        steps.sort_unstable();
        let mut reach = 0;
        for (step, n) in steps {
            if step <= reach {
                return true;
            }
            reach += step * (n - 1);
        }
        false
    }

    /// The positions in the buffer of the elements, row-major.
    pub fn positions(&self) -> Positions<'_> {
        Positions {
            view: self,
            index: SmallVec::from_elem(0, self.shape.len()),
            at: self.offset,
            left: self.numel(),
        }
    }
}

/// Iterator over buffer positions; see [`View::positions`].
pub struct Positions<'a> {
    view: &'a View,
    index: Shape,
    at: isize,
    left: usize,
}

impl Iterator for Positions<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let here = self.at;
        for d in (0..self.index.len()).rev() {
            self.index[d] += 1;
            self.at += self.view.strides[d];
            if self.index[d] < self.view.shape[d] {
                break;
            }
            self.at -= self.view.strides[d] * self.view.shape[d] as isize;
            self.index[d] = 0;
        }
        Some(here as usize)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(view: &View) -> Vec<usize> {
        view.positions().collect()
    }

    #[test]
    fn movement_moves_nothing() {
        let v = View::contiguous(&[2, 3]);
        assert_eq!(positions(&v.permute(&[1, 0])), [0, 3, 1, 4, 2, 5]);
        assert_eq!(positions(&v.slice(1, 2, 2, -2)), [2, 0, 5, 3]);
        assert_eq!(
            positions(&v.slice(0, 1, 1, 1).expand(&[2, 3])),
            [3, 4, 5, 3, 4, 5]
        );
        assert_eq!(positions(&v.flip(&[0, 1])), [5, 4, 3, 2, 1, 0]);
    }

    #[test]
    fn reshape_says_when_a_copy_is_needed() {
        let t = View::contiguous(&[2, 3]).permute(&[1, 0]);
        assert!(t.reshape(&[6]).is_none());
        let v = View::contiguous(&[4, 3, 2]).permute(&[1, 0, 2]);
        let r = v
            .reshape(&[3, 2, 2, 2])
            .expect("splits the middle dimension");
        assert_eq!(positions(&r), positions(&v));
        assert!(v.reshape(&[12, 2]).is_none());
        let one = View::contiguous(&[2, 3])
            .permute(&[1, 0])
            .reshape(&[3, 1, 2, 1]);
        assert_eq!(one.map(|v| positions(&v)), Some(vec![0, 3, 1, 4, 2, 5]));
    }
}
