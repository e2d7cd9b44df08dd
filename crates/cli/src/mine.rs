//! `mine`, the library that a learner builds in the course, as a folder of this computer.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::lab::Talk;

/// Puts the pieces of a folder into a session, where lessons import them.
pub(crate) fn put(talk: &mut Talk, folder: &Path) -> Result<()> {
    let unreadable = |path: &Path| format!("cannot read {}", path.display());
    for entry in fs::read_dir(folder).with_context(|| unreadable(folder))? {
        let path = entry.with_context(|| unreadable(folder))?.path();
        let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) else {
            continue;
        };
        if path.extension().is_some_and(|extension| extension == "py") {
            let text = fs::read_to_string(&path).with_context(|| unreadable(&path))?;
            talk.put_file(&format!("mine/{name}.py"), &text)?;
        }
    }
    Ok(())
}
