//! The way to the end: what was accepted is answered.

use std::time::Duration;

use glowgrad_serve::Options;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::support::{
    Client, assert_close, expected, metric, numbers, open_model, options, rows, start,
};

const LONG: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_request_that_was_accepted_is_answered() {
    let model = open_model();
    let server = start(&model, options()).await;
    let address = server.address();
    let n = 64;
    let mut streams = Vec::new();
    // Connections whose request has been sent whole when the server is told to stop.
    for i in 0..n {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let body = rows(&numbers(8, i), 8).to_string();
        let head = format!(
            "POST /predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        // A half of them has sent its head and a part of the body.
        let text = format!("{head}{body}");
        let cut = if i % 2 == 0 {
            text.len()
        } else {
            text.len() - 20
        };
        stream.write_all(&text.as_bytes()[..cut]).await.unwrap();
        streams.push((stream, text.as_bytes()[cut..].to_vec()));
    }
    let stopping = tokio::spawn(server.stop());
    sleep(Duration::from_millis(100)).await;
    for (i, (mut stream, rest)) in streams.into_iter().enumerate() {
        stream.write_all(&rest).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{i}: {answer}");
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        let y = body["outputs"]["y"][0].as_array().unwrap();
        let y: Vec<f64> = y.iter().map(|y| y.as_f64().unwrap()).collect();
        assert_close(&y, &expected(&model, &numbers(8, i), &[1, 8]));
    }
    timeout(LONG, stopping).await.unwrap().unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_load_each_request_is_answered_or_never_accepted() {
    let model = open_model();
    let server = start(&model, options()).await;
    let client = Client::of(&server);
    assert_eq!(client.get("/health").await.json()["ready"], true);
    let clients: Vec<_> = (0..16)
        .map(|i| {
            let (client, model) = (client.clone(), model.clone());
            tokio::spawn(async move {
                let x = numbers(8, i);
                let y = expected(&model, &x, &[1, 8]);
                let body = rows(&x, 8).to_string();
                let kind = [("content-type", "application/json")];
                for n_answered in 0.. {
                    match client
                        .try_send("POST", "/predict", &kind, body.clone())
                        .await
                    {
                        Ok(answer) if answer.status == 503 => return n_answered,
                        Ok(answer) => assert_close(&answer.y(), &y),
                        // Refused, or closed between two requests.
                        Err(_) => return n_answered,
                    }
                }
                0
            })
        })
        .collect();
    while metric(&client, "glow_batch_requests_sum").await < 50.0 {
        sleep(Duration::from_millis(5)).await;
    }
    timeout(LONG, server.stop()).await.unwrap().unwrap();
    let mut n_answered = 0;
    for one in clients {
        n_answered += timeout(LONG, one).await.unwrap().unwrap();
    }
    assert!(n_answered >= 50, "{n_answered}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_does_not_wait_for_clients_that_say_nothing() {
    let server = start(&open_model(), options()).await;
    let client = Client::of(&server);
    // One that keeps its connection after an answer, one that has never asked, and one with half a head.
    assert_eq!(client.get("/health").await.status, 200);
    let _silent = TcpStream::connect(server.address()).await.unwrap();
    let mut half = TcpStream::connect(server.address()).await.unwrap();
    half.write_all(b"POST /pre").await.unwrap();
    timeout(LONG, server.stop()).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_end_that_comes_too_late_says_what_was_cut_off() {
    let short = Options {
        grace: Duration::from_millis(300),
        ..options()
    };
    let server = start(&open_model(), short).await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let head = "POST /predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    sleep(Duration::from_millis(100)).await;
    let error = server.stop().await.unwrap_err();
    assert!(
        error.to_string().contains("1 connections were cut off"),
        "{error}"
    );
}
