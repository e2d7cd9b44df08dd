//! Front matter: `key: value` lines between two `---` lines at the top of `lesson.md`.
//!
//! Every key must be known and every known key must be there, but for `stage`, which a complete lesson has
//! (`Lesson::gaps`), and `sections`, which only a translation has. Not YAML: values are the rest of the line, so a title may hold a colon.

use crate::error::{LessonError, Result};
use crate::lesson::OpeningInstrument;

const KEYS: &str = "title, part, minutes, outcome";
pub(crate) const KNOWN: &str = "title, part, minutes, outcome, stage";

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    pub(crate) title: String,
    pub(crate) part: String,
    pub(crate) minutes: u32,
    pub(crate) outcome: String,
    pub(crate) stage: Option<Stage>,
    /// Of a translation: the line `sections:`, its number and what it says.
    pub(crate) sections: Option<(usize, String)>,
}

/// `stage: memory of cell-3`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    pub(crate) line: usize,
    pub(crate) instrument: OpeningInstrument,
    /// A cell's id, or a file's name.
    pub(crate) of: String,
}

/// Reads the front matter; also returns how many lines it takes.
pub(crate) fn read(file: &str, lines: &[&str]) -> Result<(FrontMatter, usize)> {
    let error = |line: usize, found: String, expected: &str| {
        Err(LessonError::new(file, line, found, expected))
    };
    if lines.first().map(|line| line.trim_end()) != Some("---") {
        let found = format!("the file begins with {:?}", lines.first().unwrap_or(&""));
        return error(1, found, "front matter: a line ---");
    }
    let (mut title, mut part, mut minutes, mut outcome) = (None, None, None, None);
    let (mut stage, mut sections) = (None, None);
    for (index, line) in lines.iter().enumerate().skip(1) {
        let number = index + 1;
        if line.trim_end() == "---" {
            let missing = |key: &str| {
                LessonError::new(
                    file,
                    number,
                    format!("front matter without {key}"),
                    format!("all of {KEYS}"),
                )
            };
            let front_matter = FrontMatter {
                title: title.ok_or_else(|| missing("title"))?,
                part: part.ok_or_else(|| missing("part"))?,
                minutes: minutes.ok_or_else(|| missing("minutes"))?,
                outcome: outcome.ok_or_else(|| missing("outcome"))?,
                stage,
                sections,
            };
            return Ok((front_matter, number));
        }
        let Some((key, value)) = line.split_once(':') else {
            return error(
                number,
                format!("{line:?} in the front matter"),
                "key: value",
            );
        };
        let (key, value) = (key.trim(), value.trim());
        if value.is_empty() {
            return error(number, format!("{key} has no value"), "key: value");
        }
        let text = match key {
            "title" => &mut title,
            "part" => &mut part,
            "outcome" => &mut outcome,
            "minutes" => {
                match value.parse() {
                    Ok(n) if n > 0 => minutes = Some(n),
                    _ => {
                        let found = format!("minutes: {value}");
                        return error(number, found, "a whole number of minutes, 1 or more");
                    }
                }
                continue;
            }
            "sections" => {
                sections = Some((number, value.to_string()));
                continue;
            }
            "stage" => {
                let words = value.split_once(" of ");
                let read = words.and_then(|(instrument, of)| {
                    let instrument = OpeningInstrument::named(instrument.trim())?;
                    let of = of.trim().to_owned();
                    Some(Stage {
                        line: number,
                        instrument,
                        of,
                    })
                });
                if read.is_none() {
                    let found = format!("stage: {value}");
                    return error(
                        number,
                        found,
                        "graph, memory or kernels, then `of` and a cell's id or opening.py",
                    );
                }
                stage = read;
                continue;
            }
            _ => {
                return error(
                    number,
                    format!("the key {key:?}"),
                    &format!("one of {KNOWN}"),
                );
            }
        };
        *text = Some(value.to_string());
    }
    error(
        lines.len(),
        "front matter that does not end".to_string(),
        "a line ---",
    )
}
