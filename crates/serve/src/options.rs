//! What a server is told besides its model.

use std::sync::Arc;
use std::time::Duration;

use glowgrad::CpuBackend;

use crate::body::Picture;
use crate::token::Token;
use crate::worker::OpenDevice;

/// Address, limits and times of a server. The defaults are those of `glow serve`.
///
/// ```
/// use glowgrad_serve::Options;
///
/// let options = Options { port: 0, max_batch: 8, ..Options::default() };
/// assert_eq!(options.host, "127.0.0.1");
/// ```
#[derive(Clone)]
pub struct Options {
    /// The model's name, which `/model` tells.
    pub name: String,
    /// The address to listen on.
    pub host: String,
    /// The port; 0 takes any free one.
    pub port: u16,
    /// Threads that run the model, each with the weights in memory.
    pub workers: usize,
    /// The most rows that requests are joined to.
    pub max_batch: usize,
    /// The longest that a request waits for others that are being read.
    pub max_wait: Duration,
    /// The most requests that wait for the model.
    pub queue: usize,
    /// The longest from a request's body to its answer.
    pub timeout: Duration,
    /// The most bytes of a body.
    pub max_body: usize,
    /// The most bytes of all bodies together.
    pub request_memory: usize,
    /// The most bytes of each engine's values, weights among them; none leaves it to the device.
    pub engine_memory: Option<usize>,
    /// The most connections.
    pub max_connections: usize,
    /// The longest that a client may take for a head, for a body, and for reading a piece of an answer.
    pub read_timeout: Duration,
    /// The longest that accepted requests may take after the server was asked to stop.
    pub grace: Duration,
    /// What a request must bring.
    pub token: Option<Token>,
    /// How pixels become numbers.
    pub picture: Picture,
    /// Opens the device.
    pub open: Arc<OpenDevice>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            name: "model".to_owned(),
            host: "127.0.0.1".to_owned(),
            port: 8080,
            workers: 1,
            max_batch: 32,
            max_wait: Duration::from_millis(2),
            queue: 1024,
            timeout: Duration::from_secs(30),
            max_body: 16 << 20,
            request_memory: 256 << 20,
            engine_memory: None,
            max_connections: 1024,
            read_timeout: Duration::from_secs(20),
            grace: Duration::from_secs(20),
            token: None,
            picture: Picture::default(),
            open: Arc::new(|| Ok(Box::new(CpuBackend::new()))),
        }
    }
}
