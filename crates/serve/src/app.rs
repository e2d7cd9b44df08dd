//! What every request sees of the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::body_reader::Budget;
use crate::connections::Connections;
use crate::options::Options;
use crate::probe::Found;
use crate::worker::Work;

/// Shared by all connections.
#[derive(Clone)]
pub(crate) struct App(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) options: Options,
    pub(crate) work: Arc<Work>,
    pub(crate) budget: Budget,
    pub(crate) connections: Connections,
    pub(crate) found: Found,
    stopping: AtomicBool,
}

impl std::ops::Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl App {
    pub(crate) fn new(options: Options, work: Arc<Work>, found: Found) -> App {
        App(Arc::new(Inner {
            budget: Budget::new(options.request_memory),
            connections: Connections::new(options.max_connections),
            options,
            work,
            found,
            stopping: AtomicBool::new(false),
        }))
    }

    /// Whether the server was asked to stop.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    /// Notes that the server was asked to stop.
    pub(crate) fn stops(&self) {
        self.stopping.store(true, Ordering::Release);
    }
}
