//! What the learner is told, as coverage: an input that brings a new message is kept by the fuzzer.
//!
//! Much of what is held is written in Python, whose lines the compiler's counters do not see; its messages
//! say which way was taken. Digits and quoted parts of a message count as the same.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU8, Ordering};

const COUNTERS: usize = 1 << 12;

// SAFETY: the section belongs to libFuzzer, which reads bytes there beside the compiler's counters, and sets
// them to 0 before each input; atomics may be written from outside at any time.
#[used]
#[unsafe(link_section = "__libfuzzer_extra_counters")]
static SEEN: [AtomicU8; COUNTERS] = [const { AtomicU8::new(0) }; COUNTERS];

/// Counts an outcome.
pub fn count(outcome: &str) {
    for line in outcome.lines().take(16) {
        let mut hasher = DefaultHasher::new();
        for (index, part) in line.split(['\'', '"', '`']).enumerate() {
            if index % 2 == 0 {
                part.chars()
                    .filter(|c| c.is_ascii_alphabetic())
                    .for_each(|c| c.hash(&mut hasher));
            }
        }
        let place = hasher.finish() as usize % COUNTERS;
        SEEN[place].store(1, Ordering::Relaxed);
    }
}
