//! A lesson in another language: the file `lesson.LANGUAGE.md` beside `lesson.md`.
//!
//! A translation is the whole lesson again. It is parsed as a lesson, and its text is laid over the English lesson; ids,
//! cells, exercises and values are those of the English one. Invariant: what is laid over has the same blocks in the
//! same order and the same code, so that progress, checks and pictures of a lesson hold in every language.
//!
//! The line `sections:` in a translation's front matter has a hash of each piece of the English text that it was made
//! from (`source.rs`). Where a piece has changed since, the translation is stale; it is shown all the same.

mod overlay;
mod source;

use crate::error::{LessonError, Result};
use crate::files::Files;
use crate::lesson::{Lesson, LessonSummary, Translation};
use crate::parse::{Parsed, parse_text};
use source::Source;

/// How the English text and its translations are named.
const ENGLISH: &str = "lesson.md";

/// The languages in which there is a lesson, in order; English is not among them.
pub fn languages(lessons: &[Lesson]) -> Vec<&str> {
    let mut languages: Vec<&str> = Vec::new();
    for translation in lessons.iter().flat_map(|lesson| &lesson.translations) {
        if !languages.contains(&translation.language.as_str()) {
            languages.push(&translation.language);
        }
    }
    languages.sort_unstable();
    languages
}

/// The table of contents in a language. A lesson without a translation stands there in English and says so; its part is
/// named as the translations of other lessons name it.
pub fn contents(lessons: &[Lesson], language: &str) -> Vec<LessonSummary> {
    let translated = |lesson: &Lesson| {
        let found = lesson.in_language(language)?;
        found.ok().map(Lesson::summary)
    };
    let part = |english: &str| {
        let mut same = lessons.iter().filter(|other| other.part == english);
        same.find_map(translated).map(|summary| summary.part)
    };
    let line = |lesson: &Lesson| {
        translated(lesson).unwrap_or_else(|| {
            let mut summary = lesson.summary();
            summary.part = part(&lesson.part).unwrap_or(summary.part);
            summary.untranslated = language != "en";
            summary
        })
    };
    lessons.iter().map(line).collect()
}

/// The translations in a lesson's folder, by language.
pub(crate) fn read_all(folder: &str, files: &Files, english: &Parsed) -> Result<Vec<Translation>> {
    let text = files.get(&english.file).unwrap_or_default();
    let mut translations = Vec::new();
    for path in files.paths() {
        let name = path.strip_prefix(folder).and_then(|p| p.strip_prefix('/'));
        let Some(language) = name.and_then(language_of) else {
            continue;
        };
        if !is_language(language) {
            return Err(LessonError::new(
                path,
                0,
                format!("the language {language:?}"),
                "two or three lower case letters other than `en`, such as lesson.es.md",
            ));
        }
        let mut faults = Vec::new();
        let lesson = parse_text(folder, path, files, true).and_then(|parsed| {
            let translated = files.get(path).unwrap_or_default();
            let laid = overlay::lay(english, text, &parsed, translated, &mut faults)?;
            let of_now = Source::of(english, text);
            let marked = parsed.sections.as_ref().map(|(_, said)| said.as_str());
            faults.extend(of_now.stale(marked, &english.lesson.slug, language));
            Ok(laid)
        });
        translations.push(Translation {
            language: language.to_owned(),
            lesson,
            faults,
        });
    }
    Ok(translations)
}

/// A part of the course has one name in a language: the later lesson says where it has another.
pub(crate) fn compare_parts(lessons: &mut [Lesson]) {
    let mut names: Vec<(String, String, String, String)> = Vec::new();
    for lesson in lessons {
        for translation in &mut lesson.translations {
            let Ok(translated) = &translation.lesson else {
                continue;
            };
            let known = names.iter().find(|(language, part, ..)| {
                *language == translation.language && *part == lesson.part
            });
            match known {
                Some((_, part, name, slug)) if *name != translated.part => {
                    translation.faults.push(format!(
                        "the part “{part}” is “{}”; expected “{name}”, as in {slug}",
                        translated.part
                    ));
                }
                Some(_) => {}
                None => names.push((
                    translation.language.clone(),
                    lesson.part.clone(),
                    translated.part.clone(),
                    lesson.slug.clone(),
                )),
            }
        }
    }
}

/// What [`translate`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Translated {
    /// The text to begin with, all of it English.
    Begun(String),
    /// The translation, marked as made from the English text of now.
    Marked(String),
}

/// The text of `lesson.LANGUAGE.md` in a folder `NN-slug`: where there is none, the English text; where there is one, the
/// same with the hashes of the English text of now.
///
/// # Errors
/// When the lesson is none, the language has no name, or the translation does not fit over the lesson.
pub fn translate(folder: &str, files: &Files, language: &str) -> Result<Translated> {
    let english = parse_text(folder, &format!("{folder}/{ENGLISH}"), files, false)?;
    let text = files.get(&english.file).unwrap_or_default();
    let path = format!("{folder}/lesson.{language}.md");
    if !is_language(language) {
        return Err(LessonError::new(
            &path,
            0,
            format!("the language {language:?}"),
            "two or three lower case letters other than `en`, such as es",
        ));
    }
    let Some(translated) = files.get(&path) else {
        return Ok(Translated::Begun(text.to_owned()));
    };
    let parsed = parse_text(folder, &path, files, true)?;
    overlay::lay(&english, text, &parsed, translated, &mut Vec::new())?;
    let said = format!("sections: {}", Source::of(&english, text).marks());
    let mut lines: Vec<&str> = translated.lines().collect();
    match parsed.sections {
        Some((line, _)) => lines[line - 1] = &said,
        None => lines.insert(parsed.n_front - 1, &said),
    }
    Ok(Translated::Marked(lines.join("\n") + "\n"))
}

/// `lesson.es.md` → `es`.
fn language_of(name: &str) -> Option<&str> {
    name.strip_prefix("lesson.")?.strip_suffix(".md")
}

fn is_language(language: &str) -> bool {
    matches!(language.len(), 2 | 3)
        && language.bytes().all(|b| b.is_ascii_lowercase())
        && language != "en"
}
