//! `:::predict kind id`: a question that a cell's run answers.

use crate::error::Result;
use crate::lesson::Block;
use crate::prediction::{Axis, Choice, Prediction};

use super::Parser;

/// More nodes than this do not fit into the picture of an edge.
const MOST_NODES: usize = 8;

/// A prediction whose cell has not come yet.
pub(super) struct Waiting {
    line: usize,
    cell: String,
}

impl Parser<'_> {
    /// Lines `of: CELL`, `value: EXPRESSION`, of a drawing `x: FROM TO` and `y: FROM TO`, and perhaps `within: NUMBER`; an
    /// empty line; the question; and of a choice its options, of an edge its nodes: `- text`.
    pub(super) fn predict(
        &mut self,
        kind: &str,
        id: &str,
        text: &str,
        line: usize,
    ) -> Result<Block> {
        let id = self.id(id.to_string(), line - 1)?;
        let lines: Vec<&str> = text.lines().collect();
        let n_keys = lines
            .iter()
            .position(|code| code.trim().is_empty())
            .unwrap_or(lines.len());
        let (mut cell, mut value, mut within) = (None, None, None);
        let (mut x, mut y) = (None, None);
        for (offset, code) in lines[..n_keys].iter().enumerate() {
            let (key, said) = code.split_once(':').unwrap_or((code, ""));
            let said = said.trim();
            match key.trim() {
                "of" if !said.is_empty() => cell = Some(said.to_string()),
                "value" if !said.is_empty() => value = Some(said.to_string()),
                "x" if kind == "drawing" => x = Some(self.axis(said, line + offset)?),
                "y" if kind == "drawing" => y = Some(self.axis(said, line + offset)?),
                "within" if kind == "number" || kind == "drawing" => {
                    let number = said.parse().ok().filter(|number| *number > 0.0);
                    within = Some(number.ok_or_else(|| {
                        let found = format!("within: {said}");
                        self.error(line + offset, found, "within: a number above 0")
                    })?);
                }
                _ => {
                    let expected = match kind {
                        "drawing" => {
                            "of: CELL, value: EXPRESSION, x: FROM TO, y: FROM TO, within: NUMBER; then an empty line"
                        }
                        _ => {
                            "of: CELL, value: EXPRESSION, of a number within: NUMBER; then an empty line"
                        }
                    };
                    return Err(self.error(line + offset, format!("{code:?}"), expected));
                }
            }
        }
        let (Some(cell), Some(value)) = (cell, value) else {
            let found = format!("the prediction {id:?} without its cell or its value");
            return Err(self.error(line - 1, found, "lines of: CELL and value: EXPRESSION"));
        };

        let question = &lines[n_keys..];
        let first = match kind {
            "choice" | "edge" => question.iter().position(|code| code.starts_with("- ")),
            _ => None,
        };
        let (question, listed) = question.split_at(first.unwrap_or(question.len()));
        let asked = question.join("\n");
        if asked.trim().is_empty() {
            let expected = "an empty line, then the question";
            return Err(self.error(line - 1, "a prediction without a question", expected));
        }
        let listed_line = line + n_keys + question.len();
        let answer = match kind {
            "number" => Prediction::Number { within },
            "shape" => Prediction::Shape,
            "choice" => Prediction::Choice {
                options: self.choices(listed, listed_line)?,
            },
            "edge" => Prediction::Edge {
                nodes: self.nodes(listed, listed_line)?,
            },
            "drawing" => {
                let (Some(x), Some(y)) = (x, y) else {
                    let found = format!("the drawing {id:?} without its axes");
                    return Err(self.error(line - 1, found, "lines x: FROM TO and y: FROM TO"));
                };
                Prediction::Drawing { x, y, within }
            }
            _ => {
                let found = format!("the prediction of a {kind:?}");
                let expected = "number, shape, choice, edge or drawing";
                return Err(self.error(line - 1, found, expected));
            }
        };
        self.waiting.push(Waiting {
            line: line - 1,
            cell: cell.clone(),
        });
        Ok(Block::Predict {
            id,
            html: self.rich(&asked, line + n_keys)?,
            cell,
            value,
            answer,
        })
    }

    fn choices(&self, lines: &[&str], line: usize) -> Result<Vec<Choice>> {
        let mut options = Vec::new();
        for (offset, code) in lines.iter().enumerate() {
            if code.trim().is_empty() {
                continue;
            }
            let Some(text) = code.strip_prefix("- ").map(str::trim) else {
                let expected = "- text, one line for each option";
                return Err(self.error(line + offset, format!("{code:?}"), expected));
            };
            options.push(Choice {
                text: text.replace('`', ""),
                html: self.rich(text, line + offset)?,
            });
        }
        if options.len() < 2 {
            let found = format!("{} options", options.len());
            return Err(self.error(line - 1, found, "two or more lines - text"));
        }
        Ok(options)
    }

    /// The nodes of an edge: choices whose names are told apart, and found in the pair that Python prints.
    fn nodes(&self, lines: &[&str], line: usize) -> Result<Vec<Choice>> {
        let nodes = self.choices(lines, line)?;
        for (index, node) in nodes.iter().enumerate() {
            let of =
                |expected| Err(self.error(line - 1, format!("the node {:?}", node.text), expected));
            if node.text.contains(['\'', '"', '\\', '→', ',']) {
                return of("a name without quotes, commas, backslashes and arrows");
            }
            if nodes[..index].iter().any(|other| other.text == node.text) {
                return of("one node of that name");
            }
        }
        if nodes.len() > MOST_NODES {
            let found = format!("{} nodes", nodes.len());
            let expected = format!("{MOST_NODES} at most, which a telephone can show");
            return Err(self.error(line - 1, found, &expected));
        }
        Ok(nodes)
    }

    fn axis(&self, said: &str, line: usize) -> Result<Axis> {
        let mut ends = said.split_whitespace().map(|end| end.parse::<f64>().ok());
        match (ends.next(), ends.next(), ends.next()) {
            (Some(Some(from)), Some(Some(to)), None) if from < to && (to - from).is_finite() => {
                Ok(Axis { from, to })
            }
            _ => {
                let expected = "two numbers, the smaller one first";
                Err(self.error(line, format!("the axis {said:?}"), expected))
            }
        }
    }

    /// A cell comes: it answers the predictions that wait for it.
    pub(super) fn answer(&mut self, cell: &str) {
        self.waiting.retain(|waiting| waiting.cell != cell);
    }

    /// All cells have come.
    pub(super) fn all_answered(&self) -> Result<()> {
        match self.waiting.first() {
            None => Ok(()),
            Some(Waiting { line, cell }) => {
                let found = format!("a prediction of {cell:?}, which is no cell below");
                Err(self.error(*line, found, "the id of a cell below"))
            }
        }
    }
}
