//! A network that is described in JSON, with its weights in a safetensors file.

use glowgrad::Tensor;
use glowgrad_architecture::Architecture;
use glowgrad_files::safetensors;
use glowgrad_nn::network::Network;
use glowgrad_nn::nn::Parts;
use glowgrad_onnx::to_array;
use glowgrad_serve::{Server, model};

use crate::support::{Client, assert_close, numbers, options};

const NET: &str = r#"{"format": "glowgrad.architecture", "version": 1, "name": "Net",
 "inputs": [{"name": "x", "shape": ["N", 8]}],
 "nodes": [
   {"id": "fc1", "type": "Linear", "args": {"in_features": 8, "out_features": 16}, "inputs": ["x"]},
   {"id": "norm", "type": "BatchNorm1d", "args": {"num_features": 16}, "inputs": ["fc1"]},
   {"id": "drop", "type": "Dropout", "inputs": ["norm"]},
   {"id": "y", "type": "Linear", "args": {"in_features": 16, "out_features": 3}, "inputs": ["drop"]}],
 "outputs": ["y"]}"#;

/// The weights of a network that was drawn, and what it gives in use.
fn drawn(x: &[f32], n: usize) -> (Vec<u8>, Vec<f64>) {
    let engine = glowgrad::cpu();
    let network = Network::new(&engine, &Architecture::parse(NET).unwrap()).unwrap();
    network.eval();
    let state = network.state_dict();
    let arrays: Vec<_> = state
        .iter()
        .map(|(name, tensor)| (name, to_array(tensor).unwrap()))
        .collect();
    let none: [(&str, &str); 0] = [];
    let arrays = arrays.iter().map(|(name, array)| (name, array));
    let weights = safetensors::write(arrays, none).unwrap();
    let x = Tensor::from_f32(&engine, x, &[n, 8]).unwrap();
    let y = network.run(&[x]).unwrap().remove(0).to_f64().unwrap();
    (weights, y)
}

#[tokio::test]
async fn it_is_served_as_in_use_with_rows_joined() {
    let x = numbers(40, 1);
    let (weights, y) = drawn(&x, 5);
    let net = model::of_description(NET, weights).unwrap();
    assert_eq!(net.inputs()[0].to_string(), "x float32 [N, 8]");
    assert_eq!(net.outputs()[0].to_string(), "y float32 [N, 3]");
    let server = Server::start(net, options()).await.unwrap();
    // Batch norm in use has numbers of its own, so rows are independent.
    assert_eq!(server.joins_not(), None);
    let client = Client::of(&server);
    assert_close(&client.rows(&x, 8).await.y(), &y);
    assert_eq!(client.rows(&x[..9], 9).await.status, 422);
    server.stop().await.unwrap();
}

#[tokio::test]
async fn weights_of_another_network_are_refused_by_name() {
    let none: [(&str, &str); 0] = [];
    let other = crate::support::floats(&[1.0], &[1]);
    let weights = safetensors::write([("fc1.weight", &other)], none).unwrap();
    let net = model::of_description(NET, weights).unwrap();
    let error = Server::start(net, options())
        .await
        .err()
        .unwrap()
        .to_string();
    for said in ["fc1.weight has shape", "y.bias is missing"] {
        assert!(error.contains(said), "{error}");
    }
    assert!(model::of_description(NET, b"no weights".to_vec()).is_err());
    let broken = NET.replace("\"out_features\": 16", "\"out_features\": 17");
    let (weights, _) = drawn(&numbers(8, 1), 1);
    let error = model::of_description(&broken, weights).err().unwrap();
    assert!(error.message.contains("norm"), "{error}");
}
