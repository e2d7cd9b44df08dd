//! From the text of a lesson to [`Lesson`].
//!
//! Everything is checked here, once: what comes out has unique ids, three hints per exercise, an
//! explanation per quiz option and at least one correct one.

mod predict;

use std::collections::{BTreeMap, HashSet};

use crate::directive::{Piece, PieceKind, split};
use crate::error::{LessonError, Result};
use crate::files::Files;
use crate::front_matter::{self, Stage};
use crate::lesson::{Block, Lesson, Need, Opening, QuizOption};
use crate::names::{is_name, is_variable, name_of, slug_of};
use crate::rich::Rich;
use crate::wrong;

/// The widgets the page knows, and the options each must have.
const WIDGETS: &[(&str, &[&str])] = &[
    ("digit-pad", &["function"]),
    ("memory", &["names"]),
    ("strides", &["shape"]),
    ("bits", &["dtype", "value"]),
    ("broadcast", &["a", "b"]),
    ("graph", &["cell"]),
    ("kernels", &["cell"]),
    ("plot", &["cell"]),
];

/// The text of one language, parsed.
pub(crate) struct Parsed {
    pub(crate) file: String,
    pub(crate) lesson: Lesson,
    /// The line on which each block begins.
    pub(crate) lines: Vec<usize>,
    /// How many lines the front matter takes.
    pub(crate) n_front: usize,
    /// The front matter's line `sections:`, its number and what it says.
    pub(crate) sections: Option<(usize, String)>,
}

/// Parses the text of one language. The titles of a translation make no ids: those are the English ones.
pub(crate) fn parse_text(
    folder: &str,
    file: &str,
    files: &Files,
    is_translation: bool,
) -> Result<Parsed> {
    let (number, slug) = name_of(folder, file)?;
    let Some(text) = files.get(file) else {
        return Err(LessonError::new(
            file,
            0,
            "no such file",
            "the lesson's text",
        ));
    };
    let lines: Vec<&str> = text.lines().collect();
    let (front, n_front) = front_matter::read(file, &lines)?;
    if let (Some((line, _)), false) = (&front.sections, is_translation) {
        let expected = format!("one of {}", front_matter::KNOWN);
        return Err(LessonError::new(
            file,
            *line,
            "the key \"sections\"",
            expected,
        ));
    }
    let pieces = split(file, &lines[n_front..], n_front + 1)?;
    let mut parser = Parser {
        folder,
        file,
        files,
        is_translation,
        ids: HashSet::new(),
        cells: Vec::new(),
        waiting: Vec::new(),
    };
    let mut blocks = Vec::with_capacity(pieces.len());
    let mut begins = Vec::with_capacity(pieces.len());
    for piece in pieces {
        begins.push(match piece.kind {
            PieceKind::Section { .. } | PieceKind::Prose => piece.line,
            PieceKind::Cell { .. } | PieceKind::Directive { .. } => piece.line - 1,
        });
        blocks.push(parser.block(piece)?);
    }
    parser.all_answered()?;
    let opening = front.stage.map(|stage| parser.opening(stage)).transpose()?;
    Ok(Parsed {
        file: file.to_owned(),
        lesson: Lesson {
            slug,
            number,
            title: front.title,
            part: front.part,
            minutes: front.minutes,
            outcome: front.outcome,
            opening,
            blocks,
            translations: Vec::new(),
        },
        lines: begins,
        n_front,
        sections: front.sections,
    })
}

/// The file that stands in for a cell where none shows what a lesson opens with.
const OPENING: &str = "opening.py";

struct Parser<'a> {
    folder: &'a str,
    file: &'a str,
    files: &'a Files,
    is_translation: bool,
    ids: HashSet<String>,
    /// The ids of the cells so far.
    cells: Vec<String>,
    /// The predictions whose cell has not come yet.
    waiting: Vec<predict::Waiting>,
}

