//! What Matplotlib's names drew, in characters: lines and points in dots of eight a character, images and bars in
//! shades, each axes below the other with its ends, and the names of what is in it.
//!
//! `lib/matplotlib/_host.py` of the Python crate says what a chart has. Of what a terminal cannot show (sizes, colours,
//! texts beside the marks) nothing is read.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::plot::number;
use crate::terminal::{Role, Terminal, complain};

/// Columns and rows of an axes, in characters.
const WIDEST: usize = 72;
const ROWS: usize = 14;
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
/// What comes before the first column: the ends of y.
const LABEL: usize = 10;

#[derive(Debug, Deserialize)]
struct Chart {
    #[serde(default)]
    title: Option<String>,
    axes: Vec<Axes>,
}

#[derive(Debug, Deserialize)]
struct Axes {
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    xlabel: Option<String>,
    #[serde(default)]
    ylabel: Option<String>,
    x: Axis,
    y: Axis,
    marks: Vec<Mark>,
}

#[derive(Debug, Deserialize)]
struct Axis {
    low: f64,
    high: f64,
    #[serde(default)]
    scale: String,
    #[serde(default)]
    inverted: bool,
}

impl Axis {
    /// How far along the axis a number is, 0 to 1 within its ends.
    fn share(&self, value: f64) -> f64 {
        let scaled = |x: f64| match self.scale.as_str() {
            "log" => x.log10(),
            _ => x,
        };
        let (low, high) = (scaled(self.low), scaled(self.high));
        let share = (scaled(value) - low) / (high - low);
        if self.inverted { 1.0 - share } else { share }
    }
}

type Numbers = Vec<Option<f64>>;

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Mark {
    Line {
        x: Numbers,
        y: Numbers,
        label: Option<String>,
    },
    Points {
        x: Numbers,
        y: Numbers,
        label: Option<String>,
    },
    Bars {
        x: Numbers,
        y: Numbers,
        width: Numbers,
        height: Numbers,
        label: Option<String>,
    },
    Area {
        x: Numbers,
        low: Numbers,
        high: Numbers,
        label: Option<String>,
    },
    Polygon {
        x: Numbers,
        y: Numbers,
        label: Option<String>,
    },
    Segments {
        x0: Numbers,
        y0: Numbers,
        x1: Numbers,
        y1: Numbers,
        label: Option<String>,
    },
    Image {
        left: f64,
        right: f64,
        bottom: f64,
        top: f64,
        rows: usize,
        columns: usize,
        channels: usize,
        values: Numbers,
        low: Option<f64>,
        high: Option<f64>,
    },
    #[serde(other)]
    Other,
}

impl Mark {
    fn label(&self) -> Option<&str> {
        match self {
            Mark::Line { label, .. }
            | Mark::Points { label, .. }
            | Mark::Bars { label, .. }
            | Mark::Area { label, .. }
            | Mark::Polygon { label, .. }
            | Mark::Segments { label, .. } => label.as_deref().filter(|label| !label.is_empty()),
            Mark::Image { .. } | Mark::Other => None,
        }
    }
}

/// The charts of one run: each is written at the end as it was drawn last.
#[derive(Debug, Default)]
pub(crate) struct Charts(BTreeMap<u32, String>);

impl Charts {
    pub(crate) fn add(&mut self, place: u32, text: &str) {
        self.0.insert(place, text.to_owned());
    }

    /// Says on standard error that nothing of them is drawn.
    pub(crate) fn complain_unseen(&self) {
        let n = self.0.len();
        if n > 0 {
            let figures = if n == 1 { "figure is" } else { "figures are" };
            complain(&format!(
                "{n} {figures} drawn in a terminal, not in a file or a pipe."
            ));
        }
    }

    pub(crate) fn finish(&self, terminal: &mut Terminal<'_>, margin: &str) -> std::io::Result<()> {
        for text in self.0.values() {
            let room = terminal.width().saturating_sub(margin.len());
            for (role, line) in lines(text, room) {
                let line = match role {
                    Some(role) => terminal.paint(role, &line),
                    None => line,
                };
                terminal.line(&format!("{margin}{line}"))?;
            }
        }
        Ok(())
    }
}

