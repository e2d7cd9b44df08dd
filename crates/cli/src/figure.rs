//! Histograms, images and heat-maps in the terminal, out of block characters.
//!
//! A figure stands where its first drawing came; one that was drawn again stands once more at the
//! end, as it was last. Nothing is told by colour.

use std::collections::BTreeMap;

use glowgrad_session::protocol::{Figure, FigureKind};

use crate::plot::number;
use crate::terminal::{Role, Terminal};

const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
const HISTOGRAM_ROWS: usize = 6;
const MOST_ROWS: usize = 32;

/// The figures of one run.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    again: BTreeMap<u32, Figure>,
}

impl Figures {
    pub(crate) fn add(
        &mut self,
        terminal: &mut Terminal<'_>,
        margin: &str,
        figure: &Figure,
    ) -> std::io::Result<()> {
        if figure.drawn == 1 {
            return write(terminal, margin, figure);
        }
        self.again.insert(figure.place, figure.clone());
        Ok(())
    }

    /// Writes what has changed since it was first drawn.
    pub(crate) fn finish(&self, terminal: &mut Terminal<'_>, margin: &str) -> std::io::Result<()> {
        self.again
            .values()
            .try_for_each(|figure| write(terminal, margin, figure))
    }
}

fn write(terminal: &mut Terminal<'_>, margin: &str, figure: &Figure) -> std::io::Result<()> {
    let room = terminal.width().saturating_sub(margin.len()).max(8);
    let title = terminal.paint(Role::Quiet, &caption(figure));
    terminal.line(&format!("{margin}{title}"))?;
    for line in picture(figure, room) {
        terminal.line(&format!("{margin}{line}"))?;
    }
    Ok(())
}

fn picture(figure: &Figure, room: usize) -> Vec<String> {
    match figure.kind {
        FigureKind::Histogram => histogram(figure, room),
        FigureKind::Image => cells(figure, room, |value| {
            if value.is_nan() {
                return ['×', '×'];
            }
            let part = (value - figure.low) / (figure.high - figure.low);
            [shade(part); 2]
        }),
        FigureKind::Heatmap => {
            let most = figure.low.abs().max(figure.high.abs());
            cells(figure, room, |value| {
                if value.is_nan() {
                    return ['×', '×'];
                }
                let part = if most > 0.0 { value.abs() / most } else { 0.0 };
                let sign = match shade(part) {
                    ' ' => ' ',
                    _ if value < 0.0 => '-',
                    _ => '+',
                };
                [sign, shade(part)]
            })
        }
    }
}

fn shade(part: f64) -> char {
    SHADES[(part.clamp(0.0, 1.0) * 4.0).round() as usize]
}

/// Name, shape, and what the picture leaves out.
fn caption(figure: &Figure) -> String {
    let kind = match figure.kind {
        FigureKind::Histogram => "histogram",
        FigureKind::Image => "image",
        FigureKind::Heatmap => "heat-map",
    };
    let mut parts = vec![format!("{:?} {}", figure.shape, figure.dtype)];
    let range = format!("{} to {}", number(figure.low), number(figure.high));
    match figure.kind {
        FigureKind::Histogram => parts.push(format!("mean {}", number(figure.mean))),
        FigureKind::Image => parts.push(format!("black to white: {range}")),
        FigureKind::Heatmap => parts.push(range),
    }
    for (count, what) in [(figure.nan, "NaN"), (figure.outside, "outside")] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    if figure.every > 1 {
        parts.push(format!("one row and column of {}", figure.every));
    }
    let space = if figure.name.is_empty() { "" } else { " " };
    format!("{kind}{space}{}  {}", figure.name, parts.join(" · "))
}

