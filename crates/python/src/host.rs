//! What Python asks of its host: a terminal, a worker, a test.
//!
//! Python has no authority of its own: every effect it can have passes through this trait. The
//! host decides how output travels, when a long run yields to its surroundings and when it stops.

use glowgrad::graph::Opened;
use glowgrad::{Engine, Tensor};

use crate::figure::{Chart, Figure, Look};
use crate::files::{Files, NoFiles};

/// The host's answer to a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    Continue,
    /// Raise `KeyboardInterrupt`. The host keeps answering `Stop` until the run has ended: code
    /// that catches the first one meets it again at its next loop turn.
    Stop,
}

/// Frames of Python that a stack holds on this target: a native session runs on a large stack, a
/// page's worker on the browser's.
pub const DEFAULT_RECURSION_LIMIT: usize = if cfg!(target_arch = "wasm32") {
    150
} else {
    1000
};

/// The surroundings of one [`Python`](crate::Python).
///
/// Calls come from the thread that runs Python, with no borrow of its state held, so a host may
/// suspend inside any of them.
pub trait Host {
    /// Text printed by the learner's code, at the moment it is printed.
    fn stdout(&self, text: &str);

    /// Text that it writes to `sys.stderr`. Where there is one place for both, it stands with what is printed.
    fn stderr(&self, text: &str) {
        self.stdout(text);
    }

    /// A sentence for the learner that is no print of theirs.
    fn notice(&self, text: &str) {
        let _ = text;
    }

    /// Called from loop heads and function entries, at most every few milliseconds of a busy
    /// loop. Reads the stop flag and yields where the host must.
    fn tick(&self) -> Flow;

    /// Milliseconds since the Unix epoch, never going back, as fine as the platform allows.
    fn now_millis(&self) -> f64;

    /// Waits for about this long; may return early. Ticks follow, so short is better than exact.
    fn sleep(&self, millis: f64);

    /// Python's library, the text that `glowgrad_pylib` makes. Asked for when a module is imported that Python has not
    /// built in.
    ///
    /// # Errors
    /// Why it cannot be had.
    fn library(&self) -> Result<&'static str, String> {
        Err("there is no library here".to_owned())
    }

    /// Reads or writes a file's bytes, as `glowgrad_files::codec` says, or a model's, as `glowgrad_onnx::asked` says: the
    /// answer's text and bytes.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn codec(&self, request: &str, bytes: &[u8]) -> Result<(String, Vec<u8>), String> {
        let _ = (request, bytes);
        Err("there are no file formats here".to_owned())
    }

    /// Writes what a model computes as an ONNX file. None where the host does not see the engine's graph: then the graph
    /// goes to [`Host::codec`] as text.
    ///
    /// # Errors
    /// What cannot be written, and why.
    fn export_onnx(&self, job: &mut OnnxJob<'_>) -> Option<Result<OnnxFile, String>> {
        let _ = job;
        None
    }

    /// The files that Python sees.
    fn files(&self) -> &dyn Files {
        &NoFiles
    }

    /// What `sys.argv` has: a script's path and its arguments; nothing for cells.
    fn arguments(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether the platform's memory is almost used up. Asked at ticks; the learner's code then
    /// gets a `MemoryError`. In a page Python looks at the wasm memory by itself.
    fn out_of_memory(&self) -> bool {
        false
    }

    /// Frames of Python that this thread's stack can hold. A worker that suspends (JSPI) runs Python
    /// on a stack of its own, which holds more than its first one.
    fn recursion_limit(&self) -> usize {
        DEFAULT_RECURSION_LIMIT
    }

    /// A device of this name, such as `webgpu`, to compute on; none if there is no such thing here.
    ///
    /// # Errors
    /// Why it cannot be had.
    fn open_device(&self, _kind: &str) -> Option<glowgrad::Result<Opened>> {
        None
    }

    /// A `backward()` of the learner's has ended.
    fn backward_ended(&self) {}

    /// Steps of `lab.train` that ran without Python have ended, with these losses.
    fn replayed(&self, losses: &[f64]) {
        let _ = losses;
    }

    /// How many steps of `lab.train` may run without Python, after so many of which the host was not told yet, before
    /// one that it wants to see.
    fn n_unseen(&self, waiting: u32) -> u32 {
        let _ = waiting;
        u32::MAX
    }

    /// One point of a live plot. `x` counts from 0 for each series of a run.
    fn metric(&self, series: &str, x: f64, y: f64);

    /// The graph of an engine that the learner wrote (`lab.graph`). A host without a stage leaves it.
    fn user_graph(&self, graph: UserGraph) {
        let _ = graph;
    }

    /// A tensor to draw: a histogram, an image or a heat-map.
    fn figure(&self, _figure: Figure) {}

    /// What Matplotlib's names drew.
    fn chart(&self, _chart: Chart) {}

    /// The learner asks to see a tensor in one of the instruments.
    fn look(&self, _look: Look) {}
}

