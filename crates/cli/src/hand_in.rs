//! `glow lesson check`: the exercises in learners' progress files, run on this computer's engine.
//!
//! A file is what the page's course saves: the texts that a learner has written, and what was done. Each exercise has
//! a session of its own with files in memory, and a limit on its time, because the code is a stranger's. What the
//! file says of exercises is not believed: they run. Answers to questions are read from it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use glowgrad_lesson::{Block, Lesson};
use glowgrad_session::progress_file::{MOST_PROGRESS_BYTES, PROGRESS_FORMAT, PROGRESS_VERSION};
use serde::{Deserialize, Serialize};

use crate::Ending;
use crate::lab::{Answer, NewLab};
use crate::terminal::{Role, Terminal};
use crate::verify::{Exercise, why_not};

/// What the page writes; its text is in `www/src/store/file.ts`.
#[derive(Deserialize)]
struct ProgressFile {
    format: String,
    version: u32,
    texts: Vec<Text>,
    progress: BTreeMap<String, Progress>,
}

#[derive(Deserialize)]
struct Text {
    lesson: String,
    block: String,
    source: String,
}

#[derive(Deserialize)]
struct Progress {
    /// The option chosen in each question, from 0.
    quizzes: BTreeMap<String, usize>,
}

/// What a file holds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    file: String,
    lessons: Vec<LessonReport>,
    /// Why the file could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LessonReport {
    lesson: String,
    title: String,
    exercises: Vec<ExerciseReport>,
    questions: Questions,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Questions {
    right: usize,
    answered: usize,
    all: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ExerciseReport {
    exercise: String,
    title: String,
    state: State,
    /// The first check that failed and its counter-example, or the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    says: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum State {
    Passed,
    Failed,
    /// The file has no code for it.
    Missing,
}

/// Checks every file, and writes a table, or JSON.
pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    new_lab: NewLab<'_>,
    lessons: &[Lesson],
    files: &[PathBuf],
    json: bool,
) -> Result<Ending> {
    let mut reports = Vec::new();
    for path in files {
        let file = path.display().to_string();
        if !json {
            terminal.status(&format!("{file} …"))?;
        }
        let report = match read(path) {
            Ok(handed_in) => Report {
                file,
                lessons: check(new_lab, lessons, &handed_in)?,
                error: None,
            },
            Err(error) => Report {
                file,
                lessons: Vec::new(),
                error: Some(format!("{error:#}")),
            },
        };
        if !json {
            write(terminal, &report)?;
        }
        reports.push(report);
    }
    if json {
        terminal.line(&serde_json::to_string_pretty(&reports)?)?;
    }
    let all_read = reports.iter().all(|report| report.error.is_none());
    Ok(if all_read { Ending::Good } else { Ending::Bad })
}

fn read(path: &Path) -> Result<ProgressFile> {
    let size = fs::metadata(path).context("cannot be read")?.len();
    if size > MOST_PROGRESS_BYTES {
        bail!(
            "has {} MB; a progress file has {} at most",
            size / 1_000_000,
            MOST_PROGRESS_BYTES / 1_048_576
        );
    }
    let text = fs::read_to_string(path).context("cannot be read")?;
    let ours = "is no glowgrad progress file; expected one that the page's course saved";
    let file: ProgressFile = serde_json::from_str(&text).context(ours)?;
    if file.format != PROGRESS_FORMAT {
        bail!("{ours}");
    }
    if file.version != PROGRESS_VERSION {
        bail!("has version {}; expected {PROGRESS_VERSION}", file.version);
    }
    Ok(file)
}

/// What a file has of these lessons, those that it does not name left out.
fn check(
    new_lab: NewLab<'_>,
    lessons: &[Lesson],
    file: &ProgressFile,
) -> Result<Vec<LessonReport>> {
    let named: BTreeSet<&str> = file
        .texts
        .iter()
        .map(|text| &*text.lesson)
        .chain(file.progress.keys().map(String::as_str))
        .collect();
    lessons
        .iter()
        .filter(|lesson| named.contains(&*lesson.slug))
        .map(|lesson| check_lesson(new_lab, lesson, file))
        .collect()
}

