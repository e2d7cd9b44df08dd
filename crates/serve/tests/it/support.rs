//! Models that tests make, servers of them, and clients.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use glowgrad::{DType, Engine, Result, Tensor};
use glowgrad_files::Array;
use glowgrad_files::onnx::{DataType, Dimension};
use glowgrad_files::onnx::{
    DimensionValue, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto,
    TensorShapeProto, TensorType, TypeProto, TypeValue, ValueInfoProto, encode,
};
use glowgrad_onnx::{Export, Model};
use glowgrad_serve::{Options, Server, model};
use http_body_util::BodyExt;
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

/// Numbers that look drawn, between −1 and 1.
pub(crate) fn numbers(n: usize, seed: usize) -> Vec<f32> {
    let one = |i: usize| ((i * 7919 + seed * 104_729 + 13) % 2003) as f32 / 1001.5 - 1.0;
    (0..n).map(one).collect()
}

/// A perceptron 8 → 16 → 3.
fn perceptron(engine: &Engine, n: usize) -> Result<Export> {
    let tensor = |numbers: &[f32], shape: &[usize]| Tensor::from_f32(engine, numbers, shape);
    let x = tensor(&numbers(8 * n, 1), &[n, 8])?;
    let (w, b) = (
        tensor(&numbers(128, 2), &[16, 8])?,
        tensor(&numbers(16, 3), &[16])?,
    );
    let (v, c) = (
        tensor(&numbers(48, 4), &[3, 16])?,
        tensor(&numbers(3, 5), &[3])?,
    );
    let mut export = Export::new();
    export.input("x", &x);
    let y = x.linear(&w, Some(&b))?.relu()?.linear(&v, Some(&c))?;
    export.output("y", &y);
    Ok(export)
}

/// The perceptron for any number of rows.
pub(crate) fn open_model() -> Vec<u8> {
    let engine = glowgrad::cpu();
    let (two, three) = (
        perceptron(&engine, 2).unwrap(),
        perceptron(&engine, 3).unwrap(),
    );
    encode(&two.to_model_of_any("batch", &three).unwrap())
}

/// The perceptron for two rows and no others.
pub(crate) fn fixed_model() -> Vec<u8> {
    perceptron(&glowgrad::cpu(), 2).unwrap().to_bytes().unwrap()
}

/// What the model itself gives, without a server.
pub(crate) fn expected(model: &[u8], x: &[f32], shape: &[usize]) -> Vec<f64> {
    let engine = glowgrad::cpu();
    let x = Tensor::from_f32(&engine, x, shape).unwrap();
    let outputs = Model::read(model)
        .unwrap()
        .run(&engine, [("x", x)])
        .unwrap();
    outputs[0].1.to_f64().unwrap()
}

