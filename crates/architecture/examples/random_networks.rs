//! Prints random networks that fit together, one a line: JSON with the network and its Python.
//! `cargo run -p glowgrad-architecture --example random_networks -- 100`

use std::env;

use glowgrad_architecture::model::{Block, Input, Node, Parameter, Size};
use glowgrad_architecture::{Architecture, analyse, python};
use serde_json::{Value, json};

/// Numbers that follow from a seed (xorshift64*).
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % n
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

fn input(name: &str, sizes: &[u64], dtype: &str) -> Input {
    let open = std::iter::once(Size::Open("N".to_owned()));
    Input {
        name: name.to_owned(),
        shape: open.chain(sizes.iter().map(|&n| Size::Number(n))).collect(),
        dtype: dtype.to_owned(),
        at: None,
    }
}

/// The sizes of a node's first result behind the batch.
fn sizes(net: &Architecture, id: &str) -> Vec<i64> {
    let found = analyse(net);
    let fact = found
        .nodes
        .get(id)
        .and_then(|facts| facts.results.first())
        .or_else(|| found.inputs.get(id));
    fact.map_or_else(Vec::new, |fact| {
        fact.shape
            .iter()
            .skip(1)
            .map(|dim| dim.to_string().parse().unwrap_or(0))
            .collect()
    })
}

fn two(net: &mut Architecture, kind: &str, a: &str, b: &str, args: &[(&str, Value)]) -> String {
    let id = net.add_after(a, kind, args);
    if let Some(node) = net.nodes.iter_mut().find(|node| node.id == id) {
        node.inputs.push(b.to_owned());
    }
    id
}

const ACTIVATIONS: [&str; 12] = [
    "relu",
    "tanh",
    "sigmoid",
    "gelu",
    "silu",
    "ELU",
    "LeakyReLU",
    "Softplus",
    "Hardswish",
    "Mish",
    "ReLU6",
    "SELU",
];

fn image(draw: &mut Draw, name: &str) -> Architecture {
    let mut net = Architecture::empty(name);
    let (channels, size) = (draw.of(&[1, 3]), draw.of(&[8, 12, 16]));
    net.inputs = vec![input("x", &[channels, size, size], "float32")];
    let mut at = "x".to_owned();
    for _ in 0..2 + draw.below(3) {
        let out = draw.of(&[4, 6, 8]);
        let kernel = draw.of(&[1, 3, 5]);
        at = net.add_after(
            &at,
            "Conv2d",
            &[
                ("out_channels", out.into()),
                ("kernel_size", kernel.into()),
                ("padding", (kernel / 2).into()),
                ("bias", (draw.below(2) == 0).into()),
            ],
        );
        match draw.below(4) {
            0 => at = net.add_after(&at, "BatchNorm2d", &[]),
            1 => at = net.add_after(&at, "GroupNorm", &[("num_groups", 2.into())]),
            _ => {}
        }
        at = net.add_after(&at, draw.of(&ACTIVATIONS), &[]);
        if draw.below(2) == 0 {
            // A way around a convolution that keeps the shape.
            let around = at.clone();
            let inner = net.add_after(
                &at,
                "Conv2d",
                &[
                    ("out_channels", out.into()),
                    ("kernel_size", 3.into()),
                    ("padding", 1.into()),
                    ("groups", draw.of(&[1, 2]).into()),
                ],
            );
            let act = net.add_after(&inner, draw.of(&ACTIVATIONS), &[]);
            at = two(
                &mut net,
                draw.of(&["add", "mul", "sub"]),
                &around,
                &act,
                &[],
            );
        }
        if sizes(&net, &at).get(1).is_some_and(|&n| n >= 4) && draw.below(2) == 0 {
            at = net.add_after(
                &at,
                draw.of(&["MaxPool2d", "AvgPool2d"]),
                &[("kernel_size", 2.into())],
            );
        }
        if draw.below(4) == 0 {
            at = net.add_after(&at, "Dropout2d", &[("p", 0.3.into())]);
        }
    }
    at = match draw.below(3) {
        0 => net.add_after(&at, "flatten", &[("start_dim", 1.into())]),
        1 => {
            at = net.add_after(
                &at,
                "AdaptiveAvgPool2d",
                &[("output_size", draw.of(&[1, 2]).into())],
            );
            net.add_after(&at, "Flatten", &[])
        }
        _ => net.add_after(&at, "mean", &[("dim", json!([2, 3]))]),
    };
    at = net.add_after(&at, "Linear", &[("out_features", 5.into())]);
    net.outputs = vec![at];
    net
}

