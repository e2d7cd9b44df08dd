//! Networks of the studio as Rust: the code that is written compiles here, and computes what the description does.
//!
//! `GLOW_WRITE=1 cargo nextest run -p glowgrad -E 'test(drawn)'` writes the files anew.

use std::fs;
use std::path::Path;

use glowgrad::network::Network;
use glowgrad::nn::{Module, Parts, StateDict};
use glowgrad::{Engine, Result, Tensor};
use glowgrad_architecture::catalog::{self, Row};
use glowgrad_architecture::model::{Input, Node, Size};
use glowgrad_architecture::{Architecture, presets, rust};

macro_rules! written {
    ($($name:ident),* $(,)?) => {
        $(
            #[rustfmt::skip]
            #[allow(
                clippy::too_many_arguments,
                clippy::upper_case_acronyms,
                dead_code,
                unreachable_pub,
                reason = "in a crate of one's own the file is a public module, with the network's own names"
            )]
            mod $name;
        )*
        const WRITTEN: &[(&str, &str)] = &[$((stringify!($name), include_str!(concat!(stringify!($name), ".rs")))),*];
    };
}
written![
    autoencoder,
    char_lstm,
    diffusion,
    discriminator,
    generator,
    gpt,
    layers_with_weights,
    layers_without,
    lenet,
    mlp,
    mobilenet_v2,
    resnet18,
    vae,
    vit,
];

/// A network with each layer that has a type in Rust, side by side, as its row's examples have it: those with weights or
/// those without.
fn layers(have_weights: bool) -> Architecture {
    let mut net = Architecture::empty(if have_weights {
        "LayersWithWeights"
    } else {
        "LayersWithout"
    });
    net.inputs.clear();
    for layer in rust::LAYERS {
        let row = catalog::row(layer.name).expect("each layer has a row");
        if (row.parameters != "0") != have_weights {
            continue;
        }
        for (i, example) in row.examples.iter().enumerate() {
            let gives_one = example
                .output
                .as_array()
                .is_some_and(|sizes| sizes.iter().all(|size| size.is_u64()));
            // Rust's types take one input, and give no indices beside the result.
            // What has no weights differs in numbers alone.
            if i > 0 && !have_weights {
                continue;
            }
            if example.inputs.len() != 1
                || !gives_one && !is_recurrent(row)
                || !is_taken(row, example)
            {
                continue;
            }
            let name = format!("{}_{i}", layer.name.to_lowercase());
            let input = &example.inputs[0];
            net.inputs.push(Input {
                name: format!("{name}_in"),
                shape: input
                    .shape
                    .iter()
                    .map(|&n| Size::Number(n as u64))
                    .collect(),
                dtype: if input.values.starts_with("index") {
                    "int64"
                } else {
                    "float32"
                }
                .to_owned(),
                at: None,
            });
            net.nodes.push(Node {
                id: name.clone(),
                kind: layer.name.to_owned(),
                args: example.arguments.clone(),
                inputs: vec![format!("{name}_in")],
                ..Node::default()
            });
            net.outputs.push(name);
        }
    }
    net
}

fn is_recurrent(row: &Row) -> bool {
    matches!(row.short(), "RNN" | "GRU" | "LSTM")
}

/// Whether Rust's type has the arguments of an example: what it leaves out, `rust_layers.rs` of `glowgrad-python` lists.
fn is_taken(row: &Row, example: &catalog::Example) -> bool {
    let given = &example.arguments;
    // Sequences come in batches.
    let is_sequence = is_recurrent(row) || row.short() == "TransformerEncoderLayer";
    if is_sequence && example.inputs[0].shape.len() != 3 {
        return false;
    }
    let left_out = ["padding_mode", "proj_size", "return_indices"];
    let is_padding_word = row.short().starts_with("Conv")
        && given
            .get("padding")
            .is_some_and(serde_json::Value::is_string);
    !left_out.iter().any(|name| given.contains_key(*name)) && !is_padding_word
}

fn network(name: &str) -> Architecture {
    match name {
        "layers_with_weights" => layers(true),
        "layers_without" => layers(false),
        name => presets::preset(name).expect("a preset"),
    }
}

