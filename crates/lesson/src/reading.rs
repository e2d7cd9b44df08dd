//! How long a lesson takes.

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::lesson::{Block, Lesson};
use crate::rich::Rich;

/// What a reader who is new to it reads in a minute.
const WORDS_A_MINUTE: f64 = 200.0;
const LINES_A_MINUTE: f64 = 25.0;
/// What an exercise takes besides its text.
const MINUTES_AN_EXERCISE: f64 = 4.0;

#[derive(Default)]
struct Tally {
    words: usize,
    lines: usize,
    exercises: usize,
}

impl Tally {
    fn text(&mut self, text: &Rich) {
        let mut is_code = false;
        for event in text.events() {
            match event {
                Event::Start(Tag::CodeBlock(_)) => is_code = true,
                Event::End(TagEnd::CodeBlock) => is_code = false,
                Event::Text(text) if is_code => self.lines += text.lines().count(),
                Event::Text(text) => self.words += text.split_whitespace().count(),
                Event::Code(_) | Event::InlineMath(_) | Event::DisplayMath(_) => self.words += 1,
                _ => {}
            }
        }
    }
}

impl Lesson {
    /// Minutes that the lesson takes with all its cells, questions and exercises, estimated from its length.
    pub fn estimated_minutes(&self) -> f64 {
        let mut tally = Tally::default();
        for block in &self.blocks {
            match block {
                Block::Prose { html } | Block::Predict { html, .. } => tally.text(html),
                Block::Cell { source, .. } => tally.lines += source.lines().count(),
                // Hints are for those who ask.
                Block::Exercise { html, .. } => {
                    tally.text(html);
                    tally.exercises += 1;
                }
                Block::Quiz { html, options, .. } => {
                    tally.text(html);
                    for option in options {
                        tally.text(&option.html);
                        tally.text(&option.explanation);
                    }
                }
                Block::Section { .. } | Block::Widget { .. } => {}
            }
        }
        tally.words as f64 / WORDS_A_MINUTE
            + tally.lines as f64 / LINES_A_MINUTE
            + tally.exercises as f64 * MINUTES_AN_EXERCISE
    }
}
