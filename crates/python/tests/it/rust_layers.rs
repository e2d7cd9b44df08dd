//! Layers, optimizers and training runs of Rust beside those of Python: arguments and defaults of the rows, names and
//! shapes of parameters, and the same bits.

use glowgrad::bind::Arg;
use glowgrad::random::Draw;
use glowgrad::{DType, Engine, Scalar, Tensor};
use glowgrad_nn::data::DataLoader;
use glowgrad_nn::nn::{self, Argument, Module, Parts};
use glowgrad_nn::optim::{
    Adam, AdamOptions, AdamW, AdamWOptions, Optimizer, RMSprop, RMSpropOptions, SGD, SGDOptions,
    schedule::Schedule,
};
use glowgrad_nn::training::{Checkpoint, Trainer};
use serde_json::Value;

use crate::common::{Lab, lab};

/// Arguments that Rust's layers do not have, and why.
const NOT_IN_RUST: &[(&str, &str)] = &[
    ("device", "a layer is where its engine makes tensors"),
    ("dtype", "parameters are float32"),
    ("inplace", "a layer gives another tensor"),
    ("return_indices", "a layer of one output"),
    ("min_value", "an old name"),
    ("max_value", "an old name"),
    ("max_norm", "a table that changes when it is read"),
    ("norm_type", "of max_norm"),
    ("scale_grad_by_freq", "a gradient of its own"),
    ("sparse", "gradients are dense"),
    ("_weight", "a table that is given"),
    ("_freeze", "of a table that is given"),
    ("nonlinearity", "RecurrentOptions::elman_with_relu"),
    ("proj_size", "an LSTM's state is as large as its output"),
    ("add_bias_kv", "attention of a sequence to itself"),
    ("add_zero_attn", "attention of a sequence to itself"),
    ("kdim", "attention of a sequence to itself"),
    ("vdim", "attention of a sequence to itself"),
];

fn rows() -> Vec<Value> {
    let text = include_str!("../../../../lessons/reference/layers.json");
    let Ok(Value::Array(rows)) = serde_json::from_str(text) else {
        panic!("layers.json is a list");
    };
    rows
}

fn is_in_rust(name: &str) -> bool {
    !NOT_IN_RUST.iter().any(|(other, _)| *other == name)
}

fn arg(value: &Value) -> Arg {
    match value {
        Value::Null => Arg::None,
        Value::Bool(b) => Arg::Number(Scalar::Bool(*b)),
        Value::Number(n) => Arg::Number(match n.as_i64() {
            Some(i) => Scalar::Int(i),
            None => Scalar::Float(n.as_f64().unwrap()),
        }),
        Value::String(word) => Arg::Word(word.clone()),
        Value::Array(list) => Arg::List(list.iter().map(arg).collect()),
        Value::Object(_) => panic!("no argument is an object"),
    }
}

fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(b) => if *b { "True" } else { "False" }.to_owned(),
        Value::Array(list) => format!(
            "({},)",
            list.iter().map(python).collect::<Vec<_>>().join(", ")
        ),
        other => other.to_string(),
    }
}

/// As text: 1 and 1.0 are one default.
fn told(arg: &Arg) -> String {
    match arg {
        Arg::Number(Scalar::Int(i)) => (*i as f64).to_string(),
        Arg::Number(Scalar::Float(x)) => x.to_string(),
        Arg::List(list) if list.len() == 1 => told(&list[0]),
        Arg::List(list) => list.iter().map(told).collect::<Vec<_>>().join(","),
        other => format!("{other:?}"),
    }
}

fn digest(tensor: &Tensor) -> String {
    let bytes = tensor.to_bytes().unwrap();
    let sum = bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{:?} {sum:016x}", tensor.shape().to_vec())
}

