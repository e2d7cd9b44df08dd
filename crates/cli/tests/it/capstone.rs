//! The last lesson in the terminal: its program reads MNIST, and a library from the page stands in for the course's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const LESSON: &str = "lessons/30-your-own-framework";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn glow(arguments: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_glow"))
        .args(arguments)
        .output()
        .expect("glow starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// What the lesson promises of 60,000 digits, with the course's own pieces.
#[test]
fn the_framework_of_the_lesson_reads_mnist() {
    let Some(data) = std::env::var_os("GLOW_DATA") else {
        println!("skipped: GLOW_DATA is not set, so MNIST is not read");
        return;
    };
    let folder = root().join(data).join("mnist");
    let program = root().join(LESSON).join("mnist.py");
    let (printed, said) = glow(&[
        "python",
        &program.display().to_string(),
        &folder.display().to_string(),
    ]);
    let last = printed.lines().last().unwrap_or_default();
    let share = last
        .strip_prefix("epoch 5: ")
        .and_then(|rest| rest.split_once('%'))
        .and_then(|(share, _)| share.parse::<f64>().ok());
    assert!(
        share.is_some_and(|share| share >= 97.0),
        "{printed}\n{said}"
    );
    assert!(said.contains("mine.Adam is the course's own"), "{said}");
}

#[test]
fn a_library_of_the_learners_stands_in_for_the_courses() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own/mine");
    fs::create_dir_all(&folder).expect("the build folder is writable");
    let piece = root().join("lessons/04-broadcasting/exercises/broadcast-shapes/solution.py");
    let text = fs::read_to_string(piece).expect("the solution");
    fs::write(
        folder.join("broadcast_shapes.py"),
        format!("print('my own rule')\n{text}"),
    )
    .expect("the build folder is writable");
    let folder = folder.display().to_string();
    let (printed, said) = glow(&["lesson", "run", "your-own-framework", "--mine", &folder]);
    assert!(printed.contains("my own rule"), "{printed}");
    let said = [printed, said].concat();
    assert!(
        said.contains("mine.stretched_strides is the course's own"),
        "{said}"
    );
    assert!(
        !said.contains("mine.broadcast_shapes is the course's own"),
        "{said}"
    );

    let missing = "no/such/folder";
    let (_, said) = glow(&["lesson", "run", "your-own-framework", "--mine", missing]);
    assert!(said.contains("cannot read no/such/folder"), "{said}");
}
