//! CUDA C, generated and written by hand, before NVRTC, which needs no GPU; and the backend on the GPU
//! at hand.
#![cfg(all(feature = "cuda", not(target_arch = "wasm32")))]

use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use glowgrad::codegen;
use glowgrad::cuda::Compiler;
use glowgrad::kernel::{Kernel, Work};
use glowgrad::{DType, Result, Tensor, ops};

use crate::suite;

/// The oldest GPUs that NVRTC 13 knows: what compiles for them compiles for all.
const OLDEST: (i32, i32) = (7, 5);

/// Kernels that go through the compiler together: it takes a while to begin.
const BATCH: usize = 256;

/// NVRTC from where `cargo lab test` puts it, or the system's; or nothing, and it says so.
fn compiler() -> Option<Compiler> {
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../tools/nvrtc");
    let folders = ["nvidia/cu13/lib", "nvidia/cu13/bin/x86_64"];
    let found = folders.map(|folder| tools.join(folder));
    let found: Option<&PathBuf> = found.iter().find(|folder| folder.is_dir());
    let compiler = match found {
        Some(folder) => Compiler::in_folder(folder, OLDEST),
        None => Compiler::new(OLDEST),
    };
    match compiler {
        Ok(compiler) => Some(compiler),
        Err(error) => {
            println!("SKIPPED: {error}. `cargo lab test native` brings NVRTC.");
            None
        }
    }
}

/// Sources that one program can hold: each in a namespace of its own, its entry point numbered.
#[derive(Default)]
struct Programs {
    sources: Vec<(String, String)>,
}

impl Programs {
    fn add(&mut self, what: String, source: String) {
        self.sources.push((what, source));
    }

    /// Has all of them judged together; if any is refused, each by itself, to be told by name.
    fn refused_by(&self, judge: impl Fn(&str, usize) -> Result<(), String>) -> Vec<String> {
        let mut failures = Vec::new();
        for batch in self.sources.chunks(BATCH) {
            let mut program = String::new();
            for (i, (_, source)) in batch.iter().enumerate() {
                let source = source.replace(" compute(", &format!(" compute_{i}("));
                let _ = writeln!(program, "namespace kernel_{i} {{\n{source}}}");
            }
            let Err(why) = judge(&program, batch.len()) else {
                continue;
            };
            let n = failures.len();
            for (what, source) in batch {
                let source = source.replace(" compute(", " compute_0(");
                if let Err(why) = judge(&source, 1) {
                    failures.push(format!("{what}: {why}\n{source}"));
                }
            }
            if failures.len() == n {
                failures.push(why);
            }
        }
        failures
    }
}

/// Whether a text is in a longer one.
fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// The kernels of a sample's value and of its gradient.
fn kernels_of(result: &Tensor, differentiate: bool) -> Result<Vec<Rc<Kernel>>> {
    result.to_bytes()?;
    if differentiate && result.requires_grad() {
        let gradient = result.detach();
        result.backward(Some(&gradient), Default::default())?;
    }
    let items = result.engine().scheduled();
    let kernel = |work: &Work| match work {
        Work::Kernel(kernel) => Some(kernel.clone()),
        Work::Routine(_) => None,
    };
    Ok(items.iter().filter_map(|item| kernel(&item.work)).collect())
}

#[test]
fn nvrtc_compiles_the_kernels_of_every_op() -> Result<()> {
    let Some(compiler) = compiler() else {
        return Ok(());
    };
    let refused = compiler.check("extern \"C\" __global__ void compute() { nonsense; }");
    let why = refused.expect_err("nonsense is no CUDA C").to_string();
    assert!(why.contains("nonsense"), "{why}");
    let engine = glowgrad::cpu();
    let (mut all, mut known) = (Programs::default(), HashSet::new());
    let (mut bodies, mut known_bodies) = (Programs::default(), HashSet::new());
    let mut kernels = 0;
    for op in ops::all() {
        for dtype in DType::ALL {
            let large = matches!(dtype, DType::F32 | DType::F64 | DType::I64);
            let half = matches!(dtype, DType::F16 | DType::BF16);
            if !large && !half && !matches!(op.kind, glowgrad::op::Kind::Elementwise(_)) {
                continue;
            }
            for sample in suite::samples::samples(&engine, op, dtype) {
                engine.begin_step();
                let mut differentiate = false;
                for operand in &sample.operands {
                    if op.is_differentiable() && operand.dtype().is_float() {
                        operand.set_requires_grad(true)?;
                        differentiate = true;
                    }
                }
                // An op may refuse a dtype, and a value may have no gradient there.
                let made = Tensor::apply(&engine, op, &sample.operands, sample.attrs);
                let Ok(made) = made.and_then(|made| kernels_of(&made, differentiate)) else {
                    continue;
                };
                for kernel in made {
                    kernels += 1;
                    match codegen::cuda_kernel(&kernel, glowgrad::kernel::APART) {
                        Ok(shader) => {
                            let (what, source) = (format!("{} {dtype}", op.name), shader.source());
                            // Sizes are numbers in it, and make no other program of it.
                            let structure = source.replace(|c: char| c.is_ascii_digit(), "");
                            if known.insert(structure) {
                                all.add(what.clone(), source.clone());
                            }
                            let how = kernel.reduce.as_ref().map(|reduce| reduce.op);
                            let body = format!("{:?} {:?} {how:?}", kernel.code, kernel.dtypes);
                            if known_bodies.insert(body) {
                                bodies.add(what, source);
                            }
                        }
                        Err(why) => assert!(why.contains("no elements"), "{}: {why}", op.name),
                    }
                }
            }
        }
    }
    let (n_all, n_bodies) = (all.sources.len(), bodies.sources.len());
    println!("{kernels} kernels, {n_all} structures, {n_bodies} bodies");
    assert!(n_all > 2000 && n_bodies > 1000);
    let mut failures =
        all.refused_by(|source, _| compiler.check(source).map_err(|error| error.to_string()));
    // The assembler has its say on each body once.
    failures.extend(bodies.refused_by(|source, n| {
        let code = compiler.compile(source).map_err(|e| e.to_string())?;
        let is_there = |i: usize| contains(&code, format!(".text.compute_{i}\0").as_bytes());
        match (0..n).find(|&i| !is_there(i)) {
            Some(i) => Err(format!("no code for kernel {i}")),
            None => Ok(()),
        }
    }));
    let n = failures.len();
    failures.truncate(4);
    assert!(n == 0, "{n} fail:\n{}", failures.join("\n\n"));
    Ok(())
}

#[test]
fn nvrtc_compiles_what_is_written_by_hand() {
    let Some(compiler) = compiler() else { return };
    let sources = glowgrad::cuda::sources();
    println!("{} programs", sources.len());
    let mut failures = Vec::new();
    for (what, source) in sources {
        if let Err(why) = compiler.compile(&source) {
            failures.push(format!("{what}: {why}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
