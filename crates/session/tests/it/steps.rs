//! The steps of a run: which are kept, that a kept one shows what it showed, and that it can be had again.
#![cfg(feature = "python")]

use glowgrad_session::protocol::{
    Command, ErrorInfo, Event, KeptReason, NodePoint, Preview, RunSteps, StageGraph, StepPoint,
    TraceEvent,
};

use crate::record::Sitting;

/// What a command gave.
#[derive(Default)]
struct Told {
    graph: Option<StageGraph>,
    points: Vec<StepPoint>,
    run: Option<RunSteps>,
    nodes: Vec<NodePoint>,
    inspected: Option<Preview>,
    error: Option<ErrorInfo>,
}

impl Told {
    fn of(events: Vec<Event>) -> Told {
        let mut told = Told::default();
        for event in events {
            match event {
                Event::Graph { graph, .. } => told.graph = Some(graph),
                Event::StepPoints { points, .. } => told.points.extend(points),
                Event::RunSteps { run, .. } => told.run = Some(run),
                Event::NodeSteps { points, .. } => told.nodes = points,
                Event::Inspected { preview, .. } => told.inspected = Some(preview),
                Event::Error { error, .. } => told.error = Some(error),
                _ => {}
            }
        }
        told
    }

    fn graph(&self) -> &StageGraph {
        self.graph.as_ref().expect("a graph")
    }

    fn run(&self) -> &RunSteps {
        self.run.as_ref().expect("a run")
    }

    fn kept(&self) -> Vec<u32> {
        self.run().kept.iter().map(|kept| kept.step).collect()
    }
}

/// A session whose cells are all of the one name.
struct Lab(Sitting);

impl Lab {
    fn new() -> Lab {
        Lab(Sitting::new())
    }

    fn cell(&mut self, source: &str, until: Option<u32>) -> Told {
        let (cell, source) = ("cell-1".to_owned(), source.to_owned());
        let run = |id| Command::RunCell {
            id,
            cell,
            source,
            until,
        };
        Told::of(self.0.ask(run))
    }

    fn run(&mut self, source: &str) -> Told {
        let told = self.cell(source, None);
        assert!(told.error.is_none(), "{:?}", told.error);
        told
    }

    fn open(&mut self, step: u32) -> Told {
        Told::of(self.0.ask(|id| Command::OpenStep { id, step }))
    }

    /// The elements of a tensor, as Python prints them.
    fn numbers(&mut self, tensor: &str) -> Vec<f64> {
        let printed = self.0.run(&format!("print(*{tensor}.flatten().tolist())"));
        let numbers = printed.printed.split_whitespace();
        numbers.map(|x| x.parse().expect("a number")).collect()
    }

    fn through(&mut self, node: u32) -> Vec<NodePoint> {
        Told::of(self.0.ask(|id| Command::NodeSteps { id, node })).nodes
    }
}

/// The numbers of the value of a picture's node, by its variable's name.
fn values(graph: &StageGraph, name: &str) -> Vec<f64> {
    numbers(graph, node(graph, name))
}

/// The numbers of its gradient.
fn gradients(graph: &StageGraph, name: &str) -> Vec<f64> {
    let wanted = node(graph, name);
    let gradient = graph.events.iter().find_map(|event| match *event {
        TraceEvent::Grad { node, gradient, .. } if node == wanted => Some(gradient),
        _ => None,
    });
    numbers(graph, gradient.expect("a gradient"))
}

fn numbers(graph: &StageGraph, id: u32) -> Vec<f64> {
    let of_id = |preview: &&Preview| preview.id == id;
    let preview = graph.previews.iter().find(of_id).expect("a value");
    preview.values.clone()
}

fn same(shown: &[f64], printed: &[f64]) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-4;
    assert!(
        shown.len() == printed.len() && shown.iter().zip(printed).all(near),
        "{shown:?} {printed:?}"
    );
}

fn node(graph: &StageGraph, name: &str) -> u32 {
    let node = graph
        .nodes
        .iter()
        .find(|node| node.name.as_deref() == Some(name));
    node.unwrap_or_else(|| panic!("no {name} among {:?}", names(graph)))
        .id
}

fn names(graph: &StageGraph) -> Vec<Option<String>> {
    graph.nodes.iter().map(|node| node.name.clone()).collect()
}

/// A small network that learns; at every step `loss`, the weight and its gradient go into lists.
const MODEL: &str = "import glowgrad as torch
import glowgrad.nn as nn
from glowgrad import lab
torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randn(16, 1)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
losses, weights, gradients = [], [], []
";
const STEP: &str = "    optimizer.zero_grad()
    hidden = model(x)
    loss = ((hidden - y) ** 2).mean()
    loss.backward()
    optimizer.step()
