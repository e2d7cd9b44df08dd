//! A server: threads that run the model, a listener, connections, and the way to its end.
//!
//! Invariants: a request whose head was read is answered before the server stops, unless the time for that runs out. A
//! client that is slow, with its head, its body or with reading, ends by a time and takes no place from others
//! (`connections`).

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

use crate::app::App;
use crate::connections::ConnectionSlot;
use crate::metrics::Metrics;
use crate::model::Served;
use crate::options::Options;
use crate::probe::Found;
use crate::queue::{Failure, Queue};
use crate::routes;
use crate::worker::{self, Ready, Work};

/// The longest head of a request, and the most lines in it.
const LONGEST_HEAD: usize = 64 << 10;
const MOST_HEADERS: usize = 64;

/// How long a listener that is to close still takes connections that the system has made already.
const LAST_CALL: Duration = Duration::from_millis(20);

/// How long the listener waits for a place where every connection is busy.
const CROWDED: Duration = Duration::from_millis(5);

/// How long a new connection may say nothing once the server stops.
const SILENCE: Duration = Duration::from_millis(500);

/// A server that runs.
///
/// ```
/// use glowgrad::Tensor;
/// use glowgrad_serve::{Options, Server, model};
///
/// let engine = glowgrad::cpu();
/// let x = Tensor::from_f32(&engine, &[1.0, 2.0], &[1, 2]).unwrap();
/// let mut export = glowgrad_onnx::Export::new();
/// export.input("x", &x).output("y", &x.relu().unwrap());
/// let model = model::of_onnx(&export.to_bytes().unwrap()).unwrap();
///
/// let runtime = tokio::runtime::Runtime::new().unwrap();
/// runtime.block_on(async {
///     let options = Options { port: 0, ..Options::default() };
///     let server = Server::start(model, options).await.unwrap();
///     assert!(server.address().ip().is_loopback());
///     assert!(server.stop().await.is_ok());
/// });
/// ```
pub struct Server {
    address: SocketAddr,
    app: App,
    workers: Vec<JoinHandle<()>>,
    accepting: tokio::task::JoinHandle<JoinSet<()>>,
    stopping: watch::Sender<bool>,
}

