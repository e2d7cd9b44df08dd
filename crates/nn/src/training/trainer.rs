//! The training job: it runs a step on each batch of each epoch, and keeps what it needs to go on later.
//!
//! Invariant: a run that was interrupted and goes on from its checkpoint computes the bits of one that was not. The
//! batches of an epoch are drawn again from the random numbers that it began with, and those before the checkpoint are
//! passed by.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use glowgrad_tensor::{Engine, Error, Result, Tensor};
use serde_json::{Value, json};

use super::checkpoint::Checkpoint;
use super::history::{Epoch, History};
use super::progress::{Bar, Clock};
use crate::data::{Batch, Batches};
use crate::nn::{Module, no_grad};
use crate::optim::{Optimizer, clip_grad_norm_, schedule::Schedule};

/// A loss or a metric: of a model's output and the target.
type Measure<'a> = Box<dyn Fn(&Tensor, &Tensor) -> Result<Tensor> + 'a>;

/// When a schedule takes a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    Step,
    Epoch,
}

/// Where a run stands, told after each step.
#[derive(Debug, Clone, Copy)]
pub struct Now {
    /// Steps of all epochs so far.
    pub step: usize,
    /// The epoch that is under way, counted from 1.
    pub epoch: usize,
    /// The loss of the step.
    pub loss: f64,
}

/// Trains a model with an optimizer on batches, whose first tensor is the input and whose last is the target.
pub struct Trainer<'a, O> {
    model: &'a dyn Module,
    optimizer: O,
    loss: Measure<'a>,
    metrics: Vec<(String, Measure<'a>)>,
    schedule: Option<(Schedule, Pace)>,
    clip: Option<f64>,
    checkpoint: Option<(PathBuf, usize)>,
    watch: Option<Box<dyn FnMut(Now) -> bool + 'a>>,
    shows_progress: bool,
    history: History,
    /// Steps of the epoch that is under way.
    step_in_epoch: usize,
    /// The state of the random numbers when the epoch began.
    epoch_random: Option<Vec<u8>>,
    /// What a checkpoint said that is not of Rust, such as the state of Python's random numbers.
    foreign: BTreeMap<String, Value>,
}