";

fn training(n: usize) -> String {
    format!(
        "{MODEL}for i in range({n}):\n    weights.append(model[0].weight.detach().clone())\n{STEP}    losses.append(loss.item())\n    gradients.append(model[0].weight.grad.clone())\n"
    )
}

#[test]
fn a_kept_step_shows_the_values_gradients_and_weights_that_it_had() {
    let mut lab = Lab::new();
    let told = lab.run(&training(40));
    assert_eq!(told.run().steps, 40);
    assert_eq!(told.kept(), (1..=40).collect::<Vec<u32>>(), "all have room");
    let steps: Vec<u32> = told.points.iter().map(|point| point.step).collect();
    assert_eq!(steps, (1..=40).collect::<Vec<u32>>());
    let last = told.graph().clone();
    for step in [1, 7, 23, 39, 40] {
        let opened = lab.open(step);
        let graph = opened.graph();
        let point = told.points[step as usize - 1];
        assert_eq!(values(graph, "loss"), [point.loss.expect("a loss")]);
        let weight = lab.numbers(&format!("weights[{}]", step - 1));
        let gradient = lab.numbers(&format!("gradients[{}]", step - 1));
        let opened = lab.open(step);
        let graph = opened.graph();
        same(&values(graph, "model.0.weight"), &weight);
        same(&gradients(graph, "model.0.weight"), &gradient);
        // The same picture, with other numbers.
        assert_eq!(names(graph), names(&last));
        let places = |graph: &StageGraph| -> Vec<(f32, f32)> {
            graph.nodes.iter().map(|node| (node.x, node.y)).collect()
        };
        assert_eq!(places(graph), places(&last));
        assert_eq!(graph.events.len(), last.events.len());
        assert_eq!(
            graph.previews.len(),
            last.previews.len(),
            "every value is there"
        );
    }
}

#[test]
fn the_norm_of_a_step_is_that_of_all_gradients() {
    let mut lab = Lab::new();
    let told = lab.run(&training(3));
    let outcome = lab
        .0
        .run("print(sum(float((p.grad ** 2).sum()) for p in model.parameters()) ** 0.5)");
    let printed: f64 = outcome.printed.trim().parse().expect("a number");
    let norm = told.points[2].gradient.expect("a norm");
    assert!((norm - printed).abs() < 1e-5 * printed, "{norm} {printed}");
}

#[test]
fn long_runs_keep_spaced_steps_within_their_budget() {
    let mut lab = Lab::new();
    let told = lab.run(&training(1000));
    let run = told.run();
    assert_eq!((run.steps, told.points.len()), (1000, 1000));
    let kept = told.kept();
    assert_eq!((kept.first(), kept.last()), (Some(&1), Some(&1000)));
    let spaced = run
        .kept
        .iter()
        .filter(|kept| kept.reason == KeptReason::Spaced);
    assert!(spaced.clone().count() >= 32, "{kept:?}");
    assert!(spaced.clone().all(|kept| (kept.step - 1) % run.every == 0));
    assert!(run.bytes <= run.budget && run.bytes > 0.0);
    // A step that is not kept says so.
    let missing = (1..1000)
        .find(|step| !kept.contains(step))
        .expect("one is not kept");
    let error = lab.open(missing).error.expect("an error");
    assert!(
        error
            .message
            .contains(&format!("step {missing} of 1000 is not kept")),
        "{}",
        error.message
    );

    // Steps of some MiB each: fewer are kept, and memory stays within the budget.
    let mut lab = Lab::new();
    let told = lab.run(
        "import glowgrad as torch
w = torch.rand(2**18, requires_grad=True)
for i in range(300):
    w.grad = None
    (w * torch.rand(2**18)).tanh().sum().backward()
    with torch.no_grad():
        w -= 0.01 * w.grad",
    );
    let run = told.run();
    assert!(run.bytes <= run.budget, "{run:?}");
    assert!((4..64).contains(&run.kept.len()), "{run:?}");
}

#[test]
fn a_last_step_whose_place_a_forward_pass_has_taken_is_kept() {
    let mut lab = Lab::new();
    let forward = "held_out = ((model(x) - y) ** 2).mean()\nheld_out.item()\n";
    let told = lab.run(&format!("{}{forward}", training(1000)));
    let kept = told.kept();
    assert_eq!(kept.last(), Some(&1000), "{kept:?}");
    // What is listed can be opened, and no step besides.
    for &step in kept.iter().rev().take(3) {
        let opened = lab.open(step);
        assert!(opened.error.is_none(), "{step}: {:?}", opened.error);
    }
    let error = lab.open(999).error.expect("an error");
    assert!(error.message.contains("is not kept"), "{}", error.message);
}

