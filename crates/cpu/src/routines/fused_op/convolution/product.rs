//! A convolution, and its input's gradient, as a product: the weight times the windows.
//!
//! Rows are channels of the result, columns its places over a few images, the depth is every channel and element of the
//! kernel. The weight is packed once. The images of a piece are independent of all others. A panel of columns is a list
//! of runs, each neighbours in the padded image; panels that are not one run of the result go through a tile of their own.

use std::ops::Range;

use glowgrad_tensor::fused_op::Wanted;
use glowgrad_tensor::{Result, interrupt};

use super::source::{Grid, Source, grids};
use super::{Part, Scratch, count};
use crate::Level;
use crate::gemm::{DEPTH, Kernel, Matrix, Tile, WithKernel};
use crate::simd::dispatch;

/// Columns that are packed together.
const COLUMNS: usize = 256;

/// Elements of padded images that are made together, unless one image has more.
const MOST_PADDED: usize = 1 << 18;

/// The result, or the input's gradient.
pub(super) struct Product<'a>(pub(super) Part<'a>);

/// Columns of one panel that lie together in the source: `column .. column + len` of the panel.
struct Run {
    column: usize,
    len: usize,
    at: usize,
    /// Where their results lie, from the result's first image and channel on, and how far it is from one to the next.
    to: usize,
}

/// The padded images that a piece reads.
#[derive(Clone, Copy)]
struct Images<'a> {
    data: &'a [f32],
    /// Where the first one's group begins, and how far it is to the next.
    first: usize,
    apart: usize,
    n: usize,
    /// From one window to the next, by dimension.
    strides: [usize; 3],
}

/// Where a group's results lie in those of a piece.
#[derive(Clone, Copy)]
struct Target {
    /// The first image's first channel, and how far it is to the next image and channel.
    first: usize,
    apart: usize,
    row: usize,
    /// Channels.
    m: usize,
}

/// A grid with its terms: where a window reads each, and which element of the weight it is multiplied by.
struct Panels {
    grid: Grid,
    reads: Vec<usize>,
    weights: Vec<usize>,
    /// Where its packed weights begin.
    start: usize,
}

impl WithKernel for Product<'_> {
    fn run<K: Kernel<f32> + Sync>(self, kernel: &K) -> Result<()> {
        let Part {
            level,
            pool,
            sizes,
            operands: (x, w),
            terms,
            out,
        } = self.0;
        let n_kernel = count(sizes.kernel);
        let forward = sizes.wanted == Wanted::Result;
        let (source, m, channels, n_out) = match forward {
            true => (
                Source::of_input(sizes),
                sizes.channels_out,
                sizes.channels_in,
                count(sizes.result),
            ),
            false => (
                Source::of_result(sizes),
                sizes.channels_in,
                sizes.channels_out,
                count(sizes.input),
            ),
        };
        let plane = source.plane();
        let n_from = x.len() / (sizes.batch * sizes.groups * channels);
        // From one element of the weight to the next along its rows, and along its depth.
        let (along_m, along_c) = match forward {
            true => (sizes.channels_in * n_kernel, n_kernel),
            false => (n_kernel, sizes.channels_in * n_kernel),
        };
        let height = m.div_ceil(m.div_ceil(kernel.rows()));
        let rows = m.next_multiple_of(height);

        let mut packed = 0;
        let all = grids(sizes, &source).into_iter().map(|grid| {
            let each = (0..channels).flat_map(|c| grid.taps.iter().map(move |tap| (c, tap)));
            let each = each.filter(|&(c, &(k, _))| terms.contains(&(c * n_kernel + k)));
            let (mut reads, mut weights) = (Vec::new(), Vec::new());
            for (c, &(k, at)) in each {
                reads.push(c * plane + at);
                weights.push(c * along_c + k);
            }
            let start = packed;
            packed += sizes.groups * rows * reads.len();
            Panels {
                grid,
                reads,
                weights,
                start,
            }
        });
        let all: Vec<Panels> = all.collect();

        let mut a_block = Scratch::new(pool, packed)?;
        let a_block = a_block.floats();
        for panels in &all {
            let depth = panels.weights.len();
            for g in 0..sizes.groups {
                let w = &w[g * m * channels * n_kernel..];
                let out = &mut a_block[panels.start + g * rows * depth..];
                for row in (0..m).step_by(height) {
                    pack_weight(
                        w,
                        (row, height.min(m - row)),
                        along_m,
                        &panels.weights,
                        &mut out[row * depth..],
                        height,
                    );
                }
            }
        }

        let most = all
            .iter()
            .map(|p| count(p.grid.counts))
            .max()
            .unwrap_or(0)
            .max(1);
        let mut images = COLUMNS.div_ceil(most);
        if !source.in_place {
            images = images.min(MOST_PADDED / (plane * channels).max(1));
        }
        let images = images.clamp(1, sizes.batch);
        let padded = if source.in_place {
            0
        } else {
            images * channels * plane
        };
        let mut padded = Scratch::new(pool, padded)?;
        let depth = all.iter().map(|p| p.reads.len()).max().unwrap_or(0);
        let depth = depth.div_ceil(depth.div_ceil(DEPTH).max(1));
        // A run is copied in whole vectors, and may write beyond its end.
        let mut b_block = Scratch::new(pool, (COLUMNS * depth).next_multiple_of(64) + 64)?;
        let mut tile = Scratch::new(pool, height * K::COLUMNS)?;
        let mut piece = Piece {
            level,
            kernel,
            b_block: b_block.floats(),
            tile: tile.floats(),
            runs: Vec::new(),
            height,
            depth,
        };
        let padded = padded.floats();
        let per_image = sizes.groups * m * n_out;
        'images: for (i, out) in out.chunks_mut(images * per_image).enumerate() {
            let n = out.len() / per_image;
            for g in 0..sizes.groups {
                let of_image =
                    |image: usize| ((i * images + image) * sizes.groups + g) * channels * n_from;
                // Where images begin in what is read.
                let (data, first, apart) = match source.in_place {
                    true => (x, of_image(0), sizes.groups * channels * n_from),
                    false => {
                        let each = channels * plane;
                        for (image, to) in padded.chunks_exact_mut(each).take(n).enumerate() {
                            let at = of_image(image);
                            source.fill(&x[at..at + channels * n_from], to);
                        }
                        (&*padded, 0, each)
                    }
                };
                for panels in &all {
                    let start = panels.start + g * rows * panels.reads.len();
                    let images = Images {
                        data,
                        first,
                        apart,
                        n,
                        strides: source.strides(),
                    };
                    let result = Target {
                        first: g * m * n_out,
                        apart: per_image,
                        row: n_out,
                        m,
                    };
                    if piece.run(panels, &a_block[start..], images, result, out) {
                        break 'images;
                    }
                }
            }
        }
        Ok(())
    }
}

