//! Whole programs print on wgpu what real PyTorch printed for them on a CPU.
//!
//! They are those of `tests/torch_programs`; `glow python FILE --device wgpu` runs them, with wgpu as their default device.
//! Where there is no adapter, they are skipped, and it is said. A GPU in software takes seconds to minutes for most of
//! them, so the suite runs a third of those that it does at once; the others run when they are asked for:
//! `cargo test --workspace --test it on_the_gpu -- --ignored`.
//!
//! Text has to agree but for its spaces, which follow the width of numbers, and whole numbers have to be equal. A GPU sums
//! in another order, so numbers with a point may differ: see [`is_close`].

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use glowgrad_check::tolerance::FLOAT32;

/// What a GPU in software does within seconds, and some programs that train.
const QUICK: &[&str] = &[
    "accumulate",
    "advanced_indexing",
    "autograd_every_argument",
    "autograd_functional",
    "autograd_grad",
    "autograd_messages",
    "autograd_own_functions",
    "backward_needs_scalar",
    "bits_and_arrays",
    "broadcast_gradients",
    "compiling",
    "container_modules",
    "convolutional_network",
    "corners_of_calls",
    "curve_mlp",
    "custom_function",
    "data_samplers",
    "default_dtype",
    "deleting",
    "deprecated_layers",
    "derivatives_forward",
    "detach_shares",
    "distributions_wrong_calls",
    "double_backward",
    "dtypes_and_promotion",
    "elements_by_place",
    "embedding_bags",
    "error_types",
    "function_batches",
    "function_with_saved_tensors",
    "functional_call_stateless",
    "half_precision",
    "hooks_and_retain_grad",
    "inplace_errors",
    "language_model_step",
    "leaf_inplace_error",
    "masks_and_where",
    "matrices_that_cannot_be_factored",
    "memory_resized_and_shared",
    "methods_in_a_row",
    "module_hooks",
    "module_registration",
    "module_tools",
    "modules",
    "multihead_attention_wrong",
    "nested_modules",
    "no_grad_update",
    "one_hot_and_scatter",
    "optim_of_ones_own",
    "optim_schedules",
    "optim_schedules_resumed",
    "optim_schedules_wrong",
    "optimisers",
    "optimisers_by_name",
    "out_arguments",
    "padding_layers",
    "print_grad_fn",
    "random_module",
    "random_numbers",
    "rearranged",
    "recurrent_wrong_calls",
    "requires_grad_flow",
    "retain_graph",
    "seeded_draws",
    "sorting_and_selecting",
    "special_functions",
    "strides_and_storage",
    "tensor_subclass",
    "transformer_block",
    "tutorial_argparse_and_logging",
    "tutorial_cnn_training",
    "tutorial_custom_function",
    "tutorial_custom_optimizer",
    "tutorial_diffusion",
    "tutorial_dqn",
    "tutorial_first_network",
    "tutorial_gan",
    "tutorial_gpt",
    "tutorial_micrograd",
    "tutorial_resnet",
    "tutorial_transfer_learning",
    "tutorial_word_embeddings",
    "uint8_images",
    "variational_autoencoder",
    "version_counter_error",
    "views_share_storage",
    "weight_initialisation",
    "what_layers_rest_on",
    "writes_behind_the_tape",
    "written_before_backward",
];

/// Programs that cannot agree, by the reason.
const LEFT_OUT: &[(&str, &[&str])] = &[
    (
        "it puts tensors on the CPU by name, or reads them from files and NumPy, and prints or mixes them, which PyTorch refuses, too",
        &[
            "activation_layers",
            "adaptive_softmax",
            "convolution_layers",
            "data_loader",
            "lazy_layers",
            "meta_device",
            "module_state",
            "optim_as_functions",
            "optim_averaged_models",
            "optim_state",
            "packed_sequences",
            "python_protocols",
            "save_and_load",
            "saved_arrays",
            "tutorial_dataset_and_loader",
            "tutorial_policy_gradient",
            "tutorial_time_series",
            "tutorial_vae",
        ],
    ),
    (
        "it asks for the CPU's own settings, or what devices there are",
        &[
            "amp",
            "devices_asked",
            "kinds_and_settings",
            "old_names",
            "optim_wrong_calls",
        ],
    ),
    (
        "its numbers need float64",
        &[
            "corners_and_bounds",
            "distributions_discrete",
            "numbers_in_parts",
            "slopes_and_areas",
        ],
    ),
    (
        "its numbers are compared to the last bit, and those of exp and its like are a GPU's own",
        &["sixteen_bits"],
    ),
    (
        "a divisor that is zero is an error on a CPU alone",
        &["numbers_that_do_not_fit"],
    ),
    (
        "it differs on the CPU, too: see python/tests/it/programs.rs",
        &["einsum_attention"],
    ),
    (
        "it takes a GPU in software more than two minutes",
        &[
            "images_transformed",
            "packed_recurrence",
            "recurrent_calls",
            "recurrent_layers",
            "systems_of_equations",
        ],
    ),
];

/// Of the quick programs one in so many runs always.
const EVERY: usize = 3;

/// Where they are parted by their names, so that two processors take as long.
const MIDDLE: &str = "i";

fn runs_always(name: &str) -> bool {
    let place = QUICK.iter().position(|quick| *quick == name);
    place.is_some_and(|place| place % EVERY == 0)
}

#[test]
fn programs_up_to_i_print_on_the_gpu_what_pytorch_printed() {
    agree(&|name| runs_always(name) && name < MIDDLE);
}

#[test]
fn programs_from_i_print_on_the_gpu_what_pytorch_printed() {
    agree(&|name| runs_always(name) && name >= MIDDLE);
}

#[test]
#[ignore = "takes minutes where the GPU is a program on the processor"]
fn other_programs_print_on_the_gpu_what_pytorch_printed() {
    agree(&|name| !runs_always(name));
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
        let is_named = |(_, names): &&(&str, &[&str])| names.contains(&name.as_str());
        if let Some((why, _)) = LEFT_OUT.iter().find(is_named) {
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
