//! What a session keeps of a run: the structure of a step and a bounded amount of values; and what it does
//! for the picture: nothing that takes long, nothing that fails.
#![cfg(feature = "python")]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use glowgrad::graph::STEP_BYTES;
use glowgrad_session::protocol::{
    Command, Direction, ErrorInfo, Event, Flow, StageGraph, TraceEvent,
};
use glowgrad_session::{Platform, Session};

/// A place where Stop is pressed after it was asked so often whether it was.
#[derive(Default)]
pub(crate) struct Patient {
    asked: Cell<usize>,
    stops_after: Cell<Option<usize>>,
}

impl Platform for Patient {
    fn now_millis(&self) -> f64 {
        0.0
    }
    fn should_stop(&self) -> bool {
        self.asked.set(self.asked.get() + 1);
        self.stops_after.get().is_some_and(|n| self.asked.get() > n)
    }
    fn library(&self) -> Result<&'static str, String> {
        Ok(glowgrad_pylib::TEXT)
    }
    fn sleep(&self, _: f64) {}
}

pub(crate) struct Sitting {
    pub(crate) session: Session,
    place: Rc<Patient>,
    events: Rc<RefCell<Vec<Event>>>,
    last: u32,
}

/// What a cell gave.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) printed: String,
    pub(crate) graph: Option<StageGraph>,
    pub(crate) error: Option<ErrorInfo>,
}

impl Sitting {
    pub(crate) fn new() -> Sitting {
        let (events, place) = (
            Rc::<RefCell<Vec<Event>>>::default(),
            Rc::<Patient>::default(),
        );
        let seen = events.clone();
        let emit = Rc::new(move |event| seen.borrow_mut().push(event));
        Sitting {
            session: Session::new(place.clone(), emit),
            place,
            events,
            last: 0,
        }
    }

    pub(crate) fn ask(&mut self, make: impl FnOnce(u32) -> Command) -> Vec<Event> {
        self.last += 1;
        self.events.borrow_mut().clear();
        self.session.handle(make(self.last));
        self.events.take()
    }

    pub(crate) fn run(&mut self, source: &str) -> Outcome {
        let events = self.ask(|id| Command::RunCell {
            id,
            cell: "cell-1".to_owned(),
            source: source.to_owned(),
            until: None,
        });
        let mut outcome = Outcome::default();
        for event in events {
            match event {
                Event::Stdout { text, .. } => outcome.printed += &text,
                Event::Graph { graph, .. } => outcome.graph = Some(graph),
                Event::Error { error, .. } => outcome.error = Some(error),
                _ => {}
            }
        }
        outcome
    }

    fn peak(&self) -> usize {
        self.session.engine().trace().memory().peak
    }

    fn live(&self) -> usize {
        self.session.engine().trace().memory().live
    }
}

/// Loops whose turns make some MiB each, and hold nothing from turn to turn but what one turn makes.
const LOOPS: [(&str, &str); 6] = [
    (
        "no gradient wanted",
        "for i in range(N):\n    x = torch.rand(2**18); (x * 2).sum().item()",
    ),
    (
        "evaluation",
        "w = torch.rand(512, 512, requires_grad=True)\nwith torch.no_grad():\n    for i in range(N):\n        (torch.rand(512, 512) @ w).tanh().sum().item()",
    ),
    (
        "a gradient wanted and never asked for",
        "w = torch.rand(2**18, requires_grad=True)\nfor i in range(N):\n    loss = (w * torch.rand(2**18)).tanh().sum(); loss.item()",
    ),
    (
        "a running total",
        "total = torch.zeros(())\nfor i in range(N):\n    total = total + torch.rand(2**18).sum(); total.item()",
    ),
    (
        "training",
        "w = torch.rand(2**18, requires_grad=True)\nfor i in range(N):\n    w.grad = None; (w * torch.rand(2**18)).tanh().sum().backward()",
    ),
    (
        "one graph walked back again and again",
        "w = torch.rand(2**18, requires_grad=True)\nloss = (w * w).tanh().sum()\nfor i in range(N):\n    loss.backward(retain_graph=True)",
    ),
];

