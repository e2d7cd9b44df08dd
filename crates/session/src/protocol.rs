//! The lab's protocol: commands in, events out.
//!
//! Plain serde types and nothing else. The worker sends them by structured clone; through the local server
//! commands go as JSON text and events as CBOR, which has NaN and infinities. `www/src/protocol/generated`
//! holds their TypeScript, generated from here.
//! Every command carries an `id`; each event it causes carries the same `id`, and the last of them
//! is always `Done`. Only `Stop` has no answer of its own: the command it stops ends with `Error`
//! (`KeyboardInterrupt`) and `Done`.

#[cfg(any(test, feature = "python"))]
mod figure;
#[cfg(any(test, feature = "python"))]
mod files;
#[cfg(any(test, feature = "python"))]
mod kernels;
#[cfg(any(test, feature = "python"))]
mod layers;
#[cfg(any(test, feature = "python"))]
mod memory;
#[cfg(any(test, feature = "python"))]
mod nonfinite;
#[cfg(any(test, feature = "python"))]
mod reference;
#[cfg(any(test, feature = "python"))]
mod steps;

#[cfg(feature = "python")]
use serde::de::IntoDeserializer;
#[cfg(feature = "python")]
use serde::de::value::StrDeserializer;
use serde::{Deserialize, Serialize};

pub use glowgrad_layout::{Direction, Flow};

#[cfg(any(test, feature = "python"))]
pub use figure::{Chart, Figure, FigureKind};
#[cfg(any(test, feature = "python"))]
pub use files::FileContent;
#[cfg(any(test, feature = "python"))]
pub use kernels::{KernelInfo, KernelList, KernelNode, KernelReason, KernelSource, SourceLine};
#[cfg(any(test, feature = "python"))]
pub use layers::{LayerArgument, LayerExample, LayerInput, LayerRow, LayerValue};
#[cfg(any(test, feature = "python"))]
pub use memory::{MemoryBuffer, MemoryHolder, MemoryMap, MemoryPoint, MemoryUsage, MemoryView};
#[cfg(any(test, feature = "python"))]
pub use nonfinite::{Finding, Ingredient, NonFinite, NonFiniteKind};
#[cfg(any(test, feature = "python"))]
pub use reference::{EntryKind, OpDtypes, OpEntry, OpFamily, OpGradient, Reference};
#[cfg(any(test, feature = "python"))]
pub use steps::{KeptReason, KeptStep, NodePoint, RunSteps, StepPoint};

/// What the page or the terminal asks of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum Command {
    /// Runs the built-in landing graph (the Rust twin of the eight lines of Python on the landing
    /// page). Needs no Python. Answers with one `Graph`.
    Landing { id: u32 },
    /// Runs one cell. Variables are kept from cell to cell. Answers with `Stdout`, `Metric`,
    /// `Image`, `Graph` (once, at the end, when the cell made or used a tensor graph) and `Error`.
    #[cfg(any(test, feature = "python"))]
    RunCell {
        id: u32,
        /// Name of the cell as tracebacks show it, such as `cell 3`.
        cell: String,
        source: String,
        /// Stops after the `backward()` of this step of its run, counted from 1: what is on stage then is that step.
        #[serde(default)]
        #[cfg_attr(test, ts(optional, as = "Option<u32>"))]
        until: Option<u32>,
    },
    /// Runs an exercise's checks on what the learner wrote, in a namespace of their own that
    /// starts as a copy of the lesson's variables. Answers with `Stdout`, `Graph` and one `Checked`.
    #[cfg(any(test, feature = "python"))]
    Check {
        id: u32,
        exercise: String,
        source: String,
        /// The checks, in lab Python: functions named `check_…`, whose docstring says what must
        /// hold (see `glowgrad-lesson`).
        checks: String,
    },
    /// Calls a global Python function with one flat list of numbers and a shape, as the widgets
    /// do (`classify` for a drawn digit). Answers with `Called`.
    #[cfg(any(test, feature = "python"))]
    Call {
        id: u32,
        function: String,
        values: Vec<f64>,
        shape: Vec<usize>,
    },
    /// Evaluates an expression with the variables as they are. Answers with `Evaluated`.
    #[cfg(any(test, feature = "python"))]
    Evaluate { id: u32, expression: String },
    /// Sends the whole value of a node of the graph on stage. Answers with `Inspected`.
    Inspect { id: u32, node: u32 },
    /// Sends where the tensors of the variables and of the graph on stage lie. Answers with `Memory`.
    #[cfg(any(test, feature = "python"))]
    Memory { id: u32 },
    /// Tells what variables there are. Answers with `Variables`.
    #[cfg(any(test, feature = "python"))]
    Variables { id: u32 },
    /// Tells what the last cell had the engine compute. Answers with `Kernels`.
    #[cfg(any(test, feature = "python"))]
    Kernels { id: u32 },
    /// The same, with times that mean something: what was too short for the clock is run again, on scratch
    /// memory. Answers with `Kernels`.
    #[cfg(any(test, feature = "python"))]
    TimeKernels { id: u32 },
    /// Fuses elementwise ops into one kernel, or runs each alone, from the next cell on.
    #[cfg(any(test, feature = "python"))]
    SetFusion { id: u32, on: bool },
    /// Puts a step of the last run on stage, counted from 1, where it is kept: see `RunSteps`. Answers with `Graph`.
    #[cfg(any(test, feature = "python"))]
    OpenStep { id: u32, step: u32 },
    /// Sends a node of the graph on stage as it was in the kept steps of the last run. Answers with `NodeSteps`.
    #[cfg(any(test, feature = "python"))]
    NodeSteps { id: u32, node: u32 },
    /// Follows these nodes of the graph on stage through every step from now on, instead of those
    /// before; none lets all go. Their norms come as `ProbePoints`.
    #[cfg(any(test, feature = "python"))]
    Pin { id: u32, nodes: Vec<u32> },
    /// Lays graphs out so, from the next one on: see `Flow`.
    SetFlow { id: u32, down: bool, row: f32 },
    /// Computes on another device, by its name, from the next cell on. Answers with `Devices`.
    #[cfg(any(test, feature = "python"))]
    SetDevice { id: u32, device: String },
    /// Puts files below the folder in which Python starts; those that are there are replaced.
    #[cfg(any(test, feature = "python"))]
    PutFiles { id: u32, files: Vec<FileContent> },
    /// Removes a file below the folder in which Python starts.
    #[cfg(any(test, feature = "python"))]
    RemoveFile { id: u32, path: String },
    /// Forgets every variable and starts the interpreter and the engine anew.
    Reset { id: u32 },
    /// Stops the running command. The transport hands it over while the command runs.
    Stop,
}

