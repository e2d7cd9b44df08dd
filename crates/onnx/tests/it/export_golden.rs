//! PyTorch's golden calls, exported: options, dtypes, edge values.

use glowgrad::Tensor;
use glowgrad_check::golden::{FILES, call::call_named, inputs, json};

use crate::export_ops::sequences;
use crate::exporting::{Ended, Exported, export};

/// What became of the calls.
#[derive(Default)]
pub(crate) struct Golden {
    pub(crate) written: Vec<Exported>,
    refused: usize,
    failed: Vec<String>,
}

pub(crate) fn all_golden(opset: i64) -> Golden {
    let mut golden = Golden::default();
    for (file, text) in FILES {
        let engine = glowgrad::cpu();
        for (i, case) in json::cases(text).iter().enumerate() {
            if case["error"].is_string() {
                continue;
            }
            let (op, note) = (
                case["op"].as_str().expect("an op"),
                case["note"].as_str().unwrap_or(""),
            );
            let name = format!("{file} {i} {op}, {note}, opset {opset}");
            let x = inputs(&engine, case);
            let run =
                |x: &[Tensor]| call_named(&engine, op, x, &case["inputs_names"], &case["attrs"]);
            match export(&engine, &name, opset, &x, sequences(op), run) {
                Ok(Ended::Written(exported)) => {
                    if let Err(why) = exported.check() {
                        golden.failed.push(format!("{name}: {why}"));
                    }
                    golden.written.push(exported);
                }
                Ok(Ended::Refused(_)) => golden.refused += 1,
                Err(error) => golden.failed.push(format!("{name}: {error}")),
            }
        }
    }
    golden
}

#[test]
fn golden_calls_give_the_same() {
    for opset in [18, 25] {
        let golden = all_golden(opset);
        println!(
            "operator set {opset}: {} golden calls are written, {} are refused, {} fail",
            golden.written.len(),
            golden.refused,
            golden.failed.len()
        );
        assert!(golden.failed.is_empty(), "{}", golden.failed.join("\n"));
    }
}
