//! Whether a lesson's stage has something to show before the learner has run anything.

use anyhow::Result;
use glowgrad_lesson::{Opening, OpeningInstrument};
use glowgrad_session::protocol::Event;

use crate::lab::{Answer, NewLab, Talk};

/// Why an opening that has a source of its own is none, from a session in which nothing else ran.
pub(super) fn fault_alone(
    new_lab: NewLab<'_>,
    opening: &Opening,
    source: &str,
) -> Result<Option<String>> {
    let mut talk = Talk::new(new_lab()?);
    let answer = talk.run(&opening.cell, source, &mut |_| Ok(()))?;
    match answer.failure() {
        Some(why) => Ok(Some(format!("{} does not run: {why}", opening.cell))),
        None => fault(&mut talk, opening, &answer),
    }
}

/// Why an opening is none, right after its cell has run and left this answer.
pub(super) fn fault(talk: &mut Talk, opening: &Opening, answer: &Answer) -> Result<Option<String>> {
    let mut n_shown = 0;
    let name = match opening.instrument {
        OpeningInstrument::Graph => {
            n_shown = answer.graph.as_ref().map_or(0, |graph| graph.nodes.len());
            "graph"
        }
        OpeningInstrument::Memory => {
            talk.memory(&mut |event| {
                if let Event::Memory { memory, .. } = event {
                    n_shown = memory.views.len();
                }
                Ok(())
            })?;
            "tensor in memory"
        }
        OpeningInstrument::Kernels => {
            talk.kernels(&mut |event| {
                if let Event::Kernels { list, .. } = event {
                    n_shown = list.kernels.len();
                }
                Ok(())
            })?;
            "kernel"
        }
    };
    let cell = &opening.cell;
    Ok((n_shown == 0).then(|| format!("the stage opens with {cell}, which leaves no {name}")))
}
