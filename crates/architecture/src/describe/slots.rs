//! What a request says, fact by fact: each has a slot, and what is said twice with two values is a contradiction.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// What a fact is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    Family,
    Depth,
    Data,
    Kind,
    Task,
    Classes,
    Outputs,
    Features,
    ImageChannels,
    ImageSize,
    Length,
    Vocabulary,
    Hidden,
    HiddenLayers,
    Layers,
    Sizes,
    Width,
    Channels,
    ConvLayers,
    DenseSizes,
    Kernel,
    Stride,
    Padding,
    Heads,
    Embedding,
    Bottleneck,
    Patch,
    Groups,
    FeedForward,
    Dropout,
    Norm,
    Activation,
    Slope,
    Pool,
    Global,
    Residual,
    Bidirectional,
    Bias,
    Convolution,
    Attention,
    Squash,
    Scale,
    Deep,
    Chain,
    Optimizer,
    Rate,
    Momentum,
    Decay,
    Nesterov,
    Schedule,
    Batch,
    Epochs,
    Seed,
    Loss,
}

impl Slot {
    /// What it is called in a sentence, and the numbers that it may have.
    pub(super) fn facts(self) -> (&'static str, f64, f64) {
        use Slot::*;
        match self {
            Family => ("the kind of network", 0.0, 0.0),
            Depth => ("the number in its name", 1.0, 1001.0),
            Data => ("the data", 0.0, 0.0),
            Kind => ("the kind of data", 0.0, 0.0),
            Task => ("the task", 0.0, 0.0),
            Classes => ("the number of classes", 2.0, 100_000.0),
            Outputs => ("the number of outputs", 1.0, 100_000.0),
            Features => ("the number of features", 1.0, 1_000_000.0),
            ImageChannels => ("the channels of an image", 1.0, 4096.0),
            ImageSize => ("the size of an image", 4.0, 2048.0),
            Length => ("the length of a sequence", 1.0, 65_536.0),
            Vocabulary => ("the size of the vocabulary", 2.0, 10_000_000.0),
            Hidden => ("the sizes of hidden layers", 1.0, 65_536.0),
            HiddenLayers => ("the number of hidden layers", 0.0, 64.0),
            Layers => ("the number of layers", 1.0, 64.0),
            Sizes => ("the sizes of layers", 1.0, 65_536.0),
            Width => ("the width", 1.0, 65_536.0),
            Channels => ("the channels of convolutions", 1.0, 8192.0),
            ConvLayers => ("the number of convolutions", 1.0, 32.0),
            DenseSizes => ("the sizes of linear layers", 1.0, 65_536.0),
            Kernel => ("the size of a kernel", 1.0, 31.0),
            Stride => ("the stride", 1.0, 16.0),
            Padding => ("the padding", 0.0, 15.0),
            Heads => ("the number of heads", 1.0, 256.0),
            Embedding => ("the size of an embedding", 1.0, 65_536.0),
            Bottleneck => ("the size of the bottleneck", 1.0, 65_536.0),
            Patch => ("the size of a patch", 1.0, 256.0),
            Groups => ("the number of groups", 1.0, 1024.0),
            FeedForward => ("the inner width of a Transformer block", 1.0, 262_144.0),
            Dropout => ("dropout", 0.0, 1.0),
            Norm => ("the normalization", 0.0, 0.0),
            Activation => ("the activation", 0.0, 0.0),
            Slope => ("the slope of the activation", 0.0, 1.0),
            Pool => ("the pooling", 0.0, 0.0),
            Global => ("global average pooling", 0.0, 0.0),
            Deep => ("the depth", 0.0, 0.0),
            Chain => ("the sizes from input to output", 1.0, 1_000_000.0),
            Residual => ("skip connections", 0.0, 0.0),
            Bidirectional => ("both directions", 0.0, 0.0),
            Bias => ("the bias", 0.0, 0.0),
            Convolution => ("convolutions", 0.0, 0.0),
            Attention => ("attention", 0.0, 0.0),
            Squash => ("the function of the output", 0.0, 0.0),
            Scale => ("the scale", 0.0, 0.0),
            Optimizer => ("the optimizer", 0.0, 0.0),
            Rate => ("the learning rate", 0.0, 100.0),
            Momentum => ("the momentum", 0.0, 1.0),
            Decay => ("the weight decay", 0.0, 10.0),
            Nesterov => ("Nesterov's momentum", 0.0, 0.0),
            Schedule => ("the schedule", 0.0, 0.0),
            Batch => ("the batch size", 1.0, 65_536.0),
            Epochs => ("the number of epochs", 1.0, 100_000.0),
            Seed => ("the seed", 0.0, 1e12),
            Loss => ("the loss", 0.0, 0.0),
        }
    }

