//! `glow lesson verify`: what the lessons promise, proved on this computer's engine.
//!
//! Each lesson on a clean session, in order: it is complete, every cell runs, each start fails its
//! checks, each wrong submission fails them with the message it names, each solution passes. Every start,
//! solution and wrong submission has a session of its own, in which no cell ran but those that the exercise
//! says it needs, because a learner may begin with it; a solution passes after all of the lesson's cells too.
//! The text of a translation fits over the lesson and is up to date; its cells are the lesson's, so none runs again.
//! What the stage opens with is there once its cell has run.
//! Nothing is skipped: after a failure the rest is tried too.

mod exercise;
mod opening;
mod predictions;

use anyhow::Result;
use glowgrad_lesson::{Block, Lesson, Wrong};

use crate::Ending;
use crate::lab::{Answer, NewLab, Talk};
use crate::terminal::{Role, Terminal};
use exercise::passes;
pub(crate) use exercise::{Exercise, why_not};

/// How many of a kind hold.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Count {
    good: usize,
    all: usize,
}

impl Count {
    fn add(&mut self, good: bool) {
        self.all += 1;
        self.good += usize::from(good);
    }
}

/// What was found out about one lesson.
#[derive(Debug, Default)]
struct Findings {
    cells: Count,
    predictions: Count,
    starts: Count,
    wrong: Count,
    solutions: Count,
    opens: Count,
    text: Count,
    millis: f64,
    /// What does not hold, a sentence each.
    failures: Vec<String>,
    was_stopped: bool,
}

impl Findings {
    fn counts(&self) -> [Count; 7] {
        [
            self.cells,
            self.predictions,
            self.starts,
            self.wrong,
            self.solutions,
            self.opens,
            self.text,
        ]
    }

    /// Keeps how long an answer took, and whether it was stopped.
    fn note(&mut self, answer: &Answer) {
        self.millis += answer.millis;
        self.was_stopped |= answer.was_stopped();
    }
}

/// Verifies the lessons. `course` is all of them, because links lead from one to another.
pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    new_lab: NewLab<'_>,
    course: &[Lesson],
    lessons: &[&Lesson],
) -> Result<Ending> {
    let slugs: Vec<&str> = course.iter().map(|lesson| lesson.slug.as_str()).collect();
    let widest = lessons
        .iter()
        .map(|lesson| lesson.slug.len())
        .max()
        .unwrap_or(0)
        .max(6);
    let head = format!(
        "{:<widest$}  {:>9}  {:>11}  {:>11}  {:>11}  {:>14}  {:>5}  {:>6}  {:>8}",
        "lesson",
        "cells run",
        "predictions",
        "starts fail",
        "wrong fails",
        "solutions pass",
        "opens",
        "text",
        "time"
    );
    let head = terminal.paint(Role::Quiet, &head);
    terminal.line(&head)?;
    let mut total = Count::default();
    let mut failures = Vec::new();
    for lesson in lessons {
        terminal.status(&format!("{} …", lesson.slug))?;
        let findings = verify(new_lab, lesson, &slugs)?;
        let row = row(&findings, &lesson.slug, widest);
        let role = if findings.failures.is_empty() {
            Role::Plain
        } else {
            Role::Bad
        };
        let row = terminal.paint(role, &row);
        terminal.line(&row)?;
        for count in findings.counts() {
            total.good += count.good;
            total.all += count.all;
        }
        if findings.was_stopped {
            return Ok(Ending::Stopped);
        }
        failures.extend(findings.failures.into_iter().map(|why| (&lesson.slug, why)));
    }
    for (slug, why) in &failures {
        terminal.line("")?;
        let slug = terminal.paint(Role::Bad, slug);
        terminal.line(&format!("{slug}: {why}"))?;
    }
    let failed = total.all - total.good;
    let role = if failed == 0 { Role::Good } else { Role::Bad };
    let summary = terminal.paint(role, &format!("{} passed, {failed} failed", total.good));
    terminal.line("")?;
    terminal.line(&summary)?;
    Ok(if failed == 0 {
        Ending::Good
    } else {
        Ending::Bad
    })
}

fn row(findings: &Findings, slug: &str, widest: usize) -> String {
    let [cells, predictions, starts, wrong, solutions, opens, text] = findings
        .counts()
        .map(|count| format!("{}/{}", count.good, count.all));
    let seconds = format!("{:.1} s", findings.millis / 1000.0);
    format!(
        "{slug:<widest$}  {cells:>9}  {predictions:>11}  {starts:>11}  {wrong:>11}  {solutions:>14}  {opens:>5}  {text:>6}  {seconds:>8}"
    )
}

