//! Data sets and tensors in files.

use std::fs;
use std::path::Path;

use glowgrad_files::tensor::{from_array, of_file, to_array};
use glowgrad_files::{Array, cifar, idx, safetensors};
use glowgrad_tensor::{DType, Engine, Error, Result, Scalar, Tensor};

fn bytes(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| Error::runtime(format!("{}: {error}", path.display())))
}

/// The first file of these names that is in a folder.
fn one_of(folder: &Path, names: &[String]) -> Result<Vec<u8>> {
    let found = names
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file());
    let Some(path) = found else {
        return Err(Error::value(format!(
            "{} has no {}; put the file there",
            folder.display(),
            names.join(" or ")
        )));
    };
    bytes(&path)
}

/// Images as float32 from 0 to 1.
fn scaled(engine: &Engine, images: &Array<'_>) -> Result<Tensor> {
    let full = Tensor::number(engine, Scalar::Float(255.0));
    from_array(engine, images)?.to(DType::F32)?.div(&full)
}

/// The images `[N, 1, 28, 28]`, from 0 to 1, and labels `[N]` of MNIST or Fashion-MNIST, from a folder with its IDX
/// files, plain or gzip.
///
/// # Errors
/// When a file is missing or damaged.
pub fn mnist(engine: &Engine, folder: &Path, train: bool) -> Result<(Tensor, Tensor)> {
    let part = if train { "train" } else { "t10k" };
    let names = |kind: &str| ["", ".gz"].map(|end| format!("{part}-{kind}-ubyte{end}"));
    let images = one_of(folder, &names("images-idx3"))?;
    let images = scaled(engine, &idx::read(&images).map_err(of_file)?)?.unsqueeze(1)?;
    let labels = one_of(folder, &names("labels-idx1"))?;
    let labels = from_array(engine, &idx::read(&labels).map_err(of_file)?)?.to(DType::I64)?;
    // What is read once is computed once.
    engine.realize(&[images.node(), labels.node()])?;
    Ok((images, labels))
}

/// The images `[N, 3, 32, 32]`, from 0 to 1, and labels `[N]` of a CIFAR-10 file in its binary format, plain or gzip.
///
/// # Errors
/// When the file is missing or damaged.
pub fn cifar10(engine: &Engine, path: &Path) -> Result<(Tensor, Tensor)> {
    let file = bytes(path)?;
    let file = cifar::read(&file, cifar::Classes::Ten).map_err(of_file)?;
    let images = scaled(engine, &file.images)?;
    engine.realize(&[images.node()])?;
    Ok((images, from_array(engine, &file.labels)?))
}

/// The tensors of a safetensors file by name.
///
/// # Errors
/// When the file is missing or damaged.
pub fn read_safetensors(engine: &Engine, path: &Path) -> Result<Vec<(String, Tensor)>> {
    let file = bytes(path)?;
    let file = safetensors::read(&file).map_err(of_file)?;
    let each = file.tensors.iter();
    each.map(|(name, array)| Ok((name.to_string(), from_array(engine, array)?)))
        .collect()
}

/// Writes tensors by name into a safetensors file: the state of a module, for PyTorch too.
///
/// ```
/// use glowgrad_nn::data::{read_safetensors, write_safetensors};
/// use glowgrad_nn::nn::{Linear, Parts};
/// # let engine = glowgrad_tensor::Engine::new(Box::new(glowgrad_cpu::CpuBackend::new()));
/// # let path = std::env::temp_dir().join(format!("glowgrad-state-{}.safetensors", std::process::id()));
/// let layer = Linear::new(&engine, 2, 1)?;
/// write_safetensors(&path, &layer.state_dict())?;
/// Linear::new(&engine, 2, 1)?.load_state_dict(&read_safetensors(&engine, &path)?)?;
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), glowgrad_tensor::Error>(())
/// ```
///
/// # Errors
/// When a tensor cannot be computed, or the file cannot be written.
pub fn write_safetensors(path: &Path, tensors: &[(String, Tensor)]) -> Result<()> {
    let arrays: Vec<(&str, Array<'static>)> = (tensors.iter())
        .map(|(name, tensor)| Ok((name.as_str(), to_array(tensor)?)))
        .collect::<Result<_>>()?;
    let named = arrays.iter().map(|(name, array)| (*name, array));
    let bytes = safetensors::write(named, Vec::<(String, String)>::new()).map_err(of_file)?;
    fs::write(path, bytes).map_err(|error| Error::runtime(format!("{}: {error}", path.display())))
}
