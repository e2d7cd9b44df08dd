//! The layout on graphs of every size: nothing overlaps, every edge goes one way, rows are read as a text.

use std::time::Instant;

use glowgrad_layout::{Direction, Flow, Item, Layout, layout, layout_in_view};

use crate::topology::{item, random, resnet18};

/// To the right, in one row.
const ACROSS: Flow = Flow {
    direction: Direction::Across,
    row: 0.0,
};
const DOWN: Flow = Flow {
    direction: Direction::Down,
    row: 0.0,
};

fn rows(row: f32) -> Flow {
    Flow { row, ..ACROSS }
}

/// Nodes apart from one another and within the bounds.
fn assert_apart(items: &[Item], placed: &Layout, flow: Flow, name: &str) {
    let Layout {
        centres,
        width,
        height,
        ..
    } = placed;
    assert_eq!(centres.len(), items.len(), "{name}");
    let room = |i: usize| {
        let ([x, y], room) = (centres[i], items[i].room);
        let half = room.along / 2.0;
        match flow.direction {
            Direction::Across => [x - half, y - room.before, x + half, y + room.after],
            Direction::Down => [x - room.before, y - half, x + room.after, y + half],
        }
    };
    for i in 0..items.len() {
        let [left, top, right, bottom] = room(i);
        let is_inside = left >= -0.01 && right <= width + 0.01;
        assert!(is_inside, "{name}: node {i} from x = {left} to {right}");
        let is_inside = top >= -0.01 && bottom <= height + 0.01;
        assert!(is_inside, "{name}: node {i} from y = {top} to {bottom}");
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&a, &b| room(a)[0].total_cmp(&room(b)[0]));
    for (at, &i) in order.iter().enumerate() {
        let [_, top, right, bottom] = room(i);
        let near = order[at + 1..].iter();
        for &j in near.take_while(|&&j| room(j)[0] < right - 0.01) {
            let [_, other_top, _, other_bottom] = room(j);
            let is_apart = other_top >= bottom - 0.01 || other_bottom <= top + 0.01;
            assert!(is_apart, "{name}: nodes {i} and {j} overlap");
        }
    }
}

/// The same, with way points and nodes in rising order.
fn assert_readable(items: &[Item], placed: &Layout, flow: Flow, name: &str) {
    assert_apart(items, placed, flow, name);
    let axis = usize::from(flow.direction == Direction::Down);
    let (centres, edges) = (&placed.centres, &placed.edges);
    for (i, item) in items.iter().enumerate() {
        for (operand, &s) in item.src.iter().enumerate() {
            let mut at = centres[s][axis];
            for point in edges[i][operand].iter().chain([&centres[i]]) {
                assert!(point[axis] > at, "{name}: an edge of node {i} turns back");
                at = point[axis];
            }
        }
    }
}

#[test]
fn random_graphs_are_readable() {
    for seed in 0..200 {
        let items = random(seed, 2 + seed as usize % 60);
        for flow in [ACROSS, DOWN] {
            assert_readable(&items, &layout(&items, flow), flow, &format!("seed {seed}"));
        }
        let flow = rows(600.0);
        assert_apart(&items, &layout(&items, flow), flow, &format!("seed {seed}"));
    }
}

#[test]
fn a_resnet_is_readable_with_and_without_its_gradients() {
    for with_gradients in [false, true] {
        let items = resnet18(with_gradients).items();
        let start = Instant::now();
        let placed = layout(&items, ACROSS);
        println!(
            "{} nodes laid out in {:?}, {} way points",
            items.len(),
            start.elapsed(),
            placed.edges.iter().flatten().map(Vec::len).sum::<usize>()
        );
        assert_readable(&items, &placed, ACROSS, "ResNet-18");
        let flow = rows(1_000.0);
        let placed = layout(&items, flow);
        assert_apart(&items, &placed, flow, "ResNet-18 in rows");
        assert!(placed.width <= 1_200.0, "{} wide", placed.width);
    }
}

