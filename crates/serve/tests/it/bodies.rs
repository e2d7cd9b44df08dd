//! Every form of a request and of an answer.

use axum::http::header;
use glowgrad::DType;
use glowgrad_files::image::{Layout, write_png};
use glowgrad_files::onnx::DataType;
use glowgrad_files::{Array, npy, safetensors};
use glowgrad_serve::{Options, Picture};
use serde_json::json;

use crate::support::{
    Client, assert_close, expected, fixed_model, floats, numbers, open_model, operator, options,
    port, start,
};

#[tokio::test]
async fn json_by_name_and_alone_gives_the_models_numbers_to_the_bit() {
    let model = open_model();
    let server = start(&model, options()).await;
    let client = Client::of(&server);
    let x = numbers(24, 9);
    let y = expected(&model, &x, &[3, 8]);
    let answer = client.rows(&x, 8).await;
    assert_eq!(answer.headers[header::CONTENT_TYPE], "application/json");
    // float32 is written with the digits that give the same float32 again.
    let same = |y: Vec<f64>| -> Vec<f32> { y.into_iter().map(|y| y as f32).collect() };
    assert_eq!(same(answer.y()), same(y.clone()));
    let rows: Vec<&[f32]> = x.chunks(8).collect();
    let alone = client.json(&json!({"inputs": rows})).await;
    assert_eq!(alone.y(), answer.y());
    server.stop().await.unwrap();
}

#[tokio::test]
async fn safetensors_and_npy_go_in_and_out() {
    let model = open_model();
    let server = start(&model, options()).await;
    let client = Client::of(&server);
    let x = numbers(16, 3);
    let y = expected(&model, &x, &[2, 8]);
    let none: [(&str, &str); 0] = [];
    let file = safetensors::write([("x", &floats(&x, &[2, 8]))], none).unwrap();
    assert_close(
        &client
            .predict("application/octet-stream", file.clone())
            .await
            .y(),
        &y,
    );
    let headers = [
        ("content-type", "application/octet-stream"),
        ("accept", "text/html, application/octet-stream;q=0.9, */*"),
    ];
    let answer = client.send("POST", "/predict", &headers, file).await;
    assert_eq!(
        answer.headers[header::CONTENT_TYPE],
        "application/octet-stream"
    );
    let read = safetensors::read(&answer.body).unwrap();
    assert_eq!(read.tensors[0].0, "y");
    assert_eq!(read.tensors[0].1.shape(), [2, 3]);
    let bytes = y.iter().flat_map(|&y| (y as f32).to_le_bytes());
    assert!(read.tensors[0].1.bytes().iter().copied().eq(bytes));

    let headers = [
        ("content-type", "application/x-npy"),
        ("accept", "application/x-npy"),
    ];
    let file = npy::write(&floats(&x, &[2, 8])).unwrap();
    let answer = client.send("POST", "/predict", &headers, file).await;
    let array = npy::read(&answer.body).unwrap();
    assert_eq!(&array, &read.tensors[0].1);
    server.stop().await.unwrap();
}

#[tokio::test]
async fn numbers_that_json_lacks_are_texts() {
    let x = port("x", DataType::Float, &json!(["n", 4]));
    let y = port("y", DataType::Float, &json!(["n", 4]));
    let server = start(&operator("Neg", &[x], &[], y), options()).await;
    let client = Client::of(&server);
    let body = json!({"inputs": [["NaN", "Infinity", "-Infinity", null]]});
    let answer = client.json(&body).await;
    let y = &answer.json()["outputs"]["y"];
    assert_eq!(*y, json!([["NaN", "-Infinity", "Infinity", "NaN"]]));
    server.stop().await.unwrap();
}

#[tokio::test]
async fn integers_and_bools_are_read_and_written_as_such() {
    let sizes = json!(["n", 2]);
    let whole = |name: &str| port(name, DataType::Int64, &sizes);
    let server = start(&operator("Neg", &[whole("x")], &[], whole("y")), options()).await;
    let client = Client::of(&server);
    let answer = client
        .json(&json!({"inputs": [[9_007_199_254_740_993i64, -2], [3.0, 4]]}))
        .await;
    let y = &answer.json()["outputs"]["y"];
    assert_eq!(*y, json!([[-9_007_199_254_740_993i64, 2], [-3, -4]]));
    server.stop().await.unwrap();

    let flag = |name: &str| port(name, DataType::Bool, &sizes);
    let server = start(&operator("Not", &[flag("x")], &[], flag("y")), options()).await;
    let client = Client::of(&server);
    let answer = client
        .json(&json!({"inputs": [[true, false], [0, 1]]}))
        .await;
    let y = &answer.json()["outputs"]["y"];
    assert_eq!(*y, json!([[false, true], [true, false]]));
    server.stop().await.unwrap();
}