/// The same of a tensor in Python.
const DIGEST: &str = r#"
import torch
def digest(tensor):
    hash = 0xcbf29ce484222325
    for byte in tensor.detach().contiguous()._bytes():
        hash = (hash ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return f"{list(tensor.shape)} {hash:016x}"
"#;

fn assert_same(lab: &Lab, code: &str, rust: &[String], what: &str) {
    let printed = lab.output(code);
    let printed: Vec<&str> = printed.lines().collect();
    assert_eq!(printed, rust, "{what}");
}

#[test]
fn arguments_and_defaults_are_those_of_the_rows() {
    let rows = rows();
    let mut n = 0;
    for name in nn::layers() {
        let row = rows.iter().find(|row| row["name"] == format!("nn.{name}"));
        let row = row.unwrap_or_else(|| panic!("{name} has no row"));
        let arguments = row["arguments"].as_array().unwrap();
        let first = row["examples"][0]["arguments"].as_object().unwrap();
        let required = arguments.iter().filter(|a| a["required"] == true);
        let mut given: Vec<Argument> = required
            .map(|a| a["name"].as_str().unwrap())
            .map(|name| (name.to_owned(), arg(&first[name])))
            .collect();
        // PyTorch's dim of None is a guess with a warning; Rust asks for it.
        if let Some(dim) = first
            .get("dim")
            .filter(|_| name.contains("Softm") || name == "LogSoftmax")
        {
            given.push(("dim".to_owned(), arg(dim)));
        }
        let made = nn::defaults(name, &given).unwrap_or_else(|error| panic!("{name}: {error}"));
        let wanted: Vec<&Value> = arguments
            .iter()
            .filter(|a| is_in_rust(a["name"].as_str().unwrap()))
            .collect();
        let mut names: Vec<&str> = made.iter().map(|(name, _)| *name).collect();
        let mut wanted_names: Vec<&str> =
            wanted.iter().map(|a| a["name"].as_str().unwrap()).collect();
        names.sort_unstable();
        wanted_names.sort_unstable();
        assert_eq!(names, wanted_names, "{name}");
        for argument in wanted {
            let argument_name = argument["name"].as_str().unwrap();
            if given.iter().any(|(given, _)| given == argument_name) {
                continue;
            }
            let (_, value) = made
                .iter()
                .find(|(made, _)| *made == argument_name)
                .unwrap();
            assert_eq!(
                told(value),
                told(&arg(&argument["default"])),
                "{name}: {argument_name}"
            );
            n += 1;
        }
    }
    assert!(n > 120, "{n} defaults");
}

#[test]
fn layers_have_pythons_parameters_and_bits() {
    lab(|lab| {
        lab.output(DIGEST);
        let mut n = 0;
        for row in rows() {
            let name = row["name"].as_str().unwrap().trim_start_matches("nn.");
            if !nn::layers().any(|layer| layer == name) {
                continue;
            }
            for example in row["examples"].as_array().unwrap() {
                let arguments = example["arguments"].as_object().unwrap();
                if arguments.keys().any(|name| !is_in_rust(name)) {
                    continue;
                }
                let given: Vec<Argument> = arguments
                    .iter()
                    .map(|(name, value)| (name.clone(), arg(value)))
                    .collect();
                let shape: Vec<usize> =
                    serde_json::from_value(example["inputs"][0]["shape"].clone()).unwrap();
                // Unbatched sequences and attention of one sequence to others are PyTorch's alone.
                let is_sequence = [
                    "RNN",
                    "LSTM",
                    "GRU",
                    "MultiheadAttention",
                    "TransformerEncoderLayer",
                ]
                .contains(&name);
                if is_sequence && shape.len() != 3 {
                    continue;
                }
                let words: Vec<String> = arguments
                    .iter()
                    .map(|(name, value)| format!("{name}={}", python(value)))
                    .collect();
                let is_index = name == "Embedding";
                let draw = match is_index {
                    true => format!("torch.randint(0, 10, {shape:?})"),
                    false => format!("torch.randn({shape:?})"),
                };
                let call = match name {
                    "MultiheadAttention" => "layer(x, x, x, need_weights=False)[0]",
                    "RNN" | "LSTM" | "GRU" => "layer(x)[0]",
                    _ => "layer(x)",
                };
                let code = format!(
                    "torch.manual_seed(3)\nlayer = torch.nn.{name}({})\nx = {draw}\n\
                     for name, value in layer.state_dict().items(): print(name, digest(value))\n\
                     y = {call}\nprint(digest(y))\n\
                     if y.requires_grad: (y * y).sum().backward()\n\
                     for name, value in layer.named_parameters(): print(name, digest(value.grad))\n\
                     for name, value in layer.named_buffers(): print(name, digest(value))\n",
                    words.join(", ")
                );
                let engine = glowgrad::cpu();
                engine.generator().manual_seed(3);
                let what = format!("{name}({})", words.join(", "));
                let layer = nn::build(&engine, name, &given)
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
                let (draw, dtype) = match is_index {
                    true => (
                        Draw::Integers {
                            low: 0,
                            high: Some(10),
                        },
                        DType::I64,
                    ),
                    false => (
                        Draw::Normal {
                            mean: 0.0,
                            std: 1.0,
                        },
                        DType::F32,
                    ),
                };
                let x =
                    Tensor::draw(&engine, &mut engine.generator(), draw, &shape, dtype).unwrap();
                let mut told: Vec<String> = layer
                    .state_dict()
                    .iter()
                    .map(|(name, value)| format!("{name} {}", digest(value)))
                    .collect();
                let y = layer
                    .forward(&x)
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
                told.push(digest(&y));
                if y.requires_grad() {
                    y.mul(&y)
                        .unwrap()
                        .sum()
                        .unwrap()
                        .backward(None, Default::default())
                        .unwrap();
                }
                for (name, value) in layer.named_parameters() {
                    told.push(format!("{name} {}", digest(&value.grad().unwrap())));
                }
                for (name, value) in layer.named_buffers() {
                    told.push(format!("{name} {}", digest(&value)));
                }
                assert_same(&lab, &code, &told, &what);
                n += 1;
            }
        }
        assert!(n > 100, "{n} examples");
    });
}

/// A small run: a network with all that draws or remembers, and its data.
const RUN: &str = r#"
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from glowgrad.training import Trainer, load_checkpoint
def begin(make, schedule=None, path=None, every=100):
    torch.manual_seed(5)
    x = torch.randn(50, 4)
    y = torch.randint(0, 3, (50,))
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.GELU(), nn.Dropout(0.25), nn.Linear(8, 3))
    optimizer = make(model.parameters())
    trainer = Trainer(model, optimizer, nn.functional.cross_entropy, clip=0.5, checkpoint=path, every=every,
                      scheduler=schedule and schedule(optimizer), progress=False)
    return trainer, DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True)
