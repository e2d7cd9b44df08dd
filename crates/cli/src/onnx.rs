//! `glow onnx`: what a model is made of, and what it gives for arrays from `.npy` files.
//!
//! A model is data that others wrote: the name of an output becomes the name of a file only after every character that
//! could leave the folder is replaced.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use glowgrad::{Engine, Tensor};
use glowgrad_files::npy;
use glowgrad_onnx::{Info, Model, Value, from_array, to_array};

use crate::Ending;
use crate::args::OnnxTask;
use crate::engine;
use crate::terminal::Terminal;

/// Runs a subcommand.
pub(crate) fn run(terminal: &mut Terminal<'_>, task: &OnnxTask) -> Result<Ending> {
    match task {
        OnnxTask::Info { model } => info(terminal, model),
        OnnxTask::Run {
            model,
            input,
            output_dir,
            device,
        } => {
            let engine = Engine::new(engine::backend(&device.device)?);
            outputs(terminal, &engine, model, input, output_dir.as_deref())
        }
    }
}

fn read(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}

/// Bad where nodes of the model cannot run.
fn info(terminal: &mut Terminal<'_>, file: &Path) -> Result<Ending> {
    let info = Info::read(&read(file)?).with_context(|| file.display().to_string())?;
    let mut line = |text: String| terminal.line(&text);
    line(format!("IR version {}", info.ir_version))?;
    if !info.producer.is_empty() {
        line(format!("written by {}", info.producer))?;
    }
    for (name, version) in &info.opsets {
        line(format!("operator set {name} {version}"))?;
    }
    line(format!("{} parameters", info.n_parameters))?;
    let each = |what: &str, values: &[Value]| -> Vec<String> {
        let one = |value: &Value| format!("{what} {value}");
        values.iter().map(one).collect()
    };
    for text in each("input", &info.inputs) {
        line(text)?;
    }
    for text in each("output", &info.outputs) {
        line(text)?;
    }
    let n_nodes: usize = info.operators.iter().map(|op| op.n_nodes).sum();
    line(format!("{n_nodes} nodes"))?;
    for operator in &info.operators {
        line(format!("{:>6} {}", operator.n_nodes, operator.name))?;
    }
    if info.unsupported.is_empty() {
        line("all of them run here".to_owned())?;
        return Ok(Ending::Good);
    }
    line(format!(
        "{} of them cannot run here",
        info.unsupported.len()
    ))?;
    for node in &info.unsupported {
        line(format!("  {node}"))?;
    }
    Ok(Ending::Bad)
}

fn outputs(
    terminal: &mut Terminal<'_>,
    engine: &Engine,
    file: &Path,
    inputs: &[String],
    folder: Option<&Path>,
) -> Result<Ending> {
    let model = Model::read(&read(file)?).with_context(|| file.display().to_string())?;
    let inputs = (inputs.iter())
        .map(|input| array(engine, input))
        .collect::<Result<Vec<_>>>()?;
    let outputs = model.run(engine, inputs)?;
    if let Some(folder) = folder {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let mut taken = BTreeSet::new();
    for (name, tensor) in outputs {
        let Some(folder) = folder else {
            terminal.line(&format!("{name} = {}", tensor.repr()?))?;
            continue;
        };
        let bytes = npy::write(&to_array(&tensor)?).with_context(|| format!("output {name:?}"))?;
        let path = folder.join(file_name(&name, &mut taken));
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        let shape = glowgrad::shape::show(&tensor.shape());
        let line = format!("{name} {} {shape} in {}", tensor.dtype(), path.display());
        terminal.line(&line)?;
    }
    Ok(Ending::Good)
}

/// An input as it is typed: `NAME=FILE.npy`.
fn array(engine: &Engine, typed: &str) -> Result<(String, Tensor)> {
    let (name, file) = typed
        .rsplit_once('=')
        .filter(|(name, file)| !name.is_empty() && !file.is_empty())
        .ok_or_else(|| {
            anyhow!(
                "--input {typed:?} is not NAME=FILE.npy; write the input's name, = and the file"
            )
        })?;
    let bytes = read(Path::new(file))?;
    let array = npy::read(&bytes).with_context(|| file.to_owned())?;
    Ok((name.to_owned(), from_array(engine, &array)?))
}

/// A file's name for an output, which no other has.
fn file_name(output: &str, taken: &mut BTreeSet<String>) -> String {
    let plain = |ch: char| match ch.is_ascii_alphanumeric() || "_-.".contains(ch) {
        true => ch,
        false => '_',
    };
    let name: String = output.chars().map(plain).take(100).collect();
    let name = name.trim_start_matches('.');
    let base = if name.is_empty() { "output" } else { name };
    let mut file = format!("{base}.npy");
    let mut i = 1;
    while !taken.insert(file.to_lowercase()) {
        i += 1;
        file = format!("{base}_{i}.npy");
    }
    file
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::file_name;

    #[test]
    fn a_files_name_stays_in_its_folder() {
        let mut taken = BTreeSet::new();
        let mut name = |output: &str| file_name(output, &mut taken);
        assert_eq!(name("y"), "y.npy");
        assert_eq!(name("Y"), "Y_2.npy");
        assert_eq!(name("../../etc/passwd"), "_.._etc_passwd.npy");
        assert_eq!(name("/model/head:0"), "_model_head_0.npy");
        assert_eq!(name(""), "output.npy");
        assert_eq!(name("..."), "output_2.npy");
    }
}
