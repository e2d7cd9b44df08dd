//! Layers in a list: "conv 3x3 32, relu, max pool 2, flatten, linear 10", or calls with arrows between them.
//!
//! A list has at least two layers with numbers, or an arrow. Its numbers are arguments in the order of the signature, after
//! those that the source decides; a product is a size that has several dimensions. What stands around the list says the rest.

mod layer;

use serde_json::json;

use super::build::Build;
use super::data::Sample;
use super::items::{Item, What};
use super::read::{Reader, data_set};
use super::resolve::{NetworkPlan, Output};
use super::slots::Slot;
use super::tokens::Number;
use super::train;
use super::words::Meaning;
use crate::catalog;
use crate::model::Architecture;

/// The most layers of a list.
const MOST_LAYERS: usize = 64;

/// A layer of a list.
#[derive(Debug, Clone)]
pub(super) struct Element {
    /// A layer's name, with or without its number of dimensions.
    kind: &'static str,
    numbers: Vec<Number>,
    products: Vec<Vec<u64>>,
    named: Vec<(Slot, f64)>,
    is_negated: bool,
    start: usize,
    end: usize,
}

/// What an item is in a list.
fn layer(item: &Item) -> Option<&'static str> {
    Some(match item.meaning()? {
        Meaning::Layer(name) => name,
        Meaning::Is(Slot::Activation, name) => name,
        Meaning::Is(Slot::Norm, "any") => "BatchNorm",
        Meaning::Is(Slot::Norm, name) => name,
        Meaning::Is(Slot::Pool, "max") => "MaxPool",
        Meaning::Is(Slot::Pool, "average") => "AvgPool",
        Meaning::Is(Slot::Family, name @ ("LSTM" | "GRU" | "RNN")) => name,
        Meaning::Says([(Slot::Global, _)]) => "GlobalPool",
        Meaning::Says([(Slot::Attention, _)]) => "MultiheadAttention",
        Meaning::Unit(unit) if unit.slot() == Slot::Dropout => "Dropout",
        Meaning::Unit(unit) if unit.slot() == Slot::Embedding => "Embedding",
        _ => return None,
    })
}

/// Whether a layer has sizes, so that numbers beside it make a list.
fn has_sizes(name: &str) -> bool {
    !matches!(
        name,
        "Dropout" | "BatchNorm" | "LayerNorm" | "GroupNorm" | "MaxPool" | "AvgPool" | "GlobalPool"
    ) && (matches!(
        name,
        "Conv" | "ConvTranspose" | "Linear" | "LSTM" | "GRU" | "RNN" | "Embedding"
    ) || catalog::layer(name).is_some_and(|row| row.settings().any(|one| one.required)))
}

/// What a unit names in a list.
fn named(slot: Slot) -> bool {
    matches!(
        slot,
        Slot::Kernel
            | Slot::Stride
            | Slot::Padding
            | Slot::Channels
            | Slot::Sizes
            | Slot::Groups
            | Slot::Heads
            | Slot::Slope
    )
}

