//! Requests that wait for the model, and the batches that threads take of them.
//!
//! A mutex and a condition variable hold them rather than a channel: a batch takes requests of equal sizes from the middle,
//! and the threads that run a model wait with a deadline and have no runtime. Invariants: no more requests wait than the
//! queue has places; a request that was let in is answered, unless its client has gone; none overtakes an older one that
//! it fits.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::model::Arrays;
use crate::rows;

/// A request that was read and fits the model.
pub(crate) struct QueuedRequest {
    pub(crate) inputs: Arrays,
    /// How many rows it brings; none if it cannot be joined with others.
    pub(crate) rows: Option<usize>,
    pub(crate) arrived: Instant,
    /// When its answer is of no use any more.
    pub(crate) deadline: Instant,
    pub(crate) answer: oneshot::Sender<Result<Answer, Failure>>,
}

/// What the model gave, and how it came about.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) outputs: Arrays,
    /// Rows and requests of the batch in which it ran.
    pub(crate) batch: (usize, usize),
    /// How long the request waited, and how long the batch ran.
    pub(crate) waited: Duration,
    pub(crate) ran: Duration,
}

/// Why the model gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Its time was over.
    Late,
    /// The engine had no memory for it, in its words.
    Memory(String),
    /// The model refused the numbers, in its words.
    Refused(String),
    /// The engine broke off.
    Broken,
}

/// Why a request is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closed {
    /// Every place is taken.
    Full,
    /// The server stops.
    Stopping,
}

/// The queue that handlers fill and threads empty.
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// Requests that are being read.
    arriving: AtomicUsize,
    places: usize,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<QueuedRequest>,
    stopping: bool,
}

/// A request that is being read: a batch may wait for it.
pub(crate) struct Arriving<'a>(&'a Queue);

impl Drop for Arriving<'_> {
    fn drop(&mut self) {
        if self.0.arriving.fetch_sub(1, Ordering::AcqRel) == 1 {
            // Taken so that a thread between its look and its sleep does not miss this.
            drop(self.0.state());
            self.0.changed.notify_all();
        }
    }
}

