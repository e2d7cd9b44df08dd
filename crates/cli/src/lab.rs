//! A session as the terminal talks to it: one question, its events, one answer.
//!
//! [`Lab`] is the transport, [`Talk`] the conversation. Only `engine` knows what computes; tests
//! put a scripted lab in its place.

use anyhow::Result;
use glowgrad_session::protocol::{CheckReport, Command, ErrorInfo, Event, FileContent, StageGraph};

/// Something that takes commands and yields events.
pub(crate) trait Lab {
    /// Hands a command over.
    fn send(&mut self, command: Command) -> Result<()>;
    /// Waits for the next event.
    fn next(&mut self) -> Result<Event>;
}

/// Makes a lab with nothing in it yet.
pub(crate) type NewLab<'a> = &'a dyn Fn() -> Result<Box<dyn Lab>>;

/// How a command ended.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) ok: bool,
    pub(crate) millis: f64,
    pub(crate) error: Option<ErrorInfo>,
    /// The graph to put on stage, if it made one.
    pub(crate) graph: Option<StageGraph>,
    pub(crate) report: Option<CheckReport>,
    /// What an expression gave, as it is printed.
    pub(crate) text: Option<String>,
}

impl Answer {
    /// Whether the learner stopped it.
    pub(crate) fn was_stopped(&self) -> bool {
        matches!(&self.error, Some(error) if error.kind == "KeyboardInterrupt")
    }

    /// Where and why it failed, in one line.
    pub(crate) fn failure(&self) -> Option<String> {
        let error = self.error.as_ref()?;
        let place = match (&error.cell, error.line) {
            (Some(cell), Some(line)) => format!("{cell}:{line}: "),
            (Some(cell), None) => format!("{cell}: "),
            _ => String::new(),
        };
        let message = error.message.lines().next().unwrap_or("");
        let colon = if message.is_empty() { "" } else { ": " };
        Some(format!("{place}{}{colon}{message}", error.kind))
    }
}

/// A conversation with a lab.
pub(crate) struct Talk {
    lab: Box<dyn Lab>,
    last_id: u32,
}

impl Talk {
    pub(crate) fn new(lab: Box<dyn Lab>) -> Self {
        Self { lab, last_id: 0 }
    }

    /// Runs a cell.
    pub(crate) fn run(
        &mut self,
        cell: &str,
        source: &str,
        seen: &mut dyn FnMut(&Event) -> Result<()>,
    ) -> Result<Answer> {
        let (cell, source) = (cell.to_string(), source.to_string());
        self.ask(
            |id| Command::RunCell {
                id,
                cell,
                source,
                until: None,
            },
            seen,
        )
    }

    /// Runs an exercise's checks on an answer to it.
    pub(crate) fn check(
        &mut self,
        exercise: &str,
        source: &str,
        checks: &str,
        seen: &mut dyn FnMut(&Event) -> Result<()>,
    ) -> Result<Answer> {
        let make = |id| Command::Check {
            id,
            exercise: exercise.to_string(),
            source: source.to_string(),
            checks: checks.to_string(),
        };
        self.ask(make, seen)
    }

    /// Evaluates an expression with the variables as they are.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Result<Answer> {
        let expression = expression.to_string();
        self.ask(|id| Command::Evaluate { id, expression }, &mut |_| Ok(()))
    }

    /// Puts a text into the session's files.
    pub(crate) fn put_file(&mut self, path: &str, text: &str) -> Result<Answer> {
        let file = FileContent {
            path: path.to_string(),
            bytes: text.as_bytes().to_vec(),
        };
        let files = vec![file];
        self.ask(|id| Command::PutFiles { id, files }, &mut |_| Ok(()))
    }

    /// Asks where the tensors lie.
    pub(crate) fn memory(&mut self, seen: &mut dyn FnMut(&Event) -> Result<()>) -> Result<Answer> {
        self.ask(|id| Command::Memory { id }, seen)
    }

    /// Asks what the last cell had the engine compute.
    pub(crate) fn kernels(&mut self, seen: &mut dyn FnMut(&Event) -> Result<()>) -> Result<Answer> {
        self.ask(|id| Command::Kernels { id }, seen)
    }

    /// Sends a command and waits until it has ended; `seen` gets every event on the way.
    fn ask(
        &mut self,
        make: impl FnOnce(u32) -> Command,
        seen: &mut dyn FnMut(&Event) -> Result<()>,
    ) -> Result<Answer> {
        self.last_id += 1;
        let asked = self.last_id;
        self.lab.send(make(asked))?;
        let mut answer = Answer::default();
        loop {
            let event = self.lab.next()?;
            if id_of(&event) != Some(asked) {
                continue;
            }
            seen(&event)?;
            match event {
                Event::Graph { graph, .. } => answer.graph = Some(graph),
                Event::Checked { report, .. } => answer.report = Some(report),
                Event::Evaluated { text, .. } => answer.text = Some(text),
                Event::Error { error, .. } => answer.error = Some(error),
                Event::Done { ok, millis, .. } => {
                    answer.ok = ok;
                    answer.millis = millis;
                    return Ok(answer);
                }
                _ => {}
            }
        }
    }
}

