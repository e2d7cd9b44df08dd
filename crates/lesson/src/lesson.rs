//! A parsed lesson, as the page and the terminal see it.
//!
//! The JSON shape of these types is a contract with the front end; its TypeScript is generated from
//! them. Text is HTML there ([`Rich`]); the Markdown it came from stays on this side.

use std::collections::BTreeMap;

use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;
use serde::{Deserialize, Serialize};

use crate::error::{LessonError, Result};
use crate::prediction::Prediction;
use crate::rich::{Link, Rich};

/// The sections of every lesson, in order. `Exercise` may be `Exercises`.
pub const SECTIONS: [&str; 7] = [
    "TL;DR",
    "Mental model",
    "Walk-through",
    "Exercise",
    "Quick check",
    "Key takeaways",
    "Go deeper",
];

/// A lesson has at least this many quiz questions.
const MIN_QUESTIONS: usize = 3;

/// A lesson asks at least this often before a run.
const MIN_PREDICTIONS: usize = 3;

/// An exercise has at least this many wrong submissions.
const MIN_WRONG: usize = 2;

/// A whole lesson.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Lesson {
    /// The folder's name without its number; the lesson's name in links and on the command line.
    pub slug: String,
    /// The folder's number: lessons are read in this order.
    pub number: u32,
    pub title: String,
    /// The part of the course it belongs to.
    pub part: String,
    /// How long it takes.
    pub minutes: u32,
    /// What you will be able to do, as a sentence.
    pub outcome: String,
    /// What the stage shows before anything has run; a complete lesson has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub opening: Option<Opening>,
    pub blocks: Vec<Block>,
    /// The lesson in other languages, by language. The page gets each as a file of its own.
    #[serde(skip)]
    #[cfg_attr(test, ts(skip))]
    pub translations: Vec<Translation>,
}

/// A lesson in another language.
#[derive(Debug, Clone, PartialEq)]
pub struct Translation {
    /// As in the file's name: `es`.
    pub language: String,
    /// The lesson with the translation's text, or why the text does not fit over it.
    pub lesson: Result<Lesson>,
    /// What is missing or stale, a sentence each.
    pub(crate) faults: Vec<String>,
}

/// What the stage shows before anything has run: an instrument, and what a run of the author's left for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Opening {
    pub instrument: OpeningInstrument,
    /// The cell whose run is shown, after all cells above it; `opening.py` where `source` is run instead.
    pub cell: String,
    /// The file `opening.py` of the lesson, where no cell says what is to be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub source: Option<String>,
}

impl Opening {
    /// What runs, in order: names and sources of the cells down to its own, or its own source alone.
    pub fn runs<'a>(&'a self, lesson: &'a Lesson) -> Vec<(&'a str, &'a str)> {
        if let Some(source) = &self.source {
            return vec![(&self.cell, source)];
        }
        let mut runs = Vec::new();
        for block in &lesson.blocks {
            if let Block::Cell { id, source } = block {
                runs.push((id.as_str(), source.as_str()));
                if *id == self.cell {
                    break;
                }
            }
        }
        runs
    }
}

/// The instruments of the stage that show a run without being pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum OpeningInstrument {
    Graph,
    Memory,
    Kernels,
}

impl OpeningInstrument {
    /// By the name that authors write.
    pub(crate) fn named(name: &str) -> Option<OpeningInstrument> {
        let name: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
        OpeningInstrument::deserialize(name).ok()
    }
}

/// A lesson's line in the table of contents.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct LessonSummary {
    pub slug: String,
    pub number: u32,
    pub title: String,
    pub part: String,
    pub minutes: u32,
    pub outcome: String,
    /// Whether a table of contents in another language has it in English, because there is no translation.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(as = "Option<bool>", optional))]
    pub untranslated: bool,
}

