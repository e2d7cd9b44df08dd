//! The pipeline from sources to `dist/`, as `cargo lab` and `cargo lab build` run it.
//!
//! Invariant: a second run with nothing changed compiles nothing, fetches nothing and bundles
//! nothing. Each step's own work is in its module; here is only the order.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::bindgen;
use crate::lab::{self, Fingerprint, Lab};
use crate::step::{self, Outcome, Steps};
use crate::wasm::{self, Build};
use crate::{prerequisites, reference};

const LESSONS: &str = "www/src/course/generated";

/// The lessons in other languages, a folder for each. What runs the lessons' cells does not depend on them.
const TRANSLATIONS: &str = "www/src/course/translations";

/// What each lesson's stage shows before anything has run, and the program that has the page's engine make it.
const OPENINGS: &str = "www/src/course/openings";
const OPENINGS_PROGRAM: &str = "www/build/openings.mjs";

/// Builds the static site. `shrunk` adds the size pass.
pub(crate) fn build(lab: &Lab, steps: &mut Steps, shrunk: bool) -> Result<()> {
    modules(lab, steps, shrunk)?;
    pages(lab, steps)
}

/// Builds the site around the modules that there are.
pub(crate) fn pages(lab: &Lab, steps: &mut Steps) -> Result<()> {
    steps.step("lessons", || write_lessons(lab))?;
    steps.step("op reference", || reference::copy_json(lab))?;
    steps.step("openings of the lessons", || write_openings(lab))?;
    steps.step("front end", || bundle(lab))
}

/// Builds the two modules of the page, and installs what that needs.
pub(crate) fn modules(lab: &Lab, steps: &mut Steps, shrunk: bool) -> Result<()> {
    packages(lab, steps)?;
    steps.step("wasm target", || {
        prerequisites::add_target(lab, prerequisites::WASM_TARGET)
    })?;
    steps.step("wasm-bindgen", || bindgen::install(lab))?;
    for build in Build::ALL {
        let name = build.name();
        steps.step(&format!("wasm: compile {name}"), || {
            wasm::compile(lab, build)
        })?;
        let bind = if shrunk { "bind and shrink" } else { "bind" };
        steps.step(&format!("wasm: {bind} {name}"), || {
            wasm::bind(lab, build, shrunk)
        })?;
    }
    steps.step("wasm: files and models", || wasm::answering(lab, shrunk))
}

/// Node and the npm packages: what the front end's own checks need.
pub(crate) fn packages(lab: &Lab, steps: &mut Steps) -> Result<()> {
    steps.step("Node", || prerequisites::check_node(lab))?;
    steps.step("npm packages", || prerequisites::install_packages(lab, ""))
}

/// The folder of the built site.
pub(crate) fn dist(lab: &Lab) -> PathBuf {
    lab.path("dist")
}

