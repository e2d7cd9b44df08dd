//! What the front matter says of the stage: the instrument and the cell that a lesson opens with.

use glowgrad_lesson::{Files, Lesson, OpeningInstrument, parse_lesson};
use serde_json::json;

use crate::parser::{FRONT, parse};

/// A lesson whose front matter says what the stage opens with.
fn opening(stage: &str, more: &[(&str, &str)]) -> Result<Lesson, String> {
    let front = FRONT.replace("outcome:", &format!("stage: {stage}\noutcome:"));
    let text = format!(
        "{front}```python cell\nx = 1\n```\n```python cell twice\ny = 2\n```\n```python cell\nz\n```\n"
    );
    let files: Files = more
        .iter()
        .copied()
        .chain([("01-sums/lesson.md", text.as_str())])
        .collect();
    parse_lesson("01-sums", &files).map_err(|error| error.to_string())
}

#[test]
fn the_stage_opens_with_the_run_of_a_cell_or_of_a_file() {
    let lesson = opening("memory of twice", &[]).unwrap();
    let found = lesson.opening.as_ref().unwrap();
    assert_eq!(found.instrument, OpeningInstrument::Memory);
    assert_eq!(
        found.runs(&lesson),
        [("cell-1", "x = 1\n"), ("twice", "y = 2\n")]
    );
    let json = serde_json::to_value(&lesson).unwrap();
    assert_eq!(
        json["opening"],
        json!({"instrument": "memory", "cell": "twice"})
    );

    let file = [("01-sums/opening.py", "print(1)\n")];
    let lesson = opening("kernels of opening.py", &file).unwrap();
    let found = lesson.opening.as_ref().unwrap();
    assert_eq!(found.runs(&lesson), [("opening.py", "print(1)\n")]);

    let gap = "nothing for the stage to open with; expected a line `stage: graph of cell-1` in the \
               front matter";
    assert!(parse("").gaps(&[]).iter().any(|said| said == gap));
    assert!(!lesson.gaps(&[]).iter().any(|said| said == gap));
}

#[test]
fn a_stage_that_cannot_open_is_named() {
    let complaint = |stage| opening(stage, &[]).unwrap_err();
    assert_eq!(
        complaint("plot of cell-1"),
        "01-sums/lesson.md:5: stage: plot of cell-1; expected graph, memory or kernels, then `of` and a \
         cell's id or opening.py"
    );
    assert_eq!(
        complaint("graph of cell-2"),
        "01-sums/lesson.md:5: the lesson has no cell \"cell-2\"; expected the id of a cell, or opening.py"
    );
    assert_eq!(
        complaint("graph of opening.py"),
        "01-sums/lesson.md:5: no file 01-sums/opening.py; expected Python"
    );
}
