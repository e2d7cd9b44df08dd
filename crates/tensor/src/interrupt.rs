//! How long work is stopped: loops say what they have done, and learn whether to go on.
//!
//! A session gives a function that looks whether Stop was pressed ([`set`]); loops of kernels and routines
//! call [`spend`] and break off when it says so, and the backend turns that into an error ([`check`]). The
//! engine has no clock, so the function is asked once for a number of operations, which take some
//! milliseconds. The state belongs to the thread, as sessions do: the loops are far below the engine, and a
//! parameter on the way to each of them would be the same everywhere.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::{Error, Result};

/// Operations between two looks: a millisecond of additions, some 40 ms of the slowest functions.
const BETWEEN_LOOKS: u64 = 1 << 21;

/// Says whether what runs is to stop.
pub type ShouldStop = dyn Fn() -> bool;

/// The landing page's engine runs one small graph, which ends by itself.
const HEARS_STOP: bool = cfg!(feature = "full");

thread_local! {
    static SHOULD_STOP: RefCell<Option<Rc<ShouldStop>>> = const { RefCell::new(None) };
    static LEFT: Cell<u64> = const { Cell::new(BETWEEN_LOOKS) };
    static STOPPED: Cell<bool> = const { Cell::new(false) };
}

/// Sets the function that is asked on this thread; returns the one before.
pub fn set(should_stop: Option<Rc<ShouldStop>>) -> Option<Rc<ShouldStop>> {
    SHOULD_STOP.replace(should_stop)
}

/// Runs something that is not to be stopped, such as putting back what a stopped step has changed. That work was
/// told to break off before stays so until [`check`].
pub fn paused<T>(run: impl FnOnce() -> T) -> T {
    let before = set(None);
    let stopped = STOPPED.replace(false);
    let result = run();
    STOPPED.set(stopped);
    set(before);
    result
}

/// Counts operations that were done. Returns whether to break off: then what was being written is not
/// whole, and [`check`] gives the error.
#[inline]
pub fn spend(operations: usize) -> bool {
    if !HEARS_STOP {
        return false;
    }
    let left = LEFT.get();
    if left > operations as u64 {
        LEFT.set(left - operations as u64);
        return STOPPED.get();
    }
    look()
}

/// Whether to break off, asked at once: for waits, which have no operations to count.
pub fn is_asked() -> bool {
    HEARS_STOP && look()
}

#[cold]
fn look() -> bool {
    LEFT.set(BETWEEN_LOOKS);
    if !STOPPED.get() {
        // Nothing is borrowed while the function runs: in a page it lets other messages in.
        let should_stop = SHOULD_STOP.with_borrow(Clone::clone);
        STOPPED.set(should_stop.is_some_and(|should_stop| should_stop()));
    }
    STOPPED.get()
}

/// The error of work that broke off; after it work may begin again.
///
/// # Errors
/// An [`crate::ErrorKind::Interrupted`] if [`spend`] has said to break off since the last call.
pub fn check() -> Result<()> {
    match HEARS_STOP && STOPPED.replace(false) {
        true => Err(Error::interrupted()),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn work_breaks_off_when_the_function_says_so_and_begins_anew_after_the_error() {
        let stop = Rc::new(Cell::new(false));
        let asked = stop.clone();
        set(Some(Rc::new(move || asked.get())));
        assert!(!spend(BETWEEN_LOOKS as usize));
        assert!(check().is_ok());
        stop.set(true);
        assert!(!spend(1), "the function is asked after enough operations");
        assert!(
            paused(|| !spend(BETWEEN_LOOKS as usize)),
            "paused work goes on"
        );
        assert!(spend(BETWEEN_LOOKS as usize) && spend(1) && is_asked());
        assert!(
            paused(|| !spend(1)) && spend(1),
            "what was to break off still is, after paused work"
        );
        assert_eq!(check().map_err(|e| e.kind), Err(ErrorKind::Interrupted));
        stop.set(false);
        assert!(!spend(BETWEEN_LOOKS as usize) && check().is_ok());
        set(None);
    }
}
