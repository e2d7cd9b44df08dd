//! What is wrong with a lesson's text: where, what was found, what was expected.

/// A lesson file that cannot be read as a lesson.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {found}; expected {expected}")]
pub struct LessonError {
    /// Path below `lessons/`, such as `05-graph-in-your-head/lesson.md`.
    pub file: String,
    /// Line in that file, counted from 1.
    pub line: usize,
    /// What is there.
    pub found: String,
    /// What belongs there.
    pub expected: String,
}

pub(crate) type Result<T> = std::result::Result<T, LessonError>;

impl LessonError {
    pub(crate) fn new(
        file: &str,
        line: usize,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self {
            file: file.to_string(),
            line,
            found: found.into(),
            expected: expected.into(),
        }
    }
}
