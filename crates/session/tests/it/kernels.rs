//! The kernel list is the scheduler's own record, told by the nodes on stage.

#![cfg(feature = "python")]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use glowgrad::trace;
use glowgrad_session::protocol::{Command, Event, KernelInfo, KernelList, StageGraph};
use glowgrad_session::{Platform, Session};

struct Bench(Cell<f64>);

impl Platform for Bench {
    fn now_millis(&self) -> f64 {
        self.0.replace(self.0.get() + 1.0)
    }
    fn should_stop(&self) -> bool {
        false
    }
    fn sleep(&self, _: f64) {}
    fn clock(&self) -> Option<fn() -> u64> {
        Some(|| {
            thread_local!(static NOW: Cell<u64> = const { Cell::new(0) });
            NOW.with(|now| now.replace(now.get() + 1000))
        })
    }
}

struct Lab {
    session: Session,
    events: Rc<RefCell<Vec<Event>>>,
}

impl Lab {
    fn new() -> Lab {
        let events: Rc<RefCell<Vec<Event>>> = Rc::default();
        let sink = events.clone();
        let emit = Rc::new(move |event| sink.borrow_mut().push(event));
        Lab {
            session: Session::new(Rc::new(Bench(Cell::new(0.0))), emit),
            events,
        }
    }

    fn send(&mut self, command: Command) -> Vec<Event> {
        self.events.take();
        self.session.handle(command);
        let events = self.events.take();
        for event in &events {
            if let Event::Error { error, .. } = event {
                panic!("{}\n{}", error.message, error.traceback);
            }
        }
        events
    }

    fn run(&mut self, source: &str) -> Option<StageGraph> {
        let command = Command::RunCell {
            id: 1,
            cell: "cell-1".to_owned(),
            source: source.to_owned(),
            until: None,
        };
        self.send(command)
            .into_iter()
            .find_map(|event| match event {
                Event::Graph { graph, .. } => Some(graph),
                _ => None,
            })
    }

    fn kernels(&mut self) -> KernelList {
        self.list(Command::Kernels { id: 2 })
    }

    fn timed(&mut self) -> KernelList {
        self.list(Command::TimeKernels { id: 3 })
    }

    fn list(&mut self, command: Command) -> KernelList {
        let events = self.send(command);
        let list = events.into_iter().find_map(|event| match event {
            Event::Kernels { list, .. } => Some(list),
            _ => None,
        });
        list.expect("a list")
    }

    /// Kernels and bytes as the trace of the step has them.
    fn traced(&self) -> (usize, f64) {
        let bytes: Vec<usize> = self
            .session
            .engine()
            .trace()
            .events()
            .into_iter()
            .filter_map(|event| match event {
                trace::Event::Scheduled { bytes, .. } => Some(bytes),
                _ => None,
            })
            .collect();
        (bytes.len(), bytes.iter().sum::<usize>() as f64)
    }
}

fn moved(list: &KernelList) -> f64 {
    let bytes = |k: &KernelInfo| k.bytes_read + k.bytes_written;
    list.kernels.iter().map(bytes).sum()
}

const STEP: &str = "import glowgrad as torch
torch.manual_seed(0)
x = torch.randn(8, 3)
w = torch.randn(3, 2, requires_grad=True)
b = torch.randn(2, requires_grad=True)
h = torch.tanh(x @ w + b)
loss = (h * h).softmax(1).pow(2).sum()
loss.backward()";

