//! A live plot in one line: the last value of each series and its shape so far.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::terminal::{Role, Terminal};

/// How often the line is drawn again: often enough to move, rarely enough to cost nothing.
const REDRAW: Duration = Duration::from_millis(50);
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const WIDEST: usize = 32;

/// The series of one run.
#[derive(Debug, Default)]
pub(crate) struct Plot {
    series: BTreeMap<String, Vec<f64>>,
    drawn: Option<Instant>,
}

impl Plot {
    /// Adds a point, and draws the line again if it is time.
    pub(crate) fn add(
        &mut self,
        terminal: &mut Terminal<'_>,
        series: &str,
        y: f64,
    ) -> std::io::Result<()> {
        self.series.entry(series.to_string()).or_default().push(y);
        if terminal.is_live() && self.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW) {
            self.drawn = Some(Instant::now());
            let all: Vec<String> = self.lines(WIDEST);
            let text: String = all.join("   ").chars().take(terminal.width()).collect();
            terminal.status(&text)?;
        }
        Ok(())
    }

    /// Writes one line for each series, for good.
    pub(crate) fn finish(&self, terminal: &mut Terminal<'_>, margin: &str) -> std::io::Result<()> {
        for line in self.lines(WIDEST) {
            let text = terminal.paint(Role::Quiet, &line);
            terminal.line(&format!("{margin}{text}"))?;
        }
        Ok(())
    }

    fn lines(&self, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for (name, values) in &self.series {
            let (Some(first), Some(last)) = (values.first(), values.last()) else {
                continue;
            };
            lines.push(format!(
                "{name} {} → {}  {}  {} points",
                number(*first),
                number(*last),
                sparkline(values, width),
                values.len()
            ));
        }
        lines
    }
}

/// A number in three or four significant digits.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() || size == 0.0 {
        return value.to_string();
    }
    if !(1e-4..1e6).contains(&size) {
        return format!("{value:.2e}");
    }
    let digits = (3 - size.log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

/// The values as blocks: each stands for the mean of its stretch. Values that are not numbers are
/// left out of the scale and shown as `×`.
pub(crate) fn sparkline(values: &[f64], width: usize) -> String {
    let n_bins = values.len().min(width);
    let bin = |index: usize| {
        let from = index * values.len() / n_bins;
        let to = (index + 1) * values.len() / n_bins;
        let stretch = &values[from..to];
        stretch.iter().sum::<f64>() / stretch.len() as f64
    };
    let means: Vec<f64> = (0..n_bins).map(bin).collect();
    let finite = || means.iter().copied().filter(|mean| mean.is_finite());
    let low = finite().fold(f64::INFINITY, f64::min);
    let high = finite().fold(f64::NEG_INFINITY, f64::max);
    let block = |mean: &f64| {
        if !mean.is_finite() {
            return '×';
        }
        let part = if high > low {
            (mean - low) / (high - low)
        } else {
            0.5
        };
        BLOCKS[(part * 7.0).round() as usize]
    };
    means.iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_falling_loss_falls() {
        let values: Vec<f64> = (0..80).map(|step| 2.0 - f64::from(step) / 40.0).collect();
        assert_eq!(sparkline(&values, 8), "█▇▆▅▄▃▂▁");
        assert_eq!(sparkline(&[1.0, f64::NAN, 2.0], 8), "▁×█");
        assert_eq!(sparkline(&[3.0], 8), "▅");
        assert_eq!(sparkline(&[], 8), "");
    }

    #[test]
    fn numbers_are_short() {
        let cases = [
            (2.345678, "2.346"),
            (0.0299, "0.0299"),
            (0.0, "0"),
            (1234.5, "1234"),
            (-0.5, "-0.5"),
            (1e-7, "1.00e-7"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
            (10.0, "10"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn the_last_word_is_one_line_for_each_series() {
        let mut bytes = Vec::new();
        let mut terminal = Terminal::plain(&mut bytes, 80);
        let mut plot = Plot::default();
        for y in [2.0, 1.0, 0.5] {
            plot.add(&mut terminal, "loss", y).unwrap();
        }
        plot.finish(&mut terminal, "  ").unwrap();
        drop(terminal);
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(text, "  loss 2 → 0.5  █▃▁  3 points\n");
    }
}