def told(trainer):
    print(*trainer.history.losses)
    for name, value in trainer.model.state_dict().items(): print(name, digest(value))
"#;

fn network(engine: &Engine) -> (nn::Sequential, DataLoader) {
    engine.generator().manual_seed(5);
    let draw = |draw, shape: &[usize], dtype| {
        Tensor::draw(engine, &mut engine.generator(), draw, shape, dtype).unwrap()
    };
    let x = draw(
        Draw::Normal {
            mean: 0.0,
            std: 1.0,
        },
        &[50, 4],
        DType::F32,
    );
    let y = draw(
        Draw::Integers {
            low: 0,
            high: Some(3),
        },
        &[50],
        DType::I64,
    );
    let model = nn::Sequential::new()
        .then(nn::Linear::new(engine, 4, 8).unwrap())
        .then(nn::BatchNorm1d::new(engine, 8).unwrap())
        .then(nn::GELU::new())
        .then(nn::Dropout::new(0.25).unwrap())
        .then(nn::Linear::new(engine, 8, 3).unwrap());
    (model, DataLoader::new(vec![x, y], 8).unwrap().shuffle(true))
}

fn result<O: Optimizer>(trainer: &Trainer<'_, O>, model: &dyn Module) -> Vec<String> {
    let losses = trainer
        .history()
        .losses
        .iter()
        .map(|loss| glowgrad::bind::python_float(*loss));
    let mut told = vec![losses.collect::<Vec<_>>().join(" ")];
    told.extend(
        model
            .state_dict()
            .iter()
            .map(|(name, value)| format!("{name} {}", digest(value))),
    );
    told
}

fn run<O: Optimizer>(
    make: impl Fn(Vec<Tensor>) -> O,
    schedule: Option<fn(&mut O) -> Schedule>,
) -> Vec<String> {
    let engine = glowgrad::cpu();
    let (model, batches) = network(&engine);
    let mut optimizer = make(model.parameters());
    let schedule = schedule.map(|schedule| schedule(&mut optimizer));
    let mut trainer = Trainer::new(&model, optimizer, nn::functional::cross_entropy).clip(0.5);
    if let Some(schedule) = schedule {
        trainer = trainer.schedule(schedule);
    }
    trainer.fit(&batches, 2, None).unwrap();
    result(&trainer, &model)
}

