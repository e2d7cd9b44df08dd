//! Networks to begin with.

use crate::error::{Error, Result};
use crate::model::Architecture;

macro_rules! presets {
    ($($name:literal),* $(,)?) => {
        const PRESETS: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../presets/", $name, ".json"))),)*
        ];
    };
}
presets![
    "mlp",
    "lenet",
    "resnet18",
    "mobilenet_v2",
    "char_lstm",
    "gpt",
    "vit",
    "autoencoder",
    "vae",
    "generator",
    "discriminator",
    "diffusion",
];

/// A network by name.
///
/// # Errors
/// For a name that there is not.
pub fn preset(name: &str) -> Result<Architecture> {
    let found = PRESETS.iter().find(|(one, _)| *one == name);
    let (_, text) = found.ok_or_else(|| {
        let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
        Error::new(format!(
            "there is no preset {name:?}; there are {}",
            names.join(", ")
        ))
    })?;
    Architecture::parse(text)
}

/// The names, each with what the network is.
pub fn names() -> impl Iterator<Item = (&'static str, String)> {
    PRESETS.iter().map(|(name, text)| {
        let note = Architecture::parse(text)
            .map(|net| net.note)
            .unwrap_or_default();
        (*name, note)
    })
}
