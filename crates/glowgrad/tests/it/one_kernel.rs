//! What a layer in one kernel means (`FusedOp::compute`) against the formula that stands everywhere else.
#![cfg(not(target_arch = "wasm32"))]

use crate::suite;
use crate::suite::layered::layered;

#[test]
fn layers_mean_what_their_formulas_do() {
    let (engine, n) = layered();
    let failures = suite::layers::failures(&engine);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(n.get() > 0, "layers were compared");
}

#[test]
fn a_gradient_through_a_layer_has_a_gradient() {
    assert_eq!(suite::layers::second_order(&layered().0), Ok(()));
}
