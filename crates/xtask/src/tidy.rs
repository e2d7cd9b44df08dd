//! Tidy: what every source file keeps, checked over the whole checkout in under a second.
//!
//! Here are the walk and the report; each rule is a function in `rules`. A rule looks at one file at a
//! time and says where and what to do, so that the list can be worked off from the top. What only all
//! files together show is in modules of their own: `layers` and its readers.

mod integration_tests;
mod layers;
mod layers_crates;
mod layers_www;
mod overview;
mod prose;
mod rules;
mod rust_tokens;
mod spelling;
mod voice;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};

use crate::lab::{self, Lab};
use crate::step::Outcome;

/// Folders that hold what tools made.
const SKIPPED_FOLDERS: [&str; 5] = [
    "target",
    "dist",
    "node_modules",
    "generated",
    "www/src/wasm",
];

/// Files that tools write.
const SKIPPED_FILES: [&str; 2] = ["Cargo.lock", "package-lock.json"];

/// What is looked at: text that people write.
const EXTENSIONS: [&str; 15] = [
    "rs", "ts", "svelte", "js", "mjs", "css", "wgsl", "cu", "py", "html", "md", "toml", "json",
    "sh", "yml",
];

/// One thing that is wrong.
#[derive(Debug, PartialEq)]
pub(crate) struct Finding {
    /// Counted from 1; 0 stands for the whole file.
    pub(crate) line: usize,
    pub(crate) message: String,
}

/// A file as the rules see it.
pub(crate) struct Source<'a> {
    /// From the repository's root, with forward slashes.
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
}

impl Source<'_> {
    pub(crate) fn extension(&self) -> &str {
        self.path
            .rsplit_once('.')
            .map_or("", |(_, extension)| extension)
    }

    /// Lines with their numbers, counted from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line))
    }
}

/// Checks every file, and prints what is wrong as `path:line: what`.
pub(crate) fn check(lab: &Lab) -> Result<Outcome> {
    let sources = read(lab)?;
    let mut found = Vec::new();
    found.extend(each(&sources, examine));
    found.extend(layers_www::read(pairs(&sources)).findings());
    let crates = layers_crates::read(pairs(&sources));
    found.extend(crates.iter().flat_map(layers::Layers::findings));
    found.extend(integration_tests::findings(pairs(&sources)));
    // A circle has no picture.
    if found.is_empty() {
        found.extend(overview::findings(pairs(&sources)));
    }
    let paths: Vec<&str> = sources.iter().map(|(path, _)| path.as_str()).collect();
    found.extend(rules::rows(&paths));
    report(&found, sources.len())
}

/// Checks the spelling of all prose; its dictionaries are npm packages, which must be installed.
pub(crate) fn check_spelling(lab: &Lab) -> Result<Outcome> {
    let speller = spelling::Speller::read(lab)?;
    let sources = read(lab)?;
    let found: Vec<_> = each(&sources, |source| speller.findings(source)).collect();
    report(&found, sources.len())
}

/// What a rule finds in each file.
fn each<'a>(
    sources: &'a [(String, String)],
    rule: impl Fn(&Source) -> Vec<Finding> + 'a,
) -> impl Iterator<Item = (String, Finding)> + 'a {
    sources.iter().flat_map(move |(path, text)| {
        let findings = rule(&Source { path, text }).into_iter();
        findings.map(|finding| (path.clone(), finding))
    })
}

fn report(found: &[(String, Finding)], files: usize) -> Result<Outcome> {
    for (path, finding) in found {
        println!("  {path}:{}: {}", finding.line, finding.message);
    }
    if !found.is_empty() {
        let count = found.len();
        bail!("tidy found {count} things: the lines above say where and what to do");
    }
    Ok(Outcome::Note(format!("{files} files")))
}

/// Writes the picture of the crates and the tables of layers into ARCHITECTURE.
pub(crate) fn write_layers(lab: &Lab) -> Result<()> {
    let sources = read(lab)?;
    let path = lab.root.join(overview::FILE);
    let file = fs::read_to_string(&path)?;
    let written = overview::written(&file, pairs(&sources));
    fs::write(
        &path,
        written.map_err(|what| anyhow!("{}: {what}", overview::FILE))?,
    )?;
    Ok(())
}

/// Prints the layers of every crate and of the front end, from the top down, as Markdown tables.
pub(crate) fn print_layers(lab: &Lab) -> Result<()> {
    let sources = read(lab)?;
    for layers in layers_crates::read(pairs(&sources)) {
        println!("{}", layers.table());
    }
    print!("{}", layers_www::read(pairs(&sources)).table());
    Ok(())
}

fn pairs(sources: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> + Clone {
    let sources = sources.iter();
    sources.map(|(path, text)| (path.as_str(), text.as_str()))
}

/// Path and text of every file that is looked at; what is not UTF-8 is not text.
fn read(lab: &Lab) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    collect(&lab.root, &lab.root, &mut files)?;
    let texts = files.into_iter().filter_map(|path| {
        let text = fs::read_to_string(lab.root.join(&path)).ok()?;
        Some((path, text))
    });
    Ok(texts.collect())
}

fn examine(source: &Source) -> Vec<Finding> {
    rules::ALL.iter().flat_map(|rule| rule(source)).collect()
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<String>) -> Result<()> {
    for path in lab::children(folder)? {
        let relative = relative(root, &path);
        let name = relative.rsplit('/').next().unwrap_or("");
        // Hidden folders belong to tools, but for the two that hold our own settings.
        let hidden = name.starts_with('.') && !matches!(name, ".cargo" | ".github");
        if path.is_symlink() || hidden || SKIPPED_FILES.contains(&name) {
            continue;
        }
        if path.is_dir() {
            if !SKIPPED_FOLDERS.contains(&name) && !SKIPPED_FOLDERS.contains(&relative.as_str()) {
                collect(root, &path, files)?;
            }
        } else if path
            .extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| EXTENSIONS.contains(&extension))
        {
            files.push(relative);
        }
    }
    Ok(())
}

fn relative(root: &Path, path: &Path) -> String {
    let relative: PathBuf = path.strip_prefix(root).unwrap_or(path).to_owned();
    relative.to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::Scratch;

    #[test]
    fn the_walk_sees_sources_and_passes_by_what_tools_made() {
        let scratch = Scratch::new("tidy");
        for path in [
            "a.rs",
            "www/src/b.ts",
            ".cargo/config.toml",
            ".git/c.toml",
            "target/d.rs",
            "www/src/wasm/engine/e.ts",
            "www/src/protocol/generated/F.ts",
            "Cargo.lock",
            "picture.png",
        ] {
            scratch.file(path, "");
        }
        let mut files = Vec::new();
        collect(&scratch.0, &scratch.0, &mut files).unwrap();
        assert_eq!(files, [".cargo/config.toml", "a.rs", "www/src/b.ts"]);
    }

    #[test]
    fn a_finding_fails_the_check() {
        let scratch = Scratch::new("tidy-fails");
        scratch.file("crates/a/src/lib.rs", "fn main() {}\n");
        let lab = Lab {
            root: scratch.0.clone(),
            target: scratch.0.clone(),
            work: scratch.0.clone(),
        };
        assert!(check(&lab).is_err());
        scratch.file("crates/a/src/lib.rs", "//! What it is.\nfn main() {}\n");
        assert!(check(&lab).is_ok());
    }
}
