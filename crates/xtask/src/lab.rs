//! Where things are, and what has been done already.
//!
//! `Lab` holds the paths that all commands share. A stamp is a file under `target/lab` that holds
//! the fingerprint of a step's inputs; a step whose stamp matches is not done again. The invariant:
//! a stamp is written only after its step succeeded.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::step;

/// The paths of this checkout.
pub(crate) struct Lab {
    /// The repository's root.
    pub(crate) root: PathBuf,
    /// Cargo's target directory.
    pub(crate) target: PathBuf,
    /// Ours in it: stamps and intermediate files.
    pub(crate) work: PathBuf,
}

impl Lab {
    /// Finds the repository from the crate that Cargo runs, else from the current directory.
    pub(crate) fn find() -> Result<Lab> {
        let start = match std::env::var_os("CARGO_MANIFEST_DIR") {
            Some(directory) => PathBuf::from(directory),
            None => std::env::current_dir().context("cannot read the current directory")?,
        };
        let Some(root) = start
            .ancestors()
            .find(|path| path.join("crates/xtask").is_dir())
        else {
            bail!("no glowgrad checkout here: run `cargo lab` inside the repository");
        };
        Lab::at(root.to_owned())
    }

    /// The checkout with this root.
    pub(crate) fn at(root: PathBuf) -> Result<Lab> {
        let target = cargo_target(&root)?;
        let work = target.join("lab");
        fs::create_dir_all(&work).with_context(|| format!("cannot create {}", work.display()))?;
        Ok(Lab { root, target, work })
    }

    /// A path in the repository.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Programs that were installed for this checkout.
    pub(crate) fn tools(&self) -> PathBuf {
        self.target.join("tools")
    }

    /// Whether the step of this name was last done with this fingerprint.
    pub(crate) fn is_stamped(&self, name: &str, fingerprint: u64) -> bool {
        fs::read_to_string(self.stamp(name)).is_ok_and(|text| text == format!("{fingerprint:016x}"))
    }

    /// Remembers that the step of this name was done with this fingerprint.
    pub(crate) fn set_stamp(&self, name: &str, fingerprint: u64) -> Result<()> {
        write(&self.stamp(name), format!("{fingerprint:016x}").as_bytes())
    }

    fn stamp(&self, name: &str) -> PathBuf {
        self.work.join(format!("{name}.stamp"))
    }
}

/// Cargo's target directory, which the environment or a configuration file may have moved.
fn cargo_target(root: &Path) -> Result<PathBuf> {
    let mut metadata = step::cargo(root);
    metadata.args(["metadata", "--no-deps", "--format-version", "1"]);
    let text = step::capture(&mut metadata)
        .context("`cargo metadata` failed: run it in the repository's root to see why")?;
    let json: serde_json::Value =
        serde_json::from_str(&text).context("`cargo metadata` did not print JSON")?;
    match json["target_directory"].as_str() {
        Some(path) => Ok(PathBuf::from(path)),
        None => {
            bail!("`cargo metadata` names no target directory: update Rust with `rustup update`")
        }
    }
}

/// A fingerprint of bytes and of files. It guards caches, not trust: 64 bits of SipHash are enough,
/// and a new Rust version that hashes otherwise only does a step again.
#[derive(Default)]
pub(crate) struct Fingerprint(DefaultHasher);

impl Fingerprint {
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.write_usize(bytes.len());
        self.0.write(bytes);
        self
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    /// Names and contents of a file, or of everything below a folder. What is not there counts as
    /// empty, so that its appearance is a change.
    pub(crate) fn path(&mut self, path: &Path) -> Result<&mut Self> {
        self.text(&path.to_string_lossy());
        if path.is_dir() {
            for child in children(path)? {
                self.path(&child)?;
            }
        } else if path.is_file() {
            let bytes =
                fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            self.bytes(&bytes);
        }
        Ok(self)
    }

    pub(crate) fn finish(&self) -> u64 {
        self.0.finish()
    }
}

/// The entries of a folder, sorted by name.
pub(crate) fn children(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        paths.push(
            entry
                .with_context(|| format!("cannot list {}", folder.display()))?
                .path(),
        );
    }
    paths.sort();
    Ok(paths)
}

/// All files below a folder, sorted; an absent folder has none.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    if folder.is_dir() {
        for child in children(folder)? {
            if child.is_dir() {
                files.extend(files_below(&child)?);
            } else {
                files.push(child);
            }
        }
    }
    Ok(files)
}

/// Writes a file and the folders above it.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a file unless it holds just that already, so that what watches it sees no change.
/// Returns whether it wrote.
pub(crate) fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<bool> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(false);
    }
    write(path, bytes)?;
    Ok(true)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A folder of its own for a test, removed at the end.
    pub(crate) struct Scratch(pub(crate) PathBuf);

    impl Scratch {
        pub(crate) fn new(name: &str) -> Scratch {
            let path =
                std::env::temp_dir().join(format!("glowgrad-xtask-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            Scratch(path)
        }

        pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
            let path = self.0.join(name);
            write(&path, text.as_ref()).unwrap();
            path
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn fingerprint(path: &Path) -> u64 {
        Fingerprint::default().path(path).unwrap().finish()
    }

    #[test]
    fn a_fingerprint_sees_contents_names_and_absence() {
        let scratch = Scratch::new("fingerprint");
        let empty = fingerprint(&scratch.0);
        scratch.file("a/one", "1");
        let one = fingerprint(&scratch.0);
        assert_ne!(empty, one);
        assert_eq!(one, fingerprint(&scratch.0));
        scratch.file("a/one", "2");
        let two = fingerprint(&scratch.0);
        assert_ne!(one, two);
        fs::rename(scratch.0.join("a/one"), scratch.0.join("a/other")).unwrap();
        assert_ne!(two, fingerprint(&scratch.0));
        let absent = scratch.0.join("absent");
        let before = fingerprint(&absent);
        scratch.file("absent", "");
        assert_ne!(before, fingerprint(&absent));
    }

    #[test]
    fn a_stamp_matches_only_what_was_stamped() {
        let scratch = Scratch::new("stamp");
        let lab = Lab {
            root: scratch.0.clone(),
            target: scratch.0.clone(),
            work: scratch.0.join("lab"),
        };
        assert!(!lab.is_stamped("npm", 7));
        lab.set_stamp("npm", 7).unwrap();
        assert!(lab.is_stamped("npm", 7));
        assert!(!lab.is_stamped("npm", 8));
        assert!(!lab.is_stamped("site", 7));
    }

    #[test]
    fn an_equal_file_is_not_written_again() {
        let scratch = Scratch::new("write");
        let path = scratch.0.join("deep/file");
        assert!(write_if_changed(&path, b"x").unwrap());
        assert!(!write_if_changed(&path, b"x").unwrap());
        assert!(write_if_changed(&path, b"y").unwrap());
        assert_eq!(files_below(&scratch.0).unwrap(), [path]);
    }
}