#[test]
fn the_list_is_the_schedule_of_the_cell() {
    let mut lab = Lab::new();
    let graph = lab.run(STEP).expect("a graph");
    let list = lab.kernels();
    assert!(list.fusion && list.dropped == 0);
    let (count, bytes) = lab.traced();
    assert_eq!((list.kernels.len(), moved(&list)), (count, bytes));
    assert!(count > 5, "{count} kernels");
    for kernel in &list.kernels {
        assert!(!kernel.reasons.is_empty());
        assert!(kernel.nanos.is_some_and(|nanos| nanos > 0.0));
        let languages = kernel.sources.iter().map(|s| s.language.as_str());
        let expected = ["Pseudo-code", "WGSL", "CUDA C", "MSL"];
        assert!(languages.eq(expected), "{kernel:?}");
        assert!(!kernel.sources[0].lines.is_empty());
        for source in &kernel.sources {
            assert_eq!(source.lines.is_empty(), source.missing.is_some());
        }
        // Everything in this cell is on stage, gradients by the node they belong to.
        for node in &kernel.nodes {
            let at = node
                .node
                .unwrap_or_else(|| panic!("{} is not on stage: {kernel:?}", node.symbol));
            assert!((at as usize) < graph.nodes.len());
        }
        let lines = kernel.sources.iter().flat_map(|source| &source.lines);
        for at in lines.flat_map(|line| &line.nodes) {
            assert!((*at as usize) < graph.nodes.len());
        }
    }
    let text = |kernel: &KernelInfo| -> String {
        kernel.sources[0]
            .lines
            .iter()
            .map(|line| format!("{}\n", line.text))
            .collect()
    };
    let forward = list
        .kernels
        .iter()
        .find(|k| text(k).contains("h = tanh("))
        .expect("the kernel of h");
    assert!(text(forward).contains("b = b.data[j]"), "{}", text(forward));
    assert!(forward.nodes.iter().all(|node| !node.backward));
    let gradient = list
        .kernels
        .iter()
        .find(|k| text(k).contains("grad_w.data["));
    let gradient = gradient.expect("the kernel of w's gradient");
    assert!(gradient.nodes.iter().all(|node| node.backward));
    assert!(
        gradient
            .reasons
            .iter()
            .any(|why| why.text.contains("gradient of w"))
    );
}

#[test]
fn fusion_off_costs_kernels_and_bytes_and_comes_back() {
    let mut lab = Lab::new();
    lab.run(STEP);
    let fused = lab.kernels();
    lab.send(Command::SetFusion { id: 3, on: false });
    lab.run(STEP);
    let apart = lab.kernels();
    assert!(!apart.fusion);
    assert!(apart.kernels.len() > fused.kernels.len());
    assert!(moved(&apart) > moved(&fused));
    let off = |k: &KernelInfo| k.reasons.iter().any(|why| why.label == "fusion off");
    assert!(apart.kernels.iter().any(off));
    lab.send(Command::SetFusion { id: 3, on: true });
    lab.run(STEP);
    let again = lab.kernels();
    assert!(again.fusion);
    assert_eq!(
        (again.kernels.len(), moved(&again)),
        (fused.kernels.len(), moved(&fused))
    );
}

#[test]
fn a_list_is_of_its_cell_alone_and_empty_where_nothing_was_asked_for() {
    let mut lab = Lab::new();
    assert!(lab.kernels().kernels.is_empty());
    lab.run("import glowgrad as torch\nx = torch.ones(4)\ny = x * 2 + 1");
    assert!(lab.kernels().kernels.is_empty(), "no value was asked for");
    lab.run("print((x + 1).exp())");
    let first = lab.kernels();
    assert_eq!(first.kernels.len(), 1);
    lab.run("z = (x * 3).tanh().tolist()");
    let second = lab.kernels();
    assert_eq!(second.kernels.len(), 1);
    let lines = |list: &KernelList| {
        list.kernels[0].sources[0]
            .lines
            .iter()
            .map(|l| l.text.clone())
            .collect::<Vec<_>>()
    };
    assert!(
        lines(&second).iter().any(|line| line.contains("tanh(")),
        "{:?}",
        lines(&second)
    );
    lab.send(Command::Reset { id: 9 });
    assert!(lab.kernels().kernels.is_empty());
}

/// A platform whose clock ticks every 100 µs, as a page's does.
struct Coarse;

impl Platform for Coarse {
    fn now_millis(&self) -> f64 {
        Bench::started().elapsed().as_secs_f64() * 1e3
    }
    fn should_stop(&self) -> bool {
        false
    }
    fn sleep(&self, _: f64) {}
    fn clock(&self) -> Option<fn() -> u64> {
        Some(|| Bench::started().elapsed().as_nanos() as u64 / GRAIN * GRAIN)
    }
}