/// What a session answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum Event {
    /// Sent once, before anything else.
    Ready {
        /// Whether this build has Python.
        python: bool,
        /// What computes, such as `cpu (wasm simd128)`.
        device: String,
    },
    /// What can compute here, and what does: sent after `Ready`, and after a change.
    Devices {
        devices: Vec<DeviceInfo>,
        /// The name of the one that computes.
        current: String,
    },
    /// Text printed by the learner's code, as it is printed.
    #[cfg(any(test, feature = "python"))]
    Stdout { id: u32, text: String },
    /// Text that a script writes to its stream for errors. A cell's is in `Stdout`.
    #[cfg(any(test, feature = "python"))]
    Stderr { id: u32, text: String },
    /// A sentence for the learner that is no print of theirs: what became of a device.
    Notice { id: u32, text: String },
    /// What happened to the files below the folder in which Python starts, since it was told last.
    #[cfg(any(test, feature = "python"))]
    Files {
        id: u32,
        written: Vec<FileContent>,
        removed: Vec<String>,
    },
    /// One point of a live plot (`lab.plot(loss=…)`). `x` counts from 0 for each series of a run.
    #[cfg(any(test, feature = "python"))]
    Metric {
        id: u32,
        series: String,
        x: f64,
        y: f64,
    },
    /// A tensor to draw (`lab.histogram`, `lab.image`, `lab.heatmap`).
    #[cfg(any(test, feature = "python"))]
    Figure { id: u32, figure: Figure },
    /// What Matplotlib's names drew.
    #[cfg(any(test, feature = "python"))]
    Chart { id: u32, chart: Chart },
    /// The learner asks to see a tensor in an instrument (`lab.bytes(x)`): comes after the cell's
    /// `Graph`, at most once a command.
    #[cfg(any(test, feature = "python"))]
    Look {
        id: u32,
        instrument: Instrument,
        /// The variable that holds it.
        name: Option<String>,
        /// The node of the graph on stage, where it is there.
        node: Option<u32>,
    },
    /// How far something that takes long has come; it is over when all is done.
    #[cfg(any(test, feature = "python"))]
    Progress {
        id: u32,
        label: String,
        done: f64,
        total: f64,
    },
    /// The graph to put on stage.
    Graph { id: u32, graph: StageGraph },
    /// What the steps of the running command came to, in order; a step that comes again has new numbers. A command of
    /// a single step sends none.
    #[cfg(any(test, feature = "python"))]
    StepPoints { id: u32, points: Vec<StepPoint> },
    /// Which steps of the command can be opened; comes before `Graph`, where it had several.
    #[cfg(any(test, feature = "python"))]
    RunSteps { id: u32, run: RunSteps },
    /// The answer to `NodeSteps`, in the order of the steps.
    #[cfg(any(test, feature = "python"))]
    NodeSteps {
        id: u32,
        node: u32,
        points: Vec<NodePoint>,
    },
    /// Norms of pinned nodes in steps of the running command, oldest first.
    #[cfg(any(test, feature = "python"))]
    ProbePoints { id: u32, points: Vec<ProbePoint> },
    /// The answer to `Inspect`.
    Inspected {
        id: u32,
        node: u32,
        preview: Preview,
    },
    /// The answer to `Memory`.
    #[cfg(any(test, feature = "python"))]
    Memory { id: u32, memory: MemoryMap },
    /// The answer to `Variables`.
    #[cfg(any(test, feature = "python"))]
    Variables { id: u32, list: Vec<Variable> },
    /// The answer to `Evaluate`: what `print` would show.
    Evaluated { id: u32, text: String },
    /// The answer to `Check`.
    #[cfg(any(test, feature = "python"))]
    Checked { id: u32, report: CheckReport },
    /// The answer to `Call`: the returned tensor (or number), flat.
    #[cfg(any(test, feature = "python"))]
    Called {
        id: u32,
        values: Vec<f64>,
        shape: Vec<usize>,
    },
    /// The answer to `Kernels`.
    #[cfg(any(test, feature = "python"))]
    Kernels { id: u32, list: KernelList },
    /// The command failed, or the learner's code raised.
    Error { id: u32, error: ErrorInfo },
    /// The command has ended.
    Done {
        id: u32,
        ok: bool,
        /// Wall-clock time of the command, in milliseconds.
        millis: f64,
        memory: MemoryCounters,
    },
}

