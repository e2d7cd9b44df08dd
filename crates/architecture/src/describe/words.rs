//! The table of phrases: what the reader knows, under headings, with what each phrase says.
//!
//! A phrase is matched by its letters and digits alone, so `batch norm`, `batch-norm` and `BatchNorm` are one; the longest
//! phrase counts. The names of layers, activations, losses and optimizers come from [`crate::catalog`]. The tables of
//! `docs/describe.md` are made of this one.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::data::DATA_SETS;
use super::slots::Slot;
use super::tokens::{key, tokens};
use super::units::{UNITS, Unit};
use crate::catalog;
use crate::families::family;

/// A value that a phrase says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Constant {
    Number(f64),
    Flag(bool),
    Name(&'static str),
}

/// What a phrase says.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meaning {
    /// A fact that is a name.
    Is(Slot, &'static str),
    /// Several facts, or one that is no name.
    Says(&'static [(Slot, Constant)]),
    /// Numbers beside it are sizes.
    Unit(&'static Unit),
    /// A network that there is not, and the nearest one.
    Missing(&'static str, &'static str),
    /// A layer, for a list of layers.
    Layer(&'static str),
    /// A network of no kind.
    Network,
    /// Nothing.
    Filler,
    /// What follows is taken out.
    Not,
    /// Joins what stands beside it.
    And,
    /// What follows comes after: a list of layers.
    Then,
}

/// Phrases of one kind.
pub(super) struct Heading {
    pub(super) title: &'static str,
    pub(super) entries: &'static [Entry],
}

/// Phrases with one meaning, with `|` between them.
pub(super) struct Entry {
    pub(super) words: &'static str,
    pub(super) meaning: Meaning,
}

macro_rules! entries {
    ($($words:literal => $meaning:expr;)*) => {
        &[$(Entry { words: $words, meaning: $meaning }),*]
    };
}

use Constant::{Flag, Name, Number};
use Meaning::{And, Is, Layer, Missing, Network, Not, Says, Then};
use Slot::{
    Activation, Attention, Bias, Bidirectional, Classes, Convolution, Deep, Family, Features,
    Global, ImageChannels, Kind, Nesterov, Norm, Outputs, Pool, Residual, Scale, Schedule, Squash,
    Task,
};

/// The table.
pub(super) static HEADINGS: &[Heading] = &[
    Heading {
        title: "Networks",
        entries: entries! {
            "MLP | MLPs | multilayer perceptron | multi layer perceptron | perceptron | feed forward network | feed forward net | feed forward neural network | feed forward | feed forward model | dense network | dense net work | dense neural network | dense model | fully connected network | fully connected net | fully connected neural network | fully connected model | ANN | vanilla neural network | dense classifier | fully connected classifier | stack of linear layers" => Is(Family, "MLP");
            "deep neural network | DNN | deep network | deep net | deep feed forward network" => Says(&[(Family, Name("MLP")), (Deep, Flag(true))]);
            "linear regression | linear model | linear regressor" => Is(Family, "linear regression");
            "logistic regression | softmax regression | linear classifier | logistic classifier" => Is(Family, "logistic regression");
            "CNN | CNNs | convnet | conv net | conv network | convolutional network | convolutional net | convolutional neural network | convolutional neural net | convolution network | convolutional model | convolutional classifier" => Is(Family, "CNN");
            "1-D CNN | 1D convolutional network | 1D convnet | one dimensional CNN | 1D convolutional neural network | temporal convolutional network | TCN | 1-D convolutions | 1-D convolution" => Says(&[(Family, Name("CNN")), (Kind, Name("sequences"))]);
            "2-D CNN | 2D convolutional network" => Is(Family, "CNN");
            "LeNet | LeNet 5" => Is(Family, "LeNet");
            "ResNet | residual network | residual net | residual neural network" => Is(Family, "ResNet");
            "VGG | VGG net | VGG like | VGG style | VGG like network | VGG style network" => Is(Family, "VGG");
            "MobileNet | MobileNet V2 | mobile net" => Is(Family, "MobileNetV2");
            "U-Net | u shaped network | segmentation network" => Is(Family, "U-Net");
            "LSTM | LSTMs | long short term memory | long short term memory network | LSTM network" => Is(Family, "LSTM");
            "GRU | GRUs | gated recurrent unit | GRU network" => Is(Family, "GRU");
            "RNN | RNNs | recurrent network | recurrent net | recurrent neural network | recurrent neural net | Elman network | vanilla RNN | simple RNN" => Is(Family, "RNN");
            "char RNN | character RNN | character level RNN | char level RNN" => Says(&[(Family, Name("RNN")), (Task, Name("next token"))]);
            "BiLSTM | BiLSTMs" => Says(&[(Family, Name("LSTM")), (Bidirectional, Flag(true))]);
            "BiGRU" => Says(&[(Family, Name("GRU")), (Bidirectional, Flag(true))]);
            "BiRNN" => Says(&[(Family, Name("RNN")), (Bidirectional, Flag(true))]);
            "transformer | transformers | transformer encoder | encoder transformer | encoder only transformer | transformer classifier | transformer network | self attention network" => Is(Family, "Transformer");
            "GPT | GPT style | GPT like | nanoGPT | mini GPT | decoder | decoder only transformer | transformer decoder | decoder transformer | causal transformer | autoregressive transformer | decoder only | LLM | large language model | transformer language model" => Is(Family, "GPT");
            "ViT | vision transformer | image transformer | transformer for images" => Is(Family, "ViT");
            "autoencoder | auto encoder | AE | denoising autoencoder | encoder decoder" => Is(Family, "autoencoder");
            "VAE | variational autoencoder | variational auto encoder" => Is(Family, "VAE");
            "generator | GAN generator | generator of a GAN | generator for a GAN" => Is(Family, "generator");
            "discriminator | critic | GAN discriminator | discriminator of a GAN | discriminator for a GAN" => Is(Family, "discriminator");
            "GAN | GANs | DCGAN | generative adversarial network" => Is(Family, "GAN");
            "network | net | neural network | neural net | model | architecture | NN | nets | networks | models" => Network;
        },
    },
    Heading {
        title: "Networks that are not here, each with the nearest one",
        entries: entries! {
            "AlexNet" => Missing("AlexNet", "VGG");
            "wide ResNet | WideResNet | ResNeXt | pre activation ResNet" => Missing("a ResNet of other blocks", "ResNet");
            "DenseNet" => Missing("DenseNet", "ResNet");
            "Inception | GoogLeNet | Xception" => Missing("Inception", "ResNet");
            "EfficientNet | MobileNet V1 | MobileNet V3 | SqueezeNet | ShuffleNet | MNASNet" => Missing("this small network", "MobileNetV2");
            "BERT | BERT like | RoBERTa" => Missing("BERT", "Transformer");
            "Llama | Mistral | GPT 2 small | GPT 3 | ChatGPT | Mamba" => Missing("this language model", "GPT");
            "Swin | Swin transformer | ConvNeXt" => Missing("this image network", "ViT");
            "YOLO | SSD | Faster R-CNN | Mask R-CNN | object detector | object detection" => Missing("a detector of objects", "");
            "graph neural network | GNN | GCN | graph convolutional network | graph attention network" => Missing("a network of graphs", "");
            "siamese network | siamese" => Missing("a siamese network", "");
            "seq2seq | sequence to sequence | machine translation | translation | translator | translate | translates" => Missing("a network from sequence to sequence", "");
            "diffusion model | diffusion | DDPM | denoising diffusion" => Missing("a diffusion model of images", "");
            "normalizing flow | normalising flow | Boltzmann machine | RBM | Hopfield network | self organizing map | capsule network | neural ODE | spiking network | reservoir" => Missing("this network", "");
            "random forest | decision tree | SVM | support vector machine | XGBoost | k means | k nearest neighbors | gradient boosting | naive Bayes" => Missing("a method without layers", "");
            "mixture of experts | MoE" => Missing("a mixture of experts", "");
            "reinforcement learning | Q network | DQN" => Missing("reinforcement learning", "");
        },
    },
    Heading {
        title: "Tasks",
        entries: entries! {
            "classifier | classify | classifies | classification | classifying | recognizer | recognize | recognizes | recognise | recognises | recognition | recognizing | tells apart | tell apart | distinguishes | distinguish" => Is(Task, "classify");
            "binary classifier | binary classification | binary | yes or no | yes no | true or false | two class" => Says(&[(Task, Name("binary")), (Classes, Number(2.0))]);
            "sentiment | sentiment classifier | sentiment analysis | sentiments" => Says(&[(Task, Name("classify")), (Kind, Name("text"))]);
            "spam | spam filter | spam detector | spam classifier" => Says(&[(Task, Name("binary")), (Classes, Number(2.0)), (Kind, Name("text"))]);
            "regression | regressor | regress | regresses | regression head | a single number | a number | real valued | continuous value" => Is(Task, "regress");
            "price | prices | house price | house prices | temperature | age | salary | rating | income | score | sales | demand | a value | quantity | speed | weight of a person | height" => Says(&[(Task, Name("regress")), (Outputs, Number(1.0))]);
            "next character | next characters | next char | next letter | next token | next tokens | next word | next words | character level | char level | language model | language modeling | language modelling | text generator | text generation | generates text | generate text | generating text | writes text | write text | character model" => Is(Task, "next token");
            "forecast | forecasts | forecaster | forecasting | next value | next step | next time step | future value | future values | ahead" => Is(Task, "forecast");
            "segmentation | segment | segments | semantic segmentation | per pixel | pixel wise | mask | masks" => Is(Task, "segment");
            "reconstruct | reconstructs | reconstruction | reconstructing | compress | compresses | compression | denoise | denoises | denoising" => Is(Task, "reconstruct");
        },
    },
    Heading {
        title: "Kinds of data",
        entries: entries! {
            "image | images | picture | pictures | photo | photos | photograph | photographs | image classifier of" => Is(Kind, "images");
            "RGB | color | colored | in color | color images | RGB images | RGB image" => Says(&[(ImageChannels, Number(3.0)), (Kind, Name("images"))]);
            "grayscale | gray scale | gray | black and white | monochrome | single channel | one channel | grayscale images | grayscale image" => Says(&[(ImageChannels, Number(1.0)), (Kind, Name("images"))]);
            "tabular | table | tables | tabular data | CSV | spreadsheet | rows of a table" => Is(Kind, "table");
            "2-D points | 2D points | points of the plane | points in the plane | two dimensional points | points | 2D data | 2-D data | 2D inputs" => Says(&[(Kind, Name("table")), (Features, Number(2.0))]);
            "sequence | sequences | sequence classifier | sensor data | sensor | sensors | signal | signals | audio | speech | ECG | EEG | accelerometer" => Is(Kind, "sequences");
            "1-D | 1-D data | one dimensional" => Is(Kind, "sequences");
            "time series | timeseries | stock prices | stock price | electricity demand" => Is(Kind, "series");
            "text | texts | sentence | sentences | document | documents | review | reviews | tweet | tweets | email | emails | e-mail | e-mails | movie reviews" => Is(Kind, "text");
        },
    },
    Heading {
        title: "Options",
        entries: entries! {
            "residual | residual connection | residual connections | skip connection | skip connections | skip | skips | shortcut | shortcuts | shortcut connections | residuals" => Says(&[(Residual, Flag(true))]);
            "bidirectional | bi directional | both directions | bi" => Says(&[(Bidirectional, Flag(true))]);
            "unidirectional | one direction | one directional | single direction" => Says(&[(Bidirectional, Flag(false))]);
            "same padding | padding same" => Is(Slot::Padding, "same");
            "valid padding | padding valid" => Says(&[(Slot::Padding, Number(0.0))]);
            "bias | biases | bias terms" => Says(&[(Bias, Flag(true))]);
            "bias free | biasless" => Says(&[(Bias, Flag(false))]);
            "batch norm | batch normalization | batch normalized | batch normed | BN" => Is(Norm, "BatchNorm");
            "layer norm | layer normalization | LN" => Is(Norm, "LayerNorm");
            "group norm | group normalization | GN" => Is(Norm, "GroupNorm");
            "instance norm | instance normalization" => Is(Norm, "InstanceNorm");
            "RMS norm | RMS normalization" => Is(Norm, "RMSNorm");
            "normalization | norm | normalization layers | norms" => Is(Norm, "any");
            "max pool | max pooling | maximum pooling | maxpools | max pools | pool | pooling | pooling layers | pooling layer | pools" => Is(Pool, "max");
            "average pool | average pooling | avg pool | avg pooling | mean pool | mean pooling" => Is(Pool, "average");
            "global average pooling | global average pool | global avg pool | global avg pooling | global pooling | global pool | GAP | adaptive average pooling" => Says(&[(Global, Flag(true))]);
            "strided | strided convolutions | strided convolution | strides instead of pooling" => Is(Pool, "stride");
            "convolutional | convolutionally | conv based | with convolutions" => Says(&[(Convolution, Flag(true))]);
            "attention | self attention | multi head attention | multihead attention" => Says(&[(Attention, Flag(true))]);
            "sigmoid output | sigmoid at the end | sigmoid on the output | outputs between 0 and 1" => Is(Squash, "sigmoid");
            "tanh output | tanh at the end | outputs between minus 1 and 1" => Is(Squash, "tanh");
            "softmax output | softmax at the end | with softmax | softmax head | log softmax output" => Is(Squash, "softmax");
            "small | tiny | little | mini | lightweight | compact | minimal" => Is(Scale, "small");
            "large | big | huge | wide" => Is(Scale, "large");
            "deep | deeper | very deep" => Says(&[(Deep, Flag(true))]);
            "shallow" => Says(&[(Deep, Flag(false))]);
            "rectified linear unit | rectified linear units | rectifier | rectifiers" => Is(Activation, "ReLU");
            "swish" => Is(Activation, "SiLU");
            "leaky | leaky rectifier" => Is(Activation, "LeakyReLU");
            "hyperbolic tangent" => Is(Activation, "Tanh");
            "logistic sigmoid | sigmoids" => Is(Activation, "Sigmoid");
            "nonlinearity | nonlinearities | activation | activations | activation function | activation functions | non linearity" => Is(Activation, "any");
        },
    },
    Heading {
        title: "Training",
        entries: entries! {
            "stochastic gradient descent | gradient descent" => Is(Slot::Optimizer, "SGD");
            "cosine | cosine schedule | cosine annealing | cosine decay | cosine learning rate | cosine annealing LR" => Is(Schedule, "CosineAnnealingLR");
            "one cycle | 1cycle | 1 cycle | one cycle schedule | one cycle LR" => Is(Schedule, "OneCycleLR");
            "step schedule | step decay | step LR | stepwise decay | multi step" => Is(Schedule, "StepLR");
            "exponential decay | exponential schedule | exponential LR" => Is(Schedule, "ExponentialLR");
            "Nesterov | Nesterov momentum" => Says(&[(Nesterov, Flag(true))]);
            "cross entropy | cross entropy loss | crossentropy | categorical cross entropy | CE loss" => Is(Slot::Loss, "CrossEntropyLoss");
            "binary cross entropy | BCE | BCE loss | binary cross entropy loss" => Is(Slot::Loss, "BCELoss");
            "BCE with logits | binary cross entropy with logits | BCE with logits loss" => Is(Slot::Loss, "BCEWithLogitsLoss");
            "mean squared error | MSE | MSE loss | squared error | L2 loss | squared loss" => Is(Slot::Loss, "MSELoss");
            "mean absolute error | MAE | L1 loss | absolute error | MAE loss" => Is(Slot::Loss, "L1Loss");
            "Huber | Huber loss" => Is(Slot::Loss, "HuberLoss");
            "smooth L1 | smooth L1 loss" => Is(Slot::Loss, "SmoothL1Loss");
            "negative log likelihood | NLL | NLL loss" => Is(Slot::Loss, "NLLLoss");
            "hinge loss | multi margin loss | multi class hinge loss | hinge" => Is(Slot::Loss, "MultiMarginLoss");
        },
    },
    Heading {
        title: "Layers in a list, besides those of the catalog by their names",
        entries: entries! {
            "conv | convolution | conv layer | convolutional layer | convolution layer" => Layer("Conv");
            "transposed conv | transposed convolution | conv transpose | deconv | deconvolution | up conv" => Layer("ConvTranspose");
            "linear | linear layer | dense | dense layer | fully connected | fully connected layer | FC | FC layer" => Layer("Linear");
            "LSTM layer" => Layer("LSTM");
            "GRU layer" => Layer("GRU");
            "RNN layer | recurrent layer" => Layer("RNN");
            "upsample | upsampling | up sample" => Layer("Upsample");
            "flatten | flattening | flatten layer" => Layer("Flatten");
            "transformer encoder layer | transformer layer | encoder layer | encoder block" => Layer("TransformerEncoderLayer");
        },
    },
    Heading {
        title: "Words that join, and words that take out",
        entries: entries! {
            "and | & | plus | also | as well as | or | nor | along with" => And;
            "then | followed by | into | after that | and then | next comes | feeding | to" => Then;
            "without | without any | neither | no | not | w/o | without a | lacking | never | dont use | do not use | dont want | do not want | instead of | in place of | rather than | except | minus | but no | but not | avoid | remove | drop the | leave out | excluding | free of | isnt | is not | not a | not an" => Not;
        },
    },
];

/// Words that mean nothing here.
pub(super) const FILLERS: &str = "a an the next this that these those it its i we you me my our your he she they their them one ones \
    base percent with w of for on in at by from as is are be was were been being has have having had do does did will would can could should \
    may might must shall which who whose what when where how why if but so than there here out up off over under about each \
    every all any some both either such same own just only very too quite rather please thanks thank hello hi hey want need \
    like give make makes making made build builds building create creates creating draw draws design write show get let lets \
    use uses used using take takes taking taken put add adds added train trains trained training fit fits train fitted run \
    predict predicts predicting prediction predictions predicted estimate estimates estimating output input data dataset \
    set sets data's layer's based type kind sort style size sized sizes number numbers standard classic classical vanilla basic \
    simple plain usual normal typical default modern good nice best better original small-ish regular everything else \
    read reads reading learn learns learning machine ai task problem maps map mapping given gives give return returns returning \
    contains contain containing consists consist consisting comprised include includes including followed between through \
    per its value values total apply applied applying set equal equals exactly about approximately roughly around via end ends \
    ending final last first second third start starting begin beginning head stem body hidden-state most least at more less \
    long short big-ish new old real handwritten hand written number-of way ways work works working well fast quickly cheap \
    function version neural encoder x dimensions vision recurrent-ish variant tell tells telling find finds detect detects detecting \
    sees see look looks looking go goes going comes come im ill id youd were theres thats whats it's etc eg ie e g i'd \
    optimizer optimizers optimize optimizes optimized optimization loss losses schedule schedules scheduler minimize minimizes using \
    code probability p chance deep-learning pytorch torch glowgrad python nn optim module sequential square px \
    dimensional dimension dimensions d activated activates applied stacked stacks stack stacking sequence-of lot lots many few several \
    digit letter animals cats dogs cat dog clothes clothing species flowers faces people's objects different kinds various \
    in_channels whether according accordingly possible possibly maybe perhaps something anything nothing thing things stuff okay ok yes kindly";

/// What the table says of a key, the letters and digits of a phrase.
pub(super) fn meanings() -> &'static HashMap<String, Meaning> {
    static MEANINGS: OnceLock<HashMap<String, Meaning>> = OnceLock::new();
    MEANINGS.get_or_init(|| {
        let mut all: HashMap<String, Meaning> = HashMap::new();
        for word in FILLERS.split_whitespace() {
            all.insert(key_of(word), Meaning::Filler);
        }
        for row in catalog::rows() {
            let name = row.short();
            let meaning = match (row.kind.as_str(), family(row)) {
                ("loss", _) => Meaning::Is(Slot::Loss, name),
                ("optimizer", _) => Meaning::Is(Slot::Optimizer, name),
                ("layer", "activation") if is_activation(row) => {
                    Meaning::Is(Slot::Activation, name)
                }
                ("layer", _) if !name.starts_with("Lazy") => Meaning::Layer(name),
                _ => continue,
            };
            all.insert(key_of(name), meaning);
            // "max pool" is any of MaxPool1d and so on, of which the shape decides.
            let base = name.trim_end_matches("1d");
            if base != name && row.kind == "layer" {
                all.insert(key_of(base), Meaning::Layer(base));
            }
        }
        for (unit, phrases) in UNITS.iter().map(|unit| (unit, unit.words)) {
            for phrase in phrases.split('|') {
                all.insert(key_of(phrase), Meaning::Unit(unit));
            }
        }
        for data in DATA_SETS {
            for phrase in data.words.split('|') {
                all.insert(key_of(phrase), Meaning::Is(Slot::Data, data.name));
            }
        }
        for entry in HEADINGS.iter().flat_map(|heading| heading.entries) {
            for phrase in entry.words.split('|') {
                all.insert(key_of(phrase), entry.meaning);
            }
        }
        all.remove("");
        all
    })
}

/// Whether a layer of the catalog bends and nothing else: those that need arguments or change the shape are for lists.
fn is_activation(row: &catalog::Row) -> bool {
    row.settings().all(|argument| !argument.required)
        && !matches!(
            row.short(),
            "GLU" | "Softmax" | "LogSoftmax" | "Softmin" | "Softmax2d"
        )
}

/// The key of a phrase.
pub(super) fn key_of(phrase: &str) -> String {
    tokens(phrase).iter().filter_map(key).collect()
}

/// Single words of all phrases, for words that are spelled otherwise.
pub(super) fn vocabulary() -> &'static [String] {
    static WORDS: OnceLock<Vec<String>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let mut words: Vec<String> = (HEADINGS.iter())
            .flat_map(|heading| heading.entries)
            .map(|entry| entry.words)
            .chain(UNITS.iter().map(|unit| unit.words))
            .chain(DATA_SETS.iter().map(|data| data.words))
            .flat_map(tokens)
            .filter_map(|token| key(&token).map(str::to_owned))
            .chain(catalog::rows().iter().map(|row| key_of(row.short())))
            .filter(|word| word.len() >= 4 && word.chars().all(char::is_alphabetic))
            .collect();
        words.sort();
        words.dedup();
        words
    })
}
