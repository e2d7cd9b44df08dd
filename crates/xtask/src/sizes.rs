//! What the site weighs, and the budgets it must keep.
//!
//! Invariant: a number here is what a browser receives from a host that compresses with gzip, as
//! `serve` does. The first load is what the entry page pulls in statically, with the worker and the
//! small module; the browser tests measure the same over the wire.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::lab::{self, Lab};
use crate::wasm::{self, Build};

/// First load over the wire, gzip, in bytes: page, worker, engine.
pub(crate) const FIRST_LOAD_BUDGET: u64 = 350 * 1024;
/// The same with Python.
pub(crate) const WITH_PYTHON_BUDGET: u64 = 3_300 * 1024;
/// The first cell of the first lesson: also its text, the editor and the engine that lays its graph out.
pub(crate) const FIRST_CELL_BUDGET: u64 = 3_500 * 1024;

/// Files smaller than this share one line of the table.
const SMALL: u64 = 8 * 1024;

/// Bytes of a file as it is and compressed.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Size {
    raw: u64,
    gzip: u64,
}

impl Size {
    fn add(self, other: Size) -> Size {
        Size {
            raw: self.raw + other.raw,
            gzip: self.gzip + other.gzip,
        }
    }
}

/// Gzip at the level that static hosts use.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    // Writing to memory does not fail; an empty answer would show at once in every test.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Whether hosts compress files of this kind.
pub(crate) fn is_compressible(path: &Path) -> bool {
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or("");
    !matches!(
        extension,
        "woff2" | "woff" | "png" | "jpg" | "jpeg" | "webp" | "avif" | "gz" | "br" | "zip"
    )
}

/// Prints the table of the built site, and fails when a budget is broken.
pub(crate) fn report(lab: &Lab, dist: &Path) -> Result<()> {
    let files = lab::files_below(dist)?;
    let mut sizes = Vec::new();
    for file in &files {
        sizes.push((file.clone(), measure(file)?));
    }
    sizes.sort_by_key(|(_, size)| std::cmp::Reverse(size.gzip));
    let first = first_load(lab, dist, &files)?;
    let mut python = modules(lab, &files, Build::Python)?;
    let glue = |file: &&PathBuf| is_glue(file) && knows_gpu(file);
    python.extend(files.iter().filter(glue).cloned());

    println!();
    println!("{:<60} {:>11} {:>11}", "file", "raw", "gzip");
    let mut small = (0, Size::default());
    for (file, size) in &sizes {
        if size.gzip < SMALL {
            small = (small.0 + 1, small.1.add(*size));
            continue;
        }
        let name = file
            .strip_prefix(dist)
            .unwrap_or(file)
            .display()
            .to_string();
        let mark = if first.contains(file) { " ·" } else { "" };
        row(&format!("{name}{mark}"), *size);
    }
    row(
        &format!("{} files under {} KB", small.0, SMALL / 1024),
        small.1,
    );

    let total = |chosen: &dyn Fn(&Path) -> bool| {
        sizes
            .iter()
            .filter(|(file, _)| chosen(file))
            .fold(Size::default(), |sum, (_, size)| sum.add(*size))
    };
    let first_size = total(&|file| first.contains(file));
    let python_size = total(&|file| first.contains(file) || python.contains(file));
    row("first load (files marked ·)", first_size);
    row("first load and Python", python_size);
    println!();
    keep("first load", first_size.gzip, FIRST_LOAD_BUDGET)?;
    keep(
        "first load and Python",
        python_size.gzip,
        WITH_PYTHON_BUDGET,
    )
}

fn row(name: &str, size: Size) {
    println!(
        "{name:<60} {:>11} {:>11}",
        bytes(size.raw),
        bytes(size.gzip)
    );
}

/// `1234567` → `1,205.6 KB`.
pub(crate) fn bytes(count: u64) -> String {
    let tenths = (count * 10).div_ceil(1024);
    let (whole, tenth) = (tenths / 10, tenths % 10);
    if whole >= 1000 {
        format!("{},{:03}.{tenth} KB", whole / 1000, whole % 1000)
    } else {
        format!("{whole}.{tenth} KB")
    }
}

fn keep(name: &str, size: u64, budget: u64) -> Result<()> {
    if size > budget {
        bail!(
            "the {name} is {} gzip, over its budget of {}: the table above shows what weighs",
            bytes(size),
            bytes(budget)
        );
    }
    println!("{name}: {} of {} gzip", bytes(size), bytes(budget));
    Ok(())
}

/// Measures a file.
fn measure(file: &Path) -> Result<Size> {
    let content = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let raw = content.len() as u64;
    let gzip = match is_compressible(file) {
        true => gzip(&content).len() as u64,
        false => raw,
    };
    Ok(Size { raw, gzip })
}

/// The built copies of one build's module, told by their contents: a bundler renames them.
fn modules(lab: &Lab, files: &[PathBuf], build: Build) -> Result<BTreeSet<PathBuf>> {
    let source = lab
        .path(wasm::DESTINATION)
        .join(build.name())
        .join(wasm::MODULE);
    let wanted = fs::read(&source).with_context(|| format!("cannot read {}", source.display()))?;
    Ok(files
        .iter()
        .filter(|file| {
            file.extension()
                .is_some_and(|extension| extension == "wasm")
        })
        .filter(|file| fs::read(file).is_ok_and(|content| content == wanted))
        .cloned()
        .collect())
}