/// What the pieces share: blocks of memory and their sizes.
struct Piece<'a, K> {
    level: Level,
    kernel: &'a K,
    b_block: &'a mut [f32],
    tile: &'a mut [f32],
    runs: Vec<Run>,
    height: usize,
    depth: usize,
}

impl<K: Kernel<f32>> Piece<'_, K> {
    /// Computes a grid of one group over some images. Returns whether to break off.
    fn run(
        &mut self,
        panels: &Panels,
        a: &[f32],
        images: Images<'_>,
        to: Target,
        out: &mut [f32],
    ) -> bool {
        let total = images.n * count(panels.grid.counts);
        let n_terms = panels.reads.len();
        if n_terms == 0 {
            self.list_runs(&panels.grid, images, to, 0..total);
            let step = panels.grid.steps[2];
            for run in &self.runs {
                for r in 0..to.m {
                    let at = run.to + r * to.row;
                    out[at..]
                        .iter_mut()
                        .step_by(step)
                        .take(run.len)
                        .for_each(|out| *out = 0.0);
                }
            }
            return false;
        }
        for column in (0..total).step_by(COLUMNS) {
            let columns = column..(column + COLUMNS).min(total);
            self.list_runs(&panels.grid, images, to, columns.clone());
            for term in (0..n_terms).step_by(self.depth) {
                let depth = self.depth.min(n_terms - term);
                if interrupt::spend(to.m * columns.len() * depth / 8) {
                    return true;
                }
                let reads = &panels.reads[term..term + depth];
                let (runs, b_block) = (&self.runs, &mut *self.b_block);
                dispatch(
                    self.level,
                    #[inline(always)]
                    || pack_windows(images.data, reads, runs, K::COLUMNS, b_block),
                );
                self.multiply(panels, (term, depth), a, to, columns.len(), out);
            }
        }
        false
    }

    /// The columns' runs, panel after panel.
    fn list_runs(&mut self, grid: &Grid, images: Images<'_>, to: Target, columns: Range<usize>) {
        self.runs.clear();
        let [_, middle, last] = grid.counts;
        let places = count(grid.counts);
        let mut at = columns.start;
        while at < columns.end {
            let (image, place) = (at / places, at % places);
            let t = [place / (middle * last), place / last % middle, place % last];
            let column = (at - columns.start) % K::COLUMNS;
            let mut len = (last - t[2]).min(K::COLUMNS - column).min(columns.end - at);
            let dot = |steps: [usize; 3]| t[0] * steps[0] + t[1] * steps[1] + t[2] * steps[2];
            let read = images.first + image * images.apart + dot(images.strides);
            let write = to.first + image * to.apart + grid.at + dot(grid.steps);
            // Rows that follow each other on both sides are one run.
            let (whole_read, whole_write) = (
                images.strides[1] == last,
                grid.steps[1] == last && grid.steps[2] == 1,
            );
            if whole_read && whole_write {
                let plane = middle * last - place % (middle * last);
                len = plane.min(K::COLUMNS - column).min(columns.end - at);
            }
            self.runs.push(Run {
                column,
                len,
                at: read,
                to: write,
            });
            at += len;
        }
    }

    /// Multiplies packed blocks and puts the results where they belong.
    fn multiply(
        &mut self,
        panels: &Panels,
        (term, depth): (usize, usize),
        a: &[f32],
        to: Target,
        columns: usize,
        out: &mut [f32],
    ) {
        let (n_terms, height) = (panels.reads.len(), self.height);
        let steps = panels.grid.steps;
        let mut runs = &self.runs[..];
        for j in (0..columns).step_by(K::COLUMNS) {
            let width = K::COLUMNS.min(columns - j);
            let own;
            (own, runs) = first_panel(runs);
            let together = own
                .windows(2)
                .all(|two| two[0].to + two[0].len == two[1].to);
            let start = own.first().map_or(0, |run| run.to);
            let b = Matrix {
                data: &*self.b_block,
                at: (j * depth) as isize,
                row: K::COLUMNS as isize,
                column: 1,
            };
            for row in (0..to.m).step_by(height) {
                let rows = height.min(to.m - row);
                let at = row * n_terms + term * height;
                let a = Matrix {
                    data: a,
                    at: at as isize,
                    row: 1,
                    column: height as isize,
                };
                if together && (steps[2] == 1 || width == 1) {
                    let c = &mut out[start + row * to.row..];
                    self.kernel.run(Tile {
                        rows,
                        columns: width,
                        depth,
                        a,
                        b,
                        c,
                        c_row: to.row,
                        accumulate: term > 0,
                    });
                    continue;
                }
                let c = &mut *self.tile;
                self.kernel.run(Tile {
                    rows,
                    columns: width,
                    depth,
                    a,
                    b,
                    c,
                    c_row: K::COLUMNS,
                    accumulate: false,
                });
                for r in 0..rows {
                    let sums = &self.tile[r * K::COLUMNS..];
                    for run in own {
                        let sums = &sums[run.column..run.column + run.len];
                        let out = &mut out[run.to + (row + r) * to.row..];
                        let out = out.iter_mut().step_by(steps[2]).zip(sums);
                        if term > 0 {
                            out.for_each(|(out, sum)| *out += sum);
                        } else {
                            out.for_each(|(out, sum)| *out = *sum);
                        }
                    }
                }
            }
        }
    }
}

