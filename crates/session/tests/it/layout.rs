//! The layout on graphs of every size: nothing overlaps, every edge goes one way.

use std::time::Instant;

use glowgrad_session::layout::{Item, Layout, layout};

use crate::topology::{random, resnet18};

/// Nodes apart from one another and within the bounds; way points and nodes in rising order.
fn assert_readable(items: &[Item], placed: &Layout, name: &str) {
    let Layout {
        centres,
        edges,
        width,
        height,
    } = placed;
    assert_eq!(centres.len(), items.len(), "{name}");
    for (i, item) in items.iter().enumerate() {
        let [x, y] = centres[i];
        assert!((0.0..=*width).contains(&x), "{name}: node {i} at x = {x}");
        assert!((0.0..=*height).contains(&y), "{name}: node {i} at y = {y}");
        for (operand, &s) in item.src.iter().enumerate() {
            let mut x = centres[s][0];
            for point in edges[i][operand].iter().chain([&centres[i]]) {
                assert!(point[0] > x, "{name}: an edge of node {i} turns back");
                x = point[0];
            }
        }
    }
    // Neighbours along x only: nodes that start before this one ends.
    let left = |i: usize| centres[i][0] - items[i].width / 2.0;
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&a, &b| left(a).total_cmp(&left(b)));
    for (at, &i) in order.iter().enumerate() {
        let end = centres[i][0] + items[i].width / 2.0 - 0.01;
        for &j in order[at + 1..].iter().take_while(|&&j| left(j) < end) {
            let apart = (centres[i][1] - centres[j][1]).abs();
            let least = (items[i].height + items[j].height) / 2.0 - 0.01;
            assert!(apart >= least, "{name}: nodes {i} and {j} overlap");
        }
    }
}

#[test]
fn random_graphs_are_readable() {
    for seed in 0..200 {
        let items = random(seed, 2 + seed as usize % 60);
        assert_readable(&items, &layout(&items), &format!("seed {seed}"));
    }
}

#[test]
fn a_resnet_is_readable_with_and_without_its_gradients() {
    for with_gradients in [false, true] {
        let items = resnet18(with_gradients).items();
        let start = Instant::now();
        let placed = layout(&items);
        println!(
            "{} nodes laid out in {:?}, {} way points",
            items.len(),
            start.elapsed(),
            placed.edges.iter().flatten().map(Vec::len).sum::<usize>()
        );
        assert_readable(&items, &placed, "ResNet-18");
    }
}

#[test]
fn a_shared_leaf_and_ten_thousand_nodes_stay_within_bounds() {
    let leaf = |src: Vec<usize>| Item {
        src,
        width: 56.0,
        height: 48.0,
    };
    // A loop that reads the same weight in each of its rounds.
    let items: Vec<Item> = (0..10_000)
        .map(|i| leaf(if i < 2 { vec![] } else { vec![i - 1, 0] }))
        .collect();
    let start = Instant::now();
    let placed = layout(&items);
    println!("10,000 nodes laid out in {:?}", start.elapsed());
    assert_readable(&items, &placed, "loop");
    let n_points: usize = placed.edges.iter().flatten().map(Vec::len).sum();
    assert!(n_points <= 100_000, "{n_points} way points");
}

#[test]
fn in_a_large_graph_one_line_leads_to_all_who_read_a_leaf() {
    let item = |src: Vec<usize>| Item {
        src,
        width: 56.0,
        height: 48.0,
    };
    let items: Vec<Item> = (0..200)
        .map(|i| item(if i < 2 { vec![] } else { vec![i - 1, 0] }))
        .collect();
    let Layout { edges, .. } = layout(&items);
    let (near, far) = (&edges[100][1], &edges[150][1]);
    assert!(near.len() > 90 && far.len() > near.len());
    assert_eq!(far[..near.len()], near[..]);
}

#[test]
fn the_first_operand_stands_above_the_second() {
    let item = |src: &[usize]| Item {
        src: src.to_vec(),
        width: 40.0,
        height: 40.0,
    };
    let Layout { centres, .. } = layout(&[item(&[]), item(&[]), item(&[0, 1])]);
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
