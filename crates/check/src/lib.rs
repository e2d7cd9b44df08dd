//! What holds a device to PyTorch's numbers: golden cases, extreme values, training, times.
//!
//! [`Check`] runs it part by part, each short, and gathers a [`Report`]. The golden numbers are in the
//! program, so that it needs no file; it opens none, and has no clock but the one it is given. The
//! parts are used by the tests of `glowgrad` too.

pub mod bench;
pub mod device;
pub mod extreme;
pub mod golden;
pub mod models;
pub mod recording;
pub mod report;
pub mod tolerance;
pub mod training;

use std::rc::Rc;

use glowgrad::Engine;
use glowgrad::backend::Backend;

use bench::Clock;
use device::{Counts, Device};
use recording::RecordedStep;
use report::{PartReport, Report, Training};

/// Steps of training that are compared.
const STEPS: usize = 100;

/// How far a loss may be from the CPU's, as a part of it.
const NEAR: f64 = 1e-3;

/// A part of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A file of golden numbers, by its place in [`golden::FILES`].
    Golden(usize),
    /// Extreme values, by their place in [`extreme::VALUES`].
    Extreme(usize),
    /// A network, by its place in [`models::MODELS`].
    Training(usize),
    /// A benchmark, by its number.
    Bench(usize),
    /// What a training step asks of the device.
    Step,
    /// A network's step that the device keeps, by the network's place in [`models::MODELS`].
    Recording(usize),
}

impl Part {
    /// All parts, in the order in which they run.
    pub fn all() -> Vec<Part> {
        let golden = (0..golden::FILES.len()).map(Part::Golden);
        let extreme = (0..extreme::VALUES.len()).map(Part::Extreme);
        let training = (0..models::MODELS.len()).map(Part::Training);
        let bench = (0..bench::count()).map(Part::Bench);
        let recording = (0..models::MODELS.len()).map(Part::Recording);
        let parts = golden.chain(extreme).chain(training).chain(recording);
        parts.chain([Part::Step]).chain(bench).collect()
    }

    /// What it is called.
    pub fn name(self) -> String {
        match self {
            Part::Golden(at) => format!("golden: {}", golden::FILES[at].0),
            Part::Extreme(at) => format!("extreme values: {}", extreme::VALUES[at].name),
            Part::Training(at) => format!("training: {}", models::MODELS[at].0),
            Part::Bench(at) => format!("benchmark {}", at + 1),
            Part::Step => "a training step".to_owned(),
            Part::Recording(at) => format!("a recorded step: {}", models::MODELS[at].0),
        }
    }
}

/// A check of one device under way.
pub struct Check {
    device: Device,
    engine: Engine,
    clock: Clock,
    /// Of the golden cases of an op, and of the ops on extreme values, one in so many runs.
    step: usize,
    report: Report,
    /// What the device did until what it did last was written down.
    counted: Counts,
}

