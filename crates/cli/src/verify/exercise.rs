//! An exercise in a session of its own.

use anyhow::Result;
use glowgrad_lesson::{Block, Lesson, Need};

use crate::lab::{Answer, NewLab, Talk};

/// An exercise as a learner meets it who begins with it.
pub(crate) struct Exercise<'a> {
    pub(crate) new_lab: NewLab<'a>,
    pub(crate) lesson: &'a Lesson,
    pub(crate) id: &'a str,
    pub(crate) needs: &'a [Need],
    pub(crate) checks: &'a str,
}

impl Exercise<'_> {
    /// Checks an answer in a session in which the cells ran that the exercise needs, and no others.
    pub(crate) fn check(&self, source: &str) -> Result<Answer> {
        let mut talk = Talk::new((self.new_lab)()?);
        for need in self.needs {
            let answer = self.run(&mut talk, need)?;
            if !answer.ok {
                return Ok(answer);
            }
        }
        talk.check(self.id, source, self.checks, &mut |_| Ok(()))
    }

    /// What does not hold of the cells that it needs.
    pub(super) fn unmet(&self) -> Result<Vec<String>> {
        if self.needs.is_empty() {
            return Ok(Vec::new());
        }
        let mut unmet = Vec::new();
        let mut talk = Talk::new((self.new_lab)()?);
        for need in self.needs {
            let (id, cell) = (self.id, &need.cell);
            if let Some(why) = self.run(&mut talk, need)?.failure() {
                unmet.push(format!(
                    "{id} needs {cell}, which does not run alone: {why}"
                ));
                continue;
            }
            for name in &need.names {
                if !talk.run("needs", name, &mut |_| Ok(()))?.ok {
                    unmet.push(format!(
                        "{id} needs {name} of {cell}, which does not define it"
                    ));
                }
            }
        }
        Ok(unmet)
    }

    /// What does not hold of the piece of `mine` that an answer becomes: a session of its own imports it by its name.
    pub(super) fn no_piece(&self, name: &str, solution: &str) -> Result<Option<String>> {
        let mut talk = Talk::new((self.new_lab)()?);
        talk.put_file(&format!("mine/{name}.py"), solution)?;
        let source = format!("from mine import {name}");
        let why = talk.run("mine", &source, &mut |_| Ok(()))?.failure();
        Ok(why.map(|why| format!("{}: the solution is no piece of mine: {why}", self.id)))
    }

    /// Whether an answer passes though none of the cells ran that it is said to need.
    pub(super) fn needs_nothing(&self, solution: &str) -> Result<bool> {
        if self.needs.is_empty() {
            return Ok(false);
        }
        let mut talk = Talk::new((self.new_lab)()?);
        Ok(passes(&talk.check(
            self.id,
            solution,
            self.checks,
            &mut |_| Ok(()),
        )?))
    }

    fn run(&self, talk: &mut Talk, need: &Need) -> Result<Answer> {
        let source = self.lesson.blocks.iter().find_map(|block| match block {
            Block::Cell { id, source } => (*id == need.cell).then_some(source),
            _ => None,
        });
        talk.run(&need.cell, source.map_or("", |source| source), &mut |_| {
            Ok(())
        })
    }
}

pub(super) fn passes(answer: &Answer) -> bool {
    matches!(&answer.report, Some(report) if report.passed)
}

/// The first check that failed, with its counter-example, or the error.
pub(crate) fn why_not(answer: &Answer) -> String {
    if let Some(why) = answer.failure() {
        return why;
    }
    let failed = answer
        .report
        .iter()
        .flat_map(|report| &report.checks)
        .find(|check| !check.passed);
    match failed {
        Some(check) => {
            let message = check.message.replace('\n', "\n    ");
            format!("{}\n    {message}", check.name)
        }
        None => "no check reported".to_string(),
    }
}
