//! `cargo lab check` and `cargo lab test`: which checks there are, and in which order.
//!
//! Invariant: a failed step does not hide the ones after it, unless they need what it makes; the
//! command fails when any step did, and ends with the test runners' own summaries. Cheap steps come
//! first.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::bindgen;
use crate::browser;
use crate::contributing;
use crate::device_check;
use crate::glow;
use crate::lab::{self, Lab};
use crate::platforms;
use crate::reference;
use crate::serve::Site;
use crate::site;
use crate::sizes;
use crate::step::{self, Outcome, Steps};
use crate::tidy;
use crate::wasm_tests;

/// The steps of `cargo lab test`, in order, and what each proves.
const STEPS: [(&str, &str, StepFn); 12] = [
    ("format", "the formatter has nothing to change", |suite| {
        suite.step("format", format)
    }),
    (
        "tidy",
        "headers, lengths, safety comments, dependency direction, and the prose's words",
        tidy,
    ),
    (
        "front",
        "Biome, svelte-check, TypeScript and the front end's unit tests",
        front,
    ),
    (
        "clippy",
        "no warning in any target, and CONTRIBUTING's changes compile",
        |suite| {
            let warnings = suite.step("clippy", clippy);
            warnings.and(suite.step("diffs of CONTRIBUTING", contributing::check))
        },
    ),
    (
        "native",
        "unit, golden, parity and documentation tests",
        native,
    ),
    (
        "platforms",
        "the engine and its GPU backends compile for Windows, and for macOS on 64-bit ARM",
        |suite| suite.step("platforms", platforms::check),
    ),
    (
        "types",
        "the committed TypeScript types are those of the Rust sources",
        |suite| suite.step("types", types_are_fresh),
    ),
    (
        "lessons",
        "every cell runs, every start fails, every solution passes",
        |suite| suite.step("lessons", verify_lessons),
    ),
    (
        "reference",
        "lessons/reference says what the ops' definitions say",
        |suite| suite.step("op reference", reference::is_fresh),
    ),
    ("site", "the site builds, and keeps its budgets", build_site),
    (
        "wasm",
        "the same cases in wasm, in headless Chromium",
        test_wasm,
    ),
    (
        "browser",
        "the page in Chromium: routes, cells, stage, Stop, accessibility, bytes",
        browser_tests,
    ),
];

/// The crates whose tests need no Python, for `cargo lab check`.
const LIGHT: [&str; 6] = [
    "glowgrad-tensor",
    "glowgrad-cpu",
    "glowgrad-data",
    "glowgrad",
    "glowgrad-lesson",
    "xtask",
];

/// Where the generated types are committed.
const TYPES: &str = "www/src/protocol/generated";

/// The path below which tests see the site: a page that forgets it may live anywhere shows it.
const PREFIX: &str = "/any/where/";

type StepFn = fn(&mut Suite) -> Result<()>;

/// A run: what ran, and what the test runners said of themselves.
struct Suite<'a> {
    lab: &'a Lab,
    steps: &'a mut Steps,
    /// Whether this run has built the page's modules already.
    has_modules: bool,
    summaries: Vec<(String, Vec<String>)>,
}

/// Prints the steps by name.
pub(crate) fn list() {
    for (name, proves, _) in STEPS {
        println!("{name:<10} {proves}");
    }
}