/// A view beside the text of a lesson: each shows what a cell did in its own way.
#[cfg(any(test, feature = "python"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum Instrument {
    Graph,
    Memory,
    Kernels,
    Plot,
}

#[cfg(feature = "python")]
impl Instrument {
    /// By the name that `lab.py` has for it.
    pub(crate) fn named(name: &str) -> Option<Instrument> {
        let name: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
        Instrument::deserialize(name).ok()
    }
}

/// A variable of the learner's, for the editor.
#[cfg(any(test, feature = "python"))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
pub struct Variable {
    pub name: String,
    /// The class whose members it has: `Tensor`, `Module`, `Optimizer`; empty for any other.
    pub class: String,
    /// What it is, such as `Tensor [2, 3] float32`.
    pub words: String,
}

/// Something that can compute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct DeviceInfo {
    /// What `SetDevice` calls it: `cpu`, `wgpu`, `cuda`.
    pub name: String,
    /// What it is, such as `cpu (avx2)`.
    pub label: String,
    /// What to know before choosing it, such as `a program on the processor: slower than cpu`.
    pub note: Option<String>,
}

/// A pinned node in one step.
#[cfg(any(test, feature = "python"))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ProbePoint {
    /// Its place in `Pin::nodes`.
    pub pin: u32,
    /// Which step, as in `StageGraph::step`.
    pub step: u32,
    /// Norm of its value.
    pub value: f64,
    /// Norm of its gradient; none where none came.
    pub gradient: Option<f64>,
}

/// Bytes held by the engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct MemoryCounters {
    pub live_bytes: f64,
    pub peak_bytes: f64,
}

/// An exception as the learner sees it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ErrorInfo {
    /// The exception's class, such as `RuntimeError` or `SyntaxError`.
    pub kind: String,
    pub message: String,
    /// The whole traceback as Python prints it.
    pub traceback: String,
    /// The cell whose line is at fault, and that line, counted from 1.
    pub cell: Option<String>,
    pub line: Option<u32>,
    /// The code that `sys.exit(…)` asked for. A page has no process to end, so it is not sent.
    #[serde(skip)]
    pub exit_code: Option<i32>,
}

/// What an exercise's checks found.
#[cfg(any(test, feature = "python"))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    pub exercise: String,
    pub passed: bool,
    pub checks: Vec<CheckOutcome>,
}

/// One check: its sentence and, where it failed, the smallest counter-example.
#[cfg(any(test, feature = "python"))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct CheckOutcome {
    /// What must hold, as a sentence.
    pub name: String,
    pub passed: bool,
    /// What came, what was expected. Empty when passed.
    pub message: String,
    pub line: Option<u32>,
}

