//! The order of the nodes within each layer, with few crossings.

use super::crossings::crossings;
use super::{Chains, Item, Slot, rounds};

/// Rounds of sweeping; more gain nothing on graphs a person reads.
const ORDER_ROUNDS: usize = 12;

/// Depth first from the last items through their operands, so that the first operand stands above
/// the second.
pub(super) fn initial_order(items: &[Item], slots: &[Slot], chains: &Chains) -> Vec<usize> {
    let mut seen = vec![false; slots.len()];
    let mut order = Vec::with_capacity(slots.len());
    for end in (0..items.len()).rev() {
        let mut stack = vec![end];
        while let Some(at) = stack.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            order.push(at);
            if let Some(item) = items.get(at) {
                for (operand, &s) in item.src.iter().enumerate().rev() {
                    stack.push(s);
                    stack.extend(chains[at][operand].iter().copied());
                }
            }
        }
    }
    order
}

/// Barycentre sweeps to and fro; keeps the order with the fewest crossings.
pub(super) fn sweep(slots: &[Slot], filled: &mut Vec<Vec<usize>>) {
    let mut position = vec![0.0f32; slots.len()];
    let number = |filled: &[Vec<usize>], position: &mut [f32]| {
        for row in filled {
            for (i, &s) in row.iter().enumerate() {
                position[s] = i as f32;
            }
        }
    };
    number(filled, &mut position);
    let mut best = (crossings(slots, filled, &position), filled.clone());
    for round in 0..rounds(ORDER_ROUNDS, slots.len()) {
        let forward = round % 2 == 1;
        let n = filled.len();
        for step in 1..n {
            let r = if forward { step } else { n - 1 - step };
            let mean = |s: usize| {
                let side = if forward {
                    &slots[s].before
                } else {
                    &slots[s].after
                };
                match side.len() {
                    0 => position[s],
                    k => side.iter().map(|&o| position[o]).sum::<f32>() / k as f32,
                }
            };
            let mut keyed: Vec<(f32, usize)> = filled[r].iter().map(|&s| (mean(s), s)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            filled[r] = keyed.into_iter().map(|(_, s)| s).collect();
            for (i, &s) in filled[r].iter().enumerate() {
                position[s] = i as f32;
            }
        }
        let crossed = crossings(slots, filled, &position);
        if crossed < best.0 {
            best = (crossed, filled.clone());
        }
    }
    *filled = best.1;
}