const GRAIN: u64 = 100_000;

impl Bench {
    fn started() -> std::time::Instant {
        static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        *START.get_or_init(std::time::Instant::now)
    }
}

#[test]
fn short_kernels_are_repeated_until_the_clock_sees_them_and_nothing_else_changes() {
    let events: Rc<RefCell<Vec<Event>>> = Rc::default();
    let sink = events.clone();
    let mut lab = Lab {
        session: Session::new(
            Rc::new(Coarse),
            Rc::new(move |event| sink.borrow_mut().push(event)),
        ),
        events,
    };
    lab.run(LARGER_STEP);
    let plain = lab.kernels();
    let memory = lab.session.engine().trace().memory();
    let next = lab.session.engine().next_kernel();

    let timed = lab.timed();
    for kernel in &timed.kernels {
        let nanos = kernel.nanos.expect("a time");
        assert!(nanos > 0.0, "{} took no time", kernel.name);
        // Each is a few thousand numbers: no run of one is seen by such a clock.
        assert!(kernel.runs > 1, "{} ran {} times", kernel.name, kernel.runs);
        let sum = nanos * f64::from(kernel.runs);
        assert!(
            sum >= 20.0 * GRAIN as f64 || kernel.runs == 1 << 14,
            "{sum}"
        );
    }
    let without_times = |list: &KernelList| {
        let mut list = list.clone();
        for kernel in &mut list.kernels {
            (kernel.nanos, kernel.runs) = (None, 1);
        }
        list
    };
    assert_eq!(without_times(&timed), without_times(&plain));

    assert_eq!(lab.session.engine().trace().memory(), memory);
    assert_eq!(lab.session.engine().next_kernel(), next);
    assert_eq!(without_times(&lab.kernels()), without_times(&plain));
    lab.run("assert abs(w.grad.sum().item() - gradient) < 1e-6");
}

const LARGER_STEP: &str = "import glowgrad as torch
torch.manual_seed(0)
x = torch.randn(64, 32)
w = torch.randn(32, 16).requires_grad_()
b = torch.zeros(16).requires_grad_()
h = torch.tanh(x @ w + b)
loss = (h * h).mean()
loss.backward()
gradient = w.grad.sum().item()
";

#[test]
fn what_copies_or_fills_is_told_from_what_computes() {
    let mut lab = Lab::new();
    lab.run(
        "import glowgrad as torch\nx = torch.randn(4, 3)\ny = x.T.clone().realize()\nz = (x * 2).realize()",
    );
    let list = lab.kernels();
    let moves: Vec<bool> = list.kernels.iter().map(|kernel| kernel.moves).collect();
    assert_eq!(moves, [true, false], "{:?}", list.kernels);
}

#[test]
fn what_runs_after_backward_leaves_the_kernels_of_the_lit_graph() {
    let mut lab = Lab::new();
    let told = |list: &KernelList| -> Vec<(String, Vec<usize>)> {
        let each = list.kernels.iter();
        each.map(|kernel| (kernel.name.clone(), kernel.shape.clone()))
            .collect()
    };
    lab.run(STEP);
    let lit = told(&lab.kernels());
    let after = format!("{STEP}\nprint((x @ w).exp())");
    lab.run(&after);
    assert_eq!(told(&lab.kernels()), lit);
    // Of a loop, those of its last step, whose kernels are timed as any.
    let in_a_loop = STEP.replace("h =", "for _ in range(3):\n    h =");
    let in_a_loop = in_a_loop.replace("\nloss", "\n    loss");
    lab.run(&in_a_loop);
    let last = told(&lab.kernels());
    lab.run(&format!("{in_a_loop}\nprint((x @ w).exp())"));
    assert_eq!(told(&lab.kernels()), last);
    let timed = lab.timed();
    assert!(timed.kernels.iter().all(|kernel| kernel.nanos.is_some()));
    // A cell of its own has its own kernels.
    lab.run("print((x @ w).exp())");
    assert_ne!(told(&lab.kernels()), last);
}
