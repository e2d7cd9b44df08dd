//! The picture of the crates and the tables of layers that ARCHITECTURE shows.
//!
//! Invariant: what stands between the two marks there is what the sources say; `cargo lab layers --write` writes
//! it, and tidy compares.

use std::fmt::Write;

use super::layers::Layers;
use super::{Finding, layers_crates, layers_www};

/// The file that shows them.
pub(super) const FILE: &str = "ARCHITECTURE.md";

const BEGIN: &str = "<!-- written by `cargo lab layers --write` -->\n";
const END: &str = "<!-- up to here -->";

/// The crates and what they depend on, tests apart.
fn crates<'a>(sources: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Layers {
    let manifests = sources.filter_map(|(path, text)| {
        let name = path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
        Some((name, path, text)).filter(|(name, ..)| !name.contains('/'))
    });
    let mut layers = Layers::new(
        "crates".to_owned(),
        manifests.clone().map(|(name, ..)| name),
    );
    for (name, path, text) in manifests {
        let mut counts = false;
        for (index, line) in text.lines().enumerate() {
            if line.starts_with('[') {
                counts = line.contains("dependencies") && !line.contains("dev-dependencies");
            }
            let key = line.split(['.', '=', ' ']).next().unwrap_or("");
            let used = key.strip_prefix("glowgrad-").unwrap_or(key);
            if counts && key.starts_with("glowgrad") {
                layers.import(name, used, path, index + 1);
            }
        }
    }
    layers
}

/// The text between the marks.
fn text<'a>(sources: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> String {
    let mut text = String::from("```mermaid\ngraph TD\n");
    for (from, to) in crates(sources.clone()).direct() {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {from} --> {to}");
    }
    text += "```\n";
    let tensor = layers_crates::read(sources.clone()).into_iter();
    for layers in tensor.filter(|layers| layers.is_of("modules of crates/tensor/src")) {
        let _ = write!(text, "\nThe {}", layers.table());
    }
    let _ = write!(text, "\nThe {}", layers_www::read(sources).table());
    text
}

/// The file with the text as the sources have it now.
///
/// # Errors
/// When a mark is missing.
pub(super) fn written<'a>(
    file: &str,
    sources: impl Iterator<Item = (&'a str, &'a str)> + Clone,
) -> Result<String, String> {
    let missing = |mark: &str| format!("the line `{}` is missing", mark.trim_end());
    let (before, rest) = file.split_once(BEGIN).ok_or_else(|| missing(BEGIN))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| missing(END))?;
    Ok(format!("{before}{BEGIN}{}{END}{after}", text(sources)))
}

/// Says so when the file is older than the sources.
pub(super) fn findings<'a>(
    sources: impl Iterator<Item = (&'a str, &'a str)> + Clone,
) -> Option<(String, Finding)> {
    let (_, file) = sources.clone().find(|(path, _)| *path == FILE)?;
    let message = match written(file, sources) {
        Ok(now) if now == file => return None,
        Ok(_) => {
            "shows other layers than the sources have; run `cargo lab layers --write`".to_owned()
        }
        Err(message) => message,
    };
    Some((FILE.to_owned(), Finding { line: 0, message }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCES: [(&str, &str); 3] = [
        ("crates/tensor/Cargo.toml", "[dependencies]\nhalf = \"2\"\n"),
        (
            "crates/cpu/Cargo.toml",
            "[dependencies]\nglowgrad-tensor.workspace = true\n",
        ),
        (
            "crates/gpu/Cargo.toml",
            "[dependencies]\nglowgrad-tensor.workspace = true\nglowgrad-cpu.workspace = true\n",
        ),
    ];

    #[test]
    fn the_picture_has_no_way_twice() {
        let text = text(SOURCES.into_iter());
        assert!(
            text.starts_with("```mermaid\ngraph TD\n  cpu --> tensor\n  gpu --> cpu\n```\n"),
            "{text}"
        );
    }

    #[test]
    fn an_old_text_is_found_and_written_anew() {
        let old = format!("# Title\n{BEGIN}old\n{END}\nrest\n");
        let mut sources = SOURCES.to_vec();
        sources.push((FILE, &old));
        let now = written(&old, sources.iter().copied()).expect("both marks are there");
        assert!(
            now.starts_with("# Title\n") && now.ends_with("\nrest\n") && !now.contains("old\n")
        );
        assert!(findings(sources.iter().copied()).is_some());
        let mut sources = SOURCES.to_vec();
        sources.push((FILE, &now));
        assert_eq!(findings(sources.iter().copied()), None);
    }

    #[test]
    fn a_missing_mark_is_named() {
        let sources = [(FILE, "nothing")];
        let (_, finding) = findings(sources.into_iter()).expect("a finding");
        assert!(
            finding.message.contains("written by"),
            "{}",
            finding.message
        );
    }
}
