//! What `/metrics` tells, in the text format of OpenMetrics, which Prometheus reads.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Request {
    route: &'static str,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Rejection {
    reason: &'static str,
}

/// Counters and histograms of one server.
#[derive(Clone)]
pub(crate) struct Metrics {
    registry: Arc<Registry>,
    requests: Family<Request, Counter>,
    rejected: Family<Rejection, Counter>,
    seconds: Histogram,
    run_seconds: Histogram,
    batch_rows: Histogram,
    batch_requests: Histogram,
    queue: Gauge,
    connections: Gauge,
    body_bytes: Gauge<u64, AtomicU64>,
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let seconds = || Histogram::new(exponential_buckets(0.0001, 2.0, 18));
        let sizes = || Histogram::new(exponential_buckets(1.0, 2.0, 11));
        let mut metrics = Metrics {
            registry: Arc::default(),
            requests: Family::default(),
            rejected: Family::default(),
            seconds: seconds(),
            run_seconds: seconds(),
            batch_rows: sizes(),
            batch_requests: sizes(),
            queue: Gauge::default(),
            connections: Gauge::default(),
            body_bytes: Gauge::default(),
        };
        let mut registry = Registry::with_prefix("glow");
        registry.register(
            "requests",
            "Requests that were answered, by route and status",
            metrics.requests.clone(),
        );
        registry.register(
            "rejected",
            "Requests that were turned away: queue, memory, late, stopping",
            metrics.rejected.clone(),
        );
        registry.register(
            "request_seconds",
            "Seconds from a prediction's head to its answer",
            metrics.seconds.clone(),
        );
        registry.register(
            "run_seconds",
            "Seconds that the model ran for a batch",
            metrics.run_seconds.clone(),
        );
        registry.register(
            "batch_rows",
            "Rows of a batch that ran",
            metrics.batch_rows.clone(),
        );
        registry.register(
            "batch_requests",
            "Requests that were joined to a batch that ran",
            metrics.batch_requests.clone(),
        );
        registry.register(
            "queue_depth",
            "Requests that wait for the model",
            metrics.queue.clone(),
        );
        registry.register(
            "connections",
            "Connections that are open",
            metrics.connections.clone(),
        );
        registry.register(
            "body_bytes",
            "Bytes of bodies that are in memory",
            metrics.body_bytes.clone(),
        );
        metrics.registry = Arc::new(registry);
        metrics
    }

    /// Counts an answer.
    pub(crate) fn answered(&self, route: &'static str, status: u16, took: Duration) {
        let request = Request { route, status };
        self.requests.get_or_create(&request).inc();
        if route == "/predict" {
            self.seconds.observe(took.as_secs_f64());
        }
    }

    /// Counts a request that was turned away.
    pub(crate) fn rejected(&self, reason: &'static str) {
        self.rejected.get_or_create(&Rejection { reason }).inc();
    }

    /// Counts a batch of so many rows and requests.
    pub(crate) fn ran(&self, (rows, requests): (usize, usize), took: Duration) {
        self.batch_rows.observe(rows as f64);
        self.batch_requests.observe(requests as f64);
        self.run_seconds.observe(took.as_secs_f64());
    }

    /// Notes how many connections are open.
    pub(crate) fn connections(&self, n: usize) {
        self.connections.set(n as i64);
    }

    /// The text, with what is known only now.
    pub(crate) fn text(&self, queued: usize, body_bytes: u64) -> String {
        self.queue.set(queued as i64);
        self.body_bytes.set(body_bytes);
        let mut text = String::new();
        // A text in memory takes all that is written.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
