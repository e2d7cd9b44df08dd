//! Compiles the Python modules that are built in, and the program that each interpreter starts with, as
//! `src/compile.rs` would: most of the time that `import torch` took was the compiler's.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use ruff_python_ast::Mod;
use ruff_source_file::SourceFileBuilder;
use rustpython_codegen::CompileOpts;
use rustpython_codegen::compile::compile_top as codegen;
use rustpython_compiler_core::bytecode::{CodeObject, ConstantData};
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
    let mut code = match codegen(tree, file, Mode::Exec, options) {
        Ok(code) => code,
        Err(error) => panic!("{path}: {error}"),
    };
    thin_out_places(&mut code);
    let mut bytes = Vec::new();
    marshal::serialize_code(&mut bytes, &code);
    bytes
}

/// Takes columns out of the table of places: nothing shows them of a module of ours, and they are a third of what travels.
/// In a page it has no lines either, 13 KB of what a first cell loads: all of a function stands at its `def`.
///
/// An entry is a byte with its kind and how many instructions it is for, and by how much the line grows:
/// `Objects/locations.md` of CPython.
fn thin_out_places(code: &mut CodeObject) {
    const KIND: u8 = 0x80 | 13 << 3;
    const MOST_INSTRUCTIONS: usize = 8;
    let has_lines = env::var("CARGO_CFG_TARGET_ARCH").as_deref() != Ok("wasm32");
    let mut before = code.first_line_number.map_or(0, |line| line.get() as i32);
    let mut table = Vec::new();
    for run in code
        .locations
        .chunk_by(|(a, _), (b, _)| !has_lines || a.line == b.line)
    {
        let line = if has_lines {
            run[0].0.line.get() as i32
        } else {
            before
        };
        for part in run.chunks(MOST_INSTRUCTIONS) {
            table.push(KIND | (part.len() - 1) as u8);
            let delta = line - before;
            before = line;
            let mut rest = delta.unsigned_abs() << 1 | u32::from(delta < 0);
            while rest >= 64 {
                table.push(64 | (rest & 63) as u8);
                rest >>= 6;
            }
            table.push(rest as u8);
        }
    }
    code.linetable = table.into_boxed_slice();
    let constants = code.constants.iter().cloned().map(|mut constant| {
        if let ConstantData::Code { code } = &mut constant {
            thin_out_places(code);
        }
        constant
    });
    code.constants = constants.collect();
}