#[test]
fn a_loop_of_any_length_holds_what_three_turns_held() {
    for (name, source) in LOOPS {
        for recording in [true, false] {
            let peak = |turns: usize| {
                let mut sitting = Sitting::new();
                sitting.run("import glowgrad as torch");
                sitting.session.engine().trace().set_recording(recording);
                let outcome = sitting.run(&format!("N = {turns}\n{source}"));
                assert!(outcome.error.is_none(), "{name}: {:?}", outcome.error);
                sitting.peak()
            };
            let (few, many) = (peak(3), peak(100));
            // Values are looked at each time a quarter of the budget was allocated.
            let most = few
                + if recording {
                    STEP_BYTES * 5 / 4
                } else {
                    1 << 20
                };
            let mib = |bytes: usize| bytes as f64 / 1048576.0;
            println!(
                "{name}, recording {recording}: {:.1} MiB in 3 turns, {:.1} in 100",
                mib(few),
                mib(many)
            );
            assert!(
                many <= most,
                "{name}, recording {recording}: {:.1} MiB in 100 turns, {:.1} in 3",
                mib(many),
                mib(few)
            );
        }
    }
}

#[test]
fn cells_leave_their_variables_and_no_more_than_the_budget() {
    let mut sitting = Sitting::new();
    sitting.run("import glowgrad as torch");
    for _ in 0..12 {
        let outcome =
            sitting.run("x = torch.rand(2**22); y = (x * 3).exp(); print(y.sum().item() > 0)");
        assert_eq!(outcome.printed, "True\n");
        assert!(outcome.graph.is_some());
    }
    // Two variables of 16 MiB.
    let most = (32 << 20) + STEP_BYTES * 5 / 4;
    assert!(sitting.live() <= most, "{} bytes are live", sitting.live());
    sitting.run("del x, y; z = torch.rand(2**22).sum().item()");
    let most = STEP_BYTES * 5 / 4;
    assert!(sitting.live() <= most, "{} bytes are live", sitting.live());
}

#[test]
fn a_picture_computes_nothing_large_that_nothing_asked_for() {
    let mut sitting = Sitting::new();
    let source = "import glowgrad as torch
x = torch.tensor([1.0, 2.0]); y = x * 2
large = torch.zeros(10**9) + 1
product = torch.rand(4000, 4000) @ torch.rand(4000, 4000)
sum = (torch.ones(1).expand(10**11) * 2).sum()
print('done')";
    let outcome = sitting.run(source);
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    assert_eq!(outcome.printed, "done\n");
    let graph = outcome.graph.expect("a graph");
    let shown = |shape: &[usize]| {
        let id = graph
            .nodes
            .iter()
            .find(|n| n.op != "leaf" && n.shape == shape);
        let id = id.expect("the node is on stage").id;
        graph.previews.iter().any(|preview| preview.id == id)
    };
    assert!(shown(&[2]), "what costs little is shown");
    assert!(!shown(&[1_000_000_000]) && !shown(&[4000, 4000]));
    assert!(
        sitting.live() < 150 << 20,
        "{} bytes are live",
        sitting.live()
    );
}

#[test]
fn stop_is_heard_inside_a_kernel_and_variables_are_kept() {
    const LONG: [&str; 8] = [
        "torch.linalg.inv(a).sum().item()",
        "torch.linalg.qr(a)[0].sum().item()",
        "(a @ a @ a @ a).sum().item()",
        "torch.zeros(10**9).exp().sum().item()",
        "b = torch.zeros(2**25).sin().cos().tanh().sin().cos().tanh(); b.sum().item()",
        "torch.rand(2**24).sort()[0][0].item()",
        "torch.ones(2**25).cumsum(0)[-1].item()",
        "torch.arange(2**25).index_select(0, torch.zeros(2**25, dtype=torch.int64))[0].item()",
    ];
    for source in LONG {
        let mut sitting = Sitting::new();
        // With one thread, because how often several ask depends on how they share the work; glowgrad-cpu tests those.
        sitting.run("import glowgrad as torch; torch.set_num_threads(1); a = torch.rand(900, 900, dtype=torch.float64); a.sum().item()");
        sitting.place.asked.set(0);
        // More often than Python itself asks around one call.
        sitting.place.stops_after.set(Some(12));
        let outcome = sitting.run(source);
        let kind = outcome.error.map(|error| error.kind);
        assert_eq!(kind.as_deref(), Some("KeyboardInterrupt"), "{source}");
        sitting.place.stops_after.set(None);
        let outcome = sitting.run("print(tuple(a.shape), a.sum().item() > 0)");
        assert_eq!(outcome.printed, "(900, 900) True\n", "{source}");
    }
}

