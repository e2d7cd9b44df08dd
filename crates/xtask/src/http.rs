//! HTTP/1.1 as far as a static site on one's own machine needs it: GET and HEAD, kept connections.
//!
//! Invariants: it listens on 127.0.0.1 only; a thread serves one connection, so that no slow or
//! silent one holds up another (a browser opens sockets before it needs them); whatever a client
//! sends, the worst it gets is a closed connection. What is answered is left to `serve`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

/// A kept connection is closed after this long without a request.
const PATIENCE: Duration = Duration::from_secs(60);

/// The longest head of a request.
const LONGEST_HEAD: u64 = 64 * 1024;

/// A request without its body: none is expected.
pub(crate) struct Request {
    pub(crate) method: String,
    /// Path and query as sent.
    pub(crate) target: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
}

/// What is answered to one request.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers
            .find(|(header, _)| header == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Binds a port of this machine; 0 is any free one.
pub(crate) fn bind(port: u16) -> Result<TcpListener> {
    TcpListener::bind(("127.0.0.1", port)).with_context(|| {
        format!("cannot listen on 127.0.0.1:{port}: choose another port with `--port N`")
    })
}

/// Answers in the background for as long as the process lives.
pub(crate) fn listen(
    listener: TcpListener,
    answer: impl Fn(&Request) -> Answer + Send + Sync + 'static,
) {
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            // A client that goes away in the middle is none of the others' business.
            thread::spawn(move || converse(&stream, &*answer));
        }
    });
}

/// Serves one connection until it is closed, idle for too long, or sends what is not HTTP.
fn converse(stream: &TcpStream, answer: &dyn Fn(&Request) -> Answer) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader)? {
        let asked_to_close = request
            .header("connection")
            .is_some_and(|value| value.eq_ignore_ascii_case("close"));
        // A body would be taken for the next request.
        let has_body = request
            .header("content-length")
            .is_some_and(|length| length != "0")
            || request.header("transfer-encoding").is_some();
        let closes = asked_to_close || has_body;
        let answer = answer(&request);
        let mut head = format!("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status));
        for (name, value) in &answer.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if answer.status != 304 {
            head.push_str(&format!("Content-Length: {}\r\n", answer.body.len()));
        }
        head.push_str(if closes {
            "Connection: close\r\n\r\n"
        } else {
            "\r\n"
        });
        let mut bytes = head.into_bytes();
        if request.method != "HEAD" {
            bytes.extend_from_slice(&answer.body);
        }
        let mut writer = stream;
        writer.write_all(&bytes)?;
        if closes {
            break;
        }
    }
    Ok(())
}

/// The next request, or none when the client has closed or does not speak HTTP.
fn read_request(reader: &mut impl BufRead) -> std::io::Result<Option<Request>> {
    let mut head = reader.take(LONGEST_HEAD);
    let mut line = String::new();
    head.read_line(&mut line)?;
    let mut words = line.split_ascii_whitespace();
    let (Some(method), Some(target), Some(version)) = (words.next(), words.next(), words.next())
    else {
        return Ok(None);
    };
    if !version.starts_with("HTTP/1.") {
        return Ok(None);
    }
    let mut request = Request {
        method: method.to_owned(),
        target: target.to_owned(),
        headers: Vec::new(),
    };
    loop {
        let mut line = String::new();
        if head.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(Some(request));
        }
        if let Some((name, value)) = line.split_once(':') {
            request
                .headers
                .push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        304 => "Not Modified",
        404 => "Not Found",
        405 => "Method Not Allowed",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> TcpStream {
        let listener = bind(0).unwrap();
        let address = listener.local_addr().unwrap();
        listen(listener, |request| Answer {
            status: 200,
            headers: vec![("X-Header", request.header("x").unwrap_or("none").to_owned())],
            body: format!("{} {}", request.method, request.target).into_bytes(),
        });
        let stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        stream
    }

    fn until_closed(mut stream: TcpStream) -> String {
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn requests_follow_each_other_on_one_connection() {
        let mut stream = start();
        stream.write_all(b"GET /a HTTP/1.1\r\nX: 1\r\n\r\nHEAD /b HTTP/1.1\r\n\r\nGET /c?d HTTP/1.1\r\nConnection: Close\r\n\r\n").unwrap();
        assert_eq!(
            until_closed(stream),
            "HTTP/1.1 200 OK\r\nX-Header: 1\r\nContent-Length: 6\r\n\r\nGET /a\
             HTTP/1.1 200 OK\r\nX-Header: none\r\nContent-Length: 7\r\n\r\n\
             HTTP/1.1 200 OK\r\nX-Header: none\r\nContent-Length: 8\r\nConnection: close\r\n\r\nGET /c?d"
        );
    }

    #[test]
    fn a_silent_connection_holds_up_no_other() {
        let silent = start();
        let address = silent.peer_addr().unwrap();
        let more: Vec<_> = (0..40)
            .map(|_| TcpStream::connect(address).unwrap())
            .collect();
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .write_all(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            .unwrap();
        assert!(until_closed(stream).ends_with("GET /"));
        drop((silent, more));
    }

    #[test]
    fn what_is_not_http_is_hung_up_on() {
        for bytes in [&b"hello\r\n\r\n"[..], b"GET / SPDY/3\r\n\r\n", b"\r\n"] {
            let mut stream = start();
            stream.write_all(bytes).unwrap();
            assert_eq!(until_closed(stream), "");
        }
    }
}
