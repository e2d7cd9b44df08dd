//! Tensors as something to look at: histograms, images, heat-maps.
//!
//! A figure is made small here, before anything is sent: at most [`MOST_BINS`] bars, at most
//! [`LONGEST_SIDE`] rows and columns (of a larger tensor every k-th), at most [`MOST_FIGURES`] of a
//! run, and the same name at most every [`PAUSE_MILLIS`], the last one always. What is wrong with a
//! call is said in `lib/glowgrad/lab.py`; here nothing can fail. How a figure looks is its host's.

use std::cell::RefCell;

use glowgrad::Tensor;

/// Bars of a histogram.
pub(crate) const MOST_BINS: usize = 512;
/// Rows and columns of an image or a heat-map.
const LONGEST_SIDE: usize = 256;
/// Figures of one run that are kept apart.
pub(crate) const MOST_FIGURES: usize = 32;
const PAUSE_MILLIS: f64 = 50.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureKind {
    Histogram,
    Image,
    Heatmap,
}

/// A tensor made ready to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub kind: FigureKind,
    /// Its place among the figures of its run. A later figure of the same place replaces it.
    pub place: usize,
    /// What the learner called it, or the variable; may be empty.
    pub name: String,
    /// How often it was drawn in this run.
    pub drawn: u32,
    /// Of the tensor.
    pub shape: Vec<usize>,
    pub dtype: &'static str,
    /// Channels, rows and columns of `values`; a histogram has one row, of counts.
    pub size: [usize; 3],
    /// Of how many rows and columns of the tensor one is here.
    pub every: usize,
    pub values: Vec<f64>,
    /// A histogram's edges; what is black and what is white in an image; the least and the greatest
    /// number of a heat-map.
    pub low: f64,
    pub high: f64,
    /// Of the tensor's finite numbers.
    pub mean: f64,
    /// How many of the tensor's numbers are NaN.
    pub nan: usize,
    /// How many lie below `low` or above `high`; infinite ones do.
    pub outside: usize,
}

/// Where the host is asked to look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// `graph`, `memory`, `kernels`, `plot`.
    pub instrument: String,
    /// The variable that holds the tensor.
    pub name: Option<String>,
    /// The tensor's node in the engine.
    pub node: glowgrad::trace::NodeId,
}

/// What a figure is made from besides its numbers.
pub(crate) struct FigureOptions {
    pub(crate) kind: FigureKind,
    pub(crate) name: String,
    pub(crate) bins: usize,
    pub(crate) range: Option<(f64, f64)>,
}

/// Makes a figure; its place and count are the [`Drawings`]' to give.
pub(crate) fn figure(tensor: &Tensor, numbers: &[f64], options: FigureOptions) -> Figure {
    let shape = tensor.shape().to_vec();
    let finite = || numbers.iter().copied().filter(|x| x.is_finite());
    let n_finite = finite().count();
    let least = finite().reduce(f64::min).unwrap_or(0.0);
    let greatest = finite().reduce(f64::max).unwrap_or(1.0);
    let (mut low, mut high) = options.range.unwrap_or((least, greatest));
    if options.kind == FigureKind::Histogram && low == high {
        (low, high) = (low - 1.0, high + 1.0);
    }
    let nan = numbers.iter().filter(|x| x.is_nan()).count();
    let outside = numbers.iter().filter(|x| **x < low || **x > high).count();
    let (size, every, values) = match options.kind {
        FigureKind::Histogram => {
            let bins = options.bins.clamp(1, MOST_BINS);
            ([1, 1, bins], 1, count(numbers, bins, low, high))
        }
        FigureKind::Image | FigureKind::Heatmap => thin(&shape, numbers),
    };
    Figure {
        kind: options.kind,
        place: 0,
        name: options.name,
        drawn: 0,
        dtype: tensor.dtype().name(),
        shape,
        size,
        every,
        values,
        low,
        high,
        mean: finite().sum::<f64>() / n_finite as f64,
        nan,
        outside,
    }
}

/// How many numbers fall between each two of `bins + 1` edges; the last edge belongs to the last.
fn count(numbers: &[f64], bins: usize, low: f64, high: f64) -> Vec<f64> {
    let mut counts = vec![0.0; bins];
    // Halves, because the whole width may be more than the largest number.
    let width = high / 2.0 - low / 2.0;
    for &x in numbers {
        if x >= low && x <= high {
            let part = (x / 2.0 - low / 2.0) / width;
            counts[((part * bins as f64) as usize).min(bins - 1)] += 1.0;
        }
    }
    counts
}

