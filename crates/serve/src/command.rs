//! `glow serve`: its options, and a server that runs until a signal stops it.
//!
//! The options are declared here, and the program `glow` takes them in; so a limit and its words stand beside each other.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, value_parser};

use crate::body::Picture;
use crate::deployment;
use crate::log;
use crate::model;
use crate::options::Options;
use crate::server::Server;
use crate::token::Token;
use crate::worker::OpenDevice;

/// The variable that may hold the token.
const TOKEN: &str = "GLOW_SERVE_TOKEN";

/// The command line of `glow serve`.
///
/// ```
/// use clap::Parser;
/// use glowgrad_serve::command::Serve;
///
/// #[derive(Parser)]
/// struct Program {
///     #[command(flatten)]
///     serve: Serve,
/// }
///
/// let program = Program::parse_from(["serve", "mnist.onnx", "--max-batch", "8"]);
/// assert_eq!(program.serve.device(), "cpu");
/// ```
#[derive(Debug, Clone, Args)]
pub struct Serve {
    /// The model: a .onnx file, or the .json file that describes a network
    model: PathBuf,
    /// The weights of a network that is described in JSON; without it the .safetensors file of the same name
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// The address to listen on; 0.0.0.0 is every address of this computer
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: String,
    /// The port; 0 takes any free one
    #[arg(long, value_name = "N", default_value_t = 8080)]
    port: u16,
    /// What computes; `glow devices` lists what there is
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: String,
    /// Threads that run the model, each with the weights in memory
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=256))]
    workers: u32,
    /// The most rows that requests are joined to; 1 joins none
    #[arg(long, value_name = "ROWS", default_value_t = 32, value_parser = value_parser!(u32).range(1..))]
    max_batch: u32,
    /// The longest that a request waits for others that are being read, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 2)]
    max_wait: u64,
    /// The most requests that wait for the model
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = value_parser!(u32).range(1..))]
    queue: u32,
    /// The longest from a request's body to its answer, in seconds
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// The largest body, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = value_parser!(u32).range(1..1 << 20))]
    max_body: u32,
    /// The most memory of all bodies together, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = value_parser!(u32).range(1..1 << 20))]
    request_memory: u32,
    /// The most memory of each thread's values, the weights among them, in MiB; without it what this computer can give
    #[arg(long, value_name = "MIB", value_parser = value_parser!(u32).range(1..1 << 30))]
    engine_memory: Option<u32>,
    /// The most connections
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = value_parser!(u32).range(1..))]
    max_connections: u32,
    /// The longest that a client may take for a head, for a body, and for reading a piece of an answer, in seconds
    #[arg(long, value_name = "S", default_value_t = 20, value_parser = value_parser!(u64).range(1..=86_400))]
    read_timeout: u64,
    /// The longest that accepted requests may take after SIGTERM or Ctrl-C, in seconds
    #[arg(long, value_name = "S", default_value_t = 20, value_parser = value_parser!(u64).range(..=86_400))]
    grace: u64,
    /// A file with the token that requests must bring (or the variable GLOW_SERVE_TOKEN has it)
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// What is taken off pixels of 0 to 1, for each channel: 0.485,0.456,0.406
    #[arg(
        long,
        value_name = "X,X,X",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    mean: Vec<f32>,
    /// What they are divided by then: 0.229,0.224,0.225
    #[arg(long, value_name = "X,X,X", value_delimiter = ',')]
    std: Vec<f32>,
    /// How the log is written, on standard error
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    log: log::Format,
    /// Write a Dockerfile, a compose file and a systemd unit for this model into a folder, with the model and this program, and end
    #[arg(long, value_name = "FOLDER")]
    write_deployment: Option<PathBuf>,
}

impl Serve {
    /// The device that is asked for.
    pub fn device(&self) -> &str {
        &self.device
    }

    fn options(&self, open: Arc<OpenDevice>) -> Result<Options> {
        let stem = self.model.file_stem().unwrap_or_default();
        Ok(Options {
            name: stem.to_string_lossy().into_owned(),
            host: self.host.clone(),
            port: self.port,
            workers: self.workers as usize,
            max_batch: self.max_batch as usize,
            max_wait: Duration::from_millis(self.max_wait),
            queue: self.queue as usize,
            timeout: Duration::from_secs(self.timeout),
            max_body: (self.max_body as usize) << 20,
            request_memory: (self.request_memory as usize) << 20,
            engine_memory: self.engine_memory.map(|mib| (mib as usize) << 20),
            max_connections: self.max_connections as usize,
            read_timeout: Duration::from_secs(self.read_timeout),
            grace: Duration::from_secs(self.grace),
            token: self.token()?,
            picture: Picture {
                mean: self.mean.clone(),
                std: self.std.clone(),
            },
            open,
        })
    }

    fn token(&self) -> Result<Option<Token>> {
        if let Some(file) = &self.token_file {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("cannot read the token in {}", file.display()))?;
            let token = Token::new(&text).with_context(|| file.display().to_string())?;
            return Ok(Some(token));
        }
        match std::env::var(TOKEN) {
            Ok(text) => Ok(Some(Token::new(&text).context(TOKEN)?)),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(error) => Err(error).context(TOKEN),
        }
    }
}

/// Serves until SIGTERM or Ctrl-C, then answers what was accepted. `say` writes a line to standard output: the first is the
/// address.
///
/// # Errors
/// When the model cannot be served, and when accepted requests were not answered in time.
pub fn run(
    serve: &Serve,
    open: Arc<OpenDevice>,
    say: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<()> {
    let model = model::read(&serve.model, serve.weights.as_deref())?;
    if let Some(folder) = &serve.write_deployment {
        for line in deployment::write(folder, &serve.model, serve.weights.as_deref())? {
            say(&line)?;
        }
        return Ok(());
    }
    log::init(serve.log);
    let options = serve.options(open)?;
    if options.workers > 1 && serve.device != "cpu" {
        tracing::warn!("each of the {} threads opens the device", options.workers);
    }
    let has_token = options.token.is_some();
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(async {
            let signal = Signal::new()?;
            let name = options.name.clone();
            let format = model.format();
            let server = Server::start(model, options).await?;
            let address = server.address();
            say(&format!("The model is at http://{address}"))?;
            if !address.ip().is_loopback() && !has_token {
                tracing::warn!(
                    "every computer that reaches {address} can use the model: set a token with --token-file, or listen on 127.0.0.1"
                );
            }
            match server.joins_not() {
                None => tracing::info!(%address, name, format, "serving; requests are joined to batches"),
                Some(reason) => {
                    tracing::info!(%address, name, format, reason, "serving; requests run one by one");
                }
            }
            let signal = signal.wait().await;
            tracing::info!(signal, "stopping: accepted requests are answered");
            server.stop().await?;
            tracing::info!("stopped");
            Ok(())
        })
}

/// The signals that stop a server.
struct Signal {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signal {
    fn new() -> Result<Signal> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signal {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn wait(mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

#[cfg(not(unix))]
impl Signal {
    fn new() -> Result<Signal> {
        Ok(Signal {})
    }

    async fn wait(self) -> &'static str {
        // Without the signal, the program is ended by the system.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        "Ctrl-C"
    }
}
