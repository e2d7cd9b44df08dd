//! A lesson in all its languages, and all lessons of a course.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::error::{LessonError, Result};
use crate::files::Files;
use crate::lesson::{Block, Lesson};
use crate::parse::parse_text;
use crate::translation;

/// Parses the lesson in a folder `NN-slug` of `files`, in all its languages.
///
/// # Errors
/// The first thing that is wrong: file, line, what is there, what belongs there.
///
/// ```
/// let files: glowgrad_lesson::Files = [(
///     "01-sums/lesson.md",
///     "---\ntitle: Sums\npart: One\nminutes: 5\noutcome: You add.\n---\n## TL;DR\nAdd $a$ and `b`.\n",
/// )]
/// .into_iter()
/// .collect();
/// let lesson = glowgrad_lesson::parse_lesson("01-sums", &files)?;
/// assert_eq!((lesson.number, lesson.slug.as_str()), (1, "sums"));
/// assert_eq!(lesson.sections(), ["TL;DR"]);
/// # Ok::<(), glowgrad_lesson::LessonError>(())
/// ```
pub fn parse_lesson(folder: &str, files: &Files) -> Result<Lesson> {
    let mut parsed = parse_text(folder, &format!("{folder}/lesson.md"), files, false)?;
    parsed.lesson.translations = translation::read_all(folder, files, &parsed)?;
    Ok(parsed.lesson)
}

impl Files {
    /// All lessons, in the order of their numbers.
    ///
    /// # Errors
    /// The first thing that is wrong in any of them.
    pub fn lessons(&self) -> Result<Vec<Lesson>> {
        let mut lessons: Vec<Lesson> = Vec::new();
        for path in self.paths() {
            let Some(folder) = path.strip_suffix("/lesson.md") else {
                continue;
            };
            let lesson = parse_lesson(folder, self)?;
            if let Some(other) = lessons
                .iter()
                .find(|other| other.number == lesson.number || other.slug == lesson.slug)
            {
                return Err(LessonError::new(
                    path,
                    1,
                    format!(
                        "the same number or name as {:02}-{}",
                        other.number, other.slug
                    ),
                    "a folder NN-slug with a number and a slug of its own",
                ));
            }
            lessons.push(lesson);
        }
        lessons.sort_by_key(|lesson| lesson.number);
        let mut names = BTreeMap::new();
        for piece in pieces(&lessons) {
            if let Some(other) = names.insert(piece.name, piece.exercise) {
                let path = format!("{:02}-{}/lesson.md", piece.number, piece.lesson);
                let found = format!("mine: {} of the exercise {}", piece.name, piece.exercise);
                let expected = format!("another name than that of the exercise {other}");
                return Err(LessonError::new(&path, 1, found, &expected));
            }
        }
        translation::compare_parts(&mut lessons);
        Ok(lessons)
    }
}

/// A piece of `mine`, the library that a learner builds: what an exercise asks for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Piece<'a> {
    /// What `from mine import …` takes; the learner's own is in the file `mine/NAME.py`.
    pub name: &'a str,
    /// The lesson's slug.
    pub lesson: &'a str,
    pub number: u32,
    /// The lesson's title.
    pub title: &'a str,
    /// The exercise's id.
    pub exercise: &'a str,
    /// The exercise's title.
    pub what: &'a str,
    /// The course's own answer.
    pub solution: &'a str,
}

/// The pieces of `mine`, in the order of the course; their titles are in the language of the lessons.
pub fn pieces<'a>(lessons: impl IntoIterator<Item = &'a Lesson>) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    for lesson in lessons {
        for block in &lesson.blocks {
            if let Block::Exercise {
                id,
                title,
                mine: Some(name),
                solution,
                ..
            } = block
            {
                pieces.push(Piece {
                    name,
                    lesson: &lesson.slug,
                    number: lesson.number,
                    title: &lesson.title,
                    exercise: id,
                    what: title,
                    solution,
                });
            }
        }
    }
    pieces
}

/// All lessons below a folder, in the order of their numbers.
///
/// # Errors
/// The first thing that is wrong: a file that cannot be read, or what a lesson lacks.
pub fn load_all(root: &Path) -> Result<Vec<Lesson>> {
    let files = Files::read(root).map_err(|error| {
        LessonError::new(
            "lessons",
            0,
            error.to_string(),
            "a folder of readable lessons",
        )
    })?;
    files.lessons()
}

/// The course that came with this binary.
///
/// # Errors
/// The first thing that is wrong in any lesson; a test proves that there is nothing.
#[cfg(feature = "embedded")]
pub fn embedded() -> Result<Vec<Lesson>> {
    static FILES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
    FILES.iter().copied().collect::<Files>().lessons()
}
