//! All lessons of a course.

use std::path::Path;

use crate::error::{LessonError, Result};
use crate::files::Files;
use crate::lesson::Lesson;
use crate::parse::parse_lesson;

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
        Ok(lessons)
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
