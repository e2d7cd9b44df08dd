//! The lessons of the course are complete: all sections, enough questions, links that lead
//! somewhere. That their code does what it says is `glow lesson verify`.

use std::path::Path;

use glowgrad_lesson::{Block, Files, Lesson, load_all, pieces};

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

/// How the words sound (look.md): no exclamation marks outside code. Words that are banned, in other prose too, are a rule of
/// `cargo lab test tidy`.
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
            }
        }
    }
}

/// A longer line of code is cut off beside the stage in a window of 1,366 pixels.
#[test]
fn lines_of_cells_fit_beside_the_stage() {
    const MOST: usize = 58;
    for lesson in course() {
        for block in &lesson.blocks {
            let Block::Cell { id, source } = block else {
                continue;
            };
            let long = source.lines().find(|line| line.chars().count() > MOST);
            assert_eq!(
                long, None,
                "{}, {id}: more than {MOST} characters",
                lesson.slug
            );
        }
    }
}

#[test]
fn pieces_of_mine_have_names_of_their_own() {
    let lesson = |exercise: &str, name: &str| {
        format!(
            "---\ntitle: t\npart: p\nminutes: 1\noutcome: o\nstage: graph of cell-1\n---\n\
             ```python cell\nx\n```\n:::exercise {exercise}\nmine: {name}\n### E\nDo.\n\
             #### Hint\n1\n#### Hint\n2\n#### Hint\n3\n:::\n"
        )
    };
    let course = |second: &str| {
        let mut files = Vec::new();
        for (folder, exercise, name) in [("01-a", "e", "f"), ("02-b", "g", second)] {
            files.push((format!("{folder}/lesson.md"), lesson(exercise, name)));
            let below = format!("{folder}/exercises/{exercise}");
            files.push((format!("{below}/start.py"), "1".to_owned()));
            files.push((format!("{below}/solution.py"), "2".to_owned()));
            let checks = "def check_a():\n    \"\"\"A.\"\"\"\n".to_owned();
            files.push((format!("{below}/checks.py"), checks));
        }
        files.into_iter().collect::<Files>().lessons()
    };
    let lessons = course("h").unwrap();
    let found: Vec<(&str, &str, u32)> = pieces(&lessons)
        .iter()
        .map(|piece| (piece.name, piece.lesson, piece.number))
        .collect();
    assert_eq!(found, [("f", "a", 1), ("h", "b", 2)]);
    assert_eq!(
        course("f").unwrap_err().to_string(),
        "02-b/lesson.md:1: mine: f of the exercise g; expected another name than that of the exercise e"
    );
}

/// The program beside the last lesson says that it holds the lesson's own cells.
#[test]
fn the_program_of_the_capstone_is_made_of_its_cells() {
    let lessons = course();
    let lesson = lessons.last().expect("a course");
    let cells: Vec<&str> = lesson
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Cell { source, .. } => Some(source.as_str()),
            _ => None,
        })
        .collect();
    let program = format!(
        "../../lessons/{:02}-{}/mnist.py",
        lesson.number, lesson.slug
    );
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join(program);
    let text = std::fs::read_to_string(program).expect("the program");
    let (own, _) = text
        .split_once("# Here the lesson's cells end.")
        .expect("the line");
    let mut parts = own.trim_end().split("\n\n\n");
    let imports = parts.next().expect("the imports");
    assert!(imports.contains("from mine import"), "{imports}");
    for part in parts {
        assert!(
            cells.iter().any(|cell| cell.contains(part)),
            "in no cell:\n{part}"
        );
    }
}

#[test]
fn every_translation_fits_and_is_up_to_date() {
    let lessons = course();
    let slugs: Vec<&str> = lessons.iter().map(|lesson| lesson.slug.as_str()).collect();
    for lesson in &lessons {
        for translation in &lesson.translations {
            assert_eq!(translation.gaps(&slugs), [""; 0], "{}", lesson.slug);
        }
    }
}

/// The minutes are those of a reader who does it all.
#[test]
fn minutes_are_what_a_lesson_takes() {
    for lesson in course() {
        let (said, expected) = (f64::from(lesson.minutes), lesson.estimated_minutes());
        assert!(
            (said - expected).abs() <= 0.15 * expected + 1.0,
            "{}: minutes: {said}; expected about {expected:.0}",
            lesson.slug
        );
    }
}