/// Everything, or the chosen steps.
pub(crate) fn test(lab: &Lab, steps: &mut Steps, chosen: &[String]) -> Result<()> {
    if let Some(unknown) = chosen
        .iter()
        .find(|name| STEPS.iter().all(|(step, ..)| step != name))
    {
        bail!("no step `{unknown}`: `cargo lab test --list` names them");
    }
    let picked = |name: &str| chosen.is_empty() || chosen.iter().any(|step| step == name);
    let mut suite = Suite {
        lab,
        steps,
        has_modules: false,
        summaries: Vec::new(),
    };
    let mut failed = Vec::new();
    let mut beside = None;
    for (name, _, run) in STEPS.into_iter().filter(|(name, ..)| picked(name)) {
        if name == "clippy" && picked("site") && picked("native") {
            // The npm packages, which a module needs to be made small, have come with the front end's checks.
            beside = Some(Beside::start(lab)?);
        } else if let ("site", Some(beside)) = (name, beside.take()) {
            let mut succeeded = false;
            suite.steps.step("wasm, begun beside clippy", || {
                let outcome = beside.wait()?;
                succeeded = matches!(outcome, Outcome::Done);
                Ok(outcome)
            })?;
            suite.has_modules = succeeded;
        }
        if name == "browser" && failed.iter().any(|(step, _)| *step == "site") {
            failed.push((name, "not run, because the site did not build".to_owned()));
        } else if let Err(error) = run(&mut suite) {
            eprintln!("error: {error:#}");
            failed.push((name, format!("{error:#}")));
        }
    }
    suite.conclude(&failed)
}

/// The fast part.
pub(crate) fn check(lab: &Lab, steps: &mut Steps) -> Result<()> {
    steps.step("format", || format(lab))?;
    steps.step("tidy", || tidy::check(lab))?;
    site::packages(lab, steps)?;
    steps.step("spelling", || tidy::check_spelling(lab))?;
    steps.step("clippy", || clippy(lab))?;
    steps.step("unit tests", || {
        let mut cargo = test_command(lab);
        for package in LIGHT {
            cargo.args(["--package", package]);
        }
        step::run(
            cargo.env("TS_RS_EXPORT_DIR", lab.work.join("types")),
            "the failing test is above",
        )?;
        Ok(Outcome::Done)
    })?;
    let mut suite = Suite {
        lab,
        steps,
        has_modules: false,
        summaries: Vec::new(),
    };
    front(&mut suite)?;
    println!("all good · {:.1} s", steps.elapsed().as_secs_f64());
    Ok(())
}

/// Writes the committed TypeScript types anew.
pub(crate) fn write_types(lab: &Lab, steps: &mut Steps) -> Result<()> {
    steps.step("types", || {
        let committed = lab.path(TYPES);
        let fresh = export_types(lab)?;
        for file in lab::files_below(&committed)? {
            let name = file.strip_prefix(&committed).unwrap_or(&file);
            if !fresh.join(name).is_file() {
                fs::remove_file(&file)
                    .with_context(|| format!("cannot remove {}", file.display()))?;
            }
        }
        let mut written = 0;
        for file in lab::files_below(&fresh)? {
            let bytes =
                fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let name = file.strip_prefix(&fresh).unwrap_or(&file);
            written += usize::from(lab::write_if_changed(&committed.join(name), &bytes)?);
        }
        Ok(Outcome::Note(format!("{written} files written")))
    })
}

impl Suite<'_> {
    fn step(&mut self, name: &str, work: fn(&Lab) -> Result<Outcome>) -> Result<()> {
        let lab = self.lab;
        self.steps.step(name, || work(lab))
    }

    /// Runs a test runner as a step, and keeps the lines in which it sums up.
    fn runner(
        &mut self,
        name: &str,
        command: &mut Command,
        sums_up: fn(&str) -> bool,
    ) -> Result<()> {
        let mut lines = Vec::new();
        let result = self.steps.step(name, || {
            let (printed, passed) = step::run_and_keep(command, sums_up)?;
            lines = printed.kept;
            if !passed {
                // Once more, so that the end of a long log says what failed.
                lines.push(format!("the last lines of {name}:"));
                lines.extend(printed.last);
                let program = command.get_program().to_string_lossy();
                bail!("the tests that `{program}` ran: what failed is above");
            }
            Ok(Outcome::Done)
        });
        self.summaries.push((name.to_owned(), lines));
        result
    }

    fn conclude(self, failed: &[(&str, String)]) -> Result<()> {
        println!("\nseconds by step");
        for (name, time) in &self.steps.times {
            println!("{:>8.1}  {name}", time.as_secs_f64());
        }
        println!("{:>8.1}  in all", self.steps.elapsed().as_secs_f64());
        for (name, lines) in &self.summaries {
            println!("\n{name}");
            for line in lines {
                println!("{line}");
            }
        }
        println!();
        if failed.is_empty() {
            return Ok(());
        }
        for (name, why) in failed {
            println!("failed: {name}: {why}");
        }
        let names: Vec<_> = failed.iter().map(|(name, _)| *name).collect();
        bail!(
            "{} of {} steps failed: run `cargo lab test {}` again once mended",
            failed.len(),
            STEPS.len(),
            names.join(" ")
        )
    }
}