impl Check {
    /// Begins to check a device.
    pub fn new(device: Device, clock: Clock) -> Check {
        Check {
            engine: Engine::new(Box::new(device.backend.clone())),
            report: Report {
                device: device.backend.name(),
                driver: device.driver.clone(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                ..Report::default()
            },
            counted: device.backend.counts(),
            device,
            clock,
            step: 1,
        }
    }

    /// Of an op's golden cases in a file, the first and every `step`th after it are to run, and on extreme values one op
    /// in `step`: for a device that runs the shaders of one that runs them all. 0 counts as 1.
    ///
    /// ```
    /// use glowgrad_check::{Check, Part, device::Device};
    ///
    /// let mut check = Check::new(Device::cpu(), || 0.0).sampling(50);
    /// let part = check.run(Part::Golden(0));
    /// assert!(part.passed > 0 && part.skipped > part.passed);
    /// ```
    #[must_use]
    pub fn sampling(mut self, step: usize) -> Check {
        self.step = step.max(1);
        self
    }

    /// What was found so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Runs a part; what came of it.
    pub fn run(&mut self, part: Part) -> &PartReport {
        let start = (self.clock)();
        let failed = self.report.failed.len();
        let before = (self.report.passed, self.skipped());
        match part {
            Part::Golden(at) => self.golden(golden::FILES[at]),
            Part::Extreme(at) => self.extreme(at),
            Part::Training(at) => self.training(models::MODELS[at]),
            Part::Recording(at) => self.recording(&part.name(), models::MODELS[at].1),
            Part::Bench(at) => match bench::run(at, &self.engine, self.clock) {
                Ok(timing) => self.report.bench.extend(timing),
                Err(error) => self.fail(&part.name(), error.to_string()),
            },
            Part::Step => match bench::step_counts(&self.device) {
                Ok(counts) => self.report.step = Some(counts),
                Err(error) => self.fail(&part.name(), error.to_string()),
            },
        }
        self.count(&part.name());
        let counts = self.device.backend.counts();
        (self.report.dispatches, self.report.pipelines) = (counts.dispatches, counts.pipelines);
        let seconds = (self.clock)() - start;
        self.report.seconds += seconds;
        let part = PartReport {
            name: part.name(),
            passed: self.report.passed - before.0,
            failed: self.report.failed.len() - failed,
            skipped: self.skipped() - before.1,
            seconds,
        };
        self.report.parts.push(part);
        &self.report.parts[self.report.parts.len() - 1]
    }

    fn skipped(&self) -> usize {
        self.report.skipped.values().sum()
    }

    fn fail(&mut self, part: &str, why: String) {
        self.report.failed.push(format!("{part}: {why}"));
    }

    fn skip(&mut self, why: String, n: usize) {
        *self.report.skipped.entry(why).or_default() += n;
    }

    /// Writes down what the device did for an op since it was last asked.
    fn count(&mut self, op: &str) {
        let counts = self.device.backend.counts();
        if counts.fallbacks != self.counted.fallbacks {
            for (why, &n) in &counts.fallbacks {
                let more = n - self.counted.fallbacks.get(why).copied().unwrap_or(0);
                if more > 0 {
                    let why = why.trim_end_matches('.').to_owned();
                    let fallback = self.report.fallbacks.entry(why).or_default();
                    fallback.tasks += more;
                    fallback.ops.insert(op.to_owned());
                }
            }
        }
        self.counted = counts;
    }

    fn golden(&mut self, (file, text): (&str, &str)) {
        let engine = self.engine.clone();
        let done = golden::run_watched(&engine, text, self.step, &mut |op| self.count(op));
        self.report.passed += done.passed;
        self.report.loose.extend(done.loose);
        for why in done.failed {
            self.fail(file, why);
        }
        for why in done.skipped {
            self.skip(why, 1);
        }
        if done.left_out > 0 {
            self.skip(LEFT_OUT.to_owned(), done.left_out);
        }
    }

    fn extreme(&mut self, at: usize) {
        let engine = self.engine.clone();
        let done = extreme::run(&engine, at, self.step, &mut |op| self.count(op));
        self.report.passed += done.passed;
        self.report.failed.extend(done.failed);
        for (why, n) in done.skipped {
            self.skip(why, n);
        }
        if done.left_out > 0 {
            self.skip(LEFT_OUT.to_owned(), done.left_out);
        }
    }

    fn training(&mut self, (name, make): (&str, models::MakeModel)) {
        match follow(name, make, &self.engine) {
            Ok(training) => {
                self.report.passed += 1;
                self.report.training.push(training);
            }
            Err(why) => self.fail(name, why),
        }
    }

    fn recording(&mut self, name: &str, make: models::MakeModel) {
        let backend: Rc<dyn Backend> = self.device.backend.clone();
        let step = RecordedStep::of(&backend, |engine| {
            let model = make(engine)?;
            Ok(Box::new(move || model.step(0)?.item().map(drop)))
        });
        let compared = step
            .map_err(|error| format!("raised {error}"))
            .and_then(|step| recording::compare(&*backend, &step));
        match compared {
            Ok(Some(())) => self.report.passed += 1,
            Ok(None) => self.skip(KEEPS_NOTHING.to_owned(), 1),
            Err(why) => self.fail(name, why),
        }
    }
}

/// Why a case that is sampled did not run.
const LEFT_OUT: &str = "not in the sample of its op's cases";

/// Why a recorded step is not checked.
const KEEPS_NOTHING: &str = "the device keeps no tasks to run again";

/// Trains a network on a device and on the CPU, and compares their losses step by step.
fn follow(name: &str, make: models::MakeModel, device: &Engine) -> Result<Training, String> {
    let words = |error: glowgrad::Error| format!("raised {error}");
    let on_cpu = make(&glowgrad::cpu()).map_err(words)?;
    let on_device = make(device).map_err(words)?;
    let mut training = Training {
        name: name.to_owned(),
        steps: STEPS,
        loss: [0.0; 2],
        largest_difference: 0.0,
    };
    for step in 0..STEPS {
        let loss = |model: &models::Model| model.step(step)?.item().map(|loss| loss.as_f64());
        let expected = loss(&on_cpu).map_err(words)?;
        let got = loss(&on_device).map_err(words)?;
        let difference = (got - expected).abs() / expected.abs();
        if difference.is_nan() || difference > NEAR {
            return Err(format!(
                "step {step}: the loss is {got}, on the CPU {expected}"
            ));
        }
        training.largest_difference = training.largest_difference.max(difference);
        training.loss[usize::from(step > 0)] = expected;
    }
    Ok(training)
}
