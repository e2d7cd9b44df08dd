//! Where tensors lie, as the session tells the page.

#![cfg(feature = "python")]

use glowgrad_session::protocol::{Command, Event, MemoryBuffer, MemoryMap, MemoryView};
use glowgrad_session::{Spawned, spawn};

struct Lab(Spawned);

impl Lab {
    fn new() -> Lab {
        Lab(spawn().expect("a thread"))
    }

    /// Runs cells; then asks where everything lies.
    fn after(cells: &[&str]) -> MemoryMap {
        let lab = Lab::new();
        for source in cells {
            lab.run(source);
        }
        lab.memory()
    }

    fn events(&self, command: Command) -> Vec<Event> {
        assert!(self.0.send(command));
        let mut events = Vec::new();
        for event in self.0.events.iter() {
            let done = matches!(event, Event::Done { .. });
            events.push(event);
            if done {
                break;
            }
        }
        events
    }

    fn run(&self, source: &str) -> Vec<Event> {
        let events = self.events(Command::RunCell {
            id: 1,
            cell: "cell-1".to_owned(),
            source: format!("import glowgrad as torch\n{source}"),
            until: None,
        });
        if let Some(Event::Error { error, .. }) =
            events.iter().find(|e| matches!(e, Event::Error { .. }))
        {
            panic!("{}", error.traceback);
        }
        events
    }

    fn memory(&self) -> MemoryMap {
        let events = self.events(Command::Memory { id: 2 });
        let found = events.into_iter().find_map(|event| match event {
            Event::Memory { id: 2, memory } => Some(memory),
            _ => None,
        });
        found.expect("an answer")
    }
}

fn view<'a>(map: &'a MemoryMap, name: &str) -> &'a MemoryView {
    let named = |view: &&MemoryView| view.name.as_deref() == Some(name);
    map.views
        .iter()
        .find(named)
        .unwrap_or_else(|| panic!("no {name} in {:?}", map.views))
}

fn buffer<'a>(map: &'a MemoryMap, name: &str) -> &'a MemoryBuffer {
    &map.buffers[view(map, name).buffer as usize]
}

fn head(buffer: &MemoryBuffer) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    for part in buffer.head.as_bytes().chunks(4) {
        let digits: Vec<u32> = part
            .iter()
            .map_while(|&c| DIGITS.find(char::from(c)).map(|at| at as u32))
            .collect();
        let bits = (0..4).fold(0, |bits, i| bits << 6 | digits.get(i).copied().unwrap_or(0));
        let all = bits.to_be_bytes();
        bytes.extend(&all[1..digits.len()]);
    }
    bytes
}

fn floats(buffer: &MemoryBuffer) -> Vec<f32> {
    let bytes = head(buffer);
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|b| f32::from_le_bytes(*b))
        .collect()
}

/// The elements that a view reads, row-major.
fn elements(map: &MemoryMap, name: &str) -> Vec<f32> {
    let (view, cells) = (view(map, name), floats(buffer(map, name)));
    let mut at = vec![view.offset];
    for (&size, &stride) in view.shape.iter().zip(&view.strides) {
        at = at
            .iter()
            .flat_map(|&start| (0..size as isize).map(move |i| start + i * stride))
            .collect();
    }
    at.iter().map(|&cell| cells[cell as usize]).collect()
}

