//! The steps of the last run, put on stage again; and a node through all of them.

use glowgrad::node::NodeRef;

use super::probe::{Pin, arrived, nodes_of};
use super::*;
use crate::protocol::NodePoint;
use crate::values::Budget;

impl Session {
    /// Puts the command's last step with a `backward()` on stage, where a forward pass after it has taken its place, and
    /// says whether it did.
    pub(super) fn show_lit(&self, id: u32, context: &Context<'_>) -> bool {
        self.looking(|| {
            let staged = self.steps.with_lit(|step| stage::stage(step, context));
            let Some(staged) = staged.flatten() else {
                return false;
            };
            self.explained.stage(&staged);
            self.steps.name(&staged);
            self.put_kept_on_stage(id, staged);
            true
        })
    }

    /// What is computed for the picture is not kept with the step.
    fn put_kept_on_stage(&self, id: u32, staged: Staged) {
        let absent = staged.values.iter().filter(|node| !node.has_value());
        let absent: Vec<_> = absent.cloned().collect();
        self.put_on_stage(id, staged);
        self.engine.drop_values(&absent);
    }

    /// Puts a step of the last run on stage, where it is kept.
    pub(super) fn open_step(&self, id: u32, step: u32) -> Result<(), ErrorInfo> {
        let Some(python) = &self.python else {
            return Err(self.not_kept(step));
        };
        let names = python.names();
        let cell_name = |cell: u32| python.cell_name(cell);
        self.looking(|| {
            let staged = self.steps.with_step(&self.engine, step, |recorded, run| {
                let context = Context {
                    names: &names,
                    cell_name: &cell_name,
                    since: 0,
                    flow: self.flow.get(),
                    known: Some(&run.names),
                    failed: None,
                };
                stage::stage(recorded, &context)
            });
            let staged = staged.flatten().ok_or_else(|| self.not_kept(step))?;
            self.put_kept_on_stage(id, staged);
            Ok(())
        })
    }

    /// Sends what a node of the graph on stage was in each step that is kept.
    pub(super) fn node_steps(&self, id: u32, node: u32) -> Result<(), ErrorInfo> {
        let staged = |step: &glowgrad::graph::Step| step.staged.get(node as usize).cloned();
        let Some(wanted) = self.engine.with_step(staged) else {
            return Err(lookup(format!(
                "node steps: node {node} is not on stage; run the cell again"
            )));
        };
        let points = self.looking(|| {
            let mut budget = Budget::default();
            let Some(pin) = self.pin_of(&wanted) else {
                return Vec::new();
            };
            let point = |place: u32| {
                self.steps.with_step(&self.engine, place, |step, _| {
                    let nodes = nodes_of(step.made);
                    let node = pin.find(&nodes)?;
                    let gradient = arrived(step.events, node.id)
                        .and_then(|id| step.gradients.iter().find(|each| each.id == id));
                    let mut norm = |node: &NodeRef| {
                        let is_absent = !node.has_value();
                        if !budget.allows(node) {
                            return None;
                        }
                        let shown = preview(&self.engine, 0, node, 0).ok();
                        if is_absent {
                            self.engine.drop_values(std::slice::from_ref(node));
                        }
                        shown.map(|shown| shown.norm)
                    };
                    Some(NodePoint {
                        step: place,
                        value: norm(node),
                        gradient: gradient.and_then(&mut norm),
                    })
                })
            };
            let points = self.steps.places().into_iter().map(point);
            points.flatten().flatten().collect()
        });
        (self.emit)(Event::NodeSteps { id, node, points });
        Ok(())
    }

    /// What a node on stage is in every step: it is one of the step on stage, or of a kept one.
    pub(super) fn pin_of(&self, wanted: &NodeRef) -> Option<Pin> {
        let pin = |made: &[NodeRef]| {
            let nodes = nodes_of(made);
            let is_here = nodes.iter().any(|node| node.id == wanted.id);
            is_here.then(|| Pin::of(wanted, &nodes))
        };
        let current = self.engine.with_step(|step| step.made.clone());
        pin(&current).or_else(|| {
            let mut places = self.steps.places().into_iter();
            places.find_map(|place| {
                let found = self
                    .steps
                    .with_step(&self.engine, place, |step, _| pin(step.made));
                found.flatten()
            })
        })
    }

    fn not_kept(&self, step: u32) -> ErrorInfo {
        lookup(match self.steps.n() {
            0 => "open step: no cell has run more than one step; run one that calls backward() in a loop".to_owned(),
            n => format!("open step: step {step} of {n} is not kept; open another, or have it computed again"),
        })
    }
}

fn lookup(message: String) -> ErrorInfo {
    ErrorInfo {
        kind: "LookupError".to_owned(),
        message,
        ..ErrorInfo::default()
    }
}
