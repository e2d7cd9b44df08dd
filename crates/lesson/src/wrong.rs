//! The wrong submissions of an exercise: files `wrong-….diff` beside its start and its solution, which say what is
//! other than in the solution, or `wrong-….py`, written whole where little is the same.
//!
//! Each says in its first line what the learner who hands it in must be told, so that `glow lesson verify` finds a
//! check that fails for another reason, or with words that do not help.

use crate::edit;
use crate::error::{LessonError, Result};
use crate::files::Files;
use crate::lesson::Wrong;
use crate::names::is_name;

/// How the first line begins.
const MUST_SAY: &str = "# must say:";

/// The submissions in an exercise's folder (a path that ends with `/`), by name; `solution` is what their edits change.
pub(crate) fn read(files: &Files, folder: &str, solution: &str) -> Result<Vec<Wrong>> {
    let mut found = Vec::new();
    for path in files.paths() {
        let Some(file) = path.strip_prefix(folder) else {
            continue;
        };
        if file.starts_with("wrong") {
            found.push(submission(files, path, file, solution)?);
        }
    }
    Ok(found)
}

fn submission(files: &Files, path: &str, file: &str, solution: &str) -> Result<Wrong> {
    let (name, extension) = file.rsplit_once('.').unwrap_or((file, ""));
    let own = name.strip_prefix("wrong-").unwrap_or("");
    if !matches!(extension, "py" | "diff") || !is_name(own) {
        return Err(LessonError::new(
            path,
            0,
            format!("the file name {file:?}"),
            "wrong-….diff or wrong-….py, in lower case letters, digits and -",
        ));
    }
    let source = files.get(path).unwrap_or_default();
    let first = source.lines().next().unwrap_or("");
    let must_say = first.strip_prefix(MUST_SAY).map_or("", str::trim);
    if must_say.is_empty() {
        return Err(LessonError::new(
            path,
            1,
            format!("the first line {first:?}"),
            format!("{MUST_SAY} words of the message that the learner must see"),
        ));
    }
    if source.lines().skip(1).all(|line| line.trim().is_empty()) {
        return Err(LessonError::new(path, 2, "no code", "a wrong submission"));
    }
    let source = match extension {
        "diff" => {
            let lines: Vec<&str> = source.lines().skip(1).collect();
            edit::apply(&lines, solution).map_err(|misfit| {
                LessonError::new(path, misfit.line + 2, misfit.found, misfit.expected)
            })?
        }
        _ => source.to_string(),
    };
    Ok(Wrong {
        name: name.to_string(),
        must_say: must_say.to_string(),
        source,
    })
}
