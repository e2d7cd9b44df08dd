//! The two wasm builds of `glowgrad-web`: compiled, bound to JavaScript, and shrunk when asked; and the module of file
//! formats, which needs no glue.
//!
//! Invariant: `www/src/wasm/{engine,python}` hold what the sources say, and are rewritten only when
//! that changes. Cargo decides what to compile; wasm-bindgen and wasm-opt are skipped when their
//! input is that of the last run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::bindgen;
use crate::lab::{self, Fingerprint, Lab};
use crate::step::{self, Outcome};

/// Where the glue and the module go, by build.
pub(crate) const DESTINATION: &str = "www/src/wasm";

/// The module's file name; the glue is `glowgrad_web.js` beside it.
pub(crate) const MODULE: &str = "glowgrad_web_bg.wasm";

const NAME: &str = "glowgrad_web";

/// The modules that answer requests, beside the one with Python: examples of `glowgrad-files-web`.
const ANSWERING: [&str; 4] = ["files", "onnx", "architecture", "layout"];

/// What a module may use: the features it was compiled with, and those wasm-bindgen adds
/// (exception handling carries a rejected promise through a suspension).
const FEATURES: [&str; 8] = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
    "--enable-exception-handling",
];

/// Which of the two builds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// Engine and trace: what the landing page loads.
    Engine,
    /// With Python: loaded when a cell is first run.
    Python,
}

impl Build {
    pub(crate) const ALL: [Build; 2] = [Build::Engine, Build::Python];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Build::Engine => "engine",
            Build::Python => "python",
        }
    }

    /// Both builds have one file name, and Cargo keeps no hash in the name of a cdylib: each has a
    /// profile, and so a folder, of its own. The engine's is for size.
    fn profile(self) -> &'static str {
        match self {
            Build::Engine => "wasm-small",
            Build::Python => "wasm",
        }
    }
}

/// Compiles with Cargo, which shows its own progress.
pub(crate) fn compile(lab: &Lab, build: Build) -> Result<Outcome> {
    let module = compiled(lab, build);
    let before = modified(&module);
    let mut cargo = wasm_cargo(lab);
    cargo
        .args(["build", "--package", "glowgrad-web"])
        .args(["--profile", build.profile()])
        .args(["--target", "wasm32-unknown-unknown", "--target-dir"])
        .arg(&lab.target);
    if build == Build::Python {
        cargo.args(["--features", "python"]);
    }
    step::run(&mut cargo, "the compiler's message is above")?;
    let unchanged = before.is_some() && before == modified(&module);
    Ok(if unchanged {
        Outcome::Unchanged
    } else {
        Outcome::Done
    })
}

/// A Cargo that builds for wasm with the flags of `.cargo/config.toml`: `RUSTFLAGS` in the
/// environment would replace them, and without them the module has no SIMD and no random numbers.
pub(crate) fn wasm_cargo(lab: &Lab) -> std::process::Command {
    let mut cargo = step::cargo(&lab.root);
    for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
        cargo.env_remove(name);
    }
    cargo
}

fn compiled(lab: &Lab, build: Build) -> PathBuf {
    let profile = build.profile();
    lab.target
        .join(format!("wasm32-unknown-unknown/{profile}/{NAME}.wasm"))
}

fn modified(path: &Path) -> Option<std::time::SystemTime> {
    fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .ok()
}

/// Makes the JavaScript glue and installs it with the module, shrunk or as it is.
pub(crate) fn bind(lab: &Lab, build: Build, shrunk: bool) -> Result<Outcome> {
    let input = compiled(lab, build);
    let bound = lab.work.join("bindgen").join(build.name());
    let stamp = format!("bindgen-{}", build.name());
    let mut fingerprint = Fingerprint::default();
    fingerprint.text(bindgen::VERSION).path(&input)?;
    let fingerprint = fingerprint.finish();
    if !lab.is_stamped(&stamp, fingerprint) || !bound.join(MODULE).is_file() {
        bindgen::bind(lab, &input, NAME, &bound)?;
        lab.set_stamp(&stamp, fingerprint)?;
    }

    let module = if shrunk {
        shrink(lab, build, &bound.join(MODULE))?
    } else {
        bound.join(MODULE)
    };
    let destination = lab.path(DESTINATION).join(build.name());
    if build == Build::Python {
        let library = destination.join("library.txt");
        lab::write_if_changed(&library, glowgrad_pylib::TEXT.as_bytes())?;
        let bytes =
            fs::read(&module).with_context(|| format!("cannot read {}", module.display()))?;
        check_vectors(&bytes)?;
    }
    install(&bound, &module, &destination)
}