/// A model that is to be written.
pub struct OnnxJob<'a> {
    /// What runs it.
    pub engine: &'a Engine,
    /// What it is run on: first the run that is written; then one for each size that is left open, whose inputs differ
    /// from the first's in this size.
    pub runs: &'a [OnnxRun],
    /// Its parameters and buffers, by name.
    pub weights: &'a [(String, Tensor)],
    /// The version of ONNX's operator set.
    pub opset: i64,
    /// Makes the run of this number; gives its results, by name.
    pub run: &'a mut dyn FnMut(usize) -> glowgrad::Result<Vec<(String, Tensor)>>,
}

/// One run of a model that is to be written.
pub struct OnnxRun {
    /// The name of the size that it opens; none of the first run.
    pub size: String,
    /// The tensors that the model takes, by name.
    pub inputs: Vec<(String, Tensor)>,
}

/// A model that was written.
pub struct OnnxFile {
    /// The file.
    pub bytes: Vec<u8>,
    /// What is fixed in it that depended on the inputs: a sentence for each.
    pub warnings: Vec<String>,
}

/// What a node of a [`UserGraph`] holds, or a gradient on it.
#[derive(Debug, Clone)]
pub enum UserValue {
    Number(f64),
    /// No other code writes to it.
    Array(Tensor),
}

/// Most nodes of a [`UserGraph`]; `lab.graph` refuses more with a message.
pub const MOST_USER_NODES: usize = 600;

/// What an event of a [`UserGraph`] tells. Its first number is the kind; nodes follow, then gradients, which are
/// places in the graph's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserEvent {
    /// A node.
    Made,
    /// The root, and its gradient.
    Backward,
    /// A node, its gradient, and one gradient for each of its sources or -1.
    Vjp,
    /// A node, what is added, and the sum.
    Accumulate,
    /// A node, and its gradient.
    Grad,
    /// The root.
    End,
}

impl UserEvent {
    const ALL: [UserEvent; 6] = [
        UserEvent::Made,
        UserEvent::Backward,
        UserEvent::Vjp,
        UserEvent::Accumulate,
        UserEvent::Grad,
        UserEvent::End,
    ];

    /// The kind with this number.
    pub fn of(number: i64) -> Option<UserEvent> {
        let has = |event: &UserEvent| *event as i64 == number;
        UserEvent::ALL.into_iter().find(has)
    }
}

/// A graph of an engine of the learner's own and what happened on it. It comes from a learner's objects, so its
/// reader checks every number in it.
#[derive(Debug, Clone, Default)]
pub struct UserGraph {
    /// What is written on each node: `+`, `tanh`; empty for a leaf.
    pub ops: Vec<String>,
    pub names: Vec<Option<String>>,
    /// The nodes each node was made from, in operand order.
    pub sources: Vec<Vec<i64>>,
    /// The nodes' values, then those of gradients.
    pub values: Vec<UserValue>,
    /// Each begins with the number of a [`UserEvent`].
    pub events: Vec<Vec<i64>>,
}
