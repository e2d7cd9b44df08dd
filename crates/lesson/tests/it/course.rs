//! The lessons of the course are complete: all sections, enough questions, links that lead
//! somewhere. That their code does what it says is `glow lesson verify`.

use std::path::Path;

use glowgrad_lesson::{Block, Lesson, load_all};

fn course() -> Vec<Lesson> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lessons");
    load_all(&root).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_lesson_is_complete() {
    let lessons = course();
    assert!(lessons.len() >= 3, "{} lessons", lessons.len());
    let slugs: Vec<&str> = lessons.iter().map(|lesson| lesson.slug.as_str()).collect();
    for lesson in &lessons {
        assert_eq!(lesson.gaps(&slugs), [""; 0], "{}", lesson.slug);
    }
}

#[test]
fn numbers_run_without_a_hole() {
    let numbers: Vec<u32> = course().iter().map(|lesson| lesson.number).collect();
    let expected: Vec<u32> = (1..=numbers.len() as u32).collect();
    assert_eq!(numbers, expected);
}

/// A quiz whose first answer is always right teaches only that.
#[test]
fn the_right_answer_stands_at_every_place() {
    let mut places = [0; 3];
    for lesson in course() {
        for block in &lesson.blocks {
            if let Block::Quiz { options, .. } = block {
                let place = options.iter().position(|option| option.correct).unwrap();
                places[place.min(2)] += 1;
            }
        }
    }
    assert!(places.iter().all(|&count| count >= 2), "{places:?}");
}

/// How the words sound (look.md): no exclamation marks outside code, and no "simply" or "just".
#[test]
fn the_prose_keeps_its_voice() {
    for lesson in course() {
        for block in &lesson.blocks {
            let texts = match block {
                Block::Prose { html } | Block::Predict { html, .. } => vec![html],
                Block::Exercise { html, hints, .. } => {
                    let mut texts = vec![html];
                    texts.extend(hints);
                    texts
                }
                Block::Quiz { html, options, .. } => {
                    let mut texts = vec![html];
                    for option in options {
                        texts.extend([&option.html, &option.explanation]);
                    }
                    texts
                }
                _ => continue,
            };
            for text in texts {
                let headed = !text.html().contains("<th></th>");
                assert!(headed, "{}: a column without a heading", lesson.slug);
                let mut words = String::new();
                for event in text.events() {
                    if let glowgrad_lesson::markdown::Event::Text(text) = event {
                        words.push_str(&text.to_lowercase());
                        words.push(' ');
                    }
                }
                assert!(!words.contains('!'), "{}: {words}", lesson.slug);
                for word in words.split(|c: char| !c.is_alphanumeric()) {
                    assert!(
                        !matches!(word, "simply" | "just"),
                        "{}: {word} in {words}",
                        lesson.slug
                    );
                }
            }
        }
    }
}
