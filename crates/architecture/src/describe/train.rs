//! How the network is trained: what is said, and what is usual for its answer.

use serde_json::Value as Json;

use super::resolve::{NetworkPlan, Output};
use super::slots::{Request, Slot, Value};
use crate::analysis::analyse;
use crate::catalog;
use crate::model::{Architecture, Args, Training};
use crate::objective::data_for;

/// Losses of class numbers.
const CLASS_LOSSES: [&str; 3] = ["CrossEntropyLoss", "NLLLoss", "MultiMarginLoss"];
/// Losses that compare two tensors of one shape.
const VALUE_LOSSES: [&str; 8] = [
    "MSELoss",
    "L1Loss",
    "SmoothL1Loss",
    "HuberLoss",
    "BCELoss",
    "BCEWithLogitsLoss",
    "SoftMarginLoss",
    "PoissonNLLLoss",
];

/// The training of a network; none of one of several results, which has what is usual for it.
pub(super) fn training(
    request: &Request,
    plan: &NetworkPlan,
    net: &mut Architecture,
) -> Option<Training> {
    let analysis = analyse(net);
    if plan.family == "VAE" || analysis.outputs.len() != 1 {
        return None;
    }
    let is_game = plan.family == "generator";
    let (objective, loss, data) = match is_game {
        true => ("gan", "BCEWithLogitsLoss", data_for(&analysis.outputs[0])),
        false => ("", loss(request, plan.output), data(request, plan)),
    };
    let mut training = Training {
        objective: objective.to_owned(),
        loss: loss.to_owned(),
        data: data.to_owned(),
        batch_size: 64,
        epochs: 10,
        ..Training::default()
    };
    optimizer(request, plan, &mut training);
    if let Some(n) = request.size(Slot::Batch) {
        training.batch_size = n as u32;
    }
    if let Some(n) = request.size(Slot::Epochs) {
        training.epochs = n as u32;
    }
    if let Some(n) = request.size(Slot::Seed) {
        training.seed = n;
    }
    match request.name(Slot::Schedule) {
        None | Some("none") => {}
        Some(name) => name.clone_into(&mut training.schedule),
    }
    Some(training)
}

/// The data of the description: that of the data set, or random samples.
fn data(request: &Request, plan: &NetworkPlan) -> &'static str {
    let fits = match plan.training {
        // A text is scored at each place.
        "shakespeare" => matches!(plan.output, Output::NextToken(_)),
        "" => false,
        _ => matches!(plan.output, Output::Classes(_) | Output::Same),
    };
    if fits {
        if request.name(Slot::Data) == Some("Fashion-MNIST")
            || request.name(Slot::Data) == Some("KMNIST")
        {
            request.assume("Its four files have the form of MNIST's, and are read as these.");
        }
        return plan.training;
    }
    if let Some(name) = request.name(Slot::Data) {
        request.assume(format!(
            "{name} is not read for this network: training begins with random samples of its sizes."
        ));
    } else {
        request.assume("Training begins with random samples; choose other data under Train.");
    }
    "noise"
}

/// The loss: what is said, where it fits the answer.
fn loss(request: &Request, output: Output) -> &'static str {
    let (usual, fitting): (&'static str, &[&str]) = match output {
        Output::Classes(_) | Output::NextToken(_) => ("CrossEntropyLoss", &CLASS_LOSSES),
        Output::Logit | Output::Mask(_) => ("BCEWithLogitsLoss", &VALUE_LOSSES),
        Output::Numbers(_) | Output::Same => ("MSELoss", &VALUE_LOSSES),
    };
    let usual = match (output, request.name(Slot::Squash)) {
        (Output::Logit | Output::Mask(_), Some("sigmoid")) => "BCELoss",
        _ => usual,
    };
    let Some(said) = request.name(Slot::Loss) else {
        return usual;
    };
    // Cross entropy of two classes with one score is this one.
    if said == "BCELoss" && matches!(output, Output::Mask(_)) && usual != "BCELoss" {
        return "BCEWithLogitsLoss";
    }
    if said == "CrossEntropyLoss" && matches!(output, Output::Logit | Output::Mask(_)) {
        request.assume("Cross entropy of one score for yes is BCEWithLogitsLoss.");
        return "BCEWithLogitsLoss";
    }
    if matches!(said, "BCELoss" | "BCEWithLogitsLoss") && output == Output::Classes(2) {
        request.assume("With two scores, cross entropy of yes or no is CrossEntropyLoss.");
        return "CrossEntropyLoss";
    }
    if fitting.contains(&said) {
        return said;
    }
    let what = match output {
        Output::Classes(_) | Output::NextToken(_) => "scores of classes",
        Output::Logit | Output::Mask(_) => "scores for yes",
        Output::Numbers(_) => "numbers",
        Output::Same => "its input again",
    };
    request.contradict(format!(
        "{said} does not fit a network that gives {what}: {usual} is taken."
    ));
    usual
}

