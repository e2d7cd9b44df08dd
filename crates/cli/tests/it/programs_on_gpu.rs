//! Whole training programs print on wgpu what real PyTorch printed for them on a CPU.
//!
//! They are the tutorials and training curves of `tests/torch_programs`, and the other programs there that train a network
//! from first to last; `glow python FILE --device wgpu` runs them, with wgpu as their default device. Where there is no
//! adapter, they are skipped, and it is said. Those that a GPU in software takes longest for run when they are asked for:
//! `cargo test -p glowgrad-cli --test it on_the_gpu -- --ignored`.
//!
//! Text has to agree but for its spaces, which follow the width of numbers, and whole numbers have to be equal. A GPU sums
//! in another order, so numbers with a point may differ: see [`is_close`].

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use glowgrad_check::tolerance::FLOAT32;

/// Programs that take a GPU in software half a minute to two minutes each, and the suite as long as all others together.
const LONG: &[&str] = &[
    "curve_gpt",
    "curve_lstm",
    "curve_transformer",
    "recurrent_training",
    "transformer_training",
];

/// Programs of other names that train a network.
const OTHERS: &[&str] = &[
    "convolutional_network",
    "language_model_step",
    "train_network",
    "variational_autoencoder",
];

/// Programs that cannot agree, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    (
        "tutorial_dataset_and_loader",
        "it prints tensors of torch.from_numpy, which are on the CPU and say so, as in PyTorch",
    ),
    (
        "tutorial_policy_gradient",
        "it hands a network on the default device tensors of torch.from_numpy, which PyTorch refuses, too",
    ),
    (
        "tutorial_time_series",
        "it hands a network on the default device tensors of torch.from_numpy, and fits a line in float64",
    ),
    (
        "tutorial_vae",
        "it moves its network to the CPU and hands it tensors of the default device, which PyTorch refuses, too",
    ),
];

/// Where the tutorials are parted by their names, so that two processors take as long.
const MIDDLE: &str = "tutorial_g";

#[test]
fn tutorials_up_to_g_print_on_the_gpu_what_pytorch_printed() {
    agree(&|name| name.starts_with("tutorial_") && name < MIDDLE);
}

#[test]
fn tutorials_from_g_print_on_the_gpu_what_pytorch_printed() {
    agree(&|name| name.starts_with("tutorial_") && name >= MIDDLE);
}

#[test]
fn curves_and_other_trainings_print_on_the_gpu_what_pytorch_printed() {
    for name in LONG {
        println!("SKIPPED: {name}: it takes long, and runs with the ignored tests");
    }
    let is_meant = |name: &str| name.starts_with("curve_") || OTHERS.contains(&name);
    agree(&|name| is_meant(name) && !LONG.contains(&name));
}

#[test]
#[ignore = "takes minutes where the GPU is a program on the processor"]
fn long_trainings_print_on_the_gpu_what_pytorch_printed() {
    agree(&|name| LONG.contains(&name));
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/torch_programs")
}

