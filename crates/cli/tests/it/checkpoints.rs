//! A program that is killed while it saves a checkpoint leaves the old one or the new one.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use glowgrad_files::safetensors;

/// Saves one checkpoint after another, each of one number in every place.
const SAVES: &str = "
import sys
import torch
from glowgrad.training import Checkpoint

step = int(sys.argv[2])
while True:
    Checkpoint({'model.weight': torch.full((200_000,), float(step))}, {'progress': {'step': step}}).save(sys.argv[1])
    print(step, flush=True)
    step += 1
";

/// How often the program is killed.
const KILLS: u64 = 100;

/// The step of a whole checkpoint.
fn step_of(path: &Path) -> f32 {
    let bytes = fs::read(path).expect("a checkpoint is there");
    let file = safetensors::read(&bytes).expect("it is whole");
    let weight = file.get("model.weight").expect("it has the tensor").bytes();
    let first: [u8; 4] = weight[..4].try_into().expect("four bytes");
    assert!(
        weight.as_chunks().0.iter().all(|number| *number == first),
        "two checkpoints in one"
    );
    f32::from_le_bytes(first)
}

#[test]
fn a_killed_program_leaves_the_old_checkpoint_or_the_new_one() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("killed");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the build folder is writable");
    let script = folder.join("saves.py");
    fs::write(&script, SAVES).expect("the build folder is writable");
    let path = folder.join("run.safetensors");
    let mut before = 0.0;
    for kill in 0..KILLS {
        let written = || fs::metadata(&path).and_then(|file| file.modified()).ok();
        let written_before = written();
        let mut program = Command::new(env!("CARGO_BIN_EXE_glow"))
            .arg("python")
            .args([&script, &path])
            .arg(before.to_string())
            .stdout(Stdio::null())
            .spawn()
            .expect("glow starts");
        let began = Instant::now();
        while written() == written_before {
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "it saves nothing"
            );
            thread::sleep(Duration::from_millis(1));
        }
        // At another moment of a saving each time.
        thread::sleep(Duration::from_micros(kill * 97 % 4_000));
        program.kill().expect("it runs");
        program.wait().expect("it has ended");
        let step = step_of(&path);
        assert!(step >= before, "step {step} came after {before}");
        before = step;
    }
}
