//! `cargo lab`: builds, serves, checks, tests and measures glowgrad.
//!
//! This file reads the command line and names the order of things; the work is in the modules. An
//! error ends the command with one line that says what to do.

mod bench;
mod bindgen;
mod browser;
mod contributing;
mod device_check;
mod glow;
mod lab;
mod platforms;
mod prerequisites;
mod reference;
mod serve;
mod site;
mod sizes;
mod step;
mod suite;
mod tidy;
mod wasm;
mod wasm_tests;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::lab::Lab;
use crate::step::Steps;

/// Builds the lab, serves it on 127.0.0.1 and prints the address.
#[derive(Parser)]
#[command(name = "cargo lab", bin_name = "cargo lab")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Verb>,
    /// Does not open a browser.
    #[arg(long)]
    no_open: bool,
    /// Serves on this port; 0 takes any free one.
    #[arg(long, value_name = "N")]
    port: Option<u16>,
}

#[derive(Subcommand)]
enum Verb {
    /// Builds the static site into dist/, shrunk, and prints what it weighs.
    Build,
    /// Builds the npm package `glowgrad` into target/npm: the page's cells and graphs for other pages.
    Package,
    /// The fast checks: format, clippy, tidy, unit tests of the light crates, front end.
    Check,
    /// Everything the project promises, in Chromium too. Installs what it needs.
    Test {
        /// Runs only these steps; `cargo lab test --list` names them.
        steps: Vec<String>,
        /// Lists the steps.
        #[arg(long)]
        list: bool,
    },
    /// Compiles for wasm what `test` needs: the page's modules, the device check, the wasm tests and their runner.
    ///
    /// `test` runs it beside its native steps.
    Wasm,
    /// The benchmarks: medians with their spread, and counts.
    Bench {
        /// Which benchmark; all of them when absent.
        name: Option<String>,
        /// Measures other frameworks beside ours, where a benchmark has some; installs them.
        #[arg(long)]
        peers: bool,
        /// Compares with another checkout of the project, run by turns.
        #[arg(long, value_name = "CHECKOUT", conflicts_with = "peers")]
        before: Option<PathBuf>,
        /// Writes the numbers to this file.
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// Soaks `glow lab` in random cells, Stops, resets and killed sessions, and says whether its memory is flat (Linux).
    Soak {
        /// For how many minutes; the first fifth, at most four, warms up.
        #[arg(long, value_name = "N", default_value_t = 20)]
        minutes: u32,
    },
    /// Writes the TypeScript types of the protocol and of the lessons anew.
    Types,
    /// Writes the op reference anew, `lessons/reference/`, from the ops' definitions.
    Reference,
    /// Writes the op reference anew, and prints how many of PyTorch's names are here, module by module.
    Coverage,
    /// Prints the modules of each crate and the folders of the front end from the top layer down, as Markdown tables.
    Layers {
        /// Writes them, and the picture of the crates, into ARCHITECTURE.md.
        #[arg(long)]
        write: bool,
    },
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let lab = Lab::find()?;
    let mut steps = Steps::new();
    match &arguments.command {
        None => serve(&lab, &mut steps, arguments),
        Some(Verb::Build) => {
            site::build(&lab, &mut steps, true)?;
            sizes::report(&lab, &site::dist(&lab))?;
            println!("dist/ is ready · {:.1} s", steps.elapsed().as_secs_f64());
            Ok(())
        }
        Some(Verb::Package) => {
            site::build(&lab, &mut steps, true)?;
            steps.step("npm package", || site::package(&lab))?;
            println!("target/npm is ready: `npm pack ./target/npm` makes its file");
            Ok(())
        }
        Some(Verb::Check) => suite::check(&lab, &mut steps),
        Some(Verb::Test { list: true, .. }) => {
            suite::list();
            Ok(())
        }
        Some(Verb::Test { steps: chosen, .. }) => suite::test(&lab, &mut steps, chosen),
        Some(Verb::Wasm) => suite::compile_wasm(&lab, &mut steps),
        Some(Verb::Bench {
            name,
            peers,
            before,
            json,
        }) => {
            let request = bench::Request {
                name: name.as_deref(),
                peers: *peers,
                before: before.as_deref(),
                json: json.as_deref(),
            };
            bench::run(&lab, &mut steps, &request)
        }
        Some(Verb::Soak { minutes }) => soak(&lab, *minutes),
        Some(Verb::Types) => suite::write_types(&lab, &mut steps),
        Some(Verb::Reference) => reference::write(&lab, &mut steps),
        Some(Verb::Coverage) => reference::print_coverage(&lab, &mut steps),
        Some(Verb::Layers { write: true }) => tidy::write_layers(&lab),
        Some(Verb::Layers { write: false }) => tidy::print_layers(&lab),
    }
}

fn serve(lab: &Lab, steps: &mut Steps, arguments: &Arguments) -> Result<()> {
    site::build(lab, steps, false)?;
    let url = serve::Site::new(site::dist(lab), "/").start(arguments.port)?;
    println!();
    println!(
        "The lab is at {url} · ready in {:.1} s",
        steps.elapsed().as_secs_f64()
    );
    println!("Press Ctrl-C to stop it.");
    if !arguments.no_open && has_display() && open::that_detached(&url).is_err() {
        println!("No browser could be opened: open the address above in yours.");
    }
    loop {
        std::thread::park();
    }
}

fn soak(lab: &Lab, minutes: u32) -> Result<()> {
    let mut cargo = step::cargo(&lab.root);
    cargo.env("GLOW_SOAK_MINUTES", minutes.to_string());
    cargo.args(["test", "--package", "glowgrad-cli", "--test", "it"]);
    cargo.args(["--", "soak::", "--ignored", "--nocapture"]);
    step::run(&mut cargo, "the table above shows what the server kept")
}

/// Whether this machine has a display of its own.
fn has_display() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if is_set("CI") || is_set("SSH_CONNECTION") {
        return false;
    }
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}
