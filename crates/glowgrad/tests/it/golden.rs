//! Forward and gradient of every op against PyTorch's numbers (`tests/golden/README.md`), and how
//! tensors print.
#![cfg(not(target_arch = "wasm32"))]

use crate::suite;

fn holds(file: &str) {
    let (_, text) = suite::golden::FILES
        .iter()
        .find(|(name, _)| *name == file)
        .expect("a golden file");
    let report = suite::golden::run(&glowgrad::cpu(), text);
    println!(
        "{file}: {} passed, {} skipped, {} failed",
        report.passed,
        report.skipped.len(),
        report.failed.len()
    );
    report
        .skipped
        .iter()
        .for_each(|why| println!("  skipped {why}"));
    assert!(report.passed > 0, "{file} has no cases");
    assert!(
        report.failed.is_empty(),
        "{} differ:\n{}",
        report.failed.len(),
        report.failed.join("\n")
    );
}

macro_rules! files {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            holds(stringify!($name));
        }
    )*};
}
files! { unary binary choice convert creation dtypes everywhere reduction scan sort order statistics movement movement2 indexing index2 matmul linalg softmax losses promotion }
files! { exponential trigonometry bitwise rounding arithmetic activation boundary casts }
files! { conv pool fold norm attention layers losses2 special }

#[test]
fn tensors_print_as_in_pytorch() {
    let failures = suite::printing::failures(&glowgrad::cpu());
    assert!(
        failures.is_empty(),
        "{} differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
