//! Thousands of random calls of every op, edge values and errors included, against what PyTorch answered
//! (`tests/golden/random_calls.json`, made by `generator/calls.py`).
//!
//! The file stays out of the page and of the device checks: the ops' definitions are the same there, the
//! golden cases hold each device to them, and this file would double what a page loads.
#![cfg(not(target_arch = "wasm32"))]

use glowgrad_check::golden::{self, Skip};
use serde_json::Value as Json;

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/golden/random_calls.json"
);

/// Calls that need not hold, and why. The first line that fits a difference gives its reason.
const SKIPPED: &[Skip] = &[
    (
        &[
            "minimum",
            "maximum",
            "fmin",
            "fmax",
            "clamp_min",
            "clamp_max",
            "nanmedian",
            "min",
            "max",
            "softshrink",
        ],
        zero_signs,
        "which of 0 and -0 PyTorch takes depends on where in a vector they lie",
    ),
    (
        &[
            "addmm",
            "addmv",
            "baddbmm",
            "linear",
            "matmul",
            "mm",
            "mv",
            "bmm",
            "dot",
            "inner",
            "tensordot",
            "einsum",
            "det",
            "inv",
            "qr",
            "solve",
            "batch_norm",
            "instance_norm",
            "rms_norm",
            "group_norm",
            "layer_norm",
            "softmax",
            "softmin",
            "log_softmax",
            "logcumsumexp",
            "binary_cross_entropy_with_logits",
            "fold",
            "index_put",
            "prod",
            "margin_ranking_loss",
        ],
        zero_signs,
        "a zero that is a sum has the sign that the order of its terms gave it",
    ),
    (
        &["gelu"],
        not_finite,
        "PyTorch's kernel turns infinity into NaN",
    ),
    (
        &["cumprod", "prod"],
        not_finite,
        "PyTorch divides by an element that is NaN; our gradient is the product of the others",
    ),
    (
        &[
            "conv1d",
            "conv2d",
            "conv3d",
            "conv_transpose1d",
            "conv_transpose2d",
            "conv_transpose3d",
        ],
        not_finite,
        "0 · NaN beyond a border, which our sum has and PyTorch's has not",
    ),
    (
        &["scaled_dot_product_attention"],
        not_finite,
        "PyTorch's fused kernel takes a row of NaN for one that is masked whole",
    ),
    (
        &["var_mean", "std_mean"],
        not_finite,
        "PyTorch's mean there is a running one, which an infinity turns into NaN",
    ),
    (
        &[
            "layer_norm",
            "group_norm",
            "addmv",
            "solve",
            "qr",
            "inv",
            "cross_entropy",
            "logcumsumexp",
            "binary_cross_entropy",
            "binary_cross_entropy_with_logits",
        ],
        not_finite,
        "infinities and overflows meet in another order of the same formula",
    ),
    (
        &[],
        rounded_on_the_way,
        "PyTorch rounds the steps of the formula to the half-width dtype; ours is rounded once",
    ),
    (
        &[
            "scaled_dot_product_attention",
            "group_norm",
            "cosine_similarity",
            "batch_norm",
            "linear",
            "hypot",
            "logaddexp",
            "pairwise_distance",
        ],
        |call, _| has(call, HALVES),
        "PyTorch rounds the steps to the half-width dtype, and what is left cancels",
    ),
    (
        &[
            "kl_div",
            "poisson_nll_loss",
            "cosine_embedding_loss",
            "atan2",
        ],
        mixed,
        "PyTorch computes a part in the dtype of one operand before it meets the other",
    ),
    (
        &["batch_norm", "group_norm", "cosine_embedding_loss"],
        |_, why| close(why, 1e-4) || numbers(why).is_some_and(|(got, _)| got.abs() > 1e20),
        "a difference of nearly equal numbers, which PyTorch's float32 or its bound on norms has with fewer digits",
    ),
    (
        &["kthvalue", "topk", "mode", "median", "nanmedian"],
        |_, why| why.contains("is Int("),
        "PyTorch does not say which of equal elements it names",
    ),
    (
        &["pixel_unshuffle"],
        |_, why| why.starts_with("is "),
        "PyTorch 2.15 leaves the shape of nothing as it is; we give it the sizes that any other batch has",
    ),
    (
        &["det"],
        |_, why| why.contains("gradient"),
        "PyTorch's gradient of a determinant of 0 is 0 all over; ours is the matrix of cofactors",
    ),
    (
        &["inv", "qr"],
        |_, why| why.contains("singular"),
        "a singular matrix, of which PyTorch gives what rounding left; ours says that it is singular",
    ),
    (
        &["softsign"],
        |call, _| !has(call, FLOATS),
        "PyTorch adds 1 to a whole number in its own dtype, where it wraps",
    ),
    (
        &["take_along_dim"],
        |_, why| why.contains("out of bounds"),
        "PyTorch reads whatever lies at an index out of range; ours raises",
    ),
    (
        &["kron"],
        |_, why| why.starts_with("should raise"),
        "PyTorch cannot view a transposed operand there; ours copies it",
    ),
    (
        &[
            "hstack",
            "inner",
            "huber_loss",
            "binary_cross_entropy_with_logits",
            "soft_margin_loss",
            "conv3d",
            "unbind",
            "chunk",
        ],
        |_, why| why == "should raise RuntimeError",
        "PyTorch's kernel has no such call; ours has an answer",
    ),
    (
        &["batch_norm", "instance_norm"],
        |_, why| why.starts_with("should raise"),
        "the shape of running statistics is checked in Python",
    ),
    (
        &["mT"],
        |_, why| why.starts_with("should raise"),
        "a property, whose check is Python's",
    ),
    (
        &[],
        |_, why| why.starts_with("should raise") && why.contains(", raised "),
        "of two mistakes in one call another one is found first, or an exception of a sibling class says it",
    ),
    (
        &[],
        |_, why| {
            why.starts_with("raised: ")
                && ["convert", "not implemented", "must have"]
                    .iter()
                    .any(|part| why.contains(part))
        },
        "PyTorch computes in whole numbers or mixed dtypes there; ours asks for one dtype of floats and says so",
    ),
];