#[test]
fn views_share_a_buffer_and_copies_do_not() {
    let map = Lab::after(&[
        "x = torch.arange(12.).reshape(3, 4)\nt = x.t()\nrow = x[1]\nwindow = x[1:, ::2]\nwide = x[:, :1].expand(3, 5)\ncopy = t.contiguous()\nflat = t.reshape(12)",
    ]);
    let whole = buffer(&map, "x");
    assert_eq!((whole.bytes, whole.dtype.as_str()), (48.0, "float32"));
    assert_eq!(floats(whole), (0..12).map(|i| i as f32).collect::<Vec<_>>());
    for (name, shape, strides, offset) in [
        ("x", vec![3, 4], vec![4, 1], 0),
        ("t", vec![4, 3], vec![1, 4], 0),
        ("row", vec![4], vec![1], 4),
        ("window", vec![2, 2], vec![4, 2], 4),
        ("wide", vec![3, 5], vec![4, 0], 0),
    ] {
        let view = view(&map, name);
        assert_eq!(
            (&view.shape, &view.strides, view.offset),
            (&shape, &strides, offset),
            "{name}"
        );
        assert_eq!(view.buffer, self::view(&map, "x").buffer, "{name}");
        assert_eq!(
            (view.cell.as_deref(), view.line.is_some()),
            (Some("cell-1"), true),
            "{name}"
        );
    }
    for name in ["copy", "flat"] {
        assert_ne!(view(&map, name).buffer, view(&map, "x").buffer, "{name}");
        assert_eq!(
            elements(&map, name),
            [0., 4., 8., 1., 5., 9., 2., 6., 10., 3., 7., 11.],
            "{name}"
        );
    }
    assert_eq!(
        elements(&map, "wide"),
        [0., 0., 0., 0., 0., 4., 4., 4., 4., 4., 8., 8., 8., 8., 8.]
    );
}

#[test]
fn a_write_is_seen_through_every_view() {
    let lab = Lab::new();
    lab.run("x = torch.zeros(2, 3)\nt = x.t()");
    assert_eq!(elements(&lab.memory(), "t"), [0.0; 6]);
    lab.run("x[0, 1] = 5.0\nt[2].mul_(0).add_(7)");
    let map = lab.memory();
    assert_eq!(view(&map, "x").buffer, view(&map, "t").buffer);
    assert_eq!(floats(buffer(&map, "x")), [0., 5., 7., 0., 0., 7.]);
    assert_eq!(elements(&map, "t"), [0., 0., 5., 0., 7., 7.]);
}

#[test]
fn a_flip_is_a_copy_and_a_detached_tensor_is_a_view() {
    let map = Lab::after(&["x = torch.arange(3.)\ny = x.flip(0)\nz = y[1:]\nd = x.detach()"]);
    assert_ne!(view(&map, "y").buffer, view(&map, "x").buffer);
    assert_eq!(elements(&map, "y"), [2., 1., 0.]);
    assert_eq!(view(&map, "z").buffer, view(&map, "y").buffer);
    assert_eq!(
        (elements(&map, "z"), view(&map, "z").offset),
        (vec![1., 0.], 1)
    );
    assert_eq!(view(&map, "d").buffer, view(&map, "x").buffer);
    assert!(map.views.iter().all(|v| v.strides.iter().all(|&s| s >= 0)));
}

#[test]
fn nothing_and_a_single_number_have_their_place() {
    let map = Lab::after(&[
        "none = torch.zeros(0, 3)\none = torch.tensor(2.5)\nyes = torch.tensor([True, False])\nhalf = torch.tensor([0.1]).to(torch.bfloat16)",
    ]);
    assert_eq!(
        (
            view(&map, "none").shape.as_slice(),
            buffer(&map, "none").bytes
        ),
        (&[0, 3][..], 0.0)
    );
    assert_eq!(buffer(&map, "none").head, "");
    assert_eq!(
        (view(&map, "one").shape.len(), floats(buffer(&map, "one"))),
        (0, vec![2.5])
    );
    assert_eq!(
        (
            head(buffer(&map, "yes")),
            buffer(&map, "yes").dtype.as_str()
        ),
        (vec![1, 0], "bool")
    );
    assert_eq!(head(buffer(&map, "half")), [0xcd, 0x3d]);
}

#[test]
fn of_a_huge_tensor_the_beginning_is_sent_and_nothing_is_computed_to_show_it() {
    let lab = Lab::new();
    lab.run("x = torch.arange(2_000_000)\nbig = torch.ones(100_000_000)\nlater = x[1_000_000:]");
    let live = |events: &[Event]| match events.last() {
        Some(Event::Done { memory, .. }) => memory.live_bytes,
        _ => panic!("no Done"),
    };
    let before = live(&lab.run("pass"));
    let map = lab.memory();
    assert_eq!(buffer(&map, "x").bytes, 16e6);
    assert_eq!(head(buffer(&map, "x")).len(), 4096);
    assert_eq!(head(buffer(&map, "x"))[8..16], 1i64.to_le_bytes());
    assert_eq!(view(&map, "later").offset, 1_000_000);
    assert_eq!(
        (buffer(&map, "big").bytes, buffer(&map, "big").head.as_str()),
        (4e8, "")
    );
    assert_eq!(buffer(&map, "big").id, None);
    assert_eq!(live(&lab.run("pass")), before, "looking keeps nothing");
}

