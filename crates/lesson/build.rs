//! Lists the course's lesson files for `embedded()`: writes `embedded.rs`, an array of
//! `(path below lessons/, text)`, to the build folder. Does nothing without the feature.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_EMBEDDED").is_none() {
        return;
    }
    let root =
        PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../lessons");
    let root = root
        .canonicalize()
        .unwrap_or_else(|error| panic!("{}: {error}", root.display()));
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut list = String::from("[\n");
    for file in &files {
        let name = file.strip_prefix(&root).expect("collected below the root");
        let name = name
            .to_str()
            .expect("lesson paths are UTF-8")
            .replace('\\', "/");
        writeln!(list, "    ({name:?}, include_str!({file:?})),").expect("writing to a String");
    }
    list.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it")).join("embedded.rs");
    fs::write(out, list).expect("the build folder is writable");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if matches!(
            path.extension().and_then(|e| e.to_str()),
            Some("md" | "py" | "diff")
        ) {
            files.push(path);
        }
    }
}
