//! The diffs of CONTRIBUTING, which must apply to the sources as they are.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The texts of the blocks that are marked as diffs.
fn diffs(text: &str) -> Vec<&str> {
    let blocks = text.split("```diff\n").skip(1);
    blocks
        .filter_map(|block| Some(block.split_once("```\n")?.0))
        .collect()
}

#[test]
fn every_diff_applies() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("CONTRIBUTING.md")).expect("it is there");
    let diffs = diffs(&text);
    assert!(!diffs.is_empty());
    for diff in diffs {
        let mut git = Command::new("git")
            .args(["apply", "--check", "-"])
            .current_dir(&root)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("git is there");
        let mut input = git.stdin.take().expect("it is piped");
        input.write_all(diff.as_bytes()).expect("git reads it");
        drop(input);
        let output = git.wait_with_output().expect("git ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}\nof the diff\n{diff}");
    }
}