fn format(lab: &Lab) -> Result<Outcome> {
    step::run(
        step::cargo(&lab.root).args(["fmt", "--all", "--check"]),
        "run `cargo fmt --all`",
    )?;
    Ok(Outcome::Done)
}

/// Spelling is a step of its own, because its dictionaries are npm packages: without a network the rest is told first.
fn tidy(suite: &mut Suite) -> Result<()> {
    let rules = suite.step("tidy", tidy::check);
    let spelling = site::packages(suite.lab, suite.steps)
        .and_then(|()| suite.step("spelling", tidy::check_spelling));
    rules.and(spelling)
}

fn clippy(lab: &Lab) -> Result<Outcome> {
    let mut cargo = step::cargo(&lab.root);
    cargo.args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "--deny",
        "warnings",
    ]);
    step::run(&mut cargo, "clippy says above what to change")?;
    Ok(Outcome::Done)
}

/// nextest where it is installed, for its speed and its summary, else Cargo's own runner.
fn test_command(lab: &Lab) -> Command {
    let mut cargo = step::cargo(&lab.root);
    if step::capture(step::cargo(&lab.root).args(["nextest", "--version"])).is_some() {
        cargo.args(["nextest", "run", "--no-fail-fast", "--no-tests", "pass"]);
    } else {
        cargo.args(["test", "--no-fail-fast", "--all-targets"]);
    }
    // Vulkan in software compiles thousands of shaders to run each once: without LLVM's passes that takes a
    // quarter less time.
    cargo.env("GALLIVM_PERF", "nopt");
    cargo
}

fn sums_up_rust(line: &str) -> bool {
    let line = line.trim_start();
    [
        "Summary [",
        "test result: ",
        "FAIL [",
        "SIGABRT [",
        "SIGSEGV [",
        "TIMEOUT [",
    ]
    .iter()
    .any(|start| line.starts_with(start))
}

fn sums_up_vitest(line: &str) -> bool {
    let line = line.trim_start();
    ["Test Files ", "Tests ", "FAIL "]
        .iter()
        .any(|start| line.starts_with(start))
}

fn sums_up_node(line: &str) -> bool {
    let line = line.trim_start();
    let counts = [
        "tests ",
        "suites ",
        "pass ",
        "fail ",
        "cancelled ",
        "skipped ",
        "todo ",
    ];
    line.starts_with("measured:")
        || line
            .strip_prefix("ℹ ")
            .is_some_and(|rest| counts.iter().any(|count| rest.starts_with(count)))
}

/// The whole workspace at once, always: picking packages would change the features that Cargo
/// unifies, and compile the Python virtual machine a second time.
fn native(suite: &mut Suite) -> Result<()> {
    suite.step("Vulkan", browser::ensure_vulkan)?;
    suite.step("NVRTC", browser::ensure_nvrtc)?;
    if std::env::var_os("GLOW_DATA").is_none() {
        println!(
            "note: GLOW_DATA is not set, so tests that read MNIST, CIFAR-10 or Shakespeare skip"
        );
    }
    let types = suite.lab.work.join("types");
    let mut tests = test_command(suite.lab);
    tests.arg("--workspace").env("TS_RS_EXPORT_DIR", &types);
    let tests = suite.runner("native tests", &mut tests, sums_up_rust);
    let mut documentation = step::cargo(&suite.lab.root);
    documentation.args(["test", "--doc", "--workspace", "--quiet"]);
    let documentation = suite.runner("documentation tests", &mut documentation, sums_up_rust);
    tests.and(documentation)
}

