//! The bytes of a request's body, within limits of length, time and memory.
//!
//! Invariants: a body takes memory only for what has come, and all bodies together take no more than their budget; a
//! client that sends slowly loses its request when the time for it is over, whatever it sent in between.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::Problem;

/// The budget is counted in pieces of so many bytes.
const PIECE: usize = 1024;

/// How long, and for how many bytes, a client that was refused may go on sending, so that it reads why.
const LINGER: (Duration, usize) = (Duration::from_secs(1), 4 << 20);

/// The memory that bodies share.
#[derive(Clone)]
pub(crate) struct Budget {
    pieces: Arc<Semaphore>,
    n_pieces: usize,
}

impl Budget {
    pub(crate) fn new(bytes: usize) -> Budget {
        let n_pieces = bytes.div_ceil(PIECE).min(Semaphore::MAX_PERMITS);
        Budget {
            pieces: Arc::new(Semaphore::new(n_pieces)),
            n_pieces,
        }
    }

    /// How many bytes are taken.
    pub(crate) fn taken(&self) -> u64 {
        ((self.n_pieces - self.pieces.available_permits()) * PIECE) as u64
    }
}

/// A body, and its part of the budget until it is dropped.
pub(crate) struct Read {
    pub(crate) bytes: Bytes,
    _part: Option<OwnedSemaphorePermit>,
}

/// Reads a body whole.
pub(crate) async fn read(
    headers: &HeaderMap,
    mut body: Body,
    most: usize,
    budget: &Budget,
    patience: Duration,
) -> Result<Read, Problem> {
    let claimed = headers.get(header::CONTENT_LENGTH);
    let claimed = claimed.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    let outcome = match claimed {
        Some(length) if length > most as u64 => Err(too_large(most)),
        _ => collect(&mut body, most, budget, patience).await,
    };
    if outcome.is_err() {
        linger(headers, body).await;
    }
    outcome
}

async fn collect(
    body: &mut Body,
    most: usize,
    budget: &Budget,
    patience: Duration,
) -> Result<Read, Problem> {
    let until = Instant::now() + patience;
    let mut bytes = Vec::new();
    let mut part: Option<OwnedSemaphorePermit> = None;
    loop {
        let Ok(frame) = timeout_at(until, body.frame()).await else {
            let detail = format!(
                "{} bytes of the body came within {} s, and it has more",
                bytes.len(),
                patience.as_secs()
            );
            let remedy = "send the body at once";
            return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, detail, remedy).closing());
        };
        let Some(frame) = frame else { break };
        let frame = frame.map_err(|_| {
            let detail = "the body broke off before its end";
            Problem::new(StatusCode::BAD_REQUEST, detail, "send the request again").closing()
        })?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        let length = bytes.len() + data.len();
        if length > most {
            return Err(too_large(most));
        }
        let wanted = length.div_ceil(PIECE);
        let more = wanted - part.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        if more > 0 {
            let taken = u32::try_from(more)
                .ok()
                .and_then(|more| budget.pieces.clone().try_acquire_many_owned(more).ok());
            let Some(taken) = taken else {
                let detail = "the memory for the bodies of requests is taken";
                return Err(Problem::busy(detail, 1).closing());
            };
            match &mut part {
                Some(part) => part.merge(taken),
                None => part = Some(taken),
            }
        }
        bytes.extend_from_slice(&data);
    }
    Ok(Read {
        bytes: bytes.into(),
        _part: part,
    })
}

fn too_large(most: usize) -> Problem {
    Problem::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        format!("the body has more than {most} bytes, the most that is read"),
        "send fewer rows in a request, or start the server with a larger --max-body",
    )
    .closing()
}

/// Reads on and forgets, for a while: a connection that is closed with bytes unread takes the answer with it. A client that
/// asks before it sends is not asked to send.
pub(crate) async fn linger(headers: &HeaderMap, mut body: Body) {
    if headers.contains_key(header::EXPECT) {
        return;
    }
    let until = Instant::now() + LINGER.0;
    let mut left = LINGER.1;
    while let Ok(Some(Ok(frame))) = timeout_at(until, body.frame()).await {
        let length = frame.data_ref().map_or(0, Bytes::len);
        match left.checked_sub(length) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read_of(length: usize, most: usize, budget: &Budget) -> Result<Read, Problem> {
        let body = Body::from(vec![0; length]);
        let patience = Duration::from_secs(5);
        read(&HeaderMap::new(), body, most, budget, patience).await
    }

    #[tokio::test]
    async fn bodies_share_a_budget_and_give_it_back() {
        let budget = Budget::new(4096);
        let first = read_of(3000, 8192, &budget)
            .await
            .map_err(|p| p.json())
            .unwrap();
        assert_eq!((first.bytes.len(), budget.taken()), (3000, 3072));
        let second = read_of(2000, 8192, &budget).await.err().unwrap();
        assert_eq!(second.status(), StatusCode::SERVICE_UNAVAILABLE);
        drop(first);
        assert_eq!(budget.taken(), 0);
        assert!(read_of(4000, 8192, &budget).await.is_ok());
        let large = read_of(4000, 3999, &budget).await.err().unwrap();
        assert_eq!(large.status(), StatusCode::PAYLOAD_TOO_LARGE);
    }
}
