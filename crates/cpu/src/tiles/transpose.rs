//! Reading a transposed view in row-major order without fetching each cache line many times.
//!
//! Where neighbours in memory are neighbours of the last dimension but one, a row touches as many
//! cache lines as it has elements, and so does the next. A [`Panel`] holds the next rows together:
//! it is filled line by line, and tiles are then read from it.

use std::ops::Range;

use super::TILE;
use crate::layout::{Layout, copy};

/// Rows that are turned together: the float32 in a cache line.
const TOGETHER: usize = 16;

/// Longest row for which a panel stays in the second-level cache.
const LONGEST_ROW: usize = 8192;

/// Some consecutive rows of a layout.
#[derive(Debug)]
pub(crate) struct Panel {
    /// Which rows are there.
    held: Range<usize>,
    /// The most there can be.
    capacity: usize,
    /// How many the layout has.
    n_rows: usize,
    /// Elements of a row, and from one row to the next. They differ so that the rows of a panel do
    /// not compete for the same lines of the cache.
    inner: usize,
    pitch: usize,
}

impl Panel {
    /// A panel for a layout, if it is one that profits.
    pub(crate) fn new(layout: &Layout) -> Option<Panel> {
        let [ref outer @ .., (n, 1), (inner, stride)] = layout.dims[..] else {
            return None;
        };
        if n < TOGETHER / 2 || stride.unsigned_abs() < TOGETHER / 2 || inner > LONGEST_ROW {
            return None;
        }
        let n_rows = outer.iter().map(|&(size, _)| size).product::<usize>() * n;
        // A tile has to find all its rows.
        let capacity = (TOGETHER + TILE.div_ceil(inner) + 1).min(n_rows);
        Some(Panel {
            held: 0..0,
            capacity,
            n_rows,
            inner,
            pitch: inner + TOGETHER,
        })
    }

    /// How many elements it needs room for.
    pub(crate) fn len(&self) -> usize {
        self.capacity * self.pitch
    }

    /// Whether the rows of a tile are missing; then it has to be filled from `start` on.
    pub(crate) fn lacks(&mut self, start: usize, len: usize) -> bool {
        let (first, last) = (start / self.inner, (start + len - 1) / self.inner);
        let lacks = first < self.held.start || last >= self.held.end;
        if lacks {
            self.held = first..(first + self.capacity).min(self.n_rows);
        }
        lacks
    }

    /// Fills it, after [`Panel::lacks`] said so.
    pub(crate) fn fill<T: Copy>(&self, layout: &Layout, source: &[T], panel: &mut [T]) {
        let Some((&(inner, stride), rows)) = layout.dims.split_last() else {
            return;
        };
        let rows = Layout {
            dims: rows.into(),
            offset: layout.offset,
        };
        rows.runs(self.held.start, self.held.len(), |at, _, from, n| {
            for column in 0..inner {
                let at = (at as isize + column as isize * stride) as usize;
                let target = &mut panel[from * self.pitch + column..][..(n - 1) * self.pitch + 1];
                for (i, &x) in source[at..at + n].iter().enumerate() {
                    target[i * self.pitch] = x;
                }
            }
        });
    }

    /// The elements at positions `start ..`, as many as `out` holds.
    pub(crate) fn read<T: Copy>(&self, panel: &[T], start: usize, out: &mut [T]) {
        let (mut row, mut column) = (start / self.inner - self.held.start, start % self.inner);
        let mut done = 0;
        while done < out.len() {
            let n = (self.inner - column).min(out.len() - done);
            copy(
                &panel[row * self.pitch + column..][..n],
                &mut out[done..done + n],
            );
            done += n;
            row += 1;
            column = 0;
        }
    }
}
