//! What the server tells of itself: health, counts, the model, the OpenAPI document, the page.

use glowgrad_files::onnx::DataType;
use glowgrad_serve::{Options, Server, model};
use serde_json::json;

use crate::support::{Client, numbers, open_model, operator, options, port, start};

#[tokio::test]
async fn health_and_numbers_of_requests() {
    let server = start(&open_model(), options()).await;
    let client = Client::of(&server);
    let health = client.get("/health").await;
    assert_eq!(
        health.json(),
        json!({"live": true, "ready": true, "model": "model", "queued": 0})
    );
    let first = health.headers["x-request-id"].clone();
    let second = client.get("/health/live").await.headers["x-request-id"].clone();
    assert_ne!(first, second);
    let own = client
        .send("GET", "/health", &[("x-request-id", "mine-1")], "")
        .await;
    assert_eq!(own.headers["x-request-id"], "mine-1");
    let odd = client
        .send("GET", "/health", &[("x-request-id", "a b\"c")], "")
        .await;
    assert_ne!(odd.headers["x-request-id"], "a b\"c");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn metrics_are_openmetrics() {
    let server = start(&open_model(), options()).await;
    let client = Client::of(&server);
    client.rows(&numbers(24, 1), 8).await;
    client.predict("application/json", "{").await;
    client.get("/unknown").await;
    let answer = client.get("/metrics").await;
    let kind = answer.headers["content-type"].to_str().unwrap();
    assert!(kind.starts_with("application/openmetrics-text"));
    let text = answer.text();
    assert!(text.ends_with("# EOF\n"));
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        assert!(
            name.starts_with("glow_") && value.parse::<f64>().is_ok(),
            "{line}"
        );
    }
    for line in [
        "glow_requests_total{route=\"/predict\",status=\"200\"} 1",
        "glow_requests_total{route=\"/predict\",status=\"400\"} 1",
        "glow_requests_total{route=\"other\",status=\"404\"} 1",
        "glow_batch_rows_sum 3.0",
        "glow_batch_requests_count 1",
        "glow_request_seconds_count 2",
        "glow_connections 1",
    ] {
        assert!(
            text.lines().any(|own| own == line),
            "{line} is not in\n{text}"
        );
    }
    server.stop().await.unwrap();
}

#[tokio::test]
async fn the_models_inputs_are_in_its_documents() {
    let x = port("x", DataType::Float, &json!(["n", 1, 28, 28]));
    let y = port("y", DataType::Float, &json!(["n", 1, 28, 28]));
    let named = Options {
        name: "digits".to_owned(),
        ..options()
    };
    let server = start(&operator("Relu", &[x], &[], y), named).await;
    let client = Client::of(&server);
    let model = client.get("/model").await.json();
    assert_eq!(model["name"], "digits");
    let input = json!({"name": "x", "dtype": "float32", "shape": ["n", 1, 28, 28]});
    assert_eq!(model["inputs"], json!([input]));
    assert_eq!(model["picture"]["height"], 28);
    assert_eq!(model["batching"]["joins"], true);
    let document = client.get("/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    let content = &document["paths"]["/predict"]["post"]["requestBody"]["content"];
    let kinds: Vec<&String> = content.as_object().unwrap().keys().collect();
    assert_eq!(
        kinds,
        [
            "application/json",
            "application/octet-stream",
            "application/x-npy",
            "image/jpeg",
            "image/png"
        ]
    );
    let schema = &content["application/json"]["schema"]["properties"]["inputs"]["anyOf"][1];
    assert_eq!(schema["items"]["items"]["minItems"], 28);
    assert!(document.get("security").is_none());
    server.stop().await.unwrap();
}

#[tokio::test]
async fn the_page_loads_its_own_files_alone() {
    let server = start(&open_model(), options()).await;
    let client = Client::of(&server);
    let page = client.get("/").await;
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'"));
    assert_eq!(page.headers["x-content-type-options"], "nosniff");
    for name in [
        "href=\"/page.css\"",
        "src=\"/page.js\"",
        "lang=\"en\"",
        "<main",
    ] {
        assert!(page.text().contains(name), "{name}");
    }
    for path in ["/", "/page.js", "/page.css"] {
        let answer = client.get(path).await;
        assert_eq!(answer.status, 200);
        for far in ["http://", "https://"] {
            assert!(!answer.text().contains(far), "{path} names {far}");
        }
    }
    server.stop().await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_served_is_refused_before_it_listens() {
    for (file, said) in [
        ("missing.json", "cannot read missing.json"),
        ("model.safetensors", "--weights"),
        ("model.txt", "expected a .onnx file"),
        ("missing.onnx", "cannot read missing.onnx"),
    ] {
        let error = model::read(file.as_ref(), None).err().unwrap();
        assert!(format!("{error:#}").contains(said), "{error:#}");
    }
    let pictures = Options {
        picture: glowgrad_serve::Picture {
            mean: vec![0.5],
            std: vec![],
        },
        ..options()
    };
    let loaded = model::of_onnx(&open_model()).unwrap();
    let error = Server::start(loaded.clone(), pictures).await.err().unwrap();
    assert!(error.to_string().contains("--mean"), "{error}");
    let small = Options {
        engine_memory: Some(100),
        ..options()
    };
    let error = Server::start(loaded.clone(), small).await.err().unwrap();
    assert!(error.to_string().contains("out of memory"), "{error}");
    let server = start(&open_model(), options()).await;
    let taken = Options {
        port: server.address().port(),
        ..options()
    };
    let error = Server::start(loaded, taken).await.err().unwrap();
    assert!(error.to_string().contains("cannot listen"), "{error}");
    server.stop().await.unwrap();
}
