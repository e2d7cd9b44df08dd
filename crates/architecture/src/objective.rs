//! What training minimises besides a loss of a result and a target: the ELBO of a variational autoencoder, the error of
//! predicted noise, and the game of a generator with a discriminator.
//!
//! Invariant: each is a text of Python that stands in the network's program, under the names that `training` lists.

use serde_json::json;

use crate::analysis::{Analysis, Dim, Fact};
use crate::error::{Error, Result};
use crate::model::{Architecture, Training};
use crate::python;

/// One of them.
pub struct Objective {
    /// Its name in a description; empty for a loss of a result and a target.
    pub name: &'static str,
    /// What it is called where it is chosen.
    pub label: &'static str,
    /// What it is, and which network it trains, in a sentence.
    pub note: &'static str,
    /// The losses that it is computed with; empty where any loss is.
    pub losses: &'static [&'static str],
}

/// All of them.
pub static OBJECTIVES: &[Objective] = &[
    Objective {
        name: "",
        label: "loss of the result",
        note: "A network of one input and one result is trained with a loss of its result and the target.",
        losses: &[],
    },
    Objective {
        name: "elbo",
        label: "ELBO (VAE)",
        note: "A network that gives a sample, the mean and the log of the variance of its code is trained with the loss of the sample plus the Kullback–Leibler divergence of the code from a normal distribution.",
        losses: &["BCELoss", "BCEWithLogitsLoss", "MSELoss", "L1Loss"],
    },
    Objective {
        name: "noise",
        label: "noise (diffusion)",
        note: "A network of a sample and a step t is trained to predict the noise that was mixed into the sample.",
        losses: &["MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss"],
    },
    Objective {
        name: "gan",
        label: "two networks (GAN)",
        note: "A generator is trained against a discriminator, which the program defines and trains with an optimizer of its own.",
        losses: &["BCEWithLogitsLoss", "MSELoss"],
    },
];

/// The objective of these settings, and that its loss is one that it has.
pub(crate) fn objective(training: &Training) -> Result<&'static Objective> {
    let found = (OBJECTIVES.iter()).find(|objective| objective.name == training.objective);
    let found = found.ok_or_else(|| {
        let names: Vec<String> = (OBJECTIVES.iter())
            .map(|objective| format!("{:?}", objective.name))
            .collect();
        Error::new(format!(
            "there is no objective {:?}; expected {}",
            training.objective,
            names.join(", ")
        ))
    })?;
    if !found.losses.is_empty() && !found.losses.contains(&training.loss.as_str()) {
        return Err(Error::new(format!(
            "the objective {:?} is computed with {}, not with {}",
            found.name,
            found.losses.join(", "),
            training.loss
        )));
    }
    Ok(found)
}

/// How a network without settings would be trained, where its inputs and results say that it is no usual one.
pub(crate) fn usual(net: &Architecture, analysis: &Analysis) -> Option<Training> {
    let (name, loss) = if is_variational(net, analysis) {
        ("elbo", "BCELoss")
    } else if is_denoiser(net, analysis) {
        ("noise", "MSELoss")
    } else {
        return None;
    };
    Some(Training {
        objective: name.to_owned(),
        loss: loss.to_owned(),
        data: data_for(analysis.inputs.get(&net.inputs[0].name)?).to_owned(),
        ..Training::default()
    })
}

/// The data whose samples have these sizes.
pub(crate) fn data_for(fact: &Fact) -> &'static str {
    use Dim::Number;
    match &fact.shape[1..] {
        [Number(64)] | [Number(1), Number(8), Number(8)] => "digits",
        [Number(784)] | [Number(1), Number(28), Number(28)] => "mnist",
        [Number(3), Number(32), Number(32)] => "cifar10",
        [Number(2)] => "moons",
        _ => "noise",
    }
}

fn is_variational(net: &Architecture, analysis: &Analysis) -> bool {
    let input = net.inputs.first().filter(|_| net.inputs.len() == 1);
    let input = input.and_then(|input| analysis.inputs.get(&input.name));
    match (input, &analysis.outputs[..]) {
        (Some(input), [sample, mean, log_variance]) => {
            input.shape.len() > 1
                && input.shape[1..] == sample.shape[1..]
                && mean.shape == log_variance.shape
        }
        _ => false,
    }
}

fn is_denoiser(net: &Architecture, analysis: &Analysis) -> bool {
    let inputs: Vec<&Fact> = (net.inputs.iter())
        .filter_map(|input| analysis.inputs.get(&input.name))
        .collect();
    match (&inputs[..], &analysis.outputs[..]) {
        ([sample, step], [output]) => {
            sample.shape.len() > 1
                && sample.dtype == "float32"
                && step.dtype == "int64"
                && step.shape.len() == 1
                && output.shape[1..] == sample.shape[1..]
        }
        _ => false,
    }
}

