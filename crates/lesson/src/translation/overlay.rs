//! Lays a translation's text over the English lesson, block by block, and says where they differ.

use crate::directive::fences;
use crate::error::{LessonError, Result};
use crate::lesson::{Block, Lesson, QuizOption};
use crate::markdown::{Event, Tag, TagEnd};
use crate::parse::Parsed;
use crate::prediction::Prediction;
use crate::rich::Rich;

/// A text of at least this many words that is the English one has not been translated; fewer may be a formula.
const WORDS: usize = 8;

/// The lesson with the text of its translation. Text that is English still goes to `faults`.
pub(super) fn lay(
    english: &Parsed,
    english_text: &str,
    other: &Parsed,
    other_text: &str,
    faults: &mut Vec<String>,
) -> Result<Lesson> {
    head(english, other, other_text)?;
    blocks(english, other, other_text)?;
    code(english_text, &other.file, other_text)?;
    let mut lesson = english.lesson.clone();
    lesson.title.clone_from(&other.lesson.title);
    lesson.part.clone_from(&other.lesson.part);
    lesson.outcome.clone_from(&other.lesson.outcome);
    for (index, (block, over)) in lesson
        .blocks
        .iter_mut()
        .zip(&other.lesson.blocks)
        .enumerate()
    {
        let place = BlockPosition {
            file: &other.file,
            line: other.lines[index],
            english: english.lines[index],
        };
        block_over(block, over, &place, faults)?;
    }
    Ok(lesson)
}

/// Where a block stands: in which file and line, and in which line of `lesson.md` its original.
struct BlockPosition<'a> {
    file: &'a str,
    line: usize,
    english: usize,
}

impl BlockPosition<'_> {
    fn error(&self, found: impl Into<String>, expected: impl AsRef<str>) -> LessonError {
        let of = format!(
            "{}, as in line {} of lesson.md",
            expected.as_ref(),
            self.english
        );
        LessonError::new(self.file, self.line, found, of)
    }
}

/// The front matter's keys that no language changes.
fn head(english: &Parsed, other: &Parsed, text: &str) -> Result<()> {
    let line = |key: &str| 1 + text.lines().position(|l| l.starts_with(key)).unwrap_or(0);
    let (is, was) = (&other.lesson, &english.lesson);
    if is.minutes != was.minutes {
        return Err(LessonError::new(
            &other.file,
            line("minutes"),
            format!("minutes: {}", is.minutes),
            format!("minutes: {}, as in lesson.md", was.minutes),
        ));
    }
    if is.opening != was.opening {
        return Err(LessonError::new(
            &other.file,
            line("stage"),
            "another line `stage:` than in lesson.md, or none",
            "the same",
        ));
    }
    Ok(())
}

/// The same kinds of blocks, with the same ids, in the same order.
fn blocks(english: &Parsed, other: &Parsed, text: &str) -> Result<()> {
    let (was, is) = (&english.lesson.blocks, &other.lesson.blocks);
    for index in 0..was.len().max(is.len()) {
        let found = is.get(index).map_or("the end".to_owned(), name);
        let expected = was.get(index).map_or("the end".to_owned(), name);
        if found != expected {
            let end = text.lines().count();
            let line = other.lines.get(index).copied().unwrap_or(end);
            let of = match english.lines.get(index) {
                Some(line) => format!("as in line {line} of lesson.md"),
                None => "as in lesson.md".to_owned(),
            };
            let expected = format!("{expected}, {of}");
            return Err(LessonError::new(&other.file, line, found, expected));
        }
    }
    Ok(())
}

/// What a block is, as the text has it.
fn name(block: &Block) -> String {
    match block {
        Block::Section { .. } => "a section (##)".to_owned(),
        Block::Prose { .. } => "text".to_owned(),
        Block::Cell { id, .. } => format!("the cell {id}"),
        Block::Exercise { id, .. } => format!(":::exercise {id}"),
        Block::Predict { id, answer, .. } => format!(":::predict {} {id}", answer.name()),
        Block::Quiz { id, .. } => format!(":::quiz {id}"),
        Block::Widget { id, kind, .. } => format!(":::widget {kind} {id}"),
    }
}

/// Code is the same to the byte, in cells and in text.
fn code(english: &str, file: &str, other: &str) -> Result<()> {
    let (was, is): (Vec<&str>, Vec<&str>) = (english.lines().collect(), other.lines().collect());
    let (old, new) = (fences(&was), fences(&is));
    for index in 0..old.len().max(new.len()) {
        let (before, now) = match (old.get(index), new.get(index)) {
            (Some(before), Some(now)) => (before.clone(), now.clone()),
            (None, Some(now)) => {
                let found = format!("the code {:?}", is[now.start]);
                let expected = "no more code, as in lesson.md";
                return Err(LessonError::new(file, now.start + 1, found, expected));
            }
            (Some(before), None) => {
                let line = before.start + 1;
                let expected = format!("the code of line {line} of lesson.md");
                return Err(LessonError::new(file, is.len(), "the end", expected));
            }
            (None, None) => break,
        };
        for offset in 0..before.len().max(now.len()) {
            let found = is[now.clone()].get(offset).unwrap_or(&"");
            let expected = was[before.clone()].get(offset).unwrap_or(&"");
            if found != expected {
                let line = before.start + offset + 1;
                let expected = format!("{expected:?}, the code of line {line} of lesson.md");
                let found = format!("{found:?}");
                return Err(LessonError::new(
                    file,
                    now.start + offset + 1,
                    found,
                    expected,
                ));
            }
        }
    }
    Ok(())
}