fn lines(text: &str, room: usize) -> Vec<(Option<Role>, String)> {
    let Ok(chart) = serde_json::from_str::<Chart>(text) else {
        return vec![(Some(Role::Quiet), "a figure that cannot be read".to_owned())];
    };
    let mut lines = Vec::new();
    let title = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    lines.extend(title(&chart.title).map(|title| (None, title)));
    for axes in &chart.axes {
        let width = room.saturating_sub(LABEL + 2).clamp(8, WIDEST);
        lines.extend(title(&axes.title).map(|title| (None, title)));
        let names: Vec<&str> = axes.marks.iter().filter_map(Mark::label).collect();
        if !names.is_empty() {
            lines.push((Some(Role::Quiet), names.join(" · ")));
        }
        let picture = Picture::of(axes, width).rows();
        let last = picture.len() - 1;
        for (i, row) in picture.into_iter().enumerate() {
            let (first, end) = match axes.y.inverted {
                true => (axes.y.low, axes.y.high),
                false => (axes.y.high, axes.y.low),
            };
            let label = match i {
                0 => number(first),
                _ if i == last => number(end),
                _ if i == last / 2 => title(&axes.ylabel).unwrap_or_default(),
                _ => String::new(),
            };
            let label: String = label.chars().take(LABEL).collect();
            lines.push((None, format!("{label:>LABEL$} │{row}")));
        }
        lines.push((None, format!("{:LABEL$} └{}", "", "─".repeat(width))));
        let (low, high) = (number(axes.x.low), number(axes.x.high));
        let (low, high) = if axes.x.inverted {
            (high, low)
        } else {
            (low, high)
        };
        let middle = title(&axes.xlabel).unwrap_or_default();
        let left = width.saturating_sub(middle.chars().count()) / 2;
        let mut foot = format!("{low:<left$}{middle}");
        let gap = width.saturating_sub(foot.chars().count() + high.chars().count());
        foot.push_str(&" ".repeat(gap.max(1)));
        lines.push((Some(Role::Quiet), format!("{:LABEL$}  {foot}{high}", "")));
    }
    lines
}

/// Dots and shades of an axes.
struct Picture<'a> {
    axes: &'a Axes,
    width: usize,
    /// Two dots across and four along a character.
    dots: Vec<bool>,
    /// Of each character, 0 to 1.
    shades: Vec<f64>,
}

