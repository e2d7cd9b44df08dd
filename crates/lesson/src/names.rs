//! Names: of lesson folders, of blocks, of the files beside an exercise, of variables.
//!
//! All but variables are kebab-case, because they stand in links and in file names.

use crate::error::{LessonError, Result};

/// Number and slug of a folder `NN-slug`.
pub(crate) fn name_of(folder: &str, file: &str) -> Result<(u32, String)> {
    let parts = folder.split_once('-').and_then(|(number, slug)| {
        let whole = number.len() >= 2 && is_name(slug);
        whole.then(|| Some((number.parse().ok()?, slug.to_string())))?
    });
    parts.ok_or_else(|| {
        LessonError::new(
            file,
            0,
            format!("the folder {folder:?}"),
            "NN-slug, such as 05-graph-in-your-head",
        )
    })
}

/// Whether it is a name: lower case letters, digits and `-`, a letter first.
pub(crate) fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_lowercase())
        && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// Whether it may be a variable of Python, in ASCII.
pub(crate) fn is_variable(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// `TL;DR` → `tl-dr`.
pub(crate) fn slug_of(title: &str) -> String {
    let words = title
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}
