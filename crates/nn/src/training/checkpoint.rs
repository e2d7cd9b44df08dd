//! Checkpoints: a training run in a safetensors file, from which it goes on bit for bit.
//!
//! The file's tensors are `model.NAME` of the module's state dict, `optimizer.INDEX.NAME` of the optimizer's state, the
//! states of the random numbers, now (`random.now`) and when the epoch began (`random.epoch`), and the loss of each step
//! (`history.losses`). Its texts, JSON each, are `optimizer` (options and numbers), `scheduler`, `progress` and `epochs`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use glowgrad_files::tensor::{from_array, to_array};
use glowgrad_files::{Array, safetensors};
use glowgrad_tensor::{Engine, Error, Result, Tensor};
use serde_json::Value;

const FORMAT: &str = "glowgrad-checkpoint 1";

/// What a file holds: tensors by name, and what its JSON says, by name.
///
/// ```
/// use glowgrad_nn::training::Checkpoint;
/// # use glowgrad_tensor::{Engine, Tensor};
/// # let engine = Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
/// # let path = std::env::temp_dir().join(format!("glowgrad-{}.safetensors", std::process::id()));
/// let mut checkpoint = Checkpoint::default();
/// checkpoint.tensors.push(("model.weight".to_owned(), Tensor::from_f32(&engine, &[1.0], &[1])?));
/// checkpoint.save(&path)?;
/// let again = Checkpoint::load(&engine, &path)?;
/// assert_eq!(again.part("model")[0].0, "weight");
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), glowgrad_tensor::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Checkpoint {
    /// Tensors by name.
    pub tensors: Vec<(String, Tensor)>,
    /// What its JSON says, by name.
    pub texts: BTreeMap<String, Value>,
}

impl Checkpoint {
    /// The tensors whose names begin with `name` and a dot, without that.
    pub fn part(&self, name: &str) -> Vec<(String, Tensor)> {
        let rest = |full: &str| {
            full.strip_prefix(name)?
                .strip_prefix('.')
                .map(str::to_owned)
        };
        (self.tensors.iter())
            .filter_map(|(full, tensor)| Some((rest(full)?, tensor.clone())))
            .collect()
    }

    /// The tensor of that name.
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        let found = self.tensors.iter().find(|(other, _)| other == name);
        found.map(|(_, tensor)| tensor)
    }

    /// Writes the file: until the new one is whole, the old one stays.
    ///
    /// # Errors
    /// When a tensor cannot be computed, or the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let arrays: Vec<(&str, Array<'static>)> = (self.tensors.iter())
            .map(|(name, tensor)| Ok((name.as_str(), to_array(tensor)?)))
            .collect::<Result<_>>()?;
        let mut texts: BTreeMap<&str, String> = BTreeMap::new();
        for (name, value) in &self.texts {
            texts.insert(name, value.to_string());
        }
        texts.insert("format", FORMAT.to_owned());
        let tensors = arrays.iter().map(|(name, array)| (*name, array));
        let bytes = safetensors::write(tensors, texts).map_err(|error| fault(path, &error))?;
        replace(path, &bytes).map_err(|error| fault(path, &error))
    }

    /// Reads a file that `save` wrote, or Python's `glowgrad.training`.
    ///
    /// # Errors
    /// When the file cannot be read, or is no checkpoint.
    pub fn load(engine: &Engine, path: &Path) -> Result<Checkpoint> {
        let bytes = fs::read(path).map_err(|error| fault(path, &error))?;
        let file =
            safetensors::read(&bytes).map_err(|error| no_checkpoint(path, &error.to_string()))?;
        let format = file.metadata.iter().find(|(name, _)| name == "format");
        let format = format.map(|(_, text)| text.as_str());
        if format != Some(FORMAT) {
            return Err(no_checkpoint(
                path,
                &format!(
                    "its format is {}, and expected is {FORMAT}",
                    format.unwrap_or("not said")
                ),
            ));
        }
        let mut found = Checkpoint::default();
        for (name, text) in &file.metadata {
            if name != "format" {
                let value = serde_json::from_str(text).map_err(|error| {
                    no_checkpoint(path, &format!("its text {name} is no JSON: {error}"))
                })?;
                found.texts.insert(name.clone(), value);
            }
        }
        for (name, array) in &file.tensors {
            found
                .tensors
                .push((name.to_string(), from_array(engine, array)?));
        }
        Ok(found)
    }
}

fn fault(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::runtime(format!("{}: {error}", path.display()))
}

fn no_checkpoint(path: &Path, why: &str) -> Error {
    Error::value(format!(
        "{} is no checkpoint of a training run: {why}",
        path.display()
    ))
}

/// Puts bytes into a file beside the one of that name, which then takes its place.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        fs::create_dir_all(folder)?;
    }
    let mut name = OsString::from(path.as_os_str());
    name.push(".part");
    let part = Path::new(&name);
    let written = File::create(part).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let moved = written.and_then(|()| fs::rename(part, path));
    if moved.is_err() {
        let _ = fs::remove_file(part);
    }
    moved
}
