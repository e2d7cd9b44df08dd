//! How a network is trained: the data there is, and a program that does it.

use serde_json::Value as Json;

use crate::analysis::{Analysis, Dim, Fact, analyse};
use crate::catalog;
use crate::error::{Error, Result};
use crate::expression::{Value, quoted};
use crate::model::{Architecture, Training};
use crate::objective::{self, objective};
use crate::python;

/// Samples with what is to be found in each.
pub struct Data {
    /// Its name in a description.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub note: &'static str,
    /// Whether it is read from files that the person has.
    pub needs_files: bool,
    /// The statements that make the tensors `x` and `target`, and `n_train`, the number of samples to train with.
    code: &'static str,
}

/// All data.
pub static DATA: &[Data] = &[
    Data {
        name: "digits",
        note: "1,797 handwritten digits of 8 by 8; they come with glowgrad.",
        needs_files: false,
        code: "x, target = datasets.load_digits()\nx = x / 16\nn_train = 1437",
    },
    Data {
        name: "moons",
        note: "Points of two half circles that hold on to each other.",
        needs_files: false,
        code: "x, target = datasets.make_moons(1000)\nn_train = 800",
    },
    Data {
        name: "spirals",
        note: "Points on three arms of a spiral.",
        needs_files: false,
        code: "x, target = datasets.make_spirals(1500)\nn_train = 1200",
    },
    Data {
        name: "blobs",
        note: "Points of three round clouds.",
        needs_files: false,
        code: "x, target = datasets.make_blobs(600)\nn_train = 480",
    },
    Data {
        name: "noise",
        note: "Random samples with random answers in the network's shapes: whether it can learn something by heart.",
        needs_files: false,
        code: "",
    },
    Data {
        name: "mnist",
        note: "70,000 handwritten digits of 28 by 28, from MNIST's four files.",
        needs_files: true,
        code: "x, target = mnist(True)\ntest_x, test_target = mnist(False)\nx, target = torch.cat([x, test_x]), torch.cat([target, test_target])\nn_train = 60000",
    },
    Data {
        name: "cifar10",
        note: "Photographs of 32 by 32 in ten classes, from CIFAR-10's binary files.",
        needs_files: true,
        code: "x, target = cifar10()\nn_train = len(x) * 5 // 6",
    },
    Data {
        name: "shakespeare",
        note: "The characters of a text, input.txt; the network scores the next one.",
        needs_files: true,
        code: "x, target = characters(\"input.txt\")\nn_train = len(x) * 9 // 10",
    },
];