#[test]
fn many_tensors_are_capped_and_counted() {
    let map = Lab::after(&[
        "for i in range(40):\n    globals()[f'v{i}'] = [torch.tensor([i]) for _ in range(50)]",
    ]);
    assert_eq!((map.views.len(), map.left_out), (1024, 2000 - 1024));
    assert!(map.buffers.iter().filter(|b| !b.head.is_empty()).count() <= 256);
}

#[test]
fn before_the_first_cell_there_is_nothing() {
    assert_eq!(Lab::new().memory(), MemoryMap::default());
}

const STEP: &str = "x = torch.ones(50, 20)\nw = torch.ones(20, 30, requires_grad=True)\nb = torch.zeros(30, requires_grad=True)\nh = torch.tanh(x @ w + b)\nloss = (h * h).sum()\nloss.backward()";

#[test]
fn nodes_on_stage_are_views_and_variables_know_their_nodes() {
    let lab = Lab::new();
    let graph = lab
        .run(STEP)
        .into_iter()
        .find_map(|event| match event {
            Event::Graph { graph, .. } => Some(graph),
            _ => None,
        })
        .expect("a graph");
    let map = lab.memory();
    for node in &graph.nodes {
        let view = map.views.iter().find(|view| view.node == Some(node.id));
        let view = view.unwrap_or_else(|| panic!("node {} has no view", node.op));
        assert_eq!((&view.shape, &view.dtype), (&node.shape, &node.dtype));
        assert_eq!((&view.cell, view.line), (&node.cell, node.line));
        if view.name.is_some() {
            assert_eq!(view.name, node.name);
        }
    }
    assert_eq!(view(&map, "w.grad").shape, [20, 30]);
    assert_eq!(view(&map, "w.grad").node, None);
    assert_ne!(view(&map, "w.grad").buffer, view(&map, "w").buffer);
}

#[test]
fn the_bytes_of_a_step_add_up_and_the_peak_has_names() {
    let lab = Lab::new();
    lab.run("w0 = torch.arange(1000.).requires_grad_()\nw0.sum().backward()");
    lab.run(STEP);
    let usage = lab.memory().usage;
    let mut live = usage.before;
    for point in &usage.points {
        live += point.bytes;
        assert_eq!(live, point.live, "{}", point.name);
        assert!(point.pooled.is_some());
    }
    let peak = usage.points[usage.peak.expect("a peak") as usize].live;
    assert!(usage.points.iter().all(|point| point.live <= peak));
    let known: f64 = usage.alive.iter().map(|holder| holder.bytes).sum();
    assert_eq!(known + usage.others, peak);
    let names: Vec<&str> = usage
        .alive
        .iter()
        .map(|holder| holder.name.as_str())
        .collect();
    for name in ["x", "w", "w0"] {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    let sorted = usage
        .alive
        .windows(2)
        .all(|pair| pair[0].bytes >= pair[1].bytes);
    assert!(sorted, "the largest first");
    let x = usage
        .alive
        .iter()
        .find(|holder| holder.name == "x")
        .expect("x");
    assert_eq!(
        (x.shape.as_slice(), x.bytes, x.dtype.as_str()),
        (&[50, 20][..], 4000.0, "float32")
    );
}

#[test]
fn a_long_step_keeps_its_peak() {
    let lab = Lab::new();
    lab.run("a = torch.ones(10)\nfor i in range(3000):\n    b = (a * i).sum().item()\nbig = torch.arange(5000.)\nbig.sum().item()\ndel big\nfor i in range(300):\n    b = (a * i).sum().item()");
    let usage = lab.memory().usage;
    assert!(usage.points.len() <= 1024, "{}", usage.points.len());
    let peak = &usage.points[usage.peak.expect("a peak") as usize];
    assert!(peak.live >= 20_000.0, "{peak:?}");
}
