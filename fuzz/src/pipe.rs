//! Frames between the server and a session's process: any bytes are frames up to an error.
//!
//! What was read is written as the same bytes, and is read as the same where the bytes come a few at a time.

use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, ReadBuf};

#[allow(dead_code)]
#[path = "../../crates/cli/src/serve/frame.rs"]
mod frame;

/// Reads all frames in `data`, which begins with how many bytes come at a time.
pub fn hold(data: &[u8]) -> String {
    let Some((&most, data)) = data.split_first() else {
        return String::new();
    };
    let (mut rest, mut said, mut written) = (data, String::new(), Vec::new());
    let mut pieces = Pieces {
        rest: data,
        most: usize::from(most).max(1),
    };
    loop {
        let read = frame::read(&mut rest);
        let received = now(frame::receive(&mut pieces));
        match (read, received) {
            (Ok((kind, payload)), Ok(received)) => {
                assert_eq!((kind, &payload), (received.0, &received.1));
                written.extend(frame::frame(kind, &payload));
                assert!(data.starts_with(&written), "{written:?}");
                said.push_str(&format!("{kind:?}"));
            }
            (Err(read), Err(received)) => {
                assert_eq!(read.kind(), received.kind());
                return said + &read.to_string();
            }
            (read, received) => panic!("{read:?} and in pieces {received:?}"),
        }
    }
}

/// Bytes that come a few at a time.
struct Pieces<'a> {
    rest: &'a [u8],
    most: usize,
}

impl AsyncRead for Pieces<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let n = self.most.min(self.rest.len()).min(into.remaining());
        let (piece, rest) = self.rest.split_at(n);
        into.put_slice(piece);
        self.rest = rest;
        Poll::Ready(Ok(()))
    }
}

/// The result of a future that never waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("a reader waits where all bytes are there"),
    }
}