#[test]
fn a_shared_leaf_and_ten_thousand_nodes_stay_within_bounds() {
    let leaf = |src: Vec<usize>| item(src, 56.0);
    // A loop that reads the same weight in each of its rounds.
    let items: Vec<Item> = (0..10_000)
        .map(|i| leaf(if i < 2 { vec![] } else { vec![i - 1, 0] }))
        .collect();
    let start = Instant::now();
    let placed = layout(&items, ACROSS);
    println!("10,000 nodes laid out in {:?}", start.elapsed());
    assert_readable(&items, &placed, ACROSS, "loop");
    let n_points: usize = placed.edges.iter().flatten().map(Vec::len).sum();
    assert!(n_points <= 100_000, "{n_points} way points");
}

#[test]
fn in_a_large_graph_one_line_leads_to_all_who_read_a_leaf() {
    let item = |src: Vec<usize>| item(src, 56.0);
    let items: Vec<Item> = (0..200)
        .map(|i| item(if i < 2 { vec![] } else { vec![i - 1, 0] }))
        .collect();
    let Layout { edges, .. } = layout(&items, ACROSS);
    let (near, far) = (&edges[100][1], &edges[150][1]);
    assert!(near.len() > 90 && far.len() > near.len());
    assert_eq!(far[..near.len()], near[..]);
}

#[test]
fn the_first_operand_stands_above_the_second() {
    let item = |src: &[usize]| item(src.to_vec(), 40.0);
    let Layout { centres, .. } = layout(&[item(&[]), item(&[]), item(&[0, 1])], ACROSS);
    assert!(centres[0][1] < centres[2][1] && centres[2][1] < centres[1][1]);
}

#[test]
fn the_pages_copy_of_the_resnet_is_this_one() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../www/src/stage/fixtures/resnet18.json"
    );
    let expected = resnet18(false).json();
    if std::env::var_os("GLOW_BLESS").is_some() {
        std::fs::write(path, &expected).expect("the fixture can be written");
    }
    assert_eq!(
        std::fs::read_to_string(path).unwrap_or_default(),
        expected,
        "run with GLOW_BLESS=1 to write the fixture again"
    );
}

#[test]
fn a_long_chain_is_broken_into_rows_that_are_about_equally_long() {
    let items: Vec<Item> = (0..30)
        .map(|i| item(if i == 0 { vec![] } else { vec![i - 1] }, 60.0))
        .collect();
    let placed = layout(&items, rows(700.0));
    assert_apart(&items, &placed, rows(700.0), "chain");
    assert!(placed.width <= 700.0, "{} wide", placed.width);
    let mut lengths = vec![1];
    for (i, pair) in placed.centres.windows(2).enumerate() {
        let ([x, y], [next_x, next_y]) = (pair[0], pair[1]);
        if next_y == y {
            assert!(next_x > x);
            *lengths.last_mut().unwrap() += 1;
            continue;
        }
        assert!(
            next_y > y && next_x < x,
            "row {} begins on the left, under the last",
            lengths.len()
        );
        lengths.push(1);
        // The edge goes on to the right, runs back between the rows, and enters from the left.
        let [out, down, back, inwards] = placed.edges[i + 1][0][..] else {
            panic!("{:?}", placed.edges[i + 1][0]);
        };
        assert!(out[0] > x && out[1] == y);
        assert!(down[0] == out[0] && down[1] > y && down[1] < next_y);
        assert!(back[1] == down[1] && back[0] < next_x);
        assert!(inwards == [back[0], next_y]);
    }
    let (least, most) = (lengths.iter().min(), lengths.iter().max());
    assert!(
        lengths.len() > 3 && most.unwrap() - least.unwrap() <= 1,
        "{lengths:?}"
    );
}