#[tokio::test]
async fn a_model_of_two_inputs_takes_them_by_name() {
    let float = |name: &str| port(name, DataType::Float, &json!(["n", 2]));
    let model = operator("Add", &[float("a"), float("b")], &[], float("y"));
    let server = start(&model, options()).await;
    let client = Client::of(&server);
    let body = json!({"inputs": {"b": [[1, 2]], "a": [[10, 20]]}});
    assert_eq!(client.json(&body).await.y(), [11.0, 22.0]);
    for (body, said) in [
        (json!({"inputs": {"a": [[1, 2]]}}), "\"b\" is missing"),
        (json!({"inputs": [[1, 2]]}), "2 inputs"),
        (
            json!({"inputs": {"a": [[1, 2]], "b": [[1, 2], [3, 4]]}}),
            "n is 1",
        ),
        (
            json!({"inputs": {"a": [[1, 2]], "b": [[1, 2]], "c": 1}}),
            "no input \"c\"",
        ),
    ] {
        let answer = client.json(&body).await;
        assert_eq!(answer.status, 422);
        let detail = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains(said), "{detail}");
    }
    server.stop().await.unwrap();
}

#[tokio::test]
async fn a_fixed_batch_runs_one_request_after_another() {
    let model = fixed_model();
    let server = start(&model, options()).await;
    assert!(server.joins_not().is_some());
    let client = Client::of(&server);
    let x = numbers(16, 4);
    assert_close(
        &client.rows(&x, 8).await.y(),
        &expected(&model, &x, &[2, 8]),
    );
    assert_eq!(client.rows(&x[..8], 8).await.status, 422);
    server.stop().await.unwrap();
}

/// A model that gives its picture back.
async fn mirror(
    channels: usize,
    side: usize,
    picture: Picture,
) -> (glowgrad_serve::Server, Client) {
    let sizes = json!(["n", channels, side, side]);
    let x = port("x", DataType::Float, &sizes);
    let y = port("y", DataType::Float, &sizes);
    let options = Options {
        picture,
        ..options()
    };
    let server = start(&operator("Identity", &[x], &[], y), options).await;
    let client = Client::of(&server);
    (server, client)
}

#[tokio::test]
async fn pictures_become_channels_of_0_to_1() {
    let rgb = Array::new(DType::U8, vec![1, 2, 3], vec![255, 0, 51, 0, 102, 255]).unwrap();
    let wide = write_png(&rgb, Layout::Hwc).unwrap();
    let square = Array::new(
        DType::U8,
        vec![2, 2, 3],
        [rgb.bytes(), rgb.bytes()].concat(),
    )
    .unwrap();
    let square = write_png(&square, Layout::Hwc).unwrap();

    let (server, client) = mirror(3, 2, Picture::default()).await;
    let answer = client.predict("image/png", square.clone()).await;
    let planes = [1.0, 0.0, 1.0, 0.0, 0.0, 0.4, 0.0, 0.4, 0.2, 1.0, 0.2, 1.0];
    assert_close(&answer.y(), &planes);
    // A picture of another size is fitted.
    assert_close(&client.predict("image/png", wide).await.y(), &planes);
    server.stop().await.unwrap();

    let scale = Picture {
        mean: vec![0.5],
        std: vec![0.25],
    };
    let (server, client) = mirror(1, 2, scale).await;
    let grey = client.predict("image/png", square).await.y();
    let of = |r: f64, g: f64, b: f64| {
        let grey = (0.299 * r + 0.587 * g + 0.114 * b).round();
        (grey / 255.0 - 0.5) / 0.25
    };
    let (left, right) = (of(255.0, 0.0, 51.0), of(0.0, 102.0, 255.0));
    assert_close(&grey, &[left, right, left, right]);
    let broken = client.predict("image/png", "no picture").await;
    assert_eq!(broken.status, 400);
    server.stop().await.unwrap();
}
