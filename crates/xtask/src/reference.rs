//! The op reference: `lessons/reference/` in the repository, and the JSON that the page reads.
//!
//! Both are written by `glow reference` from the ops' definitions. The JSON is made again only when
//! a crate that says something about ops, or computes the examples, has changed.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::lab::{self, Fingerprint, Lab};
use crate::step::{self, Outcome, Steps};
use crate::suite;

/// Where the pages are committed.
const PAGES: &str = "lessons/reference";

/// What the page reads; `site` keeps it when it writes the lessons.
pub(crate) const JSON: &str = "www/src/lessons/generated/reference.json";

/// The crates that decide what the reference says.
const SOURCES: [&str; 6] = [
    "crates/tensor",
    "crates/cpu",
    "crates/glowgrad/src",
    "crates/python",
    "crates/session/src",
    "crates/cli/src",
];

/// Writes the pages and the JSON anew.
pub(crate) fn write(lab: &Lab, steps: &mut Steps) -> Result<()> {
    steps.step("reference", || {
        let pages = lab.path(PAGES);
        generate(lab, Some(&pages))?;
        Ok(Outcome::Note(format!("{PAGES}/ is written")))
    })
}

/// Writes the JSON unless it is that of these sources already.
pub(crate) fn write_json(lab: &Lab) -> Result<Outcome> {
    if lab.path(JSON).is_file() && lab.is_stamped("reference", fingerprint(lab)?) {
        return Ok(Outcome::Unchanged);
    }
    generate(lab, None)?;
    Ok(Outcome::Done)
}

/// Fails when the committed pages are not what the definitions say.
pub(crate) fn is_fresh(lab: &Lab) -> Result<Outcome> {
    let fresh = lab.work.join("reference");
    let _ = std::fs::remove_dir_all(&fresh);
    generate(lab, Some(&fresh))?;
    let count = same_pages(&fresh, &lab.path(PAGES))?;
    Ok(Outcome::Note(format!("{count} pages")))
}

fn same_pages(fresh: &std::path::Path, committed: &std::path::Path) -> Result<usize> {
    let remedy = "run `cargo lab reference` and commit what it writes";
    let (left, right) = (lab::files_below(fresh)?, lab::files_below(committed)?);
    for file in &left {
        let name = file.strip_prefix(fresh).unwrap_or(file);
        if std::fs::read(file).ok() != std::fs::read(committed.join(name)).ok() {
            bail!("{PAGES}/{} is stale: {remedy}", name.display());
        }
    }
    for file in &right {
        let name = file.strip_prefix(committed).unwrap_or(file);
        if !fresh.join(name).is_file() {
            bail!(
                "{PAGES}/{} has no family of ops any more: {remedy}",
                name.display()
            );
        }
    }
    Ok(left.len())
}

/// Has `glow` write the JSON, and the pages where a folder is given.
fn generate(lab: &Lab, pages: Option<&PathBuf>) -> Result<()> {
    let fingerprint = fingerprint(lab)?;
    let mut glow = step::command(suite::build_glow(lab)?, &lab.root);
    glow.arg("reference").arg("--json").arg(lab.path(JSON));
    if let Some(folder) = pages {
        glow.arg("--out").arg(folder);
    }
    step::run(&mut glow, "the op at fault is above: mend its definition")?;
    lab.set_stamp("reference", fingerprint)
}

fn fingerprint(lab: &Lab) -> Result<u64> {
    let mut fingerprint = Fingerprint::default();
    for source in SOURCES {
        fingerprint.path(&lab.path(source))?;
    }
    Ok(fingerprint.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::Scratch;

    #[test]
    fn stale_missing_and_orphaned_pages_are_told_apart() {
        let scratch = Scratch::new("reference");
        let (fresh, committed) = (scratch.0.join("fresh"), scratch.0.join("committed"));
        let why = || same_pages(&fresh, &committed).unwrap_err().to_string();
        scratch.file("fresh/unary.md", "tanh");
        assert!(why().contains("unary.md is stale: run `cargo lab reference`"));
        scratch.file("committed/unary.md", "tan");
        assert!(why().contains("unary.md is stale"));
        scratch.file("committed/unary.md", "tanh");
        assert_eq!(same_pages(&fresh, &committed).unwrap(), 1);
        scratch.file("committed/gone.md", "");
        assert!(why().contains("gone.md has no family"));
    }
}