/// The samples that an objective takes from the data: of which shape they are.
pub(crate) fn sample<'a>(
    net: &Architecture,
    analysis: &'a Analysis,
    objective: &Objective,
) -> Result<&'a Fact> {
    let first = net
        .inputs
        .first()
        .and_then(|input| analysis.inputs.get(&input.name));
    let (fits, found, wanted) = match objective.name {
        "elbo" => (
            is_variational(net, analysis),
            first,
            "one input, and as results a sample of its shape, a mean and a log of the variance of one shape",
        ),
        "noise" => (
            is_denoiser(net, analysis),
            first,
            "two inputs, a sample and int64 [N], and one result of the sample's shape",
        ),
        _ => (
            is_generator(net, analysis),
            analysis.outputs.first(),
            "one input of noise, float32 [N, …] with sizes that are numbers, and one result: the sample that it makes",
        ),
    };
    found.filter(|_| fits).ok_or_else(|| {
        Error::new(format!(
            "the objective {:?} trains a network with {wanted}; {} has other ones. Choose another objective",
            objective.name, net.name
        ))
    })
}

fn is_generator(net: &Architecture, analysis: &Analysis) -> bool {
    let input = net.inputs.first().filter(|_| net.inputs.len() == 1);
    let input = input.and_then(|input| analysis.inputs.get(&input.name));
    let is_sized = |fact: &Fact| {
        fact.shape.len() > 1
            && fact.dtype == "float32"
            && fact.shape[1..]
                .iter()
                .all(|dim| matches!(dim, Dim::Number(_)))
    };
    match (input, &analysis.outputs[..]) {
        (Some(input), [output]) => is_sized(input) && is_sized(output),
        _ => false,
    }
}

/// The ELBO, as the function `loss` of the results and the target.
pub(crate) fn elbo(training: &Training) -> String {
    format!(
        "\n\ndef loss(output, target):\n    \
         \"\"\"The negative ELBO of a sample: its loss, and how far its code is from a normal distribution.\"\"\"\n    \
         sample, mean, log_variance = output\n    \
         distance = nn.{}(reduction=\"sum\")(sample, target)\n    \
         divergence = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum()\n    \
         return (distance + divergence) / len(target)\n\n",
        training.loss
    )
}

/// What mixes noise into samples, the module `learner` whose `loss` is the error of the noise, and what makes samples.
pub(crate) fn noise(net: &Architecture, training: &Training, of: &Fact) -> String {
    let ones = ", 1".repeat(of.shape.len() - 1);
    format!(
        "\nSTEPS = {steps}\nbeta = torch.linspace(1e-4, {last}, STEPS)\n# How much of a sample is left after t steps.\nleft = torch.cumprod(1 - beta, 0)\n\n\n\
         class Noised(nn.Module):\n    \
         \"\"\"The network on samples with noise of a random step each: what it predicts, and the noise (Ho and others, 2020).\"\"\"\n\n    \
         def __init__(self, network):\n        super().__init__()\n        self.network = network\n\n    \
         def forward(self, x):\n        t = torch.randint(0, STEPS, (len(x),))\n        noise = torch.randn_like(x)\n        \
         part = left[t].reshape(-1{ones})\n        \
         return self.network(part.sqrt() * x + (1 - part).sqrt() * noise, t), noise\n\n\n\
         learner = Noised(model)\n\n\n\
         def loss(output, _):\n    \"\"\"The error of the noise that was predicted; targets of the data are not read.\"\"\"\n    \
         predicted, noise = output\n    return nn.{loss}()(predicted, noise)\n\n\n\
         @torch.no_grad()\n\
         def sample(n):\n    \"\"\"So many samples: noise, from which the network takes away what it predicts, step by step.\"\"\"\n    \
         x = torch.randn(n{sizes})\n    for step in reversed(range(STEPS)):\n        \
         predicted = model(x, torch.full((n,), step))\n        \
         x = (x - beta[step] / (1 - left[step]).sqrt() * predicted) / (1 - beta[step]).sqrt()\n        \
         if step > 0:\n            x = x + beta[step].sqrt() * torch.randn_like(x)\n    return x\n\n",
        steps = steps(net),
        // The noise of 1000 steps up to 0.02, on fewer steps.
        last = (20.0 / steps(net) as f64).clamp(0.02, 0.1),
        loss = training.loss,
        sizes = sizes(of),
    )
}

/// How many steps there are: the rows of the table that reads them.
fn steps(net: &Architecture) -> u64 {
    let step = net.inputs.get(1).map_or("", |input| &input.name);
    let table = net.nodes.iter().find(|node| {
        node.kind == "Embedding" && node.inputs.first().is_some_and(|name| name == step)
    });
    table
        .and_then(|node| node.args.get("num_embeddings")?.as_u64())
        .filter(|n| *n > 1)
        .unwrap_or(100)
}

/// Sizes after the first one, as arguments.
fn sizes(fact: &Fact) -> String {
    let each: Vec<String> = fact.shape[1..]
        .iter()
        .map(|dim| format!(", {dim}"))
        .collect();
    each.concat()
}

