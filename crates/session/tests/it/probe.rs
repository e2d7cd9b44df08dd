//! A loop in one cell sends one graph, and every step's norms of what is pinned.
#![cfg(feature = "python")]

use std::cell::RefCell;
use std::rc::Rc;

use glowgrad_session::protocol::{Command, Event, ProbePoint, StageGraph};
use glowgrad_session::{Platform, Session};

struct Still;

impl Platform for Still {
    fn now_millis(&self) -> f64 {
        0.0
    }
    fn should_stop(&self) -> bool {
        false
    }
    fn sleep(&self, _: f64) {}
}

struct Sitting {
    session: Session,
    events: Rc<RefCell<Vec<Event>>>,
    last: u32,
}

impl Sitting {
    fn new() -> Sitting {
        let events: Rc<RefCell<Vec<Event>>> = Rc::default();
        let seen = events.clone();
        let session = Session::new(Rc::new(Still), Rc::new(move |e| seen.borrow_mut().push(e)));
        Sitting {
            session,
            events,
            last: 0,
        }
    }

    fn ask(&mut self, make: impl FnOnce(u32) -> Command) -> Vec<Event> {
        self.last += 1;
        self.events.borrow_mut().clear();
        self.session.handle(make(self.last));
        self.events.take()
    }

    fn run(&mut self, source: &str) -> (StageGraph, Vec<ProbePoint>) {
        let (cell, source) = ("cell-1".to_owned(), source.to_owned());
        let mut graph = None;
        let mut points = Vec::new();
        for event in self.ask(|id| Command::RunCell {
            id,
            cell,
            source,
            until: None,
        }) {
            match event {
                Event::Graph { graph: sent, .. } => graph = Some(sent),
                Event::ProbePoints { points: sent, .. } => points.extend(sent),
                Event::Error { error, .. } => panic!("{}", error.traceback),
                _ => {}
            }
        }
        (graph.expect("a graph"), points)
    }
}

fn id_of(graph: &StageGraph, name: &str) -> u32 {
    let found = graph
        .nodes
        .iter()
        .find(|node| node.name.as_deref() == Some(name) || node.op == name);
    found.expect("the node is on stage").id
}

const LOOP: &str = "import glowgrad as torch
w = torch.tensor([4.0], requires_grad=True)
for step in range(200):
    loss = (w * w).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.25 * w.grad
    w.grad = None
";

#[test]
fn every_step_of_a_loop_has_its_norms() {
    let mut sitting = Sitting::new();
    let (graph, points) = sitting.run(LOOP);
    assert_eq!(points, [], "nothing is pinned yet");
    let nodes = vec![id_of(&graph, "w"), id_of(&graph, "mul"), 999];
    sitting.ask(|id| Command::Pin { id, nodes });
    let (again, points) = sitting.run(LOOP);
    assert_eq!(
        points.len(),
        400,
        "two nodes in 200 steps; the third is none"
    );
    for (index, pair) in points.chunks(2).take(20).enumerate() {
        let w = 4.0 * 0.5_f64.powi(index as i32);
        let [leaf, product] = pair else { panic!() };
        assert_eq!((leaf.pin, product.pin), (0, 1));
        assert_eq!(leaf.step, product.step);
        assert!((leaf.value - w).abs() < 1e-6 * w, "{leaf:?} at {index}");
        let gradient = leaf.gradient.expect("w has a gradient");
        assert!((gradient - 2.0 * w).abs() < 1e-6 * w, "{leaf:?}");
        assert!((product.value - w * w).abs() < 1e-6 * w * w, "{product:?}");
        assert_eq!(product.gradient, Some(1.0));
    }
    assert_eq!(points.last().map(|point| point.step), Some(again.step));

    sitting.ask(|id| Command::Pin { id, nodes: vec![] });
    assert_eq!(sitting.run(LOOP).1, []);
}
