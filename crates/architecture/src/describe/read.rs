//! From items to facts: phrases say theirs, numbers go to the nearest unit, and what is said twice is compared.

use super::Said;
use super::data::DATA_SETS;
use super::items::{Item, What, nearest};
use super::slots::{Request, Slot, Value};
use super::words::{Constant, Meaning};

/// A request that is being read.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) items: Vec<Item>,
    pub(super) request: Request,
    pub(super) understood: Vec<Said>,
    pub(super) unclear: Vec<Said>,
    /// Networks that there are not, with the nearest one.
    pub(super) missing: Vec<(&'static str, &'static str)>,
    /// Whether a network is asked for in general.
    pub(super) is_network: bool,
    /// What is taken out where it would be usual.
    pub(super) excluded: Vec<(Slot, Constant, usize, usize)>,
}

impl From<Constant> for Value {
    fn from(constant: Constant) -> Value {
        match constant {
            Constant::Number(x) => Value::Number(x),
            Constant::Flag(flag) => Value::Flag(flag),
            Constant::Name(name) => Value::Name(name),
        }
    }
}

impl Reader<'_> {
    /// The words at a place of the text.
    pub(super) fn said(&self, start: usize, end: usize, meaning: impl Into<String>) -> Said {
        Said {
            words: self.text[start..end].to_owned(),
            start,
            end,
            meaning: meaning.into(),
        }
    }

    /// Notes what was understood.
    pub(super) fn understand(&mut self, start: usize, end: usize, meaning: impl Into<String>) {
        let said = self.said(start, end, meaning);
        self.understood.push(said);
    }

    /// Notes what was not.
    pub(super) fn doubt(&mut self, start: usize, end: usize, meaning: impl Into<String>) {
        let said = self.said(start, end, meaning);
        self.unclear.push(said);
    }

    /// Puts a fact into its slot, and compares it with what was said before.
    pub(super) fn tell(&mut self, slot: Slot, value: Value, start: usize, end: usize) {
        if let Some(before) = self.request.told(slot) {
            match precedence(slot, &before.value, &value) {
                Precedence::Both => {}
                Precedence::First => return,
                Precedence::Last => {
                    self.request.forget(slot);
                }
            }
        }
        if let Some(before) = self.request.tell(slot, value.clone(), start, end) {
            let (first, last) = if before.start <= start {
                (
                    (before.start, before.end, before.value.clone()),
                    (start, end, value),
                )
            } else {
                let first = (start, end, value);
                let last = (before.start, before.end, before.value.clone());
                self.request
                    .tell(slot, before.value, before.start, before.end);
                (first, last)
            };
            let text = format!(
                "“{}” and “{}” contradict each other about {}: the last one counts, {}.",
                &self.text[first.0..first.1],
                &self.text[last.0..last.1],
                slot.name(),
                match last.2 {
                    Value::Number(0.0) => "none".to_owned(),
                    value => value.to_string(),
                }
            );
            self.request.contradict(text);
        }
    }

    /// Facts of phrases that need no number.
    pub(super) fn phrases(&mut self) {
        for at in 0..self.items.len() {
            let item = self.items[at].clone();
            if item.is_used {
                continue;
            }
            let Some(meaning) = item.meaning() else {
                continue;
            };
            let facts: Vec<(Slot, Constant)> = match meaning {
                Meaning::Is(slot, name) => vec![(slot, Constant::Name(name))],
                Meaning::Says(all) => all.to_vec(),
                Meaning::Network => {
                    self.is_network = true;
                    continue;
                }
                Meaning::Missing(name, near) => {
                    if !item.is_negated {
                        self.missing.push((name, near));
                        self.doubt(item.start, item.end, missing(name, near));
                        if !near.is_empty() && !self.request.has(Slot::Family) {
                            self.tell(Slot::Family, Value::Name(near), item.start, item.end);
                        }
                    }
                    self.items[at].is_used = true;
                    continue;
                }
                _ => continue,
            };
            self.items[at].is_used = true;
            let (start, end) = (item.start, item.end);
            if item.is_negated {
                for (slot, constant) in facts {
                    match constant {
                        Constant::Flag(flag) => {
                            self.tell(slot, Value::Flag(!flag), start, end);
                            self.understand(
                                start,
                                end,
                                format!("{}: {}", slot.name(), Value::Flag(!flag)),
                            );
                        }
                        constant => {
                            self.excluded.push((slot, constant, start, end));
                            self.understand(
                                start,
                                end,
                                format!("{}: not {}", slot.name(), Value::from(constant)),
                            );
                        }
                    }
                }
                continue;
            }
            let mut meanings = Vec::new();
            for (slot, constant) in facts {
                meanings.push(format!("{}: {}", slot.name(), Value::from(constant)));
                self.tell(slot, constant.into(), start, end);
            }
            self.understand(start, end, meanings.join("; "));
        }
    }

    /// Compares what is taken out with what is said.
    pub(super) fn exclusions(&mut self) {
        for (slot, constant, start, end) in std::mem::take(&mut self.excluded) {
            let out = Value::from(constant);
            let told = self.request.told(slot).cloned();
            let matches = |value: &Value| {
                *value == out
                    || (matches!(slot, Slot::Norm | Slot::Activation)
                        && (out == Value::Name("any") || *value == Value::Name("any")))
                    || (slot == Slot::Pool
                        && out == Value::Name("max")
                        && *value != Value::Name("stride"))
            };
            match told {
                Some(told) if matches(&told.value) => {
                    let first_is_told = told.start < start;
                    let (a, b) = if first_is_told {
                        ((told.start, told.end), (start, end))
                    } else {
                        ((start, end), (told.start, told.end))
                    };
                    self.request.contradict(format!(
                        "“{}” and “{}” contradict each other about {}: the last one counts.",
                        &self.text[a.0..a.1],
                        &self.text[b.0..b.1],
                        slot.name()
                    ));
                    if first_is_told {
                        self.request.forget(slot);
                        if matches!(slot, Slot::Norm | Slot::Pool | Slot::Activation) {
                            self.request.tell(slot, Value::Name("none"), start, end);
                        }
                    }
                }
                None if matches!(
                    slot,
                    Slot::Norm | Slot::Pool | Slot::Activation | Slot::Schedule
                ) =>
                {
                    self.request.tell(slot, Value::Name("none"), start, end);
                }
                _ => {}
            }
        }
    }

    /// What is left: words that are not known, numbers and units without each other.
    pub(super) fn rest(&mut self) {
        for at in 0..self.items.len() {
            let item = self.items[at].clone();
            if item.is_used {
                continue;
            }
            let (start, end) = (item.start, item.end);
            match &item.what {
                What::Unknown(word) => {
                    let lower = word.to_lowercase();
                    let meaning = match nearest(&lower) {
                        Some(near) if lower.len() > 2 => {
                            format!("no word of the grammar; the nearest one is “{near}”")
                        }
                        _ => "no word of the grammar".to_owned(),
                    };
                    self.doubt(start, end, meaning);
                }
                What::Number(number) if number.digits.starts_with(|c: char| c.is_alphabetic()) => {}
                What::Number(_) | What::Product(_) | What::Chain(_) => {
                    self.doubt(
                        start,
                        end,
                        "a number without a word that says what it counts",
                    );
                }
                What::Phrase(Meaning::Unit(unit)) => {
                    let slot = unit.slot();
                    if item.is_negated {
                        self.without(slot, start, end);
                    } else if let Some(value) = unit.alone {
                        if !self.request.has(slot) && !self.has_sizes(slot) {
                            self.tell(slot, Value::Number(value), start, end);
                            self.request.assume(format!(
                                "“{}” has no number: {} is {value}.",
                                &self.text[start..end],
                                slot.name()
                            ));
                        }
                        self.understand(start, end, slot.name());
                    } else if !unit.quiet {
                        self.doubt(start, end, format!("{} without a number", slot.name()));
                    }
                }
                What::Phrase(Meaning::Layer(name)) => {
                    self.layer(name, &item);
                }
                What::Phrase(_) | What::Mark(_) => {}
            }
        }
    }

    /// A layer that stands outside of a list says what kind of network it is.
    fn layer(&mut self, name: &'static str, item: &Item) {
        let (start, end) = (item.start, item.end);
        if item.is_negated {
            if super::numbers::is_conv(name) {
                self.tell(Slot::Convolution, Value::Flag(false), start, end);
            }
            self.understand(start, end, format!("without {name}"));
            return;
        }
        if super::numbers::is_conv(name) {
            self.tell(Slot::Convolution, Value::Flag(true), start, end);
            self.understand(start, end, "convolutions");
        } else if name == "Linear" {
            if !self.request.has(Slot::Family) {
                self.tell(Slot::Family, Value::Name("MLP"), start, end);
            }
            self.understand(start, end, "linear layers");
        } else if name == "Flatten" {
            self.understand(start, end, "flatten");
        } else {
            self.doubt(
                start,
                end,
                format!(
                    "{name} is a layer; it has a place in a list of layers, such as “conv 32, {name}, flatten, linear 10”"
                ),
            );
        }
    }

    /// Whether sizes of layers are said where a count is asked for.
    fn has_sizes(&self, slot: Slot) -> bool {
        slot == Slot::HiddenLayers
            && [Slot::Hidden, Slot::Sizes, Slot::Layers, Slot::DenseSizes]
                .into_iter()
                .any(|slot| self.request.has(slot))
    }

    /// "without dropout": a unit is taken out.
    fn without(&mut self, slot: Slot, start: usize, end: usize) {
        let value = match slot {
            Slot::Dropout | Slot::HiddenLayers | Slot::Padding | Slot::Decay | Slot::Momentum => {
                Value::Number(0.0)
            }
            Slot::Stride => Value::Number(1.0),
            Slot::ConvLayers | Slot::Channels => {
                self.tell(Slot::Convolution, Value::Flag(false), start, end);
                self.understand(start, end, "convolutions: no");
                return;
            }
            Slot::Heads => {
                self.tell(Slot::Attention, Value::Flag(false), start, end);
                self.understand(start, end, "attention: no");
                return;
            }
            _ => {
                self.doubt(start, end, format!("{} cannot be left out", slot.name()));
                return;
            }
        };
        self.tell(slot, value, start, end);
        self.understand(start, end, format!("{}: none", slot.name()));
    }
}

