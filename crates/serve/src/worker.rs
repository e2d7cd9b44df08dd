//! Threads that run the model: an engine is bound to its thread, so each has one of its own with the weights on it.
//!
//! Invariants: a request that fails alone fails alone. A batch that the model refuses is run again one request at a
//! time, and after a panic it is a new engine that runs it. A batch does not run past the last deadline among its
//! requests.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use glowgrad::{Backend, Engine, Error, ErrorKind, Result, interrupt};
use glowgrad_files::tensor::{from_array, of_file, to_array};

use crate::memory::{self, Watch};
use crate::metrics::Metrics;
use crate::model::{Arrays, Loaded, Served};
use crate::probe;
use crate::queue::{Answer, Failure, Queue, QueuedRequest};
use crate::rows;

/// Opens the device that an engine computes on; each thread calls it.
pub type OpenDevice = dyn Fn() -> Result<Box<dyn Backend>> + Send + Sync;

/// What the threads share.
pub(crate) struct Work {
    pub(crate) model: Arc<dyn Served>,
    pub(crate) open: Arc<OpenDevice>,
    pub(crate) engine_memory: Option<usize>,
    pub(crate) most_rows: usize,
    pub(crate) wait: Duration,
    pub(crate) queue: Queue,
    pub(crate) metrics: Metrics,
}

/// The weights on an engine.
struct Live<'a> {
    engine: Engine,
    watch: Watch,
    loaded: Box<dyn Loaded + 'a>,
}

impl<'a> Live<'a> {
    fn new(work: &'a Work) -> Result<Live<'a>> {
        let (engine, watch) = memory::engine((work.open)()?, work.engine_memory);
        // Nothing asks for a gradient or looks at what ran.
        engine.set_grad_enabled(false);
        engine.trace().set_recording(false);
        let loaded = work.model.load(&engine)?;
        Ok(Live {
            engine,
            watch,
            loaded,
        })
    }

    /// Runs arrays through the model.
    fn run(&self, inputs: &Arrays) -> Result<Arrays> {
        let tensors = inputs
            .iter()
            .map(|(name, array)| Ok((name.clone(), from_array(&self.engine, array)?)));
        let outputs = self.loaded.run(tensors.collect::<Result<Vec<_>>>()?)?;
        let nodes: Vec<_> = outputs.iter().map(|(_, tensor)| tensor.node()).collect();
        // Together, so that what outputs have in common is computed once.
        self.engine.realize(&nodes)?;
        let outputs = outputs.into_iter();
        outputs
            .map(|(name, tensor)| Ok((name, to_array(&tensor)?)))
            .collect()
    }
}

/// What a thread says once, before it takes requests: whether rows may be joined.
pub(crate) type Ready = std::result::Result<probe::Found, Error>;

/// Loads the model, says so, and runs batches until the queue stops.
pub(crate) fn run(work: &Work, probes: bool, ready: impl FnOnce(Ready)) {
    let stop_at: Rc<Cell<Option<Instant>>> = Rc::default();
    let asked = stop_at.clone();
    interrupt::set(Some(Rc::new(move || {
        (asked.get()).is_some_and(|time| time <= Instant::now())
    })));
    let first = guarded(|| {
        let live = Live::new(work)?;
        let found = match probes {
            true => probe::look(&*work.model, |inputs| live.run(inputs)),
            false => probe::Found::default(),
        };
        Ok((live, found))
    });
    let live = match first {
        Some(Ok((live, found))) => {
            ready(Ok(found));
            live
        }
        Some(Err(error)) => return ready(Err(error)),
        None => {
            let why = "the engine broke off while it loaded the model; try it with `glow onnx run`";
            return ready(Err(Error::runtime(why)));
        }
    };
    let mut worker = Worker {
        work,
        live: Some(live),
    };
    while let Some(batch) = work.queue.take(work.most_rows, work.wait) {
        stop_at.set(batch.iter().map(|job| job.deadline).max());
        worker.answer(batch);
    }
}

/// None if it panicked.
fn guarded<T>(run: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(run)).ok()
}

/// A thread's engine, and what it works on.
struct Worker<'a> {
    work: &'a Work,
    /// None after a panic, until the next request.
    live: Option<Live<'a>>,
}

impl Worker<'_> {
    /// Runs arrays through the model, on a new engine if the last one broke off.
    fn attempt(&mut self, inputs: &Arrays) -> Result<Arrays, Failure> {
        if self.live.is_none() {
            tracing::error!("the engine broke off; the model is loaded anew");
            self.live = guarded(|| Live::new(self.work)).and_then(Result::ok);
        }
        let Some(live) = &self.live else {
            return Err(Failure::Broken);
        };
        let ran = guarded(|| live.run(inputs));
        let was_short = live.watch.was_short();
        match ran {
            Some(Ok(outputs)) => Ok(outputs),
            Some(Err(error)) if error.kind == ErrorKind::Interrupted => Err(Failure::Late),
            Some(Err(error)) if was_short => Err(Failure::Memory(error.message)),
            Some(Err(error)) => Err(Failure::Refused(error.message)),
            None => {
                self.live = None;
                Err(Failure::Broken)
            }
        }
    }

    /// The outputs of each request of a batch, from one run.
    fn attempt_all(
        &mut self,
        batch: &[QueuedRequest],
        rows: &[usize],
    ) -> Result<Vec<Arrays>, Failure> {
        if let [job] = batch {
            return Ok(vec![self.attempt(&job.inputs)?]);
        }
        let refused = |error| Failure::Refused(of_file(error).message);
        let inputs: Vec<&Arrays> = batch.iter().map(|job| &job.inputs).collect();
        let outputs = self.attempt(&rows::join(&inputs).map_err(refused)?)?;
        rows::split(&outputs, rows).map_err(refused)
    }

    fn answer(&mut self, mut batch: Vec<QueuedRequest>) {
        let begun = Instant::now();
        let rows: Vec<usize> = batch.iter().map(|job| job.rows.unwrap_or(1)).collect();
        let outcome = self.attempt_all(&batch, &rows);
        let ran = begun.elapsed();
        let size = (rows.iter().sum(), batch.len());
        match outcome {
            Ok(outputs) => {
                self.work.metrics.ran(size, ran);
                for (job, outputs) in batch.into_iter().zip(outputs) {
                    let waited = begun.saturating_duration_since(job.arrived);
                    // The client may have gone.
                    let _ = job.answer.send(Ok(Answer {
                        outputs,
                        batch: size,
                        waited,
                        ran,
                    }));
                }
            }
            Err(failure) if batch.len() == 1 => {
                if let Some(job) = batch.pop() {
                    let _ = job.answer.send(Err(failure));
                }
            }
            Err(failure) => {
                tracing::debug!(?failure, requests = size.1, "a batch is run one by one");
                for job in batch {
                    self.answer(vec![job]);
                }
            }
        }
    }
}
