//! Words beside which a number is a size.

use super::slots::Slot;

/// A word beside which a number is a size.
#[derive(Debug)]
pub(super) struct Unit {
    /// Spellings, with `|` between them.
    pub(super) words: &'static str,
    /// What a number before it is.
    pub(super) before: Option<Slot>,
    /// What a number after it is.
    pub(super) after: Option<Slot>,
    /// Whether a number before it is the usual one.
    pub(super) prefers_before: bool,
    /// Whether it takes several numbers.
    pub(super) many: bool,
    /// What it says without a number.
    pub(super) alone: Option<f64>,
    /// Whether it may stand without a number and say nothing.
    pub(super) quiet: bool,
}

impl Unit {
    /// Where a number may stand, in words.
    pub(super) fn place(&self) -> &'static str {
        match (self.before.is_some(), self.after.is_some()) {
            (true, false) => "before it",
            (false, true) => "after it",
            _ if self.prefers_before => "before it or after it",
            _ => "after it or before it",
        }
    }

    /// What it is about.
    pub(super) fn slot(&self) -> Slot {
        let first = if self.prefers_before {
            self.before.or(self.after)
        } else {
            self.after.or(self.before)
        };
        first.unwrap_or(Slot::Sizes)
    }
}

const fn unit(words: &'static str, slot: Slot) -> Unit {
    Unit {
        words,
        before: Some(slot),
        after: Some(slot),
        prefers_before: false,
        many: false,
        alone: None,
        quiet: false,
    }
}

/// A unit whose number stands before it: `10 classes`.
const fn counted(words: &'static str, slot: Slot) -> Unit {
    Unit {
        prefers_before: true,
        quiet: true,
        ..unit(words, slot)
    }
}

/// A unit with a count before it and sizes after it: `3 hidden layers of 256`.
const fn layers(words: &'static str, count: Slot, sizes: Slot) -> Unit {
    Unit {
        before: Some(count),
        after: Some(sizes),
        many: true,
        ..counted(words, count)
    }
}

const fn many(unit: Unit) -> Unit {
    Unit { many: true, ..unit }
}

const fn alone(unit: Unit, value: f64) -> Unit {
    Unit {
        alone: Some(value),
        ..unit
    }
}

const fn quiet(unit: Unit) -> Unit {
    Unit {
        quiet: true,
        ..unit
    }
}

/// All units.
pub(super) static UNITS: &[Unit] = &[
    counted(
        "class | classes | output classes | category | categories | labels | label | letters | species | number of classes | num classes | n classes | classes in total | digits classes",
        Slot::Classes,
    ),
    counted("way", Slot::Classes),
    counted(
        "output units | output neurons | outputs | output | output features | targets | target | numbers | values to predict | logits | out features",
        Slot::Outputs,
    ),
    counted(
        "steps ahead | values ahead | horizon | future steps | values | future values | next values | next steps",
        Slot::Outputs,
    ),
    counted(
        "feature | features | inputs | input features | columns | column | variables | attributes | predictors | dimensional input | dimensional inputs | dimensional data | measurements | number of features | in features | input size | input dimension | input units | input dim",
        Slot::Features,
    ),
    counted(
        "time steps | timesteps | time step | tokens | characters | chars | words | steps | samples long | days | hours | minutes | weeks | months | years | seconds | measurements long",
        Slot::Length,
    ),
    quiet(unit(
        "length | sequence length | seq len | sequence len | sequences of length | series of length | sequences of | context | context length | context window | context size | block size | window | windows of | window of | window size | sequence | long",
        Slot::Length,
    )),
    unit(
        "vocabulary | vocab | vocabulary size | vocab size | vocabulary of size | vocab of size | token vocabulary",
        Slot::Vocabulary,
    ),
    counted(
        "word vocabulary | token vocab | symbols | distinct characters | different characters | different tokens",
        Slot::Vocabulary,
    ),
    alone(
        layers(
            "hidden layer | hidden layers | hidden",
            Slot::HiddenLayers,
            Slot::Hidden,
        ),
        1.0,
    ),
    many(counted(
        "units | neurons | hidden units | hidden neurons | nodes | cells | hidden nodes | perceptrons | unit | neuron | unit layers",
        Slot::Sizes,
    )),
    layers(
        "layer | layers | block | blocks | transformer blocks | transformer layers | encoder layers | decoder layers | encoder blocks | decoder blocks | recurrent layers | stacked layers | attention layers | layer deep | layers deep | attention blocks",
        Slot::Layers,
        Slot::Sizes,
    ),
    unit(
        "width | hidden size | d model | dmodel | model dimension | model dim | hidden dimension | hidden dim | wide | state size | hidden state | hidden states | n embd | model width | embed dim",
        Slot::Width,
    ),
    many(counted(
        "channels | channel | filters | filter | feature maps | conv filters | conv channels | output channels | out channels",
        Slot::Channels,
    )),
    layers(
        "conv layers | convolutional layers | convolution layers | convolutions | convs | conv blocks | convolutional blocks | conv stages | stages | levels | level | convolution blocks | conv 2d layers",
        Slot::ConvLayers,
        Slot::Channels,
    ),
    layers(
        "dense layers | linear layers | fully connected layers | FC layers | dense hidden layers",
        Slot::HiddenLayers,
        Slot::DenseSizes,
    ),
    unit(
        "kernel | kernels | kernel size | kernel sizes | filter size | receptive field | kernels of size | filters of size",
        Slot::Kernel,
    ),
    unit("stride | strides | stride of", Slot::Stride),
    unit("padding | pad | zero padding | padded", Slot::Padding),
    quiet(unit(
        "in channels | input channels | image channels",
        Slot::ImageChannels,
    )),
    counted(
        "heads | head | attention heads | n heads | num heads",
        Slot::Heads,
    ),
    unit(
        "embedding | embeddings | embedding size | embedding dimension | embedding dim | embedding of size | token embedding | embedded in",
        Slot::Embedding,
    ),
    unit(
        "bottleneck | bottle neck | latent | latents | latent size | latent dimension | latent dim | latent space | latent vector | latent dimensions | latent variables | code size | code of | code dimension | noise | noise vector | noise size | noise dimension | z dim | hidden code | latent code | bottleneck size | bottleneck layer | dimensional bottleneck | dimensional latent space | dimensional latent | dimensional code | d latent | d bottleneck | d latent space | numbers in the middle",
        Slot::Bottleneck,
    ),
    unit("patch | patches | patch size | patches of", Slot::Patch),
    unit("groups | group", Slot::Groups),
    unit(
        "feed forward size | feed forward dimension | feed forward width | MLP size | inner width | dim feedforward | feedforward dim | ffn size | MLP width",
        Slot::FeedForward,
    ),
    alone(
        unit(
            "dropout | drop out | dropout rate | dropout probability | dropout of | dropout layers | dropouts | dropout layer | drop rate",
            Slot::Dropout,
        ),
        0.5,
    ),
    unit("negative slope | slope", Slot::Slope),
    unit(
        "learning rate | lr | step size | learning rate of | max lr | rate | initial learning rate",
        Slot::Rate,
    ),
    unit("momentum", Slot::Momentum),
    unit(
        "weight decay | wd | L2 regularization | L2 penalty | L2",
        Slot::Decay,
    ),
    unit(
        "batch size | batch | batches | batches of | batch of | mini batch | minibatch | mini batches | batchsize | bs | minibatches | samples a step",
        Slot::Batch,
    ),
    counted(
        "epoch | epochs | passes | passes over the data",
        Slot::Epochs,
    ),
    unit("seed | random seed", Slot::Seed),
];