/// A piece of a lesson. Ids are unique in the lesson and stable, so that progress can be kept by
/// them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
#[expect(
    clippy::large_enum_variant,
    reason = "a lesson has a few dozen blocks, made once"
)]
pub enum Block {
    /// A section begins.
    Section { id: String, title: String },
    /// Text.
    Prose { html: Rich },
    /// Code that the learner may edit and run. Variables are kept from cell to cell.
    Cell { id: String, source: String },
    /// Code that the learner completes, and the checks that say when it is done.
    Exercise {
        id: String,
        title: String,
        /// What to do.
        html: Rich,
        /// The cells above whose variables it uses; mostly none. Any other exercise can be begun with.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(test, ts(as = "Option<Vec<Need>>", optional))]
        needs: Vec<Need>,
        /// The name that an answer which passes adds to `mine`, the learner's library.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        mine: Option<String>,
        start: String,
        solution: String,
        /// Functions `check_…` in lab Python; their docstrings are sentences, and they call `expect` and `expect_raises`.
        checks: String,
        /// A ladder: where to look, what to think, almost the answer.
        hints: [Rich; 3],
        /// Submissions that must fail, and what they must be told. They prove the checks and stay
        /// on this side: the page gets none of them.
        #[serde(skip)]
        #[cfg_attr(test, ts(skip))]
        wrong: Vec<Wrong>,
    },
    /// A question that the learner answers before a cell runs, and that its run answers.
    Predict {
        id: String,
        /// The question.
        html: Rich,
        /// The cell; it stands below.
        cell: String,
        /// A Python expression: what it gives right after that run.
        value: String,
        answer: Prediction,
    },
    /// A question with at least one correct option.
    Quiz {
        id: String,
        /// The question.
        html: Rich,
        options: Vec<QuizOption>,
    },
    /// Something to play with, such as `digit-pad`.
    Widget {
        id: String,
        kind: String,
        options: BTreeMap<String, String>,
    },
}

/// A cell that runs before an exercise's checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Need {
    /// The cell's id; it stands above the exercise.
    pub cell: String,
    /// What the exercise uses of it.
    pub names: Vec<String>,
}

/// A submission that a learner might write and that is wrong: the checks must say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The file's name without its ending: `wrong-…`.
    pub name: String,
    /// What the first message that the learner sees must contain.
    pub must_say: String,
    pub source: String,
}

/// One answer of a quiz.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct QuizOption {
    pub html: Rich,
    pub correct: bool,
    /// Why it is right, or what one who chose it has overlooked.
    pub explanation: Rich,
}

impl Lesson {
    /// The lesson in a language; nothing where it has no translation. `en` is the lesson itself.
    pub fn in_language(
        &self,
        language: &str,
    ) -> Option<std::result::Result<&Lesson, &LessonError>> {
        if language == "en" {
            return Some(Ok(self));
        }
        let translation = self.translations.iter().find(|t| t.language == language)?;
        Some(translation.lesson.as_ref())
    }

    /// The lesson's line in the table of contents.
    pub fn summary(&self) -> LessonSummary {
        LessonSummary {
            slug: self.slug.clone(),
            number: self.number,
            title: self.title.clone(),
            part: self.part.clone(),
            minutes: self.minutes,
            outcome: self.outcome.clone(),
            untranslated: false,
        }
    }

    /// The titles of its sections, in order.
    pub fn sections(&self) -> Vec<&str> {
        let mut sections = Vec::new();
        for block in &self.blocks {
            if let Block::Section { title, .. } = block {
                sections.push(title.as_str());
            }
        }
        sections
    }

    /// Every link in its text.
    pub fn links(&self) -> Vec<Link> {
        let mut links = Vec::new();
        for block in &self.blocks {
            match block {
                Block::Prose { html } => links.extend(html.links()),
                Block::Predict { html, .. } => links.extend(html.links()),
                Block::Exercise { html, hints, .. } => {
                    links.extend(html.links());
                    links.extend(hints.iter().flat_map(Rich::links));
                }
                Block::Quiz { html, options, .. } => {
                    links.extend(html.links());
                    for option in options {
                        links.extend(option.html.links());
                        links.extend(option.explanation.links());
                    }
                }
                Block::Section { .. } | Block::Cell { .. } | Block::Widget { .. } => {}
            }
        }
        links
    }