impl Parser<'_> {
    /// What the stage opens with: the run of a cell, or of a file of its own.
    fn opening(&self, stage: Stage) -> Result<Opening> {
        let Stage {
            line,
            instrument,
            of,
        } = stage;
        let source = if of == OPENING {
            let file = format!("{}/{OPENING}", self.folder);
            let text = self.files.get(&file);
            Some(text.ok_or_else(|| self.error(line, format!("no file {file}"), "Python"))?)
        } else if self.cells.contains(&of) {
            None
        } else {
            let found = format!("the lesson has no cell {of:?}");
            let expected = format!("the id of a cell, or {OPENING}");
            return Err(self.error(line, found, &expected));
        };
        Ok(Opening {
            instrument,
            source: source.map(str::to_owned),
            cell: of,
        })
    }

    fn block(&mut self, piece: Piece) -> Result<Block> {
        let Piece { line, kind, text } = piece;
        match kind {
            PieceKind::Section { title } => {
                let id = match self.is_translation {
                    true => String::new(),
                    false => self.id(slug_of(&title), line)?,
                };
                Ok(Block::Section { id, title })
            }
            PieceKind::Prose => Ok(Block::Prose {
                html: self.rich(&text, line)?,
            }),
            PieceKind::Cell { name } => {
                if text.trim().is_empty() {
                    return Err(self.error(line, "a cell without code", "Python"));
                }
                let id = name.unwrap_or_else(|| format!("cell-{}", self.cells.len() + 1));
                let id = self.id(id, line)?;
                self.cells.push(id.clone());
                self.answer(&id);
                Ok(Block::Cell {
                    id,
                    source: format!("{}\n", text.trim_end()),
                })
            }
            PieceKind::Directive { kind, arguments } => {
                let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
                match (kind.as_str(), &arguments[..]) {
                    ("exercise", [id]) => self.exercise(id, &text, line),
                    ("quiz", [id]) => self.quiz(id, &text, line),
                    ("predict", [kind, id]) => self.predict(kind, id, &text, line),
                    ("widget", [kind, id]) => self.widget(kind, id, &text, line),
                    _ => Err(self.error(
                        line - 1,
                        format!(":::{kind} {}", arguments.join(" ")).trim_end(),
                        ":::exercise id, :::quiz id, :::predict kind id or :::widget kind id",
                    )),
                }
            }
        }
    }

    /// Lines `needs: …` and `mine: …`, `### Title`, what to do, and three `#### Hint` parts; the code is in files.
    fn exercise(&mut self, id: &str, text: &str, line: usize) -> Result<Block> {
        let id = self.id(id.to_string(), line - 1)?;
        let parts = headed_parts(text, line);
        let title = match parts.get(1) {
            Some(part) if part.level == 3 => part,
            _ => return Err(self.error(line, "an exercise without a title", "### Title")),
        };
        let needs = self.needs(&parts[0].text, line)?;
        let mine = self.mine(&parts[0].text, line)?;
        if mine.is_some() && !needs.is_empty() {
            let expected = "mine: alone, because a piece is imported where no cell ran";
            return Err(self.error(line, "needs: and mine:", expected));
        }
        let mut hints = Vec::new();
        for part in &parts[2..] {
            if part.level != 4 || !part.title.starts_with("Hint") {
                let found = format!("the heading {:?}", part.title);
                return Err(self.error(part.line - 1, found, "#### Hint"));
            }
            if part.text.trim().is_empty() {
                return Err(self.error(part.line - 1, "an empty hint", "a hint"));
            }
            hints.push(self.rich(&part.text, part.line)?);
        }
        let n_hints = hints.len();
        let Ok(hints) = <[Rich; 3]>::try_from(hints) else {
            let found = format!("{n_hints} hints for the exercise {id:?}");
            return Err(self.error(line - 1, found, "three parts #### Hint"));
        };
        let html = self.rich(&title.text, title.line)?;
        let start = self.exercise_file(&id, "start.py", line - 1)?;
        let solution = self.exercise_file(&id, "solution.py", line - 1)?;
        let checks = self.checks(&id, line - 1)?;
        let folder = format!("{}/exercises/{id}/", self.folder);
        let wrong = wrong::read(self.files, &folder, &solution)?;
        Ok(Block::Exercise {
            title: title.title.to_string(),
            html,
            needs,
            mine,
            start,
            solution,
            checks,
            wrong,
            hints,
            id,
        })
    }

    /// Lines `needs: NAME, NAME of CELL`, of cells above, in the order in which they run.
    fn needs(&self, text: &str, line: usize) -> Result<Vec<Need>> {
        let mut needs: Vec<Need> = Vec::new();
        for (offset, code) in text.lines().enumerate() {
            if code.trim().is_empty() || code.starts_with("mine:") {
                continue;
            }
            let line = line + offset;
            let parts = code
                .strip_prefix("needs:")
                .and_then(|rest| rest.rsplit_once(" of "));
            let Some((names, cell)) = parts else {
                let expected = "### Title, or before it: needs: NAME, NAME of CELL, or mine: NAME";
                return Err(self.error(line, format!("{code:?}"), expected));
            };
            let (names, cell) = (names.split(',').map(str::trim), cell.trim());
            if let Some(wrong) = names.clone().find(|name| !is_variable(name)) {
                return Err(self.error(line, format!("the name {wrong:?}"), "a variable"));
            }
            if !self.cells.iter().any(|known| known == cell) {
                let found = format!("{cell:?}, which is no cell above");
                let expected = match &self.cells[..] {
                    [] => "a cell before the exercise".to_owned(),
                    cells => format!("one of {}", cells.join(", ")),
                };
                return Err(self.error(line, found, &expected));
            }
            if needs.iter().any(|need| need.cell == cell) {
                let expected = "all its names in one line";
                return Err(self.error(line, format!("{cell:?} again"), expected));
            }
            needs.push(Need {
                cell: cell.to_string(),
                names: names.map(str::to_string).collect(),
            });
        }
        Ok(needs)
    }

    /// The line `mine: NAME`, if there is one.
    fn mine(&self, text: &str, line: usize) -> Result<Option<String>> {
        let mut names = text
            .lines()
            .zip(line..)
            .filter_map(|(code, line)| Some((code.strip_prefix("mine:")?.trim(), line)));
        let Some((name, line)) = names.next() else {
            return Ok(None);
        };
        if !is_variable(name) {
            return Err(self.error(line, format!("the name {name:?}"), "a variable"));
        }
        if let Some((again, line)) = names.next() {
            return Err(self.error(line, format!("mine: {again} too"), "one name"));
        }
        Ok(Some(name.to_string()))
    }

    fn exercise_file(&self, id: &str, name: &str, line: usize) -> Result<String> {
        let path = format!("{}/exercises/{id}/{name}", self.folder);
        match self.files.get(&path) {
            Some(text) if !text.trim().is_empty() => Ok(text.to_string()),
            Some(_) => Err(LessonError::new(&path, 1, "an empty file", "Python")),
            None => {
                let found = format!("the exercise {id:?} without {name}");
                Err(self.error(line, found, &format!("the file {path}")))
            }
        }
    }

    /// The checks, each with a docstring: it is what the learner reads.
    fn checks(&self, id: &str, line: usize) -> Result<String> {
        let text = self.exercise_file(id, "checks.py", line)?;
        let path = format!("{}/exercises/{id}/checks.py", self.folder);
        let lines: Vec<&str> = text.lines().collect();
        let mut n_checks = 0;
        for (index, code) in lines.iter().enumerate() {
            let Some(head) = code.strip_prefix("def check_") else {
                continue;
            };
            n_checks += 1;
            let body = lines.get(index + 1).map_or("", |body| body.trim_start());
            if !body.starts_with("\"\"\"") {
                let name = head.split('(').next().unwrap_or(head);
                return Err(LessonError::new(
                    &path,
                    index + 1,
                    format!("check_{name} without a docstring"),
                    "a sentence that says what must hold",
                ));
            }
        }
        if n_checks == 0 {
            return Err(LessonError::new(&path, 1, "no check", "a function check_…"));
        }
        Ok(text)
    }

    /// A question, then `- [ ] option` items with `> explanation` inside.
    fn quiz(&mut self, id: &str, text: &str, line: usize) -> Result<Block> {
        let id = self.id(id.to_string(), line - 1)?;
        let lines: Vec<&str> = text.lines().collect();
        let begins = |code: &&str| option_mark(code).is_some();
        let first = lines.iter().position(begins).unwrap_or(lines.len());
        let question = lines[..first].join("\n");
        if question.trim().is_empty() {
            return Err(self.error(
                line - 1,
                "a quiz without a question",
                "a question, then options",
            ));
        }
        let mut options = Vec::new();
        let mut at = first;
        while at < lines.len() {
            let end = lines[at + 1..]
                .iter()
                .position(begins)
                .map_or(lines.len(), |offset| at + 1 + offset);
            options.push(self.quiz_option(&lines[at..end], line + at)?);
            at = end;
        }
        if options.len() < 2 {
            let found = format!("{} options", options.len());
            return Err(self.error(line - 1, found, "two or more: - [ ] text, - [x] correct"));
        }
        if !options.iter().any(|option| option.correct) {
            return Err(self.error(line - 1, "no correct option", "one or more marked - [x]"));
        }
        Ok(Block::Quiz {
            id,
            html: self.rich(question.trim(), line)?,
            options,
        })
    }

    fn quiz_option(&self, lines: &[&str], line: usize) -> Result<QuizOption> {
        let Some((correct, head)) = option_mark(lines[0]) else {
            return Err(self.error(line, "an option", "- [ ] text or - [x] text"));
        };
        let mut text = vec![head];
        let mut explanation = Vec::new();
        let mut explanation_line = line;
        for (offset, code) in lines.iter().enumerate().skip(1) {
            let inner = match code.strip_prefix("  ") {
                Some(inner) => inner,
                None if code.trim().is_empty() => "",
                None => {
                    let expected = "two blanks before what belongs to an option, or - [ ]";
                    return Err(self.error(line + offset, format!("{code:?}"), expected));
                }
            };
            if let Some(said) = inner.strip_prefix('>') {
                if explanation.is_empty() {
                    explanation_line = line + offset;
                }
                explanation.push(said.strip_prefix(' ').unwrap_or(said));
            } else if explanation.is_empty() || inner.trim().is_empty() {
                text.push(inner);
            } else {
                let expected = "the explanation (>) last in its option";
                return Err(self.error(line + offset, format!("{code:?}"), expected));
            }
        }
        if explanation.is_empty() {
            let found = format!("the option {head:?} without an explanation");
            return Err(self.error(line, found, "a line `  > why` below it"));
        }
        Ok(QuizOption {
            html: self.rich(text.join("\n").trim(), line)?,
            correct,
            explanation: self.rich(&explanation.join("\n"), explanation_line)?,
        })
    }

    /// `key: value` lines.
    fn widget(&mut self, kind: &str, id: &str, text: &str, line: usize) -> Result<Block> {
        let id = self.id(id.to_string(), line - 1)?;
        let Some((_, needed)) = WIDGETS.iter().find(|(known, _)| *known == kind) else {
            let known: Vec<&str> = WIDGETS.iter().map(|(kind, _)| *kind).collect();
            let found = format!("the widget {kind:?}");
            return Err(self.error(line - 1, found, &format!("one of {}", known.join(", "))));
        };
        let mut options = BTreeMap::new();
        for (offset, code) in text.lines().enumerate() {
            if code.trim().is_empty() {
                continue;
            }
            let Some((key, value)) = code.split_once(':') else {
                return Err(self.error(line + offset, format!("{code:?}"), "key: value"));
            };
            options.insert(key.trim().to_string(), value.trim().to_string());
        }
        if let Some(missing) = needed.iter().find(|key| !options.contains_key(**key)) {
            let found = format!("the widget {id:?} without {missing}");
            return Err(self.error(line - 1, found, &format!("a line {missing}: value")));
        }
        Ok(Block::Widget {
            id,
            kind: kind.to_string(),
            options,
        })
    }

    /// Takes an id, which no other block may have.
    fn id(&mut self, id: String, line: usize) -> Result<String> {
        if !is_name(&id) {
            return Err(self.error(
                line,
                format!("the id {id:?}"),
                "lower case letters, digits and -",
            ));
        }
        if !self.ids.insert(id.clone()) {
            return Err(self.error(line, format!("the id {id:?} again"), "an id of its own"));
        }
        Ok(id)
    }

    fn rich(&self, markdown: &str, line: usize) -> Result<Rich> {
        Rich::new(markdown).map_err(|refused| {
            let before = &markdown[..refused.at.min(markdown.len())];
            let line = line + before.matches('\n').count();
            self.error(line, refused.found, refused.expected)
        })
    }

    fn error(&self, line: usize, found: impl Into<String>, expected: &str) -> LessonError {
        LessonError::new(self.file, line, found, expected)
    }
}

