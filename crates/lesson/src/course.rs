//! The files of a course, and all lessons in them.
//!
//! A lesson is parsed from texts in memory, so that the folder, the binary and a test give the same
//! result.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use crate::error::{LessonError, Result};
use crate::lesson::Lesson;
use crate::parse::parse_lesson;

/// Texts by path below `lessons/`, with `/` between the parts.
#[derive(Debug, Clone, Default)]
pub struct Files(BTreeMap<String, String>);

impl Files {
    /// The `.md`, `.py` and `.diff` files below a folder.
    ///
    /// # Errors
    /// When the folder or a file in it cannot be read as UTF-8 text; the message names it.
    pub fn read(root: &Path) -> io::Result<Self> {
        let mut files = Self::default();
        files.read_below(root, "")?;
        Ok(files)
    }

    fn read_below(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        let named = |path: &Path, error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        };
        for entry in fs::read_dir(folder).map_err(|error| named(folder, error))? {
            let path = entry.map_err(|error| named(folder, error))?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
                continue;
            };
            let below = format!("{prefix}{name}");
            if path.is_dir() {
                self.read_below(&path, &format!("{below}/"))?;
            } else if matches!(
                path.extension().and_then(|e| e.to_str()),
                Some("md" | "py" | "diff")
            ) {
                let text = fs::read_to_string(&path).map_err(|error| named(&path, error))?;
                self.0.insert(below, text);
            }
        }
        Ok(())
    }

    /// The text at a path.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// The paths, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

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
        Ok(lessons)
    }
}

impl<P: Into<String>, T: Into<String>> FromIterator<(P, T)> for Files {
    fn from_iter<I: IntoIterator<Item = (P, T)>>(files: I) -> Self {
        let files = files
            .into_iter()
            .map(|(path, text)| (path.into(), text.into()));
        Self(files.collect())
    }
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
