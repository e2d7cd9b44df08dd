//! What is refused, with which status and which words.

use axum::http::header;
use glowgrad_files::onnx::DataType;
use glowgrad_files::{npy, safetensors};
use glowgrad_serve::{Options, Token};
use serde_json::{Value, json};

use crate::support::{
    Answer, Client, assert_close, expected, floats, numbers, open_model, operator, options, port,
    start,
};

/// A problem of this status whose words contain a text.
#[track_caller]
fn assert_problem(answer: &Answer, status: u16, said: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(
        answer.headers[header::CONTENT_TYPE],
        "application/problem+json"
    );
    let problem = answer.json();
    assert_eq!(problem["status"], status);
    assert_eq!(problem["type"], "about:blank");
    let words = format!("{} {}", problem["detail"], problem["remedy"]);
    assert!(words.contains(said), "{words}");
    assert!(!problem["remedy"].as_str().unwrap().is_empty());
}

#[tokio::test]
async fn wrong_bodies_are_told_what_was_expected() {
    let server = start(&open_model(), options()).await;
    let client = Client::of(&server);
    let row = vec![0; 8];
    for (body, status, said) in [
        ("", 400, "no JSON"),
        ("{", 400, "no JSON"),
        ("{\"inputs\": [[1,", 400, "line 1"),
        ("\u{0}\u{1}", 400, "no JSON"),
        ("[]", 422, "expected an object"),
        ("{}", 422, "missing"),
        ("{\"x\": 1}", 422, "unknown key"),
        ("{\"inputs\": {}}", 422, "\\\"x\\\" is missing"),
        ("{\"inputs\": {\"z\": 1}}", 422, "no input"),
        ("{\"inputs\": {\"x\": 1, \"x\": 1}}", 422, "twice"),
        ("{\"inputs\": \"text\"}", 422, "nested lists"),
        ("{\"inputs\": [[1, 2], [3]]}", 422, "equal lengths"),
        ("{\"inputs\": [[1, [2]]]}", 422, "one depth"),
        ("{\"inputs\": [[[1], 2]]}", 422, "one depth"),
        ("{\"inputs\": [[\"one\"]]}", 422, "no number"),
        ("{\"inputs\": [[true]]}", 422, "no float32"),
        ("{\"inputs\": [[1, 2, 3]]}", 422, "[batch, 8]"),
        ("{\"inputs\": 1}", 422, "[batch, 8]"),
        ("{\"inputs\": []}", 422, "[batch, 8]"),
    ] {
        let answer = client.predict("application/json", body).await;
        assert_problem(&answer, status, said);
    }
    let answer = client.json(&json!({"inputs": row})).await;
    assert_problem(&answer, 422, "one more list");
    let deep = format!("{{\"inputs\": {}{}}}", "[".repeat(200), "]".repeat(200));
    let answer = client.predict("application/json", deep).await;
    assert!(answer.status == 400 || answer.status == 422, "{answer:?}");

    let octets = "application/octet-stream";
    assert_problem(
        &client.predict(octets, "no tensors").await,
        400,
        "safetensors",
    );
    let none: [(&str, &str); 0] = [];
    let other = safetensors::write([("z", &floats(&[0.0], &[1]))], none).unwrap();
    assert_problem(
        &client.predict(octets, other).await,
        422,
        "\\\"x\\\" is missing",
    );
    let whole = glowgrad_files::Array::new(glowgrad::DType::I64, vec![1, 8], vec![0; 64]).unwrap();
    let whole = npy::write(&whole).unwrap();
    let answer = client.predict("application/x-npy", whole.clone()).await;
    assert_problem(&answer, 422, "convert it to float32");
    let answer = client
        .predict("application/x-npy", whole[..whole.len() - 1].to_vec())
        .await;
    assert_problem(&answer, 400, "cut short");

    // None of these has hurt it.
    let x = numbers(8, 1);
    assert_close(
        &client.rows(&x, 8).await.y(),
        &expected(&open_model(), &x, &[1, 8]),
    );
    server.stop().await.unwrap();
}

