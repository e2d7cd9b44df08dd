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
