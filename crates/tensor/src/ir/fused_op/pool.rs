//! Pools over evenly spaced windows: the largest element of each or the mean, and their gradients.

/// The windows over one dimension of a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Windows {
    /// Elements of the plane.
    pub n: usize,
    /// How many windows.
    pub count: usize,
    /// Elements of a window.
    pub size: usize,
    /// From one window to the next.
    pub step: usize,
    /// Padding in front of the plane, where the first window begins.
    pub before: usize,
    /// From one element of a window to the next.
    pub dilation: usize,
}

/// What becomes of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PoolOf {
    /// Its largest element: the first of equals, the last NaN.
    Largest,
    /// Its sum, divided.
    Mean(Divisor),
}

/// What a mean divides by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Divisor {
    /// A number.
    Given(i64),
    /// How many elements of the window lie in the plane or its padding, which is as wide on both sides.
    Padded,
    /// How many lie in the plane.
    Inside,
}

/// A pool or its gradient.
///
/// Its input is x, row-major `[planes, n, n, n]`. Inputs of the gradient are that of the result, and where it
/// goes to the largest elements x and the result too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pool {
    /// What becomes of a window.
    pub of: PoolOf,
    /// Whether it is the gradient.
    pub gradient: bool,
    /// How many planes.
    pub planes: usize,
    /// By dimension; the first ones have a single element where a plane has fewer than three.
    pub dims: [Windows; 3],
}

impl Windows {
    /// A dimension that is not there.
    pub const NONE: Windows = Windows {
        n: 1,
        count: 1,
        size: 1,
        step: 1,
        before: 0,
        dilation: 1,
    };

    /// Where the elements of a window lie that are in the plane.
    fn window(self, at: usize) -> impl Iterator<Item = usize> + Clone {
        let inside = self.before..self.before + self.n;
        (0..self.size)
            .map(move |i| at * self.step + i * self.dilation)
            .filter(move |place| inside.contains(place))
            .map(move |place| place - self.before)
    }

    /// How many elements of a window a mean counts.
    fn counted(self, at: usize, padded: bool) -> usize {
        let (start, n) = (at * self.step, self.n);
        let end = (start + self.size).min(n + 2 * self.before);
        match padded {
            true => end - start,
            false => end.min(n + self.before) - start.max(self.before),
        }
    }
}

impl Pool {
    pub(super) fn name(&self) -> &'static str {
        match (self.of, self.gradient) {
            (PoolOf::Largest, false) => "max pool",
            (PoolOf::Largest, true) => "max pool gradient",
            (PoolOf::Mean(_), false) => "avg pool",
            (PoolOf::Mean(_), true) => "avg pool gradient",
        }
    }

    /// Every window of every plane, in order: which it is by dimension, and where its elements lie.
    fn windows(&self) -> impl Iterator<Item = ([usize; 3], Vec<usize>)> {
        let [a, b, c] = self.dims;
        let windows = (0..self.planes * a.count * b.count * c.count).map(move |at| {
            let window = [
                at / (b.count * c.count) % a.count,
                at / c.count % b.count,
                at % c.count,
            ];
            (at / (a.count * b.count * c.count), window)
        });
        windows.map(move |(plane, window)| {
            let [i, j, k] = window;
            let rows = a
                .window(i)
                .flat_map(|i| b.window(j).map(move |j| i * b.n + j));
            let places = rows.flat_map(|row| c.window(k).map(move |k| row * c.n + k));
            let start = plane * a.n * b.n * c.n;
            (window, places.map(|place| start + place).collect())
        })
    }

    /// What the mean of this window divides by; 1 where the largest element is taken.
    pub fn divisor(&self, window: [usize; 3]) -> f32 {
        let PoolOf::Mean(divisor) = self.of else {
            return 1.0;
        };
        let counted = |padded: bool| {
            let each = self.dims.iter().zip(window);
            each.map(|(dim, at)| dim.counted(at, padded) as f32)
                .product()
        };
        match divisor {
            Divisor::Given(n) => n as f32,
            Divisor::Padded => counted(true),
            Divisor::Inside => counted(false),
        }
    }

    pub(super) fn compute(&self, inputs: &[&[f32]], out: &mut [f32]) {
        if self.gradient {
            out.fill(0.0);
        }
        for (at, (window, places)) in self.windows().enumerate() {
            match (self.of, self.gradient) {
                (PoolOf::Largest, false) => {
                    out[at] =
                        largest(inputs[0], &places).map_or(f32::NEG_INFINITY, |i| inputs[0][i]);
                }
                (PoolOf::Largest, true) => {
                    if let Some(place) = largest(inputs[1], &places) {
                        out[place] += inputs[0][at];
                    }
                }
                (PoolOf::Mean(_), false) => {
                    let sum = places.iter().fold(0.0, |sum, &i| sum + inputs[0][i]);
                    out[at] = sum / self.divisor(window);
                }
                (PoolOf::Mean(_), true) => {
                    let share = inputs[0][at] / self.divisor(window);
                    places.iter().for_each(|&i| out[i] += share);
                }
            }
        }
    }
}

/// Where the largest of some elements is: the first of equals, the last NaN.
fn largest(x: &[f32], places: &[usize]) -> Option<usize> {
    let larger = |best: usize, &place: &usize| match x[place] > x[best] || x[place].is_nan() {
        true => place,
        false => best,
    };
    let first = *places.first()?;
    Some(places.iter().fold(first, larger))
}