fn verify(new_lab: NewLab<'_>, lesson: &Lesson, slugs: &[&str]) -> Result<Findings> {
    let mut talk = Talk::new(new_lab()?);
    let mut findings = Findings::default();
    let gaps = lesson.gaps(slugs);
    findings.text.add(gaps.is_empty());
    findings.failures.extend(gaps);
    for translation in &lesson.translations {
        let gaps = translation.gaps(slugs);
        findings.text.add(gaps.is_empty());
        findings.failures.extend(gaps);
    }
    if let Some(opening) = &lesson.opening
        && let Some(source) = &opening.source
    {
        let fault = opening::fault_alone(new_lab, opening, source)?;
        findings.opens.add(fault.is_none());
        findings.failures.extend(fault);
    }
    let constant = predictions::constants(&mut talk, lesson)?;
    let mut quiet = |_: &_| Ok(());
    for block in &lesson.blocks {
        match block {
            Block::Cell { id, source } => {
                let answer = talk.run(id, source, &mut quiet)?;
                findings.note(&answer);
                findings.cells.add(answer.ok);
                if !answer.ok {
                    let why = answer.failure().unwrap_or_else(|| "it failed".to_string());
                    findings.failures.push(format!("{id} does not run: {why}"));
                }
                if answer.ok {
                    predictions::verify(&mut talk, lesson, id, &constant, &mut findings)?;
                }
                let opening = lesson.opening.as_ref();
                if let Some(opening) = opening.filter(|o| o.source.is_none() && o.cell == *id) {
                    let fault = opening::fault(&mut talk, opening, &answer)?;
                    findings.opens.add(answer.ok && fault.is_none());
                    findings.failures.extend(fault.filter(|_| answer.ok));
                }
            }
            Block::Exercise {
                id,
                needs,
                mine,
                start,
                solution,
                checks,
                wrong,
                ..
            } => {
                let exercise = Exercise {
                    new_lab,
                    lesson,
                    id,
                    needs,
                    checks,
                };
                findings.failures.extend(exercise.unmet()?);
                let answer = exercise.check(start)?;
                findings.note(&answer);
                // A start that does not even run would fail its checks whatever they say.
                let fails = matches!(&answer.report, Some(report) if !report.passed);
                let runs = answer.error.is_none();
                findings.starts.add(fails && runs);
                if let Some(why) = answer.failure() {
                    findings
                        .failures
                        .push(format!("{id}: the start does not run: {why}"));
                } else if !fails {
                    findings
                        .failures
                        .push(format!("{id}: the start passes its checks already"));
                }
                for submission in wrong {
                    let answer = exercise.check(&submission.source)?;
                    findings.note(&answer);
                    let complaint = complaint(submission, &answer);
                    findings.wrong.add(complaint.is_none());
                    findings
                        .failures
                        .extend(complaint.map(|why| format!("{id}/{}: {why}", submission.name)));
                }
                let alone = exercise.check(solution)?;
                findings.note(&alone);
                let after_cells = talk.check(id, solution, checks, &mut quiet)?;
                findings.note(&after_cells);
                let mut why = match (passes(&alone), passes(&after_cells)) {
                    (true, true) => None,
                    (true, false) => Some(("does not pass after the cells", why_not(&after_cells))),
                    (false, true) => {
                        Some(("passes only after the cells; without them", why_not(&alone)))
                    }
                    (false, false) => Some(("does not pass", why_not(&alone))),
                };
                if why.is_none() && exercise.needs_nothing(solution)? {
                    why = Some((
                        "passes without the cells that it needs",
                        "leave its needs out".to_owned(),
                    ));
                }
                if let Some(name) = mine {
                    let no_piece = exercise.no_piece(name, solution)?;
                    findings.solutions.add(no_piece.is_none());
                    findings.failures.extend(no_piece);
                }
                findings.solutions.add(why.is_none());
                findings
                    .failures
                    .extend(why.map(|(how, why)| format!("{id}: the solution {how}: {why}")));
            }
            Block::Section { .. }
            | Block::Prose { .. }
            | Block::Predict { .. }
            | Block::Quiz { .. }
            | Block::Widget { .. } => {}
        }
        if findings.was_stopped {
            break;
        }
    }
    Ok(findings)
}

/// What does not hold of a wrong submission: it must fail, and the learner must be told so in the
/// words that it names. Blanks and line ends count alike.
fn complaint(wrong: &Wrong, answer: &Answer) -> Option<String> {
    if passes(answer) {
        return Some("it passes every check".to_string());
    }
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = match &answer.error {
        // The whole message: the line that the terminal shows may be its first only.
        Some(error) => format!("{}: {}", error.kind, error.message),
        None => why_not(answer),
    };
    (!words(&said).contains(&words(&wrong.must_say))).then(|| {
        let shown = said.trim_end().replace('\n', "\n    ");
        format!("it must say {:?}, and says\n    {shown}", wrong.must_say)
    })
}