/// Every k-th row and column, so that no side is too long.
fn thin(shape: &[usize], numbers: &[f64]) -> ([usize; 3], usize, Vec<f64>) {
    let [channels, rows, columns] = match *shape {
        [rows, columns] => [1, rows, columns],
        [channels, rows, columns] => [channels, rows, columns],
        _ => [1, 1, numbers.len()],
    };
    let every = rows.max(columns).div_ceil(LONGEST_SIDE).max(1);
    let mut values = Vec::new();
    for channel in 0..channels {
        for row in (0..rows).step_by(every) {
            let start = (channel * rows + row) * columns;
            let line = numbers.get(start..start + columns).unwrap_or_default();
            values.extend(line.iter().step_by(every));
        }
    }
    let size = [channels, rows.div_ceil(every), columns.div_ceil(every)];
    (size, every, values)
}

/// What Matplotlib's names drew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    /// Its place among the charts of its run. A later chart of the same place replaces it.
    pub place: usize,
    /// The figure as JSON; `lib/matplotlib/_host.py` says what is in it.
    pub text: String,
}

/// What a run has drawn, by key: each has a place, and is sent at most every [`PAUSE_MILLIS`], the last one always.
pub(crate) struct Drawings<K, T> {
    kept: RefCell<Vec<Kept<K, T>>>,
}

struct Kept<K, T> {
    /// Only what has a key is replaced.
    key: Option<K>,
    drawn: u32,
    sent: f64,
    waiting: Option<T>,
}

impl<K, T> Default for Drawings<K, T> {
    fn default() -> Self {
        Drawings {
            kept: RefCell::default(),
        }
    }
}

impl<K: PartialEq, T> Drawings<K, T> {
    /// Takes in what `make` makes of its place and how often it was drawn, and gives it back when it is time to send
    /// it. None is the error that there are too many.
    pub(crate) fn add(
        &self,
        key: Option<K>,
        now: f64,
        make: impl FnOnce(usize, u32) -> T,
    ) -> Option<Option<T>> {
        let mut kept = self.kept.borrow_mut();
        let known = kept.iter().position(|k| key.is_some() && k.key == key);
        let place = known.unwrap_or(kept.len());
        if place >= MOST_FIGURES {
            return None;
        }
        if known.is_none() {
            kept.push(Kept {
                key,
                drawn: 0,
                sent: f64::NEG_INFINITY,
                waiting: None,
            });
        }
        let entry = &mut kept[place];
        entry.drawn += 1;
        let made = make(place, entry.drawn);
        if now - entry.sent < PAUSE_MILLIS {
            entry.waiting = Some(made);
            return Some(None);
        }
        entry.sent = now;
        entry.waiting = None;
        Some(Some(made))
    }

    /// Ends a run: what still waits to be sent.
    pub(crate) fn end(&self) -> Vec<T> {
        let kept = std::mem::take(&mut *self.kept.borrow_mut());
        kept.into_iter().filter_map(|each| each.waiting).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_edge_belongs_to_the_last_bar() {
        assert_eq!(count(&[0.0, 0.4, 0.5, 1.0], 2, 0.0, 1.0), [2.0, 2.0]);
        assert_eq!(count(&[f64::NAN, -1.0, 2.0], 2, 0.0, 1.0), [0.0, 0.0]);
        let huge = f64::MAX;
        assert_eq!(count(&[-huge, 0.0, huge], 2, -huge, huge), [1.0, 2.0]);
    }

    #[test]
    fn a_long_side_is_thinned() {
        let numbers: Vec<f64> = (0..2 * 600).map(f64::from).collect();
        let (size, every, values) = thin(&[2, 600], &numbers);
        assert_eq!((size, every), ([1, 1, 200], 3));
        assert_eq!(values[..3], [0.0, 3.0, 6.0]);
        let (size, every, values) = thin(&[3, 2, 2], &numbers[..12]);
        assert_eq!((size, every, values.len()), ([3, 2, 2], 1, 12));
        assert_eq!(thin(&[0, 5], &[]), ([1, 0, 5], 1, vec![]));
    }
}