#[test]
fn steps_where_the_loss_jumps_are_kept() {
    check_jumps("(w * (50.0 if i == 1234 else 1.0)).sum()", 50.0);
}

#[test]
fn steps_where_the_gradient_alone_jumps_are_kept() {
    // The loss is w at every step, to the bit.
    check_jumps(
        "(w.detach() + (50.0 if i == 1234 else 1.0) * (w - w.detach())).sum()",
        1.0,
    );
}

fn check_jumps(loss: &str, shown: f64) {
    let mut lab = Lab::new();
    let told = lab.run(&format!(
        "import glowgrad as torch
w = torch.tensor([1.0], requires_grad=True)
for i in range(1, 1501):
    w.grad = None
    loss = {loss}
    loss.backward()"
    ));
    let jumps: Vec<u32> = told
        .run()
        .kept
        .iter()
        .filter(|kept| kept.reason == KeptReason::Jump)
        .map(|kept| kept.step)
        .collect();
    assert!(jumps.contains(&1234), "{jumps:?}");
    assert_eq!(values(lab.open(1234).graph(), "loss"), [shown]);
}

#[test]
fn a_step_that_is_not_kept_is_computed_again_exactly() {
    let source = training(1000);
    let mut lab = Lab::new();
    let told = lab.run(&source);
    let missing = (500..1000)
        .find(|step| !told.kept().contains(step))
        .expect("one is not kept");
    let mut again = Lab::new();
    let stopped = again.cell(&source, Some(missing));
    assert_eq!(
        stopped.error.as_ref().map(|error| error.kind.as_str()),
        Some("KeyboardInterrupt")
    );
    // To the bit: the same losses and gradients up to that step, and nothing after it.
    assert_eq!(stopped.points.len(), missing as usize);
    let other = stopped
        .points
        .iter()
        .zip(&told.points)
        .find(|(again, before)| again != before);
    assert_eq!(other, None);
    let loss = told.points[missing as usize - 1].loss.expect("a loss");
    assert_eq!(values(stopped.graph(), "loss"), [loss]);
}

#[test]
fn calls_here_and_there_are_no_run_and_a_loop_with_two_calls_is_one() {
    let mut lab = Lab::new();
    lab.run(&training(2));
    let apart = lab.run("w = torch.ones(2, requires_grad=True)\nw.sum().backward()\n(w * w).sum().backward()\nw.exp().sum().backward()");
    assert!(apart.run.is_none() && apart.points.is_empty());
    let both = lab.run("for _ in range(3):\n    w.sum().backward()\n    (w * w).sum().backward()");
    assert_eq!((both.run().steps, both.points.len()), (6, 6));
    let inside = lab.run("def walk(y):\n    y.sum().backward()\n\nwalk(w)\nwalk(w * w)");
    assert_eq!(inside.run().steps, 2);
}

#[test]
fn a_run_stays_until_the_next_one_and_a_reset() {
    let mut lab = Lab::new();
    let told = lab.run(&training(10));
    // Cells without steps, and with one alone, are no runs.
    assert!(lab.run("print(loss.item())").run.is_none());
    let one = lab.run("((model(x) - y) ** 2).mean().backward()");
    assert!(one.run.is_none() && one.points.is_empty());
    let loss = |at: usize| [told.points[at].loss.expect("a loss")];
    assert_eq!(
        values(lab.open(10).graph(), "loss"),
        loss(9),
        "the last one is kept too"
    );
    assert_eq!(values(lab.open(4).graph(), "loss"), loss(3));
    let next = lab.run(&format!("for i in range(5):\n{STEP}"));
    assert_eq!(next.run().steps, 5);
    assert!(lab.open(7).error.is_some());
    let told = Told::of(lab.0.ask(|id| Command::Reset { id }));
    assert!(told.error.is_none());
    assert!(lab.open(1).error.is_some());
}

#[test]
fn a_node_is_followed_through_the_steps() {
    let mut lab = Lab::new();
    let told = lab.run(&training(20));
    let opened = lab.open(12);
    let loss = node(opened.graph(), "loss");
    let points = lab.through(loss);
    let norms: Vec<Option<f64>> = points.iter().map(|point| point.value).collect();
    let losses: Vec<Option<f64>> = told.points.iter().map(|point| point.loss).collect();
    assert_eq!(norms, losses);
    let weight = node(opened.graph(), "model.0.weight");
    let points = lab.through(weight);
    assert_eq!(points.len(), 20);
    assert!(
        points
            .iter()
            .all(|point| point.value.is_some() && point.gradient.is_some())
    );
    assert!(points.windows(2).all(|pair| pair[0].value != pair[1].value));
    assert!(lab.through(100_000).is_empty());
}

