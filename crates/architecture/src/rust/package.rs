//! A network as a crate of its own: its module, and a program that runs it.

use crate::error::Result;
use crate::model::{Architecture, Size};
use crate::rust;

/// The file of weights beside a crate.
const WEIGHTS: &str = "weights.safetensors";

/// The files of a crate by name: cargo runs it beside glowgrad's source.
///
/// ```
/// let net = glowgrad_architecture::presets::preset("lenet")?;
/// let files = glowgrad_architecture::rust::package(&net)?;
/// let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
/// assert_eq!(names, ["Cargo.toml", "src/lib.rs", "src/main.rs", "README.md"]);
/// # Ok::<(), glowgrad_architecture::Error>(())
/// ```
///
/// # Errors
/// As [`rust::write`]'s.
pub fn package(net: &Architecture) -> Result<Vec<(&'static str, String)>> {
    let mut name = net.name.to_lowercase();
    // What a crate may not be called, or is called already.
    let others = ["glowgrad", "std", "core", "alloc", "test", "proc_macro"];
    if others.contains(&name.as_str()) || rust::KEYWORDS.contains(&name.as_str()) {
        name.push_str("_net");
    }
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         # Where glowgrad's source lies.\nglowgrad = {{ path = \"../glowgrad/crates/glowgrad\" }}\n"
    );
    Ok(vec![
        ("Cargo.toml", manifest),
        ("src/lib.rs", rust::write(net)?),
        ("src/main.rs", program(net, &name)),
        ("README.md", readme(net)),
    ])
}

/// A program that loads the weights where they are, and runs the network on zeros.
fn program(net: &Architecture, name: &str) -> String {
    let mut inputs = String::new();
    for (i, input) in net.inputs.iter().enumerate() {
        let size = |size: &Size| match size {
            Size::Number(n) => n.to_string(),
            Size::Open(_) => "1".to_owned(),
        };
        let sizes: Vec<String> = input.shape.iter().map(size).collect();
        let (zero, dtype) = match input.dtype.as_str() {
            "int64" => ("Scalar::Int(0)", "DType::I64"),
            "bool" => ("Scalar::Int(0)", "DType::Bool"),
            _ => ("Scalar::Float(0.0)", "DType::F32"),
        };
        inputs.push_str(&format!(
            "    let x{i} = Tensor::full(&engine, &[{}], {zero}, {dtype})?;\n",
            sizes.join(", ")
        ));
    }
    let given: Vec<String> = (0..net.inputs.len()).map(|i| format!("&x{i}")).collect();
    let given = given.join(", ");
    let (modules, run) = match (net.inputs.len(), net.outputs.len()) {
        (1, 1) => (
            "{Module, Parts}",
            format!("    let y = model.forward({given})?;\n    println!(\"{{:?}}\", y.shape());\n"),
        ),
        (_, 1) => (
            "Parts",
            format!("    let y = model.run({given})?;\n    println!(\"{{:?}}\", y.shape());\n"),
        ),
        (_, n) if n > rust::MOST_IN_A_TUPLE => (
            "Parts",
            format!(
                "    for y in model.run({given})? {{\n        println!(\"{{:?}}\", y.shape());\n    }}\n"
            ),
        ),
        (_, n) => {
            let names: Vec<String> = (0..n).map(|i| format!("y{i}")).collect();
            let shown: String = names
                .iter()
                .map(|y| format!("    println!(\"{{:?}}\", {y}.shape());\n"))
                .collect();
            (
                "Parts",
                format!(
                    "    let ({}) = model.run({given})?;\n{shown}",
                    names.join(", ")
                ),
            )
        }
    };
    format!(
        "//! Runs {} on zeros and prints the shape of what it gives.\n\n\
         use std::path::Path;\n\n\
         use glowgrad::data::read_safetensors;\nuse glowgrad::nn::{modules};\nuse glowgrad::{{DType, Result, Scalar, Tensor}};\n\n\
         fn main() -> Result<()> {{\n    let engine = glowgrad::cpu();\n    let model = {name}::{}::new(&engine)?;\n    \
         let weights = Path::new(\"{WEIGHTS}\");\n    if weights.exists() {{\n        \
         model.load_state_dict(&read_safetensors(&engine, weights)?)?;\n    }}\n    model.eval();\n{inputs}{run}    Ok(())\n}}\n",
        net.name, net.name
    )
}

fn readme(net: &Architecture) -> String {
    let note = match net.note.trim() {
        "" => "A network.",
        note => note,
    };
    format!(
        "# {}\n\n{note}\n\nDrawn in glowgrad's studio. Put this folder beside glowgrad's, or change the path in `Cargo.toml`; then\n\
         `cargo run --release`. The weights are in `{WEIGHTS}`; another file with the same names takes its place.\n",
        net.name
    )
}
