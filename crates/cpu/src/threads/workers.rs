//! The process's worker threads, and what they share with the thread that calls them.
//!
//! A job waits in a queue while the calling thread runs it; a worker that is free joins in. When the calling
//! thread finds nothing left to do it closes the job: a worker that has not joined by then never touches it, so
//! a busy computer costs little more than one thread would. Workers sleep when the queue is empty, since threads
//! that spin take a processor from other programs. Any thread may call; a part never calls
//! ([`is_inside`]), so no thread waits for itself.

use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{Builder, available_parallelism};
use std::time::Duration;

use glowgrad_tensor::{Error, Result, interrupt};

use crate::pool::Pool;

/// More threads than this are not started.
const MOST_THREADS: usize = 256;
/// How often a thread that waits for the last parts looks for Stop.
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);
/// Bytes of scratch that a worker keeps between two jobs.
const MOST_SCRATCH: usize = 16 << 20;

/// 0 before it is known.
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

#[inline]
pub(super) fn threads() -> usize {
    match THREADS.load(Ordering::Relaxed) {
        0 => first_threads(),
        n => n,
    }
}

pub(super) fn set_threads(n: usize) {
    THREADS.store(n.clamp(1, MOST_THREADS), Ordering::Relaxed);
}

#[cold]
fn first_threads() -> usize {
    let asked = std::env::var("OMP_NUM_THREADS").ok();
    let n = asked.as_deref().and_then(in_variable);
    let n = n.unwrap_or_else(|| available_parallelism().map_or(1, usize::from));
    // What another thread has set meanwhile stays.
    let n = n.clamp(1, MOST_THREADS);
    let before = THREADS.compare_exchange(0, n, Ordering::Relaxed, Ordering::Relaxed);
    before.map_or_else(|set| set, |_| n)
}

/// The outermost level of a list such as `4,2`.
fn in_variable(text: &str) -> Option<usize> {
    let n = text.split(',').next()?.trim().parse().ok()?;
    (n > 0).then_some(n)
}

/// Whether this thread runs a part of work.
pub(super) fn is_inside() -> bool {
    INSIDE.get()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What the mutexes here guard is whole whenever they are unlocked.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Items in order, each with its number, and the error of the lowest number.
struct Items<I> {
    items: I,
    next: usize,
    error: Option<(usize, Error)>,
}

/// As [`super::for_each`], on several threads.
pub(super) fn for_each<I>(
    pool: &Pool,
    work: usize,
    items: I,
    run: impl Fn(&Pool, I::Item) -> Result<()> + Sync,
) -> Result<()>
where
    I: Iterator + Send,
    I::Item: Send,
{
    let shared = Mutex::new(Items {
        items,
        next: 0,
        error: None,
    });
    let take = || {
        let mut shared = lock(&shared);
        if shared.error.is_some() {
            return None;
        }
        let item = shared.items.next()?;
        shared.next += 1;
        Some((shared.next - 1, item))
    };
    let by_workers = AtomicUsize::new(0);
    let run_items = |pool: &Pool, is_worker: bool| {
        while !interrupt::spend(0) {
            let Some((number, item)) = take() else { break };
            let ran = catch_unwind(AssertUnwindSafe(|| run(pool, item)));
            if let Err(error) = ran.unwrap_or_else(|_| Err(panicked())) {
                let mut shared = lock(&shared);
                if shared.error.as_ref().is_none_or(|(n, _)| number < *n) {
                    shared.error = Some((number, error));
                }
            }
            if is_worker {
                by_workers.fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    workers().run(pool, threads() - 1, &run_items);
    let Items { next, error, .. } = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Stop is looked for as often as if one thread had done all.
    interrupt::spend(work / next.max(1) * by_workers.into_inner());
    error.map_or(Ok(()), |(_, error)| Err(error))
}

fn panicked() -> Error {
    Error::runtime("cpu: a kernel panicked on one of several threads; this is a bug in glowgrad")
}

/// What a job runs on each of its threads, with memory for scratch; true on a worker.
type Run<'a> = dyn Fn(&Pool, bool) + Sync + 'a;

struct Job {
    run: *const Run<'static>,
    state: Mutex<State>,
    /// Told when the last worker has left.
    left: Condvar,
    stop: AtomicBool,
}

struct State {
    /// Whether workers may still join.
    is_open: bool,
    n_inside: usize,
}

#[allow(
    unsafe_code,
    reason = "threads that outlive a call borrow from it while it lasts"
)]
mod borrowed {
    use super::*;

    // SAFETY: `run` points to a `Sync` closure, and is followed in `Job::join` alone. All other fields are
    // `Send` and `Sync`.
    unsafe impl Send for Job {}
    // SAFETY: as above.
    unsafe impl Sync for Job {}

    impl Job {
        /// A job that is open. Its [`Closing`] must end before `'a` does.
        pub(super) fn new(run: &Run<'_>) -> Job {
            let run: *const Run<'_> = run;
            Job {
                // SAFETY: a pointer's lifetime has no meaning for its layout.
                run: unsafe { std::mem::transmute::<*const Run<'_>, *const Run<'static>>(run) },
                state: Mutex::new(State {
                    is_open: true,
                    n_inside: 0,
                }),
                left: Condvar::new(),
                stop: AtomicBool::new(false),
            }
        }

        /// Runs the job on a worker, unless it is closed.
        pub(super) fn join(&self, pool: &Pool) {
            let mut state = lock(&self.state);
            if !state.is_open {
                return;
            }
            state.n_inside += 1;
            drop(state);
            // SAFETY: the job was open, and this worker is counted in: `Closing` keeps the closure's owner
            // from going on until the count is 0 again.
            let run = unsafe { &*self.run };
            // The closure catches the panics of its items; another one must not take the count along.
            let ran = catch_unwind(AssertUnwindSafe(|| run(pool, true)));
            drop(ran);
            let mut state = lock(&self.state);
            state.n_inside -= 1;
            if state.n_inside == 0 {
                self.left.notify_one();
            }
        }
    }
}

/// Closes a job and waits for its workers, also where the calling thread unwinds.
struct Closing<'a>(&'a Job);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let job = self.0;
        INSIDE.set(false);
        let mut state = lock(&job.state);
        state.is_open = false;
        while state.n_inside > 0 {
            // What the calling thread has heard before, the workers hear now.
            job.stop.fetch_or(interrupt::spend(0), Ordering::Relaxed);
            let (woken, waited) = job
                .left
                .wait_timeout(state, BETWEEN_LOOKS)
                .unwrap_or_else(PoisonError::into_inner);
            state = woken;
            if waited.timed_out() && state.n_inside > 0 {
                drop(state);
                let asked = catch_unwind(interrupt::is_asked);
                job.stop.fetch_or(asked.unwrap_or(true), Ordering::Relaxed);
                state = lock(&job.state);
            }
        }
    }
}