/// Puts the text of one block over another of the same name.
fn block_over(
    block: &mut Block,
    over: &Block,
    place: &BlockPosition<'_>,
    faults: &mut Vec<String>,
) -> Result<()> {
    let mut lay = |text: &mut Rich, over: &Rich| -> Result<()> {
        let (was, is) = (headings(text), headings(over));
        if was != is {
            let found = format!("headings of the ranks {is:?}");
            return Err(place.error(found, format!("{was:?}")));
        }
        if text == over && words(text) >= WORDS {
            faults.push(format!("the text of line {} is English still", place.line));
        }
        text.clone_from(over);
        Ok(())
    };
    match (block, over) {
        (Block::Section { title, .. }, Block::Section { title: over, .. }) => {
            title.clone_from(over)
        }
        (Block::Prose { html }, Block::Prose { html: over }) => lay(html, over)?,
        (
            Block::Exercise {
                title,
                html,
                needs,
                mine,
                hints,
                ..
            },
            Block::Exercise {
                title: title_over,
                html: html_over,
                needs: needs_over,
                mine: mine_over,
                hints: hints_over,
                ..
            },
        ) => {
            if needs != needs_over {
                return Err(place.error("other lines `needs:`", "the same"));
            }
            if mine != mine_over {
                return Err(place.error("another line `mine:`, or none", "the same"));
            }
            title.clone_from(title_over);
            lay(html, html_over)?;
            for (hint, over) in hints.iter_mut().zip(hints_over) {
                lay(hint, over)?;
            }
        }
        (
            Block::Predict {
                html,
                cell,
                value,
                answer,
                ..
            },
            Block::Predict {
                html: html_over,
                cell: cell_over,
                value: value_over,
                answer: answer_over,
                ..
            },
        ) => {
            if cell != cell_over {
                return Err(place.error(format!("of: {cell_over}"), format!("of: {cell}")));
            }
            if value != value_over {
                return Err(place.error(format!("value: {value_over}"), format!("value: {value}")));
            }
            lay(html, html_over)?;
            match (answer, answer_over) {
                (Prediction::Choice { options }, Prediction::Choice { options: over })
                | (Prediction::Edge { nodes: options }, Prediction::Edge { nodes: over }) => {
                    if options.len() != over.len() {
                        let expected = format!("{} options", options.len());
                        return Err(place.error(format!("{} options", over.len()), expected));
                    }
                    for (option, over) in options.iter_mut().zip(over) {
                        lay(&mut option.html, &over.html)?;
                    }
                }
                (answer, over) if answer != over => {
                    return Err(place.error("another line `within:`, `x:` or `y:`", "the same"));
                }
                _ => {}
            }
        }
        (
            Block::Quiz { html, options, .. },
            Block::Quiz {
                html: html_over,
                options: options_over,
                ..
            },
        ) => {
            let marks = |options: &[QuizOption]| {
                let mark = |option: &QuizOption| if option.correct { "[x]" } else { "[ ]" };
                options.iter().map(mark).collect::<Vec<_>>().join(" ")
            };
            if marks(options) != marks(options_over) {
                let expected = format!("options {}", marks(options));
                return Err(place.error(format!("options {}", marks(options_over)), expected));
            }
            lay(html, html_over)?;
            for (option, over) in options.iter_mut().zip(options_over) {
                lay(&mut option.html, &over.html)?;
                lay(&mut option.explanation, &over.explanation)?;
            }
        }
        (Block::Widget { options, .. }, Block::Widget { options: over, .. }) if options != over => {
            return Err(place.error(format!("{over:?}"), format!("{options:?}")));
        }
        _ => {}
    }
    Ok(())
}

/// The ranks of a text's headings, in order.
fn headings(text: &Rich) -> Vec<u8> {
    text.events()
        .filter_map(|event| match event {
            Event::Start(Tag::Heading { level, .. }) => Some(level as u8),
            _ => None,
        })
        .collect()
}

/// How many words stand in a text outside code, math and links.
fn words(text: &Rich) -> usize {
    let mut count = 0;
    let mut is_aside = false;
    for event in text.events() {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::Link { .. }) => is_aside = true,
            Event::End(TagEnd::CodeBlock | TagEnd::Link) => is_aside = false,
            Event::Text(said) if !is_aside => {
                let letters = |word: &&str| word.chars().any(char::is_alphabetic);
                count += said.split_whitespace().filter(letters).count();
            }
            _ => {}
        }
    }
    count
}
