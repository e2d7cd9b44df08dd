//! The log: a line for each request and for what an operator should know, on standard error.

use clap::ValueEnum;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// How lines are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// An object a line, for programs that collect logs.
    Json,
}

/// Writes the log from now on; the first call counts.
///
/// ```
/// glowgrad_serve::log::init(glowgrad_serve::log::Format::Json);
/// ```
pub fn init(format: Format) {
    let lines = fmt::layer().with_writer(std::io::stderr).with_target(false);
    let registry = tracing_subscriber::registry().with(LevelFilter::INFO);
    // A log that is there already stays.
    let _ = match format {
        Format::Text => {
            let ansi = std::io::IsTerminal::is_terminal(&std::io::stderr());
            registry.with(lines.with_ansi(ansi)).try_init()
        }
        Format::Json => registry.with(lines.json().flatten_event(true)).try_init(),
    };
}