/// Which of two values counts where that is no contradiction.
enum Precedence {
    Both,
    First,
    Last,
}

fn precedence(slot: Slot, before: &Value, now: &Value) -> Precedence {
    let (Value::Name(a), Value::Name(b)) = (before, now) else {
        return Precedence::Both;
    };
    if a == b {
        return Precedence::Both;
    }
    let refines = |one: &str, other: &str| match slot {
        Slot::Family => special(one).contains(&other),
        Slot::Data => other == "digits" && one != "digits",
        Slot::Task => matches!(
            (one, other),
            ("binary" | "segment", "classify") | ("forecast" | "next token", "regress")
        ),
        Slot::Kind => matches!(
            (one, other),
            ("series" | "text", "sequences") | ("series" | "sequences", "table")
        ),
        Slot::Norm => other == "any",
        Slot::Activation if other == "any" => true,
        Slot::Pool => other == "max" && one == "average",
        Slot::Activation => one == "LeakyReLU" && other == "ReLU",
        _ => false,
    };
    if refines(a, b) {
        Precedence::First
    } else if refines(b, a) {
        Precedence::Last
    } else {
        Precedence::Both
    }
}

/// Kinds of networks that another one is a special case of, so that both may be said.
fn special(family: &str) -> &'static [&'static str] {
    match family {
        "ResNet" | "VGG" | "MobileNetV2" | "U-Net" | "LeNet" => &["CNN", "ResNet"],
        "GPT" => &["Transformer"],
        "ViT" => &["Transformer"],
        "LSTM" | "GRU" => &["RNN"],
        "autoencoder" | "VAE" => &["MLP", "CNN", "GPT", "autoencoder", "generator"],
        "generator" | "discriminator" => &["MLP", "CNN", "GAN"],
        "GAN" => &["MLP", "CNN"],
        "linear regression" | "logistic regression" => &["linear regression"],
        _ => &[],
    }
}

/// What is said of a network that there is not.
fn missing(name: &str, near: &str) -> String {
    if near.is_empty() {
        format!("{name} is not among the networks here")
    } else {
        format!("{name} is not among the networks here; the nearest one is {near}, which is drawn")
    }
}

/// A data set by name.
pub(super) fn data_set(name: &str) -> Option<&'static super::data::DataSet> {
    DATA_SETS.iter().find(|data| data.name == name)
}