fn vector(draw: &mut Draw, name: &str) -> Architecture {
    let mut net = Architecture::empty(name);
    net.inputs = vec![input("x", &[draw.of(&[3, 6, 10])], "float32")];
    let mut at = "x".to_owned();
    let width = draw.of(&[8, 12]);
    at = net.add_after(&at, "Linear", &[("out_features", width.into())]);
    if draw.below(2) == 0 {
        // A block that stands in a row.
        net.blocks.push(Block {
            name: "Step".to_owned(),
            note: "A layer that adds to what it read.".to_owned(),
            parameters: vec![Parameter {
                name: "width".to_owned(),
                default: width.into(),
            }],
            inputs: vec!["x".to_owned()],
            nodes: vec![
                Node {
                    id: "norm".to_owned(),
                    kind: "LayerNorm".to_owned(),
                    args: args(&[("normalized_shape", "=width".into())]),
                    inputs: vec!["x".to_owned()],
                    ..Node::default()
                },
                Node {
                    id: "up".to_owned(),
                    kind: "Linear".to_owned(),
                    args: args(&[
                        ("in_features", "=width".into()),
                        ("out_features", "=2 * width".into()),
                    ]),
                    inputs: vec!["norm".to_owned()],
                    ..Node::default()
                },
                Node {
                    id: "gelu".to_owned(),
                    kind: "gelu".to_owned(),
                    inputs: vec!["up".to_owned()],
                    ..Node::default()
                },
                Node {
                    id: "down".to_owned(),
                    kind: "Linear".to_owned(),
                    args: args(&[
                        ("in_features", "=2 * width".into()),
                        ("out_features", "=width".into()),
                    ]),
                    inputs: vec!["gelu".to_owned()],
                    ..Node::default()
                },
                Node {
                    id: "add".to_owned(),
                    kind: "add".to_owned(),
                    inputs: vec!["x".to_owned(), "down".to_owned()],
                    ..Node::default()
                },
            ],
            outputs: vec!["add".to_owned()],
        });
        net.nodes.push(Node {
            id: "steps".to_owned(),
            kind: "Step".to_owned(),
            args: args(&[("width", width.into())]),
            repeat: Some(1 + draw.below(3) as u32),
            inputs: vec![at.clone()],
            ..Node::default()
        });
        at = "steps".to_owned();
        net.outputs = vec![at.clone()];
    }
    for _ in 0..1 + draw.below(3) {
        let around = at.clone();
        let left = net.add_after(
            &at,
            "Linear",
            &[
                ("out_features", width.into()),
                ("bias", (draw.below(2) == 0).into()),
            ],
        );
        let left = net.add_after(&left, draw.of(&ACTIVATIONS), &[]);
        at = match draw.below(4) {
            0 => two(&mut net, "add", &around, &left, &[]),
            1 => {
                let joined = two(&mut net, "cat", &around, &left, &[("dim", 1.into())]);
                net.add_after(&joined, "Linear", &[("out_features", width.into())])
            }
            2 => {
                let gate = net.add_after(&around, "Linear", &[("out_features", width.into())]);
                let gate = net.add_after(&gate, "sigmoid", &[]);
                two(&mut net, "mul", &left, &gate, &[])
            }
            _ => left,
        };
        match draw.below(4) {
            0 => at = net.add_after(&at, draw.of(&["LayerNorm", "RMSNorm", "BatchNorm1d"]), &[]),
            1 => at = net.add_after(&at, "scale", &[("factor", 0.5.into())]),
            2 => at = net.add_after(&at, "Dropout", &[]),
            _ => {}
        }
    }
    if draw.below(3) == 0 {
        // One layer used twice.
        let shared = net.add_after(&at, "Linear", &[("out_features", width.into())]);
        let again = format!("{shared}_2");
        if net.nodes.iter().all(|node| node.id != again) {
            net.nodes.push(Node {
                id: again.clone(),
                same: Some(shared.clone()),
                inputs: vec![shared],
                ..Node::default()
            });
            at = again;
        } else {
            at = shared;
        }
    }
    at = net.add_after(&at, "Linear", &[("out_features", 3.into())]);
    at = net.add_after(&at, draw.of(&["softmax", "log_softmax", "tanh"]), &[]);
    net.outputs = vec![at];
    net
}

