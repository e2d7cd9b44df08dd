//! The lesson format: prose, cells, exercises, checks and quizzes.
//!
//! A lesson is a folder `lessons/NN-slug/` with a `lesson.md` and, for each exercise,
//! `exercises/<id>/{start.py, solution.py, checks.py, wrong-….diff}`. It is parsed here and nowhere else; the page
//! gets the result as JSON, the terminal as [`Lesson`]. A lesson that parses is well-formed: every
//! exercise has its three files and three hints, every quiz option is explained. Whether it is
//! complete (all sections, enough questions, links that lead somewhere) is [`Lesson::gaps`];
//! whether its code does what it says is `glow lesson verify`.
//!
//! A file `lesson.LANGUAGE.md` beside it is the lesson in another language ([`Translation`]).
//!
//! `lessons/README.md` is the format's reference for authors.

mod course;
mod directive;
mod edit;
mod error;
mod files;
mod front_matter;
mod lesson;
mod names;
mod parse;
mod prediction;
mod reading;
mod rich;
mod translation;
mod wrong;

#[cfg(feature = "embedded")]
pub use course::embedded;
pub use course::{Piece, load_all, parse_lesson, pieces};
pub use error::LessonError;
pub use files::Files;
pub use lesson::{
    Block, Lesson, LessonSummary, Need, Opening, OpeningInstrument, QuizOption, SECTIONS,
    Translation, Wrong,
};
pub use prediction::{Axis, Choice, Prediction, pair, points, shape_as_tuple, six_digits};
pub use rich::{Link, Rich};
pub use translation::{Translated, contents, languages, translate};

/// What [`Rich::events`] yields.
pub use pulldown_cmark as markdown;
