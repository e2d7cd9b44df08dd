//! Exports for another runtime to run: `tests/check_exports.py` says how.

use glowgrad::DType;

use crate::export_golden::all_golden;
use crate::export_models::{all_networks, of_any_batch};
use crate::export_ops::all_samples;
use crate::exporting::Exported;

#[test]
#[ignore = "writes a file for tests/check_exports.py"]
fn exports_are_written_to_a_file() {
    let path = std::env::var("EXPORTS").expect("EXPORTS is the file to write");
    let mut all: Vec<Exported> = Vec::new();
    for opset in 18..=25 {
        all.extend(all_networks(opset));
    }
    all.extend(of_any_batch());
    for (dtype, opset) in [
        (DType::F32, 18),
        (DType::F64, 18),
        (DType::F16, 18),
        (DType::I64, 18),
        (DType::I32, 18),
        (DType::Bool, 18),
        (DType::F32, 20),
        (DType::F32, 21),
        (DType::F32, 23),
        (DType::F32, 24),
    ] {
        all.extend(all_samples(dtype, opset).written);
    }
    all.extend(all_golden(18).written);
    let mut bytes = (all.len() as u32).to_le_bytes().to_vec();
    for exported in &all {
        bytes.extend(exported.packed());
    }
    std::fs::write(path, bytes).expect("is written");
}
