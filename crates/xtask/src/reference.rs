//! The op reference: `lessons/reference/` in the repository, and the JSON that the page reads.
//!
//! Both are written by `glow reference` from the ops' definitions and committed, so that building the
//! site does not need a native Python; the page's JSON is a copy of the committed one.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::glow;
use crate::lab::{self, Lab};
use crate::step::{self, Outcome, Steps};

/// Where the pages are committed, and the JSON beside them.
const PAGES: &str = "lessons/reference";
const NAME: &str = "reference.json";
/// The rows of layers, losses and optimizers, which `glow reference` writes beside it.
const LAYERS: &str = "layers.json";

/// How many of PyTorch's names are here.
const COVERAGE: &str = "coverage.md";

/// Where the page reads them; `site` keeps both when it writes the lessons.
const FOR_PAGE: &str = "www/src/course/generated";

/// The files of the page: the reference, and the rows.
pub(crate) fn for_page(lab: &Lab) -> [PathBuf; 2] {
    [NAME, LAYERS].map(|name| lab.path(FOR_PAGE).join(name))
}

/// Writes the pages and the JSON anew.
pub(crate) fn write(lab: &Lab, steps: &mut Steps) -> Result<()> {
    steps.step("reference", || {
        let pages = lab.path(PAGES);
        generate(lab, &pages)?;
        Ok(Outcome::Note(format!("{PAGES}/ is written")))
    })
}

/// Writes the pages anew, and prints the table of PyTorch's names.
pub(crate) fn print_coverage(lab: &Lab, steps: &mut Steps) -> Result<()> {
    write(lab, steps)?;
    let page = std::fs::read_to_string(lab.path(PAGES).join(COVERAGE))
        .with_context(|| format!("{PAGES}/{COVERAGE} is missing"))?;
    let (table, _) = page.split_once("\n## Out of reach").unwrap_or((&page, ""));
    println!("{}", table.trim());
    Ok(())
}

/// Puts the committed JSON where the page finds it.
pub(crate) fn copy_json(lab: &Lab) -> Result<Outcome> {
    let mut outcome = Outcome::Unchanged;
    for target in for_page(lab) {
        let name = target.file_name().context("it has a name")?;
        let source = lab.path(PAGES).join(name);
        let text = std::fs::read(&source).with_context(|| {
            format!("{} is missing: run `cargo lab reference`", source.display())
        })?;
        if lab::write_if_changed(&target, &text)? {
            outcome = Outcome::Done;
        }
    }
    Ok(outcome)
}

/// Fails when the committed pages are not what the definitions say.
pub(crate) fn is_fresh(lab: &Lab) -> Result<Outcome> {
    let fresh = lab.work.join("reference");
    let _ = std::fs::remove_dir_all(&fresh);
    generate(lab, &fresh)?;
    let count = same_pages(&fresh, &lab.path(PAGES))?;
    Ok(Outcome::Note(format!("{count} pages")))
}

fn same_pages(fresh: &Path, committed: &Path) -> Result<usize> {
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

/// Has `glow` write the pages and the JSON into a folder.
fn generate(lab: &Lab, folder: &Path) -> Result<()> {
    let mut glow = step::command(glow::build(lab)?, &lab.root);
    glow.arg("reference").arg("--out").arg(folder);
    glow.arg("--json").arg(folder.join(NAME));
    step::run(&mut glow, "the op at fault is above: mend its definition")
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