/// Whether a line begins a quiz option: is it correct, and its text.
fn option_mark(line: &str) -> Option<(bool, &str)> {
    line.strip_prefix("- [ ] ")
        .map(|text| (false, text))
        .or_else(|| line.strip_prefix("- [x] ").map(|text| (true, text)))
}

/// Text below a heading of level 3 or 4; the first part has none.
struct Part<'a> {
    level: usize,
    title: &'a str,
    /// Where the text begins.
    line: usize,
    text: String,
}

fn headed_parts(text: &str, line: usize) -> Vec<Part<'_>> {
    let mut parts = vec![Part {
        level: 0,
        title: "",
        line,
        text: String::new(),
    }];
    let mut in_fence = false;
    for (offset, code) in text.lines().enumerate() {
        in_fence ^= code.trim_start().starts_with("```");
        let heading = [(3, "### "), (4, "#### ")]
            .iter()
            .find_map(|(level, mark)| Some((*level, code.strip_prefix(mark)?)));
        if let (Some((level, title)), false) = (heading, in_fence) {
            parts.push(Part {
                level,
                title: title.trim(),
                line: line + offset + 1,
                text: String::new(),
            });
        } else if let Some(part) = parts.last_mut() {
            part.text.push_str(code);
            part.text.push('\n');
        }
    }
    parts
}
