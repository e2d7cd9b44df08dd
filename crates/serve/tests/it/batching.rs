//! Requests that are joined, and what becomes of a thousand at once.

use std::time::Duration;

use glowgrad_files::onnx::DataType;
use glowgrad_serve::{Options, Server};
use serde_json::json;

use crate::support::{
    Client, assert_close, expected, metric, numbers, open_model, operator, options, port, start,
};

/// Sends requests at the same time, of one to three rows each; gives the statuses of those that were turned away.
async fn send_all(server: &Server, model: &[u8], n: usize) -> Vec<u16> {
    let client = Client::of(server);
    let tasks: Vec<_> = (0..n)
        .map(|i| {
            let (client, rows) = (client.clone(), i % 3 + 1);
            let x = numbers(8 * rows, i);
            tokio::spawn(async move { (client.rows(&x, 8).await, x, rows) })
        })
        .collect();
    let mut turned_away = Vec::new();
    for task in tasks {
        let (answer, x, rows) = task.await.unwrap();
        match answer.status.as_u16() {
            200 => assert_close(&answer.y(), &expected(model, &x, &[rows, 8])),
            status => {
                assert!(answer.headers.contains_key("retry-after"), "{answer:?}");
                turned_away.push(status);
            }
        }
    }
    turned_away
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_requests_are_answered_each_with_its_own_numbers() {
    let model = open_model();
    let server = start(&model, options()).await;
    let client = Client::of(&server);
    let turned_away = send_all(&server, &model, 1000).await;
    assert_eq!(turned_away, [0u16; 0]);
    let n_batches = metric(&client, "glow_batch_requests_count").await;
    let n_requests = metric(&client, "glow_batch_requests_sum").await;
    assert_eq!(n_requests, 1000.0);
    assert!(n_batches < n_requests, "{n_batches} batches");
    assert_eq!(metric(&client, "glow_queue_depth").await, 0.0);
    assert_eq!(metric(&client, "glow_body_bytes").await, 0.0);
    server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_short_queue_turns_away_with_503_and_loses_nothing() {
    let model = open_model();
    let short = Options {
        queue: 4,
        ..options()
    };
    let server = start(&model, short).await;
    let client = Client::of(&server);
    let turned_away = send_all(&server, &model, 1000).await;
    assert!(
        turned_away.iter().all(|&status| status == 503),
        "{turned_away:?}"
    );
    let counted = metric(&client, "glow_rejected_total{reason=\"queue\"}").await;
    assert_eq!(counted, turned_away.len() as f64);
    server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_threads_run_the_model() {
    let model = open_model();
    let several = Options {
        workers: 3,
        max_batch: 2,
        ..options()
    };
    let server = start(&model, several).await;
    assert_eq!(send_all(&server, &model, 200).await, [0u16; 0]);
    server.stop().await.unwrap();
}

#[tokio::test]
async fn rows_that_depend_on_each_other_are_not_joined() {
    // A sum along the first dimension, spread over the rows again: x − x + Σx would do; Softmax along the batch does.
    let sizes = json!(["n", 2]);
    let float = |name: &str| port(name, DataType::Float, &sizes);
    let bytes = operator("Softmax", &[float("x")], &[], float("y"));
    let mut proto: glowgrad_files::onnx::ModelProto = glowgrad_files::onnx::decode(&bytes).unwrap();
    proto.graph.as_mut().unwrap().node[0].attribute = vec![glowgrad_files::onnx::AttributeProto {
        name: Some("axis".to_owned()),
        i: Some(0),
        r#type: Some(2),
        ..Default::default()
    }];
    let server = start(&glowgrad_files::onnx::encode(&proto), options()).await;
    let reason = server.joins_not().unwrap().to_owned();
    assert!(reason.contains("depends on the rows"), "{reason}");
    let client = Client::of(&server);
    assert_eq!(
        client.get("/model").await.json()["batching"]["joins"],
        false
    );
    assert_eq!(
        client.json(&json!({"inputs": [[0, 0]]})).await.y(),
        [1.0, 1.0]
    );
    server.stop().await.unwrap();
}

#[tokio::test]
async fn a_request_that_waits_too_long_is_told_so() {
    // A product of 700 × 700 matrices, thirty of them: some seconds in all.
    let sizes = json!(["n", 700, 700]);
    let float = |name: &str| port(name, DataType::Float, &sizes);
    let model = operator("MatMul", &[float("x"), float("z")], &[], float("y"));
    let impatient = Options {
        timeout: Duration::from_millis(50),
        max_body: 1 << 28,
        request_memory: 1 << 30,
        ..options()
    };
    let server = start(&model, impatient).await;
    let client = Client::of(&server);
    let x = crate::support::floats(&numbers(30 * 490_000, 1), &[30, 700, 700]);
    let none: [(&str, &str); 0] = [];
    let body = glowgrad_files::safetensors::write([("x", &x), ("z", &x)], none).unwrap();
    let answer = client.predict("application/octet-stream", body).await;
    assert_eq!(answer.status, 504, "{answer:?}");
    assert!(metric(&client, "glow_rejected_total{reason=\"late\"}").await >= 1.0);
    // The run was broken off with it, so that the next finds the engine free.
    assert_eq!(client.get("/health").await.status, 200);
    server.stop().await.unwrap();
}