#[test]
fn the_files_are_what_is_written() {
    for (name, text) in WRITTEN {
        let code = rust::write(&network(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        if std::env::var_os("GLOW_WRITE").is_some() {
            let path =
                Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/drawn/{name}.rs"));
            fs::write(path, &code).expect("is written");
            continue;
        }
        assert_eq!(
            code, *text,
            "{name}: write the files anew, as the head of this file says"
        );
    }
}

fn engine() -> Engine {
    let engine = glowgrad::cpu();
    engine.generator().manual_seed(7);
    engine
}

/// An input of a network, with 2 for every open size.
fn input(engine: &Engine, input: &Input) -> Tensor {
    let size = |size: &Size| match size {
        Size::Number(n) => *n as usize,
        Size::Open(_) => 2,
    };
    let shape: Vec<usize> = input.shape.iter().map(size).collect();
    let n: usize = shape.iter().product();
    let tensor = match input.dtype.as_str() {
        "int64" => Tensor::from_i64(
            engine,
            &(0..n as i64).map(|i| i % 3).collect::<Vec<_>>(),
            &shape,
        ),
        _ => Tensor::from_f32(
            engine,
            &(0..n).map(|i| (i as f32 * 0.37).sin()).collect::<Vec<_>>(),
            &shape,
        ),
    };
    tensor.expect("an input")
}

/// The model of a file.
trait Drawn: Parts {
    fn results(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>>;
}

macro_rules! modules {
    ($($name:ident $kind:ident),* $(,)?) => {$(
        impl Drawn for $name::$kind {
            fn results(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
                Ok(vec![self.forward(&inputs[0])?])
            }
        }

        #[test]
        fn $name() {
            agree(stringify!($name), |engine| Ok(Box::new($name::$kind::new(engine)?)));
        }
    )*};
}

mod models {
    use super::*;

    modules! {
        autoencoder Autoencoder, char_lstm CharLSTM, discriminator Discriminator, generator Generator, gpt GPT,
        lenet LeNet, mlp MLP, mobilenet_v2 MobileNetV2, resnet18 ResNet18, vit ViT,
    }

    impl Drawn for vae::VAE {
        fn results(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
            let (image, mean, log_variance) = self.run(&inputs[0])?;
            Ok(vec![image, mean, log_variance])
        }
    }

    #[test]
    fn vae() {
        agree("vae", |engine| Ok(Box::new(vae::VAE::new(engine)?)));
    }

    impl Drawn for diffusion::Denoiser {
        fn results(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
            Ok(vec![self.run(&inputs[0], &inputs[1])?])
        }
    }

    #[test]
    fn diffusion() {
        agree("diffusion", |engine| {
            Ok(Box::new(diffusion::Denoiser::new(engine)?))
        });
    }
}

/// The code's model gets the description's weights, and gives the same bits.
fn agree(name: &str, make: impl Fn(&Engine) -> Result<Box<dyn Drawn>>) {
    let engine = engine();
    let net = network(name);
    let described = Network::new(&engine, &net).unwrap_or_else(|error| panic!("{name}: {error}"));
    let model = make(&engine).unwrap_or_else(|error| panic!("{name}: {error}"));
    let names = |state: StateDict| state.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(
        names(model.state_dict()),
        names(described.state_dict()),
        "{name}"
    );
    model
        .load_state_dict(&described.state_dict())
        .expect("the names are the same");
    let inputs: Vec<Tensor> = net.inputs.iter().map(|one| input(&engine, one)).collect();
    model.eval();
    described.eval();
    let bytes = |results: Result<Vec<Tensor>>| -> Vec<Vec<u8>> {
        let results = results.unwrap_or_else(|error| panic!("{name}: {error}"));
        results
            .iter()
            .map(|one| one.to_bytes().expect("is computed"))
            .collect()
    };
    engine.generator().manual_seed(3);
    let found = bytes(model.results(&inputs));
    engine.generator().manual_seed(3);
    let expected = bytes(described.run(&inputs));
    assert!(
        !found.is_empty() && found == expected,
        "{name}: the code computes something else"
    );
}

/// Each layer alone, made by name and by its type.
#[test]
fn every_layer_is_made() {
    let engine = engine();
    let with = layers_with_weights::LayersWithWeights::new(&engine).expect("each layer is made");
    let without = layers_without::LayersWithout::new(&engine).expect("each layer is made");
    let mut n = 0;
    for (net, model) in [
        (layers(true), &with as &dyn Parts),
        (layers(false), &without),
    ] {
        let described = Network::new(&engine, &net).expect("each layer has a type");
        model
            .load_state_dict(&described.state_dict())
            .expect("the names are the same");
        described.eval();
        let inputs: Vec<Tensor> = net.inputs.iter().map(|one| input(&engine, one)).collect();
        let results = described.run(&inputs).expect("each layer runs");
        for (node, result) in net.nodes.iter().zip(&results) {
            let values = result.to_f64().expect("is computed");
            assert!(values.iter().all(|x| !x.is_nan()), "{}", node.id);
            n += 1;
        }
    }
    assert!(n > 90, "{n} layers");
}
