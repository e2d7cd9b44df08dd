//! Splits a lesson into its pieces, line by line: sections, cells, directives and the prose between.
//!
//! A piece begins only at the start of a line and outside any code fence, so a fence in a list or
//! in a quote is prose. What is inside a piece is left to `parse`.

use crate::error::{LessonError, Result};

/// A piece of the text, with the line its content begins on (counted from 1).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) line: usize,
    pub(crate) kind: PieceKind,
    pub(crate) text: String,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// `## Title`
    Section { title: String },
    /// Markdown.
    Prose,
    /// A fence marked `python cell`, perhaps with a name.
    Cell { name: Option<String> },
    /// `:::kind argument…` up to `:::`.
    Directive {
        kind: String,
        arguments: Vec<String>,
    },
}

/// Splits the lines that follow the front matter; `first_line` is the number of the first.
pub(crate) fn split(file: &str, lines: &[&str], first_line: usize) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut prose: Vec<&str> = Vec::new();
    let mut index = 0;
    while index < lines.len() {
        let line = lines[index];
        let number = first_line + index;
        let piece = if let Some(fence) = Fence::opening(line) {
            let end = fence.end(file, lines, index, first_line)?;
            let Some(name) = cell_name(file, number, fence.info)? else {
                prose.extend(&lines[index..=end]);
                index = end + 1;
                continue;
            };
            let piece = Piece {
                line: number + 1,
                kind: PieceKind::Cell { name },
                text: join(&lines[index + 1..end]),
            };
            (piece, end)
        } else if let Some(head) = line.strip_prefix(":::") {
            let end = end_of_directive(file, lines, index, first_line)?;
            let mut words = head.split_whitespace().map(str::to_string);
            let Some(kind) = words.next() else {
                return Err(LessonError::new(
                    file,
                    number,
                    "::: that closes nothing",
                    "a directive such as :::quiz name",
                ));
            };
            let piece = Piece {
                line: number + 1,
                kind: PieceKind::Directive {
                    kind,
                    arguments: words.collect(),
                },
                text: join(&lines[index + 1..end]),
            };
            (piece, end)
        } else if let Some(title) = line.strip_prefix("## ") {
            let piece = Piece {
                line: number,
                kind: PieceKind::Section {
                    title: title.trim().to_string(),
                },
                text: String::new(),
            };
            (piece, index)
        } else if line.starts_with("# ") {
            return Err(LessonError::new(
                file,
                number,
                format!("the heading {line:?}"),
                "## for a section, ### below it: the title is in the front matter",
            ));
        } else {
            prose.push(line);
            index += 1;
            continue;
        };
        push_prose(&mut pieces, &mut prose, number);
        pieces.push(piece.0);
        index = piece.1 + 1;
    }
    push_prose(&mut pieces, &mut prose, first_line + lines.len());
    Ok(pieces)
}

/// Ends the prose that stops before `next_line`.
fn push_prose(pieces: &mut Vec<Piece>, prose: &mut Vec<&str>, next_line: usize) {
    let blank_before = prose
        .iter()
        .take_while(|line| line.trim().is_empty())
        .count();
    if blank_before < prose.len() {
        pieces.push(Piece {
            line: next_line - prose.len() + blank_before,
            kind: PieceKind::Prose,
            text: join(&prose[blank_before..]).trim_end().to_string(),
        });
    }
    prose.clear();
}

/// The name after `python cell`, if that is what the fence says: `Some(None)` for a cell without.
fn cell_name(file: &str, number: usize, info: &str) -> Result<Option<Option<String>>> {
    let words: Vec<&str> = info.split_whitespace().collect();
    match words[..] {
        ["python", "cell"] => Ok(Some(None)),
        ["python", "cell", name] => Ok(Some(Some(name.to_string()))),
        [] | [_] => Ok(None),
        _ => Err(LessonError::new(
            file,
            number,
            format!("a fence marked {info:?}"),
            "`python cell`, `python cell name`, or one language name",
        )),
    }
}

fn end_of_directive(file: &str, lines: &[&str], open: usize, first_line: usize) -> Result<usize> {
    let mut index = open + 1;
    while index < lines.len() {
        let line = lines[index];
        if line.trim_end() == ":::" {
            return Ok(index);
        }
        if let Some(fence) = Fence::opening(line) {
            index = fence.end(file, lines, index, first_line)?;
        } else if line.starts_with(":::") {
            return Err(LessonError::new(
                file,
                first_line + index,
                format!("{line:?} inside a directive"),
                format!("::: to close the one of line {}", first_line + open),
            ));
        }
        index += 1;
    }
    Err(LessonError::new(
        file,
        first_line + open,
        format!("{:?} is not closed", lines[open]),
        "a line :::",
    ))
}

/// The opening line of a code fence.
struct Fence<'a> {
    mark: char,
    length: usize,
    info: &'a str,
}

impl<'a> Fence<'a> {
    fn opening(line: &'a str) -> Option<Self> {
        let text = line.trim_start();
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = text.len() - text.trim_start_matches(mark).len();
        let info = text[length..].trim();
        // An inline code span may begin a line: CommonMark allows no backtick after a fence.
        (length >= 3 && !(mark == '`' && info.contains('`'))).then_some(Self { mark, length, info })
    }

    /// The index of the closing line.
    fn end(&self, file: &str, lines: &[&str], open: usize, first_line: usize) -> Result<usize> {
        let closes = |line: &&str| {
            let text = line.trim();
            text.len() >= self.length && text.chars().all(|c| c == self.mark)
        };
        let after = open + 1;
        match lines[after..].iter().position(closes) {
            Some(offset) => Ok(after + offset),
            None => Err(LessonError::new(
                file,
                first_line + open,
                "a code fence that is not closed",
                self.mark.to_string().repeat(self.length),
            )),
        }
    }
}

/// The code fences of a text that [`split`] has split, those in lists and directives too: their lines, from 0.
pub(crate) fn fences(lines: &[&str]) -> Vec<std::ops::Range<usize>> {
    let mut fences = Vec::new();
    let mut index = 0;
    while index < lines.len() {
        let end =
            Fence::opening(lines[index]).and_then(|fence| fence.end("", lines, index, 0).ok());
        if let Some(end) = end {
            fences.push(index..end + 1);
            index = end;
        }
        index += 1;
    }
    fences
}

fn join(lines: &[&str]) -> String {
    lines.join("\n")
}