/// The files of a first visit: the page, what it names, what those import statically, the worker
/// with its glue, and the engine.
fn first_load(lab: &Lab, dist: &Path, files: &[PathBuf]) -> Result<BTreeSet<PathBuf>> {
    let mut found = modules(lab, files, Build::Engine)?;
    let page = dist.join("index.html");
    let html =
        fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))?;
    let mut pending: Vec<PathBuf> = named_in_page(&html)
        .into_iter()
        .map(|name| dist.join(name.trim_start_matches("./")))
        .collect();
    pending.extend(files.iter().filter(|file| is_of_worker(file)).cloned());
    found.insert(page);
    while let Some(file) = pending.pop() {
        if !file.is_file() || !found.insert(file.clone()) {
            continue;
        }
        if file.extension().is_some_and(|extension| extension == "js") {
            let code = fs::read_to_string(&file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            let folder = file.parent().unwrap_or(dist);
            pending.extend(
                imported(&code)
                    .into_iter()
                    .map(|name| folder.join(name.trim_start_matches("./"))),
            );
        }
    }
    Ok(found)
}

/// Whether a script is the worker's, or the glue of the engine. The glue of the build with Python is told by
/// the GPU, which it alone knows, and counts with Python.
fn is_of_worker(file: &Path) -> bool {
    name_of(file).contains("worker") && name_of(file).ends_with(".js")
        || is_glue(file) && !knows_gpu(file)
}

fn is_glue(file: &Path) -> bool {
    name_of(file).starts_with("glowgrad_web") && name_of(file).ends_with(".js")
}

fn knows_gpu(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|code| code.contains("requestAdapter"))
}

fn name_of(file: &Path) -> &str {
    let name = file.file_name().and_then(|name| name.to_str());
    name.unwrap_or("")
}

/// The values of `src` and `href` that name files of this site.
fn named_in_page(html: &str) -> Vec<&str> {
    quoted_after(html, &[" src=", " href="])
        .into_iter()
        .filter(|name| name.starts_with("./"))
        .collect()
}

/// What a bundled script imports statically: `from"./a.js"` and `import"./a.js"`.
fn imported(code: &str) -> Vec<&str> {
    quoted_after(code, &["from", "import", "from ", "import "])
        .into_iter()
        .filter(|name| name.starts_with("./") && name.ends_with(".js"))
        .collect()
}

fn quoted_after<'a>(text: &'a str, markers: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    for marker in markers {
        for (at, _) in text.match_indices(marker) {
            let rest = &text[at + marker.len()..];
            let Some(quote) = rest
                .chars()
                .next()
                .filter(|char| matches!(char, '"' | '\'' | '`'))
            else {
                continue;
            };
            if let Some((inside, _)) = rest[1..].split_once(quote) {
                found.push(inside);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::Scratch;

    #[test]
    fn a_first_load_follows_static_imports_only() {
        let scratch = Scratch::new("first-load");
        let root = &scratch.0;
        scratch.file("www/src/wasm/engine/glowgrad_web_bg.wasm", "engine");
        scratch.file("www/src/wasm/python/glowgrad_web_bg.wasm", "python");
        scratch.file(
            "dist/index.html",
            r#"<link rel="icon" href="https://elsewhere/x.js"><script type="module" src="./assets/index.js"></script>"#,
        );
        scratch.file(
            "dist/assets/index.js",
            r#"import{a as b}from"./shared.js";b(()=>import("./lazy.js"));"#,
        );
        scratch.file("dist/assets/shared.js", r#"import"./deep.js";"#);
        scratch.file("dist/assets/deep.js", "");
        scratch.file("dist/assets/lazy.js", "");
        scratch.file("dist/assets/engine-1.wasm", "engine");
        scratch.file("dist/assets/python-2.wasm", "python");
        scratch.file("dist/assets/worker-3.js", "");
        let lab = Lab {
            root: root.clone(),
            target: root.join("target"),
            work: root.join("target/lab"),
        };
        let dist = root.join("dist");
        let files = lab::files_below(&dist).unwrap();

        let first = first_load(&lab, &dist, &files).unwrap();
        let names: Vec<_> = first
            .iter()
            .map(|file| file.file_name().unwrap().to_str().unwrap())
            .collect();
        assert_eq!(
            names,
            [
                "deep.js",
                "engine-1.wasm",
                "index.js",
                "shared.js",
                "worker-3.js",
                "index.html"
            ]
        );
        let python = modules(&lab, &files, Build::Python).unwrap();
        assert_eq!(
            python.into_iter().collect::<Vec<_>>(),
            [dist.join("assets/python-2.wasm")]
        );
        report(&lab, &dist).unwrap();
    }

    #[test]
    fn a_broken_budget_is_an_error_with_both_numbers() {
        let error = keep("first load", 2048, 1024).unwrap_err().to_string();
        assert!(
            error.contains("2.0 KB gzip") && error.contains("budget of 1.0 KB"),
            "{error}"
        );
        keep("first load", 1024, 1024).unwrap();
    }

    #[test]
    fn bytes_are_rounded_up_to_tenths_of_a_kilobyte() {
        assert_eq!(bytes(0), "0.0 KB");
        assert_eq!(bytes(1025), "1.1 KB");
        assert_eq!(bytes(1_234_567), "1,205.7 KB");
    }

    #[test]
    fn compression_is_real() {
        let text = vec![b'a'; 10_000];
        let packed = gzip(&text);
        assert!(packed.len() < 100);
        let mut back = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed[..]), &mut back)
            .unwrap();
        assert_eq!(back, text);
    }
}