#[tokio::test]
async fn wrong_addresses_types_and_methods() {
    let server = start(&open_model(), options()).await;
    let client = Client::of(&server);
    let body = "{\"inputs\": [[0,0,0,0,0,0,0,0]]}";
    assert_problem(&client.get("/nothing").await, 404, "/predict");
    assert_problem(&client.get("/predict").await, 405, "POST");
    assert_problem(&client.send("DELETE", "/model", &[], "").await, 405, "GET");
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "image/png",
        "json",
    ] {
        assert_problem(&client.predict(kind, body).await, 415, "application/json");
    }
    assert_problem(
        &client.send("POST", "/predict", &[], body).await,
        415,
        "no Content-Type",
    );
    let packed = [
        ("content-type", "application/json"),
        ("content-encoding", "gzip"),
    ];
    assert_problem(
        &client.send("POST", "/predict", &packed, body).await,
        415,
        "compressed",
    );
    let html = [
        ("content-type", "application/json"),
        ("accept", "text/html"),
    ];
    assert_problem(
        &client.send("POST", "/predict", &html, body).await,
        406,
        "application/json",
    );
    let charset = client
        .predict("application/json; charset=utf-8", body)
        .await;
    assert_eq!(charset.status, 200);
    server.stop().await.unwrap();
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_by_its_length_and_as_it_comes() {
    let options = Options {
        max_body: 10_000,
        ..options()
    };
    let server = start(&open_model(), options).await;
    let client = Client::of(&server);
    let large = vec![b' '; 1_000_000];
    let answer = client.predict("application/json", large.clone()).await;
    assert_problem(&answer, 413, "10000 bytes");
    // In pieces, with no length before them.
    let pieces = large
        .chunks(1000)
        .map(|piece| Ok::<_, std::io::Error>(piece.to_vec()));
    let pieces: Vec<_> = pieces.collect();
    let stream = axum::body::Body::from_stream(futures_util::stream::iter(pieces));
    assert_problem(
        &client.predict("application/json", stream).await,
        413,
        "10000 bytes",
    );
    server.stop().await.unwrap();
}

#[tokio::test]
async fn what_takes_more_memory_than_the_engine_may_have_is_refused_alone() {
    let options = Options {
        engine_memory: Some(1 << 20),
        ..options()
    };
    let model = open_model();
    let server = start(&model, options).await;
    let client = Client::of(&server);
    let x = numbers(8 * 20_000, 1);
    assert_problem(&client.rows(&x, 8).await, 413, "out of memory");
    assert_close(
        &client.rows(&x[..8], 8).await.y(),
        &expected(&model, &x[..8], &[1, 8]),
    );
    server.stop().await.unwrap();
}

#[tokio::test]
async fn what_the_model_refuses_fails_alone_in_its_batch() {
    // Rows of a table by number: 5 is none of its 4 rows.
    let table = floats(&numbers(8, 1), &[4, 2]);
    let x = port("x", DataType::Int64, &json!(["n"]));
    let y = port("y", DataType::Float, &json!(["n", 2]));
    // Gather takes the table first.
    let model = {
        let bytes = operator("Gather", &[x], &[("table", table)], y);
        let mut proto: glowgrad_files::onnx::ModelProto =
            glowgrad_files::onnx::decode(&bytes).unwrap();
        proto.graph.as_mut().unwrap().node[0].input.reverse();
        glowgrad_files::onnx::encode(&proto)
    };
    let server = start(&model, options()).await;
    assert_eq!(server.joins_not(), None);
    let client = Client::of(&server);
    let ask = |index: i64| {
        let client = client.clone();
        async move { client.json(&json!({"inputs": [index]})).await }
    };
    for _ in 0..20 {
        let (a, b, c, d) = tokio::join!(ask(0), ask(5), ask(1), ask(3));
        assert_problem(&b, 422, "the model refused");
        for (answer, row) in [(a, 0), (c, 1), (d, 3)] {
            let row: Vec<f64> = numbers(8, 1)[row * 2..][..2]
                .iter()
                .map(|&x| x.into())
                .collect();
            assert_close(&answer.y(), &row);
        }
    }
    server.stop().await.unwrap();
}

#[tokio::test]
async fn a_token_is_asked_for_wherever_it_is_needed() {
    let secret = "a-token-of-this-test-0123456789";
    let options = Options {
        token: Some(Token::new(secret).unwrap()),
        ..options()
    };
    let server = start(&open_model(), options).await;
    let client = Client::of(&server);
    for path in ["/", "/page.js", "/page.css", "/health", "/health/live"] {
        assert_eq!(client.get(path).await.status, 200, "{path}");
    }
    for path in ["/metrics", "/model", "/openapi.json", "/nothing"] {
        let answer = client.get(path).await;
        assert_problem(&answer, 401, "Bearer");
        assert_eq!(answer.headers[header::WWW_AUTHENTICATE], "Bearer");
    }
    let body = "{\"inputs\": [[0,0,0,0,0,0,0,0]]}";
    assert_problem(
        &client.predict("application/json", body).await,
        401,
        "no token",
    );
    let with = |token: &str| format!("Bearer {token}");
    let send = async |token: String| {
        let headers = [
            ("content-type", "application/json"),
            ("authorization", token.as_str()),
        ];
        client.send("POST", "/predict", &headers, body).await
    };
    assert_eq!(send(with(secret)).await.status, 200);
    let wrong = send(with("a-token-of-another-0123456789")).await;
    assert_problem(&wrong, 401, "not this server's");
    assert!(!wrong.text().contains(secret));
    let openapi: Value = client
        .send(
            "GET",
            "/openapi.json",
            &[("authorization", &with(secret))],
            "",
        )
        .await
        .json();
    assert_eq!(
        openapi["components"]["securitySchemes"]["token"]["scheme"],
        "bearer"
    );
    server.stop().await.unwrap();
}
