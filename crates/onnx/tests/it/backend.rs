//! ONNX's own backend tests: a selection that is committed, and all of them from a folder.
//!
//! `tests/make_cases.py` says where the folder comes from and writes the selection.

use std::collections::BTreeMap;
use std::path::Path;

use crate::suite::{Case, DataSet, Verdict, unpack};

/// The selection.
const CASES: &[u8] = include_bytes!("../data/cases.bin");

pub(crate) fn committed() -> Vec<Case> {
    unpack(CASES)
}

#[test]
fn the_selection_passes() {
    let cases = committed();
    assert!(cases.len() >= 200, "{} cases", cases.len());
    let mut failed = Vec::new();
    for case in &cases {
        match case.run(&glowgrad::cpu()) {
            Verdict::Passed => {}
            other => failed.push(format!("{}: {other:?}", case.name)),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn a_wrong_number_is_caught() {
    let mut cases = committed();
    let mut n_caught = 0;
    for case in &mut cases {
        // The last byte of raw float data has the sign and the high bits of the exponent.
        let Some(output) = case.sets.iter_mut().flat_map(|set| &mut set.outputs).next() else {
            continue;
        };
        let (_, array) = crate::suite::array(output).expect("a tensor");
        if array.dtype() != glowgrad::DType::F32 || array.bytes().is_empty() {
            continue;
        }
        let mut bytes = array.bytes().to_vec();
        bytes[3] ^= 0x40;
        let wrong = glowgrad_files::Array::new(array.dtype(), array.shape().to_vec(), bytes);
        let wrong = wrong.expect("as large as before");
        let proto = glowgrad_files::onnx::TensorProto::of_array("", &wrong);
        *output = glowgrad_files::onnx::encode(&proto);
        let verdict = case.run(&glowgrad::cpu());
        assert!(
            matches!(verdict, Verdict::Failed(_)),
            "{}: {verdict:?}",
            case.name
        );
        n_caught += 1;
    }
    assert!(n_caught > 100, "{n_caught} cases");
}

/// All cases of a folder: `GLOW_ONNX_CASES=…/onnx/backend/test/data/node cargo test -p glowgrad-onnx -- --ignored
/// --nocapture`. `GLOW_ONNX_PASSED` names a file for the names of the cases that pass.
#[test]
#[ignore = "needs the folder GLOW_ONNX_CASES, and a minute"]
fn every_case_of_a_folder() {
    let folder = std::env::var("GLOW_ONNX_CASES").expect("GLOW_ONNX_CASES names a folder of cases");
    let only = std::env::var("GLOW_ONNX_ONLY").unwrap_or_default();
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| name.contains(&only))
        .collect();
    names.sort();
    let (mut passed, mut failed) = (Vec::new(), Vec::new());
    let mut out: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in names {
        let Some(case) = read(&Path::new(&folder).join(&name), &name) else {
            continue;
        };
        let run = std::panic::AssertUnwindSafe(|| case.run(&glowgrad::cpu()));
        let verdict =
            std::panic::catch_unwind(run).unwrap_or_else(|_| Verdict::Failed("a panic".to_owned()));
        match verdict {
            Verdict::Passed => passed.push(name),
            Verdict::Failed(reason) => failed.push((name, reason)),
            Verdict::Out(reason) => out.entry(reason).or_default().push(name),
        }
    }
    for (name, reason) in &failed {
        println!("failed {name}: {reason}");
    }
    let mut n_out = 0;
    for (reason, names) in &out {
        n_out += names.len();
        println!("out, {reason}: {} ({})", names.len(), names.join(" "));
    }
    let in_set = passed.len() + failed.len();
    println!(
        "{} passed of {in_set} in the op set ({:.2} %), {n_out} out",
        passed.len(),
        100.0 * passed.len() as f64 / in_set.max(1) as f64
    );
    if let Ok(file) = std::env::var("GLOW_ONNX_PASSED") {
        std::fs::write(file, passed.join("\n")).expect("is written");
    }
    assert!(passed.len() * 100 >= in_set * 95, "too many fail");
}

fn read(folder: &Path, name: &str) -> Option<Case> {
    let model = std::fs::read(folder.join("model.onnx")).ok()?;
    let mut sets = Vec::new();
    for i in 0.. {
        let data = folder.join(format!("test_data_set_{i}"));
        if !data.is_dir() {
            break;
        }
        let all = |kind: &str| -> Vec<Vec<u8>> {
            let file = |j: usize| std::fs::read(data.join(format!("{kind}_{j}.pb"))).ok();
            (0..).map_while(file).collect()
        };
        sets.push(DataSet {
            inputs: all("input"),
            outputs: all("output"),
        });
    }
    Some(Case {
        name: name.to_owned(),
        model,
        sets,
    })
}
