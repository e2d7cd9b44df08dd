//! A model whose engine breaks off: the request that did it is told so, and its neighbours are answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use glowgrad::{DType, Engine, Result, Tensor};
use glowgrad_serve::model::{Loaded, Served, Size, Value};
use glowgrad_serve::{Options, Server};
use serde_json::json;

use crate::support::{Client, options};

/// Gives its input back, and panics at 13.
struct Fragile {
    ports: [Vec<Value>; 2],
    n_loads: AtomicUsize,
}

impl Fragile {
    fn new() -> Arc<Fragile> {
        let port = |name: &str| Value {
            name: name.to_owned(),
            dtype: Some(DType::F32),
            shape: Some(vec![Size::Named("n".to_owned()), Size::Fixed(1)]),
        };
        Arc::new(Fragile {
            ports: [vec![port("x")], vec![port("y")]],
            n_loads: AtomicUsize::new(0),
        })
    }
}

impl Served for Fragile {
    fn format(&self) -> String {
        "a test's".to_owned()
    }

    fn inputs(&self) -> &[Value] {
        &self.ports[0]
    }

    fn outputs(&self) -> &[Value] {
        &self.ports[1]
    }

    fn load<'a>(&'a self, _: &Engine) -> Result<Box<dyn Loaded + 'a>> {
        self.n_loads.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Identity))
    }
}

struct Identity;

impl Loaded for Identity {
    fn run(&self, inputs: Vec<(String, Tensor)>) -> Result<Vec<(String, Tensor)>> {
        let (_, x) = &inputs[0];
        assert!(!x.to_f64()?.contains(&13.0), "this model does not take 13");
        Ok(vec![("y".to_owned(), x.clone())])
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn neighbours_in_the_batch_are_answered() {
    let model = Fragile::new();
    let patient = Options {
        max_wait: std::time::Duration::from_millis(20),
        ..options()
    };
    let server = Server::start(model.clone(), patient).await.unwrap();
    assert_eq!(server.joins_not(), None);
    let client = Client::of(&server);
    let tasks: Vec<_> = (0..100)
        .map(|x| {
            let client = client.clone();
            tokio::spawn(async move { client.json(&json!({"inputs": [[x]]})).await })
        })
        .collect();
    for (x, task) in tasks.into_iter().enumerate() {
        let answer = task.await.unwrap();
        match x {
            13 => {
                assert_eq!(answer.status, 500);
                assert!(
                    answer.json()["detail"]
                        .as_str()
                        .unwrap()
                        .contains("broke off")
                );
                assert!(!answer.text().contains("does not take"));
            }
            _ => assert_eq!(answer.y(), [x as f64]),
        }
    }
    assert!(model.n_loads.load(Ordering::Relaxed) >= 2);
    assert_eq!(client.json(&json!({"inputs": [[7]]})).await.y(), [7.0]);
    server.stop().await.unwrap();
}