fn sequence(draw: &mut Draw, name: &str) -> Architecture {
    let mut net = Architecture::empty(name);
    let (length, width) = (draw.of(&[5, 8]), draw.of(&[8, 12]));
    net.inputs = vec![input("tokens", &[length], "int64")];
    let mut at = net.add_after(
        "tokens",
        "Embedding",
        &[
            ("num_embeddings", 11.into()),
            ("embedding_dim", width.into()),
        ],
    );
    if draw.below(2) == 0 {
        let places = net.add_after("tokens", "positions", &[("dim", 1.into())]);
        let table = net.add_after(
            &places,
            "Embedding",
            &[
                ("num_embeddings", length.into()),
                ("embedding_dim", width.into()),
            ],
        );
        at = two(&mut net, "add", &at, &table, &[]);
    }
    for _ in 0..1 + draw.below(2) {
        at = match draw.below(4) {
            0 => net.add_after(
                &at,
                "LSTM",
                &[("hidden_size", width.into()), ("batch_first", true.into())],
            ),
            1 => net.add_after(
                &at,
                "GRU",
                &[
                    ("hidden_size", width.into()),
                    ("batch_first", true.into()),
                    ("num_layers", draw.of(&[1, 2]).into()),
                ],
            ),
            2 => net.add_after(
                &at,
                "TransformerEncoderLayer",
                &[
                    ("nhead", 2.into()),
                    ("dim_feedforward", 16.into()),
                    ("batch_first", true.into()),
                    ("norm_first", (draw.below(2) == 0).into()),
                    ("activation", draw.of(&["relu", "gelu"]).into()),
                ],
            ),
            _ => {
                let around = at.clone();
                let all = net.add_after(&at, "Linear", &[("out_features", (3 * width).into())]);
                let parts =
                    net.add_after(&all, "chunk", &[("chunks", 3.into()), ("dim", (-1).into())]);
                let mut heads = Vec::new();
                for i in 0..3 {
                    let source = if i == 0 {
                        parts.clone()
                    } else {
                        format!("{parts}.{i}")
                    };
                    let split = net.add_after(
                        &source,
                        "unflatten",
                        &[("dim", (-1).into()), ("sizes", json!([2, -1]))],
                    );
                    heads.push(net.add_after(
                        &split,
                        "transpose",
                        &[("dim0", 1.into()), ("dim1", 2.into())],
                    ));
                }
                let attended = net.add_after(
                    &heads[0],
                    "scaled_dot_product_attention",
                    &[("is_causal", (draw.below(2) == 0).into())],
                );
                if let Some(node) = net.nodes.iter_mut().find(|node| node.id == attended) {
                    node.inputs = heads;
                }
                let back = net.add_after(
                    &attended,
                    "transpose",
                    &[("dim0", 1.into()), ("dim1", 2.into())],
                );
                let flat = net.add_after(&back, "flatten", &[("start_dim", 2.into())]);
                two(&mut net, "add", &around, &flat, &[])
            }
        };
    }
    at = match draw.below(3) {
        0 => net.add_after(&at, "select", &[("dim", 1.into()), ("index", (-1).into())]),
        1 => net.add_after(&at, "mean", &[("dim", json!([1]))]),
        _ => at,
    };
    at = net.add_after(&at, "Linear", &[("out_features", 11.into())]);
    net.outputs = vec![at];
    net
}

fn args(all: &[(&str, Value)]) -> glowgrad_architecture::Args {
    all.iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = env::args().nth(1).unwrap_or_default().parse()?;
    for i in 0..n {
        let mut draw = Draw(0x9E37_79B9_7F4A_7C15 ^ (i as u64 + 1));
        for _ in 0..8 {
            draw.below(2);
        }
        let name = format!("Net{i}");
        let net = match i % 3 {
            0 => image(&mut draw, &name),
            1 => vector(&mut draw, &name),
            _ => sequence(&mut draw, &name),
        };
        let net = net.sorted()?;
        let found = analyse(&net);
        if let Some((path, facts)) = found.nodes.iter().find(|(_, facts)| facts.fault.is_some()) {
            return Err(format!("{name}: {path}: {:?}", facts.fault).into());
        }
        println!(
            "{}",
            json!({"net": net, "python": python::write(&net).text})
        );
    }
    Ok(())
}
