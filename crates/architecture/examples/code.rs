//! Prints the code of a preset: `cargo run -p glowgrad-architecture --example code -- lenet rust`

use std::env;

use glowgrad_architecture::{presets, project, python, rust, training};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = env::args().skip(1);
    let net = presets::preset(&args.next().ok_or("name a preset")?)?;
    match args.next().as_deref() {
        Some("rust") => print!("{}", rust::write(&net)?),
        Some("training") => print!("{}", training::program(&net)?),
        Some("crate") => {
            for (name, text) in rust::package(&net)? {
                println!("==> {name} <==\n{text}");
            }
        }
        Some("project") => {
            for (name, text) in project::files(&net)? {
                println!("==> {name} <==\n{text}");
            }
        }
        _ => print!("{}", python::write(&net).text),
    }
    Ok(())
}