/// A recorded step: the graph, what happened on it, and the numbers.
///
/// A picture is a pure function of this and a time `t` in `0..=events.len()`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct StageGraph {
    /// Which step of the session this is, counted from 1; a training loop's last is shown.
    pub step: u32,
    /// Sources before users.
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
    pub events: Vec<TraceEvent>,
    /// Values of nodes and of gradients, by id.
    pub previews: Vec<Preview>,
    /// How many nodes are not here because the graph is larger than can be shown: the oldest.
    #[serde(default)]
    pub dropped: u32,
    /// Why the last node has no value, where it is one that failed.
    #[cfg(any(test, feature = "python"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub failure: Option<String>,
    /// Where its numbers first went wrong; none where all are finite.
    #[cfg(any(test, feature = "python"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub non_finite: Option<NonFinite>,
    /// How it is laid out.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<Flow>"))]
    pub flow: Flow,
    /// Size of the laid-out graph, in the units of `GraphNode::x`; 0 where it is so large that
    /// the view that draws it places what it draws.
    pub width: f32,
    pub height: f32,
}

/// What a node is, which decides its shape and colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum NodeKind {
    /// Data that wants no gradient.
    Input,
    /// A leaf that wants a gradient.
    Parameter,
    /// A call that the learner wrote.
    Op,
    /// The tensor on which `backward()` was called.
    Loss,
    /// A call that was refused: the last node, whose `formula` is the shapes that came, and whose `name` is the
    /// module that it was made in. It has no value.
    #[cfg(any(test, feature = "python"))]
    Failed,
}

/// A call the learner wrote, or a leaf.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct GraphNode {
    pub id: u32,
    pub kind: NodeKind,
    /// The op's name as in PyTorch: `add`, `matmul`, `tanh`; `leaf` for a leaf.
    pub op: String,
    /// What is written on the node: `+`, `@`, `tanh`.
    pub symbol: String,
    /// The variable or parameter that holds it: `x`, `model.0.weight`.
    pub name: Option<String>,
    /// `<AddBackward0>`, as PyTorch prints it; none for a leaf or outside the tape.
    pub grad_fn: Option<String>,
    /// The nodes it reads, in operand order.
    pub src: Vec<u32>,
    pub shape: Vec<usize>,
    /// `float32`, `int64`, …
    pub dtype: String,
    pub requires_grad: bool,
    pub cell: Option<String>,
    /// Line of the cell that made it, counted from 1.
    pub line: Option<u32>,
    /// The module it was made in: `model.0`.
    pub scope: Option<String>,
    /// The forward formula, such as `y = tanh(x)`.
    pub formula: String,
    /// The local rule for each operand, with `{gy}`, `{y}`, `{a}`, `{b}`, `{c}` where values go
    /// (`a`, `b`, `c` are the operands in order): `{gy} · (1 − {y}²)`. Empty for a leaf.
    pub rules: Vec<String>,
    /// Whether the rule holds element by element, so that it can be shown with one element's
    /// numbers; otherwise with whole tensors.
    pub elementwise: bool,
    /// What the node keeps for its gradient: values by id (see `StageGraph::previews`).
    pub saved: Vec<Saved>,
    /// Centre of the node. See `StageGraph::flow`.
    pub x: f32,
    pub y: f32,
}

/// A value kept for the gradient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Saved {
    /// `y`, `a`, `b` as in the rules.
    pub name: String,
    pub value: u32,
}

/// `to` reads `from` as its operand number `operand`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct GraphEdge {
    pub from: u32,
    pub to: u32,
    pub operand: u32,
    /// Way points between the two nodes, left to right, ends excluded; often none.
    pub points: Vec<[f32; 2]>,
}

/// One thing that happened. Structure and bytes only; numbers are in the previews.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum TraceEvent {
    /// A line of the learner's made this node (forward).
    Made { node: u32 },
    /// `backward()` begins at this node with this gradient (a value id).
    Backward { root: u32, gradient: u32 },
    /// The node's local rule ran: `gradient` came in, `grads[i]` goes to `src[i]`; none where the
    /// operand wants no gradient.
    Vjp {
        node: u32,
        gradient: u32,
        grads: Vec<Option<u32>>,
    },
    /// A gradient arrived at a node that had one already: `sum = before + added`.
    Accumulate { node: u32, added: u32, sum: u32 },
    /// A leaf's `.grad` is filled; `accumulated` when it held a gradient from an earlier
    /// `backward()`.
    Grad {
        node: u32,
        gradient: u32,
        accumulated: bool,
    },
    /// `backward()` has ended.
    BackwardEnd { root: u32 },
    /// A leaf was written in place (an optimiser's step).
    Write { node: u32, value: u32 },
}

/// A value, or the part of it that is worth sending.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// A node's id, or a gradient's.
    pub id: u32,
    pub shape: Vec<usize>,
    pub dtype: String,
    /// Euclidean norm.
    pub norm: f64,
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    /// How many elements norm, extremes and mean are of: all, but of a large value the first 4,194,304.
    pub read: usize,
    /// How many of those are NaN or infinite.
    pub non_finite: u32,
    /// The first elements in row-major order: at most 64, fewer in a graph of many values, or all
    /// of them for `Inspected` (up to 65,536).
    pub values: Vec<f64>,
}
