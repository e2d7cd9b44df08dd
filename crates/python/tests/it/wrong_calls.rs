//! Wrong calls raise PyTorch's exception with a message that says what was wrong; none panics.
//!
//! The rows are in `tests/wrong_calls/*.txt` (their form: the README there). Which exception PyTorch
//! raises is checked against PyTorch itself by `check_types.py` beside them, not here.

use std::panic::{AssertUnwindSafe, catch_unwind};

use glowgrad_python::PythonError;

use crate::common::lab;

/// What every row may use.
const PRELUDE: &str = "import glowgrad as torch\nimport glowgrad.nn as nn\n\
                       import glowgrad.nn.functional as F\nfrom math import inf, nan";

/// Classes that are RuntimeErrors in PyTorch and in Python.
const RUNTIME_ERRORS: &[&str] = &[
    "RuntimeError",
    "NotImplementedError",
    "LinAlgError",
    "_LinAlgError",
    "GradcheckError",
];

/// One line of the table.
struct Row {
    /// `file.txt:line`.
    place: String,
    kind: String,
    statement: String,
    /// Each must be in the message; `a/b` stands for one of the two.
    words: Vec<String>,
}

/// The words between commas. A comma within brackets belongs to a shape.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut depth) = (String::new(), 0);
    for character in text.chars() {
        match character {
            ',' if depth == 0 => {
                words.push(std::mem::take(&mut word));
                continue;
            }
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        word.push(character);
    }
    words.push(word);
    words.iter().map(|word| word.trim().to_owned()).collect()
}

/// All rows, by file and line.
fn rows() -> Vec<Row> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/wrong_calls");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the table is there")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".txt"))
        .collect();
    names.sort();
    let mut rows = Vec::new();
    for name in &names {
        let text = std::fs::read_to_string(folder.join(name)).expect(name);
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let place = format!("{name}:{}", index + 1);
            let (kind, rest) = line.split_once(" | ").expect(&place);
            let (statement, text) = rest.rsplit_once(" | ").expect(&place);
            let words = words(text);
            assert!(words.iter().all(|word| !word.is_empty()), "{place}: words");
            rows.push(Row {
                place,
                kind: kind.trim_start_matches('!').to_owned(),
                statement: statement.to_owned(),
                words,
            });
        }
    }
    rows
}

/// What differs between the table and what happened, if anything does.
fn disagreement(row: &Row, outcome: &Result<String, PythonError>) -> Option<String> {
    let Err(error) = outcome else {
        return Some(format!("expected {}, nothing was raised", row.kind));
    };
    let kind = error.kind.rsplit('.').next().unwrap_or_default();
    let is_runtime = row.kind == "RuntimeError" && RUNTIME_ERRORS.contains(&kind);
    if kind != row.kind && !is_runtime {
        return Some(format!("expected {}, got {error}", row.kind));
    }
    let missing = row
        .words
        .iter()
        .find(|word| !word.split('/').any(|either| error.message.contains(either)))?;
    Some(format!("expected {missing:?} in {error}"))
}

#[test]
fn wrong_calls_raise_what_pytorch_raises_and_say_why() {
    let mut rest = rows();
    let n_rows = rest.len();
    let mut wrong = Vec::new();
    // One lab runs them all. A panic leaves it in an unknown state, so the rest gets a new one.
    while !rest.is_empty() {
        let (found, left) = lab(move |lab| {
            lab.output(PRELUDE);
            let mut found = Vec::new();
            let mut rows = rest.into_iter();
            for row in rows.by_ref() {
                // A function of its own for every row: names of one row are unknown in the next.
                let source = format!("def row():\n    {}\nrow()", row.statement);
                let outcome = catch_unwind(AssertUnwindSafe(|| lab.run(&source)));
                let panicked = outcome.is_err();
                let difference = match &outcome {
                    Ok(outcome) => disagreement(&row, outcome),
                    Err(_) => Some("the engine panicked".to_owned()),
                };
                found.extend(
                    difference.map(|it| format!("{}: {}\n  {it}", row.place, row.statement)),
                );
                if panicked {
                    break;
                }
            }
            (found, rows.collect::<Vec<_>>())
        });
        wrong.extend(found);
        rest = left;
    }
    println!("{n_rows} rows, {} disagree", wrong.len());
    assert!(n_rows >= 200, "only {n_rows} rows");
    assert!(
        wrong.is_empty(),
        "{n_rows} rows, {} disagree\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