    /// What it is called in a sentence.
    pub(super) fn name(self) -> &'static str {
        self.facts().0
    }

    /// Whether its numbers may have fractions.
    pub(super) fn is_fraction(self) -> bool {
        matches!(
            self,
            Slot::Dropout | Slot::Slope | Slot::Rate | Slot::Momentum | Slot::Decay
        )
    }
}

/// What a slot holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Number(f64),
    Sizes(Vec<u64>),
    Flag(bool),
    Name(&'static str),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(x) => write!(f, "{x}"),
            Value::Sizes(all) => {
                let all: Vec<String> = all.iter().map(u64::to_string).collect();
                f.write_str(&all.join(", "))
            }
            Value::Flag(true) => f.write_str("yes"),
            Value::Flag(false) => f.write_str("no"),
            Value::Name(name) => f.write_str(name),
        }
    }
}

/// A fact with the bytes of the text that say it.
#[derive(Debug, Clone)]
pub(super) struct Told {
    pub(super) value: Value,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// All facts of a request, and what is said about them.
#[derive(Debug, Default)]
pub(super) struct Request {
    facts: BTreeMap<Slot, Told>,
    /// Facts that a builder looked at; others have no place in the network and are told.
    read: RefCell<BTreeSet<Slot>>,
    pub(super) assumed: RefCell<Vec<String>>,
    pub(super) contradictions: RefCell<Vec<String>>,
}

impl Request {
    /// Puts a fact into its slot; gives the earlier one where it had another value.
    pub(super) fn tell(
        &mut self,
        slot: Slot,
        value: Value,
        start: usize,
        end: usize,
    ) -> Option<Told> {
        let told = Told { value, start, end };
        let before = self.facts.insert(slot, told.clone());
        before.filter(|before| before.value != told.value)
    }

    /// A fact with its place in the text.
    pub(super) fn told(&self, slot: Slot) -> Option<&Told> {
        self.facts.get(&slot)
    }

    /// Takes a fact out.
    pub(super) fn forget(&mut self, slot: Slot) {
        self.facts.remove(&slot);
    }

    /// Whether a fact is there, without looking at it.
    pub(super) fn has(&self, slot: Slot) -> bool {
        self.facts.contains_key(&slot)
    }

    /// A fact.
    pub(super) fn value(&self, slot: Slot) -> Option<&Value> {
        self.read.borrow_mut().insert(slot);
        self.facts.get(&slot).map(|told| &told.value)
    }

    /// A number.
    pub(super) fn number(&self, slot: Slot) -> Option<f64> {
        match self.value(slot)? {
            Value::Number(x) => Some(*x),
            Value::Sizes(all) => all.first().map(|&n| n as f64),
            _ => None,
        }
    }

    /// A size.
    pub(super) fn size(&self, slot: Slot) -> Option<u64> {
        self.number(slot).map(|x| x as u64)
    }

    /// A size, and an assumption where nothing is said of it.
    pub(super) fn size_or(&self, slot: Slot, usual: u64, what: &str) -> u64 {
        self.size(slot).unwrap_or_else(|| {
            self.assume(format!("{what}: {usual}."));
            usual
        })
    }

    /// Sizes.
    pub(super) fn sizes(&self, slot: Slot) -> Option<Vec<u64>> {
        match self.value(slot)? {
            Value::Sizes(all) => Some(all.clone()),
            Value::Number(x) => Some(vec![*x as u64]),
            _ => None,
        }
    }

    /// Yes or no.
    pub(super) fn flag(&self, slot: Slot) -> Option<bool> {
        match self.value(slot)? {
            Value::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    /// A name.
    pub(super) fn name(&self, slot: Slot) -> Option<&'static str> {
        match self.value(slot)? {
            Value::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Adds an assumption.
    pub(super) fn assume(&self, text: impl Into<String>) {
        let text = text.into();
        let mut all = self.assumed.borrow_mut();
        if !all.contains(&text) {
            all.push(text);
        }
    }

    /// Adds a contradiction with the rule that decides it.
    pub(super) fn contradict(&self, text: impl Into<String>) {
        let text = text.into();
        let mut all = self.contradictions.borrow_mut();
        if !all.contains(&text) {
            all.push(text);
        }
    }

    /// Whether another fact that was looked at stands in the same words.
    pub(super) fn is_shared(&self, told: &Told) -> bool {
        let read = self.read.borrow();
        (self.facts.iter()).any(|(slot, other)| {
            read.contains(slot) && (other.start, other.end) == (told.start, told.end)
        })
    }

    /// Facts that nothing looked at.
    pub(super) fn unread(&self) -> Vec<(Slot, Told)> {
        let read = self.read.borrow();
        (self.facts.iter())
            .filter(|(slot, _)| !read.contains(slot))
            .map(|(slot, told)| (*slot, told.clone()))
            .collect()
    }
}
