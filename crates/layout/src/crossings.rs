//! How many edges cross for an order of the layers.

use super::Slot;

/// Pairs of edges that cross, counted layer by layer by inversions.
pub(super) fn crossings(slots: &[Slot], filled: &[Vec<usize>], position: &[f32]) -> usize {
    filled
        .iter()
        .map(|layer| {
            let mut ends: Vec<f32> = Vec::new();
            for &s in layer {
                let mut here: Vec<f32> = slots[s].after.iter().map(|&o| position[o]).collect();
                here.sort_by(f32::total_cmp);
                ends.extend(here);
            }
            inversions(ends)
        })
        .sum()
}

/// Pairs out of order, counted while merging.
fn inversions(mut values: Vec<f32>) -> usize {
    let n = values.len();
    let mut merged = values.clone();
    let mut count = 0;
    let mut run = 1;
    while run < n {
        for start in (0..n).step_by(2 * run) {
            let (middle, end) = ((start + run).min(n), (start + 2 * run).min(n));
            let (mut left, mut right) = (start, middle);
            for slot in &mut merged[start..end] {
                let from_left = left < middle && (right >= end || values[left] <= values[right]);
                let from = if from_left { &mut left } else { &mut right };
                *slot = values[*from];
                *from += 1;
                if !from_left {
                    count += middle - left;
                }
            }
        }
        std::mem::swap(&mut values, &mut merged);
        run *= 2;
    }
    count
}
