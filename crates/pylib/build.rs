//! Joins modules into one text (`src/lib.rs` says in which form): the chosen ones of `rustpython-pylib`, those of `lib/`,
//! those of `glowgrad-python` that are not built in there, and what the lessons give to `mine`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

include!("src/modules.in");

macro_rules! modules {
    ($($name:literal $path:literal $is_package:literal,)+) => {
        &[$($path,)+]
    };
}

/// The files of `glowgrad-python` that are built in.
const BUILT_IN: &[&str] = include!("../python/src/built_in.in");

/// The lessons of the course.
const LESSONS: &str = "../../lessons";

/// Python's side of glowgrad.
const GLOWGRAD: &str = "../python/src/lib";

fn main() {
    println!("cargo::rerun-if-changed=src/modules.in");
    println!("cargo::rerun-if-changed=lib");
    println!("cargo::rerun-if-changed={GLOWGRAD}");
    println!("cargo::rerun-if-changed=../python/src/built_in.in");
    let lib = Path::new(rustpython_pylib::LIB_PATH);
    let mut modules: Vec<(String, PathBuf)> = MODULES
        .iter()
        .map(|name| ((*name).to_owned(), file_of(lib, name)))
        .collect();
    add_ours(Path::new("lib"), "", &mut modules);
    let mut later = Vec::new();
    add_ours(Path::new(GLOWGRAD), "", &mut later);
    modules.extend(later.into_iter().filter(|(name, file)| {
        let path = file
            .strip_prefix(GLOWGRAD)
            .expect("it lies below its folder");
        name != "bootstrap" && !BUILT_IN.iter().any(|built_in| path == Path::new(built_in))
    }));
    modules.sort();

    let mut index = String::new();
    let mut sources = String::new();
    for pair in modules.windows(2) {
        assert!(
            pair[0].0 != pair[1].0,
            "two modules are called `{}`",
            pair[0].0
        );
    }
    let mut add = |name: &str, kind: &str, source: &str| {
        let _ = writeln!(index, "{name} {kind} {}", source.len());
        sources.push_str(source);
    };
    for (name, file) in &modules {
        let source = fs::read_to_string(file).expect("a module is a readable text");
        let kind = match file.ends_with("__init__.py") {
            true => "package",
            false => "module",
        };
        add(name, kind, &source);
    }
    add("mine._pieces", "module", &pieces());
    let folder = env::var_os("OUT_DIR").expect("Cargo names a folder");
    let text = format!("{index}\n{sources}");
    fs::write(Path::new(&folder).join("library.txt"), text).expect("the library is written");
}

/// What `lib/mine` gives where the learner has no answer yet: the course's, by name.
fn pieces() -> String {
    println!("cargo::rerun-if-changed={LESSONS}");
    let lessons = match glowgrad_lesson::load_all(Path::new(LESSONS)) {
        Ok(lessons) => lessons,
        Err(why) => panic!("{why}"),
    };
    // A text of JSON is one of Python.
    let quoted = |text: &str| serde_json::to_string(text).expect("a text is JSON");
    let mut source = "PIECES = {\n".to_owned();
    for piece in glowgrad_lesson::pieces(&lessons) {
        let _ = writeln!(
            source,
            "    {}: ({}, {}, {}),",
            quoted(piece.name),
            quoted(piece.what),
            quoted(&format!("{} ({})", piece.number, piece.title)),
            quoted(piece.solution),
        );
    }
    source + "}\n"
}

/// The file of a module of Python's library.
fn file_of(lib: &Path, name: &str) -> PathBuf {
    let path = lib.join(name.replace('.', "/"));
    let files = [path.join("__init__.py"), path.with_extension("py")];
    let Some(file) = files.into_iter().find(|file| file.is_file()) else {
        panic!("rustpython-pylib has no module `{name}`: take it out of src/modules.in");
    };
    file
}

/// Adds the modules below a folder of ours; `package` is the name that theirs begin with.
fn add_ours(folder: &Path, package: &str, modules: &mut Vec<(String, PathBuf)>) {
    for entry in fs::read_dir(folder)
        .expect("the folder is readable")
        .flatten()
    {
        let path = entry.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            add_ours(&path, &format!("{package}{stem}."), modules);
        } else if stem == "__init__" {
            modules.push((package.trim_end_matches('.').to_owned(), path));
        } else if path.extension().is_some_and(|extension| extension == "py") {
            modules.push((format!("{package}{stem}"), path));
        }
    }
}
