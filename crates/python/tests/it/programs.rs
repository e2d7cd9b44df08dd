//! Whole programs print what real PyTorch, NumPy and CPython printed for them.
//!
//! A program that needs what the engine does not have yet is listed with the reason. It is run all
//! the same and must still differ: one that begins to agree has to leave the list.

use crate::common::lab;

/// Programs that are not there yet, and what they wait for.
const PENDING: &[(&str, &str)] = &[(
    "einsum_attention",
    "einsum's result lies row by row here and in another order in PyTorch, whose flatten copies it: \
     ViewBackward0 for UnsafeViewBackward0",
)];

#[test]
fn programs_print_what_pytorch_printed() {
    run("torch_programs");
}

#[test]
fn programs_print_what_cpython_printed() {
    run("python_programs");
}

#[test]
fn programs_print_what_numpy_printed() {
    run("numpy_programs");
}

#[test]
fn networks_of_the_zoo_print_what_they_printed_under_pytorch() {
    run("zoo_programs");
}

/// Runs every program of a folder of `tests/`.
#[track_caller]
fn run(folder: &str) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests")
        .join(folder);
    let mut wrong = Vec::new();
    let mut n_agreeing = 0;
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the programs are there")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(".py")?.to_owned()))
        .collect();
    names.sort();
    for name in &names {
        let read = |extension: &str| {
            std::fs::read_to_string(folder.join(format!("{name}.{extension}"))).expect(name)
        };
        let (source, expected) = (read("py"), read("out"));
        let pending = PENDING.iter().find(|(pending, _)| pending == name);
        let (agrees, difference) = lab(move |lab| {
            let outcome = lab.run(&source);
            let error = outcome
                .as_ref()
                .err()
                .map_or(String::new(), |e| e.traceback.clone());
            let output = lab.host.output();
            let differs = output
                .lines()
                .zip(expected.lines())
                .find(|(ours, theirs)| ours != theirs);
            let line = differs.map_or(String::new(), |(ours, theirs)| {
                format!("ours   {ours}\ntheirs {theirs}\n")
            });
            (output == expected, format!("{line}{error}"))
        });
        match (agrees, pending) {
            (true, None) => n_agreeing += 1,
            (false, Some((_, reason))) => println!("skipped: {name}: {reason}"),
            (true, Some(_)) => wrong.push(format!("{name} agrees now: take it off the list")),
            (false, None) => wrong.push(format!("{name}:\n{difference}")),
        }
    }
    println!(
        "{n_agreeing} of {} programs of {} print what they printed there",
        names.len(),
        folder.display()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