const MNIST: &str = "def mnist(is_train):
    \"\"\"Images [N, 1, 28, 28] with mean 0 and spread 1, and labels [N], from MNIST's files in this folder.\"\"\"
    data = MNIST(\".\", train=is_train)
    return (data.data.unsqueeze(1).float() / 255 - 0.1307) / 0.3081, data.targets
";
const CIFAR: &str = "def cifar10():
    \"\"\"Images [N, 3, 32, 32] with mean 0 and spread 1, and labels [N], of all data_batch files.\"\"\"
    parts = []
    for name in sorted(os.listdir()):
        if name.startswith((\"data_batch\", \"test_batch\")) and \".bin\" in name:
            with open_any(name.removesuffix(\".gz\")) as file:
                parts.append(torch.frombuffer(bytearray(file.read()), dtype=torch.uint8).reshape(-1, 3073))
    if not parts:
        raise FileNotFoundError(\"there is no data_batch_1.bin here; add CIFAR-10's binary files\")
    records = torch.cat(parts)
    mean = torch.tensor([0.4914, 0.4822, 0.4465]).reshape(3, 1, 1)
    spread = torch.tensor([0.2470, 0.2435, 0.2616]).reshape(3, 1, 1)
    images = records[:, 1:].reshape(-1, 3, 32, 32).float() / 255
    return (images - mean) / spread, records[:, 0].long()
";
/// What brings images to mean 0 and spread 1, in programs and in projects, and what stands in its place where they are to
/// come out of the network as they are: a sigmoid gives pixels from 0 to 1, and nothing below.
const STANDARDISED: [(&str, &str); 6] = [
    (" with mean 0 and spread 1", " from 0 to 1"),
    (
        "(data.data.unsqueeze(1).float() / 255 - 0.1307) / 0.3081",
        "data.data.unsqueeze(1).float() / 255",
    ),
    ("(x / 255 - 0.1307) / 0.3081", "x / 255"),
    (
        "    mean = torch.tensor([0.4914, 0.4822, 0.4465]).reshape(3, 1, 1)\n    spread = torch.tensor([0.2470, 0.2435, 0.2616]).reshape(3, 1, 1)\n",
        "",
    ),
    ("(images - mean) / spread", "images"),
    ("(x - mean) / spread", "x"),
];

/// The code that reads images, for a network that classifies them or for one that gives them back.
pub(crate) fn reading(code: &str, is_copy: bool) -> String {
    let mut code = code.to_owned();
    for (standardised, plain) in STANDARDISED.iter().filter(|_| is_copy) {
        code = code.replace(standardised, plain);
    }
    code
}

const OPEN: &str = "def open_any(name):
    \"\"\"A file, packed or not.\"\"\"
    if os.path.exists(name + \".gz\"):
        return gzip.open(name + \".gz\", \"rb\")
    return open(name, \"rb\")
";

impl Architecture {
    /// How it is trained, or how one would begin.
    pub fn training_or_usual(&self) -> Training {
        self.training
            .clone()
            .or_else(|| objective::usual(self, &analyse(self)))
            .unwrap_or_default()
    }
}

/// What a program has besides the class: expressions and statements of Python.
pub(crate) struct Parts {
    /// What makes `x`, `target` and `n_train` of random numbers or of a text; empty for other data.
    pub(crate) samples: String,
    /// The sizes that samples are brought to; empty where they have them.
    pub(crate) reshape: String,
    /// How many tokens a sample of a text has.
    pub(crate) length: i64,
    /// Whether the samples are their own targets.
    pub(crate) is_copy: bool,
    /// Whether targets are classes.
    pub(crate) is_class: bool,
    /// What makes the function `loss`, and what the objective needs besides.
    pub(crate) loss: String,
    /// A class that the program has besides the network's; empty in most.
    pub(crate) opponent: String,
    pub(crate) optimizer: String,
    pub(crate) scheduler: Option<String>,
}

/// The parts of a network's program.
pub(crate) fn parts(net: &Architecture) -> Result<Parts> {
    let training = net.training_or_usual();
    let analysis = analyse(net);
    let objective = objective(&training)?;
    let is_supervised = objective.name.is_empty();
    // The samples that are read, and what is to come out of the network for them.
    let (input, output) = match is_supervised {
        true => fitting(net, &analysis)?,
        false => {
            fit_together(&analysis)?;
            let sample = objective::sample(net, &analysis, objective)?;
            (sample, sample)
        }
    };
    let data = data(&training)?;
    let is_class = is_supervised && is_class_loss(&training.loss);
    let sizes: Vec<String> = input.shape[1..].iter().map(ToString::to_string).collect();
    let is_made = matches!(data.name, "noise" | "shakespeare");
    let row = catalog::row(&training.loss).filter(|row| row.kind == "loss");
    let row = row.ok_or_else(|| Error::new(format!("there is no loss {:?}", training.loss)))?;
    let length = match input.shape.get(1) {
        Some(Dim::Number(n)) => *n,
        _ => 64,
    };
    let optimizer = optimizer(&training)?;
    let scheduler = scheduler(&training)?;
    Ok(Parts {
        samples: match data.name {
            "noise" => match objective.name {
                "elbo" | "gan" => noise(net, input, output, false)?.replace("randn(", "rand("),
                _ => noise(net, input, output, is_class)?,
            },
            "shakespeare" => characters(input, length)?,
            _ => String::new(),
        },
        reshape: match is_made {
            true => String::new(),
            false => format!("-1, {}", sizes.join(", "))
                .trim_end_matches([',', ' '])
                .to_owned(),
        },
        length,
        // A network that gives its input's shape, trained by differences, is to give its input.
        is_copy: match objective.name {
            "" => !is_class && data.name != "noise" && input.shape[1..] == output.shape[1..],
            // A generator that ends in a sigmoid makes pixels from 0 to 1.
            name => name != "noise",
        },
        is_class,
        loss: match (objective.name, output.shape.len() == 3 && is_class) {
            ("elbo", _) => objective::elbo(&training),
            ("noise", _) => objective::noise(net, &training, input),
            ("gan", _) => objective::game(
                &analysis.inputs[&net.inputs[0].name],
                &training,
                &optimizer,
                scheduler.as_deref().unwrap_or(""),
            ),
            (_, true) => format!(
                "\n\ndef loss(output, target):\n    \"\"\"The mean over all places of the sequence.\"\"\"\n    return nn.{}()(output.flatten(0, 1), target.flatten())\n\n",
                row.short()
            ),
            (_, false) => format!("loss = nn.{}()", row.short()),
        },
        opponent: match objective.name {
            "gan" => objective::discriminator(net, input)?,
            _ => String::new(),
        },
        optimizer,
        scheduler,
    })
}

fn data(training: &Training) -> Result<&'static Data> {
    DATA.iter()
        .find(|data| data.name == training.data)
        .ok_or_else(|| {
            let names: Vec<&str> = DATA.iter().map(|data| data.name).collect();
            Error::new(format!(
                "there is no data {:?}; expected {}",
                training.data,
                names.join(", ")
            ))
        })
}

/// The program that trains a network, with its class: under `glow python`, or in a cell of the page.
///
/// ```
/// let net = glowgrad_architecture::presets::preset("mlp")?;
/// let program = glowgrad_architecture::training::program(&net)?;
/// assert!(program.contains("trainer.fit(train, epochs=10, validate=test)"));
/// # Ok::<(), glowgrad_architecture::Error>(())
/// ```
///
/// # Errors
/// When the network does not fit together, or its data, loss or optimizer is unknown.
pub fn program(net: &Architecture) -> Result<String> {
    program_in_two(net).map(|(setup, fit)| setup + &fit)
}

/// The same program as what it is made of and what trains it: the first gives `model`, `optimizer`, `loss`, `train`,
/// `test` and, where there are some, `scheduler` and `accuracy`.
///
/// ```
/// let net = glowgrad_architecture::presets::preset("mlp")?;
/// let (setup, fit) = glowgrad_architecture::training::program_in_two(&net)?;
/// assert!(setup.contains("\nmodel = MLP()\n") && !setup.contains(".fit("));
/// assert!(fit.starts_with("trainer = Trainer("));
/// # Ok::<(), glowgrad_architecture::Error>(())
/// ```
///
/// # Errors
/// As [`program`]'s.
pub fn program_in_two(net: &Architecture) -> Result<(String, String)> {
    let training = net.training_or_usual();
    let parts = parts(net)?;
    let data = data(&training)?;
    let code = python::write(net).text;
    // The imports stand before the first gap of two lines.
    let (imports, classes) = code.split_once("\n\n\n").unwrap_or(("", &code));
    let mut head: Vec<&str> = imports
        .lines()
        .filter(|line| *line != "import torch")
        .collect();
    head.insert(0, "import torch");
    let helpers = match data.name {
        "mnist" => format!("{}\n\n", reading(MNIST, parts.is_copy)),
        "cifar10" => format!("{OPEN}\n\n{}\n\n", reading(CIFAR, parts.is_copy)),
        _ => String::new(),
    };
    if data.name == "cifar10" {
        head.insert(0, "import gzip\nimport os\n");
    }
    let (also, own) = match data.name {
        "mnist" => ("\nfrom torchvision.datasets import MNIST", ""),
        "shakespeare" => ("", "from glowgrad.text import CharTokenizer\n"),
        "digits" | "moons" | "spirals" | "blobs" => ("", "from glowgrad import datasets\n"),
        _ => ("", ""),
    };
    let samples = if parts.samples.is_empty() {
        data.code
    } else {
        &parts.samples
    };
    let mut body = vec![format!("torch.manual_seed({})\n{samples}", training.seed)];
    if !parts.reshape.is_empty() {
        body.push(format!("x = x.reshape({})", parts.reshape));
    }
    let is_game = training.objective == "gan";
    if parts.is_copy && !is_game {
        body.push("target = x".to_owned());
    }
    let loaders = match is_game {
        true => format!(
            "train = DataLoader(TensorDataset(x[:n_train]), batch_size={}, shuffle=True)",
            training.batch_size
        ),
        false => format!(
            "train = DataLoader(TensorDataset(x[:n_train], target[:n_train]), batch_size={}, shuffle=True)\n\
             test = DataLoader(TensorDataset(x[n_train:], target[n_train:]), batch_size=256)",
            training.batch_size
        ),
    };
    body.push(format!(
        "{loaders}\n\nmodel = {}()\noptimizer = {}",
        net.name, parts.optimizer
    ));
    if let Some(scheduler) = parts.scheduler.as_ref().filter(|_| !is_game) {
        body.push(format!("scheduler = {scheduler}"));
    }
    body.push(parts.loss.clone());
    let mut settings = String::new();
    if parts.is_class {
        body.push("\n\ndef accuracy(output, target):\n    \"\"\"The share of right answers.\"\"\"\n    return (output.argmax(-1) == target).float().mean()\n\n".to_owned());
        settings.push_str(", metrics={\"accuracy\": accuracy}");
    }
    if parts.scheduler.is_some() {
        settings.push_str(", scheduler=scheduler");
    }
    let learner = match training.objective.as_str() {
        "noise" => "learner",
        _ => "model",
    };
    let fit = match is_game {
        true => objective::played(training.epochs),
        false => format!(
            "trainer = Trainer({learner}, optimizer, loss{settings}, norms=True)\ntrainer.fit(train, epochs={}, validate=test)\n",
            training.epochs
        ),
    };
    let own = match (is_game, own) {
        (true, "from glowgrad import datasets\n") => {
            "from glowgrad import datasets, lab\n".to_owned()
        }
        (true, _) => format!("from glowgrad import lab\n{own}"),
        (false, _) => format!("{own}from glowgrad.training import Trainer\n"),
    };
    let classes = [classes.trim_end(), &parts.opponent];
    let classes = classes.join("\n\n\n");
    let mut body = body.join("\n") + "\n";
    while body.contains("\n\n\n\n") {
        body = body.replace("\n\n\n\n", "\n\n\n");
    }
    let setup = format!(
        "{}\nfrom torch.utils.data import DataLoader, TensorDataset{also}\n\n{own}\n\n{}\n\n\n{helpers}{body}",
        head.join("\n"),
        classes.trim_end(),
    );
    Ok((setup, fit))
}

fn fit_together(analysis: &Analysis) -> Result<()> {
    let fault = (analysis.nodes.iter())
        .filter(|(_, facts)| !facts.is_waiting)
        .find_map(|(path, facts)| Some(format!("{path}: {}", facts.fault.as_ref()?)));
    match fault.or_else(|| analysis.faults.first().cloned()) {
        Some(fault) => Err(Error::new(format!(
            "the network does not fit together yet: {fault}"
        ))),
        None => Ok(()),
    }
}

/// The input and the result of a network that a program can train: one of each.
fn fitting<'a>(net: &Architecture, analysis: &'a Analysis) -> Result<(&'a Fact, &'a Fact)> {
    fit_together(analysis)?;
    let input = net
        .inputs
        .first()
        .filter(|_| net.inputs.len() == 1)
        .and_then(|input| analysis.inputs.get(&input.name));
    match (input, &analysis.outputs[..]) {
        (Some(input), [output]) if !input.shape.is_empty() && !output.shape.is_empty() => {
            Ok((input, output))
        }
        _ => Err(Error::new(format!(
            "a loss of the result and the target trains a network of one input and one result; {} has {} and {}. Choose another objective, or train its class, which is under Python, by hand",
            net.name,
            net.inputs.len(),
            analysis.outputs.len()
        ))),
    }
}

fn is_class_loss(loss: &str) -> bool {
    matches!(loss, "CrossEntropyLoss" | "NLLLoss" | "MultiMarginLoss")
}

/// Random samples: 256 of them.
fn noise(net: &Architecture, input: &Fact, output: &Fact, is_class: bool) -> Result<String> {
    let sizes = |fact: &Fact, from: usize, to: usize| -> Result<String> {
        let each: Option<Vec<String>> = fact.shape[from..to]
            .iter()
            .map(|dim| match dim {
                Dim::Number(n) => Some(format!(", {n}")),
                Dim::Open(_) => Some(", 16".to_owned()),
            })
            .collect();
        each.map(|each| each.concat())
            .ok_or_else(|| Error::new("a size is open"))
    };
    let x = match input.dtype {
        "int64" => {
            let table = net
                .nodes
                .iter()
                .find(|node| node.kind == "Embedding")
                .and_then(|node| node.args.get("num_embeddings")?.as_u64());
            format!(
                "torch.randint({}, (256{}))",
                table.unwrap_or(10),
                with_comma(&sizes(input, 1, input.shape.len())?)
            )
        }
        _ => format!("torch.randn(256{})", sizes(input, 1, input.shape.len())?),
    };
    let n = output.shape.len();
    let target = match is_class {
        true => format!(
            "torch.randint({}, (256{}))",
            output.shape[n - 1],
            with_comma(&sizes(output, 1, n - 1)?)
        ),
        false => format!("torch.rand(256{})", sizes(output, 1, n)?),
    };
    Ok(format!("x, target = {x}, {target}\nn_train = 224"))
}

/// A tuple of one number needs a comma.
fn with_comma(rest: &str) -> String {
    if rest.is_empty() {
        ",".to_owned()
    } else {
        rest.to_owned()
    }
}

/// Windows of a text, as long as the network's input.
fn characters(input: &Fact, length: i64) -> Result<String> {
    if input.dtype != "int64" || input.shape.len() != 2 {
        return Err(Error::new(format!(
            "a text is read as tokens, int64 [N, L]; the network's input is {} {input}",
            input.dtype
        )));
    }
    Ok(format!(
        "with open(\"input.txt\", encoding=\"utf-8\") as file:\n    text = file.read()\n\
         tokens = torch.tensor(CharTokenizer(text).encode(text))\n\
         n = (len(tokens) - 1) // {length}\n\
         x = tokens[:n * {length}].reshape(n, {length})\n\
         target = tokens[1:n * {length} + 1].reshape(n, {length})\n\
         n_train = n * 9 // 10"
    ))
}

fn argument(json: &Json) -> String {
    match json {
        Json::Array(items) => format!(
            "({})",
            items.iter().map(argument).collect::<Vec<_>>().join(", ")
        ),
        Json::String(text) => quoted(text),
        json => Value::from_json(json).to_string(),
    }
}

fn optimizer(training: &Training) -> Result<String> {
    let row = catalog::row(&training.optimizer).filter(|row| row.kind == "optimizer");
    let row =
        row.ok_or_else(|| Error::new(format!("there is no optimizer {:?}", training.optimizer)))?;
    let mut text = format!("torch.optim.{}(model.parameters()", row.short());
    for (name, value) in &training.optimizer_args {
        let known = row.argument(name).filter(|argument| argument.is_setting());
        if !known
            .is_some_and(|argument| crate::arguments::takes(argument, &Value::from_json(value)))
        {
            return Err(Error::new(format!(
                "{} takes no {name}={value}",
                row.short()
            )));
        }
        text.push_str(&format!(", {name}={}", argument(value)));
    }
    if row.argument("lr").is_some_and(|lr| lr.required)
        && !training.optimizer_args.contains_key("lr")
    {
        text.push_str(", lr=0.01");
    }
    text.push(')');
    Ok(text)
}

/// Schedules that the studio offers, by PyTorch's names.
pub const SCHEDULES: [&str; 4] = ["CosineAnnealingLR", "OneCycleLR", "StepLR", "ExponentialLR"];

fn scheduler(training: &Training) -> Result<Option<String>> {
    let steps = format!("{} * len(train)", training.epochs);
    let rate = training
        .optimizer_args
        .get("lr")
        .map_or_else(|| "0.01".to_owned(), argument);
    Ok(Some(match training.schedule.as_str() {
        "" => return Ok(None),
        "CosineAnnealingLR" => {
            format!("torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max={steps})")
        }
        "OneCycleLR" => format!(
            "torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr={rate}, total_steps={steps})"
        ),
        "StepLR" => {
            "torch.optim.lr_scheduler.StepLR(optimizer, step_size=len(train), gamma=0.7)".to_owned()
        }
        "ExponentialLR" => {
            "torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.999)".to_owned()
        }
        other => {
            return Err(Error::new(format!(
                "there is no schedule {other:?} here; expected {}",
                SCHEDULES.join(", ")
            )));
        }
    }))
}