/// The discriminator and its optimizer, and the step of both networks.
pub(crate) fn game(noise: &Fact, training: &Training, optimizer: &str, scheduler: &str) -> String {
    let (scheduler, steps) = match scheduler {
        "" => (String::new(), ""),
        text => (
            format!(
                "scheduler = {text}\ndiscriminator_scheduler = {}\n",
                text.replace("(optimizer", "(discriminator_optimizer")
            ),
            "    scheduler.step()\n    discriminator_scheduler.step()\n",
        ),
    };
    format!(
        "discriminator = Discriminator()\ndiscriminator_optimizer = {}\n{scheduler}loss = nn.{}()\n\
         # Of the discriminator, summed over the steps of an epoch.\ndiscriminator_loss = torch.zeros(())\n\n\n\
         def sample(n):\n    \"\"\"So many samples, which the generator makes of noise.\"\"\"\n    return model(torch.randn(n{}))\n\n\n\
         def discriminator_step(real):\n    \"\"\"The discriminator learns to tell real samples (1) from made ones (0); the generator gets no gradient.\"\"\"\n    \
         discriminator_optimizer.zero_grad()\n    \
         of_real, of_made = discriminator(real), discriminator(sample(len(real)).detach())\n    \
         result = loss(of_real, torch.ones_like(of_real)) + loss(of_made, torch.zeros_like(of_made))\n    \
         result.backward()\n    discriminator_optimizer.step()\n    discriminator_loss.add_(result.detach())\n\n\n\
         def generator_loss(n):\n    \"\"\"How badly so many made samples pass for real ones.\"\"\"\n    \
         of_made = discriminator(sample(n))\n    return loss(of_made, torch.ones_like(of_made))\n\n\n\
         def train_step(real):\n    \"\"\"One step of each network (Goodfellow and others, 2014); gives the generator's loss.\"\"\"\n    \
         discriminator_step(real)\n    optimizer.zero_grad()\n    result = generator_loss(len(real))\n    result.backward()\n    optimizer.step()\n{steps}    return result\n\n",
        optimizer.replace("(model.", "(discriminator."),
        training.loss,
        sizes(noise),
    )
}

/// What trains both networks.
pub(crate) fn played(epochs: u32) -> String {
    format!(
        "for epoch in range(1, {}):\n    discriminator_loss.zero_()\n    losses = lab.train(train_step, train, plot=\"generator\")\n    \
         each = sum(losses) / len(losses), discriminator_loss.item() / len(losses)\n    \
         print(f\"epoch {{epoch}} of {epochs}: generator {{each[0]:.4f}}, discriminator {{each[1]:.4f}}\")\n",
        epochs + 1
    )
}

/// The class `Discriminator`, for samples of these sizes.
pub(crate) fn discriminator(net: &Architecture, of: &Fact) -> Result<String> {
    let is_taken =
        net.name == "Discriminator" || net.blocks.iter().any(|block| block.name == "Discriminator");
    if is_taken {
        return Err(Error::new(
            "the program's other network is called Discriminator; give this one another name, or choose another objective",
        ));
    }
    let dims: Vec<i64> = of.shape[1..]
        .iter()
        .filter_map(|dim| match dim {
            Dim::Number(n) => Some(*n),
            Dim::Open(_) => None,
        })
        .collect();
    let mut other = match dims[..] {
        [channels, height, width] if height >= 4 && width >= 4 => {
            let mut other = crate::presets::preset("discriminator")?;
            for node in &mut other.nodes {
                match node.id.as_str() {
                    "conv1" => drop(node.args.insert("in_channels".to_owned(), channels.into())),
                    // Two convolutions with a stride of 2 leave a quarter of each side.
                    "fc" => {
                        let n = 32 * ((height + 3) / 4) * ((width + 3) / 4);
                        drop(node.args.insert("in_features".to_owned(), n.into()));
                    }
                    _ => {}
                }
            }
            other
        }
        _ => Architecture::parse(
            &json!({
                "format": crate::model::FORMAT, "version": crate::model::VERSION, "name": "Discriminator",
                "inputs": [{"name": "x", "shape": ["N"]}],
                "nodes": [
                    {"id": "flatten", "type": "flatten", "args": {"start_dim": 1}, "inputs": ["x"]},
                    {"id": "fc1", "type": "Linear", "args": {"in_features": dims.iter().product::<i64>(), "out_features": 128}, "inputs": ["flatten"]},
                    {"id": "act", "type": "LeakyReLU", "args": {"negative_slope": 0.2}, "inputs": ["fc1"]},
                    {"id": "fc2", "type": "Linear", "args": {"in_features": 128, "out_features": 128}, "inputs": ["act"]},
                    {"id": "act_2", "same": "act", "inputs": ["fc2"]},
                    {"id": "fc3", "type": "Linear", "args": {"in_features": 128, "out_features": 1}, "inputs": ["act_2"]},
                ],
                "outputs": ["fc3"],
            })
            .to_string(),
        )?,
    };
    other.note = "Tells real samples from made ones.".to_owned();
    other.inputs[0].shape = std::iter::once(crate::model::Size::Open("N".to_owned()))
        .chain(dims.iter().map(|n| crate::model::Size::Number(*n as u64)))
        .collect();
    let text = python::write(&other).text;
    let (_, class) = text.split_once("\n\n\n").unwrap_or(("", &text));
    Ok(class.trim_end().to_owned())
}
