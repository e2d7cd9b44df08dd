//! How many predictions a server answers: clients that each send one after another, for a time.
//!
//! ```text
//! cargo run --release -p glowgrad-serve --example load -- ADDRESS BODY.json CLIENTS SECONDS
//! cargo run --release -p glowgrad-serve --example load -- --model FILE.onnx
//! ```
//!
//! The first line prints a JSON object: requests per second and the milliseconds below which half, and 99 % of the answers
//! come. The second writes the model of `bench/serve.py`, a perceptron 784 → 256 → 10 for any number of rows.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::{Request, header};
use glowgrad::{Engine, Tensor};
use glowgrad_onnx::Export;
use http_body_util::BodyExt;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpStream;

type Fault = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Fault> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--model", file] => Ok(std::fs::write(file, model()?)?),
        [address, body, clients, seconds] => {
            let body = Bytes::from(std::fs::read(body)?);
            let run = load(address.parse()?, body, clients.parse()?, seconds.parse()?);
            let found = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?
                .block_on(run)?;
            println!("{found}");
            Ok(())
        }
        _ => Err("expected ADDRESS BODY.json CLIENTS SECONDS, or --model FILE.onnx".into()),
    }
}

/// Sends from so many clients for so long, after a tenth of the time that does not count.
async fn load(
    address: SocketAddr,
    body: Bytes,
    n_clients: usize,
    seconds: f64,
) -> Result<serde_json::Value, Fault> {
    let begun = Instant::now();
    let from = begun + Duration::from_secs_f64(seconds / 10.0);
    let until = from + Duration::from_secs_f64(seconds);
    let body = Arc::new(body);
    let clients: Vec<_> = (0..n_clients)
        .map(|_| tokio::spawn(client(address, body.clone(), from, until)))
        .collect();
    let mut millis: Vec<f64> = Vec::new();
    for one in clients {
        millis.extend(one.await??);
    }
    millis.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let i = (millis.len() as f64 * share) as usize;
        millis.get(i.min(millis.len().saturating_sub(1))).copied()
    };
    Ok(json!({
        "clients": n_clients,
        "requests_per_second": millis.len() as f64 / seconds,
        "p50_ms": at(0.5),
        "p99_ms": at(0.99),
    }))
}

/// The milliseconds of each request that ended in time.
async fn client(
    address: SocketAddr,
    body: Arc<Bytes>,
    from: Instant,
    until: Instant,
) -> Result<Vec<f64>, Fault> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let mut millis = Vec::new();
    loop {
        let sent = Instant::now();
        if sent >= until {
            return Ok(millis);
        }
        let request = Request::post("/predict")
            .header(header::HOST, address.to_string())
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from((*body).clone()))?;
        sender.ready().await?;
        let answer = sender.send_request(request).await?;
        let status = answer.status();
        let text = answer.into_body().collect().await?.to_bytes();
        if status != 200 {
            return Err(format!("{status}: {}", String::from_utf8_lossy(&text)).into());
        }
        let done = Instant::now();
        if sent >= from && done <= until {
            millis.push((done - sent).as_secs_f64() * 1000.0);
        }
    }
}

/// A perceptron 784 → 256 → 10 with an open batch.
fn model() -> Result<Vec<u8>, Fault> {
    let engine = glowgrad::cpu();
    let (two, three) = (perceptron(&engine, 2)?, perceptron(&engine, 3)?);
    let model = two.to_model_of_any("batch", &three)?;
    Ok(glowgrad_files::onnx::encode(&model))
}

fn perceptron(engine: &Engine, n: usize) -> glowgrad::Result<Export> {
    let drawn = |shape: [usize; 2]| {
        let number = |i: usize| ((i * 7919 + 13) % 2003) as f32 / 20_000.0 - 0.05;
        let numbers: Vec<f32> = (0..shape[0] * shape[1]).map(number).collect();
        Tensor::from_f32(engine, &numbers, &shape)
    };
    let x = drawn([n, 784])?;
    let (w, b) = (drawn([256, 784])?, drawn([1, 256])?.reshape(&[256])?);
    let (v, c) = (drawn([10, 256])?, drawn([1, 10])?.reshape(&[10])?);
    let mut export = Export::new();
    export.input("x", &x);
    let y = x.linear(&w, Some(&b))?.relu()?.linear(&v, Some(&c))?;
    export.output("y", &y);
    Ok(export)
}