impl<'a, O: Optimizer> Trainer<'a, O> {
    /// A run that has not begun.
    pub fn new(
        model: &'a dyn Module,
        optimizer: O,
        loss: impl Fn(&Tensor, &Tensor) -> Result<Tensor> + 'a,
    ) -> Trainer<'a, O> {
        Trainer {
            model,
            optimizer,
            loss: Box::new(loss),
            metrics: Vec::new(),
            schedule: None,
            clip: None,
            checkpoint: None,
            watch: None,
            shows_progress: false,
            history: History::default(),
            step_in_epoch: 0,
            epoch_random: None,
            foreign: BTreeMap::new(),
        }
    }

    /// Records the mean of a function of output and target over the validation data.
    #[must_use]
    pub fn metric(
        mut self,
        name: &str,
        measure: impl Fn(&Tensor, &Tensor) -> Result<Tensor> + 'a,
    ) -> Self {
        self.metrics.push((name.to_owned(), Box::new(measure)));
        self
    }

    /// Steps a schedule after each step.
    #[must_use]
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = Some((schedule, Pace::Step));
        self
    }

    /// Steps a schedule after each epoch.
    #[must_use]
    pub fn epoch_schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = Some((schedule, Pace::Epoch));
        self
    }

    /// Bounds the norm of all gradients.
    #[must_use]
    pub fn clip(mut self, max_norm: f64) -> Self {
        self.clip = Some(max_norm);
        self
    }

    /// Keeps the run in a file, after each `every` steps and each epoch. Where the file is there, `fit` goes on from it.
    #[must_use]
    pub fn checkpoint(mut self, path: impl Into<PathBuf>, every: usize) -> Self {
        self.checkpoint = Some((path.into(), every.max(1)));
        self
    }

    /// Calls a function after each step; the run pauses when it says `false`, and goes on with the next `fit`.
    #[must_use]
    pub fn watch(mut self, watch: impl FnMut(Now) -> bool + 'a) -> Self {
        self.watch = Some(Box::new(watch));
        self
    }

    /// Draws a bar with rate and time left in the terminal, and tells of each epoch.
    #[must_use]
    pub fn progress(mut self, is_shown: bool) -> Self {
        self.shows_progress = is_shown;
        self
    }

    /// What the run recorded so far.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The optimizer.
    pub fn optimizer(&self) -> &O {
        &self.optimizer
    }

    /// Trains until `epochs` have ended, or the function given to `watch` says that this is enough.
    ///
    /// # Errors
    /// When a step fails, the data gives no batch, or a checkpoint cannot be read or written.
    pub fn fit(
        &mut self,
        batches: &dyn Batches,
        epochs: usize,
        validate: Option<&dyn Batches>,
    ) -> Result<&History> {
        let engine = self.engine()?;
        if self.history.losses.is_empty()
            && let Some((path, _)) = self.checkpoint.clone()
            && path.exists()
        {
            self.resume(&engine, &path)?;
        }
        self.model.train();
        while self.history.epochs.len() < epochs {
            if !self.run_epoch(&engine, batches, epochs, validate)? {
                break;
            }
        }
        Ok(&self.history)
    }

    fn engine(&self) -> Result<Engine> {
        let parameters = self.optimizer.parameters();
        let first = parameters
            .first()
            .map(|parameter| parameter.engine().clone());
        first.ok_or_else(|| {
            Error::value("optimizer got an empty parameter list; pass model.parameters()")
        })
    }

    /// Whether the epoch has ended, and was not paused.
    fn run_epoch(
        &mut self,
        engine: &Engine,
        batches: &dyn Batches,
        epochs: usize,
        validate: Option<&dyn Batches>,
    ) -> Result<bool> {
        let clock = Clock::start();
        let number = self.history.epochs.len() + 1;
        let bar = self.bar(batches.n_batches(), number, epochs);
        for batch in self.remaining(engine, batches)? {
            let loss = self.run_step(&batch?)?;
            self.step_in_epoch += 1;
            self.history.losses.push(loss);
            bar.step(loss);
            let step = self.history.losses.len();
            if let Some((path, every)) = self.checkpoint.clone()
                && step.is_multiple_of(every)
            {
                self.save(&path)?;
            }
            let now = Now {
                step,
                epoch: number,
                loss,
            };
            if let Some(watch) = &mut self.watch
                && !watch(now)
            {
                if let Some((path, _)) = self.checkpoint.clone() {
                    self.save(&path)?;
                }
                return Ok(false);
            }
        }
        bar.end();
        if self.step_in_epoch == 0 {
            return Err(Error::value(
                "the data gave no batch; pass a loader with one row or more",
            ));
        }
        self.end_epoch(number, epochs, clock.seconds(), validate)?;
        Ok(true)
    }

    fn bar(&self, n_batches: usize, number: usize, epochs: usize) -> Bar {
        match self.shows_progress {
            true => Bar::new(
                n_batches,
                self.step_in_epoch,
                &format!("epoch {number} of {epochs}"),
            ),
            false => Bar::hidden(),
        }
    }

    /// The batches of the epoch from where it stands.
    fn remaining<'b>(
        &mut self,
        engine: &Engine,
        batches: &'b dyn Batches,
    ) -> Result<Box<dyn Iterator<Item = Result<Batch>> + 'b>> {
        if self.step_in_epoch == 0 {
            self.epoch_random = Some(engine.generator().state());
            return batches.epoch();
        }
        let now = engine.generator().state();
        if let Some(state) = &self.epoch_random {
            set_random(engine, state)?;
        }
        let mut iterator = batches.epoch()?;
        for passed in 0..self.step_in_epoch {
            if iterator.next().transpose()?.is_none() {
                return Err(Error::value(format!(
                    "the run stands at step {} of the epoch, and the data gives {passed} batches; go on with the data that it began with",
                    self.step_in_epoch
                )));
            }
        }
        set_random(engine, &now)?;
        Ok(iterator)
    }

    fn run_step(&mut self, batch: &Batch) -> Result<f64> {
        let (input, target) = ends(batch)?;
        self.optimizer.zero_grad()?;
        let loss = (self.loss)(&self.model.forward(input)?, target)?;
        loss.backward(None, Default::default())?;
        if let Some(max_norm) = self.clip {
            clip_grad_norm_(&self.optimizer.parameters(), max_norm)?;
        }
        self.optimizer.step()?;
        if let Some((schedule, Pace::Step)) = &mut self.schedule {
            schedule.step(&mut self.optimizer);
        }
        // Running means are read by no loss: they are computed with their step.
        let buffers = self.model.named_buffers();
        let nodes: Vec<_> = buffers.iter().map(|(_, buffer)| buffer.node()).collect();
        loss.engine().realize(&nodes)?;
        Ok(loss.item()?.as_f64())
    }

    /// The mean loss and metrics over all batches, each weighed by its size, without training. The model behaves as in
    /// use from then on.
    ///
    /// # Errors
    /// When there is no batch, or the model refuses one.
    pub fn evaluate(&self, batches: &dyn Batches) -> Result<Vec<(String, f64)>> {
        let engine = self.engine()?;
        self.model.eval();
        no_grad(&engine, || self.measured(batches))
    }

    fn measured(&self, batches: &dyn Batches) -> Result<Vec<(String, f64)>> {
        let mut totals = vec![0.0; 1 + self.metrics.len()];
        let mut count = 0.0;
        for batch in batches.epoch()? {
            let batch = batch?;
            let (input, target) = ends(&batch)?;
            let output = self.model.forward(input)?;
            let n = target.shape().first().copied().unwrap_or(1) as f64;
            let measures = [&self.loss]
                .into_iter()
                .chain(self.metrics.iter().map(|(_, m)| m));
            for (total, measure) in totals.iter_mut().zip(measures) {
                *total += measure(&output, target)?.item()?.as_f64() * n;
            }
            count += n;
        }
        if count == 0.0 {
            return Err(Error::value("there is no batch to evaluate on"));
        }
        let names = ["loss"]
            .into_iter()
            .chain(self.metrics.iter().map(|(name, _)| name.as_str()));
        Ok(names
            .zip(totals)
            .map(|(name, total)| (name.to_owned(), total / count))
            .collect())
    }

    fn end_epoch(
        &mut self,
        number: usize,
        epochs: usize,
        seconds: f64,
        validate: Option<&dyn Batches>,
    ) -> Result<()> {
        let validation = match validate {
            Some(batches) => self.evaluate(batches)?,
            None => Vec::new(),
        };
        self.model.train();
        let losses = &self.history.losses;
        let own = losses
            .get(losses.len() - self.step_in_epoch..)
            .unwrap_or_default();
        let row = Epoch {
            epoch: number,
            step: losses.len(),
            loss: own.iter().sum::<f64>() / own.len() as f64,
            lr: self.optimizer.rates().first().copied().unwrap_or(0.0),
            validation,
            seconds,
        };
        if let Some((schedule, Pace::Epoch)) = &mut self.schedule {
            schedule.step(&mut self.optimizer);
        }
        if self.shows_progress {
            let found = row
                .validation
                .iter()
                .map(|(name, value)| format!(", validation {name} {value:.4}"));
            let found: String = found.collect();
            println!(
                "epoch {number} of {epochs}: loss {:.4}{found}, {seconds:.1} s",
                row.loss
            );
        }
        self.history.epochs.push(row);
        self.step_in_epoch = 0;
        match self.checkpoint.clone() {
            Some((path, _)) => self.save(&path),
            None => Ok(()),
        }
    }

    /// Writes the run to a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let engine = self.engine()?;
        let mut tensors = named("model", self.model.state_dict());
        tensors.extend(named("optimizer", self.optimizer.state()));
        let n = self.history.losses.len();
        tensors.push((
            "history.losses".to_owned(),
            Tensor::from_f64(&engine, &self.history.losses, &[n])?,
        ));
        let now = engine.generator().state();
        tensors.push(("random.now".to_owned(), random_tensor(&engine, &now)?));
        if let Some(state) = &self.epoch_random {
            tensors.push(("random.epoch".to_owned(), random_tensor(&engine, state)?));
        }
        let mut texts = self.foreign.clone();
        let epochs: Vec<Value> = self.history.epochs.iter().map(Epoch::to_json).collect();
        texts.insert("epochs".to_owned(), Value::Array(epochs));
        texts.insert(
            "progress".to_owned(),
            json!({"epoch": self.history.epochs.len(), "step_in_epoch": self.step_in_epoch, "step": n}),
        );
        texts.insert(
            "optimizer".to_owned(),
            json!({"groups": self.optimizer.groups(), "numbers": {}}),
        );
        if let Some((schedule, _)) = &self.schedule {
            texts.insert(
                "scheduler".to_owned(),
                json!({"last_epoch": schedule.last()}),
            );
        }
        Checkpoint { tensors, texts }.save(path)
    }

    fn resume(&mut self, engine: &Engine, path: &Path) -> Result<()> {
        let found = Checkpoint::load(engine, path)?;
        let lacks = |what: &str| {
            Error::value(format!(
                "{} holds no {what}; it is no run's",
                path.display()
            ))
        };
        let texts = &found.texts;
        let progress = texts.get("progress").ok_or_else(|| lacks("progress"))?;
        let step_in_epoch = progress.get("step_in_epoch").and_then(Value::as_u64);
        let epochs = Epoch::all_from_json(texts.get("epochs").unwrap_or(&Value::Null))?;
        let losses = found
            .tensor("history.losses")
            .ok_or_else(|| lacks("losses"))?
            .to_f64()?;
        let groups = texts.get("optimizer").and_then(|text| text.get("groups"));
        self.optimizer.load(
            &found.part("optimizer"),
            groups.ok_or_else(|| lacks("optimizer"))?,
        )?;
        self.model.load_state_dict(&found.part("model"))?;
        if let Some((schedule, _)) = &mut self.schedule {
            let last = texts
                .get("scheduler")
                .and_then(|text| text.get("last_epoch")?.as_u64());
            schedule.set_last(last.ok_or_else(|| lacks("schedule"))? as usize);
        }
        self.epoch_random = found.tensor("random.epoch").map(random_bytes).transpose()?;
        let now = found
            .tensor("random.now")
            .ok_or_else(|| lacks("random numbers"))?;
        set_random(engine, &random_bytes(now)?)?;
        self.step_in_epoch = step_in_epoch.unwrap_or(0) as usize;
        self.history = History { epochs, losses };
        let own = ["epochs", "progress", "optimizer", "scheduler"];
        self.foreign = (texts.iter())
            .filter(|(name, _)| !own.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if self.shows_progress {
            println!(
                "goes on at step {}, in epoch {}, from {}",
                self.history.losses.len(),
                self.history.epochs.len() + 1,
                path.display()
            );
        }
        Ok(())
    }
}

/// The input and the target of a batch.
fn ends(batch: &Batch) -> Result<(&Tensor, &Tensor)> {
    match &batch[..] {
        [input, target] => Ok((input, target)),
        _ => Err(Error::value(format!(
            "a batch has {} tensors, expected an input and a target",
            batch.len()
        ))),
    }
}

fn named(part: &str, tensors: Vec<(String, Tensor)>) -> Vec<(String, Tensor)> {
    let each = tensors.into_iter();
    each.map(|(name, tensor)| (format!("{part}.{name}"), tensor))
        .collect()
}

/// A state of random numbers as PyTorch's tensor of bytes; here they are int64.
fn random_tensor(engine: &Engine, state: &[u8]) -> Result<Tensor> {
    let bytes: Vec<i64> = state.iter().map(|byte| i64::from(*byte)).collect();
    Tensor::from_i64(engine, &bytes, &[bytes.len()])
}

fn random_bytes(tensor: &Tensor) -> Result<Vec<u8>> {
    Ok(tensor
        .to_scalars()?
        .into_iter()
        .map(|byte| byte.as_i64() as u8)
        .collect())
}

fn set_random(engine: &Engine, state: &[u8]) -> Result<()> {
    engine.generator().set_state(state).map_err(Error::runtime)
}
