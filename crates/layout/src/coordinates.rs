//! Places within each layer: near the neighbours', in order, with room between.

use super::{Slot, rounds};

/// Space between neighbours of a layer.
const NODE_GAP: f32 = 12.0;
/// How much stronger an edge that passes a layer pulls than one between neighbouring layers: long edges are
/// kept straight before all else.
const STRAIGHTNESS: f32 = 4.0;
/// Rounds in which nodes follow their neighbours; more gain nothing on graphs a person reads.
const COORDINATE_ROUNDS: usize = 24;

/// Places across the direction that follow the neighbours of the same row, and keep order and gaps.
pub(super) fn across(slots: &[Slot], filled: &[Vec<usize>], row_of: &[usize]) -> Vec<f32> {
    let mut y = vec![0.0f32; slots.len()];
    for layer in filled {
        let wanted: Vec<f32> = vec![0.0; layer.len()];
        spread(slots, layer, &wanted, &vec![1.0; layer.len()], &mut y);
    }
    for round in 0..rounds(COORDINATE_ROUNDS, slots.len()) {
        let forward = round % 2 == 0;
        let n = filled.len();
        for step in 0..n {
            let at = if forward { step } else { n - 1 - step };
            let layer = &filled[at];
            let mut wanted = Vec::with_capacity(layer.len());
            let mut weights = Vec::with_capacity(layer.len());
            for &s in layer {
                let (mut sum, mut weight) = (0.0, 0.0);
                for &o in slots[s].before.iter().chain(&slots[s].after) {
                    if row_of[slots[o].layer] != row_of[at] {
                        continue;
                    }
                    let pull = if slots[s].passes || slots[o].passes {
                        STRAIGHTNESS
                    } else {
                        1.0
                    };
                    sum += y[o] * pull;
                    weight += pull;
                }
                wanted.push(if weight > 0.0 { sum / weight } else { y[s] });
                weights.push(if weight > 0.0 { weight } else { 0.01 });
            }
            spread(slots, layer, &wanted, &weights, &mut y);
        }
    }
    y
}

/// The places nearest to those wanted that keep order and gaps (pool adjacent violators).
fn spread(slots: &[Slot], layer: &[usize], wanted: &[f32], weights: &[f32], y: &mut [f32]) {
    let mut offsets = Vec::with_capacity(layer.len());
    let mut offset = 0.0;
    for (i, &s) in layer.iter().enumerate() {
        if i > 0 {
            offset += slots[layer[i - 1]].room.after + slots[s].room.before + NODE_GAP;
        }
        offsets.push(offset);
    }
    // Blocks of (weighted mean, weight, length).
    let mut blocks: Vec<(f32, f32, usize)> = Vec::new();
    for i in 0..layer.len() {
        let mut block = (wanted[i] - offsets[i], weights[i], 1);
        while let Some(&(mean, weight, len)) = blocks.last() {
            if mean <= block.0 {
                break;
            }
            blocks.pop();
            let total = weight + block.1;
            block = (
                (mean * weight + block.0 * block.1) / total,
                total,
                len + block.2,
            );
        }
        blocks.push(block);
    }
    let mut at = 0;
    for (mean, _, len) in blocks {
        for i in at..at + len {
            y[layer[i]] = mean + offsets[i];
        }
        at += len;
    }
}
