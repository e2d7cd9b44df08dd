//! A layout in plain numbers, as a page asks for it.
//!
//! A request is a line such as `across 700 3`: the direction, the length of a row with 0 for no bounds, and the number of
//! nodes `n`. The bytes are little-endian: for each node how many operands it has (`n` times u32); its room along the
//! direction, and to either side of its centre across it (`3 n` times f32); then the operands of all nodes in order, each
//! the number of a node (u32). The answer is float32: the whole width and height, each node's centre, then for each
//! operand how many way points it has, and these.

use crate::{Direction, Flow, Item, Layout, Room, layout_in_view};

/// Places the nodes of a request. An operand that does not come before its user is left out.
///
/// # Errors
/// A request of another form, or fewer bytes than it says.
pub fn answer(request: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let (flow, n) = read(request).ok_or_else(|| {
        format!("layout: got the request `{request}`, expected such as `across 700 3`")
    })?;
    let (words, _) = bytes.as_chunks::<4>();
    let items = n
        .checked_mul(4)
        .and_then(|n_words| words.split_at_checked(n_words))
        .map(|(nodes, src)| items(nodes, n, src))
        .ok_or_else(|| format!("layout: got {} bytes for {n} nodes", bytes.len()))?;
    Ok(flat(&layout_in_view(&items, flow)))
}

fn read(request: &str) -> Option<(Flow, usize)> {
    let mut words = request.split(' ');
    let direction = match words.next()? {
        "across" => Direction::Across,
        "down" => Direction::Down,
        _ => return None,
    };
    let row = words.next()?.parse().ok()?;
    let n = words.next()?.parse().ok()?;
    Some((Flow { direction, row }, n))
}

fn items(nodes: &[[u8; 4]], n: usize, src: &[[u8; 4]]) -> Vec<Item> {
    let (counts, rooms) = nodes.split_at(n);
    let mut src = src.iter().map(|&word| u32::from_le_bytes(word) as usize);
    let node = |(i, (&count, room)): (usize, (&[u8; 4], &[[u8; 4]; 3]))| {
        let [along, before, after] = room.map(f32::from_le_bytes);
        let n_operands = u32::from_le_bytes(count) as usize;
        Item {
            src: src.by_ref().take(n_operands).filter(|&s| s < i).collect(),
            room: Room {
                along,
                before,
                after,
            },
        }
    };
    let rooms = rooms.as_chunks::<3>().0;
    counts.iter().zip(rooms).enumerate().map(node).collect()
}

fn flat(placed: &Layout) -> Vec<u8> {
    let mut out = vec![placed.width, placed.height];
    out.extend(placed.centres.iter().flatten());
    for points in placed.edges.iter().flatten() {
        out.push(points.len() as f32);
        out.extend(points.iter().flatten());
    }
    out.into_iter().flat_map(f32::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::answer;

    fn asked(request: &str, counts: &[u32], src: &[u32]) -> Result<Vec<f32>, String> {
        let rooms = vec![56.0_f32; 3 * counts.len()];
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut bytes: Vec<u8> = words(counts);
        bytes.extend(rooms.into_iter().flat_map(f32::to_le_bytes));
        bytes.extend::<Vec<u8>>(words(src));
        let places = answer(request, &bytes)?;
        let (places, rest) = places.as_chunks::<4>();
        assert!(rest.is_empty());
        Ok(places
            .iter()
            .map(|&word| f32::from_le_bytes(word))
            .collect())
    }

    #[test]
    fn a_chain_is_placed_to_the_right_or_down() {
        let across = asked("across 0 3", &[0, 1, 1], &[0, 1]).unwrap();
        let [_, _, x0, y0, x1, y1, x2, y2, points @ ..] = across.as_slice() else {
            panic!("{across:?}");
        };
        assert!(x0 < x1 && x1 < x2 && y0 == y1 && y1 == y2, "{across:?}");
        assert_eq!(points, [0.0, 0.0], "neighbours need no way points");
        let down = asked("down 0 3", &[0, 1, 1], &[0, 1]).unwrap();
        assert!(down[3] < down[5] && down[2] == down[4], "{down:?}");
    }

    #[test]
    fn a_graph_of_many_rows_has_longer_ones() {
        for (n, longest, highest) in [(40_u32, 700.0, 2.0), (3_000, 9_000.0, 4.0)] {
            let counts: Vec<u32> = (0..n).map(|i| u32::from(i > 0)).collect();
            let src: Vec<u32> = (0..n - 1).collect();
            let places = asked(&format!("across 700 {n}"), &counts, &src).unwrap();
            let (width, height) = (places[0], places[1]);
            assert!(width <= longest, "{n} nodes: {width} long");
            assert!(
                height <= highest * width,
                "{n} nodes: {height} high, {width} long"
            );
        }
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for request in ["", "up 0 1", "across", "across 0 -1", "across far 1"] {
            assert!(answer(request, &[]).unwrap_err().contains("expected"));
        }
        let short = answer("across 0 3", &[0; 40]).unwrap_err();
        assert_eq!(short, "layout: got 40 bytes for 3 nodes");
        let endless = answer(&format!("across 0 {}", usize::MAX), &[]);
        assert!(endless.is_err());
        // An operand that is its own user, and one that is missing.
        assert!(asked("across 0 2", &[1, 2], &[0]).is_ok());
    }
}