const HALVES: &[&str] = &["float16", "bfloat16"];
const FLOATS: &[&str] = &["float16", "bfloat16", "float32", "float64"];

fn dtypes(call: &Json) -> impl Iterator<Item = &str> {
    let inputs = call["inputs"].as_array().into_iter().flatten();
    inputs.filter_map(|input| input["dtype"].as_str())
}

fn has(call: &Json, names: &[&str]) -> bool {
    dtypes(call).any(|dtype| names.contains(&dtype))
}

fn mixed(call: &Json, _: &str) -> bool {
    let first = dtypes(call).next();
    dtypes(call).any(|dtype| Some(dtype) != first)
}

/// The number that came and the one that was expected, where both are floats.
fn numbers(why: &str) -> Option<(f64, f64)> {
    let float = |text: &str| text.strip_prefix("Float(")?.strip_suffix(')')?.parse().ok();
    let (got, expected) = why.split_once(" is ")?.1.split_once(", expected ")?;
    Some((float(got)?, float(expected)?))
}

fn zero_signs(_: &Json, why: &str) -> bool {
    numbers(why).is_some_and(|(got, expected)| got == 0.0 && expected == 0.0)
}

/// Whether an infinity or NaN went in or came out.
fn not_finite(call: &Json, why: &str) -> bool {
    let inputs = call["inputs"].to_string();
    let word = |text: &str| text.contains("inf") || text.contains("nan");
    let numbers = numbers(why);
    word(&inputs) || numbers.is_some_and(|(a, b)| !a.is_finite() || !b.is_finite())
}

fn close(why: &str, relative: f64) -> bool {
    numbers(why).is_some_and(|(got, expected)| {
        (got - expected).abs() <= relative * got.abs().max(expected.abs())
    })
}

/// Within a few of the last places of a half.
fn rounded_on_the_way(call: &Json, why: &str) -> bool {
    let of = |name: &str| dtypes(call).any(|dtype| dtype == name);
    of("bfloat16") && close(why, 4.0 / 128.0) || of("float16") && close(why, 4.0 / 1024.0)
}

#[test]
fn random_calls_answer_as_pytorch_does() {
    let text = std::fs::read_to_string(FILE).expect("the recorded calls");
    let calls = golden::json::cases(&text);
    let with = |key: &str| calls.iter().filter(|call| !call[key].is_null()).count();
    let (gradients, errors) = (with("grads"), with("error"));
    let report = golden::run_calls(&calls, SKIPPED);
    println!(
        "{} calls, {gradients} with gradients, {errors} errors: {} passed, {} skipped, {} failed",
        calls.len(),
        report.passed,
        report.skipped.len(),
        report.failed.len()
    );
    for why in &report.skipped {
        println!("  skipped {why}");
    }
    assert!(calls.len() >= 5000 && gradients >= 2000);
    assert!(
        report.failed.is_empty(),
        "{} differ:\n{}",
        report.failed.len(),
        report.failed.join("\n")
    );
}