/// Refuses a module whose loops over elements are not vectorised. What decides that is a line of Cargo.toml
/// (docs/decisions/0006), and nothing else tells but time.
fn check_vectors(module: &[u8]) -> Result<()> {
    let found = module
        .windows(F32X4_MUL.len())
        .filter(|bytes| *bytes == F32X4_MUL)
        .count();
    if found < FEWEST_VECTORS {
        bail!(
            "the module with Python multiplies vectors at {found} places, fewer than {FEWEST_VECTORS}: its loops over \
             elements were not vectorised; `profile.wasm` of Cargo.toml must optimise glowgrad-cpu and glowgrad-web for speed"
        );
    }
    Ok(())
}

/// `f32x4.mul`, a product of two vectors of four float32.
const F32X4_MUL: [u8; 3] = [0xfd, 0xe6, 0x01];

/// Without vectorised loops there are 40, of the matrix kernels alone.
const FEWEST_VECTORS: usize = 400;

/// Builds the modules of file formats, of models, of drawn networks and of layouts, and installs them, shrunk or as they are.
pub(crate) fn answering(lab: &Lab, shrunk: bool) -> Result<Outcome> {
    let profile = Build::Engine.profile();
    let mut cargo = wasm_cargo(lab);
    cargo
        .args(["build", "--package", "glowgrad-files-web", "--examples"])
        .args(["--profile", profile])
        .args(["--target", "wasm32-unknown-unknown", "--target-dir"])
        .arg(&lab.target);
    step::run(&mut cargo, "the compiler's message is above")?;
    let mut wrote = false;
    for name in ANSWERING {
        let compiled = format!("wasm32-unknown-unknown/{profile}/examples/{name}.wasm");
        let mut module = lab.target.join(compiled);
        if shrunk {
            let folder = lab.work.join("shrunk").join(name);
            module = wasm_opt(lab, &module, &folder, SHRINKING)?;
        }
        let bytes =
            fs::read(&module).with_context(|| format!("cannot read {}", module.display()))?;
        let folder = lab.path(DESTINATION).join(Build::Python.name());
        wrote |= lab::write_if_changed(&folder.join(format!("{name}.wasm")), &bytes)?;
    }
    Ok(if wrote {
        Outcome::Done
    } else {
        Outcome::Unchanged
    })
}

/// Copies the glue and the chosen module to where the front end imports them from.
fn install(bound: &Path, module: &Path, destination: &Path) -> Result<Outcome> {
    let mut wrote = false;
    for file in lab::files_below(bound)? {
        let relative = file
            .strip_prefix(bound)
            .context("a bound file lies outside its folder")?;
        let from = if relative == Path::new(MODULE) {
            module
        } else {
            &file
        };
        let bytes = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
        wrote |= lab::write_if_changed(&destination.join(relative), &bytes)?;
    }
    Ok(if wrote {
        Outcome::Done
    } else {
        Outcome::Unchanged
    })
}

/// The module made small.
fn shrink(lab: &Lab, build: Build, module: &Path) -> Result<PathBuf> {
    let folder = lab.work.join("shrunk").join(build.name());
    wasm_opt(lab, module, &folder, SHRINKING)
}

/// The module with Python in a form that Node compiles: without exceptions, whose instructions Node 20 does not
/// have. What would have been caught ends the program.
pub(crate) fn for_node(lab: &Lab) -> Result<PathBuf> {
    let module = lab
        .path(DESTINATION)
        .join(Build::Python.name())
        .join(MODULE);
    wasm_opt(lab, &module, &lab.work.join("for-node"), STRIPPING)
}

