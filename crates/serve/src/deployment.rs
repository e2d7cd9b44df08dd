//! Files that put a model on a server: a Dockerfile, a compose file and a systemd unit, with the model and this program.
//!
//! Invariant: what is written names no file outside its folder but those that it installs itself, and no token.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::model::weights_of;

/// The files, by name; `MODEL` stands for the model's file.
const FILES: [(&str, &str); 3] = [
    ("Dockerfile", include_str!("deployment/Dockerfile")),
    ("compose.yaml", include_str!("deployment/compose.yaml")),
    (
        "glow-serve.service",
        include_str!("deployment/glow-serve.service"),
    ),
];

/// Writes the files, the model and this program into a folder; gives a line about each.
///
/// # Errors
/// When something cannot be read or written.
pub(crate) fn write(folder: &Path, model: &Path, weights: Option<&Path>) -> Result<Vec<String>> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let end = model.extension().unwrap_or_default().to_string_lossy();
    let name = format!("model.{}", end.to_ascii_lowercase());
    let mut lines = Vec::new();
    let mut done = |path: PathBuf| lines.push(format!("wrote {}", path.display()));
    for (file, text) in FILES {
        let path = folder.join(file);
        fs::write(&path, text.replace("MODEL", &name))
            .with_context(|| format!("cannot write {}", path.display()))?;
        done(path);
    }
    let program = std::env::current_exe().context("cannot find this program's file")?;
    let mut copies = vec![(program, "glow"), (model.to_owned(), &name)];
    if name == "model.json" {
        copies.push((weights_of(model, weights), "model.safetensors"));
    }
    for (from, to) in copies {
        let path = folder.join(to);
        fs::copy(&from, &path)
            .with_context(|| format!("cannot copy {} to {}", from.display(), path.display()))?;
        done(path);
    }
    Ok(lines)
}
