//! Data sets by name: the sizes of their samples, their classes, and the data of [`crate::training`] that has their form.

/// A data set.
#[derive(Debug)]
pub(super) struct DataSet {
    /// Its name.
    pub(super) name: &'static str,
    /// Spellings, with `|` between them.
    pub(super) words: &'static str,
    /// What a sample is.
    pub(super) sample: Sample,
    /// How many classes it has; none where a number is to be found.
    pub(super) classes: Option<u64>,
    /// The data of a description of training; empty where none has this form.
    pub(super) training: &'static str,
}

/// What a sample is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sample {
    /// An image: channels, height, width.
    Image(u64, u64, u64),
    /// So many numbers.
    Table(u64),
    /// A text: the size of its vocabulary, and how many tokens.
    Text(u64, u64),
    /// A sequence: how many steps, and how many numbers in each.
    Series(u64, u64),
}

const fn data(
    name: &'static str,
    words: &'static str,
    sample: Sample,
    classes: u64,
    training: &'static str,
) -> DataSet {
    DataSet {
        name,
        words,
        sample,
        classes: if classes == 0 { None } else { Some(classes) },
        training,
    }
}

use Sample::{Image, Series, Table, Text};

/// All data sets.
pub(super) static DATA_SETS: &[DataSet] = &[
    data(
        "MNIST",
        "MNIST | handwritten digits | MNIST digits | digit recognition | hand written digits",
        Image(1, 28, 28),
        10,
        "mnist",
    ),
    data(
        "Fashion-MNIST",
        "Fashion MNIST | FMNIST | F MNIST",
        Image(1, 28, 28),
        10,
        "mnist",
    ),
    data(
        "KMNIST",
        "KMNIST | Kuzushiji MNIST",
        Image(1, 28, 28),
        10,
        "mnist",
    ),
    data(
        "CIFAR-10",
        "CIFAR 10 | CIFAR",
        Image(3, 32, 32),
        10,
        "cifar10",
    ),
    data("CIFAR-100", "CIFAR 100", Image(3, 32, 32), 100, ""),
    data(
        "digits",
        "digits | small digits | scikit digits | sklearn digits | load digits | digits data set",
        Image(1, 8, 8),
        10,
        "digits",
    ),
    data(
        "SVHN",
        "SVHN | street view house numbers",
        Image(3, 32, 32),
        10,
        "",
    ),
    data("STL-10", "STL 10", Image(3, 96, 96), 10, ""),
    data(
        "ImageNet",
        "ImageNet | ImageNet 1k | ILSVRC",
        Image(3, 224, 224),
        1000,
        "",
    ),
    data("Tiny ImageNet", "Tiny ImageNet", Image(3, 64, 64), 200, ""),
    data("CelebA", "CelebA", Image(3, 64, 64), 40, ""),
    data(
        "moons",
        "moons | two moons | make moons | half moons | moon data",
        Table(2),
        2,
        "moons",
    ),
    data(
        "circles",
        "circles | two circles | make circles | concentric circles",
        Table(2),
        2,
        "",
    ),
    data(
        "spirals",
        "spirals | spiral | spiral data | three spirals | make spirals",
        Table(2),
        3,
        "spirals",
    ),
    data(
        "blobs",
        "blobs | make blobs | gaussian blobs | clusters",
        Table(2),
        3,
        "blobs",
    ),
    data("XOR", "XOR | exclusive or", Table(2), 2, ""),
    data("iris", "iris | iris flowers", Table(4), 3, ""),
    data("wine", "wine | wines", Table(13), 3, ""),
    data(
        "breast cancer",
        "breast cancer | wisconsin",
        Table(30),
        2,
        "",
    ),
    data(
        "California housing",
        "California housing | california | California house prices",
        Table(8),
        0,
        "",
    ),
    data(
        "Boston housing",
        "Boston housing | boston",
        Table(13),
        0,
        "",
    ),
    data("diabetes", "diabetes", Table(10), 0, ""),
    data("Titanic", "Titanic", Table(7), 2, ""),
    data(
        "tiny Shakespeare",
        "Shakespeare | tiny Shakespeare | Shakespeares plays | Shakespeares",
        Text(65, 64),
        0,
        "shakespeare",
    ),
    data(
        "IMDB",
        "IMDB | IMDB reviews | IMDB movie reviews",
        Text(20_000, 256),
        2,
        "",
    ),
    data("AG News", "AG News", Text(30_000, 64), 4, ""),
    data(
        "sine waves",
        "sine | sine wave | sine waves | sinusoid | sinusoids",
        Series(50, 1),
        0,
        "",
    ),
];