/// Columns as high as their counts, over an axis with both ends.
fn histogram(figure: &Figure, room: usize) -> Vec<String> {
    let each = figure.values.len().div_ceil(room.min(64)).max(1);
    let counts: Vec<f64> = figure.values.chunks(each).map(|c| c.iter().sum()).collect();
    let tallest = counts.iter().copied().fold(0.0, f64::max);
    let mut lines: Vec<String> = Vec::new();
    for row in (0..HISTOGRAM_ROWS).rev() {
        let bar = |count: &f64| {
            if tallest <= 0.0 {
                return ' ';
            }
            let eighths = (count / tallest * (HISTOGRAM_ROWS * 8) as f64).ceil() as usize;
            BARS[eighths.saturating_sub(row * 8).min(8)]
        };
        lines.push(counts.iter().map(bar).collect());
    }
    let (low, high) = (number(figure.low), number(figure.high));
    let gap = counts.len().saturating_sub(low.len() + high.len()).max(3);
    lines.push(format!("{low}{}{high}  tallest {tallest}", " ".repeat(gap)));
    lines
}

/// Two characters a cell; of more cells than there is room for, every k-th.
fn cells(figure: &Figure, room: usize, draw: impl Fn(f64) -> [char; 2]) -> Vec<String> {
    let [channels, rows, columns] = figure.size;
    let every = columns
        .div_ceil((room / 2).max(1))
        .max(rows.div_ceil(MOST_ROWS))
        .max(1);
    let value = |row: usize, column: usize| {
        let all = (0..channels).filter_map(|channel| {
            let place = (channel * rows + row) * columns + column;
            figure.values.get(place)
        });
        all.sum::<f64>() / channels.max(1) as f64
    };
    let line = |row| {
        let columns = (0..columns).step_by(every);
        columns
            .flat_map(|column| draw(value(row, column)))
            .collect()
    };
    (0..rows).step_by(every).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(kind: FigureKind, size: [usize; 3], values: &[f64], ends: (f64, f64)) -> Figure {
        Figure {
            kind,
            place: 0,
            name: "w".to_string(),
            drawn: 1,
            shape: size[1..].to_vec(),
            dtype: "float32".to_string(),
            size,
            every: 1,
            values: values.to_vec(),
            low: ends.0,
            high: ends.1,
            mean: 0.5,
            nan: 0,
            outside: 0,
        }
    }

    #[test]
    fn bars_are_as_high_as_their_counts() {
        let figure = figure(
            FigureKind::Histogram,
            [1, 1, 3],
            &[6.0, 3.0, 0.0],
            (0.0, 1.0),
        );
        let lines = picture(&figure, 80);
        assert_eq!(lines[..6], ["█  ", "█  ", "█  ", "██ ", "██ ", "██ "]);
        assert_eq!(lines[6], "0   1  tallest 6");
    }

    #[test]
    fn a_heat_map_shows_sign_size_and_nan() {
        let values = [-2.0, 0.0, 1.0, f64::NAN];
        let figure = figure(FigureKind::Heatmap, [1, 2, 2], &values, (-2.0, 1.0));
        assert_eq!(picture(&figure, 80), ["-█  ", "+▒××"]);
    }

    #[test]
    fn an_image_goes_from_black_to_white_and_fits() {
        let values = [0.0, 0.5, 1.0, 9.0];
        let image = figure(FigureKind::Image, [1, 1, 4], &values, (0.0, 1.0));
        assert_eq!(picture(&image, 80), ["  ▒▒████"]);
        assert_eq!(picture(&image, 8), ["  ▒▒████"]);
        let wide = figure(FigureKind::Image, [1, 1, 400], &[1.0; 400], (0.0, 1.0));
        assert_eq!(picture(&wide, 80)[0].chars().count(), 80);
    }

    #[test]
    fn what_is_left_out_is_said() {
        let mut image = figure(FigureKind::Image, [1, 1, 1], &[0.0], (0.0, 1.0));
        (image.nan, image.outside, image.every) = (1, 2, 3);
        assert_eq!(
            caption(&image),
            "image w  [1, 1] float32 · black to white: 0 to 1 · 1 NaN · 2 outside · one row and column of 3"
        );
    }
}