/// A module after these passes of wasm-opt: in `folder`, from before when this very module has been through them.
fn wasm_opt(lab: &Lab, module: &Path, folder: &Path, passes: &[&str]) -> Result<PathBuf> {
    let tool = lab.path(WASM_OPT);
    if !tool.is_file() {
        bail!("wasm-opt is missing: the npm package `binaryen` is not installed; run `npm ci`");
    }
    let mut fingerprint = Fingerprint::default();
    fingerprint
        .text(&passes.join(" "))
        .path(module)?
        .path(&lab.path("node_modules/binaryen/package.json"))?;
    for feature in FEATURES {
        fingerprint.text(feature);
    }
    let output = folder.join(format!("{:016x}.wasm", fingerprint.finish()));
    if output.is_file() {
        return Ok(output);
    }

    // One cached module a folder is enough, and they are large.
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let partial = folder.join("partial.wasm");
    println!(
        "  wasm-opt {}: up to a few minutes, then cached",
        passes.join(" ")
    );
    let mut command = step::command("node", &lab.root);
    command.arg(&tool).arg(module).args(passes).args(FEATURES);
    command.arg("-o").arg(&partial);
    step::run(
        &mut command,
        "wasm-opt says above what it did not understand",
    )?;
    fs::rename(&partial, &output).with_context(|| format!("cannot write {}", output.display()))?;
    Ok(output)
}

/// Makes a module small over the wire. A function that is not moved into its only caller compresses better; the
/// compiler has done that where it matters for speed. In the order of their names, the many copies of one generic
/// function lie side by side, within the 32 KiB in which gzip finds what repeats: 6 % of the module with Python.
/// Folding equal ends of branches would take longer than all else together, and save one byte in three thousand.
///
/// No valid address is below 1024, where the end of the stack is: an offset from a pointer can be a part of the access,
/// which saves an addition of each, in the loop of a matrix product a fifth of its instructions.
const SHRINKING: &[&str] = &[
    "-Oz",
    "--low-memory-unused",
    "--skip-pass=code-folding",
    "--one-caller-inline-max-function-size=1",
    "--reorder-functions-by-name",
    "--strip-debug",
    "--strip-producers",
];

/// Takes exceptions out of a module, and then what their handlers alone used.
const STRIPPING: &[&str] = &[
    "--strip-eh",
    "--dce",
    "--vacuum",
    "--simplify-locals",
    "--dce",
    "--vacuum",
    "--reorder-locals",
];

/// Comes with the npm packages.
const WASM_OPT: &str = "node_modules/binaryen/bin/wasm-opt";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::Scratch;

    #[test]
    fn a_module_without_vectors_is_refused() {
        assert!(check_vectors(&F32X4_MUL.repeat(FEWEST_VECTORS)).is_ok());
        let error = check_vectors(&F32X4_MUL.repeat(40)).unwrap_err();
        assert!(error.to_string().contains("at 40 places"), "{error}");
    }

    #[test]
    fn installing_puts_the_chosen_module_beside_the_glue() {
        let scratch = Scratch::new("install");
        scratch.file("bound/glowgrad_web.js", "glue");
        scratch.file("bound/snippets/a.js", "snippet");
        scratch.file(&format!("bound/{MODULE}"), "large");
        let small = scratch.file("small.wasm", "small");
        let to = scratch.0.join("www");

        let outcome = install(&scratch.0.join("bound"), &small, &to).unwrap();
        assert!(matches!(outcome, Outcome::Done));
        assert_eq!(fs::read_to_string(to.join(MODULE)).unwrap(), "small");
        assert_eq!(
            fs::read_to_string(to.join("glowgrad_web.js")).unwrap(),
            "glue"
        );
        assert_eq!(
            fs::read_to_string(to.join("snippets/a.js")).unwrap(),
            "snippet"
        );

        let again = install(&scratch.0.join("bound"), &small, &to).unwrap();
        assert!(matches!(again, Outcome::Unchanged));
    }
}
