//! What is answered in place of outputs: problem details in JSON (RFC 9457).
//!
//! Invariant: a problem says what came, what was expected, and the remedy. It repeats nothing secret: no token, no path of
//! this computer, no number of another request.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use serde_json::json;

/// A refusal.
///
/// ```
/// use axum::http::StatusCode;
/// use glowgrad_serve::Problem;
///
/// let problem = Problem::new(StatusCode::NOT_FOUND, "there is no /x here", "send POST /predict");
/// assert_eq!(problem.json()["status"], 404);
/// assert_eq!(problem.json()["title"], "Not Found");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    status: StatusCode,
    detail: String,
    remedy: String,
    retry_after: Option<u64>,
    closes: bool,
}

impl Problem {
    /// A problem with a status, what came beside what was expected, and what to do.
    pub fn new(
        status: StatusCode,
        detail: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Problem {
        Problem {
            status,
            detail: detail.into(),
            remedy: remedy.into(),
            retry_after: None,
            closes: false,
        }
    }

    /// The server is busy: the same request may succeed after so many seconds.
    pub(crate) fn busy(detail: impl Into<String>, seconds: u64) -> Problem {
        let remedy = format!("send the same request again after {seconds} s");
        Problem {
            retry_after: Some(seconds),
            ..Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail, remedy)
        }
    }

    /// The same problem, and the end of its connection: what the client still sends is not read.
    pub(crate) fn closing(self) -> Problem {
        Problem {
            closes: true,
            ..self
        }
    }

    /// Its status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The body of the answer.
    pub fn json(&self) -> serde_json::Value {
        json!({
            "type": "about:blank",
            "title": self.status.canonical_reason().unwrap_or("Error"),
            "status": self.status.as_u16(),
            "detail": self.detail,
            "remedy": self.remedy,
        })
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.json().to_string()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        let mut set = |name, value| headers.insert(name, value);
        let kind = HeaderValue::from_static("application/problem+json");
        set(header::CONTENT_TYPE, kind);
        if let Some(seconds) = self.retry_after {
            set(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            set(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if self.closes {
            set(header::CONNECTION, HeaderValue::from_static("close"));
        }
        // The log tells why, the client's own numbers left out.
        response.extensions_mut().insert(self);
        response
    }
}
