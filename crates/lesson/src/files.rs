//! The files of a course, in memory.
//!
//! A lesson is parsed from texts in memory, so that the folder, the binary and a test give the same result.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

/// Texts by path below `lessons/`, with `/` between the parts.
#[derive(Debug, Clone, Default)]
pub struct Files(BTreeMap<String, String>);

impl Files {
    /// The `.md`, `.py` and `.diff` files below a folder.
    ///
    /// # Errors
    /// When the folder or a file in it cannot be read as UTF-8 text; the message names it.
    pub fn read(root: &Path) -> io::Result<Self> {
        let mut files = Self::default();
        files.read_below(root, "")?;
        Ok(files)
    }

    fn read_below(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        let named = |path: &Path, error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        };
        for entry in fs::read_dir(folder).map_err(|error| named(folder, error))? {
            let path = entry.map_err(|error| named(folder, error))?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
                continue;
            };
            let below = format!("{prefix}{name}");
            if path.is_dir() {
                self.read_below(&path, &format!("{below}/"))?;
            } else if matches!(
                path.extension().and_then(|e| e.to_str()),
                Some("md" | "py" | "diff")
            ) {
                let text = fs::read_to_string(&path).map_err(|error| named(&path, error))?;
                self.0.insert(below, text);
            }
        }
        Ok(())
    }

    /// The text at a path.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// The paths, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl<P: Into<String>, T: Into<String>> FromIterator<(P, T)> for Files {
    fn from_iter<I: IntoIterator<Item = (P, T)>>(files: I) -> Self {
        let files = files
            .into_iter()
            .map(|(path, text)| (path.into(), text.into()));
        Self(files.collect())
    }
}
