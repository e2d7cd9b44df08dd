//! Clients that send or read slowly, or nothing at all.

use std::time::Duration;

use glowgrad_serve::Options;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::support::{Client, assert_close, expected, numbers, open_model, options, start};

/// Far more than any of these tests takes.
const LONG: Duration = Duration::from_secs(60);

fn impatient() -> Options {
    Options {
        read_timeout: Duration::from_millis(400),
        ..options()
    }
}

/// What the server says until it hangs up.
async fn rest(mut stream: TcpStream) -> String {
    let mut all = Vec::new();
    // An end by a reset is an end too.
    let _ = timeout(LONG, stream.read_to_end(&mut all))
        .await
        .expect("the server hangs up");
    String::from_utf8_lossy(&all).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_that_drips_ends_while_others_are_served() {
    let model = open_model();
    let server = start(&model, impatient()).await;
    let client = Client::of(&server);
    let mut dripping = TcpStream::connect(server.address()).await.unwrap();
    let drip = tokio::spawn(async move {
        for byte in b"POST /predict HTTP/1.1\r\nHost: x\r\nX-Long: "
            .iter()
            .cycle()
        {
            if dripping.write_all(&[*byte]).await.is_err() {
                return;
            }
            sleep(Duration::from_millis(20)).await;
        }
    });
    let silent = TcpStream::connect(server.address()).await.unwrap();
    let x = numbers(8, 1);
    for _ in 0..5 {
        assert_close(
            &client.rows(&x, 8).await.y(),
            &expected(&model, &x, &[1, 8]),
        );
    }
    timeout(LONG, drip)
        .await
        .expect("the server hangs up")
        .unwrap();
    rest(silent).await;
    server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_a_body_is_told_408_and_ends() {
    let server = start(&open_model(), impatient()).await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let head = "POST /predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"inputs\"";
    stream.write_all(head.as_bytes()).await.unwrap();
    let answer = rest(stream).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains("connection: close"), "{answer}");
    // A body that breaks off.
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    rest(stream).await;
    server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_connections_make_room_for_one_that_asks() {
    let model = open_model();
    let few = Options {
        max_connections: 8,
        ..options()
    };
    let server = start(&model, few).await;
    let mut silent = Vec::new();
    for _ in 0..50 {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(b"POST /pre").await.unwrap();
        silent.push(stream);
    }
    let client = Client::of(&server);
    let x = numbers(8, 1);
    let answer = timeout(LONG, client.rows(&x, 8))
        .await
        .expect("it is served");
    assert_close(&answer.y(), &expected(&model, &x, &[1, 8]));
    server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_http_concerns_no_other() {
    let server = start(&open_model(), impatient()).await;
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"GET\r\n\r\n",
        b"POST /predict HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /predict HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
    ] {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let answer = rest(stream).await;
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 4"),
            "{answer}"
        );
    }
    assert_eq!(Client::of(&server).get("/health").await.status, 200);
    server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_is_kept_and_asks_for_nothing_more_ends() {
    let server = start(&open_model(), impatient()).await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream
        .write_all(b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .unwrap();
    let answer = rest(stream).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    server.stop().await.unwrap();
}