/// Has the tests that ts-rs derives write the types to a fresh folder.
fn export_types(lab: &Lab) -> Result<PathBuf> {
    let fresh = lab.work.join("types");
    let _ = fs::remove_dir_all(&fresh);
    let mut cargo = step::cargo(&lab.root);
    cargo
        .args(["test", "--workspace", "--lib", "--quiet", "export_bindings"])
        .env("TS_RS_EXPORT_DIR", &fresh);
    if step::capture(&mut cargo).is_none() {
        bail!("`{}` failed: run it to see why", step::line(&cargo));
    }
    Ok(fresh)
}

fn types_are_fresh(lab: &Lab) -> Result<Outcome> {
    let count = same_files(&export_types(lab)?, &lab.path(TYPES))?;
    Ok(Outcome::Note(format!("{count} files")))
}

/// Fails unless both folders hold the same files; returns their number.
fn same_files(fresh: &Path, committed: &Path) -> Result<usize> {
    let remedy = "run `cargo lab types` and commit what it writes";
    let (left, right) = (lab::files_below(fresh)?, lab::files_below(committed)?);
    if left.is_empty() {
        bail!(
            "the Rust sources export no types: the crates that derive `ts_rs::TS` did not run their tests"
        );
    }
    for file in &left {
        let name = file.strip_prefix(fresh).unwrap_or(file);
        if fs::read(file).ok() != fs::read(committed.join(name)).ok() {
            bail!("{TYPES}/{} is stale: {remedy}", name.display());
        }
    }
    for file in &right {
        let name = file.strip_prefix(committed).unwrap_or(file);
        if !fresh.join(name).is_file() {
            bail!(
                "{TYPES}/{} has no Rust type any more: {remedy}",
                name.display()
            );
        }
    }
    Ok(left.len())
}

fn front(suite: &mut Suite) -> Result<()> {
    let lab = suite.lab;
    site::packages(lab, suite.steps)?;
    suite.step("lesson files", site::write_lessons)?;
    suite.step("op reference", reference::copy_json)?;
    let lint = suite.steps.step("front end: lint and types", || {
        step::run(
            step::npm(&lab.root).args(["run", "--silent", "check"]),
            "the messages above say where; `npm run format` mends the format",
        )?;
        Ok(Outcome::Done)
    });
    let mut vitest = step::npm(&lab.root);
    vitest.args(["run", "--silent", "test"]);
    let tests = suite.runner("front end: unit tests", &mut vitest, sums_up_vitest);
    lint.and(tests)
}

fn verify_lessons(lab: &Lab) -> Result<Outcome> {
    let mut program = step::command(glow::build(lab)?, &lab.root);
    step::run(
        program.args(["lesson", "verify"]),
        "the lesson at fault is above",
    )?;
    Ok(Outcome::Done)
}

fn build_site(suite: &mut Suite) -> Result<()> {
    match suite.has_modules {
        true => site::pages(suite.lab, suite.steps)?,
        false => site::build(suite.lab, suite.steps, true)?,
    }
    suite.step("budgets", |lab| {
        sizes::report(lab, &site::dist(lab))?;
        Ok(Outcome::Done)
    })
}

/// `cargo lab wasm` as a process of its own: most of its work is linking and shrinking, which use one core.
struct Beside {
    process: Child,
    output: PathBuf,
}