    /// What a complete lesson has and this one has not, a sentence each. `slugs` are the lessons
    /// of the course: links to others lead nowhere.
    pub fn gaps(&self, slugs: &[&str]) -> Vec<String> {
        let mut gaps = Vec::new();
        let sections = self.sections();
        let expected = sections.iter().map(|title| match *title {
            "Exercises" => "Exercise",
            other => other,
        });
        if !expected.eq(SECTIONS) {
            gaps.push(format!(
                "the sections are {}; expected {}",
                sections.join(" · "),
                SECTIONS.join(" · ")
            ));
        }
        if self.opening.is_none() {
            gaps.push(
                "nothing for the stage to open with; expected a line `stage: graph of cell-1` in the \
                 front matter"
                    .to_string(),
            );
        }
        let count = |wanted: fn(&Block) -> bool| self.blocks.iter().filter(|b| wanted(b)).count();
        let questions = count(|b| matches!(b, Block::Quiz { .. }));
        if questions < MIN_QUESTIONS {
            gaps.push(format!(
                "{questions} quiz questions; expected {MIN_QUESTIONS} or more"
            ));
        }
        let predictions = count(|b| matches!(b, Block::Predict { .. }));
        if predictions < MIN_PREDICTIONS {
            gaps.push(format!(
                "{predictions} predictions; expected {MIN_PREDICTIONS} or more"
            ));
        }
        if count(|b| matches!(b, Block::Exercise { .. })) == 0 {
            gaps.push("no exercise; expected one or more".to_string());
        }
        for block in &self.blocks {
            if let Block::Exercise { id, wrong, .. } = block
                && wrong.len() < MIN_WRONG
            {
                gaps.push(format!(
                    "{} wrong submissions for the exercise {id}; expected {MIN_WRONG} or more \
                     files exercises/{id}/wrong-….diff",
                    wrong.len()
                ));
            }
        }
        if count(|b| matches!(b, Block::Cell { .. })) == 0 {
            gaps.push("no cell to run; expected one or more".to_string());
        }
        gaps.extend(self.faulty_links(slugs));
        gaps
    }

    /// The links that lead nowhere, a sentence each.
    pub(crate) fn faulty_links(&self, slugs: &[&str]) -> Vec<String> {
        let mut faults = Vec::new();
        for link in self.links() {
            if let Some(why) = leads_nowhere(&link.target, slugs) {
                faults.push(format!("the link [{}]({}) {why}", link.text, link.target));
            }
        }
        faults
    }
}

impl Translation {
    fn file(&self) -> String {
        format!("lesson.{}.md", self.language)
    }

    /// What does not hold of it, a sentence each: it does not fit, a section is stale, a link leads nowhere. `slugs` are
    /// the lessons of the course.
    pub fn gaps(&self, slugs: &[&str]) -> Vec<String> {
        let lesson = match &self.lesson {
            Ok(lesson) => lesson,
            Err(error) => return vec![error.to_string()],
        };
        let mut gaps = self.faults.clone();
        gaps.extend(lesson.faulty_links(slugs));
        let file = self.file();
        gaps.iter().map(|gap| format!("{file}: {gap}")).collect()
    }
}

/// The page's own routes; see design.md §6.
const ROUTES: [&str; 2] = ["#/", "#/play"];

/// Why a link leads nowhere, if it does. Links to the web are judged by their form only.
fn leads_nowhere(target: &str, slugs: &[&str]) -> Option<String> {
    if let Some(slug) = target.strip_prefix("#/lesson/") {
        return (!slugs.contains(&slug)).then(|| "names no lesson of the course".to_string());
    }
    // A network is data; the front end's tests read it.
    let is_network = |packed: &str| {
        !packed.is_empty()
            && packed
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    };
    if target.strip_prefix("#/studio/1/").is_some_and(is_network) {
        return None;
    }
    if target.starts_with("https://") || ROUTES.contains(&target) {
        return None;
    }
    let pages = "#/, #/play, #/lesson/<slug>, #/studio/1/<network>";
    Some(format!(
        "is neither https:// nor a page of the lab ({pages})"
    ))
}
