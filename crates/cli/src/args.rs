//! The command line of `glow`, declared once: clap makes the parser and the help from it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use glowgrad_serve::command::Serve;

/// Lessons, scripts and graphs of glowgrad, in the terminal.
#[derive(Debug, Parser)]
#[command(name = "glow", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) task: Task,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Read, run and verify lessons
    #[command(subcommand)]
    Lesson(LessonTask),
    /// Run a Python script on this computer's engine
    Python {
        /// The script
        file: PathBuf,
        /// What the script gets in `sys.argv`: everything from the first word on that is no option of `glow`; `--` begins it too
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
        /// Write what the last step did, one line an event; `-` writes it after what was printed
        #[arg(long, value_name = "FILE")]
        trace: Option<PathBuf>,
        /// Print every kernel to standard error as it is made (so does GLOW_DEBUG=1)
        #[arg(long)]
        show_kernels: bool,
        #[command(flatten)]
        device: Device,
    },
    /// Run a script and draw the last graph it made
    Graph {
        /// The script
        file: PathBuf,
        /// Where to write the picture
        #[arg(long, value_name = "FILE")]
        svg: PathBuf,
    },
    /// Serve the page with this computer's engine behind it
    Lab {
        /// The port; 0 takes any free one
        #[arg(long, value_name = "N")]
        port: Option<u16>,
        /// Do not open a browser
        #[arg(long)]
        no_open: bool,
        /// Serve this built site, not the one of the checkout
        #[arg(long, value_name = "FOLDER")]
        site: Option<PathBuf>,
        /// The most memory of one session, in GiB; without it three quarters of this computer's (Linux)
        #[arg(long, value_name = "GIB", value_parser = clap::value_parser!(u64).range(1..1 << 20))]
        session_memory: Option<u64>,
    },
    /// Run one session of `glow lab`, which starts it
    #[command(hide = true)]
    Session {
        /// As `--session-memory` of `glow lab`
        #[arg(long, value_name = "GIB")]
        memory: Option<u64>,
        /// What this computer has besides the processor, as JSON, where that is known already
        #[arg(long, value_name = "JSON")]
        devices: Option<String>,
    },
    /// Look into an ONNX model, or run it
    #[command(subcommand)]
    Onnx(OnnxTask),
    /// Serve a model over HTTP
    Serve(Box<Serve>),
    /// Say what can compute here
    Devices,
    /// Check a device: every op against PyTorch's numbers, training against the CPU, and how fast it is
    GpuCheck {
        /// Where to write what was found
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
        /// What to check: `wgpu`, `cuda` or `cpu`
        #[arg(long, value_name = "DEVICE", default_value = "wgpu")]
        device: String,
    },
    /// Write the op reference, with what its examples print
    #[command(hide = true)]
    Reference {
        /// Where to write a page for each family
        #[arg(long, value_name = "FOLDER", required_unless_present = "json")]
        out: Option<PathBuf>,
        /// Where to write it all for the page
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum LessonTask {
    /// List the lessons of the course
    List {
        #[command(flatten)]
        language: Language,
        #[command(flatten)]
        source: Source,
    },
    /// Read a lesson here: its cells run, its checks report
    Run {
        /// A lesson's name or number, such as `read-a-digit` or 3
        name: String,
        /// Answer the exercises with their solutions
        #[arg(long)]
        solve: bool,
        /// Your library, as the page saves it: its pieces stand in for the course's
        #[arg(long, value_name = "FOLDER")]
        mine: Option<PathBuf>,
        #[command(flatten)]
        language: Language,
        #[command(flatten)]
        device: Device,
        #[command(flatten)]
        source: Source,
    },
    /// Run the exercises in learners' progress files, which the page's list of lessons saves
    Check {
        /// The files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// One lesson's name or number; without it, all that a file has
        #[arg(long, value_name = "LESSON")]
        only: Option<String>,
        /// The longest that one exercise may take, in seconds
        #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=3600))]
        seconds: u64,
        /// Write a report as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        source: Source,
    },
    /// Make a lesson that verifies, to be written over
    New {
        /// Its name in links: lower case letters, digits and -
        slug: String,
        /// The folder of the lessons
        #[arg(long = "lessons", value_name = "FOLDER", default_value = "lessons")]
        folder: PathBuf,
    },
    /// Begin a lesson in another language, or mark it as made from the English text of now
    Translate {
        /// A lesson's name or number
        name: String,
        /// The language's code, such as `es`
        language: String,
        /// The folder of the lessons
        #[arg(long = "lessons", value_name = "FOLDER", default_value = "lessons")]
        folder: PathBuf,
    },
    /// Prove that cells run, starts fail their checks and solutions pass
    Verify {
        /// One lesson's name or number; without it, all of them
        name: Option<String>,
        #[command(flatten)]
        device: Device,
        #[command(flatten)]
        source: Source,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum OnnxTask {
    /// Tell inputs, outputs, operators and parameters, and which nodes cannot run here
    Info {
        /// The model
        model: PathBuf,
    },
    /// Run a model on arrays
    Run {
        /// The model
        model: PathBuf,
        /// An input: its name, and the .npy file that has it
        #[arg(long, value_name = "NAME=FILE.npy")]
        input: Vec<String>,
        /// Where to write a .npy file for each output; without it, outputs are printed
        #[arg(long, value_name = "FOLDER")]
        output_dir: Option<PathBuf>,
        #[command(flatten)]
        device: Device,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Device {
    /// What computes; `glow devices` lists what there is
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub(crate) device: String,
}

#[derive(Debug, Args)]
pub(crate) struct Language {
    /// The language of the lessons' text, such as `es`
    #[arg(long, value_name = "LANGUAGE", default_value = "en")]
    pub(crate) language: String,
}

#[derive(Debug, Args)]
pub(crate) struct Source {
    /// Read the lessons from this folder, not from the ones built in
    #[arg(long = "lessons", value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
}
