//! Whether runs answer the predictions of a lesson.

use anyhow::Result;
use glowgrad_lesson::{Block, Lesson};

use super::Findings;
use crate::lab::Talk;

/// Asks the session, right after a cell has run, for the values of the predictions of that cell.
pub(super) fn verify(
    talk: &mut Talk,
    lesson: &Lesson,
    ran: &str,
    findings: &mut Findings,
) -> Result<()> {
    for block in &lesson.blocks {
        let Block::Predict {
            id,
            cell,
            value,
            answer: kind,
            ..
        } = block
        else {
            continue;
        };
        if cell != ran {
            continue;
        }
        let answer = talk.evaluate(value)?;
        let fault = match (answer.failure(), answer.text) {
            (Some(why), _) => Some(why),
            (None, Some(text)) => kind.fault(&text),
            (None, None) => Some("no value came".to_owned()),
        };
        findings.predictions.add(fault.is_none());
        findings
            .failures
            .extend(fault.map(|why| format!("the prediction {id}: {value}: {why}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use glowgrad_lesson::Files;
    use glowgrad_session::protocol::{Command, Event};

    use crate::lab::scripted::{ScriptedLab, done, error};

    use super::*;

    #[test]
    fn a_value_of_another_kind_and_one_that_fails_are_named() {
        let predict = |id: &str| {
            format!(":::predict number {id}\nof: cell-1\nvalue: {id}.item()\n\nWhat?\n:::\n")
        };
        let text = format!(
            "---\ntitle: t\npart: p\nminutes: 1\noutcome: o\n---\n{}{}{}```python cell\nx\n```\n",
            predict("good"),
            predict("text"),
            predict("gone"),
        );
        let files: Files = [("01-a/lesson.md", text.as_str())].into_iter().collect();
        let lesson = files.lessons().unwrap().remove(0);
        let lab = ScriptedLab::boxed(|command| {
            let Command::Evaluate { id, expression } = command else {
                panic!("unexpected {command:?}");
            };
            let (id, text) = (*id, |text: &str| Event::Evaluated {
                id: *id,
                text: text.to_owned(),
            });
            match expression.as_str() {
                "good.item()" => vec![text("0.5"), done(id, true)],
                "text.item()" => vec![text("up"), done(id, true)],
                _ => vec![error(id, "NameError", "gone"), done(id, false)],
            }
        });
        let mut findings = Findings::default();
        verify(&mut Talk::new(lab), &lesson, "cell-1", &mut findings).unwrap();
        assert_eq!(
            (findings.predictions.good, findings.predictions.all),
            (1, 3)
        );
        assert_eq!(
            findings.failures,
            [
                "the prediction text: text.item(): it gives \"up\"; expected a number, as of .item()",
                "the prediction gone: gone.item(): cell-1:2: NameError: gone",
            ]
        );
    }
}