/// The optimizer with its arguments: those that it has.
fn optimizer(request: &Request, plan: &NetworkPlan, training: &mut Training) {
    let is_residual = matches!(plan.family, "ResNet" | "VGG" | "MobileNetV2");
    let (usual, rate): (&str, f64) = match plan.family {
        "Transformer" | "GPT" | "ViT" => ("AdamW", 0.001),
        _ if is_residual => ("SGD", 0.05),
        _ => ("Adam", 0.001),
    };
    let said = request.name(Slot::Optimizer);
    let mut args = Args::new();
    let name = match said {
        Some("LBFGS" | "SparseAdam") => {
            request.assume(format!(
                "{} takes steps of another kind than the programs here: {usual} is taken.",
                said.unwrap_or("")
            ));
            usual
        }
        Some(name) => name,
        None if request.has(Slot::Momentum) || request.has(Slot::Nesterov) => "SGD",
        None => usual,
    };
    let row = catalog::row(name).filter(|row| row.kind == "optimizer");
    let has = |argument: &str| row.is_some_and(|row| row.argument(argument).is_some());
    match request.number(Slot::Rate) {
        Some(rate) if rate > 0.0 => {
            args.insert("lr".to_owned(), number(rate));
        }
        Some(_) => {
            request.contradict("A learning rate of 0 learns nothing: the usual one is taken.");
        }
        None => {
            if said.is_none() {
                args.insert("lr".to_owned(), number(rate));
            }
            let lr = match (said, name) {
                (None, _) => rate,
                (Some(_), "SGD") => 0.01,
                (Some(_), _) => row
                    .and_then(|row| row.argument("lr")?.default.as_f64())
                    .unwrap_or(rate),
            };
            if said.is_some() {
                args.insert("lr".to_owned(), number(lr));
            }
            request.assume(format!("Training: {name} with a learning rate of {lr}."));
        }
    }
    for (slot, argument) in [(Slot::Momentum, "momentum"), (Slot::Decay, "weight_decay")] {
        let Some(value) = request.number(slot) else {
            continue;
        };
        if has(argument) {
            if value > 0.0 {
                args.insert(argument.to_owned(), number(value));
            }
        } else if value > 0.0 {
            request.contradict(format!(
                "{name} has no {}, which is left out.",
                argument.replace('_', " ")
            ));
        }
    }
    if is_residual && name == "SGD" && request.value(Slot::Momentum).is_none() {
        args.insert("momentum".to_owned(), number(0.9));
    }
    if let Some(Value::Flag(true)) = request.value(Slot::Nesterov) {
        if has("nesterov") {
            args.insert("nesterov".to_owned(), true.into());
            args.entry("momentum").or_insert_with(|| number(0.9));
        } else {
            request.contradict(format!(
                "{name} has no Nesterov momentum, which is left out."
            ));
        }
    }
    name.clone_into(&mut training.optimizer);
    training.optimizer_args = args;
}

/// A number as JSON; whole ones without a fraction.
fn number(x: f64) -> Json {
    if x.fract() == 0.0 && x.abs() < 1e9 {
        Json::from(x as i64)
    } else {
        Json::from(x)
    }
}