impl Server {
    /// Loads the model on its threads, tries it, and listens.
    ///
    /// # Errors
    /// When the model cannot be loaded, the port is taken, or an option does not fit the model.
    pub async fn start(model: Arc<dyn Served>, options: Options) -> Result<Server> {
        let listener = TcpListener::bind((options.host.as_str(), options.port))
            .await
            .with_context(|| {
                format!(
                    "cannot listen on {}:{}; choose another with --host and --port",
                    options.host, options.port
                )
            })?;
        check_picture(&*model, &options)?;
        let work = Arc::new(Work {
            model,
            open: options.open.clone(),
            engine_memory: options.engine_memory,
            most_rows: options.max_batch.max(1),
            wait: options.max_wait,
            queue: Queue::new(options.queue.max(1)),
            metrics: Metrics::new(),
        });
        let probes = options.max_batch > 1;
        let loading = work.clone();
        let n_workers = options.workers.max(1);
        let started = tokio::task::spawn_blocking(move || start(&loading, n_workers, probes));
        let (workers, mut found) = started.await??;
        if !probes {
            found.reason = "--max-batch is 1".to_owned();
        }
        let app = App::new(options, work, found);
        let (stopping, stops) = watch::channel(false);
        let address = listener.local_addr()?;
        let accepting = tokio::spawn(accept(listener, app.clone(), stops));
        Ok(Server {
            address,
            app,
            workers,
            accepting,
            stopping,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Why requests are not joined to batches; none if they are.
    pub fn joins_not(&self) -> Option<&str> {
        let found = &self.app.found;
        (!found.joins).then_some(found.reason.as_str())
    }

    /// Takes no more connections, answers what was accepted, and ends.
    ///
    /// # Errors
    /// When the time for it runs out: how many connections were cut off.
    pub async fn stop(self) -> Result<()> {
        let until = Instant::now() + self.app.options.grace;
        self.app.stops();
        let _ = self.stopping.send(true);
        let mut accepting = self.accepting;
        let Ok(connections) = timeout_at(until, &mut accepting).await else {
            accepting.abort();
            self.app.work.queue.stop();
            self.app.work.queue.fail(&Failure::Late);
            return Err(anyhow!("every connection was busy until the grace ran out"));
        };
        let mut connections = connections?;
        let all = async { while connections.join_next().await.is_some() {} };
        let in_time = timeout_at(until, all).await.is_ok();
        let n_left = connections.len();
        connections.abort_all();
        self.app.work.queue.stop();
        if !in_time {
            self.app.work.queue.fail(&Failure::Late);
            return Err(anyhow!(
                "{n_left} connections were cut off: their requests were not answered within the grace of {} s",
                self.app.options.grace.as_secs_f64()
            ));
        }
        let workers = self.workers;
        let ended = tokio::task::spawn_blocking(move || {
            for worker in workers {
                // A thread that panicked has ended too.
                let _ = worker.join();
            }
        });
        let _ = timeout_at(until, ended).await;
        Ok(())
    }
}

/// Refuses numbers for pixels that do not fit.
fn check_picture(model: &dyn Served, options: &Options) -> Result<()> {
    let scale = &options.picture;
    if scale.mean.is_empty() && scale.std.is_empty() {
        return Ok(());
    }
    let picture = match model.inputs() {
        [input] => crate::body::picture(input),
        _ => None,
    };
    let (n_channels, ..) = picture.ok_or_else(|| {
        anyhow!(
            "--mean and --std are for models of pictures, and this model takes none; leave them out"
        )
    })?;
    scale.check(n_channels).map_err(|error| anyhow!(error))
}

/// Starts the threads, and waits until each has loaded the model.
fn start(work: &Arc<Work>, n: usize, probes: bool) -> Result<(Vec<JoinHandle<()>>, Found)> {
    let (tell, told) = std::sync::mpsc::channel::<Ready>();
    let mut workers = Vec::new();
    for i in 0..n {
        let (work, tell) = (work.clone(), tell.clone());
        let thread = std::thread::Builder::new().name(format!("model {i}"));
        workers.push(thread.spawn(move || {
            worker::run(&work, probes && i == 0, |ready| {
                let _ = tell.send(ready);
            });
        })?);
    }
    drop(tell);
    let mut found = Found::default();
    for _ in 0..n {
        let ready = told.recv().context("a thread of the model has ended")?;
        match ready {
            Ok(one) if one.joins || !one.reason.is_empty() => found = one,
            Ok(_) => {}
            Err(error) => {
                work.queue.stop();
                return Err(anyhow!("the model cannot be loaded: {}", error.message));
            }
        }
    }
    Ok((workers, found))
}

/// Takes connections until the server stops; gives those that are left.
async fn accept(listener: TcpListener, app: App, stops: watch::Receiver<bool>) -> JoinSet<()> {
    let router = routes::router(&app);
    let mut connections = JoinSet::new();
    let begin = async |stream: TcpStream, connections: &mut JoinSet<()>| {
        // A stream that has no such setting serves as well.
        let _ = stream.set_nodelay(true);
        let place = loop {
            match app.connections.enter() {
                Some(place) => break place,
                // Every connection has a request that runs: others wait in the system's queue.
                None => sleep(CROWDED).await,
            }
        };
        let (app, router, stops) = (app.clone(), router.clone(), stops.clone());
        connections.spawn(serve(stream, place, app, router, stops));
    };
    let mut stopped = stops.clone();
    loop {
        tokio::select! {
            biased;
            _ = stopped.changed() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => begin(stream, &mut connections).await,
                // The system has no handle to spare: wait for one.
                Err(_) => sleep(Duration::from_millis(20)).await,
            },
        }
        while connections.try_join_next().is_some() {}
    }
    // So long in all: a client that comes back after each answer does not hold it up.
    let until = Instant::now() + LAST_CALL;
    while let Ok(Ok((stream, _))) = timeout_at(until, listener.accept()).await {
        begin(stream, &mut connections).await;
    }
    connections
}

/// Serves a connection until its end.
async fn serve(
    stream: TcpStream,
    (place, mut lost): (ConnectionSlot, oneshot::Receiver<()>),
    app: App,
    router: Router,
    mut stops: watch::Receiver<bool>,
) {
    let place = Arc::new(place);
    let asked = Arc::new(Notify::new());
    let patience = app.options.read_timeout;
    let answer = service_fn(|mut request: Request<Incoming>| {
        place.waits();
        asked.notify_one();
        routes::check_number(&mut request);
        request.extensions_mut().insert(place.clone());
        let answer = router.clone().oneshot(request.map(Body::new));
        let place = place.clone();
        async move {
            let answer = answer.await;
            place.waits();
            answer.map_err(|error: Infallible| error)
        }
    });
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(patience));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_headers(MOST_HEADERS)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(TokioIo::new(Box::pin(stream)), answer);
    tokio::pin!(connection);
    tokio::select! {
        // First, so that a request that has come is read before the connection learns of the end.
        biased;
        // A client that breaks off, or says what is not HTTP, concerns no other.
        _ = connection.as_mut() => return,
        _ = &mut lost => return,
        _ = stops.wait_for(|stops| *stops) => {}
    }
    // A connection that has asked for nothing may have its first request on its way.
    tokio::select! {
        biased;
        _ = connection.as_mut() => return,
        () = asked.notified() => {}
        // Not even half a head holds up the end.
        () = sleep(SILENCE) => return,
    }
    connection.as_mut().graceful_shutdown();
    // Nothing loses its place any more: no connection comes after these.
    let _ = connection.await;
}
