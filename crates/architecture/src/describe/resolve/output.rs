//! What a network gives: the task decides, then classes and outputs that are said, then the data set.

use super::{Output, a};
use crate::describe::data::{DataSet, Sample};
use crate::describe::slots::{Request, Slot};

/// What the network gives.
pub(super) fn output(
    request: &Request,
    family: &'static str,
    sample: Sample,
    data: Option<&DataSet>,
) -> Output {
    let task = request.name(Slot::Task);
    let refuse = |what: &str, tasks: &[&str]| {
        if let Some(task) = task
            && tasks.contains(&task)
        {
            let wanted = match task {
                "classify" | "binary" => "classes are",
                "regress" => "a number is",
                "next token" => "the next token is",
                "segment" => "a mask is",
                "forecast" => "a forecast is",
                _ => "the input again is",
            };
            request.contradict(format!(
                "{} gives {what}, and {wanted} asked for: the network counts.",
                a(family)
            ));
        }
    };
    let all_but = |keep: &[&'static str]| -> Vec<&'static str> {
        [
            "classify",
            "binary",
            "regress",
            "next token",
            "segment",
            "forecast",
            "reconstruct",
        ]
        .into_iter()
        .filter(|task| !keep.contains(task))
        .collect()
    };
    match family {
        "GPT" => {
            refuse("a score for each next token", &all_but(&["next token"]));
            let Sample::Text(vocabulary, _) = sample else {
                return Output::NextToken(65);
            };
            return Output::NextToken(vocabulary);
        }
        "autoencoder" | "VAE" => {
            refuse("its input again", &all_but(&["reconstruct"]));
            return Output::Same;
        }
        "generator" => {
            refuse("images", &all_but(&["reconstruct"]));
            return Output::Same;
        }
        "discriminator" => {
            refuse(
                "one number, real or made",
                &all_but(&["classify", "binary"]),
            );
            if request.name(Slot::Task) == Some("binary") {
                request.size(Slot::Classes);
            }
            return Output::Logit;
        }
        "U-Net" => {
            refuse("a mask", &all_but(&["segment", "classify", "binary"]));
            let classes = request.size(Slot::Classes).unwrap_or(1);
            if task == Some("binary") || classes == 2 {
                return Output::Mask(1);
            }
            if !request.has(Slot::Classes) {
                request.assume("Each pixel gets one score: whether it belongs to the thing.");
            }
            return Output::Mask(classes);
        }
        _ => {}
    }
    if task == Some("segment") || task == Some("reconstruct") {
        refuse("one answer for a sample", &["segment", "reconstruct"]);
    }
    let is_recurrent = matches!(family, "LSTM" | "GRU" | "RNN");
    if let Sample::Text(vocabulary, _) = sample {
        let no_classes = data.is_some_and(|data| data.classes.is_none());
        let is_next = task == Some("next token")
            || (is_recurrent
                && task.is_none()
                && !request.has(Slot::Classes)
                && !request.has(Slot::Outputs)
                && (no_classes || (data.is_none() && !request.has(Slot::Kind))));
        if is_next {
            if task.is_none() {
                request.assume("The next token is predicted.");
            }
            for (slot, what) in [(Slot::Classes, "classes"), (Slot::Outputs, "outputs")] {
                if let Some(n) = request.size(slot)
                    && n != vocabulary
                {
                    request.contradict(format!(
                        "The next token is one of {vocabulary}, and {n} {what} are spoken of: the vocabulary counts."
                    ));
                }
            }
            return Output::NextToken(vocabulary);
        }
    }
    if let Some(data) = data
        && task == Some("next token")
    {
        request.contradict(format!(
            "{} has no tokens, and the next one is asked for: the data set counts.",
            data.name
        ));
    }
    let chain = request
        .sizes(Slot::Chain)
        .and_then(|chain| chain.last().copied());
    let classes = request.size(Slot::Classes);
    let outputs = request.size(Slot::Outputs);
    if let Some(found) = data {
        match found.classes {
            Some(n) if !matches!(task, Some("regress" | "forecast")) => {
                for said in [classes, outputs, chain].into_iter().flatten() {
                    if said != n && !(said == 1 && n == 2) {
                        request.contradict(format!(
                            "{} has {n} classes, not {said}: the data set counts.",
                            found.name
                        ));
                    }
                }
                return Output::Classes(n);
            }
            Some(n) => {
                request.contradict(format!(
                    "{} has {n} classes, and a number is asked for: the data set counts.",
                    found.name
                ));
                return Output::Classes(n);
            }
            None if !matches!(sample, Sample::Text(..)) => {
                if classes.is_some() || matches!(task, Some("classify" | "binary")) {
                    request.contradict(format!(
                        "{} has a number to be found, and classes are spoken of: the data set counts.",
                        found.name
                    ));
                }
                return Output::Numbers(outputs.unwrap_or(1));
            }
            None => {}
        }
    }
    if family == "linear regression" {
        if matches!(task, Some("classify" | "binary"))
            || (classes.is_some() && task != Some("regress"))
        {
            request.contradict(
                "Linear regression gives numbers, and classes are spoken of: the network counts.",
            );
        }
        return Output::Numbers(outputs.or(chain).unwrap_or(1));
    }
    if matches!(task, Some("regress" | "forecast")) {
        if let Some(classes) = classes {
            request.contradict(format!(
                "A number is asked for, and {classes} classes are spoken of: the number counts."
            ));
        }
        let n = outputs.or(chain).unwrap_or_else(|| {
            request.assume("One number is given.");
            1
        });
        return Output::Numbers(n);
    }
    match (classes, outputs.or(chain)) {
        (Some(2), None) if task == Some("binary") => Output::Logit,
        (Some(2), Some(1)) => Output::Logit,
        (Some(n), Some(m)) if n != m => {
            request.contradict(format!(
                "{n} classes need {n} outputs, and {m} are spoken of: the classes count."
            ));
            Output::Classes(n)
        }
        (Some(n), _) => Output::Classes(n),
        (None, Some(1)) if matches!(task, Some("classify")) => Output::Logit,
        (None, Some(n)) if task.is_none() && request.name(Slot::Kind) == Some("series") => {
            Output::Numbers(n)
        }
        (None, Some(1)) => {
            request.assume("One output is a number to be found, not a class.");
            Output::Numbers(1)
        }
        (None, Some(n)) => {
            if task.is_none() {
                request.assume(format!("The {n} outputs are scores of classes."));
            }
            Output::Classes(n)
        }
        (None, None) => {
            let n = match (family, sample) {
                ("logistic regression", Sample::Table(n)) if n != 64 => 2,
                (_, Sample::Table(2) | Sample::Text(..)) => 2,
                _ => 10,
            };
            request.assume(format!("There are {n} classes."));
            Output::Classes(n)
        }
    }
}
