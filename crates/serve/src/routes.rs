//! The addresses of the server, and what is done for each request: a number, the token, the log, the counts.
//!
//! Invariants: `/health` and the page's own files need no token, everything else does. Neither the token nor a number of a
//! request's body is logged.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, Response, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use serde_json::json;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::request_id::{
    MakeRequestId, PropagateRequestIdLayer, RequestId, SetRequestIdLayer,
};
use tower_http::set_header::SetResponseHeaderLayer;

use crate::Problem;
use crate::app::App;
use crate::body_reader;
use crate::describe;
use crate::predict::{Ran, predict};

/// The page's own files.
const PAGE: [(&str, &str, &str); 3] = [
    (
        "/",
        "text/html; charset=utf-8",
        include_str!("page/index.html"),
    ),
    (
        "/page.css",
        "text/css; charset=utf-8",
        include_str!("page/page.css"),
    ),
    (
        "/page.js",
        "text/javascript; charset=utf-8",
        include_str!("page/page.js"),
    ),
];

/// The other addresses.
const ADDRESSES: [&str; 6] = [
    "/predict",
    "/health",
    "/health/live",
    "/metrics",
    "/model",
    "/openapi.json",
];

/// On every answer: the page loads its own files and nothing else.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
];

/// The longest number that a client may give its request.
const LONGEST_ID: usize = 64;

/// What answers.
pub(crate) fn router(app: &App) -> Router {
    let mut router = Router::new()
        .route("/predict", post(predict))
        .route("/health", get(health))
        .route("/health/live", get(async || "live\n"))
        .route("/metrics", get(metrics))
        .route("/model", get(model))
        .route("/openapi.json", get(openapi));
    for (address, kind, text) in PAGE {
        let answer = async move || ([(header::CONTENT_TYPE, kind)], text);
        router = router.route(address, get(answer));
    }
    let mut router = router
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(app.clone(), authorize))
        .layer(CatchPanicLayer::custom(|_| {
            let detail = "the server broke off while it answered this request";
            let remedy = "report the request; the server goes on with others";
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, detail, remedy).into_response()
        }))
        .layer(from_fn_with_state(app.clone(), observe));
    for (name, value) in HEADERS {
        let value = HeaderValue::from_static(value);
        router = router.layer(SetResponseHeaderLayer::overriding(name, value));
    }
    router
        .layer(PropagateRequestIdLayer::x_request_id())
        .layer(SetRequestIdLayer::x_request_id(Numbers::new()))
        .with_state(app.clone())
}

/// Numbers for requests that have none: eight digits that each start draws, and a count.
#[derive(Clone)]
struct Numbers {
    start: u32,
    next: std::sync::Arc<AtomicU64>,
}

impl Numbers {
    fn new() -> Numbers {
        let mut bytes = [0; 4];
        // Without random numbers, starts are not told apart in a log.
        let _ = getrandom::fill(&mut bytes);
        Numbers {
            start: u32::from_le_bytes(bytes),
            next: Default::default(),
        }
    }
}

impl MakeRequestId for Numbers {
    fn make_request_id<B>(&mut self, _: &axum::http::Request<B>) -> Option<RequestId> {
        let count = self.next.fetch_add(1, Ordering::Relaxed);
        let text = format!("{:08x}-{count}", self.start);
        HeaderValue::from_str(&text).ok().map(RequestId::new)
    }
}

/// Takes off what is no number of a request.
pub(crate) fn check_number<B>(request: &mut axum::http::Request<B>) {
    let name = HeaderName::from_static("x-request-id");
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let is_good = request.headers().get(&name).is_none_or(|value| {
        value.len() <= LONGEST_ID && !value.is_empty() && value.as_bytes().iter().all(plain)
    });
    if !is_good {
        request.headers_mut().remove(name);
    }
}

/// The address as metrics name it.
fn route(path: &str) -> &'static str {
    let pages = PAGE.iter().map(|(address, ..)| *address);
    let found = ADDRESSES
        .iter()
        .copied()
        .chain(pages)
        .find(|&own| own == path);
    found.unwrap_or("other")
}