impl Beside {
    fn start(lab: &Lab) -> Result<Beside> {
        let output = lab.work.join("wasm.log");
        let log =
            File::create(&output).with_context(|| format!("cannot create {}", output.display()))?;
        let errors = log.try_clone().context("cannot share the log of wasm")?;
        let program = std::env::current_exe().context("this program has no path")?;
        let process = step::command(program, &lab.root)
            .arg("wasm")
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(errors)
            .spawn()
            .context("cannot start `cargo lab wasm`")?;
        Ok(Beside { process, output })
    }

    /// A failure is no error here: the steps that need what was to be compiled do it again, and show why it fails.
    fn wait(mut self) -> Result<Outcome> {
        let status = self.process.wait().context("cannot wait for a process")?;
        Ok(match status.success() {
            true => Outcome::Done,
            false => Outcome::Note(format!("{status}: see {}", self.output.display())),
        })
    }
}

/// Compiles for wasm all that the later steps need.
pub(crate) fn compile_wasm(lab: &Lab, steps: &mut Steps) -> Result<()> {
    site::modules(lab, steps, true)?;
    steps.step("wasm tests and device check", || device_check::build(lab))
}

/// Runs the tests of every crate that has some for wasm.
fn test_wasm(suite: &mut Suite) -> Result<()> {
    suite.step("Chromium", browser::ensure_chromium)?;
    suite.step("wasm-bindgen", bindgen::install)?;
    let tools = browser::find(suite.lab)?;
    let mut cargo = wasm_tests::run(suite.lab)?;
    browser::configure_wasm_tests(suite.lab, &tools, &mut cargo)?;
    suite.runner("wasm tests", &mut cargo, sums_up_rust)?;
    // The runner ends well when it finds nothing to run.
    let ran = |line: &String| line.contains("test result: ok. ") && !line.contains("ok. 0 passed");
    match suite.summaries.last() {
        Some((_, lines)) if lines.iter().any(ran) => Ok(()),
        _ => bail!("no wasm test ran"),
    }
}

/// The files of browser tests that take ten minutes each.
const LONGEST: [&str; 2] = ["lessons.test.mjs", "exercises.test.mjs"];

/// The tests of `tests/browser`, against the site as `cargo lab` serves it.
fn browser_tests(suite: &mut Suite) -> Result<()> {
    let lab = suite.lab;
    suite.step("Chromium", browser::ensure_chromium)?;
    if !site::dist(lab).join("index.html").is_file() {
        build_site(suite)?;
    }
    suite.step("npm package", site::package)?;
    let program = glow::build(lab)?;
    suite.step("wasm-bindgen", bindgen::install)?;
    suite.step("device check", device_check::build)?;
    let url = Site::new(site::dist(lab), PREFIX).start(Some(0))?;
    let tools = browser::find(lab)?;
    let mut files = lab::children(&lab.path("tests/browser"))?;
    // Two files are much longer than the others: begun last, they would leave one of the two lanes empty.
    files.sort_by_key(|file| !LONGEST.iter().any(|name| file.ends_with(name)));
    let files = files
        .iter()
        .filter(|file| file.to_string_lossy().ends_with(".test.mjs"));
    let mut node = step::command("node", &lab.root);
    // Each file has a browser of its own, and most of its time is waiting.
    node.args(["--test", "--test-reporter=spec", "--test-concurrency=2"])
        .args(files);
    node.env("GLOW_LAB_URL", url)
        .env("GLOW_LAB_CHECK_URL", device_check::serve(lab)?)
        .env("CHROMIUM", tools.chromium)
        .env("CHROMIUM_SHELL", tools.shell);
    node.env("GLOW", program);
    node.env("GLOW_LAB_FIRST_LOAD", sizes::FIRST_LOAD_BUDGET.to_string());
    node.env("GLOW_LAB_FIRST_CELL", sizes::FIRST_CELL_BUDGET.to_string());
    suite.runner("browser tests", &mut node, sums_up_node)
}

#[cfg(test)]
mod tests;