/// Parses every lesson and writes what the page reads: one file a lesson, an index without
/// the blocks, and the pieces of `mine`; lessons and index in other languages too.
pub(crate) fn write_lessons(lab: &Lab) -> Result<Outcome> {
    let lessons = glowgrad_lesson::load_all(&lab.path("lessons"))?;
    let folder = lab.path(LESSONS);
    let translations = lab.path(TRANSLATIONS);
    let mut written = BTreeSet::new();
    let mut changed = false;
    let mut put = |folder: &Path, name: &str, json: Vec<u8>| -> Result<()> {
        let path = folder.join(format!("{name}.json"));
        changed |= lab::write_if_changed(&path, &json)?;
        written.insert(path);
        Ok(())
    };
    let mut index = Vec::new();
    for lesson in &lessons {
        let json = serde_json::to_vec(lesson)
            .with_context(|| format!("lesson {} cannot be written as JSON", lesson.slug))?;
        put(&folder, &lesson.slug, json)?;
        index.push(lesson.summary());
    }
    let pieces = glowgrad_lesson::pieces(&lessons);
    put(&folder, "index", serde_json::to_vec(&index)?)?;
    put(&folder, "pieces", serde_json::to_vec(&pieces)?)?;

    for language in glowgrad_lesson::languages(&lessons) {
        let folder = translations.join(language);
        for lesson in &lessons {
            // A translation that does not fit over its lesson is told by `glow lesson verify`; the page has the English text.
            if let Some(Ok(translated)) = lesson.in_language(language) {
                put(&folder, &lesson.slug, serde_json::to_vec(translated)?)?;
            }
        }
        let contents = glowgrad_lesson::contents(&lessons, language);
        put(&folder, "index", serde_json::to_vec(&contents)?)?;
        let told = |lesson| {
            glowgrad_lesson::Lesson::in_language(lesson, language)
                .and_then(Result::ok)
                .unwrap_or(lesson)
        };
        let pieces = glowgrad_lesson::pieces(lessons.iter().map(told));
        put(&folder, "pieces", serde_json::to_vec(&pieces)?)?;
    }

    written.extend(reference::for_page(lab));

    // A lesson that was renamed must not live on.
    let mut there = lab::files_below(&folder)?;
    if translations.is_dir() {
        there.extend(lab::files_below(&translations)?);
    }
    for old in there {
        if !written.contains(&old) {
            fs::remove_file(&old).with_context(|| format!("cannot remove {}", old.display()))?;
            changed = true;
        }
    }
    Ok(if changed {
        Outcome::Note(format!("{} lessons", lessons.len()))
    } else {
        Outcome::Unchanged
    })
}

/// Runs the lessons' cells with the module that the page loads, when it or they have changed.
fn write_openings(lab: &Lab) -> Result<Outcome> {
    let mut fingerprint = Fingerprint::default();
    fingerprint
        .path(&lab.path(OPENINGS_PROGRAM))?
        .path(&lab.path(LESSONS))?
        .path(&lab.path(wasm::DESTINATION).join(Build::Python.name()))?;
    let fingerprint = fingerprint.finish();
    if lab.path(OPENINGS).is_dir() && lab.is_stamped("openings", fingerprint) {
        return Ok(Outcome::Unchanged);
    }
    step::run(
        step::command("node", &lab.root)
            .arg(OPENINGS_PROGRAM)
            .arg(wasm::for_node(lab)?),
        "it says above which cell left nothing to show",
    )?;
    lab.set_stamp("openings", fingerprint)?;
    Ok(Outcome::Done)
}

/// Bundles the front end with Vite when anything it reads has changed.
fn bundle(lab: &Lab) -> Result<Outcome> {
    let made = dist(lab).join("index.html");
    vite(lab, "site", "build", &made)
}

/// Bundles the npm package, which takes the page's modules, into `target/npm`.
pub(crate) fn package(lab: &Lab) -> Result<Outcome> {
    let made = lab.path("target/npm/package.json");
    vite(lab, "package", "package", &made)
}

/// Runs a script of package.json that bundles, when anything it reads has changed; `made` is its last file.
fn vite(lab: &Lab, stamp: &str, script: &str, made: &Path) -> Result<Outcome> {
    let mut fingerprint = Fingerprint::default();
    fingerprint
        .path(&lab.path("www"))?
        .path(&lab.path("lessons"))?;
    for file in lab::children(&lab.root)? {
        let read = ["html", "json", "js", "mjs", "ts"].map(OsStr::new);
        if file.is_file()
            && file
                .extension()
                .is_some_and(|extension| read.contains(&extension))
        {
            fingerprint.path(&file)?;
        }
    }
    let fingerprint = fingerprint.finish();
    if made.is_file() && lab.is_stamped(stamp, fingerprint) {
        return Ok(Outcome::Unchanged);
    }
    step::run(
        step::npm(&lab.root).args(["run", "--silent", script]),
        "Vite says above what is wrong",
    )?;
    lab.set_stamp(stamp, fingerprint)?;
    Ok(Outcome::Done)
}
