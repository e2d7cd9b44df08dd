//! Tensors print as in PyTorch.

mod suite;

#[test]
fn tensors_print_as_in_pytorch() {
    let failures = suite::printing::failures(&glowgrad::cpu());
    assert!(failures.is_empty(), "{} differ:\n{}", failures.len(), failures.join("\n"));
}
