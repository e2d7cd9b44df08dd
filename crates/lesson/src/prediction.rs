//! What kinds of answers a prediction has, and which printed values are answers.
//!
//! Invariant: a value is the text that Python prints of it. `www/src/course/prediction.ts` and `curve.ts` read the same
//! texts in the page, and judge what the learner said by them; `tests/course/predictions.json` holds both to one reading.

use serde::Serialize;

use crate::rich::Rich;

/// A curve must reach the ends of its axes up to this share of their length.
const END: f64 = 0.03;

/// Characters of a value that a message has.
const SHOWN: usize = 80;

/// What kind of answer a prediction has.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Prediction {
    /// A number. One that is off by at most `within` is right; where nothing is said, an integer must be met, and a float
    /// to a hundredth of it.
    Number { within: Option<f64> },
    /// The shape of a tensor.
    Shape,
    /// One of these.
    Choice { options: Vec<Choice> },
    /// An edge from one of these nodes to another.
    Edge { nodes: Vec<Choice> },
    /// A curve over these axes. One whose mean distance from the value is at most the share `within` of the height is
    /// right; where nothing is said, a tenth.
    Drawing {
        x: Axis,
        y: Axis,
        within: Option<f64>,
    },
}

/// What may be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    /// As the prediction's value is printed where this is right; of a node, as it stands in the pair.
    pub text: String,
    pub html: Rich,
}

/// Where an axis begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Axis {
    pub from: f64,
    pub to: f64,
}

impl Prediction {
    /// The word that stands after `:::predict`.
    pub fn name(&self) -> &'static str {
        match self {
            Prediction::Number { .. } => "number",
            Prediction::Shape => "shape",
            Prediction::Choice { .. } => "choice",
            Prediction::Edge { .. } => "edge",
            Prediction::Drawing { .. } => "drawing",
        }
    }

    /// Why a printed value is no answer of this kind, if it is none.
    pub fn fault(&self, printed: &str) -> Option<String> {
        let expected = match self {
            Prediction::Number { .. } if printed.parse::<f64>().is_ok() => return None,
            Prediction::Number { .. } => "a number, as of .item()".to_owned(),
            Prediction::Shape if sizes(printed).is_some() => return None,
            Prediction::Shape => "a shape, as of x.shape".to_owned(),
            Prediction::Choice { options } => {
                if options.iter().any(|option| option.text == printed) {
                    return None;
                }
                format!("one of {}", texts(options))
            }
            Prediction::Edge { nodes } => {
                let is_node = |name: &str| nodes.iter().any(|node| node.text == name);
                match pair(printed) {
                    Some((from, to)) if from != to && is_node(from) && is_node(to) => return None,
                    _ => format!("a pair of two of {}", texts(nodes)),
                }
            }
            Prediction::Drawing { x, y, .. } => match points(printed, *x) {
                None => {
                    "a curve: two or more pairs (x, y), or y values, all of them finite numbers"
                        .to_owned()
                }
                Some(points) => return leaves(&points, *x, *y),
            },
        };
        let start: String = printed.chars().take(SHOWN).collect();
        let rest = if start.len() < printed.len() {
            " …"
        } else {
            ""
        };
        Some(format!("it gives {start:?}{rest}; expected {expected}"))
    }
}

fn texts(choices: &[Choice]) -> String {
    let texts: Vec<&str> = choices.iter().map(|choice| &*choice.text).collect();
    texts.join(" | ")
}

/// A number as it is shown: six digits say what is meant, and Python prints seventeen.
pub fn six_digits(printed: &str) -> String {
    let text = printed.trim();
    let number = match text.parse::<f64>() {
        Ok(number) if text.len() > 9 && number.is_finite() => number,
        _ => return text.to_owned(),
    };
    let rounded = format!("{number:.5e}").parse().unwrap_or(number);
    match rounded.abs() {
        0.0 => "0".to_owned(),
        1e-6..1e21 => rounded.to_string(),
        0.0..1e-6 => format!("{rounded:e}"),
        _ => format!("{rounded:e}").replace('e', "e+"),
    }
}

/// The sizes of a shape as Python prints it: `torch.Size([3, 4])`, a tuple, a list or a number.
fn sizes(printed: &str) -> Option<Vec<u64>> {
    let inner = printed.trim_start_matches("torch.Size");
    let inner = inner.trim_matches(['(', ')', '[', ']']);
    let parts = inner.split(',').map(str::trim);
    let sizes = parts.filter(|size| !size.is_empty());
    sizes.map(|size| size.parse().ok()).collect()
}