async fn authorize(State(app): State<App>, request: Request, next: Next) -> Response<Body> {
    let path = request.uri().path();
    let is_open = path.starts_with("/health") || PAGE.iter().any(|(own, ..)| *own == path);
    match &app.options.token {
        Some(token) if !is_open && !token.is_in(request.headers()) => {
            let (parts, body) = request.into_parts();
            body_reader::linger(&parts.headers, body).await;
            let detail = match parts.headers.contains_key(header::AUTHORIZATION) {
                true => "the token is not this server's",
                false => "the request has no token",
            };
            let remedy = "send the header Authorization: Bearer TOKEN";
            Problem::new(StatusCode::UNAUTHORIZED, detail, remedy).into_response()
        }
        _ => next.run(request).await,
    }
}

/// Counts an answer and writes its line of the log.
async fn observe(State(app): State<App>, request: Request, next: Next) -> Response<Body> {
    let begun = Instant::now();
    let path = route(request.uri().path());
    let method = request.method().clone();
    let number = request.headers().get("x-request-id").cloned();
    let response = next.run(request).await;
    let took = begun.elapsed();
    let status = response.status().as_u16();
    app.work.metrics.answered(path, status, took);
    let id = number
        .as_ref()
        .and_then(|id| id.to_str().ok())
        .unwrap_or("");
    let ms = millis(took);
    let ran = response.extensions().get::<Ran>();
    let problem = response.extensions().get::<Problem>();
    match (ran, problem) {
        (Some(ran), _) => tracing::info!(
            id,
            %method,
            path,
            status,
            ms,
            batch_rows = ran.rows,
            batch_requests = ran.requests,
            queue_ms = millis(ran.waited),
            run_ms = millis(ran.ran),
            "request"
        ),
        (None, Some(problem)) if problem.status().is_server_error() => {
            tracing::warn!(id, %method, path, status, ms, "request");
        }
        // What asks every few seconds is not worth a line.
        _ if path != "/predict" && status < 400 => {
            tracing::debug!(id, %method, path, status, ms, "request");
        }
        _ => tracing::info!(id, %method, path, status, ms, "request"),
    }
    response
}

/// Milliseconds with three digits behind the point.
fn millis(time: std::time::Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

async fn health(State(app): State<App>) -> Response<Body> {
    let is_ready = !app.is_stopping();
    let body = json!({
        "live": true,
        "ready": is_ready,
        "model": app.options.name,
        "queued": app.work.queue.len(),
    });
    let status = match is_ready {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, json_kind(), body.to_string()).into_response()
}

async fn metrics(State(app): State<App>) -> impl IntoResponse {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let metrics = &app.work.metrics;
    metrics.connections(app.connections.len());
    let text = metrics.text(app.work.queue.len(), app.budget.taken());
    ([(header::CONTENT_TYPE, kind)], text)
}

async fn model(State(app): State<App>) -> impl IntoResponse {
    (json_kind(), describe::model(&app).to_string())
}

async fn openapi(State(app): State<App>) -> impl IntoResponse {
    (json_kind(), describe::openapi(&app).to_string())
}

fn json_kind() -> [(HeaderName, &'static str); 1] {
    [(header::CONTENT_TYPE, "application/json")]
}

async fn unknown(request: Request) -> Problem {
    let path: String = request.uri().path().chars().take(80).collect();
    Problem::new(
        StatusCode::NOT_FOUND,
        format!("there is no {path:?} here"),
        format!("ask for one of {}", ADDRESSES.join(", ")),
    )
}

async fn wrong_method(method: Method, request: Request) -> Problem {
    let path: String = request.uri().path().chars().take(80).collect();
    let expected = match path == "/predict" {
        true => "POST",
        false => "GET",
    };
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        format!("{path} does not take {method}"),
        format!("send {expected} {path}"),
    )
}
