//! A host that records what Python does, and a thread large enough to run it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use glowgrad_python::{Chart, Figure, Files, Flow, Host, Look, MemoryFiles, Python, PythonError};

/// Remembers every piece of output by itself, and every point of a plot.
pub(crate) struct Recorder {
    pub(crate) pieces: RefCell<Vec<String>>,
    /// What went to `sys.stderr`.
    pub(crate) errors: RefCell<Vec<String>>,
    pub(crate) notices: RefCell<Vec<String>>,
    pub(crate) points: RefCell<Vec<(String, f64, f64)>>,
    pub(crate) figures: RefCell<Vec<Figure>>,
    pub(crate) charts: RefCell<Vec<Chart>>,
    pub(crate) looks: RefCell<Vec<Look>>,
    pub(crate) stop: Arc<AtomicBool>,
    /// How many looks at the host are left until it says stop; the clock then runs so fast that each tick looks.
    pub(crate) looks_left: Cell<Option<u32>>,
    files: MemoryFiles,
    pub(crate) library_was_fetched: Cell<bool>,
    start: Instant,
    epoch_millis: f64,
    ahead_millis: Cell<f64>,
}

impl Recorder {
    pub(crate) fn new(stop: Arc<AtomicBool>) -> Rc<Recorder> {
        let epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("the clock is after 1970");
        Rc::new(Recorder {
            pieces: RefCell::default(),
            errors: RefCell::default(),
            notices: RefCell::default(),
            points: RefCell::default(),
            figures: RefCell::default(),
            charts: RefCell::default(),
            looks: RefCell::default(),
            stop,
            looks_left: Cell::new(None),
            files: MemoryFiles::new(1 << 20, || 0.0),
            library_was_fetched: Cell::new(false),
            start: Instant::now(),
            epoch_millis: epoch.as_secs_f64() * 1e3,
            ahead_millis: Cell::new(0.0),
        })
    }

    pub(crate) fn output(&self) -> String {
        self.pieces.borrow().concat()
    }
}

impl Host for Recorder {
    fn stdout(&self, text: &str) {
        self.pieces.borrow_mut().push(text.to_owned());
    }

    fn stderr(&self, text: &str) {
        self.errors.borrow_mut().push(text.to_owned());
    }

    fn notice(&self, text: &str) {
        self.notices.borrow_mut().push(text.to_owned());
    }

    fn library(&self) -> Result<&'static str, String> {
        self.library_was_fetched.set(true);
        Ok(glowgrad_pylib::TEXT)
    }

    fn codec(&self, request: &str, bytes: &[u8]) -> Result<(String, Vec<u8>), String> {
        let answer = match glowgrad_onnx::asked::is_asked(request) {
            true => glowgrad_onnx::asked::answer(request, bytes).map_err(|error| error.message)?,
            false => {
                let answer = glowgrad_files::codec::answer(request, bytes);
                answer.map_err(|error| error.to_string())?
            }
        };
        Ok((answer.text, answer.bytes))
    }

    fn files(&self) -> &dyn Files {
        &self.files
    }

    fn tick(&self) -> Flow {
        if let Some(left) = self.looks_left.get() {
            self.looks_left.set(Some(left.saturating_sub(1)));
            self.ahead_millis.set(self.ahead_millis.get() + 10.0);
            return if left == 0 {
                Flow::Stop
            } else {
                Flow::Continue
            };
        }
        if self.stop.load(Ordering::Relaxed) {
            Flow::Stop
        } else {
            Flow::Continue
        }
    }

    fn now_millis(&self) -> f64 {
        self.epoch_millis + self.ahead_millis.get() + self.start.elapsed().as_secs_f64() * 1e3
    }

    fn sleep(&self, millis: f64) {
        std::thread::sleep(Duration::from_secs_f64(millis / 1e3));
    }

    fn metric(&self, series: &str, x: f64, y: f64) {
        self.points.borrow_mut().push((series.to_owned(), x, y));
    }

    fn figure(&self, figure: Figure) {
        self.figures.borrow_mut().push(figure);
    }

    fn chart(&self, chart: Chart) {
        self.charts.borrow_mut().push(chart);
    }

    fn look(&self, look: Look) {
        self.looks.borrow_mut().push(look);
    }
}

/// Python, what it printed, and the flag that stops it.
pub(crate) struct Lab {
    pub(crate) python: Python,
    pub(crate) host: Rc<Recorder>,
    pub(crate) stop: Arc<AtomicBool>,
    cells: Cell<u32>,
}

impl Lab {
    /// Runs a cell named `cell N` and gives what it printed.
    pub(crate) fn run(&self, source: &str) -> Result<String, PythonError> {
        self.cells.set(self.cells.get() + 1);
        self.host.pieces.borrow_mut().clear();
        self.python
            .run_cell(&format!("cell {}", self.cells.get()), source)?;
        Ok(self.host.output())
    }

    /// Runs a cell that must work.
    #[track_caller]
    pub(crate) fn output(&self, source: &str) -> String {
        match self.run(source) {
            Ok(output) => output,
            Err(error) => panic!("{}", error.traceback),
        }
    }

    /// Runs a cell that must fail.
    #[track_caller]
    pub(crate) fn error(&self, source: &str) -> PythonError {
        match self.run(source) {
            Ok(output) => panic!("expected an error, got {output:?}"),
            Err(error) => error,
        }
    }
}

/// Runs a test with a fresh Python on a thread as large as a session's.
#[track_caller]
pub(crate) fn lab<T: Send + 'static>(test: impl FnOnce(Lab) -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(|| {
            let stop = Arc::new(AtomicBool::new(false));
            let host = Recorder::new(stop.clone());
            // Kernels look at it too, as in a session.
            let stopped = stop.clone();
            let should_stop = move || stopped.load(Ordering::Relaxed);
            glowgrad::interrupt::set(Some(Rc::new(should_stop)));
            let python = Python::new(glowgrad::cpu(), host.clone());
            test(Lab {
                python,
                host,
                stop,
                cells: Cell::new(0),
            })
        })
        .expect("a thread starts");
    match thread.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