fn check_lesson(new_lab: NewLab<'_>, lesson: &Lesson, file: &ProgressFile) -> Result<LessonReport> {
    let written = |id: &str| {
        let is_of = |text: &&Text| text.lesson == lesson.slug && text.block == id;
        file.texts.iter().find(is_of).map(|text| &*text.source)
    };
    let chosen = |id: &str| file.progress.get(&lesson.slug)?.quizzes.get(id).copied();
    let mut exercises = Vec::new();
    let mut questions = Questions {
        right: 0,
        answered: 0,
        all: 0,
    };
    for block in &lesson.blocks {
        match block {
            Block::Exercise {
                id,
                title,
                needs,
                checks,
                ..
            } => {
                let exercise = Exercise {
                    new_lab,
                    lesson,
                    id,
                    needs,
                    checks,
                };
                let answer = written(id)
                    .map(|source| exercise.check(source))
                    .transpose()?;
                let (state, says) = judged(answer.as_ref());
                exercises.push(ExerciseReport {
                    exercise: id.clone(),
                    title: title.clone(),
                    state,
                    says,
                });
            }
            Block::Quiz { id, options, .. } => {
                questions.all += 1;
                let option = chosen(id).and_then(|index| options.get(index));
                questions.answered += usize::from(option.is_some());
                questions.right += usize::from(option.is_some_and(|option| option.correct));
            }
            _ => {}
        }
    }
    Ok(LessonReport {
        lesson: lesson.slug.clone(),
        title: lesson.title.clone(),
        exercises,
        questions,
    })
}

fn judged(answer: Option<&Answer>) -> (State, Option<String>) {
    match answer {
        None => (State::Missing, None),
        Some(answer) if answer.was_stopped() => {
            let says = "it was stopped: it takes longer than one exercise may (see --seconds)";
            (State::Failed, Some(says.to_owned()))
        }
        Some(answer) => match &answer.report {
            Some(report) if report.passed => (State::Passed, None),
            _ => (State::Failed, Some(why_not(answer))),
        },
    }
}