impl Queue {
    pub(crate) fn new(places: usize) -> Queue {
        Queue {
            state: Mutex::default(),
            changed: Condvar::new(),
            arriving: AtomicUsize::new(0),
            places,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a request is being read, until the result is dropped.
    pub(crate) fn announce(&self) -> Arriving<'_> {
        self.arriving.fetch_add(1, Ordering::AcqRel);
        Arriving(self)
    }

    /// Lets a request in.
    pub(crate) fn push(&self, job: QueuedRequest) -> Result<(), Closed> {
        let mut state = self.state();
        if state.stopping {
            return Err(Closed::Stopping);
        }
        if state.jobs.len() >= self.places {
            // Clients that have gone make room.
            state.jobs.retain(|job| !job.answer.is_closed());
            if state.jobs.len() >= self.places {
                return Err(Closed::Full);
            }
        }
        state.jobs.push_back(job);
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.state().jobs.len()
    }

    /// Lets no more in; threads end once the queue is empty.
    pub(crate) fn stop(&self) {
        self.state().stopping = true;
        self.changed.notify_all();
    }

    /// Answers what waits with a failure: no thread is left that could run it.
    pub(crate) fn fail(&self, failure: &Failure) {
        let jobs = std::mem::take(&mut self.state().jobs);
        for job in jobs {
            let _ = job.answer.send(Err(failure.clone()));
        }
    }

    /// The next batch, of at most so many rows: it waits as long for others as other requests are being read, and no
    /// longer than `wait` from the arrival of its first. None once the queue stops and is empty.
    pub(crate) fn take(&self, most: usize, wait: Duration) -> Option<Vec<QueuedRequest>> {
        let mut state = self.state();
        let first = loop {
            match state.jobs.pop_front() {
                Some(job) => {
                    if let Some(job) = alive(job) {
                        break job;
                    }
                }
                None if state.stopping => return None,
                None => {
                    let waited = self.changed.wait(state);
                    state = waited.unwrap_or_else(PoisonError::into_inner);
                }
            }
        };
        let Some(mut n_rows) = first.rows else {
            return Some(vec![first]);
        };
        let until = first.arrived + wait;
        let mut batch = vec![first];
        loop {
            gather(&mut state.jobs, &mut batch, &mut n_rows, most);
            let now = Instant::now();
            let is_full = n_rows >= most;
            if is_full
                || state.stopping
                || now >= until
                || self.arriving.load(Ordering::Acquire) == 0
            {
                return Some(batch);
            }
            let waited = self.changed.wait_timeout(state, until - now);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Moves what fits into a batch.
fn gather(
    jobs: &mut VecDeque<QueuedRequest>,
    batch: &mut Vec<QueuedRequest>,
    n_rows: &mut usize,
    most: usize,
) {
    let mut i = 0;
    while i < jobs.len() && *n_rows < most {
        let fits = (jobs[i].rows).is_some_and(|rows| {
            *n_rows + rows <= most && rows::fit(&jobs[i].inputs, &batch[0].inputs)
        });
        if !fits {
            i += 1;
            continue;
        }
        if let Some(job) = jobs.remove(i).and_then(alive) {
            *n_rows += job.rows.unwrap_or(0);
            batch.push(job);
        }
    }
}

/// The job, unless its client has gone or its time is over.
fn alive(job: QueuedRequest) -> Option<QueuedRequest> {
    if job.answer.is_closed() {
        return None;
    }
    if job.deadline <= Instant::now() {
        let _ = job.answer.send(Err(Failure::Late));
        return None;
    }
    Some(job)
}

#[cfg(test)]
mod tests {
    use glowgrad::DType;
    use glowgrad_files::Array;

    use super::*;

    type Receiver = oneshot::Receiver<Result<Answer, Failure>>;

    fn job(rows: usize, width: usize, patience: Duration) -> (QueuedRequest, Receiver) {
        let (answer, receiver) = oneshot::channel();
        let array = Array::new(DType::U8, vec![rows, width], vec![0; rows * width]).unwrap();
        let now = Instant::now();
        let job = QueuedRequest {
            inputs: vec![("x".to_owned(), array)],
            rows: Some(rows),
            arrived: now,
            deadline: now + patience,
            answer,
        };
        (job, receiver)
    }

    fn push(queue: &Queue, rows: usize, width: usize) -> Receiver {
        let (job, receiver) = job(rows, width, Duration::from_secs(60));
        assert_eq!(queue.push(job), Ok(()));
        receiver
    }

    fn taken(queue: &Queue, most: usize) -> Vec<usize> {
        let batch = queue.take(most, Duration::ZERO).unwrap();
        batch.iter().map(|job| job.rows.unwrap_or(0)).collect()
    }

    #[test]
    fn a_batch_takes_what_fits_in_the_order_of_arrival() {
        let queue = Queue::new(10);
        let _kept: Vec<_> = [(1, 4), (2, 4), (1, 5), (9, 4), (1, 4), (1, 4)]
            .map(|(rows, width)| push(&queue, rows, width))
            .into();
        assert_eq!(taken(&queue, 4), [1, 2, 1]);
        assert_eq!(taken(&queue, 4), [1]);
        assert_eq!(taken(&queue, 4), [9]);
        assert_eq!(taken(&queue, 4), [1]);
        queue.stop();
        assert!(queue.take(4, Duration::ZERO).is_none());
    }

    #[test]
    fn a_full_queue_refuses_and_clients_that_have_gone_make_room() {
        let queue = Queue::new(2);
        let first = push(&queue, 1, 1);
        let _second = push(&queue, 1, 1);
        let (third, _receiver) = job(1, 1, Duration::from_secs(60));
        assert_eq!(queue.push(third), Err(Closed::Full));
        drop(first);
        let _third = push(&queue, 1, 1);
        assert_eq!(queue.len(), 2);
        queue.stop();
        let (fourth, _receiver) = job(1, 1, Duration::from_secs(60));
        assert_eq!(queue.push(fourth), Err(Closed::Stopping));
        assert_eq!(taken(&queue, 8), [1, 1]);
    }

    #[test]
    fn what_waited_too_long_is_told_so() {
        let queue = Queue::new(2);
        let (late, mut receiver) = job(1, 1, Duration::ZERO);
        assert_eq!(queue.push(late), Ok(()));
        let _next = push(&queue, 2, 1);
        assert_eq!(taken(&queue, 8), [2]);
        assert!(matches!(receiver.try_recv(), Ok(Err(Failure::Late))));
    }

    #[test]
    fn a_batch_waits_while_another_request_is_being_read() {
        let queue = Queue::new(4);
        let _first = push(&queue, 1, 1);
        let arriving = queue.announce();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let receiver = push(&queue, 1, 1);
                drop(arriving);
                receiver
            });
            let batch = queue.take(8, Duration::from_secs(60)).unwrap();
            assert_eq!(batch.len(), 2);
            drop(other.join());
        });
    }
}
