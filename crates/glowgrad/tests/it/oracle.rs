//! The interpreter, the backend with fusion and the backend without agree; gradients agree with
//! finite differences.
#![cfg(not(target_arch = "wasm32"))]

use crate::suite;

fn none(failures: Vec<String>) {
    assert!(
        failures.is_empty(),
        "{} differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn registry_samples_agree_with_the_interpreter() {
    none(suite::parity::registry_failures(&glowgrad::cpu()));
}

#[test]
fn golden_cases_agree_with_the_interpreter() {
    let engine = glowgrad::cpu();
    let mut all = Vec::new();
    let mut passed = 0;
    for (file, text) in suite::golden::FILES {
        let (n, failures) = suite::parity::golden_failures(&engine, text);
        passed += n;
        all.extend(failures.into_iter().map(|why| format!("{file}: {why}")));
    }
    println!("{passed} cases agree");
    none(all);
}

#[test]
fn gradients_agree_with_finite_differences() {
    let (checked, failures) = suite::differences::failures(&glowgrad::cpu());
    println!("{checked} operands checked");
    assert!(checked > 100, "only {checked} operands were checked");
    none(failures);
}