/// The workers and the jobs that wait for them.
#[derive(Default)]
struct Workers {
    queue: Mutex<Queue>,
    wake: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Arc<Job>>,
    n_workers: usize,
}

fn workers() -> &'static Workers {
    static WORKERS: OnceLock<Workers> = OnceLock::new();
    WORKERS.get_or_init(Workers::default)
}

impl Workers {
    /// Runs a job on the calling thread, and on up to `n` workers.
    fn run(&'static self, pool: &Pool, n: usize, run: &Run<'_>) {
        let job = Arc::new(Job::new(run));
        let closing = Closing(&job);
        {
            let mut queue = lock(&self.queue);
            while queue.n_workers < n && self.start() {
                queue.n_workers += 1;
            }
            queue.jobs.extend((0..n).map(|_| Arc::clone(&job)));
        }
        (0..n).for_each(|_| self.wake.notify_one());
        INSIDE.set(true);
        run(pool, false);
        drop(closing);
        lock(&self.queue)
            .jobs
            .retain(|other| !Arc::ptr_eq(other, &job));
    }

    /// One more worker. False where the system gives no thread: then there are fewer.
    fn start(&'static self) -> bool {
        let worker = Builder::new().name("glowgrad worker".into());
        worker.spawn(|| self.work()).is_ok()
    }

    fn work(&self) {
        INSIDE.set(true);
        let pool = Pool::default();
        loop {
            let mut queue = lock(&self.queue);
            let job = loop {
                match queue.jobs.pop_front() {
                    Some(job) => break job,
                    None => {
                        queue = self
                            .wake
                            .wait(queue)
                            .unwrap_or_else(PoisonError::into_inner);
                    }
                }
            };
            drop(queue);
            let heard = Arc::clone(&job);
            interrupt::set(Some(Rc::new(move || heard.stop.load(Ordering::Relaxed))));
            job.join(&pool);
            interrupt::set(None);
            // A Stop is over with its job.
            let _ = interrupt::check();
            if pool.bytes().1 > MOST_SCRATCH {
                pool.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_is_a_list_of_numbers() {
        assert_eq!(in_variable("4"), Some(4));
        assert_eq!(in_variable(" 3 ,2"), Some(3));
        for wrong in ["", "0", "-1", "many"] {
            assert_eq!(in_variable(wrong), None, "{wrong}");
        }
    }
}