/// A shape as Python prints a tuple; a text that is none as it is.
pub fn shape_as_tuple(printed: &str) -> String {
    let Some(sizes) = sizes(printed) else {
        return printed.to_owned();
    };
    let texts: Vec<String> = sizes.iter().map(u64::to_string).collect();
    let comma = if sizes.len() == 1 { "," } else { "" };
    format!("({}{comma})", texts.join(", "))
}

/// A pair of texts as Python prints it: `('a', 'b')` or `['a', 'b']`. No name of a node has a quote.
pub fn pair(printed: &str) -> Option<(&str, &str)> {
    let inner = printed
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .or_else(|| printed.strip_prefix('[')?.strip_suffix(']'))?;
    let (from, to) = inner.split_once(", ")?;
    Some((unquoted(from)?, unquoted(to)?))
}

/// The text between quotes, if it has none itself.
fn unquoted(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    (!inner.is_empty() && !inner.contains('\'')).then_some(inner)
}

/// The points of a curve as Python prints it: a list of pairs, or a list or tensor of y values that lie evenly over the
/// axis. `None` where it is none, or is not finite.
pub fn points(printed: &str, x: Axis) -> Option<Vec<(f64, f64)>> {
    let list = printed.get(printed.find('[')?..=printed.rfind(']')?)?;
    let plain: String = list
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| match c {
            '(' => '[',
            ')' => ']',
            other => other,
        })
        .collect();
    let inner = plain.strip_prefix('[')?.strip_suffix(']')?;
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    let points: Vec<(f64, f64)> = if let Some(pairs) = inner.strip_prefix('[') {
        let pairs = pairs.strip_suffix(']')?.split("],[");
        pairs
            .map(|pair| {
                let (x, y) = pair.split_once(',')?;
                Some((number(x)?, number(y)?))
            })
            .collect::<Option<_>>()?
    } else {
        let values: Vec<f64> = inner.split(',').map(number).collect::<Option<_>>()?;
        let step = (x.to - x.from) / (values.len() as f64 - 1.0);
        let place = |(index, y)| (x.from + index as f64 * step, y);
        values.into_iter().enumerate().map(place).collect()
    };
    (points.len() >= 2).then_some(points)
}

/// What of a curve does not fit on its axes.
fn leaves(points: &[(f64, f64)], x: Axis, y: Axis) -> Option<String> {
    let range = |of: fn(&(f64, f64)) -> f64| {
        let values = points.iter().map(of);
        (
            values.clone().fold(f64::INFINITY, f64::min),
            values.fold(f64::NEG_INFINITY, f64::max),
        )
    };
    let ((left, right), (low, high)) = (range(|point| point.0), range(|point| point.1));
    let room = END * (x.to - x.from);
    if left > x.from + room || right < x.to - room {
        return Some(format!(
            "its x goes from {left} to {right}; expected the whole axis, from {} to {}",
            x.from, x.to
        ));
    }
    if low < y.from || high > y.to {
        return Some(format!(
            "its y goes from {low} to {high}; expected axes that show it, not y: {} {}",
            y.from, y.to
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Printed values and what is read of them, as `www/src/course/prediction.test.ts` has them too.
    const CASES: &str = include_str!("../../../tests/course/predictions.json");

    fn read(kind: &str, printed: &str) -> Value {
        let x = Axis { from: 0.0, to: 2.0 };
        let is_answer = |kind: Prediction| kind.fault(printed).is_none();
        match kind {
            "number" if is_answer(Prediction::Number { within: None }) => {
                json!(six_digits(printed))
            }
            "shape" if is_answer(Prediction::Shape) => json!(shape_as_tuple(printed)),
            "edge" => json!(pair(printed)),
            "drawing" => json!(points(printed, x)),
            _ => Value::Null,
        }
    }

    /// The same value with every number a float.
    fn in_floats(value: &Value) -> Value {
        match value {
            Value::Number(number) => json!(number.as_f64()),
            Value::Array(parts) => parts.iter().map(in_floats).collect(),
            other => other.clone(),
        }
    }

    #[test]
    fn printed_values_are_read_as_in_the_page() {
        let cases: Value = serde_json::from_str(CASES).expect("JSON");
        let kinds = cases.as_object().expect("kinds of predictions");
        for (kind, cases) in kinds {
            for case in cases.as_array().expect("cases") {
                let printed = case[0].as_str().expect("a text");
                let found = in_floats(&read(kind, printed));
                assert_eq!(found, in_floats(&case[1]), "{kind}: {printed:?}");
            }
        }
    }
}
