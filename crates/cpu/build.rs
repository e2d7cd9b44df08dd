//! Writes the module of matrix kernels that `crates/web` loads where the browser has relaxed SIMD, and that
//! `src/gemm/relaxed.rs` calls: its `ROWS` and `COLUMNS` are those of this file.
//!
//! A module with an instruction that a browser does not know is refused whole, so these kernels cannot be a part of
//! the engine's module. They have no data, no stack and no globals: they compute in the memory they are given.

use std::env;
use std::fs;
use std::path::Path;

use wasm_encoder::{
    BlockType, CodeSection, EntityType, ExportKind, ExportSection, Function, FunctionSection,
    ImportSection, Instruction, MemArg, MemArgTarget, MemoryType, Module, TypeSection, ValType,
};

/// Most rows of a tile: twelve sums, two vectors of B and one of A are the fifteen registers that V8 gives on x86.
const ROWS: u32 = 6;
/// Vectors of a row of a tile: eight columns.
const VECTORS: u32 = 2;

// The parameters; strides are in bytes.
const A: u32 = 0;
const A_ROW: u32 = 1;
const A_COLUMN: u32 = 2;
const B: u32 = 3;
const B_ROW: u32 = 4;
const DEPTH: u32 = 5;
const C: u32 = 6;
const C_ROW: u32 = 7;
const ACCUMULATE: u32 = 8;
const PARAMETERS: u32 = 9;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_ARCH").as_deref() != Ok("wasm32") {
        return;
    }
    let folder = env::var("OUT_DIR").expect("Cargo sets OUT_DIR");
    let path = Path::new(&folder).join("relaxed.wasm");
    fs::write(&path, module()).expect("the folder for built files can be written to");
}

/// Functions `1` to [`ROWS`], each for a tile of that many rows, on an imported memory.
fn module() -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([ValType::I32; PARAMETERS as usize], []);
    let mut imports = ImportSection::new();
    let memory = MemoryType {
        minimum: 0,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    };
    imports.import("env", "memory", EntityType::Memory(memory));
    let (mut functions, mut exports, mut code) = (
        FunctionSection::new(),
        ExportSection::new(),
        CodeSection::new(),
    );
    for rows in 1..=ROWS {
        functions.function(0);
        exports.export(&rows.to_string(), ExportKind::Func, rows - 1);
        code.function(&kernel(rows));
    }
    Module::new()
        .section(&types)
        .section(&imports)
        .section(&functions)
        .section(&exports)
        .section(&code)
        .clone()
        .finish()
}

fn at(vector: u32) -> MemArg {
    MemArg {
        offset: u64::from(16 * vector),
        align: 2,
        target: MemArgTarget::Memory(0),
        ordering: None,
    }
}

/// A tile of the result: `c = a · b`, or `c += a · b`.
fn kernel(rows: u32) -> Function {
    use Instruction as I;

    // A pointer for each row of A; the first is the parameter.
    let a = |row: u32| if row == 0 { A } else { PARAMETERS + row - 1 };
    let sum = |row: u32, vector: u32| PARAMETERS + rows - 1 + row * VECTORS + vector;
    let b = |vector: u32| sum(rows, vector);
    let x = sum(rows, VECTORS);
    let mut f = Function::new([
        (rows - 1, ValType::I32),
        (rows * VECTORS + VECTORS + 1, ValType::V128),
    ]);
    let mut write = |instructions: &[I]| {
        for instruction in instructions {
            f.instruction(instruction);
        }
    };
    // `to = from + by`
    let add = |to: u32, from: u32, by: u32| {
        [
            I::LocalGet(from),
            I::LocalGet(by),
            I::I32Add,
            I::LocalSet(to),
        ]
    };

    for row in 1..rows {
        write(&add(a(row), a(row - 1), A_ROW));
    }
    write(&[I::Loop(BlockType::Empty)]);
    for v in 0..VECTORS {
        write(&[I::LocalGet(B), I::V128Load(at(v)), I::LocalSet(b(v))]);
    }
    for row in 0..rows {
        write(&[
            I::LocalGet(a(row)),
            I::V128Load32Splat(at(0)),
            I::LocalSet(x),
        ]);
        for v in 0..VECTORS {
            let sum = sum(row, v);
            write(&[
                I::LocalGet(x),
                I::LocalGet(b(v)),
                I::LocalGet(sum),
                I::F32x4RelaxedMadd,
                I::LocalSet(sum),
            ]);
        }
    }
    for row in 0..rows {
        write(&add(a(row), a(row), A_COLUMN));
    }
    write(&add(B, B, B_ROW));
    write(&[
        I::LocalGet(DEPTH),
        I::I32Const(1),
        I::I32Sub,
        I::LocalTee(DEPTH),
        I::BrIf(0),
        I::End,
    ]);

    write(&[I::LocalGet(ACCUMULATE), I::If(BlockType::Empty)]);
    write(&[I::LocalGet(C), I::LocalSet(A)]);
    for row in 0..rows {
        for v in 0..VECTORS {
            let sum = sum(row, v);
            write(&[
                I::LocalGet(A),
                I::V128Load(at(v)),
                I::LocalGet(sum),
                I::F32x4Add,
                I::LocalSet(sum),
            ]);
        }
        write(&add(A, A, C_ROW));
    }
    write(&[I::End]);
    for row in 0..rows {
        for v in 0..VECTORS {
            write(&[
                I::LocalGet(C),
                I::LocalGet(sum(row, v)),
                I::V128Store(at(v)),
            ]);
        }
        write(&add(C, C, C_ROW));
    }
    write(&[I::End]);
    f
}
