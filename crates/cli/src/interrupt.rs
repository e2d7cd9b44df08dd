//! Ctrl-C: it ends every command within a second, with exit code 130.
//!
//! A session is asked first, so that a script sees `KeyboardInterrupt` and a traceback is printed. A session
//! inside a long native call does not answer: after [`GRACE`] the program exits by itself. A second Ctrl-C,
//! or one while no session is open, exits at once.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use glowgrad_session::StopHandle;

use crate::terminal::complain;

/// What a shell calls a program that Ctrl-C ended.
pub(crate) const EXIT_CODE: u8 = 130;

/// How long a session may take to stop: half of the second, since a busy machine exits slowly too.
const GRACE: Duration = Duration::from_millis(500);

/// The session that Ctrl-C stops.
static NEWEST: Mutex<Option<StopHandle>> = Mutex::new(None);

/// From now on Ctrl-C stops this session.
pub(crate) fn stops(session: StopHandle) {
    *NEWEST.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
}

/// Listens for Ctrl-C until the program ends.
pub(crate) fn listen() -> Result<()> {
    let mut n_interrupts = 0;
    ctrlc::set_handler(move || {
        n_interrupts += 1;
        let newest = NEWEST.lock().unwrap_or_else(PoisonError::into_inner);
        let (1, Some(session)) = (n_interrupts, newest.as_ref()) else {
            std::process::exit(EXIT_CODE.into());
        };
        session.stop();
        // This handler's thread must be free for a second Ctrl-C.
        let timer = std::thread::Builder::new().name("interrupt".to_owned());
        let waits = timer.spawn(|| {
            std::thread::sleep(GRACE);
            complain("glow: stopped");
            std::process::exit(EXIT_CODE.into());
        });
        if waits.is_err() {
            std::process::exit(EXIT_CODE.into());
        }
    })
    .context("cannot listen for Ctrl-C")
}
