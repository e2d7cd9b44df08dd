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

#[test]
fn what_cannot_be_divided_has_no_shape() {
    lab(|lab| {
        for (name, values, input, reason) in [
            (
                "Conv2d",
                "in_channels=4, out_channels=6, kernel_size=1, groups=4",
                "(1, 4, 5, 5)",
                "Conv2d: out_channels must be divisible by groups: 6 and 4 came",
            ),
            (
                "MultiheadAttention",
                "embed_dim=8, num_heads=3",
                "(5, 8)",
                "MultiheadAttention: embed_dim must be divisible by num_heads: 8 and 3 came",
            ),
            (
                "GroupNorm",
                "num_groups=0, num_channels=4",
                "(2, 4)",
                "GroupNorm: num_channels must be divisible by num_groups: 4 and 0 came",
            ),
        ] {
            let n_inputs = if name == "MultiheadAttention" { 3 } else { 1 };
            let error = lab.error(&format!(
                "from glowgrad._rows import ROWS\nrow = ROWS['{name}']\n\
                 row.output_shape(row.values(dict({values})), [{input}] * {n_inputs})"
            ));
            assert_eq!(
                (error.kind.as_str(), error.message.as_str()),
                ("ValueError", reason)
            );
        }
    });
}
