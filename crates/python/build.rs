//! Compiles the Python modules that are built in, and the program that each interpreter starts with, as
//! `src/compile.rs` would: an interpreter that has no text to compile starts in a third of the time.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use ruff_python_ast::Mod;
use ruff_source_file::SourceFileBuilder;
use rustpython_codegen::{CompileOpts, compile as codegen};
use rustpython_compiler_core::{Mode, marshal};

#[allow(
    dead_code,
    reason = "a learner's code has more ticks than a module of ours"
)]
#[path = "src/insert_ticks.rs"]
mod insert_ticks;

macro_rules! modules {
    ($($name:literal $path:literal $is_package:literal,)+) => {
        &[$(($name, $path, $is_package),)+]
    };
}

const MODULES: &[(&str, &str, bool)] = include!("src/built_in.in");

/// The sources.
const LIB: &str = "src/lib";

fn main() {
    for path in ["build.rs", "src/built_in.in", "src/insert_ticks.rs", LIB] {
        println!("cargo::rerun-if-changed={path}");
    }
    let folder = env::var_os("OUT_DIR").expect("Cargo names a folder");
    let folder = Path::new(&folder);
    let mut table = String::from("&[\n");
    for (name, path, is_package) in MODULES {
        let file = format!("{name}.code");
        fs::write(folder.join(&file), code(name, path)).expect("the code is written");
        let _ = writeln!(
            table,
            "Module {{ name: {name:?}, is_package: {is_package}, \
             code: Code::Compiled(include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{file}\"))) }},"
        );
    }
    table.push_str("]\n");
    fs::write(folder.join("built_in.rs"), table).expect("the table is written");
    fs::write(
        folder.join("bootstrap.code"),
        code("bootstrap", "bootstrap.py"),
    )
    .expect("the code is written");
}

/// A module's code, in the form of `marshal`.
fn code(name: &str, path: &str) -> Vec<u8> {
    let source = fs::read_to_string(Path::new(LIB).join(path)).expect(path);
    let parsed = ruff_python_parser::parse(&source, ruff_python_parser::Mode::Module.into());
    let mut tree = match parsed {
        Ok(parsed) => parsed.into_syntax(),
        Err(error) => panic!("{path}: {error}"),
    };
    if let Mod::Module(module) = &mut tree {
        insert_ticks::in_loops(module);
    }
    let file = SourceFileBuilder::new(format!("<{name}>"), source).finish();
    let options = CompileOpts::default();
    let code = match codegen::compile_top(tree, file, Mode::Exec, options) {
        Ok(code) => code,
        Err(error) => panic!("{path}: {error}"),
    };
    let mut bytes = Vec::new();
    marshal::serialize_code(&mut bytes, &code);
    bytes
}