fn write(terminal: &mut Terminal<'_>, report: &Report) -> Result<()> {
    let heading = terminal.paint(Role::Heading, &report.file);
    terminal.line(&heading)?;
    if let Some(error) = &report.error {
        let error = terminal.paint(Role::Bad, error);
        terminal.line(&format!("  {error}"))?;
    } else if report.lessons.is_empty() {
        terminal.line("  no lesson of this course")?;
    }
    let slugs = report.lessons.iter().map(|lesson| lesson.lesson.len());
    let widest = slugs.max().unwrap_or(0);
    for lesson in &report.lessons {
        let passed = |exercise: &&ExerciseReport| exercise.state == State::Passed;
        terminal.line(&format!(
            "  {:<widest$}  {} of {} exercises pass · {} of {} answers right",
            lesson.lesson,
            lesson.exercises.iter().filter(passed).count(),
            lesson.exercises.len(),
            lesson.questions.right,
            lesson.questions.all,
        ))?;
        for exercise in &lesson.exercises {
            let what = match (exercise.state, &exercise.says) {
                (State::Failed, Some(says)) => says.trim_end().replace('\n', "\n      "),
                (State::Missing, _) => "no code in the file".to_owned(),
                _ => continue,
            };
            let id = terminal.paint(Role::Bad, &exercise.exercise);
            terminal.line(&format!("    {id}: {what}"))?;
        }
    }
    terminal.line("")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use glowgrad_lesson::Files;
    use glowgrad_session::protocol::{Command, Event};

    use super::*;
    use crate::lab::scripted::{ScriptedLab, checked, done, error};

    /// A lesson with two exercises and a question.
    fn course() -> Vec<Lesson> {
        let exercise = |id: &str| {
            format!(":::exercise {id}\n### E\nDo.\n#### Hint\n1\n#### Hint\n2\n#### Hint\n3\n:::\n")
        };
        let text = format!(
            "---\ntitle: t\npart: p\nminutes: 1\noutcome: o\n---\n{}{}{}\
             :::quiz q\nWhy?\n\n- [ ] no\n  > wrong\n- [x] yes\n  > right\n:::\n",
            exercise("e"),
            exercise("f"),
            exercise("g"),
        );
        let mut files: Vec<(String, String)> = vec![("01-a/lesson.md".to_owned(), text)];
        for id in ["e", "f", "g"] {
            for (name, text) in [
                ("start.py", "1"),
                ("solution.py", "2"),
                ("checks.py", "def check_a():\n    \"\"\"A.\"\"\"\n"),
            ] {
                files.push((format!("01-a/exercises/{id}/{name}"), text.to_owned()));
            }
        }
        files.into_iter().collect::<Files>().lessons().unwrap()
    }

    /// An answer passes if it is `2`, and is stopped if it is `loop`.
    fn script(command: &Command) -> Vec<Event> {
        match command {
            Command::Check { id, source, .. } if source == "loop" => {
                vec![error(*id, "KeyboardInterrupt", ""), done(*id, false)]
            }
            Command::Check { id, source, .. } => {
                vec![checked(*id, "e", source == "2"), done(*id, true)]
            }
            other => panic!("unexpected {other:?}"),
        }
    }

    fn file(name: &str, text: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("glow-hand-in-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn written(files: &[PathBuf], json: bool) -> (Ending, String) {
        let mut bytes = Vec::new();
        let ending = run(
            &mut Terminal::plain(&mut bytes, 80),
            &|| Ok(ScriptedLab::boxed(script)),
            &course(),
            files,
            json,
        )
        .unwrap();
        (ending, String::from_utf8(bytes).unwrap())
    }

    /// As `www/src/store/store.test.ts` proves that the page writes it.
    const SAVED: &str = include_str!("../../../tests/course/progress.json");

    #[test]
    fn exercises_run_whatever_the_file_says_of_them() {
        let (ending, text) = written(&[file("ana.json", SAVED)], false);
        assert_eq!(ending, Ending::Good);
        assert!(
            text.contains("a  1 of 3 exercises pass · 1 of 1 answers right"),
            "{text}"
        );
        assert!(
            text.contains("f: It is 2.\n          got       1"),
            "{text}"
        );
        assert!(text.contains("g: no code in the file"), "{text}");
    }

    #[test]
    fn the_report_is_json_too() {
        let (_, text) = written(&[file("ben.json", SAVED)], true);
        let reports: serde_json::Value = serde_json::from_str(&text).unwrap();
        let lesson = &reports[0]["lessons"][0];
        assert_eq!(lesson["lesson"], "a");
        let states = ["passed", "failed", "missing"];
        for (index, state) in states.into_iter().enumerate() {
            assert_eq!(lesson["exercises"][index]["state"], state, "{text}");
        }
        assert_eq!(
            lesson["questions"],
            serde_json::json!({"right": 1, "answered": 1, "all": 1})
        );
    }

    #[test]
    fn code_that_does_not_end_is_told() {
        let looping = SAVED.replace("\"3\"", "\"loop\"");
        let (_, text) = written(&[file("eve.json", &looping)], false);
        assert!(text.contains("f: it was stopped"), "{text}");
    }

    #[test]
    fn what_is_no_progress_file_is_told_and_the_others_are_checked() {
        let files = [
            file("not.json", "[1]"),
            file(
                "old.json",
                &SAVED.replace("\"version\": 1", "\"version\": 9"),
            ),
            PathBuf::from("no/such/file.json"),
            file("ana2.json", SAVED),
        ];
        let (ending, text) = written(&files, false);
        assert_eq!(ending, Ending::Bad);
        assert!(text.contains("is no glowgrad progress file"), "{text}");
        assert!(text.contains("has version 9; expected 1"), "{text}");
        assert!(text.contains("cannot be read"), "{text}");
        assert!(text.contains("1 of 3 exercises pass"), "{text}");
    }
}
