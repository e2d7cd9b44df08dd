//! How a view is walked: few dimensions, by linear position, into tiles.
//!
//! A [`Layout`] is a view with its dimensions merged where they nest, so that most views become
//! one run of elements. The linear position counts the elements of the view row-major; what a
//! position means for the iteration space is the caller's business.

use glowgrad_tensor::View;
use smallvec::SmallVec;

/// A view's dimensions, merged; none of size 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Size and stride of each dimension, outermost first.
    pub(crate) dims: SmallVec<[(usize, isize); 6]>,
    /// Position of the first element.
    pub(crate) offset: isize,
}

/// The ways of reading that deserve a path of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// One element for all positions.
    Uniform,
    /// Position `i` is element `offset + i`.
    Contiguous,
    /// Position `i` is element `offset + i % period`.
    Periodic {
        /// Length of what repeats.
        period: usize,
    },
    /// Anything else.
    Strided,
}

impl Layout {
    /// The layout of a view with at least one element, its dimensions first put in an order.
    pub(crate) fn new(view: &View, order: Option<&[usize]>) -> Layout {
        let mut dims: SmallVec<[(usize, isize); 6]> = SmallVec::new();
        for i in 0..view.shape.len() {
            let dim = order.map_or(i, |order| order[i]);
            let (size, stride) = (view.shape[dim], view.strides[dim]);
            if size == 1 {
                continue;
            }
            match dims.last_mut() {
                Some(outer) if outer.1 == stride * size as isize => {
                    *outer = (outer.0 * size, stride)
                }
                _ => dims.push((size, stride)),
            }
        }
        Layout {
            dims,
            offset: view.offset,
        }
    }

    pub(crate) fn form(&self) -> Form {
        match self.dims[..] {
            [] | [(_, 0)] => Form::Uniform,
            [(_, 1)] => Form::Contiguous,
            [(_, 0), (period, 1)] => Form::Periodic { period },
            _ => Form::Strided,
        }
    }

    /// Calls `run(at, stride, from, n)` for runs of the innermost dimension that together cover the
    /// positions `start .. start + len`: `n` elements from `at` on go to `from .. from + n`,
    /// counted from `start`.
    #[inline(always)]
    pub(crate) fn runs(
        &self,
        start: usize,
        len: usize,
        mut run: impl FnMut(usize, isize, usize, usize),
    ) {
        let Some((&(inner, stride), outer)) = self.dims.split_last() else {
            if len > 0 {
                run(self.offset as usize, 0, 0, len);
            }
            return;
        };
        let mut within = start % inner;
        let mut index: SmallVec<[usize; 6]> = SmallVec::from_elem(0, outer.len());
        let mut row = self.offset;
        let mut rest = start / inner;
        for (i, &(size, step)) in index.iter_mut().zip(outer).rev() {
            *i = rest % size;
            row += *i as isize * step;
            rest /= size;
        }
        let mut done = 0;
        while done < len {
            let n = (inner - within).min(len - done);
            run((row + within as isize * stride) as usize, stride, done, n);
            done += n;
            within = 0;
            for (i, &(size, step)) in index.iter_mut().zip(outer).rev() {
                *i += 1;
                row += step;
                if *i < size {
                    break;
                }
                row -= step * size as isize;
                *i = 0;
            }
        }
    }

    /// The elements at positions `start ..`, as many as `out` holds.
    #[inline(always)]
    pub(crate) fn gather<T: Copy>(&self, source: &[T], start: usize, out: &mut [T]) {
        let len = out.len();
        self.runs(start, len, |at, stride, from, n| {
            let out = &mut out[from..from + n];
            match stride {
                1 => copy(&source[at..at + n], out),
                0 => out.fill(source[at]),
                _ => {
                    let mut at = at as isize;
                    for out in out {
                        *out = source[at as usize];
                        at += stride;
                    }
                }
            }
        });
    }

    /// Writes `values` to the positions `start ..`; the inverse of [`Layout::gather`].
    #[inline(always)]
    pub(crate) fn scatter<T: Copy>(&self, values: &[T], start: usize, target: &mut [T]) {
        self.runs(start, values.len(), |at, stride, from, n| {
            let values = &values[from..from + n];
            if stride == 1 {
                copy(values, &mut target[at..at + n]);
                return;
            }
            let mut at = at as isize;
            for &value in values {
                target[at as usize] = value;
                at += stride;
            }
        });
    }
}

/// Copies; short runs without the call that `memcpy` would cost, which in wasm is dear. (Of a loop
/// the compiler would make that very call.)
#[inline(always)]
pub(crate) fn copy<T: Copy>(from: &[T], to: &mut [T]) {
    /// The first `N` and the last `N` elements; they overlap.
    #[inline(always)]
    fn ends<T: Copy, const N: usize>(from: &[T], to: &mut [T]) {
        if let (Some(x), Some(y)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) {
            let (x, y) = (*x, *y);
            if let Some(to) = to.first_chunk_mut() {
                *to = x;
            }
            if let Some(to) = to.last_chunk_mut() {
                *to = y;
            }
        }
    }
    match from.len() {
        0 => {}
        1 => ends::<T, 1>(from, to),
        2..=4 => ends::<T, 2>(from, to),
        5..=8 => ends::<T, 4>(from, to),
        9..=16 => ends::<T, 8>(from, to),
        17..=32 => ends::<T, 16>(from, to),
        _ => to.copy_from_slice(from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn forms() {
        let v = View::contiguous(&[4, 3, 2]);
        assert_eq!(Layout::new(&v, None).form(), Form::Contiguous);
        assert_eq!(
            Layout::new(&v.slice(0, 1, 2, 1), None).form(),
            Form::Contiguous
        );
        assert_eq!(
            Layout::new(&View::contiguous(&[]), None).form(),
            Form::Uniform
        );
        assert_eq!(
            Layout::new(&View::contiguous(&[1, 1]).expand(&[5, 6]), None).form(),
            Form::Uniform
        );
        let row = View::contiguous(&[3, 2]).expand(&[5, 3, 2]);
        assert_eq!(Layout::new(&row, None).form(), Form::Periodic { period: 6 });
        assert_eq!(Layout::new(&v.flip(&[0, 1, 2]), None).form(), Form::Strided);
    }

    #[test]
    fn copies_of_every_length() {
        let from: Vec<u32> = (1..100).collect();
        for n in 0..from.len() {
            let mut to = vec![0; n];
            copy(&from[..n], &mut to);
            assert_eq!(to, from[..n]);
        }
    }

    #[test]
    fn any_window_of_any_view() {
        let base: Vec<u32> = (0..120).collect();
        let v = View::contiguous(&[2, 3, 4, 5]);
        for view in [
            v.clone(),
            v.permute(&[3, 1, 0, 2]),
            v.permute(&[0, 2, 1, 3]),
            v.flip(&[1, 3]),
            v.slice(2, 3, 2, -2),
            v.slice(3, 2, 1, 1).expand(&[2, 3, 4, 7]),
            v.slice(0, 1, 1, 1).expand(&[3, 3, 4, 5]),
        ] {
            let expected: Vec<u32> = view.positions().map(|p| base[p]).collect();
            let layout = Layout::new(&view, None);
            for start in 0..expected.len() {
                for len in [0, 1, 2, 7, 33, expected.len()] {
                    let len = len.min(expected.len() - start);
                    let mut out = vec![0; len];
                    layout.gather(&base, start, &mut out);
                    assert_eq!(out, expected[start..start + len], "{view:?} at {start}");
                }
            }
        }
    }
}
