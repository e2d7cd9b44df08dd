//! Whether runs answer the predictions of a lesson.

use anyhow::Result;
use glowgrad_lesson::{Block, Lesson};

use super::Findings;
use crate::lab::Talk;

/// The predictions whose values can be told before any cell has run: no run answers those.
pub(super) fn constants<'a>(talk: &mut Talk, lesson: &'a Lesson) -> Result<Vec<&'a str>> {
    let mut constant = Vec::new();
    for block in &lesson.blocks {
        if let Block::Predict { id, value, .. } = block
            && talk.evaluate(value)?.text.is_some()
        {
            constant.push(id.as_str());
        }
    }
    Ok(constant)
}

/// Asks the session, right after a cell has run, for the values of the predictions of that cell.
pub(super) fn verify(
    talk: &mut Talk,
    lesson: &Lesson,
    ran: &str,
    constant: &[&str],
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
            (None, Some(text)) if constant.contains(&id.as_str()) => Some(format!(
                "it gives {text:?} before any cell has run; expected a value that the run gives"
            )),
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

    fn lesson(blocks: &str) -> Lesson {
        let text = format!(
            "---\ntitle: t\npart: p\nminutes: 1\noutcome: o\n---\n{blocks}```python cell\nx\n```\n"
        );
        let files: Files = [("01-a/lesson.md", text.as_str())].into_iter().collect();
        files.lessons().unwrap().remove(0)
    }

    /// Before the cell has run, what is written down in the lesson has a value, and nothing else.
    fn before(command: &Command) -> Vec<Event> {
        answer(command, &[(WRITTEN, "('a', 'b')")])
    }

    fn after(command: &Command) -> Vec<Event> {
        answer(
            command,
            &[
                (WRITTEN, "('a', 'b')"),
                ("x", "1"),
                ("good.item()", "0.5"),
                ("text.item()", "up"),
                ("pair", "('b', 'a')"),
                ("other", "('b', 'c')"),
                ("seen", "[(0.0, 0.5), (1.0, 1.0)]"),
                ("word", "up"),
            ],
        )
    }

    const WRITTEN: &str = "(\"a\", \"b\")";

    /// The values of the expressions that are known; others raise.
    fn answer(command: &Command, values: &[(&str, &str)]) -> Vec<Event> {
        let Command::Evaluate { id, expression } = command else {
            panic!("unexpected {command:?}");
        };
        match values.iter().find(|(known, _)| known == expression) {
            Some((_, text)) => vec![
                Event::Evaluated {
                    id: *id,
                    text: (*text).to_owned(),
                },
                done(*id, true),
            ],
            None => vec![error(*id, "NameError", "gone"), done(*id, false)],
        }
    }

    fn failures(
        lesson: &Lesson,
        talk: &mut Talk,
        constant: &[&str],
    ) -> (Vec<String>, usize, usize) {
        let mut findings = Findings::default();
        verify(talk, lesson, "cell-1", constant, &mut findings).unwrap();
        let count = findings.predictions;
        (findings.failures, count.good, count.all)
    }

    #[test]
    fn a_value_of_another_kind_and_one_that_fails_are_named() {
        let predict = |id: &str| {
            format!(":::predict number {id}\nof: cell-1\nvalue: {id}.item()\n\nWhat?\n:::\n")
        };
        let blocks = [predict("good"), predict("text"), predict("gone")].concat();
        let mut talk = Talk::new(ScriptedLab::boxed(after));
        assert_eq!(
            failures(&lesson(&blocks), &mut talk, &[]),
            (
                vec![
                    "the prediction text: text.item(): it gives \"up\"; expected a number, as of .item()".to_owned(),
                    "the prediction gone: gone.item(): cell-1:2: NameError: gone".to_owned(),
                ],
                1,
                3
            )
        );
    }

    #[test]
    fn an_edge_is_a_pair_of_nodes_and_a_drawing_a_curve() {
        let edge = |id: &str| {
            format!(":::predict edge {id}\nof: cell-1\nvalue: {id}\n\nWhich?\n- a\n- b\n:::\n")
        };
        let drawing = |id: &str| {
            format!(
                ":::predict drawing {id}\nof: cell-1\nvalue: {id}\nx: 0 1\ny: 0 1\n\nHow?\n:::\n"
            )
        };
        let blocks = [
            edge("pair"),
            edge("other"),
            drawing("seen"),
            drawing("word"),
        ]
        .concat();
        let mut talk = Talk::new(ScriptedLab::boxed(after));
        let (failures, good, all) = failures(&lesson(&blocks), &mut talk, &[]);
        assert_eq!((good, all), (2, 4));
        assert_eq!(
            failures,
            [
                "the prediction other: other: it gives \"('b', 'c')\"; expected a pair of two of a | b",
                "the prediction word: word: it gives \"up\"; expected a curve: two or more pairs (x, y), or y values, all of them finite numbers",
            ]
        );
    }

    #[test]
    fn a_value_that_is_there_before_any_cell_has_run_is_refused() {
        let lesson = lesson(
            ":::predict edge written\nof: cell-1\nvalue: (\"a\", \"b\")\n\nWhich?\n- a\n- b\n:::\n\
             :::predict number of-the-run\nof: cell-1\nvalue: x\n\nWhat?\n:::\n",
        );
        let mut talk = Talk::new(ScriptedLab::boxed(before));
        let constant = constants(&mut talk, &lesson).unwrap();
        assert_eq!(constant, ["written"]);
        let mut talk = Talk::new(ScriptedLab::boxed(after));
        let (failures, good, all) = failures(&lesson, &mut talk, &constant);
        assert_eq!((good, all), (1, 2));
        assert_eq!(
            failures,
            [
                "the prediction written: (\"a\", \"b\"): it gives \"('a', 'b')\" before any cell has run; expected a value that the run gives"
            ]
        );
    }
}
