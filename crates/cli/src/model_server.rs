//! `glow serve`: a model over HTTP, on a device of this computer. The server itself is the crate `glowgrad-serve`.

use std::sync::Arc;

use anyhow::Result;
use glowgrad::Error;
use glowgrad_serve::command::{self, Serve};

use crate::Ending;
use crate::engine;
use crate::terminal::Terminal;

/// Serves until a signal stops it.
pub(crate) fn run(terminal: &mut Terminal<'_>, task: &Serve) -> Result<Ending> {
    let device = task.device().to_owned();
    let open = move || engine::backend(&device).map_err(|error| Error::value(format!("{error:#}")));
    command::run(task, Arc::new(open), &mut |line| Ok(terminal.line(line)?))?;
    Ok(Ending::Good)
}
