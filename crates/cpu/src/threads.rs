//! Work in parts, on several threads where it is large ([decision 0045](../../../docs/decisions/0045-threads.md)).
//!
//! [`for_each`] runs the parts: one after another where the work is small, in wasm and inside of a part;
//! otherwise on the calling thread and on those workers that are free. Invariant: a part's result does not
//! depend on the thread that computes it or on the number of parts, so every number of threads gives the same
//! bits. Which parts there are is the caller's business; [`share`] proposes their size.

#[cfg(all(feature = "full", not(target_arch = "wasm32")))]
mod workers;

use glowgrad_tensor::{Result, interrupt};

use crate::pool::Pool;

/// Operations, as [`interrupt::spend`] counts them, below which one thread does all: some 100 µs of additions.
/// Tests cut smaller work.
const LEAST_WORK: usize = if cfg!(test) { 1 << 17 } else { 1 << 20 };
/// Operations of a part at least.
const LEAST_PART: usize = LEAST_WORK / 8;
/// Parts for each thread: a thread that is held up leaves its parts to the others.
const PARTS_A_THREAD: usize = 4;

/// Threads that compute large work, the calling one included. Before [`set_threads`] this is what the variable
/// `OMP_NUM_THREADS` says, otherwise the processors that this process may use (its affinity and the quota of
/// its control group count). 1 in wasm.
///
/// ```
/// glowgrad_cpu::set_threads(2);
/// assert_eq!(glowgrad_cpu::threads(), if cfg!(target_arch = "wasm32") { 1 } else { 2 });
/// ```
#[inline]
pub fn threads() -> usize {
    #[cfg(all(feature = "full", not(target_arch = "wasm32")))]
    return workers::threads();
    #[cfg(not(all(feature = "full", not(target_arch = "wasm32"))))]
    1
}

/// Sets how many threads compute large work in this process, the calling one included; 0 counts as 1. Work
/// that runs keeps the number it began with. Has no effect in wasm.
pub fn set_threads(n: usize) {
    #[cfg(all(feature = "full", not(target_arch = "wasm32")))]
    workers::set_threads(n);
    #[cfg(not(all(feature = "full", not(target_arch = "wasm32"))))]
    let _ = n;
}

/// How many of `n` equal pieces of work to put into one part: all of them where one thread is to do the work.
/// `operations` are those of one piece, counted as for [`interrupt::spend`].
#[inline]
pub(crate) fn share(n: usize, operations: usize) -> usize {
    let work = n.saturating_mul(operations);
    if work < LEAST_WORK || threads() == 1 {
        return n.max(1);
    }
    let parts = (PARTS_A_THREAD * threads()).min(work / LEAST_PART);
    n.div_ceil(parts).max(1)
}

/// Calls `run` for each item, in order or on several threads at once. `work` are the operations of all items;
/// `run` gets memory for scratch with its item.
///
/// # Errors
/// The error of the first item that gave one; items after it may have run or not. A panic of an item, where
/// several threads run, is an error too.
///
/// ```ignore
/// let rows = threads::share(n_rows, 8 * n_columns);
/// threads::for_each(pool, 8 * n_rows * n_columns, out.chunks_mut(rows * n_columns).enumerate(), |_, (part, out)| {
///     softmax(&x[part * rows * n_columns..][..out.len()], out)
/// })?;
/// ```
pub(crate) fn for_each<I>(
    pool: &Pool,
    work: usize,
    items: I,
    run: impl Fn(&Pool, I::Item) -> Result<()> + Sync,
) -> Result<()>
where
    I: Iterator + Send,
    I::Item: Send,
{
    #[cfg(all(feature = "full", not(target_arch = "wasm32")))]
    if work >= LEAST_WORK && threads() > 1 && !workers::is_inside() {
        return workers::for_each(pool, work, items, run);
    }
    let _ = work;
    for item in items {
        if interrupt::spend(0) {
            break;
        }
        run(pool, item)?;
    }
    Ok(())
}
