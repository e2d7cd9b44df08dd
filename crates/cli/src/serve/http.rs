//! HTTP: a request for the site by its name gets a file, a page that has the token gets a session.
//!
//! Invariants: a refused request gets a status and no text. A connection has a time to say what it
//! wants, and a time to live; the number of connections and of sessions is bounded, and so is what each
//! holds in memory. A new connection is always let in: where all slots are taken, one that is half open,
//! or that has asked for nothing for the longest time, loses its slot (`connections`).

use std::convert::Infallible;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::extract::ws::WebSocketUpgrade;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::Semaphore;

use super::connections::Connections;
use super::guard::Guard;
use super::process::Launch;
use super::site::Site;
use super::socket;

/// Connections at the same time.
const MOST_CONNECTIONS: usize = 256;

/// How long a connection may take to say what it wants.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);

/// How long a connection may be kept, whatever it does. A session's is its own from the upgrade on.
const LIFE: Duration = Duration::from_secs(300);

/// The longest head of a request, and the most lines in it.
const LONGEST_HEAD: usize = 32 << 10;
const MOST_HEADERS: usize = 64;

/// The longest command: a cell with its source.
const LONGEST_MESSAGE: usize = 4 << 20;

/// On every answer. What a page may load is in the site's own policy, in its HTML.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// What all connections share.
pub(crate) struct Server {
    site: Site,
    guard: Guard,
    sessions: Arc<Semaphore>,
    launch: Arc<Launch>,
}

impl Server {
    pub(crate) fn new(site: Site, guard: Guard, session_memory: Option<u64>) -> Server {
        Server {
            site,
            guard,
            sessions: Arc::new(Semaphore::new(socket::MOST_SESSIONS)),
            launch: Arc::new(Launch::new(session_memory)),
        }
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let (mut request, _) = request.into_parts();
        let mut response = if !self.guard.is_addressed(&request) {
            nothing(StatusCode::FORBIDDEN)
        } else if request.uri.path() == "/session" {
            self.session(&mut request).await
        } else if request.method == Method::GET || request.method == Method::HEAD {
            self.file(request.uri.path())
        } else {
            nothing(StatusCode::METHOD_NOT_ALLOWED)
        };
        for (name, value) in HEADERS {
            let value = HeaderValue::from_static(value);
            response.headers_mut().insert(name, value);
        }
        response
    }

    fn file(&self, address: &str) -> Response<Body> {
        let Some(file) = self.site.file(address) else {
            return nothing(StatusCode::NOT_FOUND);
        };
        let cache = if file.lasts {
            "private, max-age=31536000, immutable"
        } else {
            "no-store"
        };
        let mut response = Response::new(Body::from(file.bytes.clone()));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.kind));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
        response
    }

    async fn session(&self, request: &mut Parts) -> Response<Body> {
        if !self.guard.admits(request) {
            return nothing(StatusCode::FORBIDDEN);
        }
        let Ok(upgrade) = WebSocketUpgrade::from_request_parts(request, &()).await else {
            return nothing(StatusCode::BAD_REQUEST);
        };
        let place = self.sessions.clone().try_acquire_owned().ok();
        let launch = self.launch.clone();
        upgrade
            .max_message_size(LONGEST_MESSAGE)
            .max_frame_size(LONGEST_MESSAGE)
            .on_upgrade(move |socket| async move {
                match place {
                    Some(place) => socket::hold(socket, place, launch).await,
                    None => socket::turn_away(socket).await,
                }
            })
    }
}

/// A status and no word, and the end of the connection.
fn nothing(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Answers for as long as the program runs.
pub(crate) async fn serve(listener: TcpListener, server: Arc<Server>) -> Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let connections = Connections::new(MOST_CONNECTIONS);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // The system has no handle to spare: wait for one.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let server = server.clone();
        let (place, lost) = connections.enter();
        tokio::spawn(async move {
            let answer = service_fn(|request| async {
                place.asks();
                Ok::<_, Infallible>(server.answer(request).await)
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_PATIENCE)
                .max_headers(MOST_HEADERS)
                .max_buf_size(LONGEST_HEAD)
                .serve_connection(TokioIo::new(stream), answer)
                .with_upgrades();
            // A client that breaks off, or says what is not HTTP, concerns no other.
            tokio::select! {
                _ = tokio::time::timeout(LIFE, connection) => {}
                _ = lost => {}
            }
            drop(place);
        });
    }
}