#[test]
fn a_graph_that_runs_down_is_broken_into_columns() {
    let chain = |n: usize| -> Vec<Item> {
        let sources = |i: usize| if i == 0 { vec![] } else { vec![i - 1] };
        (0..n).map(|i| item(sources(i), 60.0)).collect()
    };
    let flow = Flow {
        direction: Direction::Down,
        ..rows(700.0)
    };
    let placed = layout(&chain(30), flow);
    assert!(placed.height <= 700.0, "{} high", placed.height);
    let mut n_columns = 1;
    for pair in placed.centres.windows(2) {
        let ([x, y], [next_x, next_y]) = (pair[0], pair[1]);
        if next_x != x {
            assert!(
                next_x > x && next_y < y,
                "a column begins above, to the right"
            );
            n_columns += 1;
        } else {
            assert!(next_y > y);
        }
    }
    assert!(n_columns > 3, "{n_columns} columns");
    let many = layout_in_view(&chain(6_000), flow);
    let ratio = many.width / many.height;
    assert!(
        (0.5..12.0).contains(&ratio),
        "seen whole: {ratio} times as wide as high"
    );
}

#[test]
fn edges_that_go_on_in_the_next_row_do_not_cross_on_the_way() {
    // Two chains beside one another, which meet at the end.
    let mut items = vec![item(vec![], 60.0), item(vec![], 60.0)];
    for i in 2..24 {
        items.push(item(vec![i - 2], 60.0));
    }
    items.push(item(vec![22, 23], 60.0));
    let placed = layout(&items, rows(500.0));
    assert_apart(&items, &placed, rows(500.0), "two chains");
    let turns: Vec<&Vec<[f32; 2]>> = placed
        .edges
        .iter()
        .flatten()
        .filter(|e| e.len() == 4)
        .collect();
    assert!(turns.len() >= 4);
    for pair in turns.chunks(2) {
        let [upper, lower] = pair else { continue };
        // Outer at the end of a row, inner at the beginning of the next.
        assert!(upper[0][1] < lower[0][1] && upper[0][0] > lower[0][0]);
        assert!(upper[1][1] > lower[1][1]);
        assert!(upper[2][0] > lower[2][0] && upper[3][1] < lower[3][1]);
    }
}

#[test]
fn breaks_are_where_few_edges_pass() {
    // A wide middle between two waists.
    let mut items = vec![item(vec![], 60.0)];
    for i in 1..4 {
        items.push(item(vec![i - 1], 60.0));
    }
    for _ in 0..6 {
        items.push(item(vec![3], 60.0));
    }
    items.push(item((4..10).collect(), 60.0));
    items.push(item(vec![10], 60.0));
    let placed = layout(&items, rows(650.0));
    let row_of = |i: usize| placed.centres[i][1];
    assert!((4..10).all(|i| (row_of(i) - row_of(10)).abs() < 400.0));
    let wraps = placed
        .edges
        .iter()
        .flatten()
        .filter(|e| e.len() >= 4)
        .count();
    assert_eq!(wraps, 1, "{:?}", placed.edges);
}

#[test]
fn the_turns_of_an_unrolled_loop_stand_one_after_another() {
    // h = tanh(x[t] @ w + b + h @ u), 60 times: every x[t] @ w + b could stand in the first layers.
    let mut items = vec![item(vec![], 60.0); 4];
    let mut h = 3;
    for _ in 0..60 {
        let x = items.len();
        for src in [
            vec![],
            vec![x, 0],
            vec![x + 1, 2],
            vec![h, 1],
            vec![x + 2, x + 3],
        ] {
            items.push(item(src, 60.0));
        }
        items.push(item(vec![x + 4], 60.0));
        h = x + 5;
    }
    let placed = layout(&items, ACROSS);
    assert_readable(&items, &placed, ACROSS, "loop");
    assert!(placed.height < 600.0, "{} high", placed.height);
    let flow = rows(700.0);
    let placed = layout(&items, flow);
    assert_apart(&items, &placed, flow, "loop in rows");
    for turn in 1..60 {
        let [own, before] = [4 + 6 * turn, 4 + 6 * (turn - 1) + 5];
        let apart = (placed.centres[own][1] - placed.centres[before][1]).abs();
        assert!(apart < 700.0, "turn {turn} reads its input {apart} away");
    }
}