fn glow(arguments: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_glow"))
        .args(arguments)
        .current_dir(folder())
        .output()
        .expect("glow starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// Runs the programs with such names.
#[track_caller]
fn agree(is_meant: &dyn Fn(&str) -> bool) {
    if !glow(&["devices"]).0.contains("wgpu (") {
        println!("SKIPPED: there is no Vulkan, Metal or DX12 device");
        return;
    }
    let files = std::fs::read_dir(folder()).expect("the programs are there");
    let mut names: Vec<String> = files
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(".py")?.to_owned()))
        .filter(|name| is_meant(name))
        .collect();
    names.sort();
    let (mut n_agreeing, mut wrong) = (0, Vec::new());
    for name in &names {
        if let Some((_, why)) = LEFT_OUT.iter().find(|(left_out, _)| left_out == name) {
            println!("SKIPPED: {name}: {why}");
            continue;
        }
        let start = Instant::now();
        let expected = std::fs::read_to_string(folder().join(format!("{name}.out"))).expect(name);
        let (output, errors) = glow(&["python", &format!("{name}.py"), "--device", "wgpu"]);
        match difference(&output, &expected) {
            None => n_agreeing += 1,
            Some(what) => wrong.push(format!("{name}: {what}\n{errors}")),
        }
        println!("{:>6.1} s  {name}", start.elapsed().as_secs_f64());
    }
    println!(
        "{n_agreeing} of {} programs print on wgpu what PyTorch printed",
        names.len()
    );
    assert!(!names.is_empty(), "no program has such a name");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The first line in which an output differs from the one expected.
fn difference(output: &str, expected: &str) -> Option<String> {
    let output = output.replace(", device='wgpu:0'", "");
    let mut lines = output.lines();
    for expected in expected.lines() {
        let Some(line) = lines.next() else {
            return Some(format!("it ends before {expected:?}"));
        };
        let (ours, theirs) = (pieces(line), pieces(expected));
        let is_same = |(ours, theirs): (&Piece, &Piece)| match (ours, theirs) {
            (Piece::Number(ours), Piece::Number(theirs)) => is_close(ours, theirs),
            _ => ours == theirs,
        };
        if ours.len() != theirs.len() || !ours.iter().zip(&theirs).all(is_same) {
            return Some(format!("\nours   {line}\ntheirs {expected}"));
        }
    }
    lines.next().map(|line| format!("it goes on with {line:?}"))
}

/// Text without spaces, or a number as it was printed.
#[derive(Debug, PartialEq)]
enum Piece {
    Text(String),
    Number(String),
}

fn pieces(line: &str) -> Vec<Piece> {
    let chars: Vec<char> = line.chars().collect();
    let is_digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let is = |at: usize, these: &str| chars.get(at).is_some_and(|&c| these.contains(c));
    let digits_from = |mut at: usize| {
        while is_digit(at) {
            at += 1;
        }
        at
    };
    let (mut found, mut text, mut at) = (Vec::new(), String::new(), 0);
    while at < chars.len() {
        let begins = at == 0 || !(chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
        let unsigned = at + usize::from(is(at, "+-"));
        let mut end = digits_from(unsigned);
        if !begins || end == unsigned {
            if chars[at] != ' ' {
                text.push(chars[at]);
            }
            at += 1;
            continue;
        }
        if is(end, ".") {
            end = digits_from(end + 1);
        }
        let exponent = end + 1 + usize::from(is(end + 1, "+-"));
        if is(end, "e") && is_digit(exponent) {
            end = digits_from(exponent);
        }
        if !text.is_empty() {
            found.push(Piece::Text(std::mem::take(&mut text)));
        }
        found.push(Piece::Number(chars[at..end].iter().collect()));
        at = end;
    }
    if !text.is_empty() {
        found.push(Piece::Text(text));
    }
    found
}

/// Whether a printed number is close to the one expected: by what `glowgrad_check` allows float32, and one unit of the last
/// digit that is shown, since two numbers that lie next to each other may be rounded apart. Rounding that training makes
/// grow has no room beside: a program in which it does is listed above. A whole number is close to itself.
fn is_close(ours: &str, theirs: &str) -> bool {
    let is_whole = |text: &str| !text.contains(['.', 'e']);
    if ours == theirs || is_whole(ours) || is_whole(theirs) {
        return ours == theirs;
    }
    let (Ok(x), Ok(y)) = (ours.parse::<f64>(), theirs.parse::<f64>()) else {
        return false;
    };
    let (digits, exponent) = theirs.split_once('e').unwrap_or((theirs, "0"));
    let n_decimals = digits.split_once('.').map_or(0, |(_, after)| after.len());
    let unit = 10.0f64.powi(exponent.parse().unwrap_or(0) - n_decimals as i32);
    let slack = 1.001;
    (x - y).abs() <= unit * slack + FLOAT32.absolute + FLOAT32.relative * y.abs()
}

#[test]
fn outputs_differ_by_text_and_by_numbers() {
    let same = |ours, theirs| difference(ours, theirs).is_none();
    assert!(same(
        "loss 0.1234, tensor([ 1.5,  2.0], device='wgpu:0')\n",
        "loss 0.1235, tensor([1.5, 2.0])\n"
    ));
    assert!(same("1e-07 [-0.0000]", "1e-07 [ 0.0000]") && same("", ""));
    assert!(!same("loss 0.1234", "loss 0.1236"));
    assert!(!same("hits 12 of 20", "hits 13 of 20"));
    assert!(!same("epoch1 0.5", "epoch2 0.5") && !same("a\nb\n", "a\n") && !same("a\n", "a\nb\n"));
    assert!(!same("2.5", "2") && !same("nan", "0.5"));
    assert!(same("0.999999e3", "1.000000e3") && !same("0.99e3", "1.00e4"));
}