impl<'a> Picture<'a> {
    fn of(axes: &'a Axes, width: usize) -> Picture<'a> {
        let mut picture = Picture {
            axes,
            width,
            dots: vec![false; width * 2 * ROWS * 4],
            shades: vec![0.0; width * ROWS],
        };
        axes.marks.iter().for_each(|mark| picture.draw(mark));
        picture
    }

    /// Where a point lies, in dots from the upper left.
    fn place(&self, x: Option<f64>, y: Option<f64>) -> Option<(f64, f64)> {
        let across = self.axes.x.share(x?) * (self.width * 2 - 1) as f64;
        let along = (1.0 - self.axes.y.share(y?)) * (ROWS * 4 - 1) as f64;
        (across.is_finite() && along.is_finite()).then_some((across, along))
    }

    fn dot(&mut self, across: f64, along: f64) {
        let (x, y) = (across.round(), along.round());
        if x >= 0.0 && y >= 0.0 && x < (self.width * 2) as f64 && y < (ROWS * 4) as f64 {
            self.dots[y as usize * self.width * 2 + x as usize] = true;
        }
    }

    fn line(&mut self, from: Option<(f64, f64)>, to: Option<(f64, f64)>) {
        let (Some(from), Some(to)) = (from, to) else {
            return;
        };
        // A line that leaves the picture is drawn as far as twice its size.
        let most = (self.width * 4).max(ROWS * 16) as f64;
        let length = (to.0 - from.0).abs().max((to.1 - from.1).abs());
        let n = length.ceil().clamp(1.0, most) as usize;
        for i in 0..=n {
            let part = i as f64 / n as f64;
            self.dot(
                from.0 + (to.0 - from.0) * part,
                from.1 + (to.1 - from.1) * part,
            );
        }
    }

    fn path(&mut self, x: &[Option<f64>], y: &[Option<f64>]) {
        let points: Vec<_> = x.iter().zip(y).map(|(x, y)| self.place(*x, *y)).collect();
        if let [one] = points[..] {
            self.line(one, one);
        }
        for pair in points.windows(2) {
            self.line(pair[0], pair[1]);
        }
    }

    /// Fills the characters of a rectangle between two places.
    fn fill(&mut self, from: (f64, f64), to: (f64, f64), shade: impl Fn(f64, f64) -> f64) {
        let columns = ends(from.0 / 2.0, to.0 / 2.0, self.width);
        let rows = ends(from.1 / 4.0, to.1 / 4.0, ROWS);
        for row in rows.0..rows.1 {
            for column in columns.0..columns.1 {
                let part = |at: usize, (low, high): (usize, usize)| {
                    (at - low) as f64 / (high - low).max(1) as f64
                };
                let shade = shade(part(column, columns), part(row, rows));
                self.shades[row * self.width + column] = shade;
            }
        }
    }

    fn draw(&mut self, mark: &Mark) {
        match mark {
            Mark::Line { x, y, .. } => self.path(x, y),
            Mark::Points { x, y, .. } => {
                for (x, y) in x.iter().zip(y) {
                    let place = self.place(*x, *y);
                    self.line(place, place);
                }
            }
            Mark::Bars {
                x,
                y,
                width,
                height,
                ..
            } => {
                for (i, (&x, &y)) in x.iter().zip(y).enumerate() {
                    let of = |list: &Numbers| list.get(i).copied().flatten().unwrap_or(0.0);
                    let (across, along) = (of(width), of(height));
                    let low = self.place(x, y);
                    let high = self.place(x.map(|x| x + across), y.map(|y| y + along));
                    if let (Some(low), Some(high)) = (low, high) {
                        self.fill(low, high, |_, _| 0.75);
                    }
                }
            }
            Mark::Area { x, low, high, .. } => {
                self.path(x, low);
                self.path(x, high);
            }
            Mark::Polygon { x, y, .. } => {
                self.path(x, y);
                if let (Some(&x0), Some(&y0), Some(&x1), Some(&y1)) =
                    (x.first(), y.first(), x.last(), y.last())
                {
                    self.line(self.place(x1, y1), self.place(x0, y0));
                }
            }
            Mark::Segments { x0, y0, x1, y1, .. } => {
                for (from, to) in x0.iter().zip(y0).zip(x1.iter().zip(y1)) {
                    self.line(self.place(*from.0, *from.1), self.place(*to.0, *to.1));
                }
            }
            Mark::Image {
                left,
                right,
                bottom,
                top,
                rows,
                columns,
                channels,
                values,
                low,
                high,
            } => {
                let (low, high) = (low.unwrap_or(0.0), high.unwrap_or(1.0));
                let size = rows * columns;
                let shade = |across: f64, along: f64| {
                    let row = ((along * *rows as f64) as usize).min(rows.saturating_sub(1));
                    let column =
                        ((across * *columns as f64) as usize).min(columns.saturating_sub(1));
                    let of = |channel: usize| {
                        let at = channel * size + row * columns + column;
                        values.get(at).copied().flatten().unwrap_or(low)
                    };
                    let n = (*channels).max(1);
                    let mean = (0..n).map(of).sum::<f64>() / n as f64;
                    ((mean - low) / (high - low)).clamp(0.0, 1.0)
                };
                let from = self.place(Some(*left), Some(*top));
                let to = self.place(Some(*right), Some(*bottom));
                if let (Some(from), Some(to)) = (from, to) {
                    self.fill(from, to, shade);
                }
            }
            Mark::Other => {}
        }
    }

    fn rows(&self) -> Vec<String> {
        let row = |row| {
            (0..self.width)
                .map(|column| self.character(row, column))
                .collect()
        };
        (0..ROWS).map(row).collect()
    }

    fn character(&self, row: usize, column: usize) -> char {
        // The bits of a braille character, by the dot's row and column.
        const BITS: [[u32; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let mut bits = 0;
        for (y, pair) in BITS.iter().enumerate() {
            for (x, bit) in pair.iter().enumerate() {
                if self.dots[(row * 4 + y) * self.width * 2 + column * 2 + x] {
                    bits |= bit;
                }
            }
        }
        let shade = self.shades[row * self.width + column];
        match char::from_u32(0x2800 + bits) {
            Some(dots) if bits > 0 => dots,
            _ => SHADES[(shade * (SHADES.len() - 1) as f64).round() as usize],
        }
    }
}

/// The first character and the one after the last of a stretch, at least one where it lies within.
fn ends(from: f64, to: f64, most: usize) -> (usize, usize) {
    let (low, high) = if from <= to { (from, to) } else { (to, from) };
    let low = low.max(0.0).floor() as usize;
    let high = (high.max(0.0).ceil() as usize).max(low + 1).min(most);
    (low.min(high), high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(marks: &str) -> Vec<String> {
        let axis = r#"{"low": 0, "high": 1, "scale": "linear", "inverted": false}"#;
        let text = format!(
            r#"{{"title": "", "axes": [{{"title": "A title", "xlabel": "x", "ylabel": null, "x": {axis}, "y": {axis},
            "marks": [{marks}]}}]}}"#
        );
        lines(&text, 30).into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn a_line_goes_from_corner_to_corner() {
        let lines = drawn(r#"{"kind": "line", "label": "loss", "x": [0, 1], "y": [1, 0]}"#);
        assert_eq!(lines[..2], ["A title", "loss"]);
        assert!(lines[2].starts_with("         1 │⠱⡀"), "{lines:?}");
        assert!(lines[1 + ROWS].starts_with("         0 │ "), "{lines:?}");
        assert!(lines[1 + ROWS].ends_with("⠈⢆"), "{lines:?}");
        assert_eq!(lines.last().unwrap().trim(), "0       x        1");
    }

    #[test]
    fn bars_and_images_are_shades() {
        let bars =
            r#"{"kind": "bars", "label": null, "x": [0], "y": [0], "width": [0.5], "height": [1]}"#;
        assert!(drawn(bars)[1].contains("▓▓▓▓▓▓▓▓▓  "));
        let image = r#"{"kind": "image", "left": 0, "right": 1, "bottom": 0, "top": 1, "rows": 1, "columns": 2,
            "channels": 1, "values": [0, 1], "low": 0, "high": 1}"#;
        assert!(drawn(image)[1].ends_with("│         █████████"));
    }

    #[test]
    fn what_cannot_be_drawn_is_no_failure() {
        assert_eq!(lines("{", 80)[0].1, "a figure that cannot be read");
        let none =
            r#"{"kind": "line", "label": null, "x": [null, 1e308, -1e308], "y": [0, 1e308, 0]}"#;
        assert_eq!(drawn(none).len(), ROWS + 3);
        assert_eq!(drawn(r#"{"kind": "wedge"}"#).len(), ROWS + 3);
    }
}
