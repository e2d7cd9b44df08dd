//! `glow lab`: the page, with this computer's engine behind it.
//!
//! Invariants: it listens on 127.0.0.1 only. Every start draws a token; it stands in the fragment of the
//! address that is printed, which a browser does not send, and a page without it gets no session.
//! What a request must look like is in `guard`, the connections are in `http` and `connections`, the files in
//! `site`. A session over a socket is in `socket`; it runs in a process of its own, `child`, which the server
//! knows through `process` and talks to in frames (`frame`).

pub(crate) mod child;
mod connections;
mod frame;
mod guard;
mod http;
mod process;
mod site;
mod socket;

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};

use self::guard::Guard;
use self::site::Site;
use crate::Ending;
use crate::terminal::Terminal;

/// Not the port of `cargo lab`, whose page keeps itself for offline use: it would answer in our place.
/// The learner's work is kept by address, so the port is the same every time.
const PORT: u16 = 4174;

/// What the command line asks of the server.
pub(crate) struct Wishes<'a> {
    pub(crate) port: Option<u16>,
    /// The built site; none takes the one that is at hand.
    pub(crate) folder: Option<&'a Path>,
    /// Whether a browser is opened.
    pub(crate) opens: bool,
    /// The most memory of one session, in GiB.
    pub(crate) session_memory: Option<u64>,
}

/// Serves until the program ends.
pub(crate) fn run(terminal: &mut Terminal<'_>, wishes: &Wishes<'_>) -> Result<Ending> {
    let site = Site::find(wishes.folder)?;
    let port = wishes.port;
    let listener = match port {
        Some(port) => bind(port)?,
        None => bind(PORT).or_else(|_| bind(0))?,
    };
    let is_elsewhere = port.is_none() && listener.local_addr()?.port() != PORT;
    let port = listener.local_addr()?.port();
    let token = draw_token()?;
    let address = format!("http://127.0.0.1:{port}/#token={token}");
    terminal.line(&format!("The lab is at {address}"))?;
    if is_elsewhere {
        terminal.line(&format!(
            "Port {PORT} is taken. A browser keeps your work by address: what you did there is not here."
        ))?;
    }
    terminal.line("This computer's engine is behind it. Press Ctrl-C to stop it.")?;
    if wishes.opens && has_display() && open::that_detached(&address).is_err() {
        terminal.line("No browser could be opened: open the address above in yours.")?;
    }
    let server = Arc::new(http::Server::new(
        site,
        Guard::new(port, &token),
        wishes.session_memory,
    ));
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?
        .block_on(http::serve(listener, server))?;
    Ok(Ending::Good)
}

fn bind(port: u16) -> Result<TcpListener> {
    TcpListener::bind(("127.0.0.1", port)).with_context(|| {
        format!("cannot listen on 127.0.0.1:{port}: choose another port with `--port N`")
    })
}

/// 128 random bits, in hexadecimal.
fn draw_token() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| anyhow!("no random numbers here: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether this machine has a display of its own.
fn has_display() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if is_set("CI") || is_set("SSH_CONNECTION") {
        return false;
    }
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}