fn id_of(event: &Event) -> Option<u32> {
    match event {
        Event::Ready { .. } | Event::Devices { .. } => None,
        Event::Stdout { id, .. }
        | Event::Stderr { id, .. }
        | Event::Notice { id, .. }
        | Event::Files { id, .. }
        | Event::Metric { id, .. }
        | Event::Figure { id, .. }
        | Event::Chart { id, .. }
        | Event::Look { id, .. }
        | Event::Progress { id, .. }
        | Event::Graph { id, .. }
        | Event::StepPoints { id, .. }
        | Event::RunSteps { id, .. }
        | Event::NodeSteps { id, .. }
        | Event::ProbePoints { id, .. }
        | Event::Inspected { id, .. }
        | Event::Memory { id, .. }
        | Event::Variables { id, .. }
        | Event::Kernels { id, .. }
        | Event::Checked { id, .. }
        | Event::Evaluated { id, .. }
        | Event::Called { id, .. }
        | Event::Error { id, .. }
        | Event::Done { id, .. } => Some(*id),
    }
}

/// A lab that answers from a script, for tests.
#[cfg(test)]
pub(crate) mod scripted {
    use std::collections::VecDeque;

    use glowgrad_session::protocol::{CheckOutcome, MemoryCounters};

    use super::*;

    /// What happens when a source is run or checked. The id is filled in.
    pub(crate) type Script = fn(&Command) -> Vec<Event>;

    pub(crate) struct ScriptedLab {
        script: Script,
        events: VecDeque<Event>,
    }

    impl ScriptedLab {
        pub(crate) fn boxed(script: Script) -> Box<dyn Lab> {
            let ready = Event::Ready {
                python: true,
                device: "cpu (scripted)".to_string(),
            };
            Box::new(Self {
                script,
                events: VecDeque::from([ready]),
            })
        }
    }

    impl Lab for ScriptedLab {
        fn send(&mut self, command: Command) -> Result<()> {
            self.events.extend((self.script)(&command));
            Ok(())
        }

        fn next(&mut self) -> Result<Event> {
            match self.events.pop_front() {
                Some(event) => Ok(event),
                None => anyhow::bail!("the script has ended"),
            }
        }
    }

    pub(crate) fn done(id: u32, ok: bool) -> Event {
        Event::Done {
            id,
            ok,
            millis: 12.0,
            memory: MemoryCounters::default(),
        }
    }

    /// A graph of one node.
    pub(crate) fn graph(id: u32) -> Event {
        let node = serde_json::json!({
            "id": 0, "kind": "input", "op": "leaf", "symbol": "", "name": "x", "gradFn": null, "src": [],
            "shape": [], "dtype": "float32", "requiresGrad": false, "cell": "cell-1", "line": 1, "scope": null,
            "formula": "", "rules": [], "elementwise": false, "saved": [], "x": 0.0, "y": 0.0,
        });
        let graph = StageGraph {
            nodes: vec![serde_json::from_value(node).unwrap()],
            ..StageGraph::default()
        };
        Event::Graph { id, graph }
    }

    pub(crate) fn error(id: u32, kind: &str, message: &str) -> Event {
        Event::Error {
            id,
            error: ErrorInfo {
                kind: kind.to_string(),
                message: message.to_string(),
                traceback: format!("Traceback (most recent call last):\n{kind}: {message}\n"),
                cell: Some("cell-1".to_string()),
                line: Some(2),
                ..ErrorInfo::default()
            },
        }
    }

    pub(crate) fn checked(id: u32, exercise: &str, passed: bool) -> Event {
        let message = if passed {
            ""
        } else {
            "got       1\nexpected  2"
        };
        let checks = vec![CheckOutcome {
            name: "It is 2.".to_string(),
            passed,
            message: message.to_string(),
            line: None,
        }];
        let exercise = exercise.to_string();
        Event::Checked {
            id,
            report: CheckReport {
                exercise,
                passed,
                checks,
            },
        }
    }
}