/// The runs of the first panel, and those behind it: a panel begins with the run at column 0.
fn first_panel(runs: &[Run]) -> (&[Run], &[Run]) {
    let next = (1..runs.len()).find(|&at| runs[at].column == 0);
    runs.split_at(next.unwrap_or(runs.len()))
}

/// Rows of the weight, as a panel of the left factor.
fn pack_weight(
    w: &[f32],
    (row, rows): (usize, usize),
    along: usize,
    terms: &[usize],
    out: &mut [f32],
    height: usize,
) {
    for (out, &at) in out.chunks_exact_mut(height).zip(terms) {
        for (r, out) in out[..rows].iter_mut().enumerate() {
            *out = w[(row + r) * along + at];
        }
    }
}

/// Windows as panels of the right factor: `out[panel][term][column] = x[read of the column + read of the term]`. The
/// columns after the last one of a panel are left as they come.
#[inline(always)]
fn pack_windows(x: &[f32], reads: &[usize], runs: &[Run], width: usize, out: &mut [f32]) {
    /// Elements of a copy.
    const VECTOR: usize = 8;
    let mut start = 0;
    let mut runs = runs;
    while !runs.is_empty() {
        let own;
        (own, runs) = first_panel(runs);
        for (i, &read) in reads.iter().enumerate() {
            let row = start + i * width;
            for run in own {
                let (from, to) = (&x[run.at + read..], &mut out[row + run.column..]);
                let mut done = 0;
                // What is copied beyond the run's end lies where later runs are copied.
                while done < run.len {
                    match (
                        from[done..].first_chunk::<VECTOR>(),
                        to[done..].first_chunk_mut::<VECTOR>(),
                    ) {
                        (Some(from), Some(to)) => *to = *from,
                        _ => {
                            to[done..run.len].copy_from_slice(&from[done..run.len]);
                            break;
                        }
                    }
                    done += VECTOR;
                }
            }
        }
        start += reads.len() * width;
    }
}