impl Reader<'_> {
    /// Takes the layers of a list out of the request; none where it has no list.
    pub(super) fn list(&mut self) -> Option<Vec<Element>> {
        let layers: Vec<usize> = (0..self.items.len())
            .filter(|&at| layer(&self.items[at]).is_some())
            .collect();
        let (first, last) = (*layers.first()?, *layers.last()?);
        let is_size = |at: usize| {
            matches!(
                self.items.get(at).map(|item| &item.what),
                Some(What::Number(_) | What::Product(_))
            )
        };
        let is_open = |at: usize| {
            matches!(
                self.items.get(at).map(|item| &item.what),
                Some(What::Mark('('))
            )
        };
        let sized = layers
            .iter()
            .filter(|&&at| {
                layer(&self.items[at]).is_some_and(has_sizes)
                    && !self.items[at].is_negated
                    && (is_size(at + 1)
                        || (is_open(at + 1) && is_size(at + 2))
                        || (at > 0 && is_size(at - 1)))
            })
            .count();
        let has_arrow = self.items[first..=last].iter().any(|item| {
            matches!(item.what, What::Phrase(Meaning::Then))
                && matches!(
                    &self.text[item.start..item.end],
                    "->" | "→" | ">" | "=>" | "⟶" | "⇒"
                )
        });
        // "LSTM, dropout 0.5" names a network and an option; "lstm 64, linear 10" is a list.
        if !(sized >= 2 || (has_arrow && sized >= 1 && layers.len() >= 2)) {
            return None;
        }
        let elements = self.elements(first);
        (elements.len() >= 2).then_some(elements)
    }

    /// The layers from an item on.
    fn elements(&mut self, first: usize) -> Vec<Element> {
        let mut elements: Vec<Element> = Vec::new();
        let mut used: Vec<usize> = Vec::new();
        // Numbers that stand before their layer, and where they begin.
        let mut waiting: Vec<usize> = Vec::new();
        let mut begin = first;
        while begin > 0
            && matches!(
                self.items[begin - 1].what,
                What::Number(_) | What::Product(_)
            )
        {
            begin -= 1;
        }
        let mut deep = 0usize;
        let mut at_start = true;
        let mut at = begin;
        while at < self.items.len() && elements.len() < MOST_LAYERS {
            let item = self.items[at].clone();
            if let Some(kind) = layer(&item) {
                let mut element = Element {
                    kind,
                    numbers: Vec::new(),
                    products: Vec::new(),
                    named: Vec::new(),
                    is_negated: item.is_negated,
                    start: item.start,
                    end: item.end,
                };
                for &number in &waiting {
                    element.start = element.start.min(self.items[number].start);
                    take(&mut element, &self.items[number].what);
                }
                used.append(&mut waiting);
                used.push(at);
                elements.push(element);
                at_start = false;
                at += 1;
                continue;
            }
            match &item.what {
                What::Mark('(' | '[') => deep += 1,
                What::Mark(')' | ']') => {
                    if let (1.., Some(element)) = (deep, elements.last_mut())
                        && used.last().is_some_and(|&last| last + 1 == at)
                    {
                        element.end = item.end;
                    }
                    deep = deep.saturating_sub(1);
                }
                What::Mark(',' | ';' | '|' | '.') | What::Phrase(Meaning::And | Meaning::Then) => {
                    if deep == 0 {
                        at_start = true;
                        waiting.clear();
                    }
                }
                What::Number(_) | What::Product(_) => {
                    // A number of a word that is no part of a layer stays for that word.
                    let next = self.items.get(at + 1).and_then(Item::meaning);
                    let before = at.checked_sub(1).and_then(|at| self.items[at].meaning());
                    let is_other = matches!(next, Some(Meaning::Unit(unit)) if unit.before.is_some() && !named(unit.slot()) && layer(&self.items[at + 1]).is_none())
                        || matches!(before, Some(Meaning::Unit(unit)) if unit.after.is_some() && !used.contains(&(at - 1)) && !named(unit.slot()))
                        || matches!(before, Some(Meaning::Is(..) | Meaning::Says(_)) if !used.contains(&(at - 1)));
                    // "dropout 0.3, 64 epochs": the layer after a number may be its own.
                    let is_next = matches!(self.items.get(at + 1), Some(next) if layer(next).is_some())
                        && at_start;
                    if is_other {
                    } else if at_start && is_next {
                        waiting.push(at);
                    } else if let Some(element) = elements.last_mut() {
                        take(element, &item.what);
                        element.end = item.end;
                        used.push(at);
                        at_start = false;
                    }
                }
                What::Phrase(Meaning::Unit(unit)) if named(unit.slot()) && !elements.is_empty() => {
                    let slot = unit.slot();
                    let after = self.after(at).filter(|&next| !used.contains(&next));
                    let number = after
                        .and_then(|next| self.items[next].number())
                        .map(|number| number.value);
                    if let (Some(value), Some(next), Some(element)) =
                        (number, after, elements.last_mut())
                    {
                        element.named.push((slot, value));
                        element.end = self.items[next].end;
                        used.push(at);
                        used.push(next);
                        at = next;
                    } else if let Some(element) = elements.last_mut()
                        && used.last().is_some_and(|&last| last + 1 == at)
                        && let Some(number) = element.numbers.pop()
                    {
                        // "conv with 32 filters": the number before it.
                        element.named.push((slot, number.value));
                        element.end = item.end;
                        used.push(at);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        for at in used {
            self.items[at].is_used = true;
        }
        elements
    }

    /// The number after a unit, over words that mean nothing.
    fn after(&self, at: usize) -> Option<usize> {
        (at + 1..self.items.len().min(at + 4))
            .find(|&next| {
                !self.items[next].is_filler()
                    && !matches!(self.items[next].what, What::Mark('=' | ':'))
            })
            .filter(|&next| self.items[next].number().is_some())
    }
}

fn take(element: &mut Element, what: &What) {
    match what {
        What::Number(number) => element.numbers.push(number.clone()),
        What::Product(all) => element.products.push(all.clone()),
        _ => {}
    }
}

/// Draws a list.
pub(super) fn draw(reader: &mut Reader<'_>, elements: &[Element]) -> Option<Architecture> {
    let data = reader.request.name(Slot::Data).and_then(data_set);
    let task = reader.request.name(Slot::Task);
    let sample = sample(reader, elements);
    let request = std::mem::take(&mut reader.request);
    request.value(Slot::Family);
    request.value(Slot::Convolution);
    request.value(Slot::Kind);
    let name = match request.name(Slot::Family) {
        Some(name) if crate::check::is_name(name) && catalog::row(name).is_none() => name,
        _ => "Net",
    };
    let mut build = match sample {
        Sample::Image(c, h, w) => Build::new(name, &request, &[c, h, w]),
        Sample::Table(n) => Build::new(name, &request, &[n]),
        Sample::Series(length, features) => Build::new(name, &request, &[length, features]),
        Sample::Text(_, length) => Build::of_tokens(name, &request, length),
    };
    // A last layer that scores each token of the vocabulary does so at each place.
    let scores_tokens = match (sample, elements.last()) {
        (Sample::Text(vocabulary, _), Some(last)) if task.is_none() && data.is_none() => {
            last.kind == "Linear" && last.numbers.last().and_then(Number::whole) == Some(vocabulary)
        }
        _ => false,
    };
    let is_next = scores_tokens
        || task == Some("next token")
        || data
            .is_some_and(|data| data.classes.is_none() && matches!(data.sample, Sample::Text(..)));
    if let Sample::Text(vocabulary, _) = sample
        && elements
            .iter()
            .find(|one| !one.is_negated)
            .is_none_or(|one| one.kind != "Embedding")
    {
        request.assume("Tokens are embedded in 64 numbers before the list.");
        build.add(
            "embedding",
            "Embedding",
            json!({"num_embeddings": vocabulary, "embedding_dim": 64}),
        );
    }
    let mut told: Vec<(usize, usize, String)> = Vec::new();
    let mut doubts: Vec<(usize, usize, String)> = Vec::new();
    for element in elements {
        if element.is_negated {
            told.push((element.start, element.end, format!("no {}", element.kind)));
            continue;
        }
        match layer::add(&mut build, element, is_next, sample) {
            Ok(text) => told.push((element.start, element.end, text)),
            Err(fault) => doubts.push((element.start, element.end, fault)),
        }
    }
    let wanted = request
        .size(Slot::Classes)
        .or_else(|| request.size(Slot::Outputs));
    let is_regression = matches!(task, Some("regress" | "forecast"));
    let wanted = match (data.and_then(|data| data.classes), sample, wanted) {
        (Some(n), _, said) => {
            if let Some(said) = said
                && said != n
            {
                request.contradict(format!(
                    "{} has {n} classes, not {said}: the data set counts.",
                    data.map_or("It", |data| data.name)
                ));
            }
            Some(n)
        }
        (None, Sample::Text(vocabulary, _), _) if is_next => Some(vocabulary),
        (None, _, said) => said,
    };
    let shape = build.shape();
    if let Some(n) = wanted
        && !build.net.nodes.is_empty()
        && (shape.last() != Some(&n) || (shape.len() > 1 && !is_next))
    {
        request.assume(match shape.as_slice() {
            [last] => format!("The list ends with {last} numbers: a linear layer to {n} follows."),
            _ => format!("A linear layer to {n} numbers follows the list."),
        });
        if !is_next {
            build.flatten();
        }
        build.add("head", "Linear", json!({"out_features": n}));
    }
    let answer = build.shape();
    let output = match answer.as_slice() {
        [_, n] if is_next => Output::NextToken(*n),
        [1] if !is_regression && (task == Some("binary") || task == Some("classify")) => {
            Output::Logit
        }
        [n] if *n > 1 && !is_regression && !(data.is_some_and(|data| data.classes.is_none())) => {
            Output::Classes(*n)
        }
        [n] => Output::Numbers(*n),
        _ => Output::Same,
    };
    let has_nodes = !build.net.nodes.is_empty();
    build.squash(output);
    let mut net = build.done("A list of layers.");
    let plan = NetworkPlan {
        family: "MLP",
        sample,
        output,
        training: data.map_or("", |data| data.training),
    };
    if has_nodes {
        net.training = train::training(&request, &plan, &mut net);
    }
    reader.request = request;
    for (start, end, text) in told {
        reader.understand(start, end, text);
    }
    for (start, end, text) in doubts {
        reader.doubt(start, end, text);
    }
    has_nodes.then_some(net)
}

/// What the list reads: the data set's samples, or what its first layer takes.
fn sample(reader: &Reader<'_>, elements: &[Element]) -> Sample {
    let request = &reader.request;
    let size = request.sizes(Slot::ImageSize);
    let channels = request.size(Slot::ImageChannels);
    if let Some(data) = request.name(Slot::Data).and_then(data_set) {
        if let Sample::Image(c, h, w) = data.sample {
            let is_flat = elements
                .iter()
                .find(|one| has_sizes(one.kind))
                .is_some_and(|one| one.kind == "Linear")
                && !elements.iter().any(|one| one.kind == "Flatten");
            if let Some(said) = channels
                && said != c
            {
                request.contradict(format!(
                    "The images of {} have {c} channels, not {said}: the data set counts.",
                    data.name
                ));
            }
            if let Some(said) = &size
                && said[..] != [h, w]
            {
                request.contradict(format!(
                    "The images of {} are {h} by {w}, not {} by {}: the data set counts.",
                    data.name, said[0], said[1]
                ));
            }
            if is_flat {
                return Sample::Table(c * h * w);
            }
        }
        return match data.sample {
            Sample::Text(vocabulary, length) => {
                Sample::Text(vocabulary, request.size(Slot::Length).unwrap_or(length))
            }
            sample => sample,
        };
    }
    let first = elements
        .iter()
        .find(|one| !one.is_negated && has_sizes(one.kind))
        .or(elements.first());
    let kind = first.map_or("", |one| one.kind);
    if size.is_some()
        || channels.is_some()
        || request.name(Slot::Kind) == Some("images")
        || (kind.starts_with("Conv") && !kind.ends_with("1d"))
    {
        let c = channels.unwrap_or_else(|| match first {
            // Conv2d(1, 32, 3): the first number is what comes in.
            Some(one) if kind.starts_with("Conv") && one.numbers.len() >= 3 => {
                one.numbers[0].whole().unwrap_or(1).clamp(1, 4096)
            }
            _ => {
                if size.is_some() {
                    3
                } else {
                    1
                }
            }
        });
        let (h, w) = match &size {
            Some(size) => (size[0], size[1]),
            None if c == 3 => (32, 32),
            None => (28, 28),
        };
        request.assume(format!("The images have {c} by {h} by {w} numbers."));
        return Sample::Image(c, h, w);
    }
    match kind {
        "Embedding" => {
            let vocabulary = match first.map(|one| &one.numbers[..]) {
                Some([n, _, ..]) => n.whole().unwrap_or(65).clamp(2, 10_000_000),
                _ => request.size_or(Slot::Vocabulary, 65, "The number of different tokens"),
            };
            let length = request.size_or(Slot::Length, 64, "The number of tokens in a sample");
            Sample::Text(vocabulary, length)
        }
        "LSTM" | "GRU" | "RNN" | "Conv1d" | "MultiheadAttention" | "TransformerEncoderLayer" => {
            let width = match (kind, first.map(|one| &one.numbers[..])) {
                ("LSTM" | "GRU" | "RNN", Some([n, _, ..])) => n.whole(),
                ("MultiheadAttention" | "TransformerEncoderLayer", Some([n, ..])) => n.whole(),
                _ => None,
            };
            let features = request
                .size(Slot::Features)
                .or(width.map(|n| n.clamp(1, 65_536)));
            let length = request.size_or(Slot::Length, 50, "The number of steps in a sequence");
            let features = features.unwrap_or_else(|| {
                request.assume("The number of numbers in each step: 8.");
                8
            });
            if kind == "Conv1d" {
                Sample::Series(features, length)
            } else {
                Sample::Series(length, features)
            }
        }
        _ => {
            let said = request.size(Slot::Features);
            let first = match first.map(|one| &one.numbers[..]) {
                Some([n, _, ..]) if kind == "Linear" => n.whole(),
                _ => None,
            };
            Sample::Table(
                said.or(first.map(|n| n.clamp(1, 1_000_000)))
                    .unwrap_or_else(|| {
                        request.assume("A sample has 64 numbers, like the digits of 8 by 8.");
                        64
                    }),
            )
        }
    }
}