#[test]
fn what_is_looked_at_after_backward_leaves_the_lit_graph_on_stage() {
    let mut sitting = Sitting::new();
    let walked = "import glowgrad as torch\n\
                  w = torch.ones(3, requires_grad=True)\n\
                  y = w * torch.arange(3.0)\n\
                  y.sum().backward()\n";
    let mut drawn = |more: &str| {
        sitting
            .run(&format!("{walked}{more}"))
            .graph
            .expect("a graph")
    };
    let is_lit = |graph: &StageGraph| {
        let walks = |event: &TraceEvent| matches!(event, TraceEvent::Backward { .. });
        graph.events.iter().any(walks)
    };
    let lit = drawn("");
    let looked_at = drawn("print(y[0], (y * 2).softmax(0))\n");
    assert!(is_lit(&lit) && is_lit(&looked_at));
    assert_eq!(looked_at.nodes.len(), lit.nodes.len());
    // So does a forward pass after it.
    for more in [
        "print((w * 2).sum())\n",
        "print(y + w)\n",
        "z = (w * 3).tanh()\n",
    ] {
        let lit_still = drawn(more);
        assert!(is_lit(&lit_still), "{more}");
        assert_eq!(lit_still.nodes.len(), lit.nodes.len(), "{more}");
    }
    // After a loop it is the last step's light.
    let looped = "for i in range(300):\n    (w * torch.arange(3.0)).sum().backward()\nprint((w * 2).sum())\n";
    let last = drawn(looped);
    assert!(is_lit(&last));
    assert_eq!(last.nodes.len(), lit.nodes.len());
    // In a cell of its own the forward pass is drawn.
    let alone = sitting.run("print((w * 2).sum())\n").graph;
    assert!(!is_lit(&alone.expect("a graph")));
}

#[test]
fn a_chain_that_begins_in_its_middle_says_how_much_is_left_out() {
    let mut sitting = Sitting::new();
    let mut left_out = |rounds: usize| {
        let chain = format!("y = torch.ones(1)\nfor _ in range({rounds}):\n    y = y + 1\n");
        let run = sitting.run(&format!("import glowgrad as torch\n{chain}"));
        run.graph.expect("a graph").dropped
    };
    assert_eq!(left_out(3_000), 0);
    // Of the 4,096 calls that were let go, 3,000 are of the cell before.
    assert_eq!(left_out(5_000), 1_096);
    // What an earlier cell computed is data, however long it took.
    let more = sitting.run("z = y * 2\n").graph.expect("a graph");
    assert_eq!(more.dropped, 0);
}

#[test]
fn graphs_are_laid_out_as_the_page_says_from_the_next_one_on() {
    let mut sitting = Sitting::new();
    let chain = "import glowgrad as torch\n\
                 y = torch.ones(3, requires_grad=True)\n\
                 for _ in range(20):\n    y = y.tanh()\n\
                 y.sum().backward()\n";
    let mut drawn = |flow: Option<(bool, f32)>| {
        if let Some((down, row)) = flow {
            sitting
                .session
                .handle(Command::SetFlow { id: 90, down, row });
        }
        sitting.run(chain).graph.expect("a graph")
    };
    let across = drawn(None);
    assert_eq!(across.flow, Flow::default());
    let broken = drawn(Some((false, 600.0)));
    assert!(across.width > 1_000.0 && broken.width <= 600.0);
    assert!(broken.height > 2.0 * across.height);
    assert_eq!(broken.flow.row, 600.0);
    let down = drawn(Some((true, 0.0)));
    assert_eq!(down.flow.direction, Direction::Down);
    assert!(down.height > down.width);
    // No length is refused, and none goes on without an end.
    for row in [-1.0, 0.5, f32::NAN, f32::INFINITY] {
        let graph = drawn(Some((false, row)));
        assert!(graph.width > 0.0 && graph.width.is_finite(), "{row}");
    }
}