#[cfg(test)]
mod tests {
    use glowgrad_lesson::{Files, Need};
    use glowgrad_session::protocol::{Command, Event};

    use super::*;
    use crate::lab::scripted::{Script, ScriptedLab, checked, done, error, graph};

    /// A lesson whose start is `1` and whose solution is `2`.
    fn lesson() -> Lesson {
        with(&[])
    }

    /// The lesson with more files.
    fn with(more: &[(&str, &str)]) -> Lesson {
        let text = "---\ntitle: t\npart: p\nminutes: 1\noutcome: o\nstage: graph of cell-1\n---\n\
                    ```python cell\nx\n```\n\
                    :::exercise e\n### E\nDo.\n#### Hint\n1\n#### Hint\n2\n#### Hint\n3\n:::\n";
        let files: Files = [
            ("01-a/lesson.md", text),
            ("01-a/exercises/e/start.py", "1"),
            ("01-a/exercises/e/solution.py", "2"),
            ("01-a/exercises/e/wrong-three.py", "# must say: got 1\n3"),
            ("01-a/exercises/e/wrong-four.py", "# must say: It is 2.\n4"),
            (
                "01-a/exercises/e/checks.py",
                "def check_a():\n    \"\"\"A.\"\"\"\n",
            ),
        ]
        .into_iter()
        .chain(more.iter().copied())
        .collect();
        files.lessons().unwrap().remove(0)
    }

    fn findings(script: Script) -> Findings {
        verify(&move || Ok(ScriptedLab::boxed(script)), &lesson(), &["a"]).unwrap()
    }

    /// Cells run; an answer passes if it is `2`.
    fn honest(command: &Command) -> Vec<Event> {
        match command {
            Command::RunCell { id, .. } => vec![graph(*id), done(*id, true)],
            Command::Check { id, source, .. } => {
                vec![checked(*id, "e", source == "2"), done(*id, true)]
            }
            other => panic!("unexpected {other:?}"),
        }
    }

    #[test]
    fn a_sound_lesson_has_only_gaps_in_its_text() {
        let found = findings(honest);
        let one = Count { good: 1, all: 1 };
        assert_eq!([found.cells, found.starts, found.solutions], [one; 3]);
        assert_eq!(found.opens, one);
        assert_eq!(found.wrong, Count { good: 2, all: 2 });
        assert_eq!(found.failures.len(), 3, "{:?}", found.failures);
        assert!(found.failures[0].starts_with("the sections are"));
    }

    #[test]
    fn a_translation_counts_as_text_and_runs_nothing() {
        let mut lesson = lesson();
        let fits = "---\ntitle: u\npart: q\nminutes: 1\noutcome: p\nstage: graph of cell-1\n---\n\
                    ```python cell\nx\n```\n\
                    :::exercise e\n### F\nHaz.\n#### Hint\n1\n#### Hint\n2\n#### Hint\n3\n:::\n";
        lesson.translations = with(&[("01-a/lesson.es.md", fits)]).translations;
        let found = verify(&|| Ok(ScriptedLab::boxed(honest)), &lesson, &["a"]).unwrap();
        assert_eq!(found.cells, Count { good: 1, all: 1 });
        assert_eq!(found.text, Count { good: 0, all: 2 });
        assert!(found.failures[3].starts_with("lesson.es.md: it does not say"));
    }

    #[test]
    fn a_cell_that_raises_is_named() {
        let found = findings(|command| match command {
            Command::RunCell { id, .. } => vec![error(*id, "NameError", "no x"), done(*id, false)],
            other => honest(other),
        });
        assert_eq!(found.cells, Count { good: 0, all: 1 });
        assert_eq!(
            found.failures.last().unwrap(),
            "cell-1 does not run: cell-1:2: NameError: no x"
        );
    }

    #[test]
    fn a_stage_that_would_be_empty_is_named() {
        let found = findings(|command| match command {
            Command::RunCell { id, .. } => vec![done(*id, true)],
            other => honest(other),
        });
        assert_eq!(found.opens, Count { good: 0, all: 1 });
        assert_eq!(
            found.failures[3],
            "the stage opens with cell-1, which leaves no graph"
        );
    }

    #[test]
    fn a_start_that_passes_and_a_solution_that_fails_are_named() {
        let found = findings(|command| match command {
            Command::Check { id, source, .. } if !source.starts_with('#') => {
                vec![checked(*id, "e", source == "1"), done(*id, true)]
            }
            other => honest(other),
        });
        assert_eq!(
            found.failures[3..],
            [
                "e: the start passes its checks already",
                "e: the solution does not pass: It is 2.\n    got       1\n    expected  2",
            ]
        );
    }