#[test]
fn optimizers_and_runs_have_pythons_bits() {
    lab(|lab| {
        lab.output(DIGEST);
        lab.output(RUN);
        let check = |python: &str, rust: Vec<String>| {
            let code =
                format!("trainer, data = begin({python})\ntrainer.fit(data, 2)\ntold(trainer)\n");
            assert_same(&lab, &code, &rust, python);
        };
        let sgd = |options: SGDOptions| move |p| SGD::new(p, options.clone());
        let options = SGDOptions {
            lr: 0.1,
            ..Default::default()
        };
        check(
            "lambda p: torch.optim.SGD(p, 0.1)",
            run(sgd(options.clone()), None),
        );
        let options = SGDOptions {
            momentum: 0.9,
            weight_decay: 0.01,
            nesterov: true,
            ..options
        };
        check(
            "lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, weight_decay=0.01, nesterov=True)",
            run(sgd(options), None),
        );
        let options = AdamOptions {
            lr: 0.01,
            amsgrad: true,
            ..Default::default()
        };
        check(
            "lambda p: torch.optim.Adam(p, 0.01, amsgrad=True)",
            run(move |p| Adam::new(p, options.clone()), None),
        );
        check(
            "lambda p: torch.optim.AdamW(p)",
            run(|p| AdamW::new(p, AdamWOptions::default()), None),
        );
        let options = RMSpropOptions {
            momentum: 0.5,
            centered: true,
            ..Default::default()
        };
        check(
            "lambda p: torch.optim.RMSprop(p, momentum=0.5, centered=True)",
            run(move |p| RMSprop::new(p, options.clone()), None),
        );
        let adam = |p| Adam::new(p, AdamOptions::default());
        check(
            "torch.optim.Adam, lambda o: torch.optim.lr_scheduler.StepLR(o, 3, 0.5)",
            run(adam, Some(|o| Schedule::step_lr(o, 3, 0.5))),
        );
        check(
            "torch.optim.Adam, lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 5, 1e-5)",
            run(adam, Some(|o| Schedule::cosine_annealing_lr(o, 5, 1e-5))),
        );
        check(
            "torch.optim.Adam, lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda i: min(1.0, (i + 1) / 4))",
            run(
                adam,
                Some(|o| Schedule::lambda_lr(o, |i| f64::min(1.0, (i + 1) as f64 / 4.0))),
            ),
        );
    });
}

#[test]
fn a_run_goes_on_in_the_other_language_and_in_its_own_to_the_same_bits() {
    lab(|lab| {
        lab.output(DIGEST);
        lab.output(RUN);
        let folder = std::env::temp_dir().join(format!("glowgrad-runs-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("run.safetensors");
        let make = |p| AdamW::new(p, AdamWOptions::default());
        let whole = run(make, None);

        // Rust pauses in the middle of the first epoch, and goes on.
        let engine = glowgrad::cpu();
        let (model, batches) = network(&engine);
        let paused = Trainer::new(
            &model,
            make(model.parameters()),
            nn::functional::cross_entropy,
        );
        let mut paused = paused
            .clip(0.5)
            .checkpoint(&path, 2)
            .watch(|now| now.step != 5);
        paused.fit(&batches, 2, None).unwrap();
        assert_eq!(paused.history().losses.len(), 5);
        let bytes = std::fs::read(&path).unwrap();
        let engine = glowgrad::cpu();
        let (model, batches) = network(&engine);
        engine.generator().manual_seed(99);
        let again = Trainer::new(
            &model,
            make(model.parameters()),
            nn::functional::cross_entropy,
        );
        let mut again = again.clip(0.5).checkpoint(&path, 100);
        again.fit(&batches, 2, None).unwrap();
        assert_eq!(result(&again, &model), whole);
        assert_eq!(again.history().epochs.len(), 2);

        // Python goes on from what Rust wrote: the file travels as text.
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        lab.output(&format!(
            "open('run.safetensors', 'wb').write(bytes.fromhex('{hex}'))\n"
        ));
        let code = "trainer, data = begin(torch.optim.AdamW, path='run.safetensors')\ntorch.manual_seed(1)\n\
                    trainer.fit(data, 2)\ntold(trainer)\n";
        assert_same(&lab, code, &whole, "Python after Rust");

        // Rust goes on from what Python wrote.
        let code = "import os\nos.remove('run.safetensors')\n\
                    trainer, data = begin(torch.optim.AdamW, path='run.safetensors', every=3)\n\
                    class Enough(Exception): pass\n\
                    def ending(data):\n    for i, batch in enumerate(data):\n        if i == 4: raise Enough\n        yield batch\n\
                    try: trainer.fit(ending(data), 2)\nexcept Enough: pass\n\
                    print(open('run.safetensors', 'rb').read().hex())\n";
        let hex = lab.output(code);
        let bytes: Vec<u8> = (0..hex.trim().len() / 2)
            .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
            .collect();
        std::fs::write(&path, bytes).unwrap();
        let engine = glowgrad::cpu();
        let (model, batches) = network(&engine);
        let after = Trainer::new(
            &model,
            make(model.parameters()),
            nn::functional::cross_entropy,
        );
        let mut after = after.clip(0.5).checkpoint(&path, 100);
        after.fit(&batches, 2, None).unwrap();
        assert_eq!(result(&after, &model), whole);
        assert!(
            Checkpoint::load(&engine, &path)
                .unwrap()
                .texts
                .contains_key("python_random")
        );
        std::fs::remove_dir_all(folder).unwrap();
    });
}
