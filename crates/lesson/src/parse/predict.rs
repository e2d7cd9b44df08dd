//! `:::predict kind id`: a question that a cell's run answers.

use crate::error::Result;
use crate::lesson::{Block, Choice, Prediction};

use super::Parser;

/// A prediction whose cell has not come yet.
pub(super) struct Waiting {
    line: usize,
    cell: String,
}

impl Parser<'_> {
    /// Lines `of: CELL`, `value: EXPRESSION` and perhaps `within: NUMBER`; an empty line; the question; and of a choice,
    /// its options: `- text`.
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
        for (offset, code) in lines[..n_keys].iter().enumerate() {
            let (key, said) = code.split_once(':').unwrap_or((code, ""));
            let said = said.trim();
            match key.trim() {
                "of" if !said.is_empty() => cell = Some(said.to_string()),
                "value" if !said.is_empty() => value = Some(said.to_string()),
                "within" if kind == "number" => {
                    let number = said.parse().ok().filter(|number| *number > 0.0);
                    within = Some(number.ok_or_else(|| {
                        let found = format!("within: {said}");
                        self.error(line + offset, found, "within: a number above 0")
                    })?);
                }
                _ => {
                    let expected = "of: CELL, value: EXPRESSION, of a number within: NUMBER; then an empty line";
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
            "choice" => question.iter().position(|code| code.starts_with("- ")),
            _ => None,
        };
        let (question, listed) = question.split_at(first.unwrap_or(question.len()));
        let asked = question.join("\n");
        if asked.trim().is_empty() {
            let expected = "an empty line, then the question";
            return Err(self.error(line - 1, "a prediction without a question", expected));
        }
        let answer = match kind {
            "number" => Prediction::Number { within },
            "shape" => Prediction::Shape,
            "choice" => Prediction::Choice {
                options: self.choices(listed, line + n_keys + question.len())?,
            },
            _ => {
                let found = format!("the prediction of a {kind:?}");
                return Err(self.error(line - 1, found, "number, shape or choice"));
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