    #[test]
    fn a_wrong_submission_that_passes_or_is_told_something_else_is_named() {
        let found = findings(|command| match command {
            Command::Check { id, source, .. } if source.ends_with('3') => {
                vec![checked(*id, "e", true), done(*id, true)]
            }
            Command::Check { id, source, .. } if source.ends_with('4') => {
                let error = error(*id, "NameError", "no y\nDid you mean x?");
                vec![error, done(*id, false)]
            }
            other => honest(other),
        });
        assert_eq!(found.wrong, Count { good: 0, all: 2 });
        assert_eq!(
            found.failures[3..],
            [
                "e/wrong-four: it must say \"It is 2.\", and says\n    NameError: no y\n    \
                 Did you mean x?",
                "e/wrong-three: it passes every check",
            ]
        );
    }

    #[test]
    fn a_start_that_does_not_run_is_no_start() {
        let found = findings(|command| match command {
            Command::Check { id, source, .. } if source == "1" => {
                vec![error(*id, "SyntaxError", "bad"), done(*id, false)]
            }
            other => honest(other),
        });
        assert_eq!(found.starts, Count { good: 0, all: 1 });
        assert!(found.failures[3].starts_with("e: the start does not run"));
    }

    /// The lesson, whose exercise needs a cell.
    fn needy() -> Lesson {
        let mut lesson = lesson();
        for block in &mut lesson.blocks {
            if let Block::Exercise { needs, .. } = block {
                needs.push(Need {
                    cell: "cell-1".to_owned(),
                    names: vec!["x".to_owned()],
                });
            }
        }
        lesson
    }

    thread_local! {
        /// Every session begins with a 0, and each cell that runs in it adds one.
        static RUNS: std::cell::RefCell<Vec<u32>> = const { std::cell::RefCell::new(Vec::new()) };
    }

    fn needy_findings(script: Script) -> Findings {
        let new_lab = move || {
            RUNS.with_borrow_mut(|runs| runs.push(0));
            Ok(ScriptedLab::boxed(script))
        };
        RUNS.with_borrow_mut(Vec::clear);
        verify(&new_lab, &needy(), &["a"]).unwrap()
    }

    /// Cells run; an answer passes if it is `2` and a cell ran in its session.
    fn leaning(command: &Command) -> Vec<Event> {
        RUNS.with_borrow_mut(|runs| {
            let ran = runs.last_mut().unwrap();
            match command {
                Command::RunCell { id, .. } => {
                    *ran += 1;
                    vec![graph(*id), done(*id, true)]
                }
                Command::Check { id, source, .. } => {
                    let passed = source == "2" && *ran > 0;
                    vec![checked(*id, "e", passed), done(*id, true)]
                }
                other => panic!("unexpected {other:?}"),
            }
        })
    }

    #[test]
    fn each_submission_has_a_session_of_its_own_with_the_cells_that_it_needs() {
        let found = needy_findings(leaning);
        // The lesson's, the needs', the start's, two wrong ones, the solution's, and the solution's without needs.
        let runs = RUNS.with_borrow(Vec::clone);
        assert_eq!(runs, [1, 2, 1, 1, 1, 1, 0], "{:?}", found.failures);
        assert_eq!(found.solutions, Count { good: 1, all: 1 });
        assert_eq!(found.failures.len(), 3, "{:?}", found.failures);
    }

    #[test]
    fn a_need_that_is_none_or_is_not_met_is_named() {
        let found = needy_findings(honest);
        let why = "e: the solution passes without the cells that it needs: leave its needs out";
        assert_eq!(found.failures[3..], [why]);
        let found = needy_findings(|command| match command {
            Command::RunCell { id, cell, .. } if cell == "needs" => {
                vec![error(*id, "NameError", "no x"), done(*id, false)]
            }
            other => honest(other),
        });
        let why = "e needs x of cell-1, which does not define it";
        assert_eq!(found.failures[3], why);
    }

    #[test]
    fn the_table_ends_with_what_passed_and_failed() {
        let course = [lesson()];
        let lessons: Vec<&Lesson> = course.iter().collect();
        let mut bytes = Vec::new();
        let mut terminal = Terminal::plain(&mut bytes, 80);
        let new_lab = || {
            Ok(ScriptedLab::boxed(|command| match command {
                Command::RunCell { id, .. } => vec![graph(*id), done(*id, true)],
                Command::Check { id, .. } => vec![checked(*id, "e", true), done(*id, true)],
                other => panic!("unexpected {other:?}"),
            }))
        };
        let ending = run(&mut terminal, &new_lab, &course, &lessons).unwrap();
        drop(terminal);
        assert_eq!(ending, Ending::Bad);
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains("  0/2"), "{text}");
        // The start, both wrong submissions and the text; cell, solution and opening hold.
        assert_eq!(text.lines().last().unwrap(), "3 passed, 4 failed");
    }
}