/// An input or output of a model that is written by hand; a size that is a text is open.
pub(crate) fn port(name: &str, dtype: DataType, sizes: &Value) -> ValueInfoProto {
    let dimension = |size: &Value| Dimension {
        value: Some(match size {
            Value::String(name) => DimensionValue::Param(name.clone()),
            n => DimensionValue::Value(n.as_i64().unwrap()),
        }),
        ..Default::default()
    };
    let shape = TensorShapeProto {
        dim: sizes.as_array().unwrap().iter().map(dimension).collect(),
    };
    ValueInfoProto {
        name: Some(name.to_owned()),
        r#type: Some(TypeProto {
            value: Some(TypeValue::Tensor(TensorType {
                elem_type: Some(dtype as i32),
                shape: Some(shape),
            })),
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// A model of one operator.
pub(crate) fn operator(
    op: &str,
    inputs: &[ValueInfoProto],
    constants: &[(&str, Array<'static>)],
    output: ValueInfoProto,
) -> Vec<u8> {
    let names = inputs.iter().map(|input| input.name().to_owned());
    let names = names.chain(constants.iter().map(|(name, _)| (*name).to_owned()));
    let node = NodeProto {
        op_type: Some(op.to_owned()),
        input: names.collect(),
        output: vec![output.name().to_owned()],
        ..Default::default()
    };
    let graph = GraphProto {
        node: vec![node],
        initializer: (constants.iter())
            .map(|(name, array)| TensorProto::of_array(*name, array))
            .collect(),
        input: inputs.to_vec(),
        output: vec![output],
        ..Default::default()
    };
    encode(&ModelProto {
        ir_version: Some(8),
        opset_import: vec![OperatorSetIdProto {
            domain: None,
            version: Some(18),
        }],
        graph: Some(graph),
        ..Default::default()
    })
}

pub(crate) fn floats(numbers: &[f32], shape: &[usize]) -> Array<'static> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    Array::new(DType::F32, shape.to_vec(), bytes).unwrap()
}

/// The options of tests: any free port.
pub(crate) fn options() -> Options {
    Options {
        port: 0,
        ..Options::default()
    }
}

pub(crate) async fn start(model: &[u8], options: Options) -> Server {
    let model = model::of_onnx(model).unwrap();
    Server::start(model, options).await.unwrap()
}

/// An answer, read whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// The numbers of the output `y`, flat.
    pub(crate) fn y(&self) -> Vec<f64> {
        fn flat(value: &Value, into: &mut Vec<f64>) {
            match value {
                Value::Array(all) => all.iter().for_each(|one| flat(one, into)),
                one => into.push(one.as_f64().unwrap()),
            }
        }
        assert_eq!(self.status, 200, "{self:?}");
        let mut numbers = Vec::new();
        flat(&self.json()["outputs"]["y"], &mut numbers);
        numbers
    }
}

/// A client with a pool of connections.
#[derive(Clone)]
pub(crate) struct Client {
    pool: Arc<Pool<HttpConnector, Body>>,
    address: SocketAddr,
}

impl Client {
    pub(crate) fn of(server: &Server) -> Client {
        Client {
            pool: Arc::new(Pool::builder(TokioExecutor::new()).build_http()),
            address: server.address(),
        }
    }

    /// Sends a request; an error is a connection that was refused or cut off.
    pub(crate) async fn try_send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Result<Answer, String> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("http://{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body.into()).unwrap();
        let sent = self.pool.request(request).await;
        let (parts, body) = sent.map_err(|error| format!("{error:?}"))?.into_parts();
        let body = body.collect().await.map_err(|error| format!("{error:?}"))?;
        Ok(Answer {
            status: parts.status,
            headers: parts.headers,
            body: body.to_bytes(),
        })
    }

    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Answer {
        self.try_send(method, path, headers, body).await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], Body::empty()).await
    }

    pub(crate) async fn predict(&self, kind: &str, body: impl Into<Body>) -> Answer {
        self.send("POST", "/predict", &[("content-type", kind)], body)
            .await
    }

    /// Sends JSON as it is.
    pub(crate) async fn json(&self, body: &Value) -> Answer {
        self.predict("application/json", body.to_string()).await
    }

    /// Sends rows for the input `x`.
    pub(crate) async fn rows(&self, x: &[f32], width: usize) -> Answer {
        self.json(&rows(x, width)).await
    }
}

/// Rows as a request has them.
pub(crate) fn rows(x: &[f32], width: usize) -> Value {
    let rows: Vec<&[f32]> = x.chunks(width).collect();
    json!({"inputs": {"x": rows}})
}

/// Whether numbers are equal up to the last digits of float32.
pub(crate) fn assert_close(left: &[f64], right: &[f64]) {
    let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-6 * y.abs().max(1.0);
    assert!(
        left.len() == right.len() && left.iter().zip(right).all(near),
        "{left:?} is not {right:?}"
    );
}

/// The value of a line of `/metrics`.
pub(crate) async fn metric(client: &Client, line: &str) -> f64 {
    let answer = client.get("/metrics").await;
    let found = answer
        .text()
        .lines()
        .find_map(|own| own.strip_prefix(line)?.trim().parse().ok());
    found.unwrap_or(0.0)
}
