//! Figures of whole trainings: what each reached, beside the bar that is set for it.
//!
//! A program prints them as `{"figures": [{"name": .., "value": .., "unit": .., "seconds": ..,
//! "at_least": ..}, ..], "skipped": ["a name", ..]}`; a figure that is better when it is small has
//! `at_most`. A missed bar is told and fails nothing.

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// All figures of one program.
pub(super) struct Figures {
    figures: Vec<Figure>,
    /// Names of what was not measured.
    skipped: Vec<String>,
}

/// One number, and the bar on one side of it.
struct Figure {
    name: String,
    value: f64,
    unit: String,
    /// How long the training took.
    seconds: f64,
    bar: Bar,
}

/// What a value is to reach.
enum Bar {
    AtLeast(f64),
    AtMost(f64),
}

impl Figures {
    pub(super) fn parse(json: &Value) -> Result<Figures> {
        let figures = json["figures"].as_array();
        let figures: Option<Vec<Figure>> =
            figures.and_then(|all| all.iter().map(Figure::parse).collect());
        let skipped = serde_json::from_value(json["skipped"].clone());
        Ok(Figures {
            figures: figures.context("a figure lacks its name, value, unit, seconds or bar")?,
            skipped: skipped.context("`skipped` does not list names")?,
        })
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "{:<56} {:>12} {:<6} {:>16} {:>8}   reached\n",
            "figure", "value", "unit", "bar", "seconds"
        );
        for figure in &self.figures {
            text += &format!(
                "{:<56} {:>12} {:<6} {:>16} {:>8.0}   {}\n",
                figure.name,
                number(figure.value),
                figure.unit,
                figure.bar.text(),
                figure.seconds,
                match figure.bar.is_reached(figure.value) {
                    true => "yes",
                    false => "NO",
                },
            );
        }
        for name in &self.skipped {
            text += &format!("{name}: skipped\n");
        }
        text
    }

    pub(super) fn json(&self, benchmark: &str, place: &str) -> Value {
        json!({
            "benchmark": benchmark, "place": place, "skipped": self.skipped,
            "figures": self.figures.iter().map(Figure::json).collect::<Vec<_>>(),
        })
    }
}

impl Figure {
    fn parse(json: &Value) -> Option<Figure> {
        let number = |key: &str| json.get(key).and_then(Value::as_f64);
        let text = |key: &str| Some(json.get(key)?.as_str()?.to_owned());
        let bar = match (number("at_least"), number("at_most")) {
            (Some(bar), None) => Bar::AtLeast(bar),
            (None, Some(bar)) => Bar::AtMost(bar),
            _ => return None,
        };
        Some(Figure {
            name: text("name")?,
            value: number("value")?,
            unit: text("unit")?,
            seconds: number("seconds")?,
            bar,
        })
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name, "value": self.value, "unit": self.unit, "seconds": self.seconds,
            "bar": self.bar.text(), "reached": self.bar.is_reached(self.value),
        })
    }
}

impl Bar {
    fn text(&self) -> String {
        match self {
            Bar::AtLeast(bar) => format!("at least {bar}"),
            Bar::AtMost(bar) => format!("at most {bar}"),
        }
    }

    fn is_reached(&self, value: f64) -> bool {
        match *self {
            Bar::AtLeast(bar) => value >= bar,
            Bar::AtMost(bar) => value <= bar,
        }
    }
}

/// Small numbers are differences, of which the magnitude counts.
fn number(value: f64) -> String {
    match value != 0.0 && value.abs() < 0.01 {
        true => format!("{value:.1e}"),
        false => format!("{value:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(value: f64, side: &str, bar: f64) -> Result<Figures> {
        let mut figure = json!({ "name": "a", "value": value, "unit": "%", "seconds": 2.0 });
        figure[side] = bar.into();
        Figures::parse(&json!({ "figures": [figure], "skipped": ["b"] }))
    }

    #[test]
    fn a_figure_is_told_beside_its_bar() {
        for (value, side, bar, words) in [
            (99.12, "at_least", 99.0, "99.1200 % at least 99 2 yes"),
            (98.9, "at_least", 99.0, "98.9000 % at least 99 2 NO"),
            (0.0002, "at_most", 0.001, "2.0e-4 % at most 0.001 2 yes"),
            (1.9, "at_most", 1.88, "1.9000 % at most 1.88 2 NO"),
        ] {
            let text = figures(value, side, bar).unwrap().text();
            let found: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
            assert_eq!(found[1..].join(" "), words);
            assert!(text.ends_with("b: skipped\n"), "{text}");
        }
    }

    #[test]
    fn a_figure_without_a_bar_is_refused() {
        assert!(figures(1.0, "about", 1.0).is_err());
        assert!(Figures::parse(&json!({ "figures": [] })).is_err());
    }
}
