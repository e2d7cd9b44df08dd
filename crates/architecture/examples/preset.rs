//! Writes a preset: the network of a Python file as JSON, with how it is trained from a JSON file.
//! `cargo run -p glowgrad-architecture --example preset -- NET.py TRAINING.json > presets/net.json`

use std::{env, fs};

use glowgrad_architecture::python;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut paths = env::args().skip(1);
    let code = fs::read_to_string(paths.next().ok_or("name a Python file")?)?;
    let mut net = python::read(&code, None)?.net;
    if let Some(path) = paths.next() {
        net.training = Some(serde_json::from_str(&fs::read_to_string(path)?)?);
    }
    print!("{}", net.to_json());
    Ok(())
}
