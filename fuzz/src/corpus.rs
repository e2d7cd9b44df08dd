//! Gives the committed inputs of a fuzz target to the function that the target runs.
//!
//! Tests of the main workspace include this file by path. An input that fails is named by its file.

use std::path::Path;

/// Runs `hold` on every input of `fuzz/corpus/<target>`.
pub fn replay(target: &str, hold: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} has no inputs", folder.display());
    for path in paths {
        // Shown by the test runner when `hold` panics.
        println!("{}", path.display());
        hold(&std::fs::read(&path).unwrap());
    }
}
