//! The registry of layers, losses and optimizers: every row says what its class does, and models come back from their
//! JSON, whose texts may be anything.

use crate::common::lab;

#[test]
fn every_class_has_a_row_that_holds() {
    lab(|lab| {
        let printed = lab.output(include_str!("../golden/rows.py"));
        let expected = include_str!("../golden/rows.txt");
        assert_eq!(printed, expected);
    });
}

#[test]
fn models_are_described_and_read_and_other_texts_refused() {
    lab(|lab| {
        let printed = lab.output(include_str!("../golden/model_json.py"));
        let expected = include_str!("../golden/model_json.txt");
        assert_eq!(printed, expected);
    });
}
