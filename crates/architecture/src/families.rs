//! Under which heading a layer is listed.

use crate::catalog::Row;

/// Headings in their order, each with words that the names of its layers have, the first heading that fits counts.
const FAMILIES: &[(&str, &[&str])] = &[
    ("linear", &["Linear", "Bilinear"]),
    ("convolution", &["Conv", "Unfold", "Fold"]),
    ("pooling", &["Pool"]),
    ("normalization", &["Norm", "LRN"]),
    ("regularization", &["Dropout"]),
    ("recurrent", &["RNN", "LSTM", "GRU"]),
    (
        "attention",
        &["Attention", "Transformer", "Positional", "KVCache"],
    ),
    ("embedding", &["Embedding"]),
    ("padding", &["Pad"]),
    (
        "shape",
        &[
            "Flatten",
            "Unflatten",
            "Shuffle",
            "Identity",
            "Upsampl",
            "Upsample",
        ],
    ),
    ("distance", &["Cosine", "Pairwise", "Adaptive"]),
];

/// The heading of a row; what fits none is an activation.
pub fn family(row: &Row) -> &'static str {
    if row.kind != "layer" {
        return match row.kind.as_str() {
            "loss" => "loss",
            "optimizer" => "optimizer",
            _ => "container",
        };
    }
    let name = row.short();
    let found = FAMILIES
        .iter()
        .find(|(_, words)| words.iter().any(|word| name.contains(word)));
    match name {
        "Fold" | "Unfold" => "shape",
        _ if name.starts_with("Lazy") => "lazy",
        _ => found.map_or("activation", |(family, _)| family),
    }
}

#[cfg(test)]
mod tests {
    use super::family;
    use crate::catalog::row;

    #[test]
    fn layers_stand_under_their_headings() {
        for (name, expected) in [
            ("Linear", "linear"),
            ("Conv2d", "convolution"),
            ("MaxPool2d", "pooling"),
            ("AdaptiveAvgPool2d", "pooling"),
            ("ReLU", "activation"),
            ("LogSoftmax", "activation"),
            ("LayerNorm", "normalization"),
            ("Unflatten", "shape"),
            ("PositionalEncoding", "attention"),
            ("ZeroPad2d", "padding"),
        ] {
            assert_eq!(row(name).map(family), Some(expected), "{name}");
        }
    }
}