#[test]
fn whole_values_of_an_opened_step_are_those_of_the_step() {
    let mut lab = Lab::new();
    lab.run(&training(6));
    let opened = lab.open(2);
    let hidden = node(opened.graph(), "hidden");
    let shown = values(opened.graph(), "hidden");
    let told = Told::of(lab.0.ask(|id| Command::Inspect { id, node: hidden }));
    assert_eq!(told.inspected.expect("a value").values, shown);
    // Twice is the same as once: the picture took nothing away.
    assert_eq!(lab.open(2).graph, opened.graph);
    let _ = lab.open(5);
    assert_eq!(lab.open(2).graph, opened.graph);
}

#[test]
fn the_batch_of_a_step_is_part_of_it() {
    let mut lab = Lab::new();
    let told = lab.run(&format!(
        "{MODEL}for i in range(400):
    batch = torch.randint(16, (4,))
    optimizer.zero_grad()
    loss = ((model(x[batch]) - y[batch]) ** 2).mean()
    loss.backward()
    optimizer.step()
"
    ));
    let last = told.graph().clone();
    // Both are taken from data that is on stage, though the first was made before the network was called.
    let taken = last.nodes.iter().filter(|node| node.op == "index");
    assert_eq!(taken.count(), 2, "{:?}", names(&last));
    assert!(names(&last).contains(&Some("x".to_owned())));
    for step in told.kept() {
        let opened = lab.open(step);
        assert_eq!(names(opened.graph()), names(&last), "step {step}");
        assert_eq!(
            opened.graph().events.len(),
            last.events.len(),
            "step {step}"
        );
    }
}

#[test]
fn what_follows_a_step_is_not_drawn_with_the_next_forward_pass() {
    let mut lab = Lab::new();
    let told = lab.run(
        "import glowgrad as torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(3):
    loss = (w * w).sum()
    if i == 2:
        break
    loss.backward()
    with torch.no_grad():
        update = 0.1 * w.grad
        w -= update
",
    );
    let ops: Vec<&str> = told
        .graph()
        .nodes
        .iter()
        .map(|node| node.op.as_str())
        .collect();
    assert_eq!(ops, ["leaf", "mul", "sum"]);
}

#[test]
fn training_that_runs_by_itself_takes_part() {
    let source = |n: usize| {
        let step: String = STEP.lines().map(|line| format!("{line}\n")).collect();
        format!("{MODEL}def step():\n{step}    return loss\n\nlosses = lab.train(step, {n})\n")
    };
    let mut lab = Lab::new();
    let told = lab.run(&source(1000));
    let run = told.run();
    assert_eq!((run.steps, told.points.len()), (1000, 1000));
    let kept = told.kept();
    assert!(kept.len() >= 8 && kept.len() < 40, "{kept:?}");
    assert_eq!((kept.first(), kept.last()), (Some(&1), Some(&1000)));
    // What is seen changes nothing: a loop has the same losses, to the bit.
    let mut looped = Lab::new();
    let looped = looped.run(&training(1000));
    let losses =
        |told: &Told| -> Vec<Option<f64>> { told.points.iter().map(|point| point.loss).collect() };
    let (by_itself, in_a_loop) = (losses(&told), losses(&looped));
    let other = by_itself.iter().zip(&in_a_loop).find(|(a, b)| a != b);
    assert_eq!((by_itself.len(), other), (in_a_loop.len(), None));
    let middle = kept[kept.len() / 2];
    let opened = lab.open(middle);
    let root = opened.graph().nodes.last().expect("a node").id;
    let preview = opened
        .graph()
        .previews
        .iter()
        .find(|preview| preview.id == root);
    assert_eq!(
        preview.expect("a value").values,
        [told.points[middle as usize - 1].loss.expect("a loss")]
    );
    // And one that ran by itself is had again.
    let missing = (600..1000)
        .find(|step| !kept.contains(step))
        .expect("one is not kept");
    let mut again = Lab::new();
    let stopped = again.cell(&source(1000), Some(missing));
    assert_eq!(
        stopped.points.last().and_then(|point| point.loss),
        told.points[missing as usize - 1].loss
    );
    assert_eq!(stopped.points.len(), missing as usize);
}
